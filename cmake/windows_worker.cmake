# Builds topk-worker.exe as part of the build for this system: the same project is configured for Windows in
# <build>/windows. That build runs its own ninja, so it only rebuilds what changed, and if it fails this one fails.

option(TOPK_WINDOWS_WORKER "Build topk-worker.exe too: needs gcc-mingw-w64-x86-64-win32" ${PROJECT_IS_TOP_LEVEL})
find_program(TOPK_MINGW_GCC x86_64-w64-mingw32-gcc)
mark_as_advanced(TOPK_MINGW_GCC)

if(TOPK_WINDOWS_WORKER AND NOT TOPK_SANITIZE AND TOPK_MINGW_GCC)
  set(windows ${PROJECT_BINARY_DIR}/windows)
  # runs again only if this command line changes; ninja in that folder runs CMake when a CMake file changes
  add_custom_command(OUTPUT ${windows}/build.ninja
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${windows} -G Ninja
      --toolchain ${PROJECT_SOURCE_DIR}/cmake/mingw-w64.cmake
      -D CMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -D BUILD_TESTING=${BUILD_TESTING}
      -D "CMAKE_C_FLAGS_RELWITHDEBINFO=${CMAKE_C_FLAGS_RELWITHDEBINFO}"
      -D TOPK_D3D12=${TOPK_D3D12} -D TOPK_DIRECTML_DIR=${TOPK_DIRECTML_DIR}
      -D TOPK_D3D12_SHADERS=${TOPK_D3D12_COMPILED}
    COMMENT "Configuring for Windows" VERBATIM)
  add_custom_target(windows_worker ALL
    COMMAND ${CMAKE_COMMAND} --build ${windows}
    DEPENDS ${windows}/build.ninja
    COMMENT "Building for Windows" VERBATIM)
  if(TARGET d3d12_shaders)
    add_dependencies(windows_worker d3d12_shaders)
  endif()
elseif(TOPK_WINDOWS_WORKER AND NOT TOPK_SANITIZE)
  message(STATUS "x86_64-w64-mingw32-gcc is not here: no topk-worker.exe "
    "(the Debian package gcc-mingw-w64-x86-64-win32 has it)")
endif()
