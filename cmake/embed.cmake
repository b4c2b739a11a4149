# Makes a C file from text files: page.c contains the table topk_page_files, which page.h declares.
#
#   cmake -D OUTPUT=page.c -P embed.cmake DIR/page.css...
cmake_minimum_required(VERSION 3.25)

get_filename_component(table "${OUTPUT}" NAME_WE)
set(code "/* Made by cmake/embed.cmake. */\n#include \"${table}.h\"\n\n#include <stddef.h>\n
const struct topk_${table}_file topk_${table}_files[] = {\n")
set(position 0)
while(NOT "${CMAKE_ARGV${position}}" STREQUAL "-P")
  math(EXPR position "${position} + 1")
endwhile()
math(EXPR position "${position} + 2")
while(position LESS CMAKE_ARGC)
  set(file "${CMAKE_ARGV${position}}")
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "?" "\\?" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND code "    {\"${name}\",\n     \"${text}\"},\n")
  math(EXPR position "${position} + 1")
endwhile()
file(WRITE "${OUTPUT}" "${code}    {NULL, NULL},\n};\n")
