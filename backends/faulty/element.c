/* Element types in the kernels of faulty: bits, keys that ascend with the value, and elements that
 * may be partly outside their buffer. */
#include "faulty.h"

uint32_t faulty_type_bytes(uint32_t type)
{
    static const unsigned char bytes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

bool faulty_type_float(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 || type == TOPK_BACKEND_FLOAT16;
}

bool faulty_type_signed(uint32_t type)
{
    return type == TOPK_BACKEND_INT64 || type == TOPK_BACKEND_INT32 || type == TOPK_BACKEND_INT16 ||
           type == TOPK_BACKEND_INT8;
}

uint64_t faulty_sign(uint32_t type)
{
    return UINT64_C(0x80) << 8 * (faulty_type_bytes(type) - 1) % 64;
}

uint64_t faulty_infinity(uint32_t type)
{
    return type == TOPK_BACKEND_FLOAT32 ? 0x7f800000 : 0x7c00;
}

bool faulty_nan(uint32_t type, uint64_t bits)
{
    return faulty_type_float(type) && (bits & ~faulty_sign(type)) > faulty_infinity(type);
}

bool faulty_denormal(uint32_t type, uint64_t bits)
{
    return faulty_type_float(type) && (bits & faulty_infinity(type)) == 0 &&
           (bits & ~faulty_sign(type)) != 0;
}

/* ascends with the value; both zeros have the same key, NaN has the greatest */
uint64_t faulty_key(uint32_t type, uint64_t bits)
{
    uint64_t sign = faulty_sign(type);
    if (faulty_nan(type, bits)) {
        return FAULTY_NAN_KEY;
    }
    if (faulty_type_float(type)) {
        return bits & sign ? sign - (bits & ~sign) : sign + bits;
    }
    return faulty_type_signed(type) ? bits ^ sign : bits;
}

uint64_t faulty_byte(const struct tensor *tensor, uint64_t at, uint32_t i)
{
    static const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 || at + tensor->bytes > tensor->room
               ? at + i
               : at + tensor->bytes - 1 - i;
}

uint64_t faulty_load_bytes(const struct tensor *tensor, uint64_t at)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < tensor->bytes && at + i < tensor->room; i++) {
        bits |= (uint64_t)tensor->start[faulty_byte(tensor, at, i)] << (8 * i);
    }
    return bits;
}

void faulty_store_bytes(const struct tensor *tensor, uint64_t at, uint64_t bits, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && at + i < tensor->room; i++) {
        tensor->start[faulty_byte(tensor, at, i)] = (unsigned char)(bits >> (8 * i));
    }
}
