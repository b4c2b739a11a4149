/* Containment: topk_judge_memory() reports a write to the input exactly if a byte of its buffer
 * differs (M01), and a write outside an output exactly if a byte differs that is not within its
 * TotalTensorSizeInBytes (M02). It names the first byte and counts all. It observes written padding
 * exactly if a byte differs that is within the total size and belongs to no element (M03). For all
 * buffers of a few bytes, with the given layout. */
#include "judge.h"
#include "prove.h"

/* The value is u8[ROWS,K] with strides ROW, COLUMN; the index is u32[ROWS,K], with or without
 * padding. GUARD bytes come before and after the tensors. */
#define ROWS        2
#define COLUMNS     2
#define GUARD       2
#define INPUT_BYTES 4
#define VALUE_TOTAL 8
#define VALUE_BYTES (GUARD + VALUE_TOTAL + GUARD)
#define INDEX_TOTAL (4 * (ROWS * COLUMNS + SPARE))
#define INDEX_BYTES (GUARD + INDEX_TOTAL + GUARD)

static unsigned char before[TOPK_ROLE_COUNT][INDEX_BYTES + VALUE_BYTES];
static unsigned char after[TOPK_ROLE_COUNT][INDEX_BYTES + VALUE_BYTES];
/* a copy of the buffers before the call */
static unsigned char kept[TOPK_ROLE_COUNT][INDEX_BYTES + VALUE_BYTES];

static void fill(enum topk_role role, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        before[role][i] = nondet_u8();
        after[role][i] = nondet_u8();
        kept[role][i] = before[role][i];
    }
}

/* the number of bytes from..to-1 that differ */
static uint32_t differing(enum topk_role role, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++) {
        count += kept[role][i] != after[role][i];
    }
    return count;
}

/* what is reported for a clause and a role: the number of places, and the first */
static uint64_t found(const struct topk_judgement *judgement, enum topk_clause clause,
                      enum topk_role role, int64_t *byte)
{
    for (uint32_t i = 0; i < judgement->count; i++) {
        const struct topk_finding *finding = &judgement->findings[i];
        if (finding->clause == clause && finding->role == role) {
            *byte = finding->byte;
            return finding->count;
        }
    }
    return 0;
}

/* whether a byte of the value belongs to an element, and of the index */
static bool is_element(enum topk_role role, uint32_t at)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        for (uint32_t j = 0; j < COLUMNS; j++) {
            if (role == TOPK_VALUE ? at == i * ROW + j * COLUMN : at / 4 == i * COLUMNS + j) {
                return true;
            }
        }
    }
    return false;
}

int main(void)
{
    struct topk_operator op = {.kind = TOPK_TOP_K, .axis = 1, .k = COLUMNS};
    const uint32_t types[] = {TOPK_TYPE_U8, TOPK_TYPE_U8, TOPK_TYPE_U32};
    const uint64_t totals[] = {INPUT_BYTES, VALUE_TOTAL, INDEX_TOTAL};
    const uint32_t bytes[] = {INPUT_BYTES, VALUE_BYTES, INDEX_BYTES};
    struct topk_exhibit exhibits[TOPK_ROLE_COUNT];
    for (int role = 0; role < TOPK_ROLE_COUNT; role++) {
        op.tensors[role] = (struct topk_tensor){
            .present = true, .type = types[role], .rank = 2, .sizes = {ROWS, COLUMNS}};
        op.tensors[role].total_bytes = totals[role];
        fill((enum topk_role)role, bytes[role]);
        exhibits[role] = (struct topk_exhibit){.before = before[role],
                                               .after = after[role],
                                               .bytes = bytes[role],
                                               .offset = role == TOPK_INPUT ? 0 : GUARD};
    }
    op.tensors[TOPK_VALUE].strided = true;
    op.tensors[TOPK_VALUE].strides[0] = ROW;
    op.tensors[TOPK_VALUE].strides[1] = COLUMN;
    struct topk_judgement judgement = {0};
    topk_judge_memory(&op, exhibits, &judgement);

    int64_t byte = 0;
    const uint64_t written = found(&judgement, TOPK_CLAUSE_M01, TOPK_INPUT, &byte);
    PROVE(written == differing(TOPK_INPUT, 0, INPUT_BYTES));
    PROVE(written == 0 || (differing(TOPK_INPUT, 0, (uint32_t)byte) == 0 &&
                           kept[TOPK_INPUT][byte] != after[TOPK_INPUT][byte]));
    REACHED(written == INPUT_BYTES);
    uint32_t padding = 0;
    for (int role = TOPK_VALUE; role <= TOPK_INDEX; role++) {
        const uint32_t end = GUARD + (uint32_t)totals[role];
        const uint64_t outside = found(&judgement, TOPK_CLAUSE_M02, (enum topk_role)role, &byte);
        PROVE(outside == differing((enum topk_role)role, 0, GUARD) +
                             differing((enum topk_role)role, end, end + GUARD));
        PROVE(outside == 0 || (byte < 0 || byte >= (int64_t)totals[role]));
        REACHED(outside == 2 * GUARD);
        for (uint32_t at = 0; at < totals[role]; at++) {
            padding += !is_element((enum topk_role)role, at) &&
                       kept[role][GUARD + at] != after[role][GUARD + at];
        }
    }
    const uint32_t seen = judgement.observations;
    PROVE((seen >> TOPK_OBSERVATION_PADDING_WRITTEN & 1) == (padding > 0));
    PROVE((seen >> TOPK_OBSERVATION_PADDING_KEPT & 1) == (padding == 0));
    REACHED(padding > 0);
    REACHED(padding == 0 && judgement.count == 0);
}
