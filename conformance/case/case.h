/* A case: one call of a top-K operator, or a sequence of calls, and its one-line text.
 *
 *   top_k1 fl=5.0 in=f32[1,1,3,4] axis=3 k=2 dir=dec data=few.1:3:7
 *
 * The fields have this order, with one space between them. A field in brackets is left out when it
 * has its default value:
 *   top_k | top_k1     the operator
 *   fl=M.N             the requested feature level
 *   in=TENSOR          the input
 *   axis=N  k=N        Axis, K
 *   dir=inc|dec|N      AxisDirection, only with top_k1
 *   [val=TENSOR]       value output; default: as the operator requires, packed
 *   [idx=TENSOR]       index output; default: the same with type u32
 *   [exec=N]           execution flags
 *   [pad=WORD]         content of the input's padding; default win: the value selected first
 *   [check=WORD]       a relation to check, see check.def
 *   [data=RECIPE.VERSION:N:...:SEED | data=hex:BITS,BITS,... | data=out:N]  default: all bits zero
 *
 * A sequence has " then " between its calls. Unless a function says otherwise, a property of a case
 * is that of its last call.
 *
 * TENSOR is TYPE[sizes]{strides}#total@offset^alignment!flags or none. TYPE is required. The sizes
 * of val and idx default to those that the operator requires. A tensor without strides is packed.
 * The total defaults to the least size (T07); offset, alignment and flags default to 0.
 *
 * Literal data lists the logical elements in row-major order, each with all its hex digits. Where
 * coordinates share an element (T05, T13), the last one in that order counts.
 *
 * data=out:N is the value output that the backend returned for the Nth call before this one, in
 * row-major order, repeated from its start as often as needed. If that call returned no output, all
 * bits are zero.
 *
 * Each case has exactly one text: the parser accepts only what the printer writes.
 */
#ifndef TOPK_CASE_H
#define TOPK_CASE_H

#include "recipe.h"
#include "reference/diagnosis.h"
#include "reference/operator.h"

/* PADDING(NAME, word, about) */
#define TOPK_PADDING_LIST(PADDING)                                                                 \
    PADDING(WIN, "win", "the value that would be selected first")                                  \
    PADDING(LOSE, "lose", "the value that would be selected last")                                 \
    PADDING(NAN, "nan", "NaN; of integers all bits set")                                           \
    PADDING(ZERO, "zero", "zero bits")                                                             \
    PADDING(RANDOM, "random", "random bytes")

enum topk_padding {
#define PADDING(name, word, about) TOPK_PADDING_##name,
    TOPK_PADDING_LIST(PADDING)
#undef PADDING
    TOPK_PADDING_COUNT
};

struct topk_padding_row {
    const char *word;
    const char *about;
};
const struct topk_padding_row *topk_padding_row(enum topk_padding padding);

enum topk_check {
#define CHECK(name, word, clause, mismatch, calls, about) TOPK_CHECK_##name,
#include "check.def"
#undef CHECK
    TOPK_CHECK_COUNT
};

/* TOPK_CHECK_CALLS_SOAK and so on: the number of second calls of each check, as constants */
enum {
#define CHECK(name, word, clause, mismatch, calls, about) TOPK_CHECK_CALLS_##name = (calls),
#include "check.def"
#undef CHECK
};

struct topk_check_row {
    const char *word;
    enum topk_clause clause; /* that a difference breaks; TOPK_CLAUSE_NONE for NONE */
    int mismatch;            /* enum topk_mismatch */
    uint32_t calls;          /* greatest number of second calls */
    const char *about;
};
const struct topk_check_row *topk_check_row(enum topk_check check);

struct topk_case {
    struct topk_operator op;
    uint64_t offset[TOPK_ROLE_COUNT]; /* bytes from a multiple of the alignment to the tensor */
    enum topk_padding padding;
    enum topk_check check;
    const struct topk_recipe *recipe; /* if NULL, the data is `literal`; if that is NULL, too,
                                         output `out`; if that is 0, zero bits */
    uint64_t parameters[TOPK_RECIPE_PARAMETERS];
    uint64_t *literal; /* owned; one entry per logical element of the input */
    uint32_t literal_count;
    uint32_t out; /* the data is the value output of the call this many calls earlier; 0: it is no
                     output */
    struct topk_case *before; /* owned: the earlier calls, in order, without any of their own */
    uint32_t before_count;
};

/* Greatest number of calls of a sequence. */
#define TOPK_CALLS_MAX 32u
/* Greatest number of elements of literal data, in all calls together; also of an output that is
 * used as data, and of an input with such data. */
#define TOPK_LITERAL_MAX 16384u
/* Room for the longest text, with the terminator. */
#define TOPK_CASE_TEXT (TOPK_LITERAL_MAX * 17u + TOPK_CALLS_MAX * 2048u)

/* Where and why a text is not a valid case. */
struct topk_case_error {
    size_t column;  /* from 1 */
    bool no_memory; /* there was not enough memory to read it; the text may be valid */
    char message[200];
};

/* Reads `length` characters. Returns false, with *error filled and *tc cleared, if they are not a
 * valid case. Clear a parsed case with topk_case_clear(). */
bool topk_case_parse(const char *text, size_t length, struct topk_case *tc,
                     struct topk_case_error *error);

/* Writes the text of a case; returns its length. If it does not fit in size, text becomes empty
 * (bytes within size may be written) and the length that it needs is returned. */
size_t topk_case_print(const struct topk_case *tc, char *text, size_t size);

/* Appends *tc to the earlier calls of its sequence and makes *tc a new, empty last call. Returns
 * false, with nothing changed, if memory is short or the sequence has TOPK_CALLS_MAX calls. */
bool topk_case_push(struct topk_case *tc);

/* Returns a call of a case by its number, from 1. For 0, and for numbers beyond the earlier calls,
 * returns the last call, *tc itself. */
const struct topk_case *topk_case_call(const struct topk_case *tc, uint32_t number);
/* Returns the input elements of all calls of a case; UINT64_MAX if they are more. */
uint64_t topk_case_elements(const struct topk_case *tc);

/* Makes *to a case of that single call; clear it with topk_case_clear(). Data that is an output
 * becomes literal: the output that the reference computes, which is one of those allowed. Returns
 * false if memory is short. */
bool topk_case_alone(struct topk_case *to, const struct topk_case *tc, uint32_t number);

/* Returns the literal input elements of a call whose data is an output: `output` with `count`
 * elements, repeated as often as needed. The caller frees them. NULL if memory is short. */
uint64_t *topk_case_carry(const struct topk_case *tc, const uint64_t *output, uint32_t count);

/* Default limits for a case that is run: elements of the input (stride 0 lets many elements take
 * few bytes), and bytes of all tensors together. For a valid case beyond a limit, only the operator
 * is created. A run can raise the limit. */
#define TOPK_CASE_ELEMENTS ((uint64_t)1 << 27)
#define TOPK_CASE_BYTES    ((uint64_t)1 << 30)
bool topk_case_too_large(const struct topk_case *tc);

/* Whether each data=out:N refers to an earlier call whose output has the same type and is short
 * enough. This holds for each parsed case. */
bool topk_case_connected(const struct topk_case *tc);

/* Whether a case has a binding that BIND forbids. The results of such a case are not judged. */
bool topk_case_misbound(const struct topk_case *tc);

/* Copies a case over *to; clear it with topk_case_clear(). Returns false if memory is short. */
bool topk_case_copy(struct topk_case *to, const struct topk_case *from);

/* Frees what a case owns and zeroes it. */
void topk_case_clear(struct topk_case *tc);

/* Writes the logical elements of a valid case's input, and no other bytes, into a tensor with the
 * layout of op.tensors[TOPK_INPUT]. tensor: its first byte. Data that is an output is what
 * topk_case_alone() makes of it. Returns false if memory is short. */
bool topk_case_fill(const struct topk_case *tc, unsigned char *tensor);

/* Fills `bytes` bytes around and inside an input tensor with the case's padding, aligned to the
 * tensor's elements; the elements themselves are undefined. data: the buffer; the tensor starts at
 * data + offset. */
void topk_case_fill_padding(const struct topk_case *tc, unsigned char *data, uint64_t bytes,
                            uint64_t offset);

/* Where a tensor of a case is in its buffer: guard and offset | tensor, total_bytes | guard. It
 * starts at a multiple of its alignment plus its offset. For a tensor that no memory can hold,
 * offset is 0 and bytes is more than any memory has. */
struct topk_place {
    uint64_t bytes;  /* of the buffer */
    uint64_t offset; /* of the tensor in it */
};
struct topk_place topk_case_place(const struct topk_case *tc, enum topk_role role);

/* Approximate bytes of memory to run a case: its buffers before and after the call, the memory
 * shared with the backend's process, and the data of a sequence while it is prepared. The backend's
 * own memory is not included. Saturates. */
uint64_t topk_case_memory(const struct topk_case *tc);

/* Collects the clauses that a case can show to be broken, from its description and its data. For a
 * description that is invalid, these are the clauses that it breaks; for a sequence, those of its
 * calls and S14. Returns false if memory is short. */
bool topk_case_clauses(const struct topk_case *tc, struct topk_clause_set *clauses);
/* The same, but does not read the data of an input of more than `elements` elements: the clauses
 * that such data could exercise (ties, F01 to F07) go to *maybe, which is empty otherwise. */
bool topk_case_clauses_within(const struct topk_case *tc, uint64_t elements,
                              struct topk_clause_set *clauses, struct topk_clause_set *maybe);

/* Sets *differ to the readings in `set` for which the reference result of a case would be wrong, so
 * that a case that passed contradicts them (topk_readings_contradicted). contract: the one by which
 * it was judged, NULL for DirectML's. Returns false, with *differ 0, if this is unknown: for large
 * cases, and for those that allow any outputs. Second calls of check= are ignored. */
bool topk_case_readings_differ(const struct topk_case *tc, const struct topk_contract *contract,
                               topk_reading_set set, topk_reading_set *differ);

/* the other headers that this folder offers */
#include "check.h"
#include "layout.h"
#include "recipe.h"
#include "select.h"
#include "sort.h"
#include "value.h"

#endif
