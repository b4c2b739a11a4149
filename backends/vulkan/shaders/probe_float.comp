// One invocation computes what is left open for floats of WIDTH bits: the order of probe_float.h. The
// mode, if any, is declared for this width alone. `precise` makes all arithmetic NoContraction: without
// that a compiler may rearrange it as if there were no signed zeros, whatever mode is declared.
#version 450
#extension GL_EXT_spirv_intrinsics : require

#if WIDTH == 16
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#define FLOAT float16_t
#elif WIDTH == 64
#define FLOAT double
#else
#define FLOAT float
#endif

#if defined(PRESERVE)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, WIDTH);
#elif defined(FLUSH)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4465], 4460, WIDTH);
#elif defined(SPECIALS)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, WIDTH);
#elif defined(RTE)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, WIDTH);
#elif defined(RTZ)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4468], 4463, WIDTH);
#endif

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) readonly buffer Given
{
    FLOAT given[];
};
layout(set = 0, binding = 1, std430) writeonly buffer Made
{
    precise FLOAT made[];
};

FLOAT truth(bool held)
{
    return held ? FLOAT(1.0) : FLOAT(0.0);
}

void main()
{
    FLOAT least = given[0];
    FLOAT denormal = given[3];
    FLOAT zero = given[4];
    FLOAT infinity = given[6];
    FLOAT one = given[7];
    FLOAT next = given[8];
    FLOAT quiet = given[13];
    FLOAT signalling = given[14];
    made[0] = denormal;
    made[1] = least * given[1];
    made[2] = given[2] - least;
    made[3] = denormal + zero;
    made[4] = denormal * given[12];
    made[5] = truth(denormal > zero);
    made[6] = truth(denormal == zero);
    // constants, where a compiler is tempted
    made[7] = given[5] + FLOAT(0.0);
    made[8] = zero * given[15];
    made[9] = infinity - infinity;
    made[10] = truth(quiet == quiet);
    made[11] = infinity * FLOAT(0.0);
    made[12] = FLOAT(0.0) - zero;
    made[13] = truth(quiet < one || quiet >= one);
    made[14] = one + given[9];
    made[15] = next + given[9];
    made[16] = one + given[10];
    made[17] = next * given[11];
    made[18] = quiet;
    made[19] = signalling;
    made[20] = one > zero ? signalling : one;
    made[21] = quiet + zero;
    made[22] = signalling + zero;
    made[23] = -quiet;
    made[24] = abs(quiet);
    made[25] = min(quiet, one);
    made[26] = max(one, quiet);
}
