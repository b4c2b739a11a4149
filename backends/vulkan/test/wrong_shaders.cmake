# Shaders of the backend vulkan that are wrong on purpose, each as somebody who writes a top-K, or a
# compiler, might get it wrong. cmake/wrong_vulkan.cmake says what the words of a row mean.

# the shader as it is: it has to pass
topk_wrong_shader(none VARIANT rank WIDTHS 1 2 4 8 FILE topk.glsl
  FROM [[return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;]]
  TO [[return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;]]
  CASES examples ties.boundary floats types memory.tails axis.ranks CAUGHT - -)

# ---- Order ----------------------------------------------------------------------------------------

# equal elements by descending index
topk_wrong_shader(ties VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[(!precedes(b, a) && i < j)]] TO [[(!precedes(b, a) && i > j)]]
  CASES ties CAUGHT S08 S08)
# floats compared as floats: a NaN is before nothing and after nothing
topk_wrong_shader(float-compare VARIANT rank WIDTHS 4 FILE rank.comp
  FROM [[before += comes_before(key_at(at, j), j, mine, i) ? 1 : 0;]]
  TO [[const float a = uintBitsToFloat(load_bits(at.x + j * steps.x));
        const float b = uintBitsToFloat(load_bits(at.x + i * steps.x));
        const bool first = (flip.x == 0 ? a < b : a > b) || (a == b && j < i);
        before += (is_float != 0 ? first : comes_before(key_at(at, j), j, mine, i)) ? 1 : 0;]]
  CASES floats CAUGHT S07 S07)
# -0 is less than +0
topk_wrong_shader(negative-zero VARIANT rank WIDTHS 2 4 FILE topk.glsl
  FROM [[BITS(sign - magnitude)]] TO [[BITS(sign - magnitude - BITS(1))]]
  CASES floats CAUGHT F01 F01)
# an infinity is taken for a NaN
topk_wrong_shader(infinity VARIANT rank WIDTHS 2 4 FILE topk.glsl
  FROM [[return magnitude > infinity]] TO [[return magnitude >= infinity]]
  CASES floats CAUGHT F03 F03)
# denormals of FLOAT16 are compared as zeros
topk_wrong_shader(flush-half VARIANT rank WIDTHS 2 FILE topk.glsl
  FROM [[const BITS magnitude = bits & BITS(sign - BITS(1));]]
  TO [[const BITS exact = bits & BITS(sign - BITS(1));
    const BITS magnitude = exact < BITS(0x0400u) ? BITS(0) : exact;]]
  CASES floats CAUGHT F05 F05)
# FLOAT32 is compared with the precision of FLOAT16
topk_wrong_shader(half-precision VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[const BITS magnitude = bits & BITS(sign - BITS(1));]]
  TO [[const BITS magnitude = bits & BITS(0x7FFFE000u);]]
  CASES floats types CAUGHT F06 F06)
# signed bytes are compared as unsigned ones
topk_wrong_shader(signed-bytes VARIANT rank WIDTHS 1 FILE topk.glsl
  FROM [[return bits ^ BITS(flip.x);
#else]]
  TO [[return bits ^ BITS((flip.x & 0x7Fu) == 0 ? 0 : 0xFFu);
#else]]
  CASES types CAUGHT S12 S12)
# unsigned 64-bit integers: the upper halves are compared as signed
topk_wrong_shader(signed-upper VARIANT rank WIDTHS 8 FILE topk.glsl
  FROM [[return a.y < b.y || ]] TO [[return int(a.y) < int(b.y) || ]]
  CASES types CAUGHT F07 F07)
# and the lower halves as signed
topk_wrong_shader(signed-lower VARIANT rank WIDTHS 8 FILE topk.glsl
  FROM [[a.x < b.x);]] TO [[int(a.x) < int(b.x));]]
  CASES types CAUGHT F07 F07)
# 64-bit integers of the compiler's own, as signed
topk_wrong_shader(signed-int64 VARIANT int64 WIDTHS 8 FILE topk.glsl
  FROM [[#else
    return a < b;]]
  TO [[#elif INT64
    return int64_t(a) < int64_t(b);
#else
    return a < b;]]
  CASES types CAUGHT F07 .)

# ---- Sequences ------------------------------------------------------------------------------------

# the strides of the outputs are swapped
topk_wrong_shader(strides VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[* dimension[i].yzw;]] TO [[* dimension[i].ywz;]]
  CASES layout CAUGHT S05 S05)
# neighbours along the axis are taken for neighbours in memory
topk_wrong_shader(axis-stride VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[return key_of(load_bits(at.x + i * steps.x));]]
  TO [[return key_of(load_bits(at.x + i * WIDTH));]]
  CASES axis CAUGHT S03 S03)
# of seven dimensions beside the axis, one is not stepped through: no case of core has seven of more
# than one element
topk_wrong_shader(dimensions VARIANT rank WIDTHS 1 2 4 8 FILE topk.glsl
  FROM [[i < dimensions; i++]] TO [[i < min(dimensions, 6); i++]]
  CASES [[top_k fl=3.1 in=u8[2,2,2,2,2,2,2,2] axis=7 k=1]] CAUGHT S07 S07)
# where a tensor starts in its descriptor is ignored; no matter where every offset suits a descriptor
topk_wrong_shader(base VARIANT rank WIDTHS 1 2 4 8 FILE topk.glsl
  FROM [[uvec3 at = base;]] TO [[uvec3 at = uvec3(0);]]
  CASES memory.offsets CAUGHT - M06)
# rows of workgroups are all taken for the first
topk_wrong_shader(grid VARIANT subgroup WIDTHS 1 2 4 8 FILE topk.glsl
  FROM [[return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;]]
  TO [[return gl_WorkGroupID.x;]]
  CASES sizes.large*70000* CAUGHT S07 S07)

# ---- Memory ---------------------------------------------------------------------------------------

# indices have 16 bits
topk_wrong_shader(index-16 VARIANT split WIDTHS 1 2 4 8 FILE topk.glsl
  FROM [[INDEX[address / 4] = i;]] TO [[INDEX[address / 4] = i & 0xFFFFu;]]
  CASES sizes.large*13107* CAUGHT S05 S05)
# the upper half of a UINT64 index is not written
topk_wrong_shader(index-upper VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[INDEX[address / 4 + 1] = 0;]] TO [[]]
  CASES types CAUGHT M05 M05)
# a small element is written as a whole dword
topk_wrong_shader(tail-bytes VARIANT rank WIDTHS 1 2 FILE topk.glsl
  FROM [[atomicAnd(VALUE[address / 4], ~(mask << shift));
    atomicOr(VALUE[address / 4], bits << shift);]]
  TO [[VALUE[address / 4] = bits << shift;]]
  CASES memory.tails CAUGHT S05 S05)
# a small element is written by reading and writing its dword, as a neighbour does at once
topk_wrong_shader(no-atomics VARIANT rank WIDTHS 1 2 FILE topk.glsl
  FROM [[atomicAnd(VALUE[address / 4], ~(mask << shift));
    atomicOr(VALUE[address / 4], bits << shift);]]
  TO [[VALUE[address / 4] = (VALUE[address / 4] & ~(mask << shift)) | bits << shift;]]
  CASES memory.tails CAUGHT S05 S05)
# values go by way of float arithmetic that flushes denormals
topk_wrong_shader(flush-output VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[VALUE[address / WIDTH] = bits;]]
  TO [[VALUE[address / WIDTH] = is_float != 0 && (bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits;]]
  CASES floats CAUGHT S05 S05)
# and by way of arithmetic that quiets a NaN: F02 allows that
topk_wrong_shader(quiet-nan VARIANT rank WIDTHS 4 FILE topk.glsl
  FROM [[VALUE[address / WIDTH] = bits;]]
  TO [[VALUE[address / WIDTH] = is_float != 0 && (bits & 0x7FFFFFFFu) > 0x7F800000u ? bits | 0x400000u : bits;]]
  CASES floats CAUGHT - -)

# ---- Workgroups and subgroups ---------------------------------------------------------------------

# a subgroup is 32 invocations
topk_wrong_shader(subgroup-32 VARIANT subgroup WIDTHS 1 2 4 8 FILE subgroup.comp
  FROM [[const uint count = subgroupBallotBitCount(lanes);]] TO [[const uint count = 32;]]
  CASES sizes.lengths CAUGHT S07 S07)
# the last elements fill a subgroup
topk_wrong_shader(subgroup-full VARIANT subgroup WIDTHS 1 2 4 8 FILE subgroup.comp
  FROM [[lane < gl_SubgroupSize && j < end;]] TO [[lane < gl_SubgroupSize;]]
  CASES sizes.lengths CAUGHT S07 S07)
# what a sequence is filled up with comes first
topk_wrong_shader(padding-first VARIANT bitonic WIDTHS 4 FILE bitonic.comp
  FROM [[keys[i] = LAST_KEY;]] TO [[keys[i] = 0;]]
  CASES sizes.lengths CAUGHT S07 S07)
# and one element too few of it
topk_wrong_shader(padding-short VARIANT bitonic WIDTHS 4 FILE bitonic.comp
  FROM [[if (element < n &&]] TO [[if (element <= n &&]]
  CASES sizes.lengths CAUGHT S07 S07)
# only 1024 elements are loaded to shared memory
topk_wrong_shader(shared-1024 VARIANT bitonic WIDTHS 4 FILE bitonic.comp
  FROM [[i < total; i += GROUP) {
        const uint slot = (first + i / padded) / chunks;
        const uint chunk = (first + i / padded) - slot * chunks;
        const uint element]]
  TO [[i < min(total, 1024); i += GROUP) {
        const uint slot = (first + i / padded) / chunks;
        const uint chunk = (first + i / padded) - slot * chunks;
        const uint element]]
  CASES sizes.lengths CAUGHT S07 S07)
# a digit is counted among all elements, not among those that the digits before it leave open
topk_wrong_shader(select-open VARIANT select WIDTHS 4 FILE select.glsl
  FROM [[if (digits_from(key, digit + 1) == bound) {]] TO [[if (digits_from(key, DIGITS) == KEY(0)) {]]
  CASES sizes.lengths CAUGHT S03 S03)
# of the elements that are equal at the K boundary the last are selected
topk_wrong_shader(select-ties VARIANT select WIDTHS 4 FILE select.glsl
  FROM [[place += min(before, wanted);
    for (uint i = first; i < end; i++) {
        const KEY key = digits_from(key_at(at, start + i), digit);
        const bool is_equal = key == bound;
        if (precedes(key, bound) || (is_equal && before < wanted)) {]]
  TO [[place += before - min(before, open - wanted);
    for (uint i = first; i < end; i++) {
        const KEY key = digits_from(key_at(at, start + i), digit);
        const bool is_equal = key == bound;
        if (precedes(key, bound) || (is_equal && before >= open - wanted)) {]]
  CASES ties CAUGHT S09 S09)
# no barrier between counting a digit and looking for the bound
topk_wrong_shader(barrier-bins VARIANT select WIDTHS 4 FILE select.glsl
  FROM [[        barrier();
        uint bin = 0;]]
  TO [[        uint bin = 0;]]
  CASES sizes.lengths CAUGHT S03 S03)
# the last elements of a sequence that a group does not divide are left out
topk_wrong_shader(tail-run VARIANT radix WIDTHS 4 FILE radix.comp
  FROM [[const uint end = min(first + run, count);]]
  TO [[const uint end = min(first + run, count < GROUP ? count : count - count % GROUP);]]
  CASES sizes.lengths CAUGHT S07 .)
# runs that are merged: of equal elements, those of the other run come first
topk_wrong_shader(merge-ties VARIANT rank WIDTHS 1 FILE merge.glsl
  FROM [[return comes_before(key_at(at, i), i, key_at(at, j), j);]] TO [[return precedes(key_at(at, i), key_at(at, j));]]
  CASES sizes.lengths CAUGHT S08 S08)
# the same half of the scratch memory is read in each phase
topk_wrong_shader(merge-half VARIANT subgroup WIDTHS 4 FILE merge.glsl
  FROM [[slot * 2 * n + (~phase & 1) * n + start;]] TO [[slot * 2 * n + start;]]
  CASES sizes.lengths CAUGHT S07 S07)
# the other run is searched beyond the end of the sequence
topk_wrong_shader(merge-end VARIANT bitonic WIDTHS 4 FILE merge.glsl
  FROM [[min(min(run, n - min(start + run, n)), k);]] TO [[min(run, k);]]
  CASES sizes.lengths CAUGHT S07 S07)
# sequences of several chunks share scratch memory
topk_wrong_shader(scratch VARIANT split WIDTHS 4 FILE split.comp
  FROM [[slot * (2 * n + BINS * chunk_count())]] TO [[slot * (2 * n)]]
  CASES [[top_k1 fl=3.1 in=f32[4,9000] axis=1 k=9000 dir=dec data=shuffle.1:7]] CAUGHT S07 .)
# no barrier between the passes of the bitonic sort
topk_wrong_shader(barrier-sort VARIANT bitonic WIDTHS 4 FILE bitonic.comp
  FROM [[barrier();
            for (uint pair]]
  TO [[for (uint pair]]
  CASES sizes.lengths CAUGHT S04 S04)
# nor between sorting and writing
topk_wrong_shader(barrier-last VARIANT bitonic WIDTHS 4 FILE bitonic.comp
  FROM [[    barrier();
    for (uint i = thread; i < total]]
  TO [[    for (uint i = thread; i < total]]
  CASES sizes.lengths CAUGHT - -)
# nor between writing sums and reading those of lower invocations, which these drivers have run before
topk_wrong_shader(barrier-sums VARIANT radix WIDTHS 4 FILE radix.glsl
  FROM [[sums[thread] = mine;
    barrier();]]
  TO [[sums[thread] = mine;]]
  CASES sizes.lengths CAUGHT - .)
# nor between counting and adding up
topk_wrong_shader(barrier-counts VARIANT radix WIDTHS 4 FILE radix.glsl
  FROM [[void counts_to_starts(uint thread, uint workers)
{
    barrier();]]
  TO [[void counts_to_starts(uint thread, uint workers)
{]]
  CASES sizes.lengths CAUGHT S07 .)
# nor between two digits, in scratch memory
topk_wrong_shader(barrier-scratch VARIANT radix WIDTHS 4 FILE radix.comp
  FROM [[        scratch_barrier();
    }
]]
  TO [[    }
]]
  CASES sizes.lengths CAUGHT S07 .)
# there, only the barrier of memory is missing
topk_wrong_shader(barrier-memory VARIANT radix WIDTHS 4 FILE radix.comp
  FROM [[        scratch_barrier();
    }
]]
  TO [[        barrier();
    }
]]
  CASES sizes.lengths CAUGHT - .)

# ---- What only the validation layer sees ----------------------------------------------------------

# a capability that the device was not made with
topk_wrong_shader(capability VARIANT rank WIDTHS 8 FILE rank.comp
  FROM [[#extension GL_GOOGLE_include_directive : require]]
  TO [[#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model]]
  CASES types CAUGHT - .)
