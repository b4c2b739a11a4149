/* Lists of features, and a set with a bit for each feature that a kept case has. */
#include "novelty.h"

#include <stdlib.h>

bool topk_feature_list_add(struct topk_feature_list *features, uint32_t feature)
{
    if (features->count == features->room) {
        const size_t room = features->room * 2 + 64;
        uint32_t *grown = realloc(features->list, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        features->list = grown;
        features->room = room;
    }
    features->list[features->count++] = feature;
    return true;
}

void topk_feature_list_free(struct topk_feature_list *features)
{
    free(features->list);
    *features = (struct topk_feature_list){.list = NULL};
}

bool topk_novelty_make(struct topk_novelty *novelty, uint32_t space)
{
    *novelty = (struct topk_novelty){.space = space};
    novelty->bits = calloc(space / 64 + 1, sizeof *novelty->bits);
    return novelty->bits != NULL;
}

void topk_novelty_free(struct topk_novelty *novelty)
{
    free(novelty->bits);
    *novelty = (struct topk_novelty){.bits = NULL};
}

bool topk_novelty_new(const struct topk_novelty *novelty, uint32_t feature)
{
    return feature < novelty->space && (novelty->bits[feature / 64] >> feature % 64 & 1) == 0;
}

void topk_novelty_note(struct topk_novelty *novelty, uint32_t feature)
{
    if (topk_novelty_new(novelty, feature)) {
        novelty->bits[feature / 64] |= (uint64_t)1 << feature % 64;
        novelty->count++;
    }
}
