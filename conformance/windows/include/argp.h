/* gnulib's argp.h, with what it wants of the configuration that it was built in. */
#ifndef TOPK_WINDOWS_ARGP_H
#define TOPK_WINDOWS_ARGP_H

#pragma GCC system_header

#define _GL_ATTRIBUTE_FORMAT(spec)
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END
#define _GL_INLINE static inline
#include_next <argp.h>

#endif
