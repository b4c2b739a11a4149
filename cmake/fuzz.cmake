# Fuzz targets: fuzz/targets/NAME.c, each linked with one engine. Without TOPK_FUZZ_ENGINE, the replay drivers
# bin/fuzz_NAME are built, which the tests run. With it, fuzz/NAME is built for an engine:
#   libfuzzer   -fsanitize=fuzzer
#   afl         the compiler is afl-clang-fast
#   afl-mutator the mutators for AFL++ instead, NAME_mutator.so, for the targets whose inputs are choices; any compiler
#               can build them
#   else        the library or flags to link as the engine, such as LIB_FUZZING_ENGINE of OSS-Fuzz
# `fuzzers` builds them all.
set(TOPK_FUZZ_ENGINE "" CACHE STRING "Engine that fuzz targets are built for: libfuzzer, afl, a library")

# the second statement of the clauses, which tests and proofs use too
add_library(topk_statement STATIC
  reference/statement/operators.c
  reference/statement/order.c
  reference/statement/tensors.c)
target_include_directories(topk_statement PUBLIC .)
target_link_libraries(topk_statement PUBLIC topk_reference)

# the code that targets and engines share; each target defines its own fuzz_target
add_library(topk_fuzz STATIC
  fuzz/current.c
  fuzz/fuzz.c
  fuzz/open.c
  fuzz/seal.c
  fuzz/words.c)
target_include_directories(topk_fuzz PUBLIC fuzz . conformance backends reports)
target_link_libraries(topk_fuzz PUBLIC topk_statement topk_worker topk_cli)

set(fuzz_folder ${PROJECT_BINARY_DIR}/fuzz)
set(fuzz_prefix "")
if(TOPK_FUZZ_ENGINE STREQUAL "")
  set(fuzz_engine fuzz/engine_replay.c)
  set(fuzz_folder ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  set(fuzz_prefix fuzz_)
elseif(TOPK_FUZZ_ENGINE STREQUAL "afl")
  set(fuzz_engine fuzz/engine_afl.c)
  # AFL++'s macros are not ISO C
  set_source_files_properties(fuzz/engine_afl.c PROPERTIES COMPILE_OPTIONS
    "-Wno-pedantic;-Wno-shadow;-Wno-gnu-statement-expression;-Wno-conversion;-Wno-sign-conversion")
else()
  set(fuzz_engine fuzz/engine_libfuzzer.c)
endif()
add_custom_target(fuzzers)

# topk_fuzz_program(TARGET): settings that every program of a target needs
function(topk_fuzz_program name)
  # it runs on the main thread's stack, so large frames are fine
  target_compile_options(${name} PRIVATE -Wno-frame-larger-than)
  target_link_libraries(${name} PRIVATE topk_fuzz)
  target_compile_definitions(${name} PRIVATE $<$<BOOL:${TOPK_SANITIZE}>:TOPK_SANITIZED>)
  add_dependencies(fuzzers ${name})
endfunction()

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/targets/*.c)
set(TOPK_FUZZ_TARGETS "")
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  list(APPEND TOPK_FUZZ_TARGETS ${name})
  if(TOPK_FUZZ_ENGINE STREQUAL "afl-mutator")
    file(STRINGS ${source} draws REGEX "^ *\\.draw = ")
    if(draws)
      add_library(fuzz_${name} MODULE ${source} fuzz/afl_mutator.c)
      set_target_properties(fuzz_${name} PROPERTIES
        PREFIX "" OUTPUT_NAME ${name}_mutator LIBRARY_OUTPUT_DIRECTORY ${fuzz_folder})
      topk_fuzz_program(fuzz_${name})
    endif()
    continue()
  endif()
  add_executable(fuzz_${name} ${source} ${fuzz_engine})
  set_target_properties(fuzz_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${fuzz_folder} OUTPUT_NAME ${fuzz_prefix}${name})
  topk_fuzz_program(fuzz_${name})
  if(name STREQUAL "runner")
    # replaces processes and their timers
    target_sources(fuzz_${name} PRIVATE fuzz/fake_worker.c)
    target_link_options(fuzz_${name} PRIVATE -Wl,--wrap=uv_timer_start)
  elseif(name STREQUAL "memory")
    # makes allocations fail
    target_link_options(fuzz_${name} PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
  endif()
  if(TOPK_FUZZ_ENGINE STREQUAL "libfuzzer")
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  elseif(NOT TOPK_FUZZ_ENGINE MATCHES "^(afl)?$")
    # such libraries are written in C++, so the C++ linker is needed
    enable_language(CXX)
    target_link_libraries(fuzz_${name} PRIVATE ${TOPK_FUZZ_ENGINE})
    set_target_properties(fuzz_${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endforeach()

# compiles sources that otherwise only a build for an engine would compile
if(TOPK_FUZZ_ENGINE STREQUAL "")
  add_library(topk_fuzz_engines OBJECT fuzz/afl_mutator.c fuzz/engine_libfuzzer.c)
  target_link_libraries(topk_fuzz_engines PRIVATE topk_fuzz)
endif()
