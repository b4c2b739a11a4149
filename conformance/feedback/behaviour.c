/* Computes features from what the judge sees: the result of a case, its outputs and its time. */
#include "behaviour.h"

#include "coverage/coverage.h"

/* Data of cases with more elements than this is not examined. */
#define LOOKED_AT 4096u
/* A call, and an element, that takes no longer than this is not slow. */
#define CALL_NS    ((uint64_t)1 << 16)
#define ELEMENT_NS ((uint64_t)64)
/* More elements than this count as this many. */
#define ELEMENTS_MAX ((uint64_t)1 << 32)

/* What a feature describes. */
enum kind {
    KIND_ANSWER,
    KIND_CLASS,
    KIND_CLASSES,
    KIND_TIME
};

static uint64_t mix(uint64_t digest, uint64_t number)
{
    digest = (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 32;
}

static uint32_t number_of(enum kind kind, uint64_t a, uint64_t b)
{
    return (uint32_t)(mix(mix(mix(0, (uint64_t)kind + 1), a), b) >> 16 & (TOPK_BEHAVIOURS - 1));
}

static bool add(struct topk_feature_list *features, const struct topk_novelty *novelty,
                uint32_t number)
{
    return !topk_novelty_new(novelty, number) || topk_feature_list_add(features, number);
}

/* Returns the order of the indices of equal values among the known outputs: bit 0 is set if a lower
 * index comes before a higher one, bit 1 if a higher one comes before a lower one. */
static uint32_t tie_order(const struct topk_outputs *outputs)
{
    uint32_t order = 0;
    for (uint32_t i = 1; outputs->known && i < outputs->count; i++) {
        if (outputs->value[i] == outputs->value[i - 1]) {
            order |= outputs->index[i] > outputs->index[i - 1] ? 1u : 2u;
        }
    }
    return order;
}

/* Returns a digest of everything that the judge says of an answer, except the numbers in it. */
static uint64_t answer_of(const struct topk_result *result)
{
    uint64_t answer = mix(0, (uint64_t)result->verdict);
    answer = mix(answer, (uint64_t)result->clause);
    answer = mix(answer, (result->by_status ? 1u : 0) + (result->by_contract ? 2u : 0));
    answer = mix(answer, result->judgement.observations);
    return mix(answer, tie_order(&result->outputs));
}

bool topk_behaviour_add(const struct topk_case *tc, const struct topk_result *result,
                        const struct topk_novelty *novelty, uint32_t first,
                        struct topk_feature_list *features)
{
    unsigned char classes[TOPK_ASPECT_COUNT];
    const uint64_t answer = answer_of(result);
    if (!add(features, novelty, first + number_of(KIND_ANSWER, answer, 0))) {
        return false;
    }
    const bool few = topk_tensor_elements(&tc->op.tensors[TOPK_INPUT]) <= LOOKED_AT;
    if (!(few && topk_aspects_of(tc, classes)) && !topk_aspects_described(tc, classes)) {
        return true;
    }
    for (int a = 0; a < TOPK_ASPECT_COUNT; a++) {
        if (!add(features, novelty, first + number_of(KIND_CLASS, answer, classes[a]))) {
            return false;
        }
        for (int b = 0; b < a; b++) {
            if (!add(features, novelty, first + number_of(KIND_CLASSES, classes[a], classes[b]))) {
                return false;
            }
        }
    }
    return true;
}

/* Returns how many bits a number takes. */
static uint32_t length_of(uint64_t number)
{
    uint32_t length = 0;
    for (; number != 0; number >>= 1) {
        length++;
    }
    return length;
}

bool topk_behaviour_slow(const struct topk_case *tc, uint64_t nanoseconds, uint32_t *feature)
{
    const struct topk_tensor *input = &tc->op.tensors[TOPK_INPUT];
    const uint64_t all = topk_tensor_elements(input);
    const uint64_t elements = all < ELEMENTS_MAX ? all : ELEMENTS_MAX;
    const uint64_t calls = tc->before_count + 1;
    const uint64_t usual = calls * CALL_NS + elements * ELEMENT_NS;
    const uint32_t steps = (length_of(nanoseconds / usual) + 2) / 3;
    *feature = number_of(KIND_TIME, steps, length_of(elements) * 256u + input->type);
    return steps > 0;
}
