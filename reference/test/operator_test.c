/* Validation: each V and T clause broken alone, at its border, at each feature level; open choices;
 * each clause on random descriptions against its statement (reference/statement); what the real
 * DirectML accepts and refuses; and the geometry of an operator. */
#include "reference/statement/statement.h"
#include "support.h"

/* ---- descriptions as a list of edits to a baseline ------------------------------------------- */

enum what {
    END,
    K,         /* K = number */
    AXIS,      /* Axis = number */
    DIRECTION, /* AxisDirection = number */
    RANK,      /* DimensionCount of the roles */
    SIZE,      /* Sizes[at] of the roles */
    STRIDED,   /* all strides 0; STRIDE must follow */
    STRIDE,    /* Strides[at] of the roles */
    TYPE,      /* DataType of the roles */
    FLAGS,     /* Flags of the roles */
    ALIGNMENT, /* GuaranteedBaseOffsetAlignment of the roles */
    ABSENT,    /* the roles are NULL */
    MORE,      /* TotalTensorSizeInBytes is the least plus number */
    TOTAL      /* TotalTensorSizeInBytes = number */
};

/* sets of roles */
#define IN   1u
#define VAL  2u
#define IDX  4u
#define OUT  (VAL | IDX)
#define SAME (IN | VAL)
#define ALL  7u

struct edit {
    enum what what;
    unsigned roles;
    uint32_t at;
    int64_t number;
};

#define EDITS 14

static void edit_tensor(struct topk_tensor *tensor, const struct edit *edit)
{
    uint32_t number = (uint32_t)(uint64_t)edit->number;
    switch (edit->what) {
    case RANK:
        tensor->rank = number;
        break;
    case SIZE:
        tensor->sizes[edit->at] = number;
        break;
    case STRIDED:
        tensor->strided = true;
        break;
    case STRIDE:
        tensor->strides[edit->at] = number;
        break;
    case TYPE:
        tensor->type = number;
        break;
    case FLAGS:
        tensor->flags = number;
        break;
    case ALIGNMENT:
        tensor->alignment = number;
        break;
    case ABSENT:
        tensor->present = false;
        break;
    case MORE:
        tensor->total_bytes += (uint64_t)edit->number;
        break;
    case TOTAL:
        tensor->total_bytes = (uint64_t)edit->number;
        break;
    default:
        break;
    }
}

/* {1,1,2,8} FLOAT32, axis 3, K 3, as in the probe of DirectML */
static struct topk_operator baseline(enum topk_operator_kind kind)
{
    struct topk_operator op;
    memset(&op, 0, sizeof op);
    op.kind = kind;
    op.level = TOPK_LEVEL_5_0;
    op.axis = 3;
    op.k = 3;
    op.direction = TOPK_DECREASING;
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        struct topk_tensor *tensor = &op.tensors[role];
        tensor->present = true;
        tensor->type = role == TOPK_INDEX ? TOPK_TYPE_U32 : TOPK_TYPE_F32;
        tensor->rank = 4;
        for (int i = 0; i < TOPK_RANK_MAX; i++) {
            tensor->sizes[i] = 1;
        }
        tensor->sizes[2] = 2;
        tensor->sizes[3] = role == TOPK_INPUT ? 8 : 3;
    }
    return op;
}

/* applies edits in order, but total sizes last, because they depend on the least sizes */
static struct topk_operator edited(enum topk_operator_kind kind, const struct edit *edits)
{
    struct topk_operator op = baseline(kind);
    for (int totals = 0; totals < 2; totals++) {
        for (int i = 0; i < EDITS && edits[i].what != END; i++) {
            const struct edit *edit = &edits[i];
            bool is_total = edit->what == MORE || edit->what == TOTAL;
            uint32_t number = (uint32_t)(uint64_t)edit->number;
            if (is_total != (totals == 1)) {
                continue;
            }
            if (edit->what == K) {
                op.k = number;
            } else if (edit->what == AXIS) {
                op.axis = number;
            } else if (edit->what == DIRECTION) {
                op.direction = number;
            }
            for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
                if (edit->roles >> role & 1) {
                    edit_tensor(&op.tensors[role], edit);
                }
            }
        }
        for (int role = 0; totals == 0 && role < TOPK_ROLE_COUNT; role++) {
            op.tensors[role].total_bytes = topk_tensor_least_bytes(&op.tensors[role]);
        }
    }
    return op;
}

#define SET_TEXT 400

/* prints the members of a set in table order: "V02 T01" */
static void print_set(const struct topk_clause_set *set, char text[SET_TEXT])
{
    text[0] = 0;
    for (int i = 0; i < TOPK_CLAUSE_COUNT; i++) {
        if (topk_clause_set_has(set, (enum topk_clause)i)) {
            size_t length = strlen(text);
            snprintf(text + length, SET_TEXT - length, "%s%s", length == 0 ? "" : " ",
                     topk_clause_id((enum topk_clause)i));
        }
    }
}

/* ---- each clause alone ----------------------------------------------------------------------- */

#define EVERY(set)                                                                                 \
    {                                                                                              \
        set, set, set, set                                                                         \
    }

struct row {
    const char *name;
    struct edit edits[EDITS];
    const char *broken[TOPK_LEVEL_COUNT]; /* for TOP_K at 2.0, 2.1, 3.1, 5.0 */
    const char *latitude;
};

static const struct row rows[] = {
#define ROW(...) {__VA_ARGS__},
#include "operator_rows.def"
#undef ROW
};

static void check_row(const struct row *row, enum topk_operator_kind kind)
{
    struct topk_operator op = edited(kind, row->edits);
    uint32_t least_level = 0;
    for (int i = 0; i < TOPK_LEVEL_COUNT; i++) {
        /* TOP_K1 does not exist at 2.0 (V14): the clauses come in the order of the table */
        struct topk_clause_set expected = {{0}};
        const char *word = row->broken[i];
        while (*word != 0) {
            size_t length = strcspn(word, " ");
            enum topk_clause clause = topk_clause_parse(word, length);
            assert_int_not_equal(clause, TOPK_CLAUSE_NONE);
            topk_clause_set_add(&expected, clause);
            word += length + strspn(word + length, " ");
        }
        if (kind == TOPK_TOP_K1 && i == 0) {
            topk_clause_set_add(&expected, TOPK_CLAUSE_V14);
        }
        if (topk_clause_set_empty(&expected) && least_level == 0) {
            least_level = topk_levels[i];
        }
        struct topk_validity validity;
        topk_operator_validate(&op, topk_levels[i], &validity);
        char broken[SET_TEXT];
        char wanted[SET_TEXT];
        char latitude[SET_TEXT];
        print_set(&validity.broken, broken);
        print_set(&expected, wanted);
        print_set(&validity.latitude, latitude);
        if (strcmp(broken, wanted) != 0 || strcmp(latitude, row->latitude) != 0) {
            fail_msg("%s at level %" PRIx32 ": broken [%s] not [%s], latitude [%s] not [%s]",
                     row->name, topk_levels[i], broken, wanted, latitude, row->latitude);
        }
    }
    if (topk_operator_least_level(&op) != least_level) {
        fail_msg("%s: least level %" PRIx32 ", not %" PRIx32, row->name,
                 topk_operator_least_level(&op), least_level);
    }
}

static void each_clause_alone(void **state)
{
    (void)state;
    /* covers every V and T clause that a description can break, or that leaves a choice */
    struct topk_clause_set met = {{0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_row(&rows[i], TOPK_TOP_K);
        check_row(&rows[i], TOPK_TOP_K1);
        for (int kind = TOPK_TOP_K; kind <= TOPK_TOP_K1; kind++) {
            struct topk_operator op = edited((enum topk_operator_kind)kind, rows[i].edits);
            struct topk_validity validity;
            topk_operator_validate(&op, TOPK_LEVEL_2_0, &validity);
            topk_clause_set_merge(&met, &validity.broken);
            topk_clause_set_merge(&met, &validity.latitude);
        }
    }
    char text[SET_TEXT];
    print_set(&met, text);
    /* V10, V12 and V13 are tested below; T03 to T07 define what is valid */
    assert_string_equal(text, "V01 V02 V03 V03b V04 V05 V06 V07 V08 V09 V11 V14 T01 T02 T08 T09 "
                              "T10 T10b T11 T12 T13 T14");
}

/* V12: TOP_K has no direction, TOP_K1 two */
static void directions(void **state)
{
    (void)state;
    static const uint32_t values[] = {0, 1, 2, 3, 0x80000000, UINT32_MAX};
    for (size_t i = 0; i < COUNT(values); i++) {
        for (int kind = TOPK_TOP_K; kind <= TOPK_TOP_K1; kind++) {
            struct edit edits[EDITS] = {{DIRECTION, 0, 0, values[i]}};
            struct topk_operator op = edited((enum topk_operator_kind)kind, edits);
            struct topk_validity validity;
            topk_operator_validate(&op, TOPK_LEVEL_2_1, &validity);
            char latitude[SET_TEXT];
            print_set(&validity.latitude, latitude);
            assert_true(topk_clause_set_empty(&validity.broken));
            assert_string_equal(latitude, kind == TOPK_TOP_K1 && values[i] > 1 ? "V12" : "");
            assert_int_equal(topk_operator_increasing(&op), kind == TOPK_TOP_K1 && values[i] == 0);
        }
    }
}

/* V10 */
static void types_are_independent(void **state)
{
    (void)state;
    for (int t = 0; t < TOPK_TYPE_COUNT; t++) {
        for (int wide_index = 0; wide_index < 2; wide_index++) {
            uint32_t index = wide_index ? TOPK_TYPE_U64 : TOPK_TYPE_U32;
            struct edit edits[EDITS] = {{TYPE, SAME, 0, topk_types[t]}, {TYPE, IDX, 0, index}};
            struct topk_operator op = edited(TOPK_TOP_K1, edits);
            struct topk_validity validity;
            topk_operator_validate(&op, TOPK_LEVEL_5_0, &validity);
            assert_true(topk_clause_set_empty(&validity.broken));
            assert_true(topk_clause_set_empty(&validity.latitude));
            uint32_t level = bytes_of(topk_types[t]) == 8 || wide_index ? 0x5000 : 0x2100;
            assert_int_equal(topk_operator_least_level(&op), level);
        }
    }
}

/* V13: for random edits, a clause that is broken at a level is also broken below it */
static void higher_levels_accept_more(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 1, 30);
    for (int i = 0; i < 20000; i++) {
        struct edit edits[EDITS] = {{END, 0, 0, 0}};
        int count = 0;
        for (int j = 0; j < 3; j++) {
            const struct row *row = &rows[topk_pcg_below(&pcg, COUNT(rows))];
            for (int e = 0; e < EDITS && row->edits[e].what != END && count < EDITS; e++) {
                edits[count++] = row->edits[e];
            }
        }
        struct topk_operator op = edited((enum topk_operator_kind)(i % 2), edits);
        struct topk_validity below;
        topk_operator_validate(&op, topk_levels[0], &below);
        for (int level = 1; level < TOPK_LEVEL_COUNT; level++) {
            struct topk_validity here;
            topk_operator_validate(&op, topk_levels[level], &here);
            for (int clause = 0; clause < TOPK_CLAUSE_COUNT; clause++) {
                assert_true(!topk_clause_set_has(&here.broken, (enum topk_clause)clause) ||
                            topk_clause_set_has(&below.broken, (enum topk_clause)clause));
            }
            assert_memory_equal(&here.latitude, &below.latitude, sizeof here.latitude);
            below = here;
        }
        /* a level between two listed ones is like the lower one; one above all is like the highest
         */
        struct topk_validity here;
        struct topk_validity there;
        topk_operator_validate(&op, 0x3000, &here);
        topk_operator_validate(&op, 0x2100, &there);
        assert_memory_equal(&here, &there, sizeof here);
        topk_operator_validate(&op, 0x6400, &here);
        topk_operator_validate(&op, 0x5000, &there);
        assert_memory_equal(&here, &there, sizeof here);
        topk_operator_validate(&op, 0x1000, &here);
        assert_true(topk_clause_set_has(&here.broken, TOPK_CLAUSE_V14));
    }
}

/* ---- DirectML's behaviour -------------------------------------------------------------------- */

enum answer {
    REFUSED,
    ACCEPTED
};

#define ROW4(roles, dimension0, dimension1, dimension2, dimension3)                                \
    {STRIDED, roles, 0, 0}, {STRIDE, roles, 0, dimension0}, {STRIDE, roles, 1, dimension1},        \
        {STRIDE, roles, 2, dimension2},                                                            \
    {                                                                                              \
        STRIDE, roles, 3, dimension3                                                               \
    }

#define LAST(rank)                                                                                 \
    {                                                                                              \
        {RANK, ALL, 0, rank}, {SIZE, ALL, 2, 1}, {SIZE, ALL, 3, 1}, {SIZE, IN, (rank)-1, 8},       \
            {SIZE, OUT, (rank)-1, 3},                                                              \
        {                                                                                          \
            AXIS, 0, 0, (rank)-1                                                                   \
        }                                                                                          \
    }

/* DirectML's answers */
static const struct {
    const char *name;
    struct edit edits[EDITS];
    enum answer top_k;
    enum answer top_k1;
} verdicts[] = {
#define VERDICT(...) {__VA_ARGS__},
#include "operator_verdicts.def"
#undef VERDICT
};

/* The clauses for which the table allows either answer, and DirectML refuses. */
static const enum topk_clause refused_freely[] = {TOPK_CLAUSE_V12, TOPK_CLAUSE_T10b,
                                                  TOPK_CLAUSE_T14};

static void agrees_with_directml(void **state)
{
    (void)state;
    size_t free_answers = 0;
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        for (int kind = TOPK_TOP_K; kind <= TOPK_TOP_K1; kind++) {
            enum answer answer = kind == TOPK_TOP_K ? verdicts[i].top_k : verdicts[i].top_k1;
            struct topk_operator op = edited((enum topk_operator_kind)kind, verdicts[i].edits);
            struct topk_validity validity;
            topk_operator_validate(&op, TOPK_LEVEL_5_0, &validity);
            bool legal = topk_clause_set_empty(&validity.broken);
            bool open = false;
            for (size_t j = 0; j < COUNT(refused_freely); j++) {
                open = open || topk_clause_set_has(&validity.latitude, refused_freely[j]);
            }
            const bool agrees = (answer == ACCEPTED) == (legal && !open);
            free_answers += legal && open;
            if (!agrees) {
                fail_msg("%s of TOP_K%s", verdicts[i].name, kind == TOPK_TOP_K ? "" : "1");
            }
        }
    }
    /* alignments 4 and 8 and three overlaps for both operators, two directions for TOP_K1 */
    assert_int_equal(free_answers, 2 * 5 + 2);
}

/* ---- geometry -------------------------------------------------------------------------------- */

static void derived_outputs(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 2, 30);
    for (int i = 0; i < 5000; i++) {
        uint32_t type = topk_types[topk_pcg_below(&pcg, TOPK_TYPE_COUNT)];
        struct topk_operator op = random_operator(&pcg, type, TOPK_TYPE_U32, 200);
        memset(&op.tensors[TOPK_VALUE], 0xee, sizeof op.tensors[TOPK_VALUE]);
        topk_operator_derive_outputs(&op, i % 2 ? TOPK_TYPE_U64 : TOPK_TYPE_U32);
        struct topk_validity validity;
        topk_operator_validate(&op, TOPK_LEVEL_5_0, &validity);
        assert_true(topk_clause_set_empty(&validity.broken));
        assert_int_equal(op.tensors[TOPK_VALUE].type, type);
        assert_int_equal(op.tensors[TOPK_INDEX].type, i % 2 ? TOPK_TYPE_U64 : TOPK_TYPE_U32);
        for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
            const struct topk_tensor *output = &op.tensors[role];
            assert_false(output->strided);
            assert_int_equal(output->flags, 0);
            assert_int_equal(output->alignment, 0);
            assert_int_equal(output->sizes[op.axis], op.k);
            assert_true(output->total_bytes == topk_tensor_least_bytes(output));
        }
    }
    struct topk_operator op = baseline(TOPK_TOP_K);
    op.axis = 7; /* out of range: the input's sizes */
    topk_operator_derive_outputs(&op, TOPK_TYPE_U32);
    assert_memory_equal(op.tensors[TOPK_VALUE].sizes, op.tensors[TOPK_INPUT].sizes,
                        4 * sizeof(uint32_t));
}

static void sequences_in_order(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    topk_pcg_seed(&pcg, 3, 30);
    for (int i = 0; i < 2000; i++) {
        struct topk_operator op = random_operator(&pcg, TOPK_TYPE_F32, TOPK_TYPE_U32, 300);
        struct topk_tensor without = op.tensors[TOPK_INPUT];
        without.sizes[op.axis] = 1;
        uint32_t expected[TOPK_RANK_MAX] = {0};
        uint32_t stepped[TOPK_RANK_MAX] = {0};
        uint64_t sequence = 0;
        do {
            uint32_t at[TOPK_RANK_MAX];
            memset(at, 0xee, sizeof at);
            topk_operator_sequence_at(&op, sequence++, at);
            assert_memory_equal(at, expected, without.rank * sizeof at[0]);
            assert_memory_equal(stepped, expected, without.rank * sizeof at[0]);
            topk_operator_sequence_next(&op, stepped);
        } while (next_at(&without, expected));
        assert_true(topk_operator_sequences(&op) == sequence);
        assert_memory_equal(stepped, expected, without.rank * sizeof stepped[0]); /* zeros */
    }
}

static void role_names(void **state)
{
    (void)state;
    assert_string_equal(topk_role_name(TOPK_INPUT), "input");
    assert_string_equal(topk_role_name(TOPK_VALUE), "value");
    assert_string_equal(topk_role_name(TOPK_INDEX), "index");
}

/* ---- against the statement --------------------------------------------------------------------
 */

/* a number near a border, or any number */
static uint32_t near(struct topk_pcg *pcg, uint32_t about)
{
    static const uint32_t ends[] = {0, 1, 4, 0x7fffffff, 0x80000000, UINT32_MAX};
    const uint32_t way = topk_pcg_below(pcg, 16);
    return way < 12   ? about
           : way < 14 ? about - 1 + 2 * (way - 12)
           : way < 15 ? ends[topk_pcg_below(pcg, COUNT(ends))]
                      : (uint32_t)random_magnitude(pcg, 32);
}

static void change_tensor(struct topk_pcg *pcg, struct topk_tensor *tensor)
{
    static const uint32_t alignments[] = {1, 2, 4, 8, 16, 256, 3, 12, 0x80000000};
    tensor->present = topk_pcg_below(pcg, 20) != 0;
    tensor->type = near(pcg, tensor->type) % 16;
    tensor->flags = near(pcg, 0);
    tensor->alignment =
        topk_pcg_below(pcg, 4) != 0 ? 0 : alignments[topk_pcg_below(pcg, COUNT(alignments))];
    tensor->rank = near(pcg, tensor->rank) % (TOPK_RANK_MAX + 1);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        tensor->sizes[d] = near(pcg, tensor->sizes[d]);
        tensor->strides[d] = near(pcg, tensor->strides[d]);
    }
    const uint64_t least = topk_tensor_least_bytes(tensor);
    tensor->total_bytes = topk_pcg_below(pcg, 8) != 0 ? least : least - 4 + topk_pcg_below(pcg, 9);
}

/* random descriptions, valid and invalid: each clause agrees with its statement */
static void clauses_are_as_stated(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    uint32_t broken[TOPK_CLAUSE_COUNT] = {0};
    topk_pcg_seed(&pcg, 3, 80);
    for (int i = 0; i < (TOPK_SANITIZED ? 20000 : 100000); i++) {
        struct topk_operator op =
            random_operator(&pcg, topk_types[topk_pcg_below(&pcg, TOPK_TYPE_COUNT)],
                            topk_pcg_below(&pcg, 2) != 0 ? TOPK_TYPE_U32 : TOPK_TYPE_U64, 30);
        const uint32_t level = topk_pcg_below(&pcg, 7) << 12;
        struct topk_validity validity;
        op.axis = near(&pcg, op.axis);
        op.k = near(&pcg, op.k);
        op.direction = near(&pcg, op.direction);
        for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
            change_tensor(&pcg, &op.tensors[role]);
        }
        topk_operator_validate(&op, level, &validity);
        for (int c = 0; c < TOPK_CLAUSE_COUNT; c++) {
            const enum topk_clause clause = (enum topk_clause)c;
            const bool must = topk_clause_row(clause)->grade == TOPK_GRADE_MUST;
            const enum stated answer = stated_clause(clause, &op, level);
            const bool said =
                topk_clause_set_has(must ? &validity.broken : &validity.latitude, clause);
            if (answer != STATED_UNKNOWN && said != (answer == STATED_BROKEN)) {
                fail_msg("description %d: %s is%s said", i, topk_clause_id(clause),
                         said ? "" : " not");
            }
            broken[c] += said;
        }
    }
    /* each clause that can be broken was broken */
    static const enum topk_clause all[] = {
        TOPK_CLAUSE_V01, TOPK_CLAUSE_V02, TOPK_CLAUSE_V03, TOPK_CLAUSE_V03b, TOPK_CLAUSE_V04,
        TOPK_CLAUSE_V05, TOPK_CLAUSE_V06, TOPK_CLAUSE_V07, TOPK_CLAUSE_V08,  TOPK_CLAUSE_V09,
        TOPK_CLAUSE_V11, TOPK_CLAUSE_V12, TOPK_CLAUSE_V14, TOPK_CLAUSE_T01,  TOPK_CLAUSE_T02,
        TOPK_CLAUSE_T08, TOPK_CLAUSE_T09, TOPK_CLAUSE_T10, TOPK_CLAUSE_T10b, TOPK_CLAUSE_T11,
        TOPK_CLAUSE_T12, TOPK_CLAUSE_T13, TOPK_CLAUSE_T14};
    for (size_t i = 0; i < COUNT(all); i++) {
        if (broken[all[i]] < 10) {
            fail_msg("%s was broken %" PRIu32 " times", topk_clause_id(all[i]), broken[all[i]]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_clause_alone),
                                       cmocka_unit_test(clauses_are_as_stated),
                                       cmocka_unit_test(directions),
                                       cmocka_unit_test(types_are_independent),
                                       cmocka_unit_test(higher_levels_accept_more),
                                       cmocka_unit_test(agrees_with_directml),
                                       cmocka_unit_test(derived_outputs),
                                       cmocka_unit_test(sequences_in_order),
                                       cmocka_unit_test(role_names)};
    return cmocka_run_group_tests_name("operator", tests, NULL, NULL);
}
