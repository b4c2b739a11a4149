# Writes OUTPUT, a C header that says of which revision the sources in SOURCE are, and when that was made, in seconds
# since 1970: a clock that is earlier is wrong. Run at each build as
#   cmake -D SOURCE=DIR -D OUTPUT=FILE -P revision.cmake
# A file that would be the same is left alone, so that nothing is built anew for it.
set(revision unknown)
file(TIMESTAMP ${SOURCE}/CMakeLists.txt time "%s" UTC)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} rev-parse HEAD
    OUTPUT_VARIABLE head RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes RESULT_VARIABLE unclear ERROR_QUIET)
  if(NOT failed AND NOT unclear)
    set(revision ${head})
    execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} show -s --format=%ct HEAD
      OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT changes STREQUAL "")
      string(APPEND revision "-modified")
    endif()
  endif()
endif()
set(text "#define TOPK_REVISION \"${revision}\"\n#define TOPK_REVISION_TIME ${time}\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
