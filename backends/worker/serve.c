/* The worker's end of the line protocol: reads requests, runs cases, writes results. */
#include "serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "platform/stage.h"
#include "protocol/protocol.h"

/* a growing line of input */
struct line {
    char *text;
    size_t length; /* without its end */
    size_t room;
    bool no_memory; /* for the rest of it */
};

static bool grow(struct line *line)
{
    size_t room = line->room * 2 + 4096;
    char *grown = realloc(line->text, room);
    if (grown == NULL) {
        line->no_memory = true;
        return false;
    }
    line->text = grown;
    line->room = room;
    return true;
}

/* False at the end of input or if memory is short. A line may contain any byte. */
static bool read_line(FILE *in, struct line *line)
{
    topk_stage_enter(TOPK_STAGE_READ);
    line->length = 0;
    for (;;) {
        if (line->length == line->room && !grow(line)) {
            return false;
        }
        int c = getc(in);
        if (c == EOF) {
            return false; /* an unfinished line is dropped: nobody waits for an answer */
        }
        if (c == '\n') {
            break;
        }
        line->text[line->length++] = (char)c;
    }
    if (line->length > 0 && line->text[line->length - 1] == '\r') {
        line->length--;
    }
    line->text[line->length] = 0; /* replaces the line end */
    topk_stage_enter(TOPK_STAGE_OTHER);
    return true;
}

static void put_done(FILE *out, uint32_t number, const struct topk_result *result)
{
    char text[TOPK_RESULT_TEXT + 1];
    const enum topk_stage before = topk_stage_enter(TOPK_STAGE_ANSWER);
    topk_result_print(result, text);
    /* as one string with its line feed: Wine's C library flushes when a line feed is written alone
     */
    const size_t length = strlen(text);
    text[length] = '\n';
    text[length + 1] = 0;
    fprintf(out, "done %u ", (unsigned)number);
    fputs(text, out);
    topk_stage_enter(before);
}

/* a batch as it was read; its arrays grow to the largest batch */
struct batch {
    struct topk_case *cases;
    bool *parsed;                   /* which of them are valid */
    struct topk_case_error *errors; /* for those that are not */
    const struct topk_case **group; /* cases that begin together */
    struct topk_result *results;    /* of the group */
    uint32_t room;
};

static void free_batch(struct batch *batch)
{
    free(batch->cases);
    free(batch->parsed);
    free(batch->errors);
    free((void *)batch->group);
    free(batch->results);
    *batch = (struct batch){.room = 0};
}

static bool reserve_batch(struct batch *batch, uint32_t count)
{
    if (count <= batch->room) {
        return true;
    }
    free_batch(batch);
    batch->cases = calloc(count, sizeof *batch->cases);
    batch->parsed = calloc(count, sizeof *batch->parsed);
    batch->errors = calloc(count, sizeof *batch->errors);
    batch->group = (const struct topk_case **)calloc(count, sizeof(struct topk_case *));
    batch->results = calloc(count, sizeof *batch->results);
    batch->room = count;
    return batch->cases != NULL && batch->parsed != NULL && batch->errors != NULL &&
           batch->group != NULL && batch->results != NULL;
}

static void put_unparsed(FILE *out, uint32_t number, const struct topk_case_error *error)
{
    struct topk_result result;
    memset(&result, 0, sizeof result);
    result.verdict = TOPK_VERDICT_HARNESS_ERROR;
    result.clause = TOPK_CLAUSE_NONE;
    snprintf(result.reason, sizeof result.reason, "no case: column %lu: %s",
             (unsigned long)error->column, error->message);
    put_done(out, number, &result);
}

/* Flushes the output. If that fails, the runner would wait forever, so the process ends. */
static void send(FILE *out)
{
    if (fflush(out) != 0) {
        fputs("topk-worker: standard output cannot be written\n", stderr);
        exit(TOPK_WORKER_EXIT_HARNESS);
    }
}

/* Reports the end of the backend's process, if it ended, and which cases from `from` on may have
 * been running; for a probe, that probe. */
static bool put_death(const struct topk_host *host, uint32_t from, bool probe, FILE *out)
{
    char word[2000];
    if (topk_host_died(host) == NULL) {
        return false;
    }
    const struct topk_crash *crash = topk_host_crash(host);
    if (crash != NULL) {
        char line[TOPK_WIRE_LINE];
        topk_wire_crash_print(crash, line);
        fprintf(out, "%s\n", line);
    }
    const struct topk_client_end *end = topk_client_ended(host->client);
    uint32_t blamed;
    uint32_t last;
    const bool any = topk_host_blamed(host, &blamed, &last);
    const uint32_t first = any ? from + blamed : 0;
    const uint32_t count = any ? last - blamed + 1 : probe;
    topk_word_print(end->how, word, sizeof word);
    fprintf(out, "%s %" PRIu32 " %" PRIu32 " %s\n", end->expired ? "expired" : "died", first, count,
            word);
    send(out);
    return true;
}

/* False if the backend's process ended. */
static bool run_batch(struct topk_host *host, struct batch *batch, uint32_t count, FILE *out)
{
    for (uint32_t from = 0; from < count;) {
        uint32_t grouped = 0;
        /* a process gets its next calls before it has finished the previous ones */
        const uint32_t most = host->client != NULL ? count : host->loaded.info.batch;
        while (from + grouped < count && grouped < most && batch->parsed[from + grouped]) {
            batch->group[grouped] = &batch->cases[from + grouped];
            grouped++;
        }
        /* a malformed case is answered alone */
        const uint32_t begun = grouped == 0 ? 1 : grouped;
        fprintf(out, "begin %u %u\n", (unsigned)from, (unsigned)begun);
        if (grouped == 0) {
            put_unparsed(out, from, &batch->errors[from]);
        } else {
            /* also flushes earlier answers: one system call per case */
            send(out);
            topk_host_run(host, batch->group, grouped, batch->results);
        }
        for (uint32_t i = 0; i < grouped; i++) {
            if (topk_host_died(host) == NULL || topk_host_done(host, i)) {
                put_done(out, from + i, &batch->results[i]);
            }
        }
        if (put_death(host, from, false, out)) {
            return false;
        }
        from += begun;
    }
    send(out);
    return true;
}

/* Reads `count` cases; clear them. False if there are fewer. */
static bool read_batch(struct batch *batch, uint32_t count, FILE *in, struct line *line)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!read_line(in, line)) {
            return false;
        }
        topk_stage_enter(TOPK_STAGE_PARSE);
        batch->parsed[i] =
            topk_case_parse(line->text, line->length, &batch->cases[i], &batch->errors[i]);
    }
    topk_stage_enter(TOPK_STAGE_OTHER);
    return true;
}

/* the number after a word such as "batch ", with a greatest number of digits; 0 if there is none */
static uint64_t number_of(const char *text, const char *word, size_t digits)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0) {
        return 0;
    }
    const char *number = text + length;
    if (strspn(number, "0123456789") != strlen(number) || strlen(number) > digits) {
        return 0;
    }
    return strtoull(number, NULL, 10);
}

/* handles "probes" and "probe N"; false for any other request */
static bool serve_probe(struct topk_host *host, const char *text, FILE *out)
{
    const bool names = strcmp(text, "probes") == 0;
    const size_t length = strlen(text);
    if (!names && (strncmp(text, "probe ", 6) != 0 || length < 7 || length > 10 ||
                   strspn(text + 6, "0123456789") != length - 6)) {
        return false;
    }
    fputs("begin 0 1\n", out);
    send(out);
    char answer[TOPK_LOADER_PROBE_TEXT];
    if (names) {
        topk_loader_probes_print(&host->loaded, answer);
    } else {
        topk_loader_probe_print(&host->loaded, (uint32_t)strtoul(text + 6, NULL, 10), answer);
    }
    if (topk_host_died(host) == NULL) {
        fprintf(out, "done 0 %s\n", answer);
        send(out);
    }
    return true;
}

int topk_serve(struct topk_host *host, FILE *in, FILE *out)
{
    static char greeting[TOPK_GREETING_LINE];
    const uint32_t limits = host->client != NULL ? TOPK_FLAG_LIMITS : 0;
    fwrite(greeting, 1,
           topk_greeting_print(TOPK_SPEAKER_WORKER, &host->loaded.info, &host->loaded.contract,
                               host->loaded.parts, host->loaded.info.flags | limits, 1, greeting),
           out);
    send(out);
    uint64_t limit = 0;
    bool fresh = true; /* it has not run a case */
    struct line line = {0};
    int code = EXIT_SUCCESS;
    struct batch batch = {.room = 0};
    while (read_line(in, &line) && strcmp(line.text, "quit") != 0) {
        if (serve_probe(host, line.text, out)) {
            if (put_death(host, 0, true, out)) {
                code = TOPK_WORKER_EXIT_DIED;
                break;
            }
            continue;
        }
        const uint64_t said = number_of(line.text, "limit ", 12);
        if (said > 0) {
            limit = said;
            if (host->client != NULL) {
                topk_client_limit(host->client, limit, false); /* for probes */
            }
            continue;
        }
        const uint64_t number = number_of(line.text, "batch ", 4);
        const uint32_t count = number <= TOPK_PROTOCOL_BATCH ? (uint32_t)number : 0;
        if (count == 0) {
            char why[200];
            char word[600];
            snprintf(why, sizeof why, "not understood: %.100s", line.text);
            topk_word_print(why, word, sizeof word);
            fprintf(out, "error %s\n", word);
            send(out);
            code = TOPK_WORKER_EXIT_HARNESS;
            break;
        }
        if (!reserve_batch(&batch, count)) {
            code = TOPK_WORKER_EXIT_HARNESS;
            break;
        }
        if (host->client != NULL) {
            /* a case that is sent alone to a fresh process was late before */
            topk_client_limit(host->client, limit, fresh && count == 1);
            fresh = false;
        }
        const bool whole = read_batch(&batch, count, in, &line);
        const bool alive = whole && run_batch(host, &batch, count, out);
        for (uint32_t i = 0; i < count; i++) {
            topk_case_clear(&batch.cases[i]);
        }
        if (!alive) {
            code = whole ? TOPK_WORKER_EXIT_DIED : code;
            break;
        }
    }
    free_batch(&batch);
    free(line.text);
    return line.no_memory ? TOPK_WORKER_EXIT_HARNESS : code;
}
