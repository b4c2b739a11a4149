/* The mutator: pieces of choices, cases from byte strings, and the mutations themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate/decode.h"
#include "generate/mutate.h"

#define ROUNDS 20000u
#define ROOM   4096u

/* a byte string that makes a case of 24 literal elements; a setup function searches for it */
static unsigned char seed[ROOM];
static size_t seed_length;

static void decode(const unsigned char *bytes, size_t length, struct topk_case *tc)
{
    assert_true(topk_case_decode(bytes, length, tc));
}

static int find_seed(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        struct topk_pcg pcg;
        struct topk_case tc;
        topk_pcg_seed(&pcg, 1, i);
        for (seed_length = 0; seed_length < 200; seed_length++) {
            seed[seed_length] = (unsigned char)topk_pcg_below(&pcg, 256);
        }
        decode(seed, seed_length, &tc);
        const bool found = tc.literal_count == 24 && tc.op.k > 1;
        topk_case_clear(&tc);
        if (found) {
            return 0;
        }
    }
    return -1;
}

static const char *text_of(const unsigned char *bytes, size_t length)
{
    static char texts[2][TOPK_CASE_TEXT];
    static unsigned next;
    struct topk_case tc;
    char *text = texts[next++ % 2];
    decode(bytes, length, &tc);
    topk_case_print(&tc, text, TOPK_CASE_TEXT);
    topk_case_clear(&tc);
    return text;
}

static void any_bytes_are_a_case(void **state)
{
    (void)state;
    static const char text[] =
        "top_k fl=3.1 in=f32[3] axis=0 k=2 data=hex:00000000,3f800000,00000000";
    unsigned char bytes[128] = {0};
    assert_non_null(strstr(text_of(bytes, 0), "top_k fl=3.1 in=f32[1] axis=0 k=1"));
    memcpy(bytes, text, sizeof text - 1);
    assert_string_equal(text_of(bytes, sizeof text - 1), text);
    bytes[sizeof text - 1] = '\n';
    assert_string_equal(text_of(bytes, sizeof text), text);
    /* a malformed or overlong text supplies choices */
    bytes[3] = '-';
    assert_string_not_equal(text_of(bytes, sizeof text - 1), text);
    static const char large[] = "top_k fl=3.1 in=f32[70000] axis=0 k=2";
    assert_string_not_equal(text_of((const unsigned char *)large, sizeof large - 1), large);
    static const char many[] = "top_k fl=3.1 in=f32[65] axis=0 k=2 check=soak";
    assert_string_not_equal(text_of((const unsigned char *)many, sizeof many - 1), many);
    static const char soak[] = "top_k fl=3.1 in=f32[64] axis=0 k=2 check=soak data=shuffle.1:1";
    assert_string_equal(text_of((const unsigned char *)soak, sizeof soak - 1), soak);
}

static void the_same_seed_makes_the_same(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        unsigned char a[ROOM];
        unsigned char b[ROOM];
        memcpy(a, seed, seed_length);
        memcpy(b, seed, seed_length);
        size_t length = topk_mutate_pieces(topk_decode_draw, a, seed_length, ROOM, i);
        assert_int_equal(length, topk_mutate_pieces(topk_decode_draw, b, seed_length, ROOM, i));
        assert_memory_equal(a, b, length);
    }
}

/* mutates other inputs, so that the mutator keeps no draft of the last ones */
static void forget(void)
{
    unsigned char bytes[ROOM] = {7, 7, 7};
    const struct topk_piece other = {bytes, 2};
    topk_mutate_pieces(topk_decode_draw, bytes, 3, ROOM, 1);
    topk_mutate_cross(topk_decode_draw, &other, &other, bytes, ROOM, 1);
}

/* a chain of mutations and crossings, as an engine makes it */
static size_t chain(unsigned char *bytes, uint64_t start, size_t room, bool forgetful)
{
    const struct topk_piece partner = {seed, seed_length};
    size_t length = seed_length < room ? seed_length : room;
    memcpy(bytes, seed, length);
    for (uint64_t i = 0; i < 8; i++) {
        unsigned char from[ROOM];
        memcpy(from, bytes, length);
        if (forgetful) {
            forget();
        }
        if ((start + i) % 3 == 0) {
            const struct topk_piece one = {from, length};
            length =
                topk_mutate_cross(topk_decode_draw, &one, &partner, bytes, room, start * 8 + i);
        } else {
            length = topk_mutate_pieces(topk_decode_draw, bytes, length, room, start * 8 + i);
        }
        assert_true(length <= room);
    }
    return length;
}

/* kept drafts save time and change no result, also when there is no room */
static void what_is_kept_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        unsigned char a[ROOM];
        unsigned char b[ROOM];
        const size_t room = i % 4 == 0 ? 40 : ROOM;
        const size_t length = chain(a, i, room, false);
        assert_int_equal(length, chain(b, i, room, true));
        assert_memory_equal(a, b, length);
    }
}

/* what differs between two cases */
struct changed {
    bool shape; /* type or sizes of the input, or Axis */
    bool k;
    bool layout;
    bool data;  /* the value of some element */
    bool order; /* only the order of the elements */
};

static int by_bits(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

static struct changed compare(struct topk_case *a, struct topk_case *b)
{
    struct changed changed = {.shape = false};
    const struct topk_tensor *x = &a->op.tensors[TOPK_INPUT];
    const struct topk_tensor *y = &b->op.tensors[TOPK_INPUT];
    changed.shape = x->type != y->type || x->rank != y->rank || a->op.axis != b->op.axis ||
                    memcmp(x->sizes, y->sizes, sizeof x->sizes) != 0;
    changed.k = a->op.k != b->op.k;
    changed.layout =
        x->strided != y->strided || memcmp(x->strides, y->strides, sizeof x->strides) != 0;
    if (a->literal_count == b->literal_count && a->literal != NULL && b->literal != NULL) {
        const size_t bytes = a->literal_count * sizeof *a->literal;
        changed.data = memcmp(a->literal, b->literal, bytes) != 0;
        qsort(a->literal, a->literal_count, sizeof *a->literal, by_bits);
        qsort(b->literal, b->literal_count, sizeof *b->literal, by_bits);
        changed.order = changed.data && memcmp(a->literal, b->literal, bytes) == 0;
    }
    return changed;
}

/* each part can change while the others stay the same: the purpose of pieces */
static void parts_change_alone(void **state)
{
    (void)state;
    unsigned k = 0;
    unsigned layout = 0;
    unsigned data = 0;
    unsigned order = 0;
    unsigned same = 0;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        unsigned char bytes[ROOM];
        struct topk_case a;
        struct topk_case b;
        memcpy(bytes, seed, seed_length);
        size_t length = topk_mutate_pieces(topk_decode_draw, bytes, seed_length, ROOM, i);
        assert_true(length <= ROOM);
        decode(seed, seed_length, &a);
        decode(bytes, length, &b);
        struct changed changed = compare(&a, &b);
        k += changed.k && !changed.shape && !changed.layout && !changed.data;
        layout += changed.layout && !changed.shape && !changed.k && !changed.data;
        data += changed.data && !changed.shape && !changed.k && !changed.layout;
        order += changed.order && !changed.shape && !changed.k && !changed.layout;
        topk_case_clear(&a);
        topk_case_clear(&b);
        same += strcmp(text_of(seed, seed_length), text_of(bytes, length)) == 0;
    }
    assert_in_range(k, ROUNDS / 100, ROUNDS / 4);
    assert_in_range(layout, ROUNDS / 100, ROUNDS / 4);
    assert_in_range(data, ROUNDS / 10, ROUNDS);
    assert_in_range(order, ROUNDS / 20, ROUNDS / 2);
    assert_true(same < ROUNDS / 4);
}

/* each part of a crossing comes from one of the two inputs */
static void a_crossing_is_of_both(void **state)
{
    (void)state;
    unsigned char other[ROOM];
    unsigned char bytes[ROOM];
    unsigned first = 0;
    unsigned second = 0;
    memcpy(other, seed, seed_length);
    size_t other_length = topk_mutate_pieces(topk_decode_draw, other, seed_length, ROOM, 1);
    for (uint64_t i = 2; strcmp(text_of(seed, seed_length), text_of(other, other_length)) == 0;
         i++) {
        other_length = topk_mutate_pieces(topk_decode_draw, other, other_length, ROOM, i);
    }
    const struct topk_piece a = {seed, seed_length};
    const struct topk_piece b = {other, other_length};
    for (uint64_t i = 0; i < 1000; i++) {
        size_t length = topk_mutate_cross(topk_decode_draw, &a, &b, bytes, ROOM, i);
        first += strcmp(text_of(seed, seed_length), text_of(bytes, length)) == 0;
        second += strcmp(text_of(other, other_length), text_of(bytes, length)) == 0;
    }
    assert_true(first > 0 && second > 0);
}

/* trimming reaches the plainest case; no step makes it larger */
static void pieces_become_plain(void **state)
{
    (void)state;
    unsigned char bytes[ROOM];
    size_t length = seed_length;
    memcpy(bytes, seed, seed_length);
    assert_true(topk_mutate_piece_count(topk_decode_draw, bytes, length) > 24);
    for (int round = 0; round < 3; round++) {
        for (size_t piece = 0; piece < topk_mutate_piece_count(topk_decode_draw, bytes, length);
             piece++) {
            length = topk_mutate_without_piece(topk_decode_draw, bytes, length, piece, bytes, ROOM);
        }
    }
    assert_string_equal(text_of(bytes, length), text_of(bytes, 0));
    assert_int_equal(length, 0);
}

static void bytes_stay_in_their_room(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        unsigned char *bytes = malloc(8);
        assert_non_null(bytes);
        memset(bytes, 0, 8);
        assert_true(topk_mutate_bytes(bytes, i % 9, 8, i) <= 8);
        free(bytes);
        /* the same with pieces, in a short input */
        unsigned char *few = malloc(16);
        assert_non_null(few);
        memcpy(few, seed, 16);
        assert_true(topk_mutate_pieces(topk_decode_draw, few, 16, 16, i) <= 16);
        free(few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_are_a_case),
        cmocka_unit_test(the_same_seed_makes_the_same),
        cmocka_unit_test(what_is_kept_changes_nothing),
        cmocka_unit_test(parts_change_alone),
        cmocka_unit_test(a_crossing_is_of_both),
        cmocka_unit_test(pieces_become_plain),
        cmocka_unit_test(bytes_stay_in_their_room),
    };
    return cmocka_run_group_tests(tests, find_seed, NULL);
}
