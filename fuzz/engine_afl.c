/* Connects a target to AFL++: persistent mode, input in shared memory, and a fork server that is
 * deferred until the target is open. When run without AFL++, it runs standard input once. */
#include <limits.h>
#include <unistd.h>

#include "current.h"
#include "fuzz.h"

/* inputs that one process runs before AFL++ starts a new one */
#define ROUNDS 100000

__AFL_FUZZ_INIT();

int main(void)
{
    if (fuzz_target.open != NULL && !fuzz_target.open()) {
        return 1;
    }
    fuzz_current_open();
    __AFL_INIT();
    /* AFL++ has just started this process. If the last one died in an input, that is saved. */
    fuzz_current_save();
    const unsigned char *bytes = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(ROUNDS)) {
        fuzz_current_run(bytes, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    }
    return 0;
}
