# CMake functions of the package topk-cts for the CMakeLists.txt of a backend.

# topk_cts_add_tests(PLUGIN [NAME NAME] [PROFILE PROFILE] [SHARDS N] [OPTIONS OPTION...])
#   Adds a test that runs a plugin (a shared library or module target) against a profile of topk-cts. The test passes
#   if the plugin conforms.
#   NAME      name of the test; default PLUGIN.PROFILE
#   PROFILE   default core
#   SHARDS    splits the test into N tests, NAME.1 to NAME.N, which `ctest -j' can run in parallel; default 1
#   OPTIONS   more options of `topk-cts run', such as --timeout 60 or --expectations FILE
#   Results are written to topk-results/NAME in the binary folder. The program that runs is the one of the installed
#   package, the one of this build if it is built (option TOPK_PROGRAMS), or the one that TOPK_CTS_PROGRAM names.
function(topk_cts_add_tests plugin)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "NAME;PROFILE;SHARDS" "OPTIONS")
  if(row_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "topk_cts_add_tests: unknown argument '${row_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET ${plugin})
    message(FATAL_ERROR "topk_cts_add_tests: there is no target '${plugin}'")
  endif()
  if(NOT row_PROFILE)
    set(row_PROFILE core)
  endif()
  if(NOT row_NAME)
    set(row_NAME ${plugin}.${row_PROFILE})
  endif()
  if(NOT row_SHARDS)
    set(row_SHARDS 1)
  elseif(NOT row_SHARDS MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "topk_cts_add_tests: SHARDS takes a number from 1 on, not '${row_SHARDS}'")
  endif()
  if(TARGET topk-cts)
    set(program $<TARGET_FILE:topk-cts>)
  elseif(TOPK_CTS_PROGRAM)
    set(program ${TOPK_CTS_PROGRAM})
  else()
    message(FATAL_ERROR "topk_cts_add_tests: topk-cts is not here: set TOPK_CTS_PROGRAM to its path, or, if the source "
      "tree is a part of this build, TOPK_PROGRAMS to ON")
  endif()
  foreach(shard RANGE 1 ${row_SHARDS})
    set(name ${row_NAME})
    set(part "")
    if(row_SHARDS GREATER 1)
      set(name ${row_NAME}.${shard})
      set(part --shard ${shard}/${row_SHARDS})
    endif()
    add_test(NAME ${name} COMMAND ${program} run --backend $<TARGET_FILE:${plugin}> --profile ${row_PROFILE}
      --out ${CMAKE_CURRENT_BINARY_DIR}/topk-results/${name} --overwrite ${part} ${row_OPTIONS})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endfunction()
