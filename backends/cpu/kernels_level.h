/* The kernels of one level of SIMD. A file that includes this contains their table. */
#include "entries.h"
#include "kernels.h"

#include <string.h>

/* Number of keys that are computed at once: enough for tight loops, few enough for the stack and
 * the L1 cache. */
#define BLOCK TOPK_CPU_BLOCK
/* Rows up to this length are searched for their first element several at once. */
#define SHORT 64u
/* Number of elements that are compared with a bound at once. A scan compares several such parts,
 * and then, if any element is within the bound, each part; but not where a part takes so long that
 * comparing it twice costs more. */
#define PART ((size_t)32)
#ifdef __AVX512BW__
#define SCANNED (4 * PART)
#else
#define SCANNED (KEY_BITS <= 16 ? 4 * PART : PART)
#endif
/* Number of keys counted at once: the count fits into any key. */
#define COUNTED 128u
/* Number of rows packed at once: the elements of a cache line. */
#define PACKED_ROWS 16u

static inline void store_index(const struct topk_cpu_task *task, unsigned char *to, uint32_t index)
{
    if (task->index_is_64) {
        const uint64_t wide = index;
        memcpy(to, &wide, sizeof wide);
    } else {
        memcpy(to, &index, sizeof index);
    }
}

#define KIND         u8
#define KEY          uint8_t
#define KEY_BITS     8
#define KEY_INFINITY 0
#include "kernels_type.h"

#define KIND         u16
#define KEY          uint16_t
#define KEY_BITS     16
#define KEY_INFINITY 0
#include "kernels_type.h"

#define KIND         u32
#define KEY          uint32_t
#define KEY_BITS     32
#define KEY_INFINITY 0
#include "kernels_type.h"

#define KIND         u64
#define KEY          uint64_t
#define KEY_BITS     64
#define KEY_INFINITY 0
#include "kernels_type.h"

#define KIND         f16
#define KEY          uint16_t
#define KEY_BITS     16
#define KEY_INFINITY 0x7C00
#include "kernels_type.h"

#define KIND         f32
#define KEY          uint32_t
#define KEY_BITS     32
#define KEY_INFINITY 0x7F800000
#include "kernels_type.h"

#define TABLE(kind)                                                                                \
    {                                                                                              \
        .pack = pack_##kind, .lanes = lanes_##kind, .firsts = firsts_##kind,                       \
        .first = first_##kind, .filter = filter_##kind, .reduce = reduce_##kind,                   \
        .keys = keys_of_##kind, .range = range_##kind, .count = count_##kind,                      \
        .place = place_##kind, .finish = finish_##kind, .finish_dealt = finish_dealt_##kind,       \
        .dealt_bytes = sizeof(struct dealt_##kind)                                                 \
    }

static const struct topk_cpu_kernels kernels[TOPK_CPU_KINDS] = {
    [TOPK_CPU_U8] = TABLE(u8),   [TOPK_CPU_U16] = TABLE(u16), [TOPK_CPU_U32] = TABLE(u32),
    [TOPK_CPU_U64] = TABLE(u64), [TOPK_CPU_F16] = TABLE(f16), [TOPK_CPU_F32] = TABLE(f32),
};
