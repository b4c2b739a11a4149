# The backends that work on a Direct3D 12 device. Sets nothing if what they need is missing: a worker
# without them is built then.
#   Windows: the SDK's headers, which mingw-w64 has.
#   Elsewhere: libvkd3d-dev.
#   Both: Vulkan's headers, to tell which driver lies beneath (libvulkan-dev).
find_path(TOPK_VULKAN_INCLUDE vulkan/vulkan_core.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT WIN32)
  find_path(TOPK_VKD3D_INCLUDE vkd3d_d3d12.h PATH_SUFFIXES vkd3d)
endif()
if(NOT TOPK_VULKAN_INCLUDE OR NOT (WIN32 OR TOPK_VKD3D_INCLUDE))
  message(STATUS "No headers of Vulkan (libvulkan-dev) or vkd3d (libvkd3d-dev): no backend on Direct3D 12")
  return()
endif()
if(WIN32)
  # alone: the folder that they are in has the C library's of this machine too
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/vulkan_headers)
  foreach(folder vulkan vk_video)
    file(CREATE_LINK ${TOPK_VULKAN_INCLUDE}/${folder} ${CMAKE_BINARY_DIR}/vulkan_headers/${folder} SYMBOLIC)
  endforeach()
endif()

target_sources(topk_host PRIVATE
  backends/d3d12/d3d12_api.c
  backends/d3d12/gpu.c
  backends/d3d12/stack.c)
target_include_directories(topk_host PRIVATE backends/d3d12)
if(WIN32)
  target_sources(topk_host PRIVATE
    backends/d3d12/gpu_open_win32.c
    backends/directml/directml.c
    backends/directml/directml_device.c)
  target_include_directories(topk_host PRIVATE backends/directml)
  target_include_directories(topk_host SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/vulkan_headers)
  list(APPEND TOPK_BUILTIN directml)
  include(cmake/directml_abi.cmake)
else()
  target_sources(topk_host PRIVATE
    backends/d3d12/gpu_open_vkd3d.c)
  target_include_directories(topk_host SYSTEM PRIVATE ${TOPK_VKD3D_INCLUDE})
endif()
