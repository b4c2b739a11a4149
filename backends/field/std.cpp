// std::partial_sort and std::stable_sort, as a textbook uses them to select K of a row: controls
// that a reader can check. Compiled with -DFIELD_STABLE=1 it is the second.
#include "field.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

// A NaN compares as no order at all, which these algorithms forbid: here it comes last.
template <typename T> static bool before(T a, T b, bool largest)
{
    return a != a || b != b ? a == a && b != b : largest ? a > b : a < b;
}

template <typename T> static void select(const field_call &call)
{
    const std::uint64_t n = call.sizes[call.rank - 1];
    std::vector<std::uint64_t> order(n);
    for (std::uint64_t row = 0; row < call.rows; row++) {
        const T *in = static_cast<const T *>(call.input) + row * n;
        const auto less = [&](std::uint64_t a, std::uint64_t b) {
            return before(in[a], in[b], call.largest != 0);
        };
        std::iota(order.begin(), order.end(), 0);
#if FIELD_STABLE
        std::stable_sort(order.begin(), order.end(), less);
#else
        std::partial_sort(order.begin(), order.begin() + call.k, order.end(), less);
#endif
        for (std::uint64_t j = 0; j < call.k; j++) {
            call.indices[row * call.k + j] = static_cast<std::int64_t>(order[j]);
            std::memcpy(static_cast<T *>(call.values) + row * call.k + j, in + order[j], sizeof(T));
        }
    }
}

static int run(void * /*self*/, const field_call *call)
{
    static void (*const selects[])(const field_call &) = {nullptr,
                                                          select<float>,
                                                          nullptr,
                                                          select<std::uint32_t>,
                                                          select<std::uint16_t>,
                                                          select<std::uint8_t>,
                                                          select<std::int32_t>,
                                                          select<std::int16_t>,
                                                          select<std::int8_t>,
                                                          nullptr,
                                                          select<std::uint64_t>,
                                                          select<std::int64_t>};
    selects[call->type](*call);
    return 0;
}

#define TYPES "axes=last types=f32,u32,u16,u8,i32,i16,i8,u64,i64"
#if FIELD_STABLE
const struct field_library field_library = {"std::stable_sort",
                                            "g++ " __VERSION__,
                                            TYPES,
                                            "https://eel.is/c++draft/stable.sort",
                                            run,
                                            nullptr,
                                            nullptr,
                                            nullptr};
#else
const struct field_library field_library = {"std::partial_sort",
                                            "g++ " __VERSION__,
                                            TYPES " ties=any",
                                            "https://eel.is/c++draft/partial.sort",
                                            run,
                                            nullptr,
                                            nullptr,
                                            nullptr};
#endif
