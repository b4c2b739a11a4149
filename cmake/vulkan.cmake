# The backend vulkan, where Vulkan's headers are (libvulkan-dev) and its shaders can be compiled
# (cmake/vulkan_shaders.cmake). The loader is loaded when the backend is opened.
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

target_sources(topk_host PRIVATE
  backends/vulkan/batch.c
  backends/vulkan/device.c
  backends/vulkan/feature.c
  backends/vulkan/kernel.c
  backends/vulkan/manifest.c
  backends/vulkan/pipeline.c
  backends/vulkan/probe.c
  backends/vulkan/probe_float.c
  backends/vulkan/probe_group.c
  backends/vulkan/probe_ieee.c
  backends/vulkan/probe_memory.c
  backends/vulkan/probe_robust.c
  backends/vulkan/probe_run.c
  backends/vulkan/probe_subgroup.c
  backends/vulkan/select.c
  backends/vulkan/variant.c
  backends/vulkan/vulkan.c
  backends/vulkan/vulkan_api.c
  ${TOPK_VULKAN_SHADER_SOURCES})
target_include_directories(topk_host PRIVATE ${TOPK_VULKAN_SHADER_INCLUDE})
list(APPEND TOPK_BUILTIN vulkan)
set(TOPK_VULKAN_FOUND TRUE)
