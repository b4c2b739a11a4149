/* The file that the driver of scripts/torture and the library in the attacked processes map and
 * share. */
#ifndef TORTURE_SHARED_H
#define TORTURE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

enum torture_class {
#define TORTURE_CLASS(class, word, about) TORTURE_##class,
#include "faults.def"
    TORTURE_CLASSES
};

/* errors that are not errno values */
#define TORTURE_SHORT  (-1)
#define TORTURE_KILLED (-2)

/* greatest number of calls that the counting pass can distinguish */
#define TORTURE_POINTS  (1u << 21)
#define TORTURE_PROGRAM 32 /* size of a program's name */
#define TORTURE_FRAMES  24

/* the environment variable with the name of the file */
#define TORTURE_FILE "TORTURE_FILE"

struct torture_shared {
    /* written by the driver */
    char program[TORTURE_PROGRAM]; /* the attacked program, without folders */
    int32_t class;                 /* the class that must fail, or -1 */
    int32_t error;                 /* an errno, or one of the above */
    uint64_t point;                /* number of the call of this class, from 1 */
    uint8_t ever;                  /* all later calls fail, too */
    uint8_t stacks;                /* distinguish calls by their callers */
    uint8_t trace;                 /* print the callers at the point */

    /* written by the library */
    _Atomic uint64_t count[TORTURE_CLASSES];
    _Atomic uint64_t hits;
    _Atomic uint32_t told; /* number of entries in calls[] */
    struct {
        uint32_t class;
        uint32_t number; /* from 1 */
        uint64_t stack;  /* a digest of the callers */
    } calls[TORTURE_POINTS];
};

#endif
