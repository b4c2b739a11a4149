# The backends that use a Direct3D 12 device: d3d12, with the project's own shaders, and on Windows directml. Neither is
# built without Direct3D 12 headers.
#   Windows: the SDK's headers, which mingw-w64 includes.
#   Elsewhere: libvkd3d-dev.
#   Both: Vulkan's headers, to find out which Vulkan driver is used underneath (libvulkan-dev).
find_path(TOPK_VULKAN_INCLUDE vulkan/vulkan_core.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT WIN32)
  find_path(TOPK_VKD3D_INCLUDE vkd3d_d3d12.h PATH_SUFFIXES vkd3d)
endif()
if(NOT TOPK_VULKAN_INCLUDE OR NOT (WIN32 OR TOPK_VKD3D_INCLUDE))
  message(STATUS "No headers of Vulkan (libvulkan-dev) or vkd3d (libvkd3d-dev): no backend on Direct3D 12")
  return()
endif()
set(except compile_hlsl.c)
if(WIN32)
  # only these headers, because their folder also contains those of this machine's C library
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/vulkan_headers)
  foreach(folder vulkan vk_video)
    file(CREATE_LINK ${TOPK_VULKAN_INCLUDE}/${folder} ${PROJECT_BINARY_DIR}/vulkan_headers/${folder}
      COPY_ON_ERROR SYMBOLIC)
  endforeach()
  set(headers ${PROJECT_BINARY_DIR}/vulkan_headers)
  list(APPEND except gpu_open_vkd3d.c)
else()
  set(headers ${TOPK_VKD3D_INCLUDE})
  list(APPEND except gpu_open_win32.c)
endif()
include(cmake/d3d12_shaders.cmake)
if(NOT TOPK_D3D12_COMPILED)
  list(APPEND except d3d12.c kernel.c variant.c)
endif()
topk_folder(backends/d3d12
  HEADERS gpu.h d3d12_api.h
  USES kernel include
  EXCEPT ${except}
  SOURCES ${TOPK_D3D12_COMPILED})
target_include_directories(topk_d3d12 PRIVATE backends/d3d12)
target_include_directories(topk_d3d12 SYSTEM PUBLIC ${headers})
if(TARGET d3d12_shaders)
  add_dependencies(topk_d3d12 d3d12_shaders)
endif()
set(uses d3d12 kernel platform)
if(NOT WIN32)
  topk_folder_row(backends/directml "" "${uses}" "")
else()
  topk_folder(backends/directml USES ${uses})
  list(APPEND TOPK_BUILTIN directml)
  include(cmake/directml_abi.cmake)
endif()
if(TOPK_D3D12_COMPILED)
  list(APPEND TOPK_BUILTIN d3d12)
  set(TOPK_D3D12_FOUND TRUE)
endif()
