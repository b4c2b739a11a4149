/* One process of topk-cts trust: runs faults and drills one after another and shows the
 * progress. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apart.h"

void trust_work(struct trust *trust, const char *worker, pid_t parent, atomic_uint *counter,
                void (*after)(const struct trust *trust))
{
    size_t drills = trust->drills ? TRUST_DRILLS : 0;
    size_t all = trust->fault_count + drills;
    uint64_t *order = malloc(trust->suite.cases.count * sizeof *order);
    if (order == NULL) {
        _exit(CLI_HARNESS);
    }
    for (size_t next; (next = atomic_fetch_add(counter, 1)) < all;) {
        size_t i = next < drills ? trust->fault_count + next : next - drills;
        if (trust->features != NULL) {
            trust_verdicts_meet(trust, i, worker, order, parent);
        } else {
            trust_meet(trust, i, worker, order, parent);
        }
        if (after != NULL) {
            after(trust);
        }
    }
    free(order);
}

void trust_draw(const struct trust *trust, bool erase)
{
    static bool shown;
    size_t all = trust->fault_count + (trust->drills ? TRUST_DRILLS : 0);
    size_t done = 0;
    if (isatty(STDERR_FILENO) != 1) {
        return;
    }
    for (size_t i = 0; i < all; i++) {
        done += atomic_load(&trust->outcomes[i].state) != TRUST_WAITING;
    }
    if (!erase) {
        fprintf(stderr, "\r\033[K%zu/%zu faults against profile %s", done, all,
                trust->suite.profile->name);
    } else if (shown) {
        fputs("\r\033[K", stderr);
    }
    fflush(stderr);
    shown = !erase;
}
