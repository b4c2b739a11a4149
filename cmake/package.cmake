# What authors of backends use: the target topk-cts::backend, which provides topk_backend.h, and the function
# topk_cts_add_tests, as an installed package (find_package, pkg-config) or from this source tree (add_subdirectory,
# FetchContent).
include(CMakePackageConfigHelpers)

add_library(topk-cts-backend INTERFACE)
add_library(topk-cts::backend ALIAS topk-cts-backend)
set_target_properties(topk-cts-backend PROPERTIES EXPORT_NAME backend)
target_include_directories(topk-cts-backend INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/backends/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
include(cmake/topk-cts-functions.cmake)

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/topk-cts)
configure_package_config_file(cmake/topk-ctsConfig.cmake.in ${PROJECT_BINARY_DIR}/package/topk-ctsConfig.cmake
  INSTALL_DESTINATION ${folder} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/topk-ctsConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
# the path from the file to the prefix, so that a package also works after it was moved
file(RELATIVE_PATH prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix "${prefix}")
configure_file(cmake/topk-cts.pc.in ${PROJECT_BINARY_DIR}/package/topk-cts.pc @ONLY)

if(TOPK_INSTALL)
  install(TARGETS topk-cts-backend EXPORT topk-cts)
  install(EXPORT topk-cts NAMESPACE topk-cts:: FILE topk-ctsTargets.cmake DESTINATION ${folder})
  install(FILES ${PROJECT_BINARY_DIR}/package/topk-ctsConfig.cmake
    ${PROJECT_BINARY_DIR}/package/topk-ctsConfigVersion.cmake cmake/topk-cts-functions.cmake DESTINATION ${folder})
  install(FILES ${PROJECT_BINARY_DIR}/package/topk-cts.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(FILES backends/include/topk_backend.h TYPE INCLUDE)
endif()
