/* The engine's side of a target for AFL++: persistent, input in shared memory, the fork server
 * deferred until the target is open. Without AFL++ around it, it runs standard input once. */
#include <limits.h>
#include <unistd.h>

#include "current.h"
#include "fuzz.h"

/* inputs between two starts of the process */
#define ROUNDS 100000

__AFL_FUZZ_INIT();

int main(void)
{
    if (fuzz_target.open != NULL && !fuzz_target.open()) {
        return 1;
    }
    fuzz_current_open();
    __AFL_INIT();
    fuzz_current_save(); /* this is a new process, begun by the engine */
    const unsigned char *bytes = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(ROUNDS)) {
        fuzz_current_run(bytes, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    }
    return 0;
}
