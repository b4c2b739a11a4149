# The backend onnxruntime, if scripts/get-onnxruntime has fetched ONNX Runtime.
set(TOPK_ONNXRUNTIME_DIR ${PROJECT_SOURCE_DIR}/build/third_party/onnxruntime
  CACHE PATH "Where scripts/get-onnxruntime put ONNX Runtime")
if(NOT TOPK_ONNXRUNTIME)
  return()
endif()
if(NOT EXISTS ${TOPK_ONNXRUNTIME_DIR}/include/onnxruntime_c_api.h)
  message(STATUS "ONNX Runtime is not in ${TOPK_ONNXRUNTIME_DIR}: no onnxruntime backend "
    "(scripts/get-onnxruntime fetches it)")
  return()
endif()
# exchange is needed because the backend's model of one node is written like exported models
topk_folder(backends/onnxruntime
  HEADERS
  USES exchange kernel platform include)
target_include_directories(topk_onnxruntime SYSTEM PRIVATE ${TOPK_ONNXRUNTIME_DIR}/include)
if(WIN32)
  set(library onnxruntime.dll)
else()
  set(library ${TOPK_ONNXRUNTIME_DIR}/lib/libonnxruntime.so.1)
endif()
target_compile_definitions(topk_onnxruntime PRIVATE TOPK_ONNXRUNTIME_LIBRARY="${library}")
list(APPEND TOPK_BUILTIN onnxruntime)
set(TOPK_ONNXRUNTIME_FOUND TRUE)
