# The tests. A unit test is a file FOLDER/test/NAME_test.c; adding such a file is enough. Tests that run programs are
# shell scripts in the same folders.
#
# Each test runs only in the configurations where it can find something: release has all tests, clang those that depend
# on the compiler, and the sanitizers those that exercise memory. Labels select when a test runs: `quick` in
# scripts/test quick, `all` only in scripts/test all and night, `night` only in scripts/test night. COST is the
# approximate duration in seconds, so that long tests start first; ctest measures it for tests without one.

pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
include(cmake/test_programs.cmake)
include(ProcessorCount)
ProcessorCount(topk_processors)

set(topk_configuration release)
if(TOPK_SANITIZE)
  set(topk_configuration sanitize)
elseif(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(topk_configuration clang)
endif()

# topk_test(NAME [IN CONFIGURATION...] [NIGHT CONFIGURATION...] [LABEL quick|all] [COST SECONDS] [WHOLE]
#           COMMAND COMMAND ARGUMENT...)
#   IN     the configurations that have the test; only release by default
#   NIGHT  the configurations in which only `scripts/test night' runs it
#   WHOLE  the test uses all processors by itself, and so runs before the others
function(topk_test name)
  cmake_parse_arguments(PARSE_ARGV 1 row "WHOLE" "LABEL;COST" "IN;NIGHT;COMMAND")
  if(NOT row_IN AND NOT row_NIGHT)
    set(row_IN release)
  endif()
  if(topk_configuration IN_LIST row_NIGHT)
    set(row_LABEL night)
  elseif(NOT topk_configuration IN_LIST row_IN)
    return()
  elseif(topk_configuration STREQUAL "sanitize")
    set(row_LABEL all)
  endif()
  add_test(NAME ${name} COMMAND ${row_COMMAND} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  # ONNX Runtime leaks a few bytes when it is loaded
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200
    ENVIRONMENT "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0")
  if(row_LABEL)
    set_tests_properties(${name} PROPERTIES LABELS ${row_LABEL})
  endif()
  if(row_WHOLE)
    # before all others: while these run, there is never room for it, and at the end it would run alone
    math(EXPR row_COST "${row_COST} + 10000")
    set_tests_properties(${name} PROPERTIES PROCESSORS ${topk_processors})
  endif()
  if(row_COST)
    set_tests_properties(${name} PROPERTIES COST ${row_COST})
  endif()
endfunction()

# topk_script(NAME [WORD...] COMMAND SCRIPT ARGUMENT...): topk_test for a script of the source tree
macro(topk_script name)
  string(REGEX REPLACE "(^|;)COMMAND;" "\\1COMMAND;${PROJECT_SOURCE_DIR}/" script_arguments "${ARGN}")
  topk_test(${name} ${script_arguments})
endmacro()

# topk_unit_tests(FOLDER LIBRARY...): adds every FOLDER/test/*_test.c. Exhaustive checks become a separate test if the
# program accepts the arguments `exhaustion` and `rest`.
function(topk_unit_tests folder)
  string(REGEX MATCH "^[a-z]+" room ${folder})
  get_filename_component(folder_name ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/test/*_test.c)
  string(REPLACE "/" "." test_folder ${folder})
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE topk_${folder_name} ${ARGN} PkgConfig::CMOCKA)
    target_include_directories(${name} PRIVATE ${topk_inside} ${room}/test)
    target_compile_definitions(${name} PRIVATE $<$<BOOL:${TOPK_SANITIZE}>:TOPK_SANITIZED>
      TOPK_BINARY_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" TOPK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_property(GLOBAL APPEND PROPERTY topk_quick ${name})
    file(STRINGS ${source} exhaustion REGEX "\"exhaustion\"")
    if(exhaustion)
      topk_test(${test_folder}.${name} IN release clang sanitize LABEL quick COMMAND ${name} rest)
      topk_test(${test_folder}.${name}.exhaustion LABEL all COST 30
        COMMAND ${name} exhaustion)
    elseif(name IN_LIST topk_table_units)
      topk_test(${test_folder}.${name} IN release NIGHT sanitize LABEL quick COST 20 COMMAND ${name})
    else()
      topk_test(${test_folder}.${name} IN release clang sanitize LABEL quick COMMAND ${name})
    endif()
  endforeach()
endfunction()

# unit tests that only check tables, which do not depend on the compiler
set(topk_table_units coverage_test group_test)
topk_unit_tests(reference topk_reference topk_statement)
foreach(folder IN LISTS TOPK_FOLDERS)
  if(NOT folder STREQUAL "reference")
    topk_unit_tests(${folder} topk_worker topk_cli PkgConfig::SODIUM)
  endif()
endforeach()

# allocations fail when they say so
foreach(name allocation_test process_memory_test worker_memory_test)
  target_sources(${name} PRIVATE reference/test/scarce.c)
  target_link_options(${name} PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
endforeach()

# compares the documents, which are not in this tree, to the tables of sentences; used by scripts/check-documents
target_sources(sentence_test PRIVATE reference/test/documents.c)
add_executable(check_documents reference/test/check_documents.c reference/test/documents.c)
target_link_libraries(check_documents PRIVATE topk_reference topk_sha256)
target_include_directories(check_documents PRIVATE ${topk_inside})

add_dependencies(host_test broken broken_abi broken_empty broken_level)

# a judge and a backend for both
target_sources(serve_calls_test PRIVATE backends/process/test/serving.c)
target_sources(serve_frames_test PRIVATE backends/process/test/serving.c)
add_dependencies(loader_test broken_table)
# what the platform does in a crash is in the test
target_link_options(crash_tell_test PRIVATE -Wl,--wrap=topk_fault_watch,--wrap=topk_stdout_say)
target_sources(process_memory_test PRIVATE backends/process/test/serving.c)
# a process whose time is in the test
foreach(name client_wrong_test client_memory_test host_process_test worker_memory_test)
  target_sources(${name} PRIVATE backends/worker/test/scripted.c)
  target_link_options(${name} PRIVATE -Wl,--wrap=topk_clock_now)
endforeach()

topk_test(backends.platform.children IN release sanitize COMMAND children)

# disturbs results on their way, to check that each gets the right verdict
add_executable(chaos_worker conformance/run/test/chaos_worker.c conformance/run/test/chaos.c)
target_link_libraries(chaos_worker PRIVATE topk_cli)
target_include_directories(chaos_worker PRIVATE ${topk_inside})
topk_plugin(chaos conformance/run/test/chaos_backend.c USES cpu)
target_include_directories(chaos PRIVATE .)
target_sources(chaos_test PRIVATE conformance/run/test/chaos.c)

# workers that are shell scripts
foreach(name runner_test runner_blame_test runner_jobs_test runner_machines_test runner_start_test)
  target_sources(${name} PRIVATE conformance/run/test/fake_worker.c)
endforeach()

# a backend process that tries to pass by cheating
add_executable(hostile backends/process/test/hostile.c backends/process/test/hostile_answer.c
  backends/process/test/hostile_bytes.c backends/process/test/hostile_contain.c
  backends/process/test/hostile_ends.c
  backends/process/test/hostile_greeting.c backends/process/test/hostile_lines.c
  backends/process/test/hostile_memory.c backends/process/test/hostile_reach.c
  backends/process/test/hostile_requests.c)
find_package(Threads REQUIRED)
target_link_libraries(hostile PRIVATE topk_process Threads::Threads)
target_include_directories(hostile PRIVATE backends conformance)

# preloaded into a program to make system calls fail
topk_plugin(failing_calls conformance/cli/test/failing_calls.c)

# a plugin that crashes in known ways
topk_plugin(crashing backends/process/test/crashing.c USES cpu)

# a plugin that reads and writes outside of tensors
topk_plugin(overreads backends/process/test/overreads.c USES cpu)

# a plugin of correct and faulty implementations with their own contracts
topk_plugin(contracts backends/faulty/test/contracts.c backends/faulty/test/contracts_fault_pick.c
  backends/faulty/test/contracts_fault_store.c backends/faulty/test/contracts_fault_order.c
  backends/faulty/test/contracts_number.c backends/faulty/test/contracts_pick.c USES cpu)

# plugins with faults that few cases meet, with counters of edges and without: what feedback is measured on
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(counted -fsanitize-coverage=trace-pc,trace-cmp -fno-optimize-sibling-calls)
else()
  set(counted -fsanitize-coverage=trace-pc-guard,trace-cmp)
endif()
add_library(hidden_counted OBJECT conformance/feedback/test/hidden.c)
target_compile_options(hidden_counted PRIVATE ${counted})
add_library(hidden_uncounted OBJECT conformance/feedback/test/hidden.c)
foreach(kind counted uncounted)
  set_target_properties(hidden_${kind} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(hidden_${kind} PRIVATE backends/include ${topk_inside})
endforeach()
topk_plugin(hidden $<TARGET_OBJECTS:hidden_counted> backends/edges/edges_posix.c USES cpu)
topk_plugin(hidden_plain $<TARGET_OBJECTS:hidden_uncounted> USES cpu)
# a plugin that does to its counters what it can
topk_plugin(hostile_counters conformance/feedback/test/hostile_counters.c USES cpu)

# everything that scripts/test quick needs
get_property(quick GLOBAL PROPERTY topk_quick)
add_custom_target(quick DEPENDS ${quick} topk-cts topk-worker topk-backend docs)
# what the tests of configuration clang need: configuration sanitize compiles all files with clang anyway
add_custom_target(clang_tests DEPENDS quick crashing overreads)

# runs exported ONNX tests without any code of this project
if(TOPK_ONNXRUNTIME_FOUND)
  add_executable(onnx_run reports/exchange/test/onnx_run.c)
  target_include_directories(onnx_run SYSTEM PRIVATE ${TOPK_ONNXRUNTIME_DIR}/include)
  target_link_libraries(onnx_run PRIVATE ${CMAKE_DL_LIBS})
endif()

# the corpora of the fuzz targets, through their replay drivers
foreach(target ${TOPK_FUZZ_TARGETS})
  topk_test(fuzz.corpus.${target} IN release sanitize
    COMMAND fuzz_${target} ${PROJECT_SOURCE_DIR}/corpus/fuzz/${target}.tar)
endforeach()

# ---- scripts -------------------------------------------------------------------------------------

# the argument that a script gets instead of a missing component; the script then reports that it is missing
set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(windows_bin ${PROJECT_BINARY_DIR}/windows/bin)
set(drivers ${PROJECT_SOURCE_DIR}/build/third_party/vulkan)
set(lavapipe ${drivers}/lavapipe-25/icd.json)
set(lavapipe_old ${drivers}/lavapipe-22/icd.json)
set(swiftshader ${drivers}/swiftshader/icd.json)
set(onnxruntime $<IF:$<BOOL:${TOPK_ONNXRUNTIME_FOUND}>,onnxruntime,none>)

topk_script(conformance.cost COST 10 COMMAND conformance/cli/test/cost_test.sh ${bin})
topk_script(conformance.core IN release clang LABEL quick COST 10
  COMMAND conformance/cli/test/core_test.sh ${bin} cpu)
topk_script(conformance.core.onnxruntime IN release clang COST 10
  COMMAND conformance/cli/test/core_test.sh ${bin} ${onnxruntime})
topk_script(conformance.core.slice IN sanitize COST 20
  COMMAND conformance/cli/test/core_test.sh ${bin} cpu 1/8)
topk_script(conformance.core.slice.onnxruntime IN sanitize COST 20
  COMMAND conformance/cli/test/core_test.sh ${bin} ${onnxruntime} 1/8)

# Tests that run the programs from outside also exercise the memory use of the command line.
topk_script(backends.worker IN release sanitize COMMAND backends/worker/test/worker_test.sh ${bin})
topk_script(backends.programs IN release sanitize COMMAND backends/process/test/programs_test.sh ${bin})
topk_script(backends.probe IN release sanitize COMMAND backends/worker/test/probe_test.sh ${bin})
topk_script(backends.check IN release NIGHT sanitize COST 40 COMMAND backends/check/test/check_test.sh ${bin} ${PROJECT_SOURCE_DIR})
topk_script(backends.contain IN release sanitize COST 10 COMMAND backends/process/test/contain_test.sh ${bin})
topk_script(backends.hostile IN release NIGHT sanitize COST 90 COMMAND backends/process/test/hostile_test.sh ${bin})
topk_script(backends.crash IN release clang COST 20 COMMAND backends/process/test/crash_test.sh ${bin})
topk_script(backends.guard_pages IN release clang COST 20 COMMAND backends/process/test/guard_pages_test.sh ${bin})
topk_script(conformance.golden IN release NIGHT sanitize COST 50 COMMAND conformance/cli/test/golden_test.sh ${bin})
topk_script(conformance.cli IN release NIGHT sanitize COST 120 COMMAND conformance/cli/test/cli_test.sh ${bin})
topk_script(conformance.ends IN release NIGHT sanitize COST 40 COMMAND conformance/cli/test/ends_test.sh ${bin})
topk_script(conformance.identity COST 40 COMMAND conformance/cli/test/identity_test.sh ${bin})
topk_script(conformance.chaos IN release NIGHT sanitize COMMAND conformance/cli/test/chaos_test.sh ${bin})
topk_script(conformance.alone IN release NIGHT sanitize COMMAND conformance/cli/test/alone_test.sh ${bin})
topk_script(conformance.flaky IN release sanitize COMMAND conformance/cli/test/flaky_test.sh ${bin})
topk_script(conformance.bugs IN release sanitize COMMAND conformance/cli/test/bugs_test.sh ${bin})
topk_script(conformance.files IN release sanitize COST 20 COMMAND conformance/cli/test/files_test.sh ${bin})
topk_script(conformance.hidden IN release sanitize COST 20 COMMAND conformance/cli/test/hidden_test.sh ${bin})
topk_script(conformance.gate IN release sanitize COMMAND conformance/cli/test/gate_test.sh ${bin})
topk_script(conformance.bench COST 10 COMMAND conformance/cli/test/bench_test.sh ${bin})
topk_script(conformance.kept COMMAND conformance/cli/test/kept_test.sh ${bin})
topk_script(conformance.endurance IN release NIGHT sanitize LABEL all COST 15 COMMAND conformance/cli/test/endurance_test.sh
  ${bin} ${PROJECT_SOURCE_DIR} $<BOOL:${TOPK_SANITIZE}>)
topk_script(conformance.engine IN release sanitize COST 10 COMMAND conformance/cli/test/engine_test.sh ${bin})
topk_script(conformance.machines IN release NIGHT sanitize COST 45 COMMAND conformance/cli/test/machines_test.sh ${bin})
topk_script(conformance.shards IN release sanitize COST 10 COMMAND conformance/cli/test/shards_test.sh ${bin})
topk_script(conformance.explore IN release NIGHT sanitize COST 10 COMMAND conformance/cli/test/explore_test.sh ${bin})
topk_script(conformance.feedback COST 60 COMMAND conformance/cli/test/feedback_test.sh ${bin})
topk_script(conformance.explore_against IN release NIGHT sanitize COST 10
  COMMAND conformance/cli/test/explore_against_test.sh ${bin})
topk_script(conformance.shrink IN release NIGHT sanitize COST 60 COMMAND conformance/cli/test/shrink_test.sh ${bin}
  ${CMAKE_C_COMPILER} gcc clang clang-14)
# opens the page in a browser once; needs scripts/get-chromium
topk_script(conformance.report IN release NIGHT sanitize COST 35 COMMAND conformance/cli/test/report_test.sh ${bin}
  ${PROJECT_SOURCE_DIR} $<IF:$<BOOL:${TOPK_SANITIZE}>,none,${PROJECT_SOURCE_DIR}/build/third_party/chromium>)
# fetches and runs the small implementations of scripts/field
topk_script(backends.field COST 120 COMMAND backends/field/test/field_test.sh ${bin})
topk_script(backends.field.whole NIGHT release WHOLE COST 250 COMMAND backends/field/test/field_test.sh ${bin} whole)
# not in parallel, because two of them may fetch the same package
file(STRINGS backends/field/implementations.txt implementations REGEX "^[a-z]")
foreach(line IN LISTS implementations)
  string(REGEX REPLACE " .*" "" implementation "${line}")
  topk_script(backends.field.${implementation} NIGHT release WHOLE COST 100
    COMMAND backends/field/test/field_one_test.sh ${bin} ${implementation})
endforeach()
topk_script(conformance.exchange IN release NIGHT sanitize COST 10
  COMMAND conformance/cli/test/exchange_test.sh ${bin}
  $<IF:$<BOOL:${TOPK_ONNXRUNTIME_FOUND}>,${TOPK_ONNXRUNTIME_DIR}/lib/libonnxruntime.so.1,none>)
if(TOPK_SANITIZE)
  set_property(TEST conformance.shrink conformance.cli conformance.ends APPEND PROPERTY ENVIRONMENT SANITIZED=1)
endif()
topk_script(conformance.package COST 250 COMMAND conformance/cli/test/package_test.sh ${bin})
topk_script(conformance.formats IN release sanitize COST 10 COMMAND conformance/cli/test/formats_test.sh ${bin})
topk_script(conformance.releases COST 10 COMMAND conformance/cli/test/releases_test.sh ${bin})
# its memory limits are too small for sanitizers
topk_script(conformance.zstd COST 120 COMMAND conformance/cli/test/zstd_test.sh ${bin})
topk_script(reports.schema COST 140 COMMAND reports/schema/test/schema_test.sh ${bin}
  ${PROJECT_SOURCE_DIR}/build/third_party/ajv)
topk_script(reports.ci_formats COST 10 COMMAND reports/formats/test/ci_formats_test.sh ${bin} ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/build/third_party/ajv ${PROJECT_SOURCE_DIR}/build/third_party/sarif)
topk_script(docs.example COST 10 COMMAND docs/example-plugin/test.sh ${bin})
topk_script(conformance.completion COST 10 COMMAND conformance/cli/test/completion_test.sh ${bin})
topk_script(docs.plugin_package COST 60 COMMAND docs/example-plugin/package_test.sh ${PROJECT_BINARY_DIR})
topk_script(docs.plugin_package.whole NIGHT release COST 200
  COMMAND docs/example-plugin/package_test.sh ${PROJECT_BINARY_DIR} whole)
topk_script(docs.example_backends COST 30 COMMAND docs/example-backends/test.sh ${bin} 1/16)
topk_script(docs.example_backends.whole NIGHT release COST 200 COMMAND docs/example-backends/test.sh ${bin} 1/1)
topk_script(docs.pages COMMAND conformance/cli/test/pages_test.sh ${bin})
topk_script(docs.names COMMAND scripts/check-pages ${bin})
topk_script(docs.man COMMAND scripts/check man ${PROJECT_BINARY_DIR}/docs/topk-cts.1)
foreach(program backend worker)
  topk_script(docs.man.${program} COMMAND scripts/check man ${PROJECT_SOURCE_DIR}/docs/topk-${program}.1)
endforeach()
topk_script(docs.ci COMMAND docs/ci/test.sh ${bin})
topk_script(docs.cluster.files COST 10 COMMAND docs/cluster/test/files_test.sh ${bin})
topk_script(docs.cluster.slurm COST 40 COMMAND docs/cluster/test/slurm_test.sh ${bin})
topk_script(docs.cluster.machines COST 30 COMMAND docs/cluster/test/machines_test.sh ${bin})
topk_script(docs.cluster.parallel COST 30 COMMAND docs/cluster/test/parallel_test.sh ${bin})
topk_script(docs.ci_steps NIGHT release COST 200 COMMAND docs/ci/steps_test.sh ${bin} ${PROJECT_SOURCE_DIR})
topk_script(fuzz.scripts NIGHT release COST 60 COMMAND fuzz/test/fuzz_test.sh ${PROJECT_SOURCE_DIR} ${bin})

# ---- releases ------------------------------------------------------------------------------------

topk_script(release.files COST 10 COMMAND release/test/release_test.sh ${bin})
# builds a complete release twice; needs root, and Debian packages from the network
topk_script(release.clean_roots NIGHT release WHOLE COST 600 COMMAND release/test/clean_root_test.sh ${bin})
if(TEST release.clean_roots)
  set_tests_properties(release.clean_roots PROPERTIES TIMEOUT 3600)
endif()

# ---- tests of the tests --------------------------------------------------------------------------

topk_script(conformance.trust LABEL all COST 200 WHOLE COMMAND conformance/cli/test/trust_test.sh ${bin}
  ${PROJECT_SOURCE_DIR}/backends/faulty/ledger.txt)
# cases that need more memory than those of other profiles: one fault, and at night all faults and cpu
topk_script(conformance.giant LABEL all COST 20 COMMAND conformance/cli/test/giant_test.sh ${bin} blocks-22)
topk_script(conformance.giant.all NIGHT release COST 600 WHOLE COMMAND conformance/cli/test/giant_test.sh ${bin})
if(TEST conformance.giant.all)
  set_tests_properties(conformance.giant.all PROPERTIES TIMEOUT 3600)
endif()
topk_script(conformance.verdicts LABEL all COST 60 COMMAND conformance/cli/test/verdicts_test.sh some ${bin}
  ${PROJECT_SOURCE_DIR}/backends/faulty/ledger.txt)
topk_script(conformance.verdicts.all NIGHT release COST 400 WHOLE COMMAND conformance/cli/test/verdicts_test.sh all ${bin}
  ${PROJECT_SOURCE_DIR}/backends/faulty/ledger.txt)
topk_script(reference.mutants LABEL all COST 30 WHOLE COMMAND scripts/mutants --build ${PROJECT_BINARY_DIR} --every 12)
topk_script(reference.mutants.all NIGHT release COST 200 WHOLE COMMAND scripts/mutants --build ${PROJECT_BINARY_DIR})
# which branches the tests take, measured in a separate build; conditions with gcc 14, in a Debian 13 root
topk_script(reference.coverage.all NIGHT release WHOLE COST 120 COMMAND scripts/coverage)
topk_script(reference.coverage.conditions NIGHT release WHOLE COST 900
  COMMAND scripts/systems debian13 -- scripts/coverage --conditions)
# bounded model checking; fetches CBMC
topk_script(reference.proof NIGHT release WHOLE COST 1000 COMMAND scripts/prove)
topk_script(reference.proof.mutants NIGHT release WHOLE COST 600 COMMAND scripts/prove --mutants)
if(topk_configuration STREQUAL "release")
  set_tests_properties(reference.proof reference.proof.mutants reference.coverage.conditions PROPERTIES TIMEOUT 7200)
endif()
if(topk_configuration STREQUAL "release")
  add_executable(explore_faults backends/faulty/test/explore_faults.c)
  target_link_libraries(explore_faults PRIVATE topk_worker topk_suite PkgConfig::CMOCKA)
  target_include_directories(explore_faults PRIVATE ${topk_inside})
  target_compile_definitions(explore_faults PRIVATE TOPK_BINARY_DIR="${bin}"
    TOPK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  topk_test(backends.explore_faults LABEL all COST 30 COMMAND explore_faults)
endif()

# correct kernels and mutants of them: each row of the table is a plugin, and a target so that scripts/check tidy checks it
if(topk_configuration STREQUAL "release")
  add_executable(control_mutants fuzz/controls/mutate.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS fuzz/controls/subjects.txt)
  file(STRINGS fuzz/controls/subjects.txt rows REGEX "^[a-z]")
  foreach(row IN LISTS rows)
    string(REGEX MATCHALL "[a-z]+\\.c" sources "${row}")
    list(GET sources 0 name)
    get_filename_component(name ${name} NAME_WE)
    list(TRANSFORM sources PREPEND fuzz/controls/)
    topk_plugin(control_${name} fuzz/controls/control.c ${sources})
  endforeach()
  topk_script(fuzz.controls LABEL all COST 40 COMMAND scripts/controls --build ${PROJECT_BINARY_DIR} --core --every 512
    checks.c dispatcher.c)
  topk_script(fuzz.controls.more NIGHT release COST 100 COMMAND scripts/controls --build ${PROJECT_BINARY_DIR} --core
    --every 64 checks.c dispatcher.c)
endif()

# failing calls must not cause wrong results: a part of scripts/torture
if(topk_configuration STREQUAL "release" AND CMAKE_SYSTEM_NAME STREQUAL "Linux"
   AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_library(torture_calls MODULE fuzz/torture/interpose.c)
  set_target_properties(torture_calls PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${bin})
  target_link_libraries(torture_calls PRIVATE ${CMAKE_DL_LIBS})
  add_executable(torture fuzz/torture/judge.c fuzz/torture/outcome.c fuzz/torture/point.c fuzz/torture/subjects.c
    fuzz/torture/text.c fuzz/torture/torture.c)
  target_include_directories(torture PRIVATE ${topk_inside})
  add_dependencies(torture torture_calls topk-cts topk-worker topk-backend hostile chaos_worker)
  topk_script(fuzz.torture LABEL all COST 80 WHOLE COMMAND scripts/torture --build ${PROJECT_BINARY_DIR}
    --most 10 --seconds 30)
endif()

# implementations with their own contracts
set(contract_faults backends/faulty/test/contract_faults_test.sh ${bin})
topk_script(conformance.contracts.right COST 30 COMMAND ${contract_faults} right/16)
topk_script(conformance.contracts.whole NIGHT release COST 200 COMMAND ${contract_faults} right)
topk_script(conformance.contracts.faults COST 40 COMMAND ${contract_faults} faults)
topk_script(conformance.contracts.input IN release sanitize COST 10 COMMAND ${contract_faults} input)

# ---- profiles full and stress --------------------------------------------------------------------

set(full_cpu_whole_when NIGHT release)
foreach(part profiles cpu cpu_whole onnxruntime)
  topk_script(conformance.full.${part} ${full_${part}_when} LABEL all COST 40
    COMMAND conformance/cli/test/full_test.sh ${bin} ${part} ${onnxruntime})
endforeach()

# ---- GPU backends on software drivers ------------------------------------------------------------

if(TOPK_VULKAN_FOUND AND topk_configuration STREQUAL "release")
  include(cmake/wrong_vulkan.cmake)
endif()
# This driver of 2022 takes three minutes here, so it runs at night only; parts core and input always run on it.
set(lavapipe_old_when NIGHT release)
foreach(driver lavapipe lavapipe_old swiftshader)
  topk_script(backends.vulkan.${driver} ${${driver}_when} COST 60 COMMAND backends/vulkan/test/vulkan_test.sh ${bin} driver
    $<IF:$<BOOL:${TOPK_VULKAN_FOUND}>,${${driver}},none>)
  topk_script(backends.wrong_shaders.${driver} NIGHT release COST 60
    COMMAND backends/vulkan/test/wrong_shaders_test.sh ${bin} $<IF:$<TARGET_EXISTS:wrong_vulkan>,${${driver}},none>)
endforeach()
foreach(part core input)
  topk_script(backends.vulkan.${part} COST 60 COMMAND backends/vulkan/test/vulkan_test.sh ${bin} ${part}
    $<IF:$<BOOL:${TOPK_VULKAN_FOUND}>,${lavapipe},none> ${lavapipe_old} ${swiftshader})
endforeach()
topk_script(backends.vulkan_probe COST 10 COMMAND backends/vulkan/test/vulkan_probe_test.sh ${bin}
  ${PROJECT_SOURCE_DIR}/backends/vulkan/test/vulkan_probes.txt
  $<IF:$<BOOL:${TOPK_VULKAN_FOUND}>,${lavapipe},none> ${lavapipe_old} ${swiftshader})
set(wrong_vulkan_when NIGHT release)
foreach(name wrong_probes wrong_vulkan)
  topk_script(backends.${name} ${${name}_when} LABEL all COST 20 COMMAND backends/vulkan/test/${name}_test.sh ${bin}
    $<IF:$<TARGET_EXISTS:wrong_vulkan>,${lavapipe},none>)
endforeach()
set(d3d12_core_when NIGHT release)
set(d3d12_variants_whole_when NIGHT release)
foreach(part variants variants_whole core slice wine)
  topk_script(backends.d3d12.${part} ${d3d12_${part}_when} COST 60
    COMMAND backends/d3d12/test/d3d12_test.sh ${bin} ${PROJECT_SOURCE_DIR} ${part}
    $<IF:$<BOOL:${TOPK_D3D12_FOUND}>,${lavapipe},none> ${lavapipe_old})
endforeach()

# ---- the programs for Windows, for which the build has to have found mingw-w64 -------------------

topk_script(conformance.portable COMMAND conformance/cli/test/portable_test.sh ${bin} ${windows_bin})
topk_script(backends.windows_worker NIGHT release COST 60 COMMAND backends/worker/test/windows_worker_test.sh ${bin} ${windows_bin})
topk_script(conformance.windows_zip NIGHT release WHOLE COST 200 COMMAND conformance/windows/test/zip_test.sh ${bin} ${PROJECT_SOURCE_DIR})
# topk-cts.exe takes libraries whose building takes as long as that of all programs here
topk_script(conformance.windows NIGHT release COST 120 COMMAND conformance/windows/test/windows_test.sh ${bin} ${windows_bin})
topk_script(backends.wine_backend COST 60 COMMAND backends/process/test/wine_backend_test.sh ${bin} ${PROJECT_SOURCE_DIR})
topk_script(backends.directml_open COMMAND backends/directml/test/directml_open_test.sh ${bin} ${PROJECT_SOURCE_DIR})
topk_script(backends.directml COST 90 COMMAND backends/directml/test/directml_test.sh ${bin} ${PROJECT_SOURCE_DIR} 1/8)
topk_script(backends.directml.whole NIGHT release COST 250 WHOLE COMMAND backends/directml/test/directml_test.sh ${bin}
  ${PROJECT_SOURCE_DIR} 1/1)

# ---- other systems and processors -----------------------------------------------------------------

topk_script(systems.packages COMMAND scripts/packages_test.sh ${bin})
topk_script(systems.roots NIGHT release WHOLE COST 2000 COMMAND scripts/systems all)
topk_script(systems.user NIGHT release WHOLE COST 500 COMMAND scripts/systems --user debian12 -- scripts/quickstart)
foreach(processor aarch64 s390x)
  topk_script(systems.${processor} NIGHT release WHOLE COST 400
    COMMAND scripts/emulated --native ${bin} ${processor})
endforeach()
if(topk_configuration STREQUAL "release")
  set_tests_properties(systems.roots systems.user systems.aarch64 systems.s390x PROPERTIES TIMEOUT 7200)
endif()

# ---- style ---------------------------------------------------------------------------------------

foreach(what format shell tree subjects)
  topk_script(style.${what} LABEL quick COMMAND scripts/check ${what})
endforeach()
topk_script(style.tidy LABEL quick COST 300 WHOLE COMMAND scripts/check tidy ${PROJECT_BINARY_DIR})
# the analyzer follows the tests, too
topk_test(style.tidy.tests NIGHT release COST 300 WHOLE
  COMMAND env TOPK_LINT=tests ${PROJECT_SOURCE_DIR}/scripts/check tidy ${PROJECT_BINARY_DIR})
topk_script(style.circles LABEL quick COMMAND scripts/check circles ${PROJECT_BINARY_DIR})
if(topk_configuration STREQUAL "release")
  set_tests_properties(style.format style.tidy style.tidy.tests PROPERTIES SKIP_RETURN_CODE 77)
endif()
topk_script(style.architecture LABEL quick COMMAND scripts/check-architecture ${PROJECT_BINARY_DIR})

# benchmarks are only built here, so that they keep compiling; they are run by hand: docs/benchmarks.md
set(benches reference/test/judge_bench backends/worker/test/hosting_bench conformance/generate/test/generate_bench)
if(TOPK_VULKAN_FOUND)
  list(APPEND benches backends/vulkan/test/vulkan_bench)
endif()
foreach(bench IN LISTS benches)
  get_filename_component(name ${bench} NAME)
  add_executable(${name} ${bench}.c)
  target_link_libraries(${name} PRIVATE topk_worker topk_suite)
  target_include_directories(${name} PRIVATE ${topk_inside} backends/worker/test)
  set_source_files_properties(${bench}.c PROPERTIES COMPILE_OPTIONS -O3)
  if(name MATCHES "hosting|vulkan")
    target_sources(${name} PRIVATE backends/worker/test/bench.c)
  endif()
endforeach()
