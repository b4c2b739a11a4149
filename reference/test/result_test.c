/* The line of a result: printed lines parse to the same result, and others are malformed. */
#include "support.h"

#include "reference/result.h"

/* ---- random results -------------------------------------------------------------------------- */

/* numbers of every magnitude, including the ends */
static uint64_t random_number(struct topk_pcg *pcg)
{
    static const uint64_t ends[] = {0, 1, 9, 10, 15, 16, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX};
    return topk_pcg_below(pcg, 3) == 0 ? ends[topk_pcg_below(pcg, COUNT(ends))]
                                       : random_magnitude(pcg, 64);
}

static int64_t to_signed(uint64_t bits)
{
    int64_t number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static struct topk_finding random_finding(struct topk_pcg *pcg)
{
    struct topk_finding finding;
    memset(&finding, 0, sizeof finding);
    finding.clause = (enum topk_clause)topk_pcg_below(pcg, TOPK_CLAUSE_COUNT);
    finding.mismatch = (enum topk_mismatch)topk_pcg_below(pcg, TOPK_MISMATCH_COUNT);
    finding.role = (enum topk_role)topk_pcg_below(pcg, TOPK_ROLE_COUNT);
    finding.rank = topk_pcg_below(pcg, TOPK_RANK_VALID + 1);
    for (uint32_t i = 0; i < finding.rank; i++) {
        finding.at[i] = (uint32_t)random_number(pcg);
    }
    if (finding.rank == 0) {
        finding.byte = to_signed(random_number(pcg));
    }
    finding.expected = random_number(pcg);
    finding.actual = random_number(pcg);
    uint64_t count = random_number(pcg);
    finding.count = count == 0 ? 1 : count;
    return finding;
}

static void random_text(struct topk_pcg *pcg, char *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)(unsigned char)(1 + topk_pcg_below(pcg, 255));
    }
    text[length] = 0;
}

static struct topk_result random_result(struct topk_pcg *pcg)
{
    struct topk_result result;
    memset(&result, 0, sizeof result);
    result.verdict = (enum topk_verdict)topk_pcg_below(pcg, TOPK_VERDICT_COUNT);
    result.clause = (enum topk_clause)topk_pcg_below(pcg, TOPK_CLAUSE_COUNT + 1);
    result.by_status = result.verdict == TOPK_VERDICT_PASS && topk_pcg_below(pcg, 2) != 0;
    result.nanoseconds = random_number(pcg);
    struct topk_judgement *judgement = &result.judgement;
    judgement->observations = topk_pcg_next(pcg) >> (32 - TOPK_OBSERVATION_COUNT);
    if (topk_pcg_below(pcg, 2)) {
        judgement->count = topk_pcg_below(pcg, TOPK_FINDINGS_MAX + 1);
        for (uint32_t i = 0; i < judgement->count; i++) {
            judgement->findings[i] = random_finding(pcg);
        }
    }
    judgement->has_sequence = topk_pcg_below(pcg, 2) != 0;
    if (judgement->has_sequence) {
        judgement->sequence = random_number(pcg);
        judgement->position = (uint32_t)random_number(pcg);
    }
    result.window_count = topk_pcg_below(pcg, 2) ? topk_pcg_below(pcg, TOPK_WINDOW + 1) : 0;
    result.window_from = result.window_count > 0 ? (uint32_t)random_number(pcg) : 0;
    for (uint32_t i = 0; i < result.window_count; i++) {
        result.window_values[i] = random_number(pcg);
        result.window_indices[i] = random_number(pcg);
    }
    struct topk_diagnosis diagnosis = {0};
    for (uint32_t i = topk_pcg_below(pcg, 4); i > 0; i--) {
        diagnosis.readings |=
            topk_reading_only((enum topk_reading)topk_pcg_below(pcg, TOPK_READING_COUNT));
    }
    diagnosis.guess = diagnosis.readings != 0 && topk_pcg_below(pcg, 2) != 0;
    topk_result_explain(&result, diagnosis);
    result.outputs.known = topk_pcg_below(pcg, 2) != 0;
    if (result.outputs.known) {
        result.outputs.values = random_number(pcg);
        result.outputs.pairs = random_number(pcg);
        result.outputs.count = 1 + topk_pcg_below(pcg, TOPK_OUTPUTS_SHOWN);
    }
    for (uint32_t i = 0; i < result.outputs.count; i++) {
        result.outputs.value[i] = random_number(pcg);
        result.outputs.index[i] = random_number(pcg);
    }
    random_text(pcg, result.reason, topk_pcg_below(pcg, 2) ? topk_pcg_below(pcg, TOPK_REASON) : 0);
    return result;
}

static void assert_same(const struct topk_result *a, const struct topk_result *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->clause, b->clause);
    assert_int_equal(a->by_status, b->by_status);
    assert_int_equal(a->call, b->call);
    assert_true(a->nanoseconds == b->nanoseconds);
    const struct topk_judgement *x = &a->judgement;
    const struct topk_judgement *y = &b->judgement;
    assert_int_equal(x->count, y->count);
    assert_int_equal(x->observations, y->observations);
    assert_int_equal(x->has_sequence, y->has_sequence);
    assert_true(x->sequence == y->sequence && x->position == y->position);
    for (uint32_t i = 0; i < x->count; i++) {
        const struct topk_finding *f = &x->findings[i];
        const struct topk_finding *g = &y->findings[i];
        assert_true(f->clause == g->clause && f->mismatch == g->mismatch && f->role == g->role);
        assert_int_equal(f->rank, g->rank);
        assert_memory_equal(f->at, g->at, sizeof f->at);
        assert_true(f->byte == g->byte);
        assert_true(f->expected == g->expected && f->actual == g->actual && f->count == g->count);
    }
    assert_int_equal(a->window_from, b->window_from);
    assert_int_equal(a->window_count, b->window_count);
    assert_memory_equal(a->window_values, b->window_values, sizeof a->window_values);
    assert_memory_equal(a->window_indices, b->window_indices, sizeof a->window_indices);
    assert_int_equal(a->reading, b->reading);
    assert_true(a->readings == b->readings && a->guess == b->guess);
    const struct topk_outputs *o = &a->outputs;
    const struct topk_outputs *p = &b->outputs;
    assert_true(o->known == p->known && o->values == p->values && o->pairs == p->pairs);
    assert_int_equal(o->count, p->count);
    assert_memory_equal(o->value, p->value, sizeof o->value);
    assert_memory_equal(o->index, p->index, sizeof o->index);
    assert_string_equal(a->reason, b->reason);
}

static void random_round_trip(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 50);
    int results = TOPK_SANITIZED ? 20000 : 200000;
    for (int i = 0; i < results; i++) {
        struct topk_result result = random_result(&pcg);
        char text[TOPK_RESULT_TEXT];
        size_t length = topk_result_print(&result, text);
        assert_int_equal(strlen(text), length);
        for (size_t j = 0; j < length; j++) {
            assert_in_range(text[j], ' ', '~');
        }
        struct topk_result back;
        memset(&back, 0xee, sizeof back);
        if (!topk_result_parse(text, length, &back)) {
            fail_msg("not read back: %s", text);
        }
        assert_same(&result, &back);
        /* the length counts, not what comes after it */
        text[length] = 'x';
        assert_true(topk_result_parse(text, length, &back));
    }
}

/* ---- fixed lines ----------------------------------------------------------------------------- */

/* a result with the longest line: the longest words, and numbers with the most digits */
static struct topk_result longest_result(void)
{
    struct topk_result result;
    memset(&result, 0, sizeof result);
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        if (strlen(topk_verdict_word((enum topk_verdict)i)) >
            strlen(topk_verdict_word(result.verdict))) {
            result.verdict = (enum topk_verdict)i;
        }
    }
    result.clause = TOPK_CLAUSE_T10b;
    result.call = UINT32_MAX;
    result.nanoseconds = UINT64_MAX;
    struct topk_finding finding = {.clause = TOPK_CLAUSE_T10b,
                                   .role = TOPK_INPUT,
                                   .rank = TOPK_RANK_VALID,
                                   .expected = UINT64_MAX,
                                   .actual = UINT64_MAX,
                                   .count = UINT64_MAX};
    for (int i = 0; i < TOPK_MISMATCH_COUNT; i++) {
        if (strlen(topk_mismatch_row((enum topk_mismatch)i)->word) >
            strlen(topk_mismatch_row(finding.mismatch)->word)) {
            finding.mismatch = (enum topk_mismatch)i;
        }
    }
    memset(finding.at, 0xff, sizeof finding.at);
    struct topk_judgement *judgement = &result.judgement;
    judgement->count = TOPK_FINDINGS_MAX;
    for (int i = 0; i < TOPK_FINDINGS_MAX; i++) {
        judgement->findings[i] = finding;
    }
    judgement->observations = UINT32_MAX >> (32 - TOPK_OBSERVATION_COUNT);
    judgement->has_sequence = true;
    judgement->sequence = UINT64_MAX;
    judgement->position = UINT32_MAX;
    result.window_from = UINT32_MAX;
    result.window_count = TOPK_WINDOW;
    memset(result.window_values, 0xff, sizeof result.window_values);
    memset(result.window_indices, 0xff, sizeof result.window_indices);
    result.readings = UINT64_MAX >> (64 - TOPK_READING_COUNT) & ~UINT64_C(1);
    result.reading = topk_readings_first(result.readings);
    result.outputs.known = true;
    result.outputs.values = UINT64_MAX;
    result.outputs.pairs = UINT64_MAX;
    result.outputs.count = TOPK_OUTPUTS_SHOWN;
    memset(result.outputs.value, 0xff, sizeof result.outputs.value);
    memset(result.outputs.index, 0xff, sizeof result.outputs.index);
    memset(result.reason, '\n', TOPK_REASON - 1);
    return result;
}

static void longest_fits(void **state)
{
    (void)state;
    struct topk_result result = longest_result();
    char text[TOPK_RESULT_TEXT];
    size_t length = topk_result_print(&result, text);
    struct topk_result back;
    assert_true(topk_result_parse(text, length, &back));
    assert_same(&result, &back);
    print_message("the longest line has %zu of %d characters\n", length, TOPK_RESULT_TEXT - 1);
}

static void known_lines(void **state)
{
    (void)state;
    struct topk_result result = {.verdict = TOPK_VERDICT_PASS, .clause = TOPK_CLAUSE_NONE};
    char text[TOPK_RESULT_TEXT];
    topk_result_print(&result, text);
    assert_string_equal(text, "pass clause=- obs=0 ns=0");
    result.by_status = true;
    topk_result_print(&result, text);
    assert_string_equal(text, "pass clause=- obs=0 ns=0 by=status");
    result.call = 3;
    topk_result_print(&result, text);
    assert_string_equal(text, "pass clause=- obs=0 ns=0 call=3 by=status");
    result = (struct topk_result){
        .verdict = TOPK_VERDICT_UNSUPPORTED, .clause = TOPK_CLAUSE_NONE, .by_contract = true};
    topk_result_print(&result, text);
    assert_string_equal(text, "unsupported clause=- obs=0 ns=0 by=contract");
    struct topk_result read;
    assert_true(topk_result_parse(text, strlen(text), &read));
    assert_true(read.by_contract && !read.by_status);
    result =
        (struct topk_result){.verdict = TOPK_VERDICT_FAIL,
                             .clause = TOPK_CLAUSE_S09,
                             .nanoseconds = 12,
                             .judgement = {.count = 2,
                                           .findings = {{.clause = TOPK_CLAUSE_S09,
                                                         .mismatch = TOPK_MISMATCH_TIE_LEFT_OUT,
                                                         .role = TOPK_INDEX,
                                                         .rank = 3,
                                                         .at = {0, 1, 2},
                                                         .expected = 10,
                                                         .actual = 255,
                                                         .count = 7},
                                                        {.clause = TOPK_CLAUSE_M02,
                                                         .mismatch = TOPK_MISMATCH_OUTSIDE_WRITTEN,
                                                         .role = TOPK_VALUE,
                                                         .byte = INT64_MIN,
                                                         .expected = 1,
                                                         .actual = 2,
                                                         .count = 1}},
                                           .observations = 0x1f,
                                           .has_sequence = true,
                                           .sequence = 4,
                                           .position = 2},
                             .window_from = 1,
                             .window_count = 2,
                             .window_values = {0x3f800000, 0},
                             .window_indices = {1, 16},
                             .reason = "a=b, 5%\n"};
    topk_result_print(&result, text);
    assert_string_equal(text, "fail clause=S09 obs=1f ns=12 "
                              "finding=S09,tie-left-out,index,0.1.2,a,ff,7 "
                              "finding=M02,outside-written,value,@-9223372036854775808,1,2,1 "
                              "sequence=4,2 got=1,3f800000.1,0.10 why=a%3Db%2C%205%25%0A");
    struct topk_result back;
    assert_true(topk_result_parse(text, strlen(text), &back));
    assert_same(&result, &back);
}

static void verdicts(void **state)
{
    (void)state;
    for (int i = 0; i < TOPK_VERDICT_COUNT; i++) {
        const char *word = topk_verdict_word((enum topk_verdict)i);
        assert_int_equal(topk_verdict_parse(word, strlen(word)), i);
        assert_int_equal(topk_verdict_parse(word, strlen(word) - 1), TOPK_VERDICT_COUNT);
    }
    assert_int_equal(topk_verdict_parse("Pass", 4), TOPK_VERDICT_COUNT);
    assert_false(topk_verdict_failure(TOPK_VERDICT_PASS));
    assert_false(topk_verdict_failure(TOPK_VERDICT_UNSUPPORTED));
    assert_false(topk_verdict_failure(TOPK_VERDICT_EXPECTED_FAIL));
    assert_false(topk_verdict_failure(TOPK_VERDICT_UNEXPECTED_PASS));
    assert_true(topk_verdict_failure(TOPK_VERDICT_FAIL));
    assert_true(topk_verdict_failure(TOPK_VERDICT_CRASH));
    assert_true(topk_verdict_failure(TOPK_VERDICT_HARNESS_ERROR));
}

/* which results no worker may send */
static void impossible_verdicts(void **state)
{
    (void)state;
    enum {
        FINDINGS = 1,
        OUTPUTS = 2,
        REASON = 4,
        ALL = 8
    };
    static const struct {
        enum topk_verdict verdict;
        /* for each set of the three, whether it is possible; the empty set comes first */
        const char *possible;
    } rows[] = {
        {TOPK_VERDICT_PASS, "y---y---"},
        {TOPK_VERDICT_UNSUPPORTED, "y---y---"},
        {TOPK_VERDICT_FAIL, "-y-yyyyy"},
        {TOPK_VERDICT_ERROR, "----y---"},
        {TOPK_VERDICT_ACCEPTED, "-y-y-y-y"},
        {TOPK_VERDICT_EXPECTED_FAIL, "--------"},
        {TOPK_VERDICT_UNEXPECTED_PASS, "--------"},
        {TOPK_VERDICT_CRASH, "yyyyyyyy"},
        {TOPK_VERDICT_TIMEOUT, "yyyyyyyy"},
        {TOPK_VERDICT_HARNESS_ERROR, "yyyyyyyy"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int has = 0; has < ALL; has++) {
            const char *const wrong = topk_verdict_wrong(rows[i].verdict, (has & FINDINGS) != 0,
                                                         (has & OUTPUTS) != 0, (has & REASON) != 0);
            if ((wrong == NULL) != (rows[i].possible[has] == 'y')) {
                fail_msg("%s with %d: %s", topk_verdict_word(rows[i].verdict), has,
                         wrong == NULL ? "possible" : wrong);
            }
        }
    }
}

static uint32_t count_of(const struct topk_clause_set *set)
{
    uint32_t count = 0;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        count += topk_clause_set_has(set, (enum topk_clause)i);
    }
    return count;
}

/* the clauses of the findings; if a reading explains them, the clause of the result replaces all
 * except those about bytes */
static void clauses_of_a_result(void **state)
{
    (void)state;
    static const enum topk_clause found[] = {TOPK_CLAUSE_S02, TOPK_CLAUSE_M01, TOPK_CLAUSE_M02};
    struct topk_result result = {.clause = TOPK_CLAUSE_S09};
    struct topk_clause_set clauses;
    topk_result_clauses(&result, &clauses);
    assert_int_equal(count_of(&clauses), 0);
    for (size_t i = 0; i < COUNT(found); i++) {
        result.judgement.findings[result.judgement.count++].clause = found[i];
    }
    for (int explained = 0; explained < 2; explained++) {
        result.reading = explained != 0 ? TOPK_READING_OPPOSITE : TOPK_READING_NONE;
        topk_result_clauses(&result, &clauses);
        assert_int_equal(count_of(&clauses), COUNT(found));
        assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_S02) == (explained == 0));
        assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_S09) == (explained != 0));
        assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_M01));
        assert_true(topk_clause_set_has(&clauses, TOPK_CLAUSE_M02));
    }
}

static void refused_lines(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        " ",
        "pass",
        "pass clause=-",
        "pass clause=- obs=0",
        "pass clause=- obs=0 ns=",
        "pass clause=- obs=0 ns=0 ",
        "pass clause=- obs=0 ns=00",
        "pass clause=- obs=00 ns=0",
        "pass clause=- obs=0 ns=-1",
        "pass clause=- obs=0 ns=18446744073709551616",
        "pass clause=- obs=100000000 ns=0",
        "pass clause=- obs=F ns=0",
        "pass clause=-- obs=0 ns=0",
        "pass clause=- obs=0 ns=0 call=0",
        "pass clause=- obs=0 ns=0 call=x",
        "pass clause=- obs=0 ns=0 by=",
        "pass clause=- obs=0 ns=0 by=outputs",
        "pass clause=- obs=0 ns=0 by=status by=status",
        "pass clause=- obs=0 ns=0 why=a by=status",
        "pass clause=- obs=0 by=status ns=0",
        "fail clause=S09 obs=0 ns=0 by=status why=a",
        "fail clause=S09 obs=0 ns=0 by=contract why=a",
        "pass clause=- obs=0 ns=0 by=contract",
        "unsupported clause=- obs=0 ns=0 by=status",
        "pass clause= obs=0 ns=0",
        "pass clause=S99 obs=0 ns=0",
        "pass  clause=- obs=0 ns=0",
        "pass clause=- obs=0 ns=0 why=",
        "pass clause=- obs=0 ns=0 why=%41",
        "pass clause=- obs=0 ns=0 why=%0a",
        "pass clause=- obs=0 ns=0 why=%00",
        "pass clause=- obs=0 ns=0 why=a b",
        "pass clause=- obs=0 ns=0 got=1",
        "pass clause=- obs=0 ns=0 got=1,2",
        "pass clause=- obs=0 ns=0 got=4294967296,1.1",
        "pass clause=- obs=0 ns=0 sequence=1",
        "pass clause=- obs=0 ns=0 sequence=1,2,3",
        "pass clause=- obs=0 ns=0 cause=",
        "pass clause=- obs=0 ns=0 cause=nothing",
        "pass clause=- obs=0 ns=0 guess=",
        "pass clause=- obs=0 ns=0 cause=flat-index guess=flat-index",
        "pass clause=- obs=0 ns=0 cause=flat-index,",
        "pass clause=- obs=0 ns=0 cause=flat-index,flat-index",
        "pass clause=- obs=0 ns=0 cause=memory-index,flat-index",
        "pass clause=- obs=0 ns=0 why=a sequence=1,2",
        "pass clause=- obs=0 ns=0 finding=-,tie-order,index,0,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,index,,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,index,0,1,2,0",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,index,@-0,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,index,@9223372036854775808,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,index,@-9223372036854775809,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,index,0.0.0.0.0.0.0.0.0,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie-order,other,0,1,2,3",
        "pass clause=- obs=0 ns=0 finding=S01,tie,index,0,1,2,3",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct topk_result result;
        if (topk_result_parse(lines[i], strlen(lines[i]), &result)) {
            fail_msg("read: \"%s\"", lines[i]);
        }
    }
    /* an observation after the last, and 13 findings */
    char text[TOPK_RESULT_TEXT];
    struct topk_result result;
    snprintf(text, sizeof text, "pass clause=- obs=%" PRIx64 " ns=0",
             (uint64_t)1 << TOPK_OBSERVATION_COUNT);
    assert_false(topk_result_parse(text, strlen(text), &result));
    snprintf(text, sizeof text, "pass clause=- obs=%" PRIx64 " ns=0",
             (uint64_t)1 << (TOPK_OBSERVATION_COUNT - 1));
    assert_true(topk_result_parse(text, strlen(text), &result));
    size_t length = strlen(text);
    for (int i = 1; i <= 13; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   " finding=S01,tie-order,index,0,1,2,3");
        assert_true(topk_result_parse(text, length, &result) == (i <= TOPK_FINDINGS_MAX));
    }
}

/* ---- one form -------------------------------------------------------------------------------- */

/* a line that parses is printed as exactly the same line; returns whether it parses */
static bool one_form(const char *line, size_t length)
{
    struct topk_result result;
    /* in its own memory, so that a sanitizer detects a read beyond its end */
    char *copy = malloc(length == 0 ? 1 : length);
    assert_non_null(copy);
    memcpy(copy, line, length);
    bool read = topk_result_parse(copy, length, &result);
    free(copy);
    if (read) {
        char text[TOPK_RESULT_TEXT];
        size_t printed = topk_result_print(&result, text);
        if (printed != length || memcmp(text, line, length) != 0) {
            fail_msg("\"%.*s\" is read as \"%s\"", (int)length, line, text);
        }
    }
    return read;
}

static uint64_t corrupt_everywhere(const struct topk_result *result)
{
    char text[TOPK_RESULT_TEXT];
    size_t length = topk_result_print(result, text);
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++) {
        char kept = text[i];
        for (int byte = 0; byte < 256; byte++) {
            text[i] = (char)(unsigned char)byte;
            one_form(text, length);
            lines++;
        }
        text[i] = kept;
        /* removes one character; then duplicates one */
        char shorter[TOPK_RESULT_TEXT];
        memcpy(shorter, text, i);
        memcpy(shorter + i, text + i + 1, length - i - 1);
        one_form(shorter, length - 1);
        if (length + 1 < sizeof shorter) {
            memcpy(shorter + i + 1, text + i, length - i);
            shorter[i] = text[i];
            one_form(shorter, length + 1);
        }
        one_form(text, i); /* truncates the line there */
        lines += 3;
    }
    return lines;
}

static void corruptions(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 50);
    uint64_t lines = 0;
    int results = TOPK_SANITIZED ? 3 : 8;
    for (int i = 0; i < results; i++) {
        struct topk_result result = random_result(&pcg);
        lines += corrupt_everywhere(&result);
    }
    if (!TOPK_SANITIZED) {
        struct topk_result longest = longest_result();
        longest.judgement.count = 2; /* the others are similar */
        lines += corrupt_everywhere(&longest);
    }
    print_message("%" PRIu64 " corrupted lines\n", lines);
}

/* a million lines of noise, of pieces of the grammar, and of both */
static void garbage(void **state)
{
    (void)state;
    static const char *const pieces[] = {"pass",        "fail",       " clause=",
                                         "-",           "S01",        " obs=",
                                         "0",           "1f",         " ns=",
                                         "12",          " finding=",  ",",
                                         "S07",         "index",      ".",
                                         "@",           "value",      "input",
                                         "index-range", "tie-order",  " sequence=",
                                         " got=",       " why=",      "%20",
                                         "a",           "4294967296", "18446744073709551615",
                                         " cause=",     "flat-index", " guess="};
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 50);
    int read = 0;
    int lines = TOPK_SANITIZED ? 200000 : 1000000;
    for (int i = 0; i < lines; i++) {
        char line[600] = "";
        size_t length = 0;
        uint32_t way = topk_pcg_below(&pcg, 4);
        uint32_t number = topk_pcg_below(&pcg, 40);
        if (way != 0) { /* starts with a valid beginning, because pure noise fails immediately */
            length = (size_t)snprintf(
                line, sizeof line, "pass clause=- obs=%" PRIx32 " ns=%" PRIu32, number, number / 2);
        }
        if (way == 2) {
            length += (size_t)snprintf(line + length, sizeof line - length,
                                       " finding=S01,tie-order,index,%" PRIu32 ",1,2,3",
                                       topk_pcg_below(&pcg, 3));
        }
        uint32_t more = topk_pcg_below(&pcg, 12);
        for (uint32_t j = 0; j < more; j++) {
            if (topk_pcg_below(&pcg, 8) == 0) {
                line[length++] = (char)(unsigned char)topk_pcg_below(&pcg, 256);
            } else {
                length += (size_t)snprintf(line + length, sizeof line - length, "%s",
                                           pieces[topk_pcg_below(&pcg, COUNT(pieces))]);
            }
        }
        read += one_form(line, length);
    }
    print_message("%d of %d lines were read\n", read, lines);
    assert_in_range(read, lines / 100, lines / 2);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void words_of_all_bytes(void **state)
{
    (void)state;
    for (int first = 1; first < 256; first++) {
        for (int second = 0; second < 256; second++) {
            char text[3] = {(char)(unsigned char)first, (char)(unsigned char)second, 0};
            char word[8];
            size_t length = topk_word_print(text, word, sizeof word);
            assert_int_equal(length, strlen(word));
            for (size_t i = 0; i < length; i++) {
                assert_true(word[i] > ' ' && word[i] <= '~' && word[i] != ',' && word[i] != '=');
            }
            char back[3];
            assert_true(topk_word_parse(word, length, back, sizeof back));
            assert_string_equal(back, text);
            /* two bytes and the terminator do not fit into two */
            assert_true(topk_word_parse(word, length, back, 2) == (second == 0));
        }
    }
    /* every escape: valid exactly if it is how the byte is written */
    static const char digits[] = "0123456789ABCDEFabcdef";
    for (const char *high = digits; *high != 0; high++) {
        for (const char *low = digits; *low != 0; low++) {
            char word[4] = {'%', *high, *low, 0};
            char text[2];
            bool read = topk_word_parse(word, 3, text, sizeof text);
            char again[4] = "";
            if (read) {
                topk_word_print(text, again, sizeof again);
            }
            assert_true(read == (strcmp(again, word) == 0));
            int byte = (int)strtol(word + 1, NULL, 16);
            bool needs = byte != 0 && (byte <= ' ' || byte > '~' || strchr("%,=", byte) != NULL);
            bool upper = strchr("abcdef", *high) == NULL && strchr("abcdef", *low) == NULL;
            assert_true(read == (needs && upper));
            assert_false(topk_word_parse(word, 2, text, sizeof text));
            assert_false(topk_word_parse(word, 1, text, sizeof text));
        }
    }
    char text[4] = "x";
    assert_true(topk_word_parse("", 0, text, sizeof text));
    assert_string_equal(text, "");
    assert_false(topk_word_parse("a b", 3, text, sizeof text));
    assert_false(topk_word_parse("a\0b", 3, text, sizeof text));
}

/* a word that does not fit is truncated between characters, and is still a word */
static void words_cut(void **state)
{
    (void)state;
    char none[4];
    assert_false(topk_word_parse("%\0A", 3, none, sizeof none));
    assert_false(topk_word_parse("%A\0", 3, none, sizeof none));
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 4, 50);
    for (int i = 0; i < 100000; i++) {
        char text[40];
        random_text(&pcg, text, topk_pcg_below(&pcg, sizeof text));
        char whole[3 * sizeof text];
        size_t needed = topk_word_print(text, whole, sizeof whole);
        char word[3 * sizeof text];
        memset(word, 0x7f, sizeof word);
        size_t size = 1 + topk_pcg_below(&pcg, sizeof word - 1);
        size_t length = topk_word_print(text, word, size);
        assert_true(length < size && word[length] == 0);
        assert_int_equal(word[size], 0x7f);
        assert_memory_equal(word, whole, length);
        assert_true(length == needed || length + 3 >= size);
        char back[sizeof text];
        assert_true(topk_word_parse(word, length, back, sizeof back));
        assert_memory_equal(back, text, strlen(back));
        assert_true((length == needed) == (strlen(back) == strlen(text)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_round_trip),
                                       cmocka_unit_test(longest_fits),
                                       cmocka_unit_test(known_lines),
                                       cmocka_unit_test(verdicts),
                                       cmocka_unit_test(impossible_verdicts),
                                       cmocka_unit_test(clauses_of_a_result),
                                       cmocka_unit_test(refused_lines),
                                       cmocka_unit_test(corruptions),
                                       cmocka_unit_test(garbage),
                                       cmocka_unit_test(words_of_all_bytes),
                                       cmocka_unit_test(words_cut)};
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
