@echo off
rem From the unpacked folder to a verdict: names the adapters, runs profile core by this machine's DirectML.dll on each
rem of them, writes a page for each and opens it. docs\windows.md says more. Usage: quickstart.cmd [--no-open]
setlocal EnableExtensions DisableDelayedExpansion
set "here=%~dp0"
set "cts=%here%bin\topk-cts.exe"
set "open=yes"
if "%~1"=="--no-open" set "open="
if "%~1"=="/?" goto usage
if "%~1"=="--help" goto usage
if not "%~1"=="" if not "%~1"=="--no-open" goto misuse

if not exist "%cts%" goto incomplete
if not exist "%here%bin\topk-worker.exe" goto incomplete
if not exist "%here%bin\topk-backend.exe" goto incomplete

set "results=%here%results"
mkdir "%results%" 2>nul
echo.>"%results%\written.txt"
if exist "%results%\written.txt" goto writable
set "results=%TEMP%\topk-cts-results"
mkdir "%results%" 2>nul
echo This folder cannot be written to: results go to "%results%"
:writable
del "%results%\written.txt" 2>nul

set "code=4"
set "number=0"
for /f "usebackq delims=" %%D in (`"%here%bin\topk-worker.exe" --devices directml`) do call :run "%%D"
if not "%number%"=="0" goto done
echo.
echo DirectML could not be started on any adapter. This is what is there:
"%cts%" backends
echo.
echo docs\windows.md says what DirectML needs.
goto done

rem run DEVICE: code becomes what the run exits with, if that is worse
:run
set /a number=number+1
set "out=%results%\directml-%number%"
echo.
echo == directml, %~1 ==
"%cts%" run --backend "directml:%~1" --profile core --out "%out%" --overwrite
set "now=%ERRORLEVEL%"
if "%number%"=="1" set "code=%now%"
if not "%now%"=="0" if "%code%"=="0" set "code=%now%"
if not exist "%out%\results.jsonl" exit /b 0
"%cts%" report --format html --output "%out%\report.html" "%out%"
if errorlevel 1 exit /b 0
echo page: "%out%\report.html"
if defined open start "" "%out%\report.html"
exit /b 0

:usage
echo usage: quickstart.cmd [--no-open]
echo.
echo Runs the conformance profile core on this machine's DirectML.dll, once for each adapter, and writes logs
echo and pages into the folder results. With --no-open no page is opened, and no key is waited for.
echo Exit code: 0 all conform, 1 one does not, 4 DirectML cannot be started, others as topk-cts has them.
exit /b 0

:misuse
echo quickstart.cmd: unknown argument %1; --help says what there is 1>&2
exit /b 2

:incomplete
echo quickstart.cmd: a program is missing in "%here%bin": unpack the whole archive, and see whether an antivirus 1>&2
echo program has removed it. topk-cts.exe, topk-worker.exe and topk-backend.exe belong there. 1>&2
set "code=3"

:done
if defined open pause
exit /b %code%
