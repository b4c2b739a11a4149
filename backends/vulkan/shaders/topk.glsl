// What every kernel shares: the parameters of a call, the elements of its tensors and their order.
//
// Macros, of ../shaders.def:
//   WIDTH    bytes of an element: 1, 2, 4 or 8
//   CHUNK    elements that a dispatch sorts at most, a power of two; 0 if any number
//   NATIVE   8-bit or 16-bit elements are integers of that size, in memory and in registers
//   INT64    keys of 64-bit elements are uint64_t
//   PUSH     the parameters are push constants: three dimensions
//   ADDRESS  the buffers are known by their device addresses
//   SPECIAL  what a kind of call has in common is in specialization constants
//   FLOATS   elements are floats, and compared as such
//   SELECT   what is not among the first k of a chunk is left out before it is sorted
//
// Elements are read and written as bits, and compared by integer keys that have their order: but with
// FLOATS a float is never a float here, so that no NaN is quieted and no denormal flushed.

#extension GL_EXT_control_flow_attributes : require
// A loop of few turns that is not to be unrolled: that takes some compilers seconds.
#define LOOP [[dont_unroll]] for

#ifndef NATIVE
#define NATIVE 0
#endif
#ifndef INT64
#define INT64 0
#endif
#ifndef PUSH
#define PUSH 0
#endif
#ifndef ADDRESS
#define ADDRESS 0
#endif
#ifndef SPECIAL
#define SPECIAL 0
#endif
#ifndef FLOATS
#define FLOATS 0
#endif
#ifndef SELECT
#define SELECT 0
#endif

#if NATIVE && WIDTH == 1
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#elif NATIVE
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#endif
#if INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#if FLOATS && WIDTH == 2
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#if ADDRESS
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#endif

layout(local_size_x_id = 0) in;
#define GROUP gl_WorkGroupSize.x

// struct topk_shader_parameters of ../shaders.h, which says what each is.
#if PUSH
layout(push_constant, std430) uniform parameters
#else
layout(set = 0, binding = 3, std140) uniform parameters
#endif
{
    uint n;
    uint k;
    uint sequences;
    uint call_index_bytes;
    uvec3 base;
    uint dimensions;
    uvec3 steps;
    uint padded;
    uvec2 call_flip;
    uint call_is_float;
    uint slots;
#if PUSH
    uvec4 dimension[3];
#else
    uvec4 dimension[7];
    uvec4 addresses[2];
};
// struct topk_shader_push
layout(push_constant, std430) uniform push
{
#endif
    uint phase;
    uint digit;
    uint first_sequence;
    uint last;
};

#if SPECIAL
layout(constant_id = 1) const uint index_bytes = 4;
layout(constant_id = 2) const uint is_float = 0;
layout(constant_id = 3) const uint flip_low = 0;
layout(constant_id = 4) const uint flip_high = 0;
const uvec2 flip = uvec2(flip_low, flip_high);
#else
#define index_bytes call_index_bytes
#define is_float call_is_float
#define flip call_flip
#endif

// ---- Memory -----------------------------------------------------------------------------------

// INPUT, VALUE, INDEX and SCRATCH are arrays; the first two of PLAIN where elements are native.
#if NATIVE && WIDTH == 1
#define PLAIN uint8_t
#elif NATIVE
#define PLAIN uint16_t
#else
#define PLAIN uint
#endif

#if ADDRESS
layout(buffer_reference, std430, buffer_reference_align = 4) buffer words
{
    uint data[];
};
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer scratch_words
{
    uint data[];
};
#define INPUT words(addresses[0].xy).data
#define VALUE words(addresses[0].zw).data
#define INDEX words(addresses[1].xy).data
#define SCRATCH scratch_words(addresses[1].zw).data
#else
layout(set = 0, binding = 0, std430) readonly buffer input_buffer
{
    PLAIN input_data[];
};
layout(set = 0, binding = 1, std430) buffer value_buffer
{
    PLAIN value_data[];
};
layout(set = 0, binding = 2, std430) buffer index_buffer
{
    uint index_data[];
};
layout(set = 0, binding = 4, std430) coherent buffer scratch_buffer
{
    uint scratch_data[];
};
#define INPUT input_data
#define VALUE value_data
#define INDEX index_data
#define SCRATCH scratch_data
#endif

// ---- Elements ---------------------------------------------------------------------------------

#if WIDTH == 8
#define BITS uvec2
#else
#define BITS PLAIN
#endif

BITS load_bits(uint address)
{
#if WIDTH == 8
    return uvec2(INPUT[address / 4], INPUT[address / 4 + 1]);
#elif WIDTH == 4 || NATIVE
    return INPUT[address / WIDTH];
#else
    return bitfieldExtract(INPUT[address / 4], int(address & 3) * 8, WIDTH * 8);
#endif
}

// A part of a dword is written by two atomic operations that leave the other bits alone: they may be
// an element that another invocation writes, padding, or memory of no tensor.
void store_bits(uint address, BITS bits)
{
#if WIDTH == 8
    VALUE[address / 4] = bits.x;
    VALUE[address / 4 + 1] = bits.y;
#elif WIDTH == 4 || NATIVE
    VALUE[address / WIDTH] = bits;
#else
    const uint mask = WIDTH == 2 ? 0xFFFFu : 0xFFu;
    const uint shift = (address & 3) * 8;
    atomicAnd(VALUE[address / 4], ~(mask << shift));
    atomicOr(VALUE[address / 4], bits << shift);
#endif
}

// ---- Keys -------------------------------------------------------------------------------------

// The least key is the first of the output, in either direction; with FLOATS a key is an element's
// bits, and only precedes() tells.
#if INT64
#define KEY uint64_t
#define LAST_KEY 0xFFFFFFFFFFFFFFFFul
#else
#define KEY BITS
#define LAST_KEY KEY(0xFFFFFFFFu)
#endif

#if WIDTH == 2 || WIDTH == 4
// A float's bits are sign and magnitude. Counting from the sign bit's value makes -0 and +0 one key.
// All NaNs are one key, above that of +infinity.
BITS float_key(BITS bits)
{
    const BITS sign = BITS(WIDTH == 4 ? 0x80000000u : 0x8000u);
    const BITS infinity = BITS(WIDTH == 4 ? 0x7F800000u : 0x7C00u);
    const BITS magnitude = bits & BITS(sign - BITS(1));
    const BITS key = (bits & sign) != BITS(0) ? BITS(sign - magnitude) : BITS(sign + magnitude);
    return magnitude > infinity ? BITS(sign + infinity + BITS(1)) : key;
}
#endif

// What bits are compared by as integers.
KEY order_of(BITS bits)
{
#if INT64
    return packUint2x32(bits ^ flip);
#elif WIDTH == 8
    return bits ^ flip;
#elif WIDTH == 1
    return bits ^ BITS(flip.x);
#else
    return (is_float != 0 ? float_key(bits) : bits) ^ BITS(flip.x);
#endif
}

#if FLOATS
// Whether a float may be compared as one. A shader may take it for granted that there is neither NaN
// nor infinity. FLOAT16 denormals must be told apart, which a comparison need not do: it may flush
// them. With FLOAT32 that is left to the device.
bool is_plain(BITS bits)
{
#if WIDTH == 4
    return (bits & 0x7FFFFFFFu) < 0x7F800000u;
#else
    const BITS magnitude = bits & BITS(0x7FFFu);
    return magnitude < BITS(0x7C00u) && magnitude >= BITS(0x0400u);
#endif
}

bool is_less(BITS a, BITS b)
{
#if WIDTH == 4
    return uintBitsToFloat(a) < uintBitsToFloat(b);
#else
    return uint16BitsToHalf(a) < uint16BitsToHalf(b);
#endif
}
#endif

KEY key_of(BITS bits)
{
#if FLOATS
    return bits;
#else
    return order_of(bits);
#endif
}

bool precedes(KEY a, KEY b)
{
#if FLOATS
    if (is_plain(a) && is_plain(b)) {
        return flip.x == 0 ? is_less(a, b) : is_less(b, a);
    }
    return order_of(a) < order_of(b);
#elif WIDTH == 8 && !INT64
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

// The number of the workgroup, of those of a dispatch in rows.
uint group_number()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

// Where the first elements of a sequence are in the input, the values and the indices.
uvec3 sequence_at(uint sequence)
{
    uvec3 at = base;
    for (uint i = 0; i < dimensions; i++) {
        const uint above = sequence / dimension[i].x;
        at += (sequence - above * dimension[i].x) * dimension[i].yzw;
        sequence = above;
    }
    return at;
}

KEY key_at(uvec3 at, uint i)
{
    return key_of(load_bits(at.x + i * steps.x));
}

// Makes element i of the sequence the output at a position.
void write_output(uvec3 at, uint position, uint i)
{
    store_bits(at.y + position * steps.y, load_bits(at.x + i * steps.x));
    const uint address = at.z + position * steps.z;
    INDEX[address / 4] = i;
    if (index_bytes == 8) {
        INDEX[address / 4 + 1] = 0;
    }
}
