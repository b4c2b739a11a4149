/* Tests that explore finds the faults of the field: how many cases it needs from a cold start, and
 * what the shrinker makes of each. The results are in backends/faulty/explored.txt, which is
 * reviewed.
 *
 * explore_faults --write FILE renews it, with the median of several seeds. The test compares that
 * seed with the file, fault by fault. The number of cases stands for time: a worker runs about ten
 * thousand per second.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "case/case.h"
#include "faulty/faulty.h"
#include "suite/group.h"

#ifndef TOPK_BINARY_DIR
#define TOPK_BINARY_DIR "."
#endif
#ifndef TOPK_SOURCE_DIR
#define TOPK_SOURCE_DIR "."
#endif

#define SEEDS 5
/* about 10 seconds */
#define CASES_MAX 100000u
/* greatest number of elements for a fault that needs no size */
#define ELEMENTS_MAX 8u

#define TABLE TOPK_SOURCE_DIR "/backends/faulty/explored.txt"

struct found {
    int seed;
    uint64_t cases; /* until the first failure; 0: none */
    uint64_t elements;
    char clause[16];
    char text[2048]; /* of the shrunk case */
};

static int by_cases(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;
    uint64_t left = x->cases == 0 ? UINT64_MAX : x->cases;
    uint64_t right = y->cases == 0 ? UINT64_MAX : y->cases;
    return (left > right) - (left < right);
}

/* reads the two lines that explore writes for a failure */
static void read_kept(FILE *file, struct found *found)
{
    static char comment[8192];
    if (fgets(comment, sizeof comment, file) == NULL ||
        fgets(found->text, sizeof found->text, file) == NULL) {
        return;
    }
    const char *position = strstr(comment, "explore.");
    position = position == NULL ? NULL : strchr(position, '-');
    if (position == NULL || sscanf(comment, "# %*s %15[^,]", found->clause) != 1) {
        fail_msg("not as explore writes it: %s", comment);
        return;
    }
    found->cases = strtoull(position + 1, NULL, 10) + 1;
    found->text[strcspn(found->text, "\n")] = 0;
    struct topk_case tc;
    struct topk_case_error error;
    size_t name;
    const char *text;
    topk_case_id_split(found->text, strlen(found->text), &name, &text);
    if (!topk_case_parse(text, strlen(text), &tc, &error)) {
        fail_msg("column %zu: %s: %s", error.column, error.message, found->text);
        return;
    }
    found->elements = topk_tensor_elements(&tc.op.tensors[TOPK_INPUT]);
    topk_case_clear(&tc);
}

static void explore(const char *fault, int seed, struct found *found)
{
    char path[] = "/tmp/topk-explore-XXXXXX";
    char command[1024];
    memset(found, 0, sizeof *found);
    found->seed = seed;
    int kept = mkstemp(path);
    assert_true(kept >= 0);
    snprintf(command, sizeof command,
             "'%s/topk-cts' explore --backend faulty:%s --seed %d --first --count %u --out '%s' "
             ">/dev/null 2>&1",
             TOPK_BINARY_DIR, fault, seed, CASES_MAX, path);
    int status = system(command); /* NOLINT(cert-env33-c): nothing of it comes from elsewhere */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    close(kept); /* the file was replaced, so the open one is outdated */
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    read_kept(file, found);
    fclose(file);
    remove(path);
}

/* makes the row of a fault from one seed's result */
static void make_row(const struct fault *fault, const struct found *found, char *row, size_t size)
{
    if (found->cases == 0) {
        fail_msg("%s is not found within %u cases from seed %d", fault->name, CASES_MAX,
                 found->seed);
    }
    if (fault->size == NULL && found->elements > ELEMENTS_MAX) {
        fail_msg("%s needs no size, and has %u elements when it is shrunk: %s", fault->name,
                 (unsigned)found->elements, found->text);
    }
    snprintf(row, size, "%-5s %4d %6u %7u  %-4s  %s", fault->name, found->seed,
             (unsigned)found->cases, (unsigned)found->elements, found->clause, found->text);
}

/* uses the seed with the median number of cases */
static void make_median_row(const struct fault *fault, char *row, size_t size)
{
    struct found found[SEEDS];
    for (int seed = 0; seed < SEEDS; seed++) {
        explore(fault->name, seed + 1, &found[seed]);
    }
    qsort(found, SEEDS, sizeof found[0], by_cases);
    make_row(fault, &found[SEEDS / 2], row, size);
}

static bool of_the_field(const struct fault *fault)
{
    return fault->seen != NULL;
}

static int write_table(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    fputs(
        "# What `topk-cts explore` makes of each fault of the field, from a cold start: of seeds 1 "
        "to 5 the\n# one that takes the median of the cases up to the first failure, and these; "
        "and the clause, the\n# elements and the text of what the shrinker leaves. "
        "`explore_faults --write FILE` writes it.\n#\n# fault seed cases elements clause case\n",
        file);
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        char row[4096];
        if (of_the_field(faulty_at(i))) {
            make_median_row(faulty_at(i), row, sizeof row);
            fprintf(file, "%s\n", row);
            fflush(file);
        }
    }
    return fclose(file) == 0 ? 0 : 1;
}

static void faults_of_the_field_are_found(void **state)
{
    (void)state;
    FILE *table = fopen(TABLE, "r");
    unsigned others = 0;
    assert_non_null(table);
    for (size_t i = 0; faulty_at(i) != NULL; i++) {
        static char expected[4096];
        static char row[4096];
        const struct fault *fault = faulty_at(i);
        if (!of_the_field(fault)) {
            continue;
        }
        do {
            if (fgets(expected, sizeof expected, table) == NULL) {
                fail_msg("%s has no row in %s", fault->name, TABLE);
            }
        } while (expected[0] == '#');
        expected[strcspn(expected, "\n")] = 0;
        struct found found;
        int seed = 0;
        if (sscanf(expected, "%*s %d", &seed) != 1) {
            fail_msg("no seed: %s", expected);
        }
        explore(fault->name, seed, &found);
        make_row(fault, &found, row, sizeof row);
        if (strcmp(row, expected) != 0) {
            print_error("is:  %s\nwas: %s\n", row, expected);
            others++;
        }
    }
    fclose(table);
    assert_int_equal(others, 0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_table(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_field_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
