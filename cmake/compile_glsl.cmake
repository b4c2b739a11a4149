# Compiles one shader into a C array: cmake -D... -P compile_glsl.cmake
#   GLSLANG    glslangValidator
#   SPIRV_VAL  spirv-val, or empty
#   SOURCE     the shader, in GLSL
#   MACROS     what is defined, as a list of NAME=VALUE
#   NAME       of the array
#   OUTPUT     the C file, without .spv: the code itself goes there
# What the compiler warns of is an error.
list(TRANSFORM MACROS PREPEND "-D")
get_filename_component(folder ${SOURCE} DIRECTORY)
set(said "")
execute_process(
  COMMAND ${GLSLANG} -V --target-env vulkan1.1 ${MACROS} -I${folder} -o ${OUTPUT}.spv ${SOURCE}
  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed OR said MATCHES "WARNING|ERROR")
  message(FATAL_ERROR "${NAME} does not compile:\n${said}")
endif()
if(SPIRV_VAL)
  execute_process(COMMAND ${SPIRV_VAL} --target-env vulkan1.1 ${OUTPUT}.spv
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "${NAME} compiles to what is not valid:\n${said}")
  endif()
endif()

# glslangValidator writes words in the order of the machine: little-endian ones, as their magic says
file(READ ${OUTPUT}.spv code HEX)
if(NOT code MATCHES "^03022307")
  message(FATAL_ERROR "${OUTPUT}.spv is not SPIR-V in little-endian order")
endif()
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," code "${code}")
string(REGEX REPLACE "(0x[^,]*,0x[^,]*,0x[^,]*,0x[^,]*,0x[^,]*,0x[^,]*,0x[^,]*,0x[^,]*,)" "\\1\n" code "${code}")
file(WRITE ${OUTPUT} "static const uint32_t ${NAME}[] = {\n${code}\n};\n")
