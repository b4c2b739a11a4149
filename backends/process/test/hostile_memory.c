/* Modes that misuse the memory that a process shares with its judge. */
#define _GNU_SOURCE /* for fallocate() and F_ADD_SEALS */
#include "hostile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* the file of the memory starts with the process's mark */
#define HEAD 4096u

#if !defined(F_ADD_SEALS)
#define F_ADD_SEALS 1033
#endif

/* ---- after the answer ------------------------------------------------------------------------ */

/* changes the outputs of a frame in the shared memory */
static void spoil_shared(struct frame *frame)
{
    spoil_each(frame, wrong_indices);
    if (frame->shared != NULL) {
        say_bytes(frame);
    }
}

static void after(struct frame *frame, uint64_t microseconds)
{
    say_answer(frame);
    if (microseconds > 0) {
        sleep_microseconds(microseconds);
    }
    spoil_shared(frame);
}

static void after_at_once(struct frame *frame)
{
    after(frame, 0);
}

static void after_10us(struct frame *frame)
{
    after(frame, 10);
}

static void after_100us(struct frame *frame)
{
    after(frame, 100);
}

static void after_1ms(struct frame *frame)
{
    after(frame, 1000);
}

static void after_10ms(struct frame *frame)
{
    after(frame, 10000);
}

static void after_once(struct frame *frame)
{
    say_answer(frame);
    if (hostile.served == 0) {
        spoil_shared(frame);
    }
}

/* the last answered frame, to be changed when the judge has finished */
static unsigned char *last_shared;
static uint64_t last_bytes;

static void remember(struct frame *frame)
{
    say_answer(frame);
    last_shared = frame->shared;
    last_bytes = frame->bytes;
}

static void after_quit(void)
{
    if (last_shared != NULL) {
        memset(last_shared, 0x55, (size_t)last_bytes);
    }
}

/* answers long before it has finished */
static void done_later(struct frame *frame)
{
    say_head(frame, 0);
    say_statuses(frame);
    fflush(hostile.out);
    sleep_microseconds(50000);
    say_bytes(frame);
}

/* ---- endless changes ------------------------------------------------------------------------- */

static struct flipped {
    unsigned char *at;
    uint64_t bytes;
    unsigned char *right;
    atomic_uint rounds;
} flipped;

static void *flip(void *unused)
{
    (void)unused;
    for (uint64_t i = 0;; i++) {
        for (uint64_t byte = 0; byte < flipped.bytes; byte++) {
            ((volatile unsigned char *)flipped.at)[byte] =
                flipped.right[byte] ^ (unsigned char)(i & 1);
        }
        atomic_fetch_add(&flipped.rounds, 1);
    }
    return NULL;
}

/* after its first answer, a thread flips the bytes of that frame forever */
static void flips(struct frame *frame)
{
    pthread_t thread;
    if (flipped.at == NULL && frame->shared != NULL) {
        flipped.right = malloc((size_t)frame->bytes);
        if (flipped.right == NULL) {
            give_up("out of memory");
        }
        memcpy(flipped.right, frame->now, (size_t)frame->bytes);
        flipped.bytes = frame->bytes;
        flipped.at = frame->shared;
        if (pthread_create(&thread, NULL, flip, NULL) != 0) {
            give_up("no thread");
        }
    }
    if (frame->shared == NULL) {
        say_answer(frame);
        return;
    }
    say_bytes(frame);
    /* so that the thread has changed them when they are judged, even on a busy machine */
    const unsigned rounds = atomic_load(&flipped.rounds);
    while (atomic_load(&flipped.rounds) - rounds < 100) {
        sleep_microseconds(100);
    }
    say_head(frame, 0);
    say_statuses(frame);
    fflush(hostile.out);
}

/* ---- elsewhere ------------------------------------------------------------------------------- */

/* the memory outside of this frame, except the head */
static void other_half(struct frame *frame)
{
    const uint64_t place = (uint64_t)(frame->shared - hostile.memory);
    memset(hostile.memory + HEAD, 0x55, (size_t)(place - HEAD));
    memset(frame->shared + frame->bytes, 0x55,
           (size_t)(hostile.memory_bytes - place - frame->bytes));
    say_answer(frame);
}

static void head(struct frame *frame)
{
    memset(hostile.memory + 8, 0x55, HEAD - 8);
    say_answer(frame);
}

static void head_after(struct frame *frame)
{
    say_answer(frame);
    memset(hostile.memory, 0xff, HEAD);
}

static void beyond(struct frame *frame)
{
    frame->shared[frame->bytes] = 0x55;
    say_answer(frame);
}

/* ---- the file of the memory ------------------------------------------------------------------ */

static void truncate_it(struct frame *frame)
{
    say_answer(frame);
    if (ftruncate(hostile.memory_file, 0) == 0) {
        fputs("hostile: the memory could be truncated\n", stderr);
    }
    spoil_shared(frame);
}

static void seal(struct frame *frame)
{
    for (int seals = 1; seals < 64; seals *= 2) {
        if (fcntl(hostile.memory_file, F_ADD_SEALS, seals) == 0) {
            fprintf(stderr, "hostile: the memory could be sealed: %d\n", seals);
        }
    }
    spoil_each(frame, wrong_indices);
    say_answer(frame);
}

/* removes pages of the memory, and thus bytes that the judge has not copied yet */
static void punch(struct frame *frame)
{
    say_answer(frame);
    fallocate(hostile.memory_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              (off_t)hostile.memory_bytes);
}

/* extends the file; nothing uses the bytes after the memory */
static void grow(struct frame *frame)
{
    if (ftruncate(hostile.memory_file, (off_t)1 << 40) != 0 ||
        fallocate(hostile.memory_file, 0, (off_t)hostile.memory_bytes, (off_t)64 << 20) != 0) {
        fputs("hostile: the memory cannot grow\n", stderr);
    }
    say_answer(frame);
}

/* ---- the request ----------------------------------------------------------------------------- */

/* maps the memory of a request and sends this answer */
static bool map_saying(const char *request, int protection, const char *answer)
{
    if (strncmp(request, "memory ", 7) != 0) {
        return false;
    }
    const char *at = request + 7;
    uint64_t handle = 0;
    topk_wire_number(&at, request + strlen(request), INT32_MAX, &handle);
    topk_wire_number(&at, request + strlen(request), UINT64_MAX, &hostile.memory_bytes);
    void *mapped = mmap(NULL, hostile.memory_bytes, protection, MAP_SHARED, (int)handle, 0);
    if (mapped == MAP_FAILED) {
        give_up("the memory cannot be mapped");
    }
    hostile.memory = mapped;
    hostile.memory_file = (int)handle;
    say("%s", answer);
    return true;
}

static bool read_only(const char *request)
{
    return map_saying(request, PROT_READ, "memory done \n");
}

static void only_say(struct frame *frame)
{
    say_head(frame, 0);
    say_statuses(frame);
}

static bool fails_and_uses(const char *request)
{
    return map_saying(request, PROT_READ | PROT_WRITE,
                      "memory failed it%20does%20not%20want%20to\n");
}

/* the frame came through the pipe: puts correct bytes into the memory, and sends wrong ones */
static void into_memory(struct frame *frame)
{
    memcpy(hostile.memory + HEAD, frame->now, (size_t)frame->bytes);
    spoil_each(frame, wrong_indices);
    say_answer(frame);
}

static bool twice_done(const char *request)
{
    return map_saying(request, PROT_READ | PROT_WRITE, "memory done \nmemory done \n");
}

static bool garbage(const char *request)
{
    if (strncmp(request, "memory ", 7) == 0) {
        say("memory pass clause=- obs=0 ns=1\n");
        return true;
    }
    return false;
}

static bool hangs(const char *request)
{
    if (strncmp(request, "memory ", 7) == 0) {
        hang();
    }
    return false;
}

/* accepts a second memory, but still uses the first */
static bool keeps_old(const char *request)
{
    if (strncmp(request, "memory ", 7) == 0 && hostile.memory != NULL) {
        say("memory done \n");
        return true;
    }
    return false;
}

static void bytes_as_well(struct frame *frame)
{
    say_bytes(frame);
    say_head(frame, frame->bytes);
    say_statuses(frame);
    fwrite(frame->now, 1, (size_t)frame->bytes, hostile.out);
}

/* leaves in the memory the result of an earlier frame */
static void stale(struct frame *frame)
{
    static unsigned char kept[1 << 16];
    const size_t bytes = frame->bytes < sizeof kept ? (size_t)frame->bytes : sizeof kept;
    memcpy(frame->shared, kept, bytes);
    memcpy(kept, frame->now, bytes);
    say_head(frame, 0);
    say_statuses(frame);
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* takes most of the limit to create a call, and again to run it: each has the limit for itself */
static void slow_create(struct frame *frame)
{
    say_mark(frame->number, 0);
    sleep_microseconds(600000);
    say_answer(frame);
}

/* hangs, and increments its mark forever */
static void mark_counts(struct frame *frame)
{
    for (uint64_t group = 0;; group++) {
        say_mark(frame->number, group);
        sleep_microseconds(50000);
    }
}

/* sends random marks, and dies */
static void mark_wild(struct frame *frame)
{
    static const uint64_t wild[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 0xffff, 0x1ffff, 0x2ffff};
    const uint64_t mark = wild[starts() % (sizeof wild / sizeof wild[0])];
    memcpy(hostile.memory, &mark, sizeof mark);
    (void)frame;
    _exit(EXIT_SUCCESS);
}

/* ---- the modes ------------------------------------------------------------------------------- */

#define SHARED (TOPK_FLAG_MEMORY | TOPK_FLAG_IN_PLACE)

const struct mode memory_modes[] = {
    {"m-honest", "does what it has to, in the memory", .flags = SHARED, .batch = 64},
    {"m-honest-small", "the same, not in place, one call at a time", .flags = TOPK_FLAG_MEMORY},
    {"m-echo", "says done, and leaves the bytes as they are", .flags = SHARED, .spoil_call = echo},
    {"m-wrong", "right values, wrong indices", .flags = SHARED, .spoil_call = wrong_indices},
    {"m-after", "spoils its outputs at once after it answered", .flags = SHARED,
     .answer = after_at_once},
    {"m-after-10us", "spoils them 10 us after", .flags = SHARED, .answer = after_10us},
    {"m-after-100us", "spoils them 100 us after", .flags = SHARED, .answer = after_100us},
    {"m-after-1ms", "spoils them 1 ms after", .flags = SHARED, .answer = after_1ms},
    {"m-after-10ms", "spoils them 10 ms after", .flags = SHARED, .answer = after_10ms},
    {"m-after-once", "spoils those of its first frame", .flags = SHARED, .answer = after_once},
    {"m-after-quit", "spoils those of its last frame when it is told to quit", .flags = SHARED,
     .answer = remember, .quit = after_quit},
    {"m-done-later", "writes right outputs after it answered", .flags = SHARED,
     .answer = done_later},
    {"m-flips", "a thread turns its outputs over and over", .flags = SHARED, .answer = flips},
    {"m-other-half", "writes into all of the memory but its frame", .flags = SHARED,
     .answer = other_half},
    {"m-head", "writes behind the mark", .flags = SHARED, .answer = head},
    {"m-head-after", "writes over the mark and behind it after it answered", .flags = SHARED,
     .answer = head_after},
    {"m-beyond", "writes one byte behind its frame", .flags = SHARED, .answer = beyond},
    {"m-truncate", "shrinks the memory after it answered", .flags = SHARED, .answer = truncate_it},
    {"m-seal", "seals the memory, and is wrong", .flags = SHARED, .answer = seal},
    {"m-punch", "gives the pages of the memory back after it answered", .flags = SHARED,
     .answer = punch},
    {"m-grow", "is right, and grows the memory", .flags = SHARED, .answer = grow},
    {"m-read-only", "maps the memory to be read only, and says done", .flags = SHARED,
     .other = read_only, .answer = only_say},
    {"m-failed", "says that it has no memory, and uses it", .flags = SHARED,
     .other = fails_and_uses, .answer = into_memory},
    {"m-twice", "answers a request for memory twice", .flags = SHARED, .other = twice_done},
    {"m-garbage", "a verdict instead of a status for the memory", .flags = SHARED,
     .other = garbage},
    {"m-hang", "hangs when it is to map the memory", .flags = SHARED, .other = hangs},
    {"m-old", "still uses the first memory once it has a second", .flags = SHARED,
     .other = keeps_old},
    {"m-bytes", "answers with the bytes as well", .flags = SHARED, .answer = bytes_as_well},
    {"m-stale", "leaves what it had for the last frame", .flags = SHARED, .answer = stale},
    {"m-mark-counts", "hangs, and counts its mark on", .flags = SHARED, .answer = mark_counts},
    {"m-slow-create", "is right, and takes 0.6 s to create a call and to run it", .flags = SHARED,
     .creates = true, .answer = slow_create},
    {"m-mark-wild", "leaves a mark of nothing, and exits", .flags = SHARED, .answer = mark_wild},
    {.name = NULL},
};
