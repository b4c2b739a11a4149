// What every kernel shares: the parameters of a call, the elements of its tensors and their order.
//
// compile_hlsl puts this before each kernel, behind the macros of ../shaders.def:
//   WIDTH       bytes of an element: 1, 2, 4 or 8
//   INT64       1: keys of 64-bit elements are uint64_t (shader model 6.0)
//   NATIVE16    1: 16-bit elements are uint16_t in memory too (shader model 6.2)
//
// Elements are read and written as bits, and compared by integer keys that have their order: a float
// is never a float here, so that no NaN is quieted and no denormal flushed.

// struct topk_kernel_parameters of ../../kernel/kernel.h, and what ../kernel.c adds to it.
cbuffer parameters : register(b0)
{
    uint n;
    uint k;
    uint sequences;
    uint index_bytes;
    uint3 base;
    uint dimensions;
    uint3 step;
    uint padded;
    uint2 flip;
    uint is_float;
    uint slots;
    uint4 dimension[7];
    uint groups_x;
    uint scratch_base;
};

RWByteAddressBuffer input : register(u0);
RWByteAddressBuffer value : register(u1);
RWByteAddressBuffer indices : register(u2);
RWByteAddressBuffer scratch : register(u3);

// ---- Elements ---------------------------------------------------------------------------------

#if WIDTH == 8
#define BITS uint2
#elif WIDTH == 2 && NATIVE16
#define BITS uint16_t
#else
#define BITS uint
#endif

BITS load_bits(uint address)
{
#if WIDTH == 8
    return input.Load2(address);
#elif WIDTH == 4
    return input.Load(address);
#elif WIDTH == 2 && NATIVE16
    return input.Load<uint16_t>(address);
#elif WIDTH == 2
    return (input.Load(address & ~3u) >> ((address & 2) * 8)) & 0xFFFF;
#else
    return (input.Load(address & ~3u) >> ((address & 3) * 8)) & 0xFF;
#endif
}

// A part of a dword is written by two atomic operations that leave the other bits alone: they may be
// an element that another thread writes, padding, or memory of no tensor.
void store_bits(uint address, BITS bits)
{
#if WIDTH == 8
    value.Store2(address, bits);
#elif WIDTH == 4
    value.Store(address, bits);
#elif WIDTH == 2 && NATIVE16
    value.Store<uint16_t>(address, bits);
#else
    const uint mask = WIDTH == 2 ? 0xFFFF : 0xFF;
    const uint shift = (address & 3) * 8;
    value.InterlockedAnd(address & ~3u, ~(mask << shift));
    value.InterlockedOr(address & ~3u, bits << shift);
#endif
}

// ---- Keys -------------------------------------------------------------------------------------

// The least key is the first of the output, in either direction.
#if WIDTH == 8 && INT64
#define KEY uint64_t
#define LAST_KEY 0xFFFFFFFFFFFFFFFFull
#elif WIDTH == 8
#define KEY uint2
#define LAST_KEY uint2(0xFFFFFFFF, 0xFFFFFFFF)
#elif WIDTH == 2 && NATIVE16
#define KEY uint16_t
#define LAST_KEY uint16_t(0xFFFF)
#else
#define KEY uint
#define LAST_KEY 0xFFFFFFFF
#endif

#if WIDTH == 2 || WIDTH == 4
// A float's bits are sign and magnitude. Counting from the sign bit's value makes -0 and +0 one key.
// All NaNs are one key, above that of +infinity.
BITS float_key(BITS bits)
{
    const BITS sign = BITS(WIDTH == 4 ? 0x80000000 : 0x8000);
    const BITS infinity = BITS(WIDTH == 4 ? 0x7F800000 : 0x7C00);
    const BITS magnitude = bits & BITS(sign - 1);
    const BITS key = (bits & sign) != 0 ? BITS(sign - magnitude) : BITS(sign + magnitude);
    return magnitude > infinity ? BITS(sign + infinity + 1) : key;
}
#endif

KEY key_of(BITS bits)
{
#if WIDTH == 8 && INT64
    bits ^= flip;
    return (uint64_t(bits.y) << 32) | bits.x;
#elif WIDTH == 8
    return bits ^ flip;
#elif WIDTH == 1
    return bits ^ flip.x;
#else
    return (is_float != 0 ? float_key(bits) : bits) ^ BITS(flip.x);
#endif
}

bool precedes(KEY a, KEY b)
{
#if WIDTH == 8 && !INT64
    return a.y < b.y || (a.y == b.y && a.x < b.x);
#else
    return a < b;
#endif
}

// Whether element i with key a comes before element j with key b.
bool comes_before(KEY a, uint i, KEY b, uint j)
{
    return precedes(a, b) || (!precedes(b, a) && i < j);
}

// ---- Sequences --------------------------------------------------------------------------------

// Where the first elements of a sequence are in the input, the values and the indices.
uint3 sequence_at(uint sequence)
{
    uint3 at = base;
    for (uint i = 0; i < dimensions; i++) {
        const uint above = sequence / dimension[i].x;
        at += (sequence - above * dimension[i].x) * dimension[i].yzw;
        sequence = above;
    }
    return at;
}

KEY key_at(uint3 at, uint i)
{
    return key_of(load_bits(at.x + i * step.x));
}

// Makes element i of the sequence the output at a position.
void write_output(uint3 at, uint position, uint i)
{
    store_bits(at.y + position * step.y, load_bits(at.x + i * step.x));
    const uint address = at.z + position * step.z;
    if (index_bytes == 8) {
        indices.Store2(address, uint2(i, 0));
    } else {
        indices.Store(address, i);
    }
}
