# Compiles directml_abi.cpp, which compares backends/directml/directml_api.h to Microsoft's DirectML.h, if that
# header (fetched by scripts/get-directml) and a C++ compiler for Windows are available.
set(TOPK_DIRECTML_DIR ${PROJECT_SOURCE_DIR}/build/third_party/directml
  CACHE PATH "Where scripts/get-directml put DirectML")
set(header ${TOPK_DIRECTML_DIR}/include/directx/DirectML.h)
find_program(TOPK_MINGW_GXX x86_64-w64-mingw32-g++)
mark_as_advanced(TOPK_MINGW_GXX)
if(MSVC)
  return() # builds by mingw-w64 do it
endif()
if(NOT EXISTS ${header} OR NOT TOPK_MINGW_GXX)
  message(STATUS "No ${header} (scripts/get-directml) or no x86_64-w64-mingw32-g++ "
    "(g++-mingw-w64-x86-64-win32): DirectML's interface is not held against its header")
  return()
endif()
set(CMAKE_CXX_COMPILER ${TOPK_MINGW_GXX})
enable_language(CXX)

# the interface ids are not available to C++ as constants, so they are read from the header's text
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
file(STRINGS ${header} lines REGEX "DML_DECLARE_INTERFACE\\(\"")
set(ids "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE ".*\\((\"[^\"]*\")\\) *([A-Za-z0-9]*).*" "#define IID_TEXT_\\2 \\1\n" define "${line}")
  string(APPEND ids "${define}")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/directml_abi/directml_iids.h CONTENT "${ids}" @ONLY)

add_library(directml_abi OBJECT backends/directml/directml_abi.cpp)
# those of C do not all fit; the optimizer has a part in it
set_target_properties(directml_abi PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
  COMPILE_OPTIONS "-O2;-Wall;-Wextra;-Werror;-Wno-invalid-offsetof")
target_include_directories(directml_abi PRIVATE backends/include backends backends/d3d12 backends/directml
  ${PROJECT_BINARY_DIR}/directml_abi)
target_link_libraries(directml_abi PRIVATE topk_d3d12)
target_include_directories(directml_abi SYSTEM PRIVATE ${TOPK_DIRECTML_DIR}/include/directx)
