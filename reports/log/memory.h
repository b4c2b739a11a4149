/* Records whether memory ran out. Some libraries silently lose data when an allocation fails; for
 * example, a parser of JSON drops characters of a string. So they allocate through these functions,
 * and after one failure nothing is written, printed or concluded any more that could be
 * incomplete. */
#ifndef TOPK_MEMORY_H
#define TOPK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Makes jansson allocate here from now on. May be called repeatedly. */
void topk_memory_watch(void);

/* Whether an allocation has failed since the program began. */
bool topk_memory_short(void);

/* Records a failure; sets errno to ENOMEM. */
void topk_memory_fail(void);

/* Limits this thread to `bytes` from topk_memory_get() in total, including freed ones; further
 * allocations fail, but are not recorded as failures. So untrusted input cannot take more memory
 * than its reader allows. After one allocation has failed, for this or another reason, all others
 * do until topk_memory_unbound(): jansson reads beyond the text of a string whose buffer did not
 * grow, unless the copy that it makes next fails, too. */
void topk_memory_bound(size_t bytes);
/* Removes the limit. Returns whether it was exceeded: then what was made meanwhile may be
 * incomplete. */
bool topk_memory_unbound(void);

/* malloc(), realloc() and strdup() for libraries, with recorded failures; free with free(). */
void *topk_memory_get(size_t bytes);
void *topk_memory_resize(void *memory, size_t bytes);
char *topk_memory_copy(const char *text);

/* Like open_memstream(), whose streams do not report lost text: returns NULL if memory is short; if
 * it runs out later, closing fails, and topk_memory_short() is true. *text and *size are set when
 * the stream is closed; free *text in any case. */
FILE *topk_memory_stream(char **text, size_t *size);

#endif
