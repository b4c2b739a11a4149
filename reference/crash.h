/* Where a process crashed, as it reported before it died. The report is untrusted, so it is a hint:
 * it groups crashes and helps a reader, and no verdict depends on it. */
#ifndef TOPK_CRASH_H
#define TOPK_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most frames, and rooms of texts with the terminator. */
#define TOPK_CRASH_FRAMES 16u
#define TOPK_CRASH_SIGNAL 32
#define TOPK_CRASH_MODULE 48
#define TOPK_CRASH_SYMBOL 64

/* What stands for a module that is not known: code that was made at run time, or no code at all. */
#define TOPK_CRASH_UNKNOWN "?"

/* An address of code, counted from where its module starts: the same in each run. */
struct topk_crash_frame {
    char module[TOPK_CRASH_MODULE]; /* "mine.so" */
    uint64_t offset;
    char symbol[TOPK_CRASH_SYMBOL]; /* of the function; "": not known, and the next means nothing */
    uint64_t symbol_offset;
};

/* What a process did to memory when it crashed. */
enum topk_crash_access {
    TOPK_CRASH_ACCESSES, /* not known which of the two */
    TOPK_CRASH_READS,
    TOPK_CRASH_WRITES
};

/* An access to a guard page: outside of which tensor it was. */
struct topk_crash_outside {
    enum topk_crash_access access;
    uint32_t role; /* enum topk_role */
    bool before;   /* before the start, else behind the end */
    uint64_t
        bytes; /* from the end to the first byte accessed, 0 right behind it; or to the start */
};

struct topk_crash {
    char signal[TOPK_CRASH_SIGNAL]; /* "SIGSEGV", "stack-overflow"; "": nothing is known */
    bool has_address;
    uint64_t address; /* that was accessed in vain */
    bool has_outside; /* only with an address */
    struct topk_crash_outside outside;
    uint32_t frame_count; /* the innermost first */
    struct topk_crash_frame frames[TOPK_CRASH_FRAMES];
};

/* The signal of a stack that has no room left. Which instruction notices it depends on where the
 * stack starts, so the innermost frame says nothing. */
#define TOPK_CRASH_OVERFLOW "stack-overflow"

/* The frame by which two crashes are told apart: the innermost outside of the C library and the
 * like, which others call with what is wrong. NULL if no frame is known. */
const struct topk_crash_frame *topk_crash_site(const struct topk_crash *crash);

/* Whether two crashes, both of which are known, have one signal and one site, and if both were
 * accesses to guard pages, one kind of access to one side of one tensor. */
bool topk_crash_alike(const struct topk_crash *a, const struct topk_crash *b);

/* Room for the texts below, with the terminator. */
#define TOPK_CRASH_TEXT 256

/* "mine.so+0x1139 (topk_run+0x20)" */
void topk_crash_frame_print(const struct topk_crash_frame *frame, char text[TOPK_CRASH_TEXT]);
/* "SIGSEGV in mine.so+0x1139 (topk_run+0x20)": equal for crashes that are alike */
void topk_crash_site_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT]);
/* "SIGSEGV at address 0x10" */
void topk_crash_signal_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT]);
/* "reads 4 bytes behind the end of input", "writes right behind the end of value"; "" if it is not
 * known to have been outside of a tensor. */
void topk_crash_outside_print(const struct topk_crash *crash, char text[TOPK_CRASH_TEXT]);
/* The word of an access, "reads"; and the access of a word, false if there is none. */
const char *topk_crash_access_word(enum topk_crash_access access);
bool topk_crash_access_parse(const char *word, enum topk_crash_access *access);

#endif
