# The shaders of the backend d3d12: compiled by Microsoft's compilers, which scripts/get-directml fetches, in a
# Windows program that runs under Wine while this builds. Sets TOPK_D3D12_COMPILED to the C file that has
# them, or to nothing if they cannot be compiled.
#
# TOPK_D3D12_SHADERS may name a C file that another build of this tree makes of them: the build for
# Windows takes that of the build around it, TOPK_D3D12_COMPILED.

option(TOPK_D3D12 "Build the d3d12 backend: needs scripts/get-directml, wine64 and mingw-w64" ON)
set(TOPK_DIRECTML_DIR ${PROJECT_SOURCE_DIR}/build/third_party/directml
  CACHE PATH "Where scripts/get-directml put Microsoft's compilers")
set(TOPK_D3D12_SHADERS "" CACHE FILEPATH "The compiled shaders, if another build makes them")

set(TOPK_D3D12_COMPILED "")
if(NOT TOPK_D3D12)
  return()
endif()

if(TOPK_D3D12_SHADERS)
  set(TOPK_D3D12_COMPILED ${TOPK_D3D12_SHADERS})
  set_source_files_properties(${TOPK_D3D12_SHADERS} PROPERTIES GENERATED TRUE)
else()
  find_program(TOPK_MINGW_GCC x86_64-w64-mingw32-gcc)
  find_program(TOPK_WINE wine64 PATHS /usr/lib/wine)
  find_program(TOPK_WINESERVER NAMES wineserver wineserver64 PATHS /usr/lib/wine)
  mark_as_advanced(TOPK_MINGW_GCC TOPK_WINE TOPK_WINESERVER)
  foreach(needed TOPK_MINGW_GCC TOPK_WINE TOPK_WINESERVER)
    if(NOT ${needed})
      message(STATUS "No d3d12 backend: its shaders are compiled by a Windows program, with "
        "x86_64-w64-mingw32-gcc and wine64 (the Debian packages gcc-mingw-w64-x86-64-win32 and wine64)")
      return()
    endif()
  endforeach()
  foreach(dll d3dcompiler_47 dxcompiler dxil)
    if(NOT EXISTS ${TOPK_DIRECTML_DIR}/bin/${dll}.dll)
      message(STATUS "No d3d12 backend: ${dll}.dll is not in ${TOPK_DIRECTML_DIR}/bin "
        "(scripts/get-directml fetches it)")
      return()
    endif()
  endforeach()

  set(d3d12 ${PROJECT_SOURCE_DIR}/backends/d3d12)
  set(folder ${PROJECT_BINARY_DIR}/d3d12)
  set(TOPK_D3D12_COMPILED ${folder}/shaders.c)
  file(GLOB shaders CONFIGURE_DEPENDS ${d3d12}/shaders/*)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/compile_hlsl.exe
    COMMAND ${TOPK_MINGW_GCC} -std=c17 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion
      -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-align -Werror -D__USE_MINGW_ANSI_STDIO=1
      -o ${folder}/compile_hlsl.exe ${d3d12}/compile_hlsl.c
    DEPENDS ${d3d12}/compile_hlsl.c ${d3d12}/shaders.h ${d3d12}/shaders.def
    COMMENT "Building compile_hlsl.exe" VERBATIM)
  # a prefix of this build's own, 700 MB, gone after it; and Wine has a d3dcompiler_47.dll too
  set(environment ${CMAKE_COMMAND} -E env --unset=DISPLAY HOME=${folder} TMPDIR=${folder}/tmp
    WINEPREFIX=${folder}/wine WINEDEBUG=-all
    "WINEDLLOVERRIDES=mscoree,mshtml,winedbg.exe,winemenubuilder.exe=\;d3dcompiler_47=n")
  add_custom_command(OUTPUT ${TOPK_D3D12_COMPILED}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/wine ${folder}/tmp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/tmp
    COMMAND ${environment}
      ${TOPK_WINE} ${folder}/compile_hlsl.exe ${d3d12}/shaders
      ${TOPK_DIRECTML_DIR}/bin/d3dcompiler_47.dll ${TOPK_DIRECTML_DIR}/bin/dxcompiler.dll
      ${TOPK_D3D12_COMPILED}
    COMMAND ${environment} sh -c "'${TOPK_WINESERVER}' -k -w || true"
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/wine ${folder}/tmp
    DEPENDS ${folder}/compile_hlsl.exe ${shaders}
    COMMENT "Compiling the shaders of the backend d3d12" VERBATIM)
  # for what is not in this folder's build but takes the file
  add_custom_target(d3d12_shaders DEPENDS ${TOPK_D3D12_COMPILED})
endif()
