/* Checks the structure-aware mutator and the choices that it works on. Any byte string must become
 * one of the requested length, the same one for the same seed whatever was mutated before. A string
 * and the trace of its choices must give the same case. A string crossed with itself must stay as
 * it is. Enumerating all ways through the choices must visit each way once. */
#include <string.h>

#include "fuzz.h"
#include "generate/decode.h"
#include "generate/mutate.h"

/* The result buffer is followed by bytes that must stay unchanged. */
#define ROOM_MAX 4096u
#define BEHIND   16u
/* pieces of each part that the mutator keeps */
#define PIECES_KEPT 256u
#define TRACE_ROOM  16384u

struct buffer {
    unsigned char bytes[ROOM_MAX + BEHIND];
    size_t length;
    size_t room;
};

/* What to do with the byte strings. */
struct order {
    uint32_t kind;
    uint64_t seed;
    size_t room;
    struct topk_piece a;
    struct topk_piece b;
};

/* ---- what strings stand for
 * -------------------------------------------------------------------- */

static void print_choices(const unsigned char *bytes, size_t length, char text[TOPK_CASE_TEXT],
                          struct topk_trace *trace)
{
    struct topk_choice choice;
    struct topk_case tc;
    topk_choice_bytes(&choice, bytes, length);
    choice.trace = trace;
    text[0] = 0;
    if (topk_case_decode_choices(&choice, &tc)) {
        topk_case_print(&tc, text, TOPK_CASE_TEXT);
        topk_case_clear(&tc);
    }
}

static char texts[2][TOPK_CASE_TEXT];

static void require_same_case(const struct topk_piece *a, const struct topk_piece *b,
                              const char *what)
{
    print_choices(a->bytes, a->length, texts[0], NULL);
    print_choices(b->bytes, b->length, texts[1], NULL);
    FUZZ_REQUIRE(strcmp(texts[0], texts[1]) == 0, what, texts[0]);
}

/* Checks that the trace of a string's choices gives the same case, and is its own trace. */
static void check_trace(const struct topk_piece *a)
{
    static unsigned char first[TRACE_ROOM];
    static unsigned char second[TRACE_ROOM];
    static struct topk_traced list[ROOM_MAX];
    struct topk_trace trace = {
        .bytes = first, .room = sizeof first, .list = list, .list_room = ROOM_MAX, .begins = true};
    struct topk_trace again = {.bytes = second, .room = sizeof second};
    print_choices(a->bytes, a->length, texts[0], &trace);
    if (trace.full) {
        return;
    }
    print_choices(first, trace.length, texts[1], &again);
    FUZZ_REQUIRE(strcmp(texts[0], texts[1]) == 0, "trace case", texts[0]);
    FUZZ_REQUIRE(again.length == trace.length && memcmp(first, second, trace.length) == 0,
                 "trace same", texts[0]);
    uint32_t at = 0;
    for (size_t i = 0; i < trace.count; i++) {
        FUZZ_REQUIRE(list[i].at == at && list[i].part < TOPK_PART_COUNT && list[i].bytes <= 8,
                     "trace choices", texts[0]);
        at += list[i].bytes;
    }
    FUZZ_REQUIRE(trace.count == ROOM_MAX || at == trace.length, "trace whole", texts[0]);
}

/* ---- mutations ------------------------------------------------------------------------------- */

enum kind {
    KIND_PIECES,
    KIND_CROSS,
    KIND_PLAIN, /* without any other piece */
    KIND_BYTES,
    KIND_COUNT
};

static void mutate(const struct order *order, struct buffer *to)
{
    const size_t fits = order->a.length < order->room ? order->a.length : order->room;
    memset(to->bytes, 0xa5, sizeof to->bytes);
    to->room = order->room;
    switch ((enum kind)order->kind) {
    case KIND_PIECES:
        memcpy(to->bytes, order->a.bytes, fits);
        to->length =
            topk_mutate_pieces(topk_decode_draw, to->bytes, fits, order->room, order->seed);
        break;
    case KIND_CROSS:
        to->length = topk_mutate_cross(topk_decode_draw, &order->a, &order->b, to->bytes,
                                       order->room, order->seed);
        break;
    case KIND_PLAIN:
        to->length = topk_mutate_without_piece(topk_decode_draw, order->a.bytes, order->a.length,
                                               order->seed % 64, to->bytes, order->room);
        break;
    default:
        memcpy(to->bytes, order->a.bytes, fits);
        to->length = topk_mutate_bytes(to->bytes, fits, order->room, order->seed);
        break;
    }
}

static void check_room(const struct buffer *made)
{
    FUZZ_REQUIRE(made->length <= made->room, "mutate room", "longer than there is room");
    for (size_t i = made->room; i < made->room + BEHIND; i++) {
        FUZZ_REQUIRE(made->bytes[i] == 0xa5, "mutate behind", "bytes behind the room are written");
    }
}

/* Mutates other inputs, so that the mutator has nothing left of the previous ones. */
static void forget(void)
{
    unsigned char bytes[8] = {7, 7, 7};
    const struct topk_piece other = {bytes, 2};
    topk_mutate_pieces(topk_decode_draw, bytes, 3, sizeof bytes, 1);
    topk_mutate_cross(topk_decode_draw, &other, &other, bytes, sizeof bytes, 1);
}

static void check_mutation(const struct order *order)
{
    static struct buffer made;
    static struct buffer again;
    mutate(order, &made);
    check_room(&made);
    mutate(order, &again);
    FUZZ_REQUIRE(again.length == made.length && memcmp(again.bytes, made.bytes, made.length) == 0,
                 "mutate kept", "not the same bytes the second time");
    forget();
    mutate(order, &again);
    FUZZ_REQUIRE(again.length == made.length && memcmp(again.bytes, made.bytes, made.length) == 0,
                 "mutate same", "not the same bytes for the same seed");
    const struct topk_piece result = {made.bytes, made.length};
    check_trace(&result);
}

/* Checks that crossing a string with itself, or simplifying a piece that is not there, changes
 * nothing. */
static void check_nothing_changed(const struct order *order)
{
    static struct buffer made;
    const size_t pieces =
        topk_mutate_piece_count(topk_decode_draw, order->a.bytes, order->a.length);
    if (pieces >= PIECES_KEPT) {
        return; /* the result may lack some choices */
    }
    const struct topk_piece result = {made.bytes, 0};
    struct topk_piece same = result;
    same.length = topk_mutate_cross(topk_decode_draw, &order->a, &order->a, made.bytes, ROOM_MAX,
                                    order->seed);
    require_same_case(&order->a, &same, "cross itself");
    same.length = topk_mutate_without_piece(topk_decode_draw, order->a.bytes, order->a.length,
                                            pieces, made.bytes, ROOM_MAX);
    require_same_case(&order->a, &same, "plain none");
}

/* ---- enumerating all ways
 * ---------------------------------------------------------------------- */

#define WAYS_DEPTH 5u

/* How many choices follow depends on the first ones, as it does in the breakers. */
static uint32_t go(struct topk_choice *choice, const struct topk_piece *bounds, uint32_t way[])
{
    uint32_t count = 0;
    for (size_t i = 0; i < bounds->length && count < WAYS_DEPTH; i++) {
        const uint32_t bound = 1 + bounds->bytes[i] % 4;
        way[count] = topk_choice_below(choice, bound);
        FUZZ_REQUIRE(way[count] < bound, "choice bound", "a choice is not below its bound");
        if (way[count++] == 3) {
            break;
        }
    }
    return count;
}

static uint64_t count_ways(const struct topk_piece *bounds, uint32_t depth)
{
    if (depth == WAYS_DEPTH || depth >= bounds->length) {
        return 1;
    }
    const uint64_t bound = 1 + bounds->bytes[depth] % 4;
    const uint64_t further = count_ways(bounds, depth + 1);
    return bound == 4 ? 3 * further + 1 : bound * further;
}

static void check_ways(const struct topk_piece *bounds)
{
    struct topk_choice choice;
    uint32_t last[WAYS_DEPTH];
    uint32_t way[WAYS_DEPTH];
    uint64_t ways = 0;
    topk_choice_all(&choice);
    do {
        memset(way, 0, sizeof way);
        (void)go(&choice, bounds, way);
        FUZZ_REQUIRE(topk_choice_bits(&choice, 8) == 0, "choice bits", "of all ways");
        bool later = false;
        for (uint32_t i = 0; ways > 0 && i < WAYS_DEPTH; i++) {
            if (way[i] != last[i]) {
                later = way[i] > last[i];
                break;
            }
        }
        FUZZ_REQUIRE(ways == 0 || later, "choice order", "a way does not follow the last one");
        memcpy(last, way, sizeof last);
        ways++;
    } while (topk_choice_advance(&choice));
    FUZZ_REQUIRE(ways == count_ways(bounds, 0), "choice ways", "not all of them, or some twice");
}

/* ---- random ---------------------------------------------------------------------------------- */

/* Checks that a seed and a position always give the same case, and that a stream gives the same
 * cases from any starting position. */
static void check_random(uint64_t seed, uint64_t position)
{
    struct topk_pcg one;
    struct topk_pcg other;
    for (int i = 0; i < 2; i++) {
        struct topk_choice choice;
        struct topk_case tc;
        topk_choice_seed(&choice, seed, position);
        texts[i][0] = 0;
        if (topk_case_decode_choices(&choice, &tc)) {
            topk_case_print(&tc, texts[i], TOPK_CASE_TEXT);
            topk_case_clear(&tc);
        }
    }
    FUZZ_REQUIRE(strcmp(texts[0], texts[1]) == 0, "random same", texts[0]);
    topk_pcg_seed(&one, seed, position);
    other = one;
    const struct topk_pcg start = one;
    const uint32_t steps = (uint32_t)(seed % 40);
    for (uint32_t i = 0; i < steps; i++) {
        (void)topk_pcg_next(&one);
    }
    topk_pcg_advance(&other, steps);
    FUZZ_REQUIRE(one.state == other.state, "random advance", "another place of the stream");
    topk_pcg_advance(&other, 0 - (uint64_t)steps);
    FUZZ_REQUIRE(other.state == start.state, "random back", "another place of the stream");
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Layout of an input: KIND SEED:2 ROOM:1 CUT:1, then the two strings. */
#define HEAD 5u

static void run(const unsigned char *bytes, size_t length)
{
    unsigned char head[HEAD] = {0};
    memcpy(head, bytes, length < HEAD ? length : HEAD);
    bytes += length < HEAD ? length : HEAD;
    length -= length < HEAD ? length : HEAD;
    /* One input in four has room for fewer than 64 bytes. */
    const size_t room = head[3] < 64 ? head[3] : ROOM_MAX;
    const size_t cut = length * head[4] / 256;
    const struct order order = {.kind = head[0] % KIND_COUNT,
                                .seed = head[1] | (uint64_t)head[2] << 8,
                                .room = room,
                                .a = {bytes, length - cut},
                                .b = {bytes + (length - cut), cut}};
    check_trace(&order.a);
    check_mutation(&order);
    check_nothing_changed(&order);
    check_ways(&order.b);
    check_random(order.seed, cut);
}

const struct fuzz_target fuzz_target = {
    .name = "mutator",
    .about = "the mutator keeps what it does not change, and its choices are the case",
    .max_bytes = 1024,
    .run = run,
};
