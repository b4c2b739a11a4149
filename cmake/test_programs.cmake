# What the tests run and what depends on no other library: built for Windows too.

# prints what cases are: the same on every system
add_executable(cases_digest conformance/test/cases_digest.c)
target_link_libraries(cases_digest PRIVATE topk_cases)

# topk_plugin(NAME SOURCE...): a plugin beside the programs, NAME.so or NAME.dll
function(topk_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  target_include_directories(${name} PRIVATE backends)
endfunction()

# plugins that are wrong on purpose
topk_plugin(broken backends/test/broken.c ${FAULTY_SOURCES})
topk_plugin(broken_abi backends/test/broken_abi.c)
topk_plugin(broken_empty backends/test/broken_empty.c)
topk_plugin(broken_level backends/test/broken_level.c backends/cpu.c backends/cpu_validate.c)
topk_plugin(broken_older backends/test/broken_older.c backends/cpu.c backends/cpu_validate.c)
topk_plugin(broken_probes backends/test/broken_probes.c backends/cpu.c backends/cpu_validate.c)

if(WIN32)
  # the build around this one compiles it by hand; here it is where scripts/check tidy looks
  add_library(compile_hlsl OBJECT backends/d3d12/compile_hlsl.c)
  topk_plugin(broken_windows backends/test/broken_windows.c backends/cpu.c backends/cpu_validate.c)
  topk_plugin(example docs/example-plugin/example.c)
  add_executable(directml_probe backends/test/directml_probe.c backends/test/directml_use.c)
  target_include_directories(directml_probe PRIVATE backends/d3d12 backends/directml)
  target_link_libraries(directml_probe PRIVATE topk_host)
endif()
