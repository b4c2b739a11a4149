/* A result has no finding exactly if the clauses allow it, and each finding names a clause that the
 * result breaks, at the right place. A sequence without NaN must fulfill S12, by F04 also with
 * denormals as zeros; a sequence with NaN what F02 requires. One sequence of type T, otherwise as
 * in judge_exact.c. */
#include "sequence.h"

#ifdef F32_DENORMALS
static VIEW flushed(const struct topk_sequence *s, BITS bits)
{
    (void)s;
    const VALUE x = value_of(bits);
    return x > -0x1p-126f && x < 0x1p-126f ? 0 : x;
}
#endif

static bool is_allowed(const struct topk_sequence *s)
{
    if (stated_has_nan(s)) {
        return stated_are_elements(s, true);
    }
#ifdef F32_DENORMALS
    if (stated_right(s, flushed)) {
        return true;
    }
#endif
    return stated_right(s, as_it_is);
}

static bool comes_first(const struct topk_sequence *s, VALUE x, VALUE y)
{
    return s->increasing ? x < y : x > y;
}

static VALUE value_at(const struct topk_sequence *s, uint32_t j)
{
    return value_of(output_at(s, j));
}

/* whether a finding is true */
static bool is_so(const struct topk_sequence *s, const struct topk_finding *finding)
{
    const uint32_t j = finding->at[0];
    if (finding->rank != 1 || j >= s->k || finding->count < 1) {
        return false;
    }
    const uint64_t i = index_at(s, j);
    switch (finding->mismatch) {
    case TOPK_MISMATCH_INDEX_RANGE:
        return finding->clause == TOPK_CLAUSE_S07 && i >= s->length && finding->actual == i;
    case TOPK_MISMATCH_INDEX_UPPER:
        return finding->clause == TOPK_CLAUSE_M05 && i > UINT32_MAX && (uint32_t)i < s->length;
    case TOPK_MISMATCH_INDEX_REPEATED: {
        bool repeated = false;
        for (uint32_t before = 0; before < j; before++) {
            repeated = repeated || index_at(s, before) == i;
        }
        return finding->clause == TOPK_CLAUSE_S07 && repeated;
    }
    case TOPK_MISMATCH_VALUE_BITS:
        return i < s->length && output_at(s, j) != input_at(s, i) &&
               finding->expected == input_at(s, i) && finding->actual == output_at(s, j);
    case TOPK_MISMATCH_VALUE_ORDER:
        return j > 0 && comes_first(s, value_at(s, j), value_at(s, j - 1));
    case TOPK_MISMATCH_TIE_ORDER:
        return j > 0 && value_at(s, j) == value_at(s, j - 1) && i < index_at(s, j - 1);
    case TOPK_MISMATCH_LEFT_OUT:
        return finding->expected < s->length && !stated_selected(s, finding->expected) &&
               finding->actual == i &&
               comes_first(s, value_of(input_at(s, finding->expected)), value_of(input_at(s, i)));
    case TOPK_MISMATCH_TIE_LEFT_OUT:
        return finding->expected < i && !stated_selected(s, finding->expected) &&
               finding->actual == i &&
               value_of(input_at(s, finding->expected)) == value_of(input_at(s, i));
    default:
        return false;
    }
}

/* which clauses a finding may name, besides those of is_so() */
static bool is_clause_of(const struct topk_sequence *s, const struct topk_finding *finding)
{
    const bool is_float = (VALUE)0.5f != 0;
    switch (finding->clause) {
    case TOPK_CLAUSE_S02: /* for TOP_K; S03 for TOP_K1 */
        return finding->mismatch == TOPK_MISMATCH_LEFT_OUT && !s->increasing;
    case TOPK_CLAUSE_S03:
        return finding->mismatch == TOPK_MISMATCH_LEFT_OUT;
    case TOPK_CLAUSE_S04:
        return finding->mismatch == TOPK_MISMATCH_VALUE_ORDER;
    case TOPK_CLAUSE_S05:
        return finding->mismatch == TOPK_MISMATCH_VALUE_BITS;
    case TOPK_CLAUSE_S07:
    case TOPK_CLAUSE_M05:
        return finding->role == TOPK_INDEX;
    case TOPK_CLAUSE_S08:
        return finding->mismatch == TOPK_MISMATCH_TIE_ORDER;
    case TOPK_CLAUSE_S09:
        return finding->mismatch == TOPK_MISMATCH_TIE_LEFT_OUT;
    case TOPK_CLAUSE_F01:
    case TOPK_CLAUSE_F03:
        return is_float;
    case TOPK_CLAUSE_F04:
        return TYPE == TOPK_TYPE_F32;
    case TOPK_CLAUSE_F05:
        return TYPE == TOPK_TYPE_F16;
    case TOPK_CLAUSE_F07:
        return sizeof(BITS) == 8;
    default:
        return false;
    }
}

static struct topk_tensor tensor(uint32_t type, uint32_t size)
{
    struct topk_tensor described = {.present = true, .strided = STEP > 1, .type = type, .rank = 1};
    described.sizes[0] = size;
    described.strides[0] = STEP;
    return described;
}

static void prove(uint32_t n, uint32_t k)
{
    const struct topk_sequence s = any_sequence(n, k);
    const uint32_t index_type = s.index_bytes == 8 ? TOPK_TYPE_U64 : TOPK_TYPE_U32;
    const struct topk_operator op = {
        .kind = s.increasing || nondet_bool() ? TOPK_TOP_K1 : TOPK_TOP_K,
        .k = k,
        .direction = s.increasing ? TOPK_INCREASING : TOPK_DECREASING,
        .tensors = {tensor(TYPE, n), tensor(TYPE, k), tensor(index_type, k)}};
    const struct topk_exhibit exhibits[] = {
        {.before = (unsigned char *)s.input}, {.after = s.value}, {.after = s.index}};
    struct topk_judgement judgement;
    topk_judge_result(&op, exhibits, &judgement);
    PROVE(!judgement.contradiction);
    if (judgement.no_memory) {
        return;
    }
    const bool allowed = is_allowed(&s);
    PROVE((judgement.count == 0) == allowed);
    PROVE(judgement.count <= TOPK_FINDINGS_MAX);
    for (uint32_t i = 0; i < judgement.count && i < 2; i++) {
        const struct topk_finding *finding = &judgement.findings[i];
        PROVE(is_so(&s, finding));
        PROVE(is_clause_of(&s, finding));
        REACHED(finding->mismatch == TOPK_MISMATCH_INDEX_RANGE);
        REACHED(finding->mismatch == TOPK_MISMATCH_VALUE_BITS);
        REACHED(finding->mismatch == TOPK_MISMATCH_LEFT_OUT);
        REACHED(finding->mismatch == TOPK_MISMATCH_TIE_LEFT_OUT);
#if N > 1
        REACHED(finding->mismatch == TOPK_MISMATCH_INDEX_REPEATED);
        REACHED(finding->mismatch == TOPK_MISMATCH_VALUE_ORDER);
        REACHED(finding->mismatch == TOPK_MISMATCH_TIE_ORDER);
#endif
    }
    REACHED(allowed);
}
