/* Whether memory ran out. Libraries lose what they have no memory for without a word: a parser of
 * JSON drops characters of a string. So what they ask for comes from here, and once a piece of
 * memory was not there, that is known for good: nothing is written, printed or concluded any more
 * that may lack it. */
#ifndef TOPK_MEMORY_H
#define TOPK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* From now on jansson asks here. As often as one likes. */
void topk_memory_watch(void);

/* Whether some memory was not there since the program began. */
bool topk_memory_short(void);

/* Says that some was not there; errno is ENOMEM then. */
void topk_memory_fail(void);

/* From now on this thread gets so many bytes of topk_memory_get() in all, freed ones included, and
 * then no more, which does not count as memory that was not there. So a text that somebody else
 * made cannot take more than its reader allows. */
void topk_memory_bound(size_t bytes);
/* Ends that. Whether more was asked for: what was made meanwhile may lack it. */
bool topk_memory_unbound(void);

/* malloc(), realloc() and strdup() for libraries, which say so if there is none; to be freed by
 * free(). */
void *topk_memory_get(size_t bytes);
void *topk_memory_resize(void *memory, size_t bytes);
char *topk_memory_copy(const char *text);

/* As open_memstream(), whose streams do not say that they lost text: NULL if memory is short; and
 * once it is, closing fails, and topk_memory_short() says so. *text and *size are set when the
 * stream is closed; *text is to be freed in any case. */
FILE *topk_memory_stream(char **text, size_t *size);

#endif
