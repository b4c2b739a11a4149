/* Makes the cases of tests in several threads, because that takes most of the time before a run
 * starts: profile full has hundreds of thousands of cases, of microseconds each. A thread makes one
 * test at a time. It looks at its cases itself, or hands them over in pieces, of which only some
 * wait at a time. */
#define _POSIX_C_SOURCE 200809L /* for uv.h */
#include "make_cases.h"

#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "session.h"
#include "suite/digest.h"

/* More threads gain little, because a few tests have most of the cases. */
#define THREADS 4
/* Cases of a piece, and how many pieces may wait; twice as many if the test's are taken next. */
#define PIECE_CASES 1024u
#define WAITING     32u

struct piece {
    struct piece *next;
    struct cli_made made;
    char *ids; /* of all cases, each with a terminator */
    size_t ids_used, ids_room;
    struct cli_case cases[PIECE_CASES];
};

/* A test whose cases are wanted. */
struct making {
    const struct topk_test *test;
    const struct topk_profile_test *row;
    struct piece *first, *last; /* those that wait */
    bool ended;                 /* no pieces follow */
    bool no_memory;
    char broken[sizeof(((struct topk_sink *)0)->broken)];
};

struct makings {
    /* called in the threads; NULL: hand the cases over */
    bool (*look)(void *context, const struct topk_test *test, uint32_t number,
                 const struct topk_case *tc);
    void *context;
    struct making *list; /* in order */
    size_t count;
    size_t taken;     /* number of the test whose pieces are being taken */
    size_t next;      /* the first test that no thread makes yet */
    unsigned waiting; /* pieces that wait, of all tests */
    bool stopped;     /* nothing else is needed */
    uv_mutex_t lock;
    uv_cond_t changed;
};

/* A thread that makes tests. */
struct maker {
    struct makings *makings;
    struct making *making; /* the test that it makes */
    struct piece *piece;   /* the one that it fills */
    size_t name;           /* length of the first part of ids, "GROUP.NAME:" */
    uint32_t number;       /* of the test among all tests */
    struct topk_ids_digest digest;
    char id[TOPK_CASE_ID];
};

/* ---- one test -------------------------------------------------------------------------------- */

static void free_piece(struct piece *piece)
{
    if (piece != NULL) {
        free(piece->ids);
        free(piece);
    }
}

/* Hands the piece over. Returns false if nothing else is needed. */
static bool hand_over(struct maker *maker)
{
    struct makings *makings = maker->makings;
    struct making *making = maker->making;
    struct piece *piece = maker->piece;
    char *id = piece->ids;
    for (size_t i = 0; i < piece->made.count; i++) {
        piece->cases[i].id = id;
        id += piece->cases[i].length + 1;
    }
    piece->made.cases = piece->cases;
    maker->piece = NULL;
    uv_mutex_lock(&makings->lock);
    /* pieces of later tests never fill the room of those that are taken next */
    while (!makings->stopped &&
           makings->waiting >= (making == &makings->list[makings->taken] ? 2 * WAITING : WAITING)) {
        uv_cond_wait(&makings->changed, &makings->lock);
    }
    *(making->first == NULL ? &making->first : &making->last->next) = piece;
    making->last = piece;
    makings->waiting++;
    const bool more = !makings->stopped;
    uv_cond_broadcast(&makings->changed);
    uv_mutex_unlock(&makings->lock);
    return more;
}

/* Makes room for a case. Returns false if memory is short. */
static bool make_room(struct maker *maker, size_t id_bytes)
{
    if (maker->piece == NULL) {
        maker->piece = calloc(1, sizeof *maker->piece);
    }
    struct piece *piece = maker->piece;
    if (piece == NULL) {
        return false;
    }
    piece->made.row = maker->making->row;
    if (piece->ids_room - piece->ids_used < id_bytes) {
        const size_t room = 2 * (piece->ids_used + id_bytes);
        char *ids = realloc(piece->ids, room);
        if (ids == NULL) {
            return false;
        }
        piece->ids = ids;
        piece->ids_room = room;
    }
    return true;
}

static bool add_case(void *context, struct topk_case *tc)
{
    struct maker *maker = context;
    const size_t length =
        maker->name + topk_case_print(tc, maker->id + maker->name, sizeof maker->id - maker->name);
    if (maker->piece != NULL && maker->piece->made.count == PIECE_CASES && !hand_over(maker)) {
        return false;
    }
    if (!make_room(maker, length + 1)) {
        maker->making->no_memory = true;
        return false;
    }
    struct piece *piece = maker->piece;
    topk_ids_digest_add(&maker->digest, maker->id, length);
    memcpy(piece->ids + piece->ids_used, maker->id, length + 1);
    piece->ids_used += length + 1;
    piece->cases[piece->made.count++] = cli_case_of(tc, length, maker->name, maker->number);
    return true;
}

static bool look_at_case(void *context, struct topk_case *tc)
{
    const struct maker *maker = context;
    const struct makings *makings = maker->makings;
    struct making *making = maker->making;
    making->no_memory = !makings->look(makings->context, making->test, maker->number, tc);
    return !making->no_memory;
}

/* Looks at the cases of the test. */
static void look_at_cases(struct maker *maker)
{
    struct making *making = maker->making;
    struct topk_sink sink = {.take = look_at_case, .context = maker};
    maker->number = cli_test_number(making->test);
    topk_test_enumerate(making->test, &sink);
    memcpy(making->broken, sink.broken, sizeof making->broken);
    making->no_memory = making->no_memory || sink.no_memory;
}

/* Makes the cases of the test and hands them over. */
static void make(struct maker *maker)
{
    struct making *making = maker->making;
    const struct topk_test *test = making->test;
    char digest[TOPK_SHA256_TEXT];
    struct topk_sink sink = {.take = add_case, .context = maker};
    maker->number = cli_test_number(test);
    maker->name = (size_t)snprintf(maker->id, sizeof maker->id, "%s.%s:", test->group, test->name);
    topk_ids_digest_start(&maker->digest);
    topk_test_enumerate(test, &sink);
    const uint32_t cases = maker->digest.cases;
    topk_ids_digest_end(&maker->digest, digest);
    memcpy(making->broken, sink.broken, sizeof making->broken);
    making->no_memory = making->no_memory || sink.no_memory || !make_room(maker, 0);
    if (!making->no_memory) {
        maker->piece->made.drifted =
            making->row != NULL && !topk_profile_row_is(making->row, digest, cases);
        hand_over(maker);
    }
    free_piece(maker->piece);
    maker->piece = NULL;
}

static void work(void *context)
{
    struct maker *maker = context;
    struct makings *makings = maker->makings;
    uv_mutex_lock(&makings->lock);
    while (!makings->stopped && makings->next < makings->count) {
        maker->making = &makings->list[makings->next++];
        uv_mutex_unlock(&makings->lock);
        (makings->look != NULL ? look_at_cases : make)(maker);
        uv_mutex_lock(&makings->lock);
        maker->making->ended = true;
        uv_cond_broadcast(&makings->changed);
    }
    uv_mutex_unlock(&makings->lock);
}

/* ---- all tests ------------------------------------------------------------------------------- */

static void list_tests(struct makings *makings, const struct topk_profile *profile,
                       bool (*wanted)(const void *context, const struct topk_test *test),
                       const void *context)
{
    const size_t count = cli_test_count(profile);
    makings->list = cli_need(calloc(count + 1, sizeof *makings->list));
    for (size_t i = 0; i < count; i++) {
        const struct topk_test *test = cli_test_at(profile, i);
        if (wanted == NULL || wanted(context, test)) {
            makings->list[makings->count++] =
                (struct making){.test = test, .row = profile == NULL ? NULL : &profile->tests[i]};
        }
    }
}

/* Waits for the next piece of the test that is being taken. Returns NULL at its end. */
static struct piece *next_piece(struct makings *makings)
{
    struct making *making = &makings->list[makings->taken];
    uv_mutex_lock(&makings->lock);
    while (making->first == NULL && !making->ended) {
        uv_cond_wait(&makings->changed, &makings->lock);
    }
    struct piece *piece = making->first;
    if (piece != NULL) {
        making->first = piece->next;
        makings->waiting--;
    } else {
        makings->taken++;
    }
    uv_cond_broadcast(&makings->changed);
    uv_mutex_unlock(&makings->lock);
    return piece;
}

/* Takes the pieces of all tests. Returns the test that failed, or NULL. */
static const struct making *take_all(struct makings *makings,
                                     void (*take)(void *context, const struct cli_made *made),
                                     void *context)
{
    while (makings->taken < makings->count) {
        const struct making *making = &makings->list[makings->taken];
        struct piece *piece;
        while ((piece = next_piece(makings)) != NULL) {
            if (take != NULL) { /* cases that were looked at in the threads come in no pieces */
                take(context, &piece->made);
            }
            free_piece(piece);
        }
        if (making->no_memory || making->broken[0] != 0) {
            return making;
        }
    }
    return NULL;
}

static void stop(struct makings *makings)
{
    uv_mutex_lock(&makings->lock);
    makings->stopped = true;
    uv_cond_broadcast(&makings->changed);
    uv_mutex_unlock(&makings->lock);
}

/* Makes the cases of the tests that are listed. */
static void make_all(struct makings *makings,
                     void (*take)(void *context, const struct cli_made *made), void *context)
{
    cli_need_memory(uv_mutex_init(&makings->lock) == 0 && uv_cond_init(&makings->changed) == 0);
    uv_thread_t threads[THREADS];
    struct maker *makers[THREADS];
    unsigned started = 0;
    const unsigned processors = uv_available_parallelism();
    while (started < THREADS && started < processors && started < makings->count) {
        makers[started] = cli_need(calloc(1, sizeof *makers[started]));
        makers[started]->makings = makings;
        if (uv_thread_create(&threads[started], work, makers[started]) != 0) {
            free(makers[started]);
            break;
        }
        started++;
    }
    if (started == 0 && makings->count > 0) {
        cli_fail(CLI_HARNESS, "cannot start a thread");
    }
    const struct making *failed = take_all(makings, take, context);
    stop(makings);
    for (unsigned i = 0; i < started; i++) {
        uv_thread_join(&threads[i]);
        free(makers[i]);
    }
    cli_need_memory(failed == NULL || !failed->no_memory);
    if (failed != NULL) {
        cli_fail(CLI_HARNESS, "%s", failed->broken);
    }
    free(makings->list);
    uv_cond_destroy(&makings->changed);
    uv_mutex_destroy(&makings->lock);
}

void cli_cases_make(const struct topk_profile *profile,
                    bool (*wanted)(const void *context, const struct topk_test *test),
                    void (*take)(void *context, const struct cli_made *made), void *context)
{
    struct makings makings = {0};
    list_tests(&makings, profile, wanted, context);
    make_all(&makings, take, context);
}

void cli_cases_look(const struct topk_profile *profile,
                    bool (*look)(void *context, const struct topk_test *test, uint32_t number,
                                 const struct topk_case *tc),
                    void *context)
{
    struct makings makings = {.look = look, .context = context};
    list_tests(&makings, profile, NULL, NULL);
    make_all(&makings, NULL, NULL);
}
