/* Assigns ids to shards by a hash. */
#include "shard.h"

#include <string.h>

static const char *const rule_words[] = {
#define RULE(name, word) word,
    TOPK_SHARD_RULE_LIST(RULE)
#undef RULE
};

const char *topk_shard_rule_word(enum topk_shard_rule rule)
{
    return rule_words[rule];
}

enum topk_shard_rule topk_shard_rule_parse(const char *word)
{
    int rule = 0;
    while (rule < TOPK_SHARD_BY_COUNT && strcmp(rule_words[rule], word) != 0) {
        rule++;
    }
    return (enum topk_shard_rule)rule;
}

/* ---- ids ------------------------------------------------------------------------------------- */

/* FNV-1a with 64 bits, followed by mixing, because the low bits alone must be well distributed. */
static uint64_t hash_of(const char *id, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)id[i]) * UINT64_C(0x100000001b3);
    }
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

uint32_t topk_shard_bucket(const char *id, size_t length)
{
    return (uint32_t)(hash_of(id, length) % TOPK_SHARD_BUCKETS);
}

uint32_t topk_shard_of_id(const char *id, size_t length, uint32_t shards)
{
    /* uses other bits than the bucket does */
    return (uint32_t)((hash_of(id, length) >> 16) % shards) + 1;
}

bool topk_shard_has(const struct topk_shard *shard, uint64_t number, const char *id, size_t length)
{
    uint32_t of = 0;
    if (shard->count == 0) {
        return true;
    }
    if (shard->rule == TOPK_SHARD_BY_NUMBER) {
        return number % shard->count + 1 == shard->number;
    }
    if (shard->rule == TOPK_SHARD_BY_COSTS) {
        of = shard->of[topk_shard_bucket(id, length)];
    }
    return (of == 0 ? topk_shard_of_id(id, length, shard->count) : of) == shard->number;
}
