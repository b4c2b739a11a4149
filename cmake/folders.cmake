# The folders of the tree, one row each: what may use what. A folder is a library, topk_NAME, which is
# linked with what it uses and with nothing else; what is behind it may use what is above it, so there are
# no circles. A folder shows others its public headers only, as "NAME/HEADER": another include does not
# compile. Tests and fuzz targets may look inside.
#
# docs/architecture.md says what each folder is for; scripts/check-architecture holds it and the tree against
# this table, which the build writes to folders.txt.
#
# topk_folder(FOLDER HEADERS HEADER... [USES NAME...] [SUBFOLDERS NAME...] [EXCEPT FILE...]
#             [SOURCES FILE...] [LIBRARIES TARGET...])
#   HEADERS     that others may include
#   USES        folders, by name, whose headers it includes
#   SUBFOLDERS  whose sources belong to it
#   EXCEPT      sources that are no part of the library: programs, and what is for another system
#   SOURCES     that the build generates
#   LIBRARIES   of others
# What is behind conformance/windows is written for POSIX; there is its place on Windows: TOPK_POSIX.
set(TOPK_POSIX "")
set(TOPK_FOLDERS "")
set(TOPK_FOLDER_ROWS "")
function(topk_folder folder)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "" "HEADERS;USES;SUBFOLDERS;EXCEPT;SOURCES;LIBRARIES")
  get_filename_component(name ${folder} NAME)
  set(patterns ${folder}/*.c)
  foreach(part IN LISTS row_SUBFOLDERS)
    list(APPEND patterns ${folder}/${part}/*.c)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  foreach(file IN LISTS row_EXCEPT)
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${folder}/${file})
  endforeach()
  add_library(topk_${name} STATIC ${sources} ${row_SOURCES})
  list(TRANSFORM row_USES PREPEND topk_ OUTPUT_VARIABLE used)
  target_link_libraries(topk_${name} PUBLIC ${used} ${row_LIBRARIES})
  target_link_libraries(topk_${name} PRIVATE ${TOPK_POSIX})
  foreach(part IN LISTS row_SUBFOLDERS)
    target_include_directories(topk_${name} PRIVATE ${folder} ${folder}/${part})
  endforeach()
  # what "NAME/HEADER" is for those that use it
  foreach(header IN LISTS row_HEADERS)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/${name}/${name}/${header}
      CONTENT "#include \"${PROJECT_SOURCE_DIR}/${folder}/${header}\"\n")
  endforeach()
  target_include_directories(topk_${name} PUBLIC ${PROJECT_BINARY_DIR}/include/${name})
  set(TOPK_FOLDERS ${TOPK_FOLDERS} ${folder} PARENT_SCOPE)
  topk_folder_row(${folder} "${row_HEADERS}" "${row_USES}" "${row_SUBFOLDERS}")
  set(TOPK_FOLDER_ROWS "${TOPK_FOLDER_ROWS}" PARENT_SCOPE)
endfunction()

# topk_folder_row(FOLDER HEADERS USES SUBFOLDERS): its line of folders.txt
macro(topk_folder_row folder headers uses subfolders)
  string(REPLACE ";" " " line "${folder}|${headers}|${uses}|${subfolders}")
  string(APPEND TOPK_FOLDER_ROWS "${line}\n")
endmacro()

# what is made while this builds: the corpus as tables of tests, the page's files and the reproducer as strings
file(GLOB CORPUS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} corpus/*.txt)
file(GLOB PAGE CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} reports/html/page/*)
set(REPRODUCER conformance/shrink/reproducer.txt conformance/shrink/reproducer_large.txt
    reference/pcg.h reference/element.h reference/pcg.c reference/element.c
    conformance/case/value.h conformance/case/recipe.h conformance/case/recipe_steps.h
    conformance/case/recipe_every.c conformance/case/recipe_parts.c conformance/case/recipe_rows.c
    conformance/case/recipe_tied.c conformance/case/recipe.c)
foreach(made IN ITEMS "corpus corpus ${CORPUS}" "page embed ${PAGE}"
    "reproducer_text embed ${REPRODUCER}")
  separate_arguments(made)
  list(POP_FRONT made name script)
  string(REPLACE " " ";" made "${made}")
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${name}.c
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${PROJECT_BINARY_DIR}/${name}.c -P cmake/${script}.cmake ${made}
    DEPENDS ${made} cmake/${script}.cmake WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  if(NOT MSVC)
    set_source_files_properties(${PROJECT_BINARY_DIR}/${name}.c PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  endif()
endforeach()
include(cmake/libraries.cmake)

# ---- the specification as code ------------------------------------------------------------------

set(libraries m)
if(MSVC)
  set(libraries "") # functions of math.h are in its C library
endif()
topk_folder(reference
  HEADERS clause.h clauses.def contract.def contract.h crash.h diagnosis.h documents.def element.h judge.h
    mismatches.def observations.def operator.h oracle.h outputs.h pcg.h probe.h readings.def result.h sentence.h sentences.def
    tensor.h traces.def
  LIBRARIES ${libraries})
# gcc does not vectorise what is linear in a result below -O3
if(NOT MSVC)
  set(vectors $<$<NOT:$<CONFIG:Debug>>:-O3>)
  set_source_files_properties(reference/judge.c reference/judge_contract.c backends/worker/client_memory.c
    reference/judge_scan_base.c PROPERTIES COMPILE_OPTIONS "${vectors}")
  # levels that a machine may lack: without these flags nothing is compiled
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    if(WIN32)
      # gcc takes the stack for aligned to 32 bytes there, which it is not (its bug 54412)
      list(APPEND vectors -Wa,-muse-unaligned-vector-move)
    endif()
    set_source_files_properties(reference/judge_scan_avx2.c PROPERTIES COMPILE_OPTIONS "${vectors};-mavx2")
    set_source_files_properties(reference/judge_scan_avx512.c PROPERTIES COMPILE_OPTIONS
      "${vectors};-mavx512bw;-mavx512dq;-mavx512vl;-mprefer-vector-width=512")
  endif()
endif()

# ---- cases: what they are, how they are made, which are asked -------------------------------------

topk_folder(conformance/case
  HEADERS case.h sort.h
  USES reference)
topk_folder(conformance/generate
  HEADERS generate.h
  USES case reference)
topk_folder(conformance/coverage
  HEADERS coverage.h
  USES generate case reference)
topk_folder(conformance/condition
  HEADERS condition.h learn.h vary.h
  USES coverage generate case reference)
set(except "")
if(TOPK_SUITE)
  set(libraries PkgConfig::SODIUM)
else()
  set(except digest.c) # needs libsodium
endif()
topk_folder(conformance/suite SUBFOLDERS groups
  HEADERS digest.h suite.h
  USES coverage generate case
  EXCEPT ${except}
  SOURCES ${PROJECT_BINARY_DIR}/corpus.c
  LIBRARIES ${libraries})
target_include_directories(topk_suite PRIVATE conformance/suite)

# ---- files of other projects ----------------------------------------------------------------------

topk_folder(reports/exchange
  HEADERS exchange.h
  USES reference)

# ---- who is under test, and the process that hosts it ---------------------------------------------

# the one header that a plugin's author needs
add_library(topk_include INTERFACE)
target_include_directories(topk_include INTERFACE backends/include)
topk_folder_row(backends/include topk_backend.h "" "")

# what the processes say to each other
topk_folder(conformance/protocol
  HEADERS protocol.h
  USES include reference)

# one system's files are no part of a build for the other
if(WIN32)
  set(other posix)
  set(more folder_posix.c measure_posix.c)
else()
  set(other win32)
  set(more "")
endif()
topk_folder(backends/platform
  HEADERS platform.h stage.h
  EXCEPT platform_${other}.c child_${other}.c fault_${other}.c keep_${other}.c ${more}
  LIBRARIES ${CMAKE_DL_LIBS})
topk_folder(backends/cpu
  HEADERS cpu.h
  USES include
  EXCEPT thread_${other}.c)
include(cmake/cpu.cmake)
topk_folder(backends/kernel
  HEADERS kernel.h
  USES cpu include)
topk_folder(backends/faulty SUBFOLDERS faults
  HEADERS faulty.h
  USES cpu include)
set(TOPK_BUILTIN cpu faulty)
include(cmake/onnxruntime.cmake)
include(cmake/d3d12.cmake)
include(cmake/vulkan.cmake)
# the process that hosts a backend, and what opens one
topk_folder(backends/process
  HEADERS crash_tell.h guard_page.h loader.h
  USES protocol platform include reference
  EXCEPT backend.c)
# the backends that are built in are only linked: builtin.c lists their tables
list(TRANSFORM TOPK_BUILTIN PREPEND topk_ OUTPUT_VARIABLE linked)
target_link_libraries(topk_process PRIVATE ${linked})
set(rows "")
foreach(name ${TOPK_BUILTIN})
  string(APPEND rows " BUILTIN(${name})")
endforeach()
target_compile_definitions(topk_process PRIVATE "TOPK_BUILTIN_LIST=${rows}")
# what helps those who write a backend process
topk_folder(backends/check
  HEADERS check.h
  USES protocol platform reference)
# the process that judges
topk_folder(backends/worker
  HEADERS host.h
  USES check process case protocol platform include reference
  EXCEPT worker.c)
if(NOT TOPK_SUITE)
  return()
endif()

# ---- POSIX, where the system has none ---------------------------------------------------------------

if(WIN32)
  topk_folder(conformance/windows SUBFOLDERS include
    HEADERS posix.h)
  target_include_directories(topk_windows BEFORE PUBLIC conformance/windows/include)
  target_link_libraries(topk_windows PUBLIC ${TOPK_ARGP} pthread)
  target_compile_definitions(topk_windows PUBLIC _FILE_OFFSET_BITS=64)
  target_compile_options(topk_windows INTERFACE -include ${PROJECT_SOURCE_DIR}/conformance/windows/posix.h)
  set(TOPK_POSIX topk_windows)
else()
  topk_folder_row(conformance/windows posix.h "" include)
endif()

# ---- results ---------------------------------------------------------------------------------------

topk_folder(reports/log
  HEADERS log.h
  USES reference
  LIBRARIES PkgConfig::JANSSON PkgConfig::SODIUM PkgConfig::ZSTD)
# what it costs
topk_folder(conformance/bench
  HEADERS bench.h
  USES process log platform include reference
  LIBRARIES PkgConfig::JANSSON PkgConfig::UV)
if(NOT MSVC)
  set_source_files_properties(conformance/bench/limit.c PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
endif()
topk_folder(reports/expectations
  HEADERS expectations.h
  USES condition coverage case log reference)
topk_folder(reports/summary
  HEADERS summary.h
  USES expectations condition coverage log reference
  LIBRARIES PkgConfig::JANSSON)
topk_folder(reports/compare
  HEADERS compare.h
  USES summary log
  LIBRARIES PkgConfig::JANSSON)
topk_folder(reports/html
  HEADERS html.h
  USES compare summary log
  SOURCES ${PROJECT_BINARY_DIR}/page.c
  LIBRARIES PkgConfig::JANSSON PkgConfig::SODIUM)
target_include_directories(topk_html PRIVATE reports/html)
topk_folder(reports/formats
  HEADERS report.h
  USES html compare summary log reference
  LIBRARIES PkgConfig::JANSSON PkgConfig::LIBXML2)
topk_folder(reports/package
  HEADERS package.h
  USES expectations summary log reference
  LIBRARIES PkgConfig::JANSSON PkgConfig::SODIUM)
topk_folder(reports/schema
  HEADERS schema.h
  USES bench compare package summary log reference
  LIBRARIES PkgConfig::JANSSON)

# ---- cases run -------------------------------------------------------------------------------------

topk_folder(conformance/run
  HEADERS runner.h
  USES protocol platform case log reference
  LIBRARIES PkgConfig::UV)
if(WIN32)
  set(other process.c machine.c owner.c)
  set(libraries psapi shell32 ntdll advapi32)
else()
  set(other process_win32.c machine_win32.c owner_win32.c)
  set(libraries "")
endif()
topk_folder(conformance/identity
  HEADERS identity.h
  USES log
  EXCEPT ${other}
  LIBRARIES PkgConfig::JANSSON PkgConfig::SODIUM ${libraries})
topk_folder(conformance/shrink
  HEADERS shrink.h
  USES run coverage case reference
  SOURCES ${PROJECT_BINARY_DIR}/reproducer_text.c)
target_include_directories(topk_shrink PRIVATE conformance/shrink)
if(WIN32)
  set(other program.c tame.c)
else()
  set(other program_win32.c tame_win32.c)
endif()
topk_folder(conformance/session
  HEADERS session.h
  EXCEPT ${other}
  USES condition shrink run protocol identity suite coverage generate case package summary log reference
  LIBRARIES PkgConfig::UV)
topk_folder(conformance/convert
  HEADERS convert.h
  USES session exchange case log reference)
if(WIN32)
  set(other apart.c orphan.c)
else()
  set(other apart_win32.c orphan_win32.c)
endif()
topk_folder(conformance/trust
  HEADERS trust.h
  EXCEPT ${other}
  USES session summary condition log coverage case)
topk_folder(conformance/cli
  HEADERS cli.h
  USES trust convert session identity bench protocol platform shrink coverage suite condition generate case schema expectations formats compare summary log reference
  EXCEPT main.c
  LIBRARIES PkgConfig::SODIUM PkgConfig::UV)
# what logs and ledgers say they are of
target_compile_definitions(topk_session PUBLIC TOPK_VERSION="${PROJECT_VERSION}")
topk_folder_row(fuzz "" "" "controls targets torture")

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/folders.txt CONTENT "${TOPK_FOLDER_ROWS}")
