/* Threads, and a monitor on which they wait: what ISO C has optionally, and compilers for Windows
 * do not. */
#ifndef TOPK_CPU_THREAD_H
#define TOPK_CPU_THREAD_H

#include <stdbool.h>

/* A lock, and an event that those inside can wait for. */
struct topk_cpu_monitor;

/* NULL if there is no memory for one. */
struct topk_cpu_monitor *topk_cpu_monitor_open(void);
void topk_cpu_monitor_close(struct topk_cpu_monitor *monitor);
void topk_cpu_monitor_enter(struct topk_cpu_monitor *monitor);
void topk_cpu_monitor_leave(struct topk_cpu_monitor *monitor);
/* Leaves, waits for a wake, or for nothing at all, and enters. */
void topk_cpu_monitor_wait(struct topk_cpu_monitor *monitor);
/* Wakes all that wait. */
void topk_cpu_monitor_wake(struct topk_cpu_monitor *monitor);

struct topk_cpu_thread;

/* Starts a thread that calls body(context). NULL if the system gives none. */
struct topk_cpu_thread *topk_cpu_thread_start(void (*body)(void *context), void *context);
/* Waits until body has returned. */
void topk_cpu_thread_join(struct topk_cpu_thread *thread);

#endif
