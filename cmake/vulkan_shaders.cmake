# The shaders of the backend vulkan: backends/vulkan/shaders.def and probes.def say which; each is compiled
# from GLSL to SPIR-V while this builds, and becomes an array in C. Sets, if they can be compiled,
#   TOPK_VULKAN_SHADER_SOURCES   C sources of the tables and the schedule
#   TOPK_VULKAN_SHADER_INCLUDE   the folder of what they include
find_program(TOPK_GLSLANG glslangValidator)
find_program(TOPK_SPIRV_VAL spirv-val)
mark_as_advanced(TOPK_GLSLANG TOPK_SPIRV_VAL)
set(TOPK_VULKAN_SHADER_SOURCES "")
if(NOT TOPK_GLSLANG)
  message(STATUS "No vulkan backend: its shaders are compiled by glslangValidator "
    "(the Debian package glslang-tools)")
  return()
endif()
if(NOT TOPK_SPIRV_VAL)
  message(STATUS "The compiled shaders of the vulkan backend are not validated: no spirv-val "
    "(the Debian package spirv-tools)")
  set(TOPK_SPIRV_VAL "")
endif()

# topk_compile_shader(NAME SOURCE WIDTH MACROS FOLDER): the array NAME in FOLDER/NAME.h; a macro without
# a value is 1
function(topk_compile_shader name source width macros folder)
  set(defined WIDTH=${width})
  string(REPLACE " " ";" more "${macros}")
  foreach(macro IN LISTS more)
    if(NOT macro MATCHES "=")
      string(APPEND macro "=1")
    endif()
    list(APPEND defined ${macro})
  endforeach()
  get_filename_component(sources ${source} DIRECTORY)
  file(GLOB shared CONFIGURE_DEPENDS ${sources}/*.glsl)
  add_custom_command(OUTPUT ${folder}/${name}.h
    COMMAND ${CMAKE_COMMAND} -D GLSLANG=${TOPK_GLSLANG} -D "SPIRV_VAL=${TOPK_SPIRV_VAL}"
      -D SOURCE=${source} -D "MACROS=${defined}" -D NAME=${name} -D OUTPUT=${folder}/${name}.h
      -P ${PROJECT_SOURCE_DIR}/cmake/compile_glsl.cmake
    DEPENDS ${source} ${shared} ${PROJECT_SOURCE_DIR}/cmake/compile_glsl.cmake
    COMMENT "Compiling ${name}" VERBATIM)
endfunction()

# topk_vulkan_shader(ROW SOURCES FOLDER PREFIX): compiles the shader of a row of shaders.def, whose file
# and what that includes lie in SOURCES, to FOLDER/PREFIX_VARIANT_WIDTH.h. Sets `shader` to that name.
function(topk_vulkan_shader row sources folder prefix)
  if(NOT row MATCHES
      "^TOPK_SHADER\\(([a-z0-9]+), *([1248]), *([a-z0-9_.]+), *[0-9]+, *([0-9]+), .*\"([A-Z0-9 ]*)\"\\)$")
    message(FATAL_ERROR "backends/vulkan/shaders.def: cannot read '${row}'")
  endif()
  set(name ${prefix}_${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
  string(STRIP "CHUNK=${CMAKE_MATCH_4}u ${CMAKE_MATCH_5}" macros)
  topk_compile_shader(${name} ${sources}/${CMAKE_MATCH_3} ${CMAKE_MATCH_2}
    "${macros}" ${folder})
  set(shader ${name} PARENT_SCOPE)
endfunction()

# topk_probe_shader(ROW SOURCES FOLDER PREFIX): the same of a row of TOPK_PROBE_SHADER in probes.def, to
# FOLDER/PREFIX_NAME.h
function(topk_probe_shader row sources folder prefix)
  if(NOT row MATCHES "^TOPK_PROBE_SHADER\\(([a-z0-9_]+), *([a-z0-9_.]+), *([0-9]+), *\"([A-Z0-9 ]*)\"\\)$")
    message(FATAL_ERROR "backends/vulkan/probes/probes.def: cannot read '${row}'")
  endif()
  set(name ${prefix}_${CMAKE_MATCH_1})
  topk_compile_shader(${name} ${sources}/${CMAKE_MATCH_2} ${CMAKE_MATCH_3} "${CMAKE_MATCH_4}" ${folder})
  set(shader ${name} PARENT_SCOPE)
endfunction()

set(vulkan ${PROJECT_SOURCE_DIR}/backends/vulkan)
set(folder ${PROJECT_BINARY_DIR}/vulkan)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${vulkan}/shaders.def
  ${vulkan}/probes/probes.def)
file(MAKE_DIRECTORY ${folder})
file(STRINGS ${vulkan}/shaders.def rows REGEX "^TOPK_SHADER\\(")
set(includes "/* made by cmake/vulkan_shaders.cmake */\n")
set(compiled "")
foreach(row IN LISTS rows)
  topk_vulkan_shader("${row}" ${vulkan}/shaders ${folder} topk_spirv)
  list(APPEND compiled ${folder}/${shader}.h)
  string(APPEND includes "#include \"${shader}.h\"\n")
endforeach()
file(CONFIGURE OUTPUT ${folder}/topk_spirv.h CONTENT "${includes}" @ONLY)
set_source_files_properties(${vulkan}/shaders.c PROPERTIES OBJECT_DEPENDS "${compiled}")

file(STRINGS ${vulkan}/probes/probes.def rows REGEX "^TOPK_PROBE_SHADER\\(")
set(includes "/* made by cmake/vulkan_shaders.cmake */\n")
set(compiled "")
foreach(row IN LISTS rows)
  topk_probe_shader("${row}" ${vulkan}/shaders ${folder} topk_probe_spirv)
  list(APPEND compiled ${folder}/${shader}.h)
  string(APPEND includes "#include \"${shader}.h\"\n")
endforeach()
file(CONFIGURE OUTPUT ${folder}/topk_probe_spirv.h CONTENT "${includes}" @ONLY)
set_source_files_properties(${vulkan}/probes/probe_run.c PROPERTIES OBJECT_DEPENDS "${compiled}")

set(TOPK_VULKAN_SHADER_SOURCES ${vulkan}/shaders.c ${vulkan}/schedule.c)
set(TOPK_VULKAN_SHADER_INCLUDE ${folder})
