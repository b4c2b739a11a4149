/* The parts of the backend cpu separately: networks, options, memory, the team. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/memory.h"
#include "cpu/network.h"
#include "cpu/options.h"
#include "cpu/team.h"

/* A network that sorts all sequences of zeros and ones sorts every sequence. */
static void test_networks_sort(void **state)
{
    (void)state;
    static struct topk_cpu_network network;
    for (uint32_t length = 1; length <= 14; length++) {
        for (uint32_t k = 1; k <= length; k++) {
            topk_cpu_network_make(&network, length, k);
            for (uint32_t ones = 0; ones < 1u << length; ones++) {
                uint32_t lanes = ones;
                uint32_t zeros = length;
                for (uint32_t c = 0; c < network.count; c++) {
                    const struct topk_cpu_comparator comparator = network.comparators[c];
                    assert_true(comparator.first < length && comparator.second < length);
                    if ((lanes >> comparator.first & 1) > (lanes >> comparator.second & 1)) {
                        lanes ^= 1u << comparator.first | 1u << comparator.second;
                    }
                }
                for (uint32_t i = 0; i < length; i++) {
                    zeros -= ones >> i & 1;
                }
                for (uint32_t i = 0; i < k; i++) {
                    assert_int_equal(lanes >> i & 1, i >= zeros);
                }
            }
        }
    }
}

static void test_networks_leave_out(void **state)
{
    (void)state;
    static struct topk_cpu_network network;
    topk_cpu_network_make(&network, TOPK_CPU_NETWORK_LENGTH, TOPK_CPU_NETWORK_LENGTH);
    assert_int_equal(network.count, TOPK_CPU_NETWORK_COMPARATORS);
    topk_cpu_network_make(&network, TOPK_CPU_NETWORK_LENGTH, 1);
    assert_int_equal(network.count, TOPK_CPU_NETWORK_LENGTH - 1);
}

static void test_options(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *error;
    } wrong[] = {
        {"threads=0", "option threads is '0'; allowed are 1 to 256"},
        {"threads=257", "option threads is '257'; allowed are 1 to 256"},
        {"threads=1000", "option threads is '1000'"},
        {"threads=", "option threads is ''"},
        {"threads", "option threads is ''"},
        {"threads=2x", "option threads is '2x'"},
        {"threads=-1", "option threads is '-1'"},
        {"simd=mmx", "option simd is 'mmx'"},
        {"simd=port", "allowed are auto, portable"},
        {"threads=2,threads=2", "option threads is given twice"},
        {"speed=9", "option 'speed=9' is not known; the options are threads=1 to 256, simd="},
        {"threads=2,", "option '' is not known"},
        {",threads=2", "option '' is not known"},
        {"thread=2", "option 'thread=2' is not known"},
        {"threads=2;simd=auto", "option threads is '2;simd=auto'"},
    };
    struct topk_cpu_options options;
    char error[256];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memset(error, 0, sizeof error);
        assert_false(topk_cpu_options_read(wrong[i].text, &options, error, sizeof error));
        if (strstr(error, wrong[i].error) == NULL) {
            fail_msg("'%s' is not in '%s'", wrong[i].error, error);
        }
    }
    assert_true(topk_cpu_options_read("", &options, error, sizeof error));
    assert_int_equal(options.threads, 1);
    assert_true(topk_cpu_options_read(NULL, &options, error, sizeof error));
    assert_true(topk_cpu_options_read("simd=portable,threads=256", &options, error, sizeof error));
    assert_int_equal(options.threads, 256);
    assert_string_equal(options.level.word, "portable");
    struct topk_cpu_level levels[TOPK_CPU_LEVELS];
    const size_t count = topk_cpu_levels(levels);
    assert_true(topk_cpu_options_read("threads=3,simd=auto", &options, error, sizeof error));
    assert_int_equal(options.threads, 3);
    assert_ptr_equal(options.level.kernels, levels[count - 1].kernels);
}

static void test_memory(void **state)
{
    (void)state;
    struct topk_cpu_memory memory = {NULL, 0};
    void *first = topk_cpu_memory_room(&memory, 100, 8);
    assert_non_null(first);
    assert_ptr_equal(topk_cpu_memory_room(&memory, 25, 16), first);
    assert_int_equal(memory.size, 800);
    /* the product must not wrap around */
    assert_null(topk_cpu_memory_room(&memory, SIZE_MAX / 8 + 2, 8));
    assert_int_equal(memory.size, 800);
    assert_non_null(topk_cpu_memory_room(&memory, 1, 1));
    topk_cpu_memory_free(&memory);
    assert_null(memory.bytes);
}

#define PARTS 1000u

struct work {
    unsigned members;
    unsigned char done[PARTS];
    unsigned char members_at_work[TOPK_CPU_TEAM_MOST];
    unsigned char clashes[TOPK_CPU_TEAM_MOST];
};

static void do_part(void *context, unsigned member, size_t part)
{
    struct work *work = context;
    if (member >= work->members || work->members_at_work[member] != 0) {
        work->clashes[member]++;
    }
    work->members_at_work[member] = 1;
    work->done[part]++;
    work->members_at_work[member] = 0;
}

static void test_team_does_each_part_once(void **state)
{
    (void)state;
    for (unsigned members = 1; members <= 5; members++) {
        struct topk_cpu_team *team = topk_cpu_team_open(members);
        assert_non_null(team);
        assert_int_equal(topk_cpu_team_members(team), members);
        for (size_t parts = 1; parts <= PARTS; parts += 37) {
            struct work work = {.members = members};
            topk_cpu_team_run(team, parts, do_part, &work);
            for (size_t i = 0; i < PARTS; i++) {
                assert_int_equal(work.done[i], i < parts);
            }
            for (size_t i = 0; i < TOPK_CPU_TEAM_MOST; i++) {
                assert_int_equal(work.clashes[i], 0);
            }
        }
        topk_cpu_team_close(team);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks_sort),
        cmocka_unit_test(test_networks_leave_out),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_team_does_each_part_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
