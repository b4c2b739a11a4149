/* The place where a process crashed, as it reported itself. The report is untrusted: it groups
 * crashes and helps a reader, but no verdict depends on it. */
#ifndef TOPK_CRASH_H
#define TOPK_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Greatest number of frames, and sizes of texts with the terminator. */
#define TOPK_CRASH_FRAMES 16u
#define TOPK_CRASH_SIGNAL 32
#define TOPK_CRASH_MODULE 48
#define TOPK_CRASH_SYMBOL 64

/* The module of code that was generated at run time, or of an address without code. */
#define TOPK_CRASH_UNKNOWN "?"

/* An address of code relative to the start of its module, which is the same in each run. */
struct topk_crash_frame {
    char module[TOPK_CRASH_MODULE]; /* "mine.so" */
    uint64_t offset;
    /* function; "": unknown, and then the next member is meaningless */
    char symbol[TOPK_CRASH_SYMBOL];
    uint64_t symbol_offset;
};

/* How a process accessed memory when it crashed. */
enum topk_crash_access {
    TOPK_CRASH_ACCESSES, /* unknown which of the two */
    TOPK_CRASH_READS,
    TOPK_CRASH_WRITES
};

/* An access to a guard page, relative to the tensor next to it. */
struct topk_crash_outside {
    enum topk_crash_access access;
    uint32_t role; /* enum topk_role */
    bool before;   /* before the start, else after the end */
    uint64_t
        /* distance from the end to the first accessed byte, 0 directly after it; or to the start */
        bytes;
};

struct topk_crash {
    /* such as "SIGSEGV" or "stack-overflow"; "": nothing is known */
    char signal[TOPK_CRASH_SIGNAL];
    bool has_address;
    uint64_t address; /* the address whose access failed */
    bool has_outside; /* only with an address */
    struct topk_crash_outside outside;
    uint32_t frame_count; /* the innermost frame is first */
    struct topk_crash_frame frames[TOPK_CRASH_FRAMES];
};

/* The signal of a stack overflow. Which instruction hits the limit depends on where the stack
 * starts, so the innermost frame is meaningless. */
#define TOPK_CRASH_OVERFLOW "stack-overflow"

/* Returns the frame that identifies a crash: the innermost one outside the C library and similar
 * modules, which crash because of wrong arguments. NULL if no frame is known. */
const struct topk_crash_frame *topk_crash_site(const struct topk_crash *crash);

/* Whether two known crashes have the same signal and site, and, if both accessed guard pages, the
 * same kind of access to the same side of the same tensor. */
bool topk_crash_alike(const struct topk_crash *a, const struct topk_crash *b);

/* Size of the texts below, with the terminator. */
#define TOPK_CRASH_TEXT 256

/* "mine.so+0x1139 (topk_run+0x20)" */
void topk_crash_frame_print(const struct topk_crash_frame *frame, char text[TOPK_CRASH_TEXT]);
/* "SIGSEGV in mine.so+0x1139 (topk_run+0x20)": the same text for crashes that are alike */
void topk_crash_site_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT]);
/* "SIGSEGV at address 0x10" */
void topk_crash_signal_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT]);
/* "reads 4 bytes behind the end of input", "writes right behind the end of value"; "" if the access
 * was not to a guard page. */
void topk_crash_outside_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT]);
/* The word for an access, such as "reads"; and the access for a word, false if there is none. */
const char *topk_crash_access_word(enum topk_crash_access access);
bool topk_crash_access_parse(const char *word, enum topk_crash_access *access);

#endif
