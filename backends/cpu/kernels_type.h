/* The kernels of one type of keys. kernels_level.h includes this for each type, with the macros
 * KIND, KEY, KEY_BITS and KEY_INFINITY, which it undefines. */
#define TYPED_3(name, kind) name##_##kind
#define TYPED_2(name, kind) TYPED_3(name, kind)
#define TYPED(name)         TYPED_2(name, KIND)

#if KEY_BITS == 8
#define SIGNED_KEY  int8_t
#define LANE        uint16_t
#define SIGNED_LANE int16_t
#define LANE_BITS   16
#define LANE_INDEX  8
#elif KEY_BITS == 16
#define SIGNED_KEY int16_t
#elif KEY_BITS == 32
#define SIGNED_KEY int32_t
#else
#define SIGNED_KEY int64_t
#endif
#if KEY_BITS != 8
#define LANE        uint32_t
#define SIGNED_LANE int32_t
#define LANE_BITS   32
#define LANE_INDEX  6 /* for TOPK_CPU_NETWORK_LENGTH */
#endif
#define LANES      (KEY_BITS == 64 ? 16u : 32u)
#define INDEX_MASK (((LANE)1 << LANE_INDEX) - 1)

#include "type_keys.h"

#include "type_filter.h"
#include "type_lanes.h"
#include "type_sort.h"

#undef KIND
#undef KEY
#undef KEY_BITS
#undef KEY_INFINITY
#undef KEY_MOST
#undef KEY_NAN
#undef SIGNED_KEY
#undef LANE
#undef SIGNED_LANE
#undef LANE_BITS
#undef LANE_INDEX
#undef LANE_KEY
#undef LANES
#undef INDEX_MASK
#undef TYPED
#undef TYPED_2
#undef TYPED_3
