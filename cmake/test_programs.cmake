# Programs that the tests run and that depend on no external library; they are built for Windows too.

# tests and their programs may include every folder's internals
set(topk_inside . conformance backends reports)

# prints a digest of the cases, which must be the same on every system
add_executable(cases_digest conformance/suite/test/cases_digest.c)
target_link_libraries(cases_digest PRIVATE topk_suite)
target_include_directories(cases_digest PRIVATE ${topk_inside})

# tests process creation by starting itself
add_executable(children backends/platform/test/children.c)
target_link_libraries(children PRIVATE topk_platform)
target_include_directories(children PRIVATE ${topk_inside})

# topk_plugin(NAME SOURCE... [USES FOLDER...]): a plugin next to the programs, NAME.so or NAME.dll
function(topk_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "" "USES")
  list(TRANSFORM row_USES PREPEND topk_)
  add_library(${name} MODULE ${row_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${row_USES})
  set_target_properties(${name} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  target_include_directories(${name} PRIVATE backends/include ${topk_inside})
endfunction()

# plugins with deliberate errors
topk_plugin(broken backends/worker/test/broken.c USES faulty)
topk_plugin(broken_abi backends/worker/test/broken_abi.c)
topk_plugin(broken_empty backends/worker/test/broken_empty.c)
topk_plugin(broken_level backends/worker/test/broken_level.c USES cpu)
topk_plugin(broken_older backends/worker/test/broken_older.c USES cpu)
topk_plugin(broken_probes backends/worker/test/broken_probes.c USES cpu)
topk_plugin(broken_table backends/process/test/broken_table.c)

if(WIN32)
  # the outer build compiles it directly; it is also a target so that scripts/check tidy checks it
  add_library(compile_hlsl OBJECT backends/d3d12/compile_hlsl.c)
  topk_plugin(broken_windows backends/worker/test/broken_windows.c USES cpu)
  topk_plugin(example docs/example-plugin/example.c)
  add_executable(directml_probe backends/directml/test/directml_probe.c backends/directml/test/directml_use.c)
  target_include_directories(directml_probe PRIVATE ${topk_inside})
  target_link_libraries(directml_probe PRIVATE topk_directml topk_worker)
endif()
