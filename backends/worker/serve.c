/* The worker's end of the line protocol: lines come in, cases are run, lines go out. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "case/protocol.h"

_Static_assert(TOPK_FLAG_OWN_CONTRACT == TOPK_BACKEND_OWN_CONTRACT &&
                   TOPK_FLAG_STRICT_LEVEL == TOPK_BACKEND_STRICT_LEVEL &&
                   TOPK_FLAG_SOFTWARE == TOPK_BACKEND_SOFTWARE &&
                   TOPK_FLAG_SOFTWARE_DEVICE == TOPK_BACKEND_SOFTWARE_DEVICE &&
                   TOPK_FLAG_PROBES == TOPK_BACKEND_PROBES,
               "the flags of a backend are those of the greeting");

/* a line of input, grown as needed */
struct line {
    char *text;
    size_t length; /* without the line end */
    size_t room;
};

static bool grow(struct line *line)
{
    size_t room = line->room * 2 + 4096;
    char *grown = realloc(line->text, room);
    if (grown == NULL) {
        return false;
    }
    line->text = grown;
    line->room = room;
    return true;
}

/* False at the end of input or if memory is short. Any byte may be in a line. */
static bool read_line(FILE *in, struct line *line)
{
    line->length = 0;
    for (;;) {
        if (line->length == line->room && !grow(line)) {
            return false;
        }
        int c = getc(in);
        if (c == EOF) {
            return false; /* a line without its end is cut: nobody waits for an answer */
        }
        if (c == '\n') {
            break;
        }
        line->text[line->length++] = (char)c;
    }
    if (line->length > 0 && line->text[line->length - 1] == '\r') {
        line->length--;
    }
    line->text[line->length] = 0; /* in the place of the line end */
    return true;
}

static void put_word(FILE *out, const char *key, const char *text)
{
    char word[1024];
    topk_word_print(text, word, sizeof word);
    fprintf(out, " %s%s", key, word);
}

static void greet(const struct topk_backend_info *info, FILE *out)
{
    fprintf(out, "topk-worker %d", TOPK_PROTOCOL_VERSION);
    put_word(out, "name=", info->name);
    put_word(out, "version=", info->version);
    put_word(out, "device=", info->device);
    put_word(out, "driver=", info->driver);
    put_word(out, "features=", info->features);
    fprintf(out, " level=%u.%u flags=%x batch=%u", (unsigned)(info->feature_level >> 12),
            (unsigned)(info->feature_level >> 8 & 15), (unsigned)info->flags,
            (unsigned)info->batch);
    put_word(out, "own=", info->invalid_calls_reason);
    fputc('\n', out);
    fflush(out);
}

static void put_done(FILE *out, uint32_t number, const struct topk_result *result)
{
    char text[TOPK_RESULT_TEXT];
    topk_result_print(result, text);
    fprintf(out, "done %u %s\n", (unsigned)number, text);
}

/* a batch as it was read; room for so many cases, which grows with the largest */
struct batch {
    struct topk_case *cases;
    bool *parsed;                   /* whether it is a case */
    struct topk_case_error *errors; /* if not */
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

static void run_batch(struct topk_host *host, struct batch *batch, uint32_t count, FILE *out)
{
    for (uint32_t from = 0; from < count;) {
        uint32_t grouped = 0;
        while (from + grouped < count && grouped < host->info.batch &&
               batch->parsed[from + grouped]) {
            batch->group[grouped] = &batch->cases[from + grouped];
            grouped++;
        }
        /* what is no case is answered alone */
        const uint32_t begun = grouped == 0 ? 1 : grouped;
        fprintf(out, "begin %u %u\n", (unsigned)from, (unsigned)begun);
        if (grouped == 0) {
            put_unparsed(out, from, &batch->errors[from]);
        } else {
            /* this write also carries the answers before it: one system call a case */
            fflush(out);
            topk_host_run(host, batch->group, grouped, batch->results);
        }
        for (uint32_t i = 0; i < grouped; i++) {
            put_done(out, from + i, &batch->results[i]);
        }
        from += begun;
    }
    fflush(out);
}

/* Reads as many cases; they are to be cleared. False if there are not so many. */
static bool read_batch(struct batch *batch, uint32_t count, FILE *in, struct line *line)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!read_line(in, line)) {
            return false;
        }
        batch->parsed[i] =
            topk_case_parse(line->text, line->length, &batch->cases[i], &batch->errors[i]);
    }
    return true;
}

/* the number behind "batch ", 0 if there is none */
static uint32_t batch_size(const char *text)
{
    if (strncmp(text, "batch ", 6) != 0 || strspn(text + 6, "0123456789") != strlen(text + 6) ||
        strlen(text + 6) > 4) {
        return 0;
    }
    unsigned long number = strtoul(text + 6, NULL, 10);
    return number <= TOPK_PROTOCOL_BATCH ? (uint32_t)number : 0;
}

static void put_probe_names(struct topk_host *host, FILE *out)
{
    const uint32_t count = topk_host_probe_count(host);
    fputs("done 0 probes=", out);
    for (uint32_t i = 0; i < count; i++) {
        char name[TOPK_PROBE_NAME];
        topk_host_probe_name(host, i, name);
        fprintf(out, "%s%s", i == 0 ? "" : ",", name);
    }
    fputc('\n', out);
}

static void run_probe(struct topk_host *host, uint32_t number, FILE *out)
{
    char text[TOPK_PROBE_TEXT];
    struct topk_probe probe = {.verdict = TOPK_PROBE_FAILED, .detail = "there is no such probe"};
    if (number < topk_host_probe_count(host)) {
        topk_host_probe(host, number, &probe);
    }
    topk_probe_print(&probe, text);
    fprintf(out, "done 0 %s\n", text);
}

/* "probes" or "probe N"; false if it is neither */
static bool serve_probe(struct topk_host *host, const char *text, FILE *out)
{
    const bool names = strcmp(text, "probes") == 0;
    const size_t length = strlen(text);
    if (!names && (strncmp(text, "probe ", 6) != 0 || length < 7 || length > 10 ||
                   strspn(text + 6, "0123456789") != length - 6)) {
        return false;
    }
    fputs("begin 0 1\n", out);
    fflush(out);
    if (names) {
        put_probe_names(host, out);
    } else {
        run_probe(host, (uint32_t)strtoul(text + 6, NULL, 10), out);
    }
    fflush(out);
    return true;
}

int topk_serve(struct topk_host *host, FILE *in, FILE *out)
{
    greet(&host->info, out);
    struct line line = {0};
    int code = EXIT_SUCCESS;
    struct batch batch = {.room = 0};
    while (read_line(in, &line) && strcmp(line.text, "quit") != 0) {
        if (serve_probe(host, line.text, out)) {
            continue;
        }
        uint32_t count = batch_size(line.text);
        if (count == 0) {
            char why[200];
            char word[600];
            snprintf(why, sizeof why, "not understood: %.100s", line.text);
            topk_word_print(why, word, sizeof word);
            fprintf(out, "error %s\n", word);
            fflush(out);
            code = TOPK_WORKER_EXIT_HARNESS;
            break;
        }
        if (!reserve_batch(&batch, count)) {
            code = TOPK_WORKER_EXIT_HARNESS;
            break;
        }
        const bool whole = read_batch(&batch, count, in, &line);
        if (whole) {
            run_batch(host, &batch, count, out);
        }
        for (uint32_t i = 0; i < count; i++) {
            topk_case_clear(&batch.cases[i]);
        }
        if (!whole) {
            break;
        }
    }
    free_batch(&batch);
    free(line.text);
    return code;
}
