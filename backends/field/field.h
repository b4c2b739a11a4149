/* What an adapter in C or C++ states, and field.c does the rest: it is the plugin, gathers a
 * strided input of a call into a packed array, hands it to the library, and scatters what the
 * library returns. Tensors that are packed, and indices of 64 bits, stay where they are. Which
 * elements are chosen, and in which order, is the library's; nothing here changes it. */
#ifndef TOPK_FIELD_H
#define TOPK_FIELD_H

#include "topk_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FIELD_MAX_RANK 8u

/* A call, packed and row-major. */
struct field_call {
    uint32_t type;                  /* enum topk_backend_type */
    uint32_t width;                 /* bytes of an element */
    uint32_t rank;                  /* 1 to FIELD_MAX_RANK */
    uint32_t axis;                  /* less than rank */
    uint32_t k;                     /* 1 to sizes[axis] */
    uint32_t largest;               /* 1 or 0 */
    uint32_t sizes[FIELD_MAX_RANK]; /* of the input */
    uint64_t rows;     /* product of the sizes before the last one; n is sizes[rank - 1] */
    const void *input; /* elements of the input */
    void *values;      /* to be filled: the values that the library returns, bit by bit */
    int64_t *indices;  /* to be filled: its indices; outside 0 to 2^32 - 1 they become 2^32 - 1 */
    char *error;       /* where run() says what failed, error_bytes long */
    size_t error_bytes;
};

/* What an adapter defines; what may be NULL, it can leave out. */
struct field_library {
    const char *name;
    const char *version;
    const char *rules;  /* what the library documents (docs/contracts.md), without memory= and
                           invalid=; it names types= */
    const char *source; /* the address of the page that documents it */

    /* Runs the library. Returns 0, or 1 with the library's own words in call->error. */
    int (*run)(void *self, const struct field_call *call);

    /* Opens it. options: what the user gives, or "". Returns what the other functions get as self;
     * or NULL, with the reason in error. May be NULL: there are no options, and self is NULL. */
    void *(*open)(const char *options, char *error, size_t error_bytes);

    /* Says what only the open library knows: it may change name, version, rules and source, and
     * what `info` has of the device. What it points to lives until close(). May be NULL. */
    void (*describe)(void *self, struct field_library *library, struct topk_backend_info *info);

    void (*close)(void *self); /* may be NULL */
};

/* Each adapter defines it. */
extern const struct field_library field_library;

/* For libraries that return indices only: sets the index of an output, counted over all rows along
 * the last axis, and its value to the element of that index, if there is one. */
void field_take(const struct field_call *call, uint64_t output, int64_t index);

/* Says what failed; returns 1. */
int field_failed(const struct field_call *call, const char *what);

#ifdef __cplusplus
}
#endif
#endif
