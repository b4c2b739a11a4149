# Toolchain file for another Debian architecture, using Debian's cross gcc. Used by scripts/emulated.
#   TOPK_CROSS_TRIPLET  the architecture as gcc calls it, such as aarch64-linux-gnu
#   TOPK_CROSS_ROOT     a folder with libraries and headers of that architecture, laid out as Debian does
#   TOPK_CROSS_EMULATOR the program of qemu-user that runs its programs
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TOPK_CROSS_TRIPLET TOPK_CROSS_ROOT TOPK_CROSS_EMULATOR)
foreach(name TOPK_CROSS_TRIPLET TOPK_CROSS_ROOT TOPK_CROSS_EMULATOR)
  if(NOT ${name})
    message(FATAL_ERROR "cmake/debian-cross.cmake needs -D ${name}=...")
  endif()
endforeach()

set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${TOPK_CROSS_TRIPLET})
set(CMAKE_C_COMPILER ${TOPK_CROSS_TRIPLET}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${TOPK_CROSS_TRIPLET})
set(CMAKE_SYSROOT ${TOPK_CROSS_ROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR ${TOPK_CROSS_EMULATOR};-L;${TOPK_CROSS_ROOT})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# pkg-config must not find the libraries of this machine
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TOPK_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${TOPK_CROSS_ROOT}/usr/lib/${TOPK_CROSS_TRIPLET}/pkgconfig:${TOPK_CROSS_ROOT}/usr/share/pkgconfig)
