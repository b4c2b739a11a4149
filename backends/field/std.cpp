// std::partial_sort, std::stable_sort, and std::nth_element with std::sort, as a textbook uses them
// to select K of a row: controls that a reader can check. What is sorted are pairs of a value and
// its index, in memory that is kept. Compiled with -DFIELD_STABLE=1 it is the second, with
// -DFIELD_NTH=1 the third.
#include "field.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#if FIELD_STABLE
#define NAME   "std::stable_sort"
#define TIES   ""
#define SOURCE "https://eel.is/c++draft/stable.sort"
#elif FIELD_NTH
#define NAME   "std::nth_element and std::sort"
#define TIES   "ties=any "
#define SOURCE "https://eel.is/c++draft/alg.nth.element"
#else
#define NAME   "std::partial_sort"
#define TIES   "ties=any "
#define SOURCE "https://eel.is/c++draft/partial.sort"
#endif

template <typename T> struct entry {
    T value;
    std::uint32_t index;
};

template <typename T, typename Less>
static void sort(std::vector<entry<T>> &row, std::uint32_t k, const Less &less)
{
#if FIELD_STABLE
    (void)k;
    std::stable_sort(row.begin(), row.end(), less);
#elif FIELD_NTH
    std::nth_element(row.begin(), row.begin() + (k - 1), row.end(), less);
    std::sort(row.begin(), row.begin() + k, less);
#else
    std::partial_sort(row.begin(), row.begin() + k, row.end(), less);
#endif
}

// A NaN compares as no order at all, which these algorithms forbid: here it comes last.
template <bool LARGEST, typename T> static bool before(T a, T b)
{
    return a != a || b != b ? a == a && b != b : LARGEST ? a > b : a < b;
}

template <bool LARGEST, typename T> static void select(const field_call &call)
{
    static std::vector<entry<T>> row;
    const std::uint64_t n = call.sizes[call.rank - 1];
    row.resize(n);
    for (std::uint64_t r = 0; r < call.rows; r++) {
        const T *in = static_cast<const T *>(call.input) + r * n;
        for (std::uint64_t i = 0; i < n; i++)
            row[i] = {in[i], static_cast<std::uint32_t>(i)};
        sort(row, call.k,
             [](const auto &a, const auto &b) { return before<LARGEST>(a.value, b.value); });
        for (std::uint64_t j = 0; j < call.k; j++) {
            static_cast<T *>(call.values)[r * call.k + j] = row[j].value;
            call.indices[r * call.k + j] = row[j].index;
        }
    }
}

template <typename T> static int select(const field_call &call)
{
    call.largest != 0 ? select<true, T>(call) : select<false, T>(call);
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
