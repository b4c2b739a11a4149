# The backend cpu: its sources, as TOPK_CPU_SOURCES, for the plugins that are built on it; and for which processors
# its kernels are compiled. gcc does not vectorise their loops below -O3.
get_target_property(TOPK_CPU_SOURCES topk_cpu SOURCES)

set(portable "")
set(avx2 -mavx2 -mbmi2)
set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
foreach(level portable avx2 avx512)
  if(MSVC)
    # no flags that this compiler knows: there is the portable level alone
    break()
  endif()
  set(options $<$<NOT:$<CONFIG:Debug>>:-O3>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND options ${${level}})
    if(WIN32 AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      # gcc aligns its stack to 16 bytes there, and moves vectors as if it were more (its bug 54412)
      list(APPEND options -Wa,-muse-unaligned-vector-move)
    endif()
  endif()
  set_source_files_properties(backends/cpu/kernels_${level}.c PROPERTIES COMPILE_OPTIONS "${options}")
endforeach()
