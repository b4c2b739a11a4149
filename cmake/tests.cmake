# The tests. A unit test is a file ROOM/test/NAME_test.c; dropping one there is enough. Tests that drive
# programs are shell scripts beside them.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
include(cmake/test_programs.cmake)

# What drives the programs from outside, and units that take a minute over tables: by one compiler, and
# under the sanitizers.
set(topk_once FALSE)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" OR TOPK_SANITIZE)
  set(topk_once TRUE)
endif()
set(topk_long_units coverage_test group_test)

# topk_unit_tests(ROOM LIBRARY...): every ROOM/test/*_test.c
function(topk_unit_tests room)
  file(GLOB sources CONFIGURE_DEPENDS ${room}/test/*_test.c)
  string(REPLACE "/" "." test_room ${room})
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${ARGN} PkgConfig::CMOCKA)
    target_compile_definitions(${name} PRIVATE $<$<BOOL:${TOPK_SANITIZE}>:TOPK_SANITIZED>
      TOPK_BINARY_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" TOPK_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
      TOPK_VERSION="${PROJECT_VERSION}")
    if(topk_once OR NOT name IN_LIST topk_long_units)
      add_test(NAME ${test_room}.${name} COMMAND ${name})
    endif()
  endforeach()
endfunction()

topk_unit_tests(reference topk_reference)
topk_unit_tests(reports/exchange topk_exchange)
topk_unit_tests(reports topk_reports PkgConfig::JANSSON PkgConfig::LIBXML2 PkgConfig::SODIUM)
topk_unit_tests(conformance topk_cli)
topk_unit_tests(backends topk_host topk_cli)
set_tests_properties(reference.judge_test PROPERTIES TIMEOUT 1200)

add_dependencies(host_test broken broken_abi broken_empty broken_level)

# what spoils results on their way, to see that each gets its verdict
add_executable(chaos_worker conformance/test/chaos_worker.c conformance/test/chaos.c)
target_link_libraries(chaos_worker PRIVATE topk_cases topk_reports)
topk_plugin(chaos conformance/test/chaos_backend.c backends/cpu.c backends/cpu_validate.c)
target_include_directories(chaos PRIVATE reference)
target_sources(chaos_test PRIVATE conformance/test/chaos.c)

# runs exported ONNX tests with nothing of ours
if(TOPK_ONNXRUNTIME_FOUND)
  add_executable(onnx_run reports/exchange/test/onnx_run.c)
  target_include_directories(onnx_run SYSTEM PRIVATE ${TOPK_ONNXRUNTIME_DIR}/include)
  target_link_libraries(onnx_run PRIVATE ${CMAKE_DL_LIBS})
endif()

# the corpora of the fuzz targets, through their replay drivers
foreach(target ${TOPK_FUZZ_TARGETS})
  add_test(NAME fuzz.corpus.${target} COMMAND fuzz_${target} ${CMAKE_SOURCE_DIR}/corpus/fuzz/${target}.tar)
endforeach()

# topk_script_test(NAME SCRIPT ARGUMENT...)
function(topk_script_test name script)
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/${script} ${ARGN}
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  # ONNX Runtime leaks a few bytes when it is loaded
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200
    ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0")
endfunction()

set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
topk_script_test(conformance.core conformance/test/core_test.sh ${bin}
  $<IF:$<BOOL:${TOPK_ONNXRUNTIME_FOUND}>,onnxruntime,none>)

if(topk_once)
  topk_script_test(backends.worker backends/test/worker_test.sh ${bin})
  topk_script_test(backends.probe backends/test/probe_test.sh ${bin})
  topk_script_test(conformance.cli conformance/test/cli_test.sh ${bin})
  topk_script_test(conformance.chaos conformance/test/chaos_test.sh ${bin})
  topk_script_test(conformance.alone conformance/test/alone_test.sh ${bin})
  topk_script_test(conformance.explore conformance/test/explore_test.sh ${bin})
  topk_script_test(conformance.shrink conformance/test/shrink_test.sh ${bin} ${CMAKE_SOURCE_DIR}
    ${CMAKE_C_COMPILER} gcc clang clang-14)
  if(TOPK_SANITIZE)
    set_property(TEST conformance.shrink conformance.cli APPEND PROPERTY ENVIRONMENT SANITIZED=1)
  endif()
  # the page is opened once: scripts/get-chromium
  set(chromium ${CMAKE_SOURCE_DIR}/build/third_party/chromium)
  if(TOPK_SANITIZE)
    set(chromium none)
  endif()
  topk_script_test(conformance.report conformance/test/report_test.sh ${bin} ${CMAKE_SOURCE_DIR}
    ${chromium})
  topk_script_test(conformance.exchange conformance/test/exchange_test.sh ${bin} ${CMAKE_SOURCE_DIR}
    $<IF:$<BOOL:${TOPK_ONNXRUNTIME_FOUND}>,${TOPK_ONNXRUNTIME_DIR}/lib/libonnxruntime.so.1,none>)
  topk_script_test(docs.example docs/example-plugin/test.sh ${bin})
  topk_script_test(docs.man scripts/check man ${CMAKE_BINARY_DIR}/docs/topk-cts.1)
endif()

# once is enough for what does not depend on the compiler
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT TOPK_SANITIZE)
  add_executable(explore_faults backends/test/explore_faults.c)
  target_link_libraries(explore_faults PRIVATE topk_host PkgConfig::CMOCKA)
  target_compile_definitions(explore_faults PRIVATE TOPK_BINARY_DIR="${bin}"
    TOPK_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME backends.explore_faults COMMAND explore_faults)
  set_tests_properties(backends.explore_faults PROPERTIES TIMEOUT 1200)
  topk_script_test(conformance.trust conformance/test/trust_test.sh ${bin}
    ${CMAKE_SOURCE_DIR}/backends/faulty/ledger.txt)
  topk_script_test(reference.mutants scripts/mutants --build ${CMAKE_BINARY_DIR})
  topk_script_test(conformance.full conformance/test/full_test.sh ${bin}
    $<IF:$<BOOL:${TOPK_ONNXRUNTIME_FOUND}>,onnxruntime,none>)
  set(drivers ${CMAKE_SOURCE_DIR}/build/third_party/vulkan)
  topk_script_test(backends.d3d12 backends/test/d3d12_test.sh ${bin} ${CMAKE_SOURCE_DIR}
    $<IF:$<BOOL:${TOPK_D3D12_FOUND}>,${drivers}/lavapipe-25/icd.json,none>
    ${drivers}/lavapipe-22/icd.json)
  topk_script_test(backends.vulkan backends/test/vulkan_test.sh ${bin}
    $<IF:$<BOOL:${TOPK_VULKAN_FOUND}>,${drivers}/lavapipe-25/icd.json,none>
    ${drivers}/lavapipe-22/icd.json ${drivers}/swiftshader/icd.json)
  if(TOPK_VULKAN_FOUND)
    include(cmake/wrong_vulkan.cmake)
  endif()
  topk_script_test(backends.wrong_shaders backends/test/wrong_shaders_test.sh ${bin}
    $<IF:$<TARGET_EXISTS:wrong_vulkan>,${drivers}/lavapipe-25/icd.json,none>
    ${drivers}/lavapipe-22/icd.json ${drivers}/swiftshader/icd.json)
  topk_script_test(backends.wrong_probes backends/test/wrong_probes_test.sh ${bin}
    $<IF:$<TARGET_EXISTS:wrong_vulkan>,${drivers}/lavapipe-25/icd.json,none>)
  topk_script_test(backends.wrong_vulkan backends/test/wrong_vulkan_test.sh ${bin}
    $<IF:$<TARGET_EXISTS:wrong_vulkan>,${drivers}/lavapipe-25/icd.json,none>)
  topk_script_test(backends.vulkan_probe backends/test/vulkan_probe_test.sh ${bin}
    ${CMAKE_SOURCE_DIR}/backends/test/vulkan_probes.txt
    $<IF:$<BOOL:${TOPK_VULKAN_FOUND}>,${drivers}/lavapipe-25/icd.json,none>
    ${drivers}/lavapipe-22/icd.json ${drivers}/swiftshader/icd.json)
  # for which the build has to have found mingw-w64
  set(windows_bin ${CMAKE_BINARY_DIR}/windows/bin)
  topk_script_test(conformance.package conformance/test/package_test.sh ${bin})
  topk_script_test(conformance.portable conformance/test/portable_test.sh ${bin} ${windows_bin})
  topk_script_test(backends.windows_worker backends/test/windows_worker_test.sh ${bin} ${windows_bin})
  topk_script_test(fuzz.scripts fuzz/test/fuzz_test.sh ${CMAKE_SOURCE_DIR} ${bin})
  topk_script_test(backends.wine_worker backends/test/wine_worker_test.sh ${CMAKE_SOURCE_DIR})
  topk_script_test(backends.directml_open backends/test/directml_open_test.sh ${bin} ${CMAKE_SOURCE_DIR})
  topk_script_test(backends.directml backends/test/directml_test.sh ${bin} ${CMAKE_SOURCE_DIR})
  set_tests_properties(backends.directml PROPERTIES TIMEOUT 3000)
  topk_script_test(docs.ci docs/ci/test.sh ${bin})
  topk_script_test(style.format scripts/check format)
  topk_script_test(style.tidy scripts/check tidy ${CMAKE_BINARY_DIR})
  topk_script_test(style.shell scripts/check shell)
  topk_script_test(style.tree scripts/check tree)
endif()

# benchmarks are built, so that they keep compiling, and run by hand: docs/benchmarks.md
set(benches reference/test/judge_bench backends/test/hosting_bench conformance/test/generate_bench)
if(TOPK_VULKAN_FOUND)
  list(APPEND benches backends/test/vulkan_bench)
endif()
foreach(bench IN LISTS benches)
  get_filename_component(name ${bench} NAME)
  add_executable(${name} ${bench}.c)
  target_link_libraries(${name} PRIVATE topk_host)
  set_source_files_properties(${bench}.c PROPERTIES COMPILE_OPTIONS -O3)
  if(name MATCHES "hosting|vulkan")
    target_sources(${name} PRIVATE backends/test/bench.c)
  endif()
endforeach()
