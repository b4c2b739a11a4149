# Peers: libraries that `topk-cts bench' compares a backend to. Their adapters in backends/field/ become plugins in the
# folder `peers' next to the programs. Unlike everything else they are C++. A peer whose compiler or library is missing
# is not built, and the command says what to install (conformance/bench/peers.def).
if(TOPK_SANITIZE OR TOPK_FUZZ_ENGINE)
  return()
endif()

# topk_peer(NAME SOURCE [OPTION...] [LIBRARIES LIBRARY...])
function(topk_peer name source)
  cmake_parse_arguments(PARSE_ARGV 2 row "" "" "LIBRARIES")
  add_library(peer_${name} MODULE backends/field/field.c backends/field/${source})
  set_target_properties(peer_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} CXX_STANDARD 20
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/peers EXPORT_COMPILE_COMMANDS OFF)
  # the flags of scripts/field, because the project's warnings are meant for its own C code
  set_property(TARGET peer_${name} PROPERTY COMPILE_OPTIONS -O3 -Wall -Wextra
    -Wno-missing-field-initializers ${row_UNPARSED_ARGUMENTS})
  target_include_directories(peer_${name} PRIVATE backends/include backends/field)
  target_link_libraries(peer_${name} PRIVATE ${row_LIBRARIES})
endfunction()

topk_peer(qsort qsort.c)
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  return()
endif()
enable_language(CXX)
topk_peer(partial-sort std.cpp)
topk_peer(nth-element std.cpp -DFIELD_NTH=1)
find_path(TOPK_TORCH_INCLUDE ATen/ATen.h)
find_library(TOPK_TORCH_CPU torch_cpu)
find_library(TOPK_TORCH_C10 c10)
if(TOPK_TORCH_INCLUDE AND TOPK_TORCH_CPU AND TOPK_TORCH_C10)
  set(version "")
  set(header ${TOPK_TORCH_INCLUDE}/torch/csrc/api/include/torch/version.h)
  if(EXISTS ${header})
    file(STRINGS ${header} version REGEX "define TORCH_VERSION_[MP]")
    string(REGEX MATCHALL "[0-9]+" version "${version}")
    list(JOIN version . version)
  endif()
  topk_peer(torch torch.cpp LIBRARIES ${TOPK_TORCH_CPU} ${TOPK_TORCH_C10})
  target_compile_definitions(peer_torch PRIVATE FIELD_VERSION="${version}")
  target_include_directories(peer_torch SYSTEM PRIVATE ${TOPK_TORCH_INCLUDE})
endif()
