/* The lengths and K of the classes that name them, and whether a type has enough values for
 * them. */
#include "cover.h"

#define LENGTHS_MAX 10

/* the lengths of each class, ascending, ended by 0 */
static const uint32_t lengths[][LENGTHS_MAX] = {
    {1},
    {2},
    {3},
    {4, 5, 6, 7, 8, 9, 10, 12, 15, 16},
    {31, 63, 127, 255, 511, 1023},
    {32, 64, 128, 256, 512, 1024},
    {17, 33, 65, 129, 257, 513},
    {19, 23, 37, 61, 97, 251, 509, 1021},
    {18, 24, 40, 48, 100, 200, 384, 640, 1000},
    {1025, 1536, 2047, 2048, 2049, 4096, 5000, 9000},
    {65537, 65600, 69632, 70001},
};

/* K of the classes that name numbers */
static const uint32_t below_powers[] = {3, 7, 15, 31, 63, 127, 255, 511, 1023};
static const uint32_t powers[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const uint32_t above_powers[] = {5, 9, 17, 33, 65, 129, 257, 513, 1025};
static const uint32_t others[] = {6, 10, 11, 13, 20, 43, 100, 200, 300};
#define NUMBERS 9

static const uint32_t *lengths_of(unsigned length_class)
{
    return lengths[length_class - TOPK_CLASS_LENGTH_1];
}

/* number `number` among the K of a class; 0 after the last */
static uint32_t k_of(unsigned k_class, uint32_t length, uint32_t number)
{
    if (number >= NUMBERS) {
        return 0;
    }
    switch (k_class) {
    case TOPK_CLASS_K_1:
        return 1;
    case TOPK_CLASS_K_ALL:
        return length;
    case TOPK_CLASS_K_2:
        return 2;
    case TOPK_CLASS_K_ALL_BUT_ONE:
        return length - 1;
    case TOPK_CLASS_K_HALF:
        return length / 2;
    case TOPK_CLASS_K_BELOW_POWER:
        return below_powers[number];
    case TOPK_CLASS_K_POWER:
        return powers[number];
    case TOPK_CLASS_K_ABOVE_POWER:
        return above_powers[number];
    default:
        return others[number];
    }
}

/* how many distinct values a type has; beside_zeros: only on one side of both zeros */
static uint32_t values_of(unsigned type, bool beside_zeros)
{
    switch (type) {
    case TOPK_CLASS_TYPE_U8:
    case TOPK_CLASS_TYPE_I8:
        return 254; /* 254; with the extremes 256, and no length lies in between */
    case TOPK_CLASS_TYPE_U16:
    case TOPK_CLASS_TYPE_I16:
        return 65534;
    case TOPK_CLASS_TYPE_F16:
        return beside_zeros ? 30720 : 61439;
    default:
        return UINT32_MAX;
    }
}

/* whether the type has enough values for the ties and the specials */
static bool leaves_room(const unsigned char *classes, uint32_t length, uint32_t k)
{
    unsigned type = classes[TOPK_ASPECT_TYPE];
    if (classes[TOPK_ASPECT_TIES] == TOPK_CLASS_TIES_NONE) {
        return length <= values_of(type, false);
    }
    if (classes[TOPK_ASPECT_TIES] ==
        /* the selected values are distinct, and another is not selected */
        TOPK_CLASS_TIES_UNSELECTED) {
        bool zeros = classes[TOPK_ASPECT_SPECIALS] ==
                     TOPK_CLASS_SPECIALS_ZEROS; /* the zeros tie, so they are not selected */
        return k + !zeros <= values_of(type, zeros);
    }
    return true;
}

bool topk_cover_room(const unsigned char classes[TOPK_ASPECT_COUNT])
{
    const uint32_t length = lengths_of(classes[TOPK_ASPECT_LENGTH])[0];
    return leaves_room(classes, length, k_of(classes[TOPK_ASPECT_K], length, 0));
}

/* whether a length and a K belong to their classes and the type has enough values for the ties */
static bool shape_does(const unsigned char *classes, uint32_t length, uint32_t k)
{
    if (k < 1 || k > length || topk_aspect_k_class(k, length) != classes[TOPK_ASPECT_K]) {
        return false;
    }
    bool two_left = length - k >= 2 || classes[TOPK_ASPECT_TIES] != TOPK_CLASS_TIES_UNSELECTED;
    return two_left && leaves_room(classes, length, k);
}

bool topk_cover_shape(const unsigned char classes[TOPK_ASPECT_COUNT], struct topk_pcg *pcg,
                      uint32_t *length, uint32_t *k)
{
    const uint32_t *list = lengths_of(classes[TOPK_ASPECT_LENGTH]);
    uint32_t found = 0;
    for (uint32_t i = 0; i < LENGTHS_MAX && list[i] != 0; i++) {
        for (uint32_t j = 0; j < NUMBERS; j++) {
            uint32_t candidate = k_of(classes[TOPK_ASPECT_K], list[i], j);
            /* reservoir sampling: each one found so far is equally likely */
            if (shape_does(classes, list[i], candidate) && topk_pcg_below(pcg, ++found) == 0) {
                *length = list[i];
                *k = candidate;
            }
        }
    }
    return found > 0;
}
