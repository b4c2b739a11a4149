/* Threads and a monitor, which are optional in ISO C and missing in compilers for Windows. */
#ifndef TOPK_CPU_THREAD_H
#define TOPK_CPU_THREAD_H

#include <stdbool.h>

/* A lock with a condition variable. */
struct topk_cpu_monitor;

/* Returns NULL if memory is short. */
struct topk_cpu_monitor *topk_cpu_monitor_open(void);
void topk_cpu_monitor_close(struct topk_cpu_monitor *monitor);
void topk_cpu_monitor_enter(struct topk_cpu_monitor *monitor);
void topk_cpu_monitor_leave(struct topk_cpu_monitor *monitor);
/* Leaves, waits for a wake-up, which may be spurious, and enters again. */
void topk_cpu_monitor_wait(struct topk_cpu_monitor *monitor);
/* Wakes all waiting threads. */
void topk_cpu_monitor_wake(struct topk_cpu_monitor *monitor);

struct topk_cpu_thread;

/* Starts a thread that calls body(context). Returns NULL if the system provides none. */
struct topk_cpu_thread *topk_cpu_thread_start(void (*body)(void *context), void *context);
/* Waits until body has returned. */
void topk_cpu_thread_join(struct topk_cpu_thread *thread);

#endif
