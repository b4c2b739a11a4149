# A Vulkan loader that goes wrong on purpose, for the tests of the backend vulkan:
# backends/vulkan/test/wrong_vulkan.c, as bin/wrong_vulkan/libvulkan.so.1, which hands on to the real one. It
# puts wrong shaders in the place of the backend's; each is a row of backends/vulkan/test/wrong_shaders.cmake:
#
# topk_wrong_shader(ID VARIANT NAME WIDTHS WIDTH... FILE FILE FROM [[text]] TO [[text]]
#                   CASES SELECTION... CAUGHT CLAUSE CLAUSE)
#   ID       what it is called
#   VARIANT  of shaders.def, and WIDTHS of that whose shaders become wrong
#   FILE     of the sources of the shader, in which FROM, which must be there exactly once, becomes TO
#   CASES    of profile core that a run of the variant is given
#   CAUGHT   the clause that breaks, on lavapipe and on SwiftShader: "-" where nothing breaks, "." where
#            the variant is not run
# bin/wrong_vulkan/shaders.txt lists the rows for backends/vulkan/test/wrong_shaders_test.sh.
#
# topk_wrong_probe(ID SHADERS NAME... FILE FILE FROM [[text]] TO [[text]] PROBES NAME...)
#   SHADERS  of probes.def, which become wrong: what a driver would be seen to do that gets it wrong
#   PROBES   that then have a violation
# bin/wrong_vulkan/probes.txt lists the rows for backends/vulkan/test/wrong_probes_test.sh.
find_library(TOPK_VULKAN_LOADER libvulkan.so.1)
mark_as_advanced(TOPK_VULKAN_LOADER)
if(NOT TOPK_VULKAN_LOADER)
  message(STATUS "No tests with a wrong Vulkan loader: no libvulkan.so.1 (the Debian package libvulkan1)")
  return()
endif()

set(vulkan ${PROJECT_SOURCE_DIR}/backends/vulkan)
set(wrong ${PROJECT_BINARY_DIR}/vulkan/wrong)
file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${vulkan}/shaders ${vulkan}/shaders/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${vulkan}/shaders.def)
set(includes "")
set(rows "")
set(table "")
set(probes "")
set(compiled "")

# topk_wrong_sources(ID FILE FROM TO FOLDER): the sources of the shaders in FOLDER, with FROM as TO in FILE
function(topk_wrong_sources id row_FILE row_FROM row_TO folder)
  foreach(source IN LISTS sources)
    if(NOT source STREQUAL row_FILE)
      configure_file(${vulkan}/shaders/${source} ${folder}/${source} COPYONLY)
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${vulkan}/shaders/${row_FILE})
  file(READ ${vulkan}/shaders/${row_FILE} text)
  string(FIND "${text}" "${row_FROM}" first)
  string(FIND "${text}" "${row_FROM}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "wrong shader ${id}: its text is in ${row_FILE} not at all or more than once:\n"
      "${row_FROM}")
  endif()
  string(REPLACE "${row_FROM}" "${row_TO}" text "${text}")
  file(CONFIGURE OUTPUT ${folder}/${row_FILE} CONTENT "\${text}")
endfunction()

function(topk_wrong_shader id)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "VARIANT;FILE;FROM;TO" "WIDTHS;CASES;CAUGHT")
  set(folder ${wrong}/${id})
  topk_wrong_sources(${id} ${row_FILE} "${row_FROM}" "${row_TO}" ${folder})
  string(MAKE_C_IDENTIFIER "wrong_${id}" prefix)
  foreach(width IN LISTS row_WIDTHS)
    file(STRINGS ${vulkan}/shaders.def found REGEX "^TOPK_SHADER\\(${row_VARIANT}, *${width},")
    topk_vulkan_shader("${found}" ${folder} ${wrong} ${prefix})
    list(APPEND compiled ${wrong}/${shader}.h
      ${TOPK_VULKAN_SHADER_INCLUDE}/topk_spirv_${row_VARIANT}_${width}.h)
    string(APPEND includes "#include \"topk_spirv_${row_VARIANT}_${width}.h\"\n;#include \"${shader}.h\"\n;")
    string(APPEND rows "    WRONG_SHADER(\"${id}\", topk_spirv_${row_VARIANT}_${width}, ${shader}) \\\n")
  endforeach()
  list(JOIN row_CASES "|" cases)
  list(JOIN row_CAUGHT "|" caught)
  string(APPEND table "${id}|${row_VARIANT}|${caught}|${cases}\n")
  foreach(result includes rows table compiled)
    set(${result} "${${result}}" PARENT_SCOPE)
  endforeach()
endfunction()
include(backends/vulkan/test/wrong_shaders.cmake)

function(topk_wrong_probe id)
  cmake_parse_arguments(PARSE_ARGV 1 row "" "FILE;FROM;TO" "SHADERS;PROBES")
  set(folder ${wrong}/${id})
  topk_wrong_sources(${id} ${row_FILE} "${row_FROM}" "${row_TO}" ${folder})
  string(MAKE_C_IDENTIFIER "wrong_${id}" prefix)
  foreach(name IN LISTS row_SHADERS)
    file(STRINGS ${vulkan}/probes/probes.def found REGEX "^TOPK_PROBE_SHADER\\(${name},")
    topk_probe_shader("${found}" ${folder} ${wrong} ${prefix})
    list(APPEND compiled ${wrong}/${shader}.h ${TOPK_VULKAN_SHADER_INCLUDE}/topk_probe_spirv_${name}.h)
    string(APPEND includes "#include \"topk_probe_spirv_${name}.h\"\n;#include \"${shader}.h\"\n;")
    string(APPEND rows "    WRONG_SHADER(\"${id}\", topk_probe_spirv_${name}, ${shader}) \\\n")
  endforeach()
  list(JOIN row_PROBES " " caught)
  string(APPEND probes "${id} ${caught}\n")
  foreach(result includes rows probes compiled)
    set(${result} "${${result}}" PARENT_SCOPE)
  endforeach()
endfunction()
include(backends/vulkan/test/wrong_probes.cmake)

list(REMOVE_DUPLICATES includes)
string(REPLACE ";" "" includes "${includes}")
file(CONFIGURE OUTPUT ${wrong}/wrong_shaders.h
  CONTENT "/* made by cmake/wrong_vulkan.cmake */\n${includes}\n#define WRONG_SHADERS \\\n${rows}\n")
set(folder ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/wrong_vulkan)
file(CONFIGURE OUTPUT ${folder}/shaders.txt CONTENT "${table}")
file(CONFIGURE OUTPUT ${folder}/probes.txt CONTENT "${probes}")
add_library(wrong_vulkan SHARED backends/vulkan/test/wrong_vulkan.c)
set_target_properties(wrong_vulkan PROPERTIES OUTPUT_NAME vulkan SUFFIX .so.1 NO_SONAME ON
  C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${folder})
set_source_files_properties(backends/vulkan/test/wrong_vulkan.c PROPERTIES OBJECT_DEPENDS "${compiled}")
target_include_directories(wrong_vulkan PRIVATE backends/include backends backends/vulkan ${wrong} ${TOPK_VULKAN_SHADER_INCLUDE})
target_compile_definitions(wrong_vulkan PRIVATE TOPK_VULKAN_LOADER="${TOPK_VULKAN_LOADER}")
target_link_libraries(wrong_vulkan PRIVATE ${CMAKE_DL_LIBS})
