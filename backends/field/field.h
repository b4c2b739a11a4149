/* The interface of an adapter in C or C++. field.c does the rest: it is the plugin, gathers a
 * strided input into a packed array, passes it to the library, and scatters what the library
 * returns. Packed tensors and 64-bit indices are used in place. Which elements are chosen, and in
 * which order, is up to the library; nothing here changes it. */
#ifndef TOPK_FIELD_H
#define TOPK_FIELD_H

#include "topk_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FIELD_MAX_RANK 8u

/* A call with packed, row-major tensors. */
struct field_call {
    uint32_t type;                  /* enum topk_backend_type */
    uint32_t width;                 /* bytes of an element */
    uint32_t rank;                  /* 1 to FIELD_MAX_RANK */
    uint32_t axis;                  /* less than rank */
    uint32_t k;                     /* 1 to sizes[axis] */
    uint32_t largest;               /* 1 or 0 */
    uint32_t sizes[FIELD_MAX_RANK]; /* of the input */
    uint64_t rows;                  /* product of the sizes except the last; n is sizes[rank - 1] */
    const void *input;              /* elements of the input */
    void *values;                   /* output: the values that the library returns, bit by bit */
    int64_t *indices; /* output: its indices; those outside 0 to 2^32 - 1 become 2^32 - 1 */
    char *error;      /* error_bytes long; run() stores here what failed */
    size_t error_bytes;
};

/* Defined by an adapter; members that may be NULL are optional. */
struct field_library {
    const char *name;
    const char *version;
    /* what the library documents (docs/contracts.md), without memory= and invalid=; must contain
     * types= */
    const char *rules;
    const char *source; /* the address of the page that documents it */

    /* Runs the library. Returns 0, or 1 with the library's message in call->error. */
    int (*run)(void *self, const struct field_call *call);

    /* Opens the library. options: the user's, or "". Returns the `self` for the other functions; or
     * NULL, with the reason in error. NULL: there are no options, and self is NULL. */
    void *(*open)(const char *options, char *error, size_t error_bytes);

    /* Adds what only the open library can tell: may change name, version, rules and source, and the
     * device in `info`. What it points to must be valid until close(). May be NULL. */
    void (*describe)(void *self, struct field_library *library, struct topk_backend_info *info);

    void (*close)(void *self); /* may be NULL */
};

/* Defined by each adapter. */
extern const struct field_library field_library;

/* For libraries that return only indices: sets the index of an output, counted over all rows along
 * the last axis, and its value to the element with that index, if there is one. */
void field_take(const struct field_call *call, uint64_t output, int64_t index);

/* Stores what failed in call->error; returns 1. */
int field_failed(const struct field_call *call, const char *what);

#ifdef __cplusplus
}
#endif
#endif
