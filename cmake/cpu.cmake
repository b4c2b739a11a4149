# The backend cpu: its sources, TOPK_CPU_SOURCES, which are also compiled into plugins, and the processors that its
# kernels are compiled for. gcc does not vectorise their loops below -O3.
get_target_property(TOPK_CPU_SOURCES topk_cpu SOURCES)

set(portable "")
set(avx2 -mavx2 -mbmi2)
set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
foreach(level portable avx2 avx512)
  if(MSVC)
    # this compiler does not support the flags, so only the portable level is built
    break()
  endif()
  set(options $<$<NOT:$<CONFIG:Debug>>:-O3>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND options ${${level}})
    if(WIN32 AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      # gcc aligns the stack only to 16 bytes there but moves vectors as if it were more (gcc bug 54412)
      list(APPEND options -Wa,-muse-unaligned-vector-move)
    endif()
  endif()
  set_source_files_properties(backends/cpu/kernels_${level}.c PROPERTIES COMPILE_OPTIONS "${options}")
endforeach()
