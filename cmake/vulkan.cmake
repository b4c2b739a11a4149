# The backend vulkan, if Vulkan's headers (libvulkan-dev) are available and its shaders can be compiled
# (cmake/vulkan_shaders.cmake). The Vulkan loader is loaded when the backend is opened.
option(TOPK_VULKAN "Build the vulkan backend: needs libvulkan-dev and glslang-tools" ON)
if(WIN32 OR NOT TOPK_VULKAN)
  return()
endif()
find_path(TOPK_VULKAN_INCLUDE vulkan/vulkan_core.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT TOPK_VULKAN_INCLUDE)
  message(STATUS "No vulkan backend: no vulkan/vulkan_core.h (the Debian package libvulkan-dev)")
  return()
endif()
include(cmake/vulkan_shaders.cmake)
if(NOT TOPK_VULKAN_SHADER_SOURCES)
  return()
endif()

topk_folder(backends/vulkan SUBFOLDERS probes
  HEADERS kernel.h
  USES kernel include)
target_include_directories(topk_vulkan PRIVATE ${TOPK_VULKAN_SHADER_INCLUDE})
target_link_libraries(topk_vulkan PRIVATE ${CMAKE_DL_LIBS})
list(APPEND TOPK_BUILTIN vulkan)
set(TOPK_VULKAN_FOUND TRUE)
