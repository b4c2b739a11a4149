/* Faults that read outside a tensor without using the data: vector loops with a full last step,
 * prefetching, one sequence too many. Their results are correct, and the suite owns the memory
 * there, so that only guard pages reveal them. */
#include "faulty.h"

/* Reads bytes from..to-1, relative to the start of a tensor. */
static void look_at(const struct faulty *self, enum role role, int64_t from, int64_t to)
{
    const volatile unsigned char *start = self->tensors[role].start;
    unsigned char seen = 0;
    for (int64_t i = from; i < to; i++) {
        seen ^= start[i];
    }
    (void)seen;
}

static int64_t end_of(const struct faulty *self, enum role role)
{
    const struct topk_backend_tensor *tensors[ROLES] = {self->call->input, self->call->value,
                                                        self->call->index};
    return (int64_t)tensors[role]->total_bytes;
}

/* Defines an `after` that reads bytes of a tensor; `end` is its end. */
#define LOOKS(name, role, from, to)                                                                \
    static void name(struct faulty *self)                                                          \
    {                                                                                              \
        const int64_t end = end_of(self, role);                                                    \
        (void)end;                                                                                 \
        look_at(self, role, from, to);                                                             \
    }

/* A tensor ends at most 15 bytes before a page, so that reading 16 bytes beyond its end touches the
 * page. */
LOOKS(vector_tail, INPUT, end - 1, end + 31)
LOOKS(next_sequence, INPUT, end, end + (int64_t)self->tensors[INPUT].bytes * 16)
LOOKS(before_input, INPUT, -1, 0)
LOOKS(prefetches, INPUT, -64, 0)
LOOKS(behind_value, VALUE, end, end + 16)
LOOKS(before_value, VALUE, -4, 0)
LOOKS(behind_index, INDEX, end, end + 16)
LOOKS(before_index, INDEX, -8, 0)

#define OVER_READ(name, about, step)                                                               \
    {                                                                                              \
        name, FAULTY_GUARD_PAGES, about, "-", .trigger = "", .ends = true, .after = (step)         \
    }

const struct fault faulty_over_reads[] = {
    OVER_READ("reads-vector-tail", "the input's last byte is loaded as a vector of 32",
              vector_tail),
    OVER_READ("reads-next-sequence", "16 elements behind the input are read", next_sequence),
    OVER_READ("reads-before-input", "the byte before the input is read", before_input),
    OVER_READ("reads-ahead", "64 bytes before the input are read with it", prefetches),
    OVER_READ("reads-behind-value", "16 bytes behind the value output are read", behind_value),
    OVER_READ("reads-before-value", "4 bytes before the value output are read", before_value),
    OVER_READ("reads-behind-index", "16 bytes behind the index output are read", behind_index),
    OVER_READ("reads-before-index", "8 bytes before the index output are read", before_index),
    {0},
};
