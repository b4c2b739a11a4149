/* Allocations that fail. */
#include "scarce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static uint32_t failing; /* 0: none */
static bool all_follow;
static uint32_t asked;
static uint32_t failed;

static bool fails(void)
{
    if (failing == 0) {
        return false;
    }
    asked++;
    const bool one = asked == failing || (all_follow && asked > failing);
    failed += one;
    return one;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}
/* NOLINTEND(bugprone-reserved-identifier) */

void scarce_start(uint32_t number, bool and_all_that_follow)
{
    failing = number;
    all_follow = and_all_that_follow;
    asked = 0;
    failed = 0;
}

uint32_t scarce_end(void)
{
    failing = 0;
    return failed;
}

uint32_t scarce_try(bool (*step)(uint32_t number, bool and_all_that_follow))
{
    uint32_t short_of_memory = 0;
    assert_true(step(0, false));
    for (int follow = 0; follow < 2; follow++) {
        uint32_t number = 0;
        do {
            number++;
            const bool said = step(number, follow != 0);
            short_of_memory += !said;
            assert_true(said || failed > 0);
        } while (failed > 0);
    }
    return short_of_memory;
}
