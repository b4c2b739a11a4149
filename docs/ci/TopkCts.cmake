# For projects that are tested by CTest: makes tests of a backend.
#
#   find_program(TOPK_CTS topk-cts REQUIRED)
#   include(TopkCts.cmake)
#   topk_cts_add_tests(mine BACKEND $<TARGET_FILE:mine> PROFILE core)
#
# topk_cts_add_tests(NAME BACKEND what --backend takes, BACKEND_COMMAND what --backend-command takes,
#                    or WORKER what --worker takes [TRUST_WORKER]
#                    [PROFILE core] [SHARDS N] [SPLIT] [MAX_FAILURES N] [REQUIRE f16,top_k1] [MIN_SUPPORTED PERCENT]
#                    [LABELS ...] [OPTIONS ...])
#
# A WORKER judges by itself: its tests fail even if nothing failed, unless there is TRUST_WORKER.
#
# There is one test, topk-cts.NAME.PROFILE, which runs the whole profile: only that shows conformance.
# With SHARDS N the cases are run by N tests, topk-cts.NAME.PROFILE.I-of-N, which `ctest -j` spreads,
# and topk-cts.NAME.PROFILE merges their runs and has the verdict of the whole. With SPLIT there is one
# more test for each group of cases, topk-cts.NAME.PROFILE.GROUP, to see where failures are. Labels are
# topk-cts-whole, topk-cts-shard and topk-cts-split, so that -L takes either; all tests carry topk-cts,
# NAME and PROFILE.
#
# Each keeps its log and JUnit file in CMAKE_CURRENT_BINARY_DIR/topk-cts/TEST. A test that the backend
# supports nothing of is skipped (77). MAX_FAILURES makes a test pass with that many failures: a gate
# for a backend that is not there yet; shards then pass if they come to their end.
# REQUIRE and MIN_SUPPORTED are what --require and --min-supported take; they are held against the whole profile.

# topk_cts_test(TEST LABEL COMMAND...): one of the tests below; it reads what is set there, such as out
function(topk_cts_test test label)
  set(command ${ARGN})
  if(DEFINED arg_MAX_FAILURES)
    set(gate "exec '${TOPK_CTS}' report '${out}' --format markdown --max-failures ${arg_MAX_FAILURES} ${trust}")
    if(label STREQUAL topk-cts-shard)
      set(gate "")
    endif()
    # whatever the command says of the verdict, the report decides; it refuses a run that has no end
    set(command sh -c "\"$@\"
      code=$?
      [ $code -le 1 ] || exit $code
      ${gate}"
      sh ${command})
  endif()
  add_test(NAME ${test} COMMAND ${command})
  set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77
    LABELS "topk-cts;${label};${name};${arg_PROFILE};${arg_LABELS}")
endfunction()

function(topk_cts_add_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SPLIT;TRUST_WORKER" "BACKEND;BACKEND_COMMAND;WORKER;PROFILE;SHARDS;MAX_FAILURES;REQUIRE;MIN_SUPPORTED" "LABELS;OPTIONS")
  if(DEFINED arg_BACKEND)
    set(who --backend "${arg_BACKEND}")
  elseif(DEFINED arg_BACKEND_COMMAND)
    set(who --backend-command "${arg_BACKEND_COMMAND}")
  elseif(DEFINED arg_WORKER)
    set(who --worker "${arg_WORKER}")
  else()
    message(FATAL_ERROR "topk_cts_add_tests: give BACKEND, BACKEND_COMMAND or WORKER")
  endif()
  set(trust "")
  if(arg_TRUST_WORKER)
    set(trust --trust-worker)
  endif()
  set(gates "")
  if(DEFINED arg_REQUIRE)
    list(APPEND gates --require "${arg_REQUIRE}")
  endif()
  if(DEFINED arg_MIN_SUPPORTED)
    list(APPEND gates --min-supported ${arg_MIN_SUPPORTED})
  endif()
  if(NOT DEFINED arg_PROFILE)
    set(arg_PROFILE core)
  endif()
  set(groups "")
  if(arg_SPLIT)
    execute_process(COMMAND ${TOPK_CTS} list --profile ${arg_PROFILE}
      OUTPUT_VARIABLE ids RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "topk_cts_add_tests: ${TOPK_CTS} list --profile ${arg_PROFILE} failed")
    endif()
    string(REGEX MATCHALL "(^|\n)[a-z0-9_-]+[.]" groups "${ids}")
    list(TRANSFORM groups STRIP)
    list(REMOVE_DUPLICATES groups)
    list(TRANSFORM groups REPLACE "[.]$" "")
  endif()
  set(whole topk-cts.${name}.${arg_PROFILE})
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/topk-cts)
  set(run ${TOPK_CTS} run ${who} ${trust} --profile ${arg_PROFILE} --overwrite ${arg_OPTIONS})
  if(arg_SHARDS GREATER 1)
    set(shards "")
    set(outs "")
    foreach(i RANGE 1 ${arg_SHARDS})
      set(test ${whole}.${i}-of-${arg_SHARDS})
      set(out ${dir}/${test})
      topk_cts_test(${test} topk-cts-shard ${run} ${gates} --out ${out} --shard ${i}/${arg_SHARDS})
      list(APPEND shards ${test})
      list(APPEND outs ${out})
    endforeach()
    set(out ${dir}/${whole})
    # a merge does not replace what is there
    topk_cts_test(${whole} topk-cts-whole
      sh -c "rm -rf '${out}' && exec \"$@\"" sh ${TOPK_CTS} merge ${outs} ${trust} --out ${out})
    set_tests_properties(${whole} PROPERTIES DEPENDS "${shards}")
  else()
    set(out ${dir}/${whole})
    topk_cts_test(${whole} topk-cts-whole ${run} ${gates} --out ${out})
  endif()
  foreach(group ${groups})
    set(out ${dir}/${whole}.${group})
    topk_cts_test(${whole}.${group} topk-cts-split ${run} --out ${out} "${group}.*")
  endforeach()
endfunction()
