// Reads or writes what it is told to, in bounds or not.
#version 450
#if WIDTH == 8
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#define ELEMENT uint8_t
#elif WIDTH == 16
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#define ELEMENT uint16_t
#else
#define ELEMENT uint
#endif

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Given
{
    uint given[];
};
layout(set = 0, binding = 1, std430) buffer Target
{
    ELEMENT target[];
};
layout(set = 0, binding = 2, std430) writeonly buffer Made
{
    uint made[];
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
#if defined(READ)
    made[i] = target[given[i]];
#elif defined(WRITE)
    target[given[i]] = 0xdead0000u | i;
#else
    target[given[i]] = ELEMENT(0xab00u | 0x5au);
#endif
}
