/* The mutator as an AFL++ custom mutator library, one for each target whose inputs are choices. It
 * is used beside AFL++'s own stages, which change bytes. Also trims: piece by piece. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "generate/mutate.h"

/* what AFL++ calls; afl_state is its own */
void *afl_custom_init(void *afl_state, unsigned seed);
void afl_custom_deinit(void *data);
size_t afl_custom_fuzz(void *data, unsigned char *bytes, size_t length, unsigned char **out,
                       unsigned char *other, size_t other_length, size_t room);
int32_t afl_custom_init_trim(void *data, unsigned char *bytes, size_t length);
size_t afl_custom_trim(void *data, unsigned char **out);
int32_t afl_custom_post_trim(void *data, unsigned char success);

/* one mutation in so many crosses two inputs */
#define CROSS_ONE_IN 4u
/* longest input that is made or trimmed */
#define BYTES_MAX 65536u

struct mutator {
    uint64_t seed;
    unsigned char made[BYTES_MAX];    /* the last mutation, or what trimming tries */
    unsigned char trimmed[BYTES_MAX]; /* what trimming has reached */
    size_t made_length;
    size_t trimmed_length;
    size_t piece; /* that trimming tries next */
};

void *afl_custom_init(void *afl_state, unsigned seed)
{
    (void)afl_state;
    struct mutator *mutator = calloc(1, sizeof *mutator);
    if (mutator != NULL) {
        mutator->seed = (uint64_t)seed << 32;
    }
    return mutator;
}

void afl_custom_deinit(void *data)
{
    free(data);
}

size_t afl_custom_fuzz(void *data, unsigned char *bytes, size_t length, unsigned char **out,
                       unsigned char *other, size_t other_length, size_t room)
{
    struct mutator *mutator = data;
    const uint64_t seed = mutator->seed++;
    room = room < BYTES_MAX ? room : BYTES_MAX;
    length = length < room ? length : room;
    *out = mutator->made;
    if (other != NULL && seed % CROSS_ONE_IN == 0 && fuzz_has_pieces(bytes, length) &&
        fuzz_has_pieces(other, other_length)) {
        length =
            topk_mutate_cross(fuzz_target.draw, &(struct topk_piece){bytes, length},
                              &(struct topk_piece){other, other_length}, mutator->made, room, seed);
    } else {
        memcpy(mutator->made, bytes, length);
        length = fuzz_has_pieces(bytes, length)
                     ? topk_mutate_pieces(fuzz_target.draw, mutator->made, length, room, seed)
                     : topk_mutate_bytes(mutator->made, length, room, seed);
    }
    if (length == 0) { /* AFL++ takes no empty input; a 0 is the same */
        mutator->made[0] = 0;
        length = 1;
    }
    return length;
}

/* returns how many steps there are, 0: it is not trimmed here */
int32_t afl_custom_init_trim(void *data, unsigned char *bytes, size_t length)
{
    struct mutator *mutator = data;
    if (length > BYTES_MAX || !fuzz_has_pieces(bytes, length)) {
        return 0;
    }
    memcpy(mutator->trimmed, bytes, length);
    mutator->trimmed_length = length;
    mutator->piece = 0;
    return (int32_t)topk_mutate_piece_count(fuzz_target.draw, bytes, length);
}

size_t afl_custom_trim(void *data, unsigned char **out)
{
    struct mutator *mutator = data;
    size_t length =
        topk_mutate_without_piece(fuzz_target.draw, mutator->trimmed, mutator->trimmed_length,
                                  mutator->piece, mutator->made, BYTES_MAX);
    if (length == 0) {
        mutator->made[length++] = 0;
    }
    mutator->made_length = length;
    *out = mutator->made;
    return length;
}

int32_t afl_custom_post_trim(void *data, unsigned char success)
{
    struct mutator *mutator = data;
    if (success) {
        memcpy(mutator->trimmed, mutator->made, mutator->made_length);
        mutator->trimmed_length = mutator->made_length;
    }
    mutator->piece++;
    const size_t count =
        topk_mutate_piece_count(fuzz_target.draw, mutator->trimmed, mutator->trimmed_length);
    /* AFL++ stops at the number of steps that init_trim said, or above */
    return mutator->piece < count ? (int32_t)mutator->piece : INT32_MAX;
}
