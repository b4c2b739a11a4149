/* What the driver of scripts/torture and the library in the attacked processes tell each other, in
 * a file that both map. */
#ifndef TORTURE_SHARED_H
#define TORTURE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

enum torture_class {
#define TORTURE_CLASS(class, word, about) TORTURE_##class,
#include "faults.def"
    TORTURE_CLASSES
};

/* errors that are no errno */
#define TORTURE_SHORT  (-1)
#define TORTURE_KILLED (-2)

#define TORTURE_POINTS  (1u << 21) /* calls that the counting pass can tell apart */
#define TORTURE_PROGRAM 32         /* bytes of a program's name */
#define TORTURE_FRAMES  24

/* the name of the file, in the environment of what is attacked */
#define TORTURE_FILE "TORTURE_FILE"

struct torture_shared {
    /* the driver's */
    char program[TORTURE_PROGRAM]; /* that is attacked, without folders */
    int32_t class;                 /* that is made to fail, or -1 */
    int32_t error;                 /* an errno, or one of the above */
    uint64_t point;                /* the call of the class, from 1 on */
    uint8_t ever;                  /* and all that follow */
    uint8_t stacks;                /* tell the calls apart by who makes them */
    uint8_t trace;                 /* print who makes the call at the point */

    /* the library's */
    _Atomic uint64_t count[TORTURE_CLASSES];
    _Atomic uint64_t hits;
    _Atomic uint32_t told; /* calls in calls[] */
    struct {
        uint32_t class;
        uint32_t number; /* from 1 on */
        uint64_t stack;  /* a digest of who made it */
    } calls[TORTURE_POINTS];
};

#endif
