/* Memory that is short: each allocation of a step fails once alone, and once with all later ones.
 * The linker replaces the C library's functions by these in the tests that cmake/tests.cmake lists.
 */
#ifndef TOPK_SCARCE_H
#define TOPK_SCARCE_H

#include <stdbool.h>
#include <stdint.h>

/* From now on one allocation fails, by its number from 1, or that one and all later ones; 0: none
 * fails. */
void scarce_start(uint32_t number, bool and_all_that_follow);

/* Lets allocations succeed again; returns how many failed. */
uint32_t scarce_end(void);

/* Runs a step repeatedly while its allocations fail one after another. The step calls
 * scarce_start() with its arguments and scarce_end() around what may fail, asserts that its result
 * is correct, and returns whether it reported anything but the lack of memory, as it must if no
 * allocation failed. Returns how often it reported only that. */
uint32_t scarce_try(bool (*step)(uint32_t number, bool and_all_that_follow));

#endif
