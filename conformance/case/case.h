/* A case: one question to a backend, and its one-line text.
 *
 *   top_k1 fl=5.0 in=f32[1,1,3,4] axis=3 k=2 dir=dec data=few.1:3:7
 *
 * Fields stand in this order, one space between; those in brackets are left out at their default:
 *   top_k | top_k1     the operator
 *   fl=M.N             feature level asked for
 *   in=TENSOR          the input
 *   axis=N  k=N        Axis, K
 *   dir=inc|dec|N      AxisDirection; of top_k1 only
 *   [val=TENSOR]       value output; default: as the input asks for, packed
 *   [idx=TENSOR]       index output; default: the same in u32
 *   [exec=N]           execution flags
 *   [pad=WORD]         what the input's padding holds; default win: what would be selected
 *   [check=WORD]       a relation to check, see check.def
 *   [data=RECIPE.VERSION:N:...:SEED | data=hex:BITS,BITS,... | data=out:N]  default: all bits zero
 *
 * A sequence is several calls with " then " between them. The last one is the case proper: what is
 * said of a case is said of that call, unless it says otherwise.
 *
 * TENSOR is TYPE[sizes]{strides}#total@offset^alignment!flags or none. Only the type is always
 * there. Sizes default to those that the operator asks for (of val and idx); no strides means
 * packed; the total defaults to the least size (T07); offset, alignment and flags default to 0.
 *
 * Literal data lists the logical elements in row-major order, each with all its hex digits. Where
 * coordinates share an element (T05, T13) the last one in that order counts.
 *
 * data=out:N is the value output of the Nth call before: what the backend gave, element for element
 * in row-major order, from the start again as often as it takes; zero bits if it gave nothing.
 *
 * A text has one form: what a case prints parses to the same case, and nothing else parses.
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

/* the calls of each, as constants: TOPK_CHECK_CALLS_SOAK */
enum {
#define CHECK(name, word, clause, mismatch, calls, about) TOPK_CHECK_CALLS_##name = (calls),
#include "check.def"
#undef CHECK
};

struct topk_check_row {
    const char *word;
    enum topk_clause clause; /* what a difference breaks; TOPK_CLAUSE_NONE for NONE */
    int mismatch;            /* enum topk_mismatch */
    uint32_t calls;          /* most second calls that there are */
    const char *about;
};
const struct topk_check_row *topk_check_row(enum topk_check check);

struct topk_case {
    struct topk_operator op;
    uint64_t offset[TOPK_ROLE_COUNT]; /* bytes from a multiple of the alignment to the tensor */
    enum topk_padding padding;
    enum topk_check check;
    const struct topk_recipe *recipe; /* NULL: literal if not NULL, else `out`, else zero bits */
    uint64_t parameters[TOPK_RECIPE_PARAMETERS];
    uint64_t *literal; /* owned; one entry a logical element of the input */
    uint32_t literal_count;
    uint32_t out; /* the data is the value output of so many calls before; 0: it is not */
    struct topk_case *before; /* owned: the calls that are made before, the first one first; they
                                 have none themselves */
    uint32_t before_count;
};

/* Most calls of a sequence. */
#define TOPK_CALLS_MAX 32u
/* Longest literal data, in elements, of all calls together; and most elements of an input whose
 * data is an output, and of that output. */
#define TOPK_LITERAL_MAX 16384u
/* Room for the longest text, with the terminator. */
#define TOPK_CASE_TEXT (TOPK_LITERAL_MAX * 17u + TOPK_CALLS_MAX * 2048u)

/* Where and why a text is no case. */
struct topk_case_error {
    size_t column;  /* 1.. */
    bool no_memory; /* it may well be a case: memory was too short to read it */
    char message[200];
};

/* Reads `length` characters. False, with *error filled, if they are no case; *tc is then cleared.
 * A case that was parsed is to be cleared. */
bool topk_case_parse(const char *text, size_t length, struct topk_case *tc,
                     struct topk_case_error *error);

/* Writes the text of a case; returns its length. If it does not fit in size, text becomes empty
 * (bytes within size may be written) and the length that it needs is returned. */
size_t topk_case_print(const struct topk_case *tc, char *text, size_t size);

/* Makes the case, as it is, the last call before another one, which *tc then is, empty. False, with
 * nothing changed, if there is no memory or no room for one more. */
bool topk_case_push(struct topk_case *tc);

/* A call of a case by its number, from 1; the case proper for 0 and behind the last one. */
const struct topk_case *topk_case_call(const struct topk_case *tc, uint32_t number);

/* Makes *to a case of that one call, to be cleared. Data that is an output becomes literal: what
 * the reference gives, of several allowed results any. False if memory is short. */
bool topk_case_alone(struct topk_case *to, const struct topk_case *tc, uint32_t number);

/* The elements of the input of a call whose data is an output that has `count` elements, as literal
 * data. NULL if memory is short. */
uint64_t *topk_case_carry(const struct topk_case *tc, const uint64_t *output, uint32_t count);

/* What a case that is run may have at most, unless a run asks for larger ones: elements of the
 * input (strides of 0 make them of no bytes), and bytes of all tensors. Of a valid case that has
 * more the operator is created only. */
#define TOPK_CASE_ELEMENTS ((uint64_t)1 << 27)
#define TOPK_CASE_BYTES    ((uint64_t)1 << 30)
bool topk_case_too_large(const struct topk_case *tc);

/* Whether every call's data can be had as its text says: an output is there, of the same type, and
 * short enough. A case that was parsed is. */
bool topk_case_connected(const struct topk_case *tc);

/* Whether a case has a binding that BIND forbids; its results are not judged. */
bool topk_case_misbound(const struct topk_case *tc);

/* Copies a case; to is overwritten and is to be cleared. False if memory is short. */
bool topk_case_copy(struct topk_case *to, const struct topk_case *from);

/* Frees what a case owns and zeroes it. */
void topk_case_clear(struct topk_case *tc);

/* Writes the logical elements of a valid case's input into a tensor of op.tensors[TOPK_INPUT].
 * tensor: its first byte. Nothing but logical elements is written. Data that is an output is as
 * topk_case_alone() has it. False if memory is short. */
bool topk_case_fill(const struct topk_case *tc, unsigned char *tensor);

/* Fills `bytes` bytes around and inside an input tensor with the case's padding, in the tensor's
 * grid of elements. data: the buffer; the tensor starts at data + offset. */
void topk_case_fill_padding(const struct topk_case *tc, unsigned char *data, uint64_t bytes,
                            uint64_t offset);

/* Where a tensor of a case lies in its buffer: guard and offset | tensor, total_bytes | guard. It
 * starts at a multiple of its alignment plus its offset. Of tensors that no memory holds there is
 * no offset, and the bytes are more than any memory has. */
struct topk_place {
    uint64_t bytes;  /* of the buffer */
    uint64_t offset; /* of the tensor in it */
};
struct topk_place topk_case_place(const struct topk_case *tc, enum topk_role role);

/* What running a case takes of memory, about: the buffers as they are given and as they come back,
 * the memory that is shared with the backend's process, and a sequence while it is made. What the
 * backend takes itself comes on top. Saturates. */
uint64_t topk_case_memory(const struct topk_case *tc);

/* The clauses that a case can show to be broken, from its description and its data. A case whose
 * description breaks clauses exercises those. A sequence exercises those of its calls, and S14.
 * False if memory is short. */
bool topk_case_clauses(const struct topk_case *tc, struct topk_clause_set *clauses);
/* The same without looking at the data of an input of more than so many elements: what it could
 * exercise (ties, F01 to F07) is then in *maybe, which is empty otherwise. */
bool topk_case_clauses_within(const struct topk_case *tc, uint64_t elements,
                              struct topk_clause_set *clauses, struct topk_clause_set *maybe);

/* Which of `set` would have given a wrong result of a case, so that a case that passed contradicts
 * them (topk_readings_contradicted). contract: that it was judged by, NULL: DirectML's. Returns
 * false where that is not known, *differ is then 0: of large cases, and of those whose outputs may
 * be anything. What second calls of a check= would show is not looked at. */
bool topk_case_readings_differ(const struct topk_case *tc, const struct topk_contract *contract,
                               topk_reading_set set, topk_reading_set *differ);

/* the rest of what this folder shows others */
#include "check.h"
#include "layout.h"
#include "recipe.h"
#include "select.h"
#include "sort.h"
#include "value.h"

#endif
