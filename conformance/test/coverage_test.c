/* Covering: the builder makes the case that was asked for, what is called impossible is impossible,
 * and what profiles and the group `cover` are said to cover they cover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cover.h"
#include "group.h"
#include "pcg.h"
#include "profile.h"

#ifdef TOPK_SANITIZED
#define ROUNDS 3000u
#else
#define ROUNDS 20000u
#endif

/* ---- the builder --------------------------------------------------------------------------------
 */

/* an assignment to which some rules lead: aspect by aspect in a random order, each time a random
 * class that still goes */
static void draw_assignment(struct topk_pcg *pcg, uint64_t rules,
                            unsigned char classes[TOPK_ASPECT_COUNT])
{
    memset(classes, TOPK_CLASS_OPEN, TOPK_ASPECT_COUNT);
    for (unsigned i = 0; i < 6; i++) {
        unsigned char tried[TOPK_ASPECT_COUNT];
        enum topk_aspect aspect = (enum topk_aspect)topk_pcg_below(pcg, TOPK_ASPECT_COUNT);
        memcpy(tried, classes, sizeof tried);
        tried[aspect] = (unsigned char)(topk_aspect_first(aspect) +
                                        topk_pcg_below(pcg, topk_aspect_classes(aspect)));
        unsigned char wanted = tried[aspect];
        if (topk_cover_extend(tried, rules)) {
            classes[aspect] = wanted;
        }
    }
    /* the rest: one class at a time that its aspect can have, from a random one on */
    for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
        enum topk_aspect aspect = (enum topk_aspect)i;
        unsigned count = topk_aspect_classes(aspect);
        unsigned start = topk_pcg_below(pcg, count);
        for (unsigned j = 0; classes[i] == TOPK_CLASS_OPEN; j++) {
            unsigned char tried[TOPK_ASPECT_COUNT];
            assert_true(j < count);
            memcpy(tried, classes, sizeof tried);
            tried[i] = (unsigned char)(topk_aspect_first(aspect) + (start + j) % count);
            unsigned char wanted = tried[i];
            if (topk_cover_extend(tried, rules)) {
                classes[i] = wanted;
            }
        }
    }
}

/* builds a case and looks what it is; prints what is not as it was asked for if show is set */
static bool round_trip(const unsigned char classes[TOPK_ASPECT_COUNT], uint32_t seed, bool show)
{
    struct topk_case test;
    unsigned char back[TOPK_ASPECT_COUNT] = {0};
    topk_cover_build(classes, seed, &test);
    bool same = topk_aspects_of(&test, back) && memcmp(back, classes, sizeof back) == 0;
    if (!same && show) {
        char text[2048];
        topk_case_print(&test, text, sizeof text);
        print_error("%s\n", text);
        for (unsigned i = 0; i < TOPK_ASPECT_COUNT; i++) {
            if (back[i] != classes[i]) {
                print_error("  %s: %s instead of %s\n", topk_aspect_name((enum topk_aspect)i),
                            topk_aspect_class_name(back[i]), topk_aspect_class_name(classes[i]));
            }
        }
    }
    topk_case_clear(&test);
    return same;
}

static void cases_are_what_was_asked_for(void **state)
{
    (void)state;
    struct topk_pcg pcg;
    unsigned wrong = 0;
    topk_pcg_seed(&pcg, 7, 7);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        unsigned char classes[TOPK_ASPECT_COUNT];
        draw_assignment(&pcg, topk_rules_all(), classes);
        assert_int_equal(topk_rules_broken(classes, topk_rules_all()), 0);
        wrong += !round_trip(classes, i, wrong < 5);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_are_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
