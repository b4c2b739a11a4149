# For projects that are tested by CTest: makes tests of a backend.
#
#   find_program(TOPK_CTS topk-cts REQUIRED)
#   include(TopkCts.cmake)
#   topk_cts_add_tests(mine BACKEND $<TARGET_FILE:mine> PROFILE core)
#
# topk_cts_add_tests(NAME BACKEND what --backend takes, or WORKER what --worker takes
#                    [PROFILE core] [SPLIT] [MAX_FAILURES N] [LABELS ...] [OPTIONS ...])
#
# Without SPLIT there is one test, topk-cts.NAME.PROFILE, which runs the whole profile: only that
# shows conformance. With SPLIT there is one more for each group of cases, topk-cts.NAME.PROFILE.GROUP,
# so that `ctest -j` spreads them; they carry the label topk-cts-split and the whole one
# topk-cts-whole, so that -L takes either. All carry topk-cts, NAME and PROFILE.
#
# Each keeps its log and JUnit file in CMAKE_CURRENT_BINARY_DIR/topk-cts/TEST. A test that the backend
# supports nothing of is skipped (77). MAX_FAILURES makes a test pass with that many failures: a gate
# for a backend that is not there yet.

function(topk_cts_add_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg SPLIT "BACKEND;WORKER;PROFILE;MAX_FAILURES" "LABELS;OPTIONS")
  if(DEFINED arg_BACKEND)
    set(who --backend "${arg_BACKEND}")
  elseif(DEFINED arg_WORKER)
    set(who --worker "${arg_WORKER}")
  else()
    message(FATAL_ERROR "topk_cts_add_tests: give BACKEND or WORKER")
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
  foreach(group "" ${groups})
    set(test topk-cts.${name}.${arg_PROFILE})
    set(selection "")
    set(label topk-cts-whole)
    if(NOT group STREQUAL "")
      string(APPEND test .${group})
      set(selection "${group}.*")
      set(label topk-cts-split)
    endif()
    set(out ${CMAKE_CURRENT_BINARY_DIR}/topk-cts/${test})
    set(command ${TOPK_CTS} run ${who} --profile ${arg_PROFILE} --out ${out} --overwrite
      ${arg_OPTIONS} ${selection})
    if(DEFINED arg_MAX_FAILURES)
      # whatever `run` says of the verdict, the report decides; it refuses a run that has no end
      set(command sh -c "\"$@\"
        code=$?
        [ $code -le 1 ] || exit $code
        exec '${TOPK_CTS}' report '${out}' --format markdown --max-failures ${arg_MAX_FAILURES}"
        sh ${command})
    endif()
    add_test(NAME ${test} COMMAND ${command})
    set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77
      LABELS "topk-cts;${label};${name};${arg_PROFILE};${arg_LABELS}")
  endforeach()
endfunction()
