/* Fake worker processes that send a given text. They replace conformance/run/runner_worker.c, so
 * that the whole runner can be fuzzed in one process. */
#ifndef TOPK_FAKE_WORKER_H
#define TOPK_FAKE_WORKER_H

#include <stddef.h>

/* Sets the lines that all workers send, one after another. A line "end N" ends one with exit code
 * N; so does the end of the text. */
void fake_worker_script(const char *text, size_t length);

#endif
