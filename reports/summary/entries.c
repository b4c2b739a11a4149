/* Finds the bugs of a run. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "gathering.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "reference/diagnosis.h"

/* a verdict is a nature of failures */
_Static_assert(TOPK_VERDICT_COUNT <= TOPK_NATURES, "more verdicts than natures");

/* ---- gathering ------------------------------------------------------------------------------- */

struct topk_gathering *topk_gathering_new(const struct topk_contract *contract)
{
    struct topk_gathering *gathering = calloc(1, sizeof *gathering);
    if (gathering != NULL) {
        gathering->most = TOPK_GATHERED_MOST;
        gathering->every[0] = 1;
        gathering->every[1] = 1;
    }
    if (gathering != NULL && contract != NULL) {
        gathering->contract = *contract;
    }
    return gathering;
}

void topk_gathering_limit(struct topk_gathering *gathering, size_t most)
{
    gathering->most = most;
}

/* Drops every second case of the failures or of the others, whichever are more. Fresh cases are
 * kept. */
static void thin(struct topk_gathering *gathering)
{
    const bool failed = gathering->kept[1] > gathering->kept[0];
    size_t to = 0;
    size_t kept = 0;
    for (size_t i = 0; i < gathering->count; i++) {
        const struct topk_sample *sample = &gathering->samples[i];
        const bool one = !sample->fresh && (sample->label == TOPK_LABEL_FAIL) == failed;
        if (one && kept++ % 2 != 0) {
            free(gathering->cases[i].id);
            continue;
        }
        gathering->cases[to] = gathering->cases[i];
        gathering->samples[to++] = *sample;
    }
    gathering->count = to;
    gathering->kept[failed] = (kept + 1) / 2;
    gathering->every[failed] *= 2;
}

/* Decides whether to keep a case, and makes room for it. */
static bool is_taken(struct topk_gathering *gathering, bool failed)
{
    if (gathering->seen[failed]++ % gathering->every[failed] != 0) {
        return false;
    }
    if (gathering->kept[0] + gathering->kept[1] >= gathering->most) {
        thin(gathering);
        if ((gathering->seen[failed] - 1) % gathering->every[failed] != 0) {
            return false;
        }
    }
    gathering->kept[failed]++;
    return true;
}

static bool make_room(struct topk_gathering *gathering)
{
    if (gathering->count < gathering->room) {
        return true;
    }
    const size_t room = gathering->room == 0 ? 1024 : 2 * gathering->room;
    struct gathered *cases = realloc(gathering->cases, room * sizeof *cases);
    gathering->cases = cases == NULL ? gathering->cases : cases;
    struct topk_sample *samples = realloc(gathering->samples, room * sizeof *samples);
    gathering->samples = samples == NULL ? gathering->samples : samples;
    gathering->room = cases == NULL || samples == NULL ? gathering->room : room;
    return cases != NULL && samples != NULL;
}

/* Finds where a case crashed: the function if it is known, because one bug may crash at several
 * instructions of a function. */
static bool site_of(struct topk_gathering *gathering, const struct topk_log_record *record,
                    struct topk_sample *sample)
{
    const struct topk_crash_frame *frame =
        record->crash == NULL ? NULL : topk_crash_site(record->crash);
    if (frame == NULL) {
        return true;
    }
    char *place = frame->symbol[0] != 0
                      ? topk_text_make("%s %s", frame->module, frame->symbol)
                      : topk_text_make("%s+%" PRIu64, frame->module, frame->offset);
    const bool ok = place != NULL && topk_ids_number(&gathering->sites, place, &sample->site);
    sample->site++;
    free(place);
    return ok;
}

/* Classifies how a case failed: by one cause, at one place, or with one kind of mismatch. */
static bool kind_of(struct topk_gathering *gathering, const struct topk_log_record *record,
                    struct topk_sample *sample)
{
    char site[TOPK_CRASH_TEXT] = "";
    if (record->crash != NULL) {
        topk_crash_site_print(record->crash, site);
    }
    const bool cause = record->readings != 0 && !record->guess;
    const bool refused = record->verdict == TOPK_VERDICT_REFUSED && record->reason != NULL;
    char *key =
        topk_text_make("%d %s %s %s", (int)record->verdict, refused ? record->reason : site,
                       cause ? topk_reading_row(topk_readings_first(record->readings))->word : "",
                       !cause && record->finding_count > 0 ? record->findings[0].mismatch : "");
    const bool ok = key != NULL && topk_ids_number(&gathering->kinds, key, &sample->kind);
    free(key);
    return ok;
}

/* Each verdict is a nature of its own. A flaky failure is what it is when it fails. */
static unsigned char nature_of(const struct topk_log_record *record)
{
    const bool crash = record->crash != NULL && record->crash->signal[0] != 0;
    const enum topk_verdict verdict = record->verdict != TOPK_VERDICT_FLAKY ? record->verdict
                                      : crash                               ? TOPK_VERDICT_CRASH
                                                                            : TOPK_VERDICT_FAIL;
    return (unsigned char)verdict;
}

bool topk_gathering_add(struct topk_gathering *gathering, const struct topk_log_record *record,
                        bool fresh)
{
    const bool failed = topk_verdict_failure(record->verdict);
    struct topk_case tc;
    struct topk_case_error error;
    gathering->failures += failed && !fresh;
    if (!fresh && !is_taken(gathering, failed)) {
        return true;
    }
    if (!make_room(gathering)) {
        return false;
    }
    struct topk_sample *sample = &gathering->samples[gathering->count];
    struct gathered *to = &gathering->cases[gathering->count];
    *to = (struct gathered){.number = record->number,
                            .id = strdup(record->id),
                            .verdict = record->verdict,
                            .clause = record->clause,
                            .alone = record->again != NULL,
                            .behind =
                                record->again != NULL && record->again->kind == TOPK_AGAIN_BEHIND};
    *sample = (struct topk_sample){.fresh = fresh,
                                   .verdict = (uint32_t)record->verdict,
                                   .call = topk_features_call(failed, record->call),
                                   .nature = nature_of(record),
                                   .readings = record->readings,
                                   .guess = record->guess,
                                   .wrong = record->has_sequence};
    if (record->verdict == TOPK_VERDICT_ACCEPTED) {
        /* Each clause about descriptions is checked separately. */
        sample->verdict = TOPK_VERDICT_COUNT + (uint32_t)record->clause;
    }
    if (to->id == NULL ||
        (failed && (!kind_of(gathering, record, sample) || !site_of(gathering, record, sample)))) {
        free(to->id);
        return false;
    }
    const char *text = topk_gathered_text(to->id);
    if (topk_case_parse(text, strlen(text), &tc, &error)) {
        topk_features_describe_call(&tc, sample->call, &sample->features);
        sample->refusal = !topk_aspects_ask(topk_case_call(&tc, sample->call));
        to->elements = topk_case_elements(&tc);
        topk_case_clear(&tc);
    } else {
        to->elements = UINT64_MAX;
        memset(sample->features.words, TOPK_WORD_UNKNOWN, sizeof sample->features.words);
        memset(sample->features.numbers, 0xff, sizeof sample->features.numbers);
        sample->looked = true;
    }
    sample->label = failed                                 ? TOPK_LABEL_FAIL
                    : record->verdict == TOPK_VERDICT_PASS ? TOPK_LABEL_PASS
                                                           : TOPK_LABEL_NEITHER;
    gathering->count++;
    return true;
}

bool topk_gathering_add_result(struct topk_gathering *gathering, uint64_t number, const char *id,
                               const struct topk_result *result, bool fresh)
{
    const struct topk_judgement *judgement = &result->judgement;
    struct topk_log_finding finding = {.mismatch = ""};
    if (judgement->count > 0) {
        finding.mismatch = topk_mismatch_row(judgement->findings[0].mismatch)->word;
    }
    const struct topk_log_record record = {.number = number,
                                           .id = id,
                                           .verdict = result->verdict,
                                           .clause = result->clause,
                                           .call = result->call,
                                           .crash = &result->crash,
                                           .reason = result->reason,
                                           .readings = result->readings,
                                           .guess = result->guess,
                                           .finding_count = judgement->count > 0,
                                           .findings = &finding,
                                           .has_sequence = judgement->has_sequence};
    return topk_gathering_add(gathering, &record, fresh);
}

void topk_gathering_free(struct topk_gathering *gathering)
{
    for (size_t i = 0; gathering != NULL && i < gathering->count; i++) {
        free(gathering->cases[i].id);
    }
    if (gathering != NULL) {
        topk_ids_free(&gathering->kinds);
        topk_ids_free(&gathering->sites);
        free(gathering->cases);
        free(gathering->samples);
    }
    free(gathering);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void note_failure(const struct topk_gathering *gathering, size_t number,
                         struct topk_entry *entry, uint64_t verdicts[TOPK_VERDICT_COUNT],
                         uint64_t clauses[TOPK_CLAUSE_COUNT + 1])
{
    const struct gathered *c = &gathering->cases[number];
    const uint64_t elements = c->elements;
    entry->alone += c->alone;
    entry->behind += c->behind;
    verdicts[c->verdict]++;
    clauses[c->clause]++;
    entry->first = entry->count == 0 || c->number < entry->first ? c->number : entry->first;
    if (entry->count == 0 || elements < entry->elements ||
        (elements == entry->elements && c->number < entry->number)) {
        entry->elements = elements;
        entry->number = c->number;
        entry->id = c->id; /* not a copy yet */
    }
    entry->count++;
}

static size_t most(const uint64_t *counts, size_t count)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++) {
        found = counts[i] > counts[found] ? i : found;
    }
    return found;
}

/* Fills in an entry. Returns false if memory ran out, or if no case of the run belongs to it. */
static bool fill(struct topk_gathering *gathering, struct topk_bugs *bugs, size_t number,
                 struct topk_entry *entry)
{
    uint64_t verdicts[TOPK_VERDICT_COUNT] = {0};
    uint64_t clauses[TOPK_CLAUSE_COUNT + 1] = {0};
    *entry = (struct topk_entry){.bug = bugs->list[number]};
    for (size_t i = 0; i < gathering->count; i++) {
        if (bugs->of[i] == number + 1 && !gathering->samples[i].fresh) {
            note_failure(gathering, i, entry, verdicts, clauses);
        }
    }
    entry->id = entry->id == NULL ? NULL : strdup(entry->id);
    entry->verdict = (enum topk_verdict)most(verdicts, TOPK_VERDICT_COUNT);
    entry->clause = (enum topk_clause)most(clauses, TOPK_CLAUSE_COUNT + 1);
    const bool ok = topk_settle_cause(gathering, bugs, number, entry);
    const enum topk_reading first = topk_readings_first(entry->readings);
    const enum topk_clause clause =
        first == TOPK_READING_NONE ? TOPK_CLAUSE_NONE : topk_reading_row(first)->clause;
    if (clause != TOPK_CLAUSE_NONE && clauses[clause] > 0) {
        entry->clause = clause;
    }
    return ok && entry->id != NULL;
}

struct placed {
    uint64_t number;
    unsigned char of;
};

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int by_place(const void *a, const void *b)
{
    return by_number(&((const struct placed *)a)->number, &((const struct placed *)b)->number);
}

static bool list_failures(const struct topk_gathering *gathering, const struct topk_bugs *bugs,
                          struct topk_entries *entries)
{
    const size_t room = gathering->kept[1] + 1;
    struct placed *placed = malloc(room * sizeof *placed);
    entries->numbers = malloc(room * sizeof *entries->numbers);
    entries->of = malloc(room);
    const bool ok = placed != NULL && entries->numbers != NULL && entries->of != NULL;
    for (size_t i = 0; ok && i < gathering->count; i++) {
        if (bugs->of[i] != 0 && !gathering->samples[i].fresh) {
            placed[entries->number_count++] =
                (struct placed){gathering->cases[i].number, (unsigned char)(bugs->of[i] - 1)};
        }
    }
    if (ok) {
        qsort(placed, entries->number_count, sizeof *placed, by_place);
    }
    for (size_t i = 0; ok && i < entries->number_count; i++) {
        entries->numbers[i] = placed[i].number;
        entries->of[i] = placed[i].of;
    }
    free(placed);
    return ok;
}

bool topk_gathering_learn(struct topk_gathering *gathering, struct topk_entries *entries)
{
    const struct topk_look data = {topk_gathered_look, gathering};
    struct topk_bugs bugs = {.count = 0};
    bool ok = true;
    memset(entries, 0, sizeof *entries);
    entries->failures = gathering->failures;
    entries->every_other = gathering->every[0];
    entries->every_failure = gathering->every[1];
    if (gathering->failures > 0) {
        ok = topk_bugs_learn(&bugs, gathering->samples, gathering->count, &data);
        entries->list = ok ? calloc(bugs.count + 1, sizeof *entries->list) : NULL;
        ok = entries->list != NULL;
        for (size_t i = 0; ok && i < bugs.count; i++) {
            ok = fill(gathering, &bugs, i, &entries->list[i]);
            entries->count++;
        }
        ok = ok && list_failures(gathering, &bugs, entries);
    }
    topk_bugs_free(&bugs);
    return ok;
}

const struct topk_entry *topk_entries_find(const struct topk_entries *entries, uint64_t number)
{
    const uint64_t *found = entries->numbers == NULL
                                ? NULL
                                : bsearch(&number, entries->numbers, entries->number_count,
                                          sizeof *entries->numbers, by_number);
    return found == NULL ? NULL : &entries->list[entries->of[found - entries->numbers]];
}

static bool is_member(const struct topk_gathering *gathering, const struct topk_entries *entries,
                      size_t entry, size_t number)
{
    const struct topk_sample *sample = &gathering->samples[number];
    return sample->label == TOPK_LABEL_FAIL && !sample->fresh &&
           topk_entries_find(entries, gathering->cases[number].number) == &entries->list[entry];
}

const char *topk_gathering_member(const struct topk_gathering *gathering,
                                  const struct topk_entries *entries, size_t entry, size_t place)
{
    size_t left = place;
    for (size_t i = 0; i < gathering->count; i++) {
        if (is_member(gathering, entries, entry, i) && left-- == 0) {
            return gathering->cases[i].id;
        }
    }
    return NULL;
}

void topk_gathering_write(const struct topk_gathering *gathering,
                          const struct topk_entries *entries, size_t entry, uint64_t most,
                          FILE *file)
{
    uint64_t left = most;
    for (size_t i = 0; left > 0 && i < gathering->count; i++) {
        if (is_member(gathering, entries, entry, i)) {
            fprintf(file, "%s\n", gathering->cases[i].id);
            left--;
        }
    }
}

void topk_entry_cause(const struct topk_entry *entry, char text[TOPK_ENTRY_CAUSE])
{
    const enum topk_reading first = topk_readings_first(entry->readings);
    text[0] = 0;
    if (first == TOPK_READING_NONE) {
        return;
    }
    const char *sentence = topk_reading_row(first)->sentence;
    if (entry->caused < entry->count) {
        snprintf(text, TOPK_ENTRY_CAUSE,
                 "in %" PRIu64 " of %" PRIu64 " cases %s; the cause of the other %" PRIu64
                 " is not known",
                 entry->caused, entry->count, sentence, entry->count - entry->caused);
    } else {
        snprintf(text, TOPK_ENTRY_CAUSE, "%s%s", entry->guess ? "possible cause: " : "", sentence);
    }
}

void topk_entry_order(const struct topk_entry *entry, char text[TOPK_ENTRY_ORDER])
{
    text[0] = 0;
    if (entry->behind > 0) {
        snprintf(text, TOPK_ENTRY_ORDER,
                 "what was called before matters: of %" PRIu64 " that were run again, %" PRIu64
                 " fail only after other cases",
                 entry->alone, entry->behind);
    }
}

/* Returns "4th", "2nd" and so on. The numbers are powers of two, which end in 2, 4, 6 or 8 but
 * never in 12. */
static const char *ordinal(uint64_t number)
{
    return number % 10 == 2 && number % 100 != 12 ? "nd" : "th";
}

void topk_entries_sample(const struct topk_entries *entries, char text[TOPK_ENTRIES_SAMPLE])
{
    const uint64_t failures = entries->every_failure;
    const uint64_t others = entries->every_other;
    int used = 0;
    text[0] = 0;
    if (failures > 1) {
        used =
            snprintf(text, TOPK_ENTRIES_SAMPLE, "these numbers are of every %" PRIu64 "%s failure",
                     failures, ordinal(failures));
    }
    if (others > 1) {
        snprintf(
            text + used, TOPK_ENTRIES_SAMPLE - (size_t)used, "%severy %" PRIu64 "%s other case",
            used > 0 ? " and " : "these numbers are of all failures and ", others, ordinal(others));
    }
}

void topk_entries_free(struct topk_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->list[i].id);
    }
    free(entries->list);
    free(entries->numbers);
    free(entries->of);
    *entries = (struct topk_entries){0};
}

/* ---- reading a log --------------------------------------------------------------------------- */

struct reading {
    struct topk_gathering *gathering;
    bool no_memory;
};

static bool take_header(void *context, const struct topk_log_header *header)
{
    struct reading *reading = context;
    reading->gathering->contract = header->contract;
    return true;
}

static bool take_record(void *context, const struct topk_log_record *record)
{
    struct reading *reading = context;
    reading->no_memory = !topk_gathering_add(reading->gathering, record, false);
    return !reading->no_memory;
}

static bool take_fresh(void *context, const struct topk_log_record *record)
{
    struct reading *reading = context;
    reading->no_memory = !topk_gathering_add(reading->gathering, record, true);
    return !reading->no_memory;
}

int topk_gathering_read(struct topk_gathering **gathering, const struct topk_log_source *source,
                        char *error, size_t error_bytes)
{
    struct reading reading = {.gathering = topk_gathering_new(NULL)};
    const struct topk_log_reader reader = {
        .context = &reading, .header = take_header, .record = take_record, .fresh = take_fresh};
    int status = -1;
    if (reading.gathering != NULL) {
        status = topk_log_read_source(source, &reader, error, error_bytes);
    }
    if (reading.gathering == NULL || reading.no_memory) {
        topk_gathering_free(reading.gathering);
        reading.gathering = NULL;
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot read %s: out of memory", source->path);
        status = -1;
    }
    *gathering = reading.gathering;
    return status;
}

int topk_entries_read(struct topk_entries *entries, const struct topk_log_source *source,
                      char *error, size_t error_bytes)
{
    struct topk_gathering *gathering;
    memset(entries, 0, sizeof *entries);
    int status = topk_gathering_read(&gathering, source, error, error_bytes);
    if (gathering != NULL && !topk_gathering_learn(gathering, entries)) {
        topk_memory_fail();
        snprintf(error, error_bytes, "cannot read %s: out of memory", source->path);
        status = -1;
    }
    topk_gathering_free(gathering);
    return status;
}
