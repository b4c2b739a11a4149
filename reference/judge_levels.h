/* The functions of one level of judge_scan.h, for all element types. Each file that is compiled for
 * a level includes it. */
#include "judge_scan.h"

#include <stdbool.h>
#include <string.h>

#include "judge_parts.h"

/* keeps GCC from learning the distance of rows from callers, because it would vectorize over
 * rows */
#if defined __GNUC__ && !defined __clang__
#define ANY_CALLER __attribute__((noipa))
#else
#define ANY_CALLER
#endif

/* loads the indices of outputs; one that is too large for an input becomes UINT32_MAX */
static void load_indices(const struct topk_sequence *s, uint32_t from, uint32_t count,
                         uint32_t *indices)
{
    if (s->index_bytes == 4 && s->index_step == 4) {
        memcpy(indices, s->index + (uint64_t)from * 4, (size_t)count * 4);
        return;
    }
    for (uint32_t j = 0; j < count; j++) {
        const uint64_t index = load_index(s, from + j);
        indices[j] = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
    }
}

/* maps sign and magnitude to one scale, in the element's own width */
#define FLOAT_KEY(bits, sign)    ((bits) & (sign) ? (sign) - ((bits) & ((sign)-1)) : (sign) + (bits))
#define INTEGER_KEY(bits, least) ((bits) ^ (least))

#define SCAN(name)        name##_float4
#define UINT              uint32_t
#define INT               int32_t
#define FLOAT             1
#define KEY(bits, origin) FLOAT_KEY(bits, origin)
#include "judge_certificate.h"
#include "judge_lanes.h"

#define SCAN(name)        name##_float2
#define UINT              uint16_t
#define INT               int16_t
#define FLOAT             1
#define KEY(bits, origin) FLOAT_KEY(bits, origin)
#include "judge_certificate.h"
#include "judge_lanes.h"

#define SCAN(name)        name##_integer8
#define UINT              uint64_t
#define INT               int64_t
#define FLOAT             0
#define KEY(bits, origin) INTEGER_KEY(bits, origin)
#include "judge_certificate.h"
#include "judge_lanes.h"

#define SCAN(name)        name##_integer4
#define UINT              uint32_t
#define INT               int32_t
#define FLOAT             0
#define KEY(bits, origin) INTEGER_KEY(bits, origin)
#include "judge_certificate.h"
#include "judge_lanes.h"

#define SCAN(name)        name##_integer2
#define UINT              uint16_t
#define INT               int16_t
#define FLOAT             0
#define KEY(bits, origin) INTEGER_KEY(bits, origin)
#include "judge_certificate.h"
#include "judge_lanes.h"

#define SCAN(name)        name##_integer1
#define UINT              uint8_t
#define INT               int8_t
#define FLOAT             0
#define KEY(bits, origin) INTEGER_KEY(bits, origin)
#include "judge_certificate.h"
#include "judge_lanes.h"

#define FUNCTIONS_FLOAT(bytes)                                                                     \
    {                                                                                              \
        outputs_float##bytes, sequence_float##bytes, columns_float##bytes                          \
    }
#define FUNCTIONS_SIGNED(bytes)                                                                    \
    {                                                                                              \
        outputs_integer##bytes, sequence_integer##bytes, columns_integer##bytes                    \
    }
#define FUNCTIONS_UNSIGNED(bytes)                                                                  \
    {                                                                                              \
        outputs_integer##bytes, sequence_integer##bytes, columns_integer##bytes                    \
    }

static const struct topk_scan_functions functions[] = {
#define X(name, text, number, bytes, kind) [number] = FUNCTIONS_##kind(bytes),
    TOPK_TYPE_LIST(X)
#undef X
};
