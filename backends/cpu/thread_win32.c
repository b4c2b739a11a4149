/* Threads on Windows. */
#include "thread.h"

#include <stdlib.h>
#include <windows.h>

struct topk_cpu_monitor {
    SRWLOCK lock;
    CONDITION_VARIABLE event;
};

struct topk_cpu_monitor *topk_cpu_monitor_open(void)
{
    struct topk_cpu_monitor *monitor = malloc(sizeof *monitor);
    if (monitor != NULL) {
        InitializeSRWLock(&monitor->lock);
        InitializeConditionVariable(&monitor->event);
    }
    return monitor;
}

void topk_cpu_monitor_close(struct topk_cpu_monitor *monitor)
{
    free(monitor);
}

void topk_cpu_monitor_enter(struct topk_cpu_monitor *monitor)
{
    AcquireSRWLockExclusive(&monitor->lock);
}

void topk_cpu_monitor_leave(struct topk_cpu_monitor *monitor)
{
    ReleaseSRWLockExclusive(&monitor->lock);
}

void topk_cpu_monitor_wait(struct topk_cpu_monitor *monitor)
{
    SleepConditionVariableSRW(&monitor->event, &monitor->lock, INFINITE, 0);
}

void topk_cpu_monitor_wake(struct topk_cpu_monitor *monitor)
{
    WakeAllConditionVariable(&monitor->event);
}

struct topk_cpu_thread {
    HANDLE thread;
    void (*body)(void *context);
    void *context;
};

static DWORD WINAPI begin(void *opaque)
{
    const struct topk_cpu_thread *thread = opaque;
    thread->body(thread->context);
    return 0;
}

struct topk_cpu_thread *topk_cpu_thread_start(void (*body)(void *context), void *context)
{
    struct topk_cpu_thread *thread = malloc(sizeof *thread);
    if (thread == NULL) {
        return NULL;
    }
    thread->body = body;
    thread->context = context;
    thread->thread = CreateThread(NULL, 0, begin, thread, 0, NULL);
    if (thread->thread == NULL) {
        free(thread);
        return NULL;
    }
    return thread;
}

void topk_cpu_thread_join(struct topk_cpu_thread *thread)
{
    WaitForSingleObject(thread->thread, INFINITE);
    CloseHandle(thread->thread);
    free(thread);
}
