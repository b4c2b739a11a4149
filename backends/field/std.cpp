// std::partial_sort and std::stable_sort, as a textbook uses them to select K of a row: controls
// that a reader can check. Compiled with -DFIELD_STABLE=1 it is the second.
#include "field.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#if FIELD_STABLE
#define SORT(FIRST, MIDDLE, LAST, LESS) std::stable_sort(FIRST, LAST, LESS)
#define NAME                            "std::stable_sort"
#define TIES                            ""
#define SOURCE                          "https://eel.is/c++draft/stable.sort"
#else
#define SORT   std::partial_sort
#define NAME   "std::partial_sort"
#define TIES   "ties=any "
#define SOURCE "https://eel.is/c++draft/partial.sort"
#endif

// A NaN compares as no order at all, which these algorithms forbid: here it comes last.
template <typename T> static bool before(T a, T b, bool largest)
{
    return a != a || b != b ? a == a && b != b : largest ? a > b : a < b;
}

template <typename T> static int select(const field_call &call)
{
    const std::uint64_t n = call.sizes[call.rank - 1];
    std::vector<std::uint64_t> order(n);
    for (std::uint64_t row = 0; row < call.rows; row++) {
        const T *in = static_cast<const T *>(call.input) + row * n;
        const auto less = [&](auto a, auto b) { return before(in[a], in[b], call.largest != 0); };
        std::iota(order.begin(), order.end(), 0);
        SORT(order.begin(), order.begin() + call.k, order.end(), less);
        for (std::uint64_t j = 0; j < call.k; j++)
            field_take(&call, row * call.k + j, static_cast<std::int64_t>(order[j]));
    }
    return 0;
}

static int run(void * /*self*/, const field_call *call)
{
    const std::uint32_t type = call->type;
    return type == TOPK_BACKEND_FLOAT32  ? select<float>(*call)
           : type == TOPK_BACKEND_UINT64 ? select<std::uint64_t>(*call)
           : type == TOPK_BACKEND_UINT32 ? select<std::uint32_t>(*call)
           : type == TOPK_BACKEND_UINT16 ? select<std::uint16_t>(*call)
           : type == TOPK_BACKEND_UINT8  ? select<std::uint8_t>(*call)
           : type == TOPK_BACKEND_INT64  ? select<std::int64_t>(*call)
           : type == TOPK_BACKEND_INT32  ? select<std::int32_t>(*call)
           : type == TOPK_BACKEND_INT16  ? select<std::int16_t>(*call)
                                         : select<std::int8_t>(*call);
}

const struct field_library field_library = {
    NAME, "g++ " __VERSION__, TIES "axes=last types=f32,u32,u16,u8,i32,i16,i8,u64,i64", SOURCE,
    run};
