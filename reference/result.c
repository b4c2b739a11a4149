/* Results and their line. The fields have a fixed order, so that each result has one text. */
#include "result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    bool failure;
} verdicts[] = {
#define VERDICT(name, word, failure, meaning) {word, failure},
    TOPK_VERDICT_LIST(VERDICT)
#undef VERDICT
};

const char *topk_verdict_word(enum topk_verdict verdict)
{
    return verdicts[verdict].word;
}

bool topk_verdict_failure(enum topk_verdict verdict)
{
    return verdicts[verdict].failure;
}

const char *topk_verdict_wrong(enum topk_verdict verdict, bool findings, bool outputs, bool reason)
{
    switch (verdict) {
    case TOPK_VERDICT_PASS:
    case TOPK_VERDICT_UNSUPPORTED:
        return findings || outputs ? "it has findings" : NULL;
    case TOPK_VERDICT_FAIL:
        return !findings && !reason ? "it has neither a finding nor a reason" : NULL;
    case TOPK_VERDICT_ERROR:
        return findings || outputs ? "it has findings" : !reason ? "it has no reason" : NULL;
    case TOPK_VERDICT_ACCEPTED:
        return !findings ? "it has no finding" : NULL;
    case TOPK_VERDICT_EXPECTED_FAIL:
    case TOPK_VERDICT_UNEXPECTED_PASS:
        return "it is not said what the case came to";
    default:
        return NULL;
    }
}

enum topk_verdict topk_verdict_parse(const char *word, size_t length)
{
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (strlen(verdicts[i].word) == length && memcmp(verdicts[i].word, word, length) == 0) {
            return (enum topk_verdict)i;
        }
    }
    return TOPK_VERDICT_COUNT;
}

void topk_result_explain(struct topk_result *result, struct topk_diagnosis diagnosis)
{
    result->reading = topk_readings_first(diagnosis.readings);
    result->readings = diagnosis.readings;
    result->guess = diagnosis.guess;
}

void topk_result_clauses(const struct topk_result *result, struct topk_clause_set *clauses)
{
    *clauses = (struct topk_clause_set){{0}};
    for (uint32_t i = 0; i < result->judgement.count; i++) {
        enum topk_clause clause = result->judgement.findings[i].clause;
        bool explained = result->reading != TOPK_READING_NONE && clause != TOPK_CLAUSE_M01 &&
                         clause != TOPK_CLAUSE_M02;
        topk_clause_set_add(clauses, explained ? result->clause : clause);
    }
}

static bool plain(unsigned char c)
{
    return c > ' ' && c < 0x7f && c != '%' && c != ',' && c != '=';
}

size_t topk_word_print(const char *text, char *word, size_t size)
{
    size_t length = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p != 0; p++) {
        size_t need = plain(*p) ? 1 : 3;
        if (length + need >= size) {
            break;
        }
        if (need == 1) {
            word[length] = (char)*p;
        } else {
            snprintf(word + length, 4, "%%%02X", *p);
        }
        length += need;
    }
    word[length] = 0;
    return length;
}

static int hex_digit(char c)
{
    const char *digits = "0123456789ABCDEF";
    const char *at = c == 0 ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits);
}

bool topk_word_parse(const char *word, size_t length, char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < length; count++) {
        if (count + 1 >= size) {
            return false;
        }
        if (plain((unsigned char)word[i])) {
            text[count] = word[i++];
            continue;
        }
        int high = word[i] == '%' && i + 2 < length ? hex_digit(word[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(word[i + 2]) : -1;
        if (low < 0 || plain((unsigned char)(high << 4 | low)) || (high | low) == 0) {
            return false;
        }
        text[count] = (char)(high << 4 | low);
        i += 3;
    }
    text[count] = 0;
    return true;
}

/* ---- printing -------------------------------------------------------------------------------- */

struct printer {
    char *text;
    size_t length;
};

static void put(struct printer *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(p->text + p->length, TOPK_RESULT_TEXT - p->length, format, arguments);
    va_end(arguments);
    /* the sizes below add up to less than TOPK_RESULT_TEXT; result_test.c prints the longest line
     */
    if (length > 0 && (size_t)length < TOPK_RESULT_TEXT - p->length) {
        p->length += (size_t)length;
    }
}

static void put_finding(struct printer *p, const struct topk_finding *finding)
{
    put(p, " finding=%s,%s,%s,", topk_clause_id(finding->clause),
        topk_mismatch_row(finding->mismatch)->word, topk_role_name(finding->role));
    if (finding->rank == 0) {
        put(p, "@%" PRId64, finding->byte);
    }
    for (uint32_t i = 0; i < finding->rank; i++) {
        put(p, "%s%" PRIu32, i == 0 ? "" : ".", finding->at[i]);
    }
    put(p, ",%" PRIx64 ",%" PRIx64 ",%" PRIu64, finding->expected, finding->actual, finding->count);
}

static void put_readings(struct printer *p, const struct topk_result *result)
{
    const char *before = result->guess ? " guess=" : " cause=";
    for (int i = TOPK_READING_NONE + 1; i < TOPK_READING_COUNT; i++) {
        if ((result->readings >> i & 1) != 0) {
            put(p, "%s%s", before, topk_reading_row((enum topk_reading)i)->word);
            before = ",";
        }
    }
}

static void put_outputs(struct printer *p, const struct topk_outputs *outputs)
{
    if (outputs->known) {
        put(p, " outputs=%" PRIx64 ",%" PRIx64, outputs->values, outputs->pairs);
        for (uint32_t i = 0; i < outputs->count; i++) {
            put(p, ",%" PRIx64 ".%" PRIx64, outputs->value[i], outputs->index[i]);
        }
    }
}

size_t topk_result_print(const struct topk_result *result, char text[TOPK_RESULT_TEXT])
{
    struct printer p;
    p.text = text;
    p.length = 0;
    const struct topk_judgement *judgement = &result->judgement;
    put(&p, "%s clause=%s obs=%" PRIx32 " ns=%" PRIu64, topk_verdict_word(result->verdict),
        topk_clause_id(result->clause), judgement->observations, result->nanoseconds);
    if (result->call != 0) {
        put(&p, " call=%" PRIu32, result->call);
    }
    put(&p, "%s", result->by_status ? " by=status" : result->by_contract ? " by=contract" : "");
    for (uint32_t i = 0; i < judgement->count; i++) {
        put_finding(&p, &judgement->findings[i]);
    }
    if (judgement->has_sequence) {
        put(&p, " sequence=%" PRIu64 ",%" PRIu32, judgement->sequence, judgement->position);
    }
    if (result->window_count > 0) {
        put(&p, " got=%" PRIu32, result->window_from);
        for (uint32_t i = 0; i < result->window_count; i++) {
            put(&p, ",%" PRIx64 ".%" PRIx64, result->window_values[i], result->window_indices[i]);
        }
    }
    put_readings(&p, result);
    put_outputs(&p, &result->outputs);
    if (result->reason[0] != 0) {
        char word[3 * TOPK_REASON];
        topk_word_print(result->reason, word, sizeof word);
        put(&p, " why=%s", word);
    }
    return p.length;
}

/* ---- parsing --------------------------------------------------------------------------------- */

struct reader {
    const char *at;
    const char *end;
};

static bool take(struct reader *r, const char *expected)
{
    size_t length = strlen(expected);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, expected, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

/* reads a word up to one of the stops or the end */
static size_t take_word(struct reader *r, const char *stops, const char **word)
{
    *word = r->at;
    while (r->at < r->end && *r->at != 0 && strchr(stops, *r->at) == NULL) {
        r->at++;
    }
    return (size_t)(r->at - *word);
}

/* reads a number as printf writes it: no sign, no leading zeros, lower-case digits */
static bool take_number(struct reader *r, unsigned base, uint64_t most, uint64_t *number)
{
    const char *digits = "0123456789abcdef";
    const char *start = r->at;
    *number = 0;
    while (r->at < r->end && *r->at != 0) {
        const char *digit = strchr(digits, *r->at);
        if (digit == NULL || digit >= digits + base) {
            break;
        }
        uint64_t value = (uint64_t)(digit - digits);
        if (*number > (most - value) / base) {
            return false;
        }
        *number = *number * base + value;
        r->at++;
    }
    return r->at > start && (*start != '0' || r->at == start + 1);
}

static bool take_u32(struct reader *r, uint32_t *number)
{
    uint64_t wide = 0;
    bool ok = take_number(r, 10, UINT32_MAX, &wide);
    *number = (uint32_t)wide;
    return ok;
}

static bool take_clause(struct reader *r, enum topk_clause *clause)
{
    const char *word;
    size_t length = take_word(r, " ,", &word);
    *clause = topk_clause_parse(word, length);
    return *clause != TOPK_CLAUSE_NONE || (length == 1 && *word == '-');
}

static bool take_place(struct reader *r, struct topk_finding *finding)
{
    if (take(r, "@")) {
        bool negative = take(r, "-");
        uint64_t magnitude = 0;
        if (!take_number(r, 10, (uint64_t)INT64_MAX + negative, &magnitude)) {
            return false;
        }
        if (negative && magnitude == 0) {
            return false;
        }
        /* INT64_MIN has no positive counterpart: negated as -1 - (magnitude - 1) */
        finding->byte = negative ? -1 - (int64_t)(magnitude - 1) : (int64_t)magnitude;
        return true;
    }
    do {
        if (finding->rank == TOPK_RANK_VALID || !take_u32(r, &finding->at[finding->rank])) {
            return false;
        }
        finding->rank++;
    } while (take(r, "."));
    return true;
}

static bool take_finding(struct reader *r, struct topk_finding *finding)
{
    const char *word;
    memset(finding, 0, sizeof *finding);
    if (!take_clause(r, &finding->clause) || finding->clause == TOPK_CLAUSE_NONE || !take(r, ",")) {
        return false;
    }
    size_t length = take_word(r, ",", &word);
    int mismatch = 0;
    while (mismatch < TOPK_MISMATCH_COUNT) {
        const char *known = topk_mismatch_row((enum topk_mismatch)mismatch)->word;
        if (strlen(known) == length && memcmp(known, word, length) == 0) {
            break;
        }
        mismatch++;
    }
    if (mismatch == TOPK_MISMATCH_COUNT || !take(r, ",")) {
        return false;
    }
    finding->mismatch = (enum topk_mismatch)mismatch;
    int role = 0;
    while (role < TOPK_ROLE_COUNT && !take(r, topk_role_name((enum topk_role)role))) {
        role++;
    }
    finding->role = (enum topk_role)role;
    return role < TOPK_ROLE_COUNT && take(r, ",") && take_place(r, finding) && take(r, ",") &&
           take_number(r, 16, UINT64_MAX, &finding->expected) && take(r, ",") &&
           take_number(r, 16, UINT64_MAX, &finding->actual) && take(r, ",") &&
           take_number(r, 10, UINT64_MAX, &finding->count) && finding->count > 0;
}

/* reads ",VALUE.INDEX" as often as it occurs, at most `room` times */
static bool take_pairs(struct reader *r, uint64_t values[], uint64_t indices[], uint32_t room,
                       uint32_t *count)
{
    while (take(r, ",")) {
        if (*count == room || !take_number(r, 16, UINT64_MAX, &values[*count]) || !take(r, ".") ||
            !take_number(r, 16, UINT64_MAX, &indices[*count])) {
            return false;
        }
        ++*count;
    }
    return *count > 0;
}

static bool take_window(struct reader *r, struct topk_result *result)
{
    return take_u32(r, &result->window_from) &&
           take_pairs(r, result->window_values, result->window_indices, TOPK_WINDOW,
                      &result->window_count);
}

static bool take_outputs(struct reader *r, struct topk_outputs *outputs)
{
    outputs->known = true;
    return take_number(r, 16, UINT64_MAX, &outputs->values) && take(r, ",") &&
           take_number(r, 16, UINT64_MAX, &outputs->pairs) &&
           take_pairs(r, outputs->value, outputs->index, TOPK_OUTPUTS_SHOWN, &outputs->count);
}

/* reads readings in their order, each once */
static bool take_readings(struct reader *r, struct topk_result *result)
{
    struct topk_diagnosis diagnosis = {.guess = take(r, " guess=")};
    if (!diagnosis.guess && !take(r, " cause=")) {
        return true;
    }
    do {
        const char *word;
        const size_t length = take_word(r, " ,", &word);
        const enum topk_reading reading = topk_reading_parse(word, length);
        const topk_reading_set only = topk_reading_only(reading);
        if (only <= diagnosis.readings) {
            return false;
        }
        diagnosis.readings |= only;
    } while (take(r, ","));
    topk_result_explain(result, diagnosis);
    return true;
}

bool topk_result_parse(const char *text, size_t length, struct topk_result *result)
{
    struct reader r = {text, text + length};
    struct topk_judgement *judgement = &result->judgement;
    memset(result, 0, sizeof *result);
    const char *word;
    size_t run = take_word(&r, " ", &word);
    result->verdict = topk_verdict_parse(word, run);
    uint64_t observations = 0;
    if (result->verdict == TOPK_VERDICT_COUNT || !take(&r, " clause=") ||
        !take_clause(&r, &result->clause) || !take(&r, " obs=") ||
        !take_number(&r, 16, UINT32_MAX, &observations) || !take(&r, " ns=") ||
        !take_number(&r, 10, UINT64_MAX, &result->nanoseconds)) {
        return false;
    }
    judgement->observations = (uint32_t)observations;
    if (observations >> (TOPK_OBSERVATION_COUNT - 1) >> 1 != 0) {
        return false;
    }
    if (take(&r, " call=") && (!take_u32(&r, &result->call) || result->call == 0)) {
        return false;
    }
    result->by_status = take(&r, " by=status");
    result->by_contract = !result->by_status && take(&r, " by=contract");
    if ((result->by_status && result->verdict != TOPK_VERDICT_PASS) ||
        (result->by_contract && result->verdict != TOPK_VERDICT_UNSUPPORTED)) {
        return false;
    }
    while (take(&r, " finding=")) {
        if (judgement->count == TOPK_FINDINGS_MAX ||
            !take_finding(&r, &judgement->findings[judgement->count])) {
            return false;
        }
        judgement->count++;
    }
    if (take(&r, " sequence=")) {
        judgement->has_sequence = true;
        if (!take_number(&r, 10, UINT64_MAX, &judgement->sequence) || !take(&r, ",") ||
            !take_u32(&r, &judgement->position)) {
            return false;
        }
    }
    if (take(&r, " got=") && !take_window(&r, result)) {
        return false;
    }
    if (!take_readings(&r, result)) {
        return false;
    }
    if (take(&r, " outputs=") && !take_outputs(&r, &result->outputs)) {
        return false;
    }
    if (take(&r, " why=")) {
        run = take_word(&r, " ", &word);
        if (run == 0 || !topk_word_parse(word, run, result->reason, sizeof result->reason)) {
            return false;
        }
    }
    return r.at == r.end;
}
