/* Threads on POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>

struct topk_cpu_monitor {
    pthread_mutex_t lock;
    pthread_cond_t event;
};

struct topk_cpu_monitor *topk_cpu_monitor_open(void)
{
    struct topk_cpu_monitor *monitor = malloc(sizeof *monitor);
    if (monitor == NULL) {
        return NULL;
    }
    if (pthread_mutex_init(&monitor->lock, NULL) != 0) {
        free(monitor);
        return NULL;
    }
    if (pthread_cond_init(&monitor->event, NULL) != 0) {
        pthread_mutex_destroy(&monitor->lock);
        free(monitor);
        return NULL;
    }
    return monitor;
}

void topk_cpu_monitor_close(struct topk_cpu_monitor *monitor)
{
    pthread_cond_destroy(&monitor->event);
    pthread_mutex_destroy(&monitor->lock);
    free(monitor);
}

void topk_cpu_monitor_enter(struct topk_cpu_monitor *monitor)
{
    pthread_mutex_lock(&monitor->lock);
}

void topk_cpu_monitor_leave(struct topk_cpu_monitor *monitor)
{
    pthread_mutex_unlock(&monitor->lock);
}

void topk_cpu_monitor_wait(struct topk_cpu_monitor *monitor)
{
    pthread_cond_wait(&monitor->event, &monitor->lock);
}

void topk_cpu_monitor_wake(struct topk_cpu_monitor *monitor)
{
    pthread_cond_broadcast(&monitor->event);
}

struct topk_cpu_thread {
    pthread_t thread;
    void (*body)(void *context);
    void *context;
};

static void *begin(void *opaque)
{
    const struct topk_cpu_thread *thread = opaque;
    thread->body(thread->context);
    return NULL;
}

struct topk_cpu_thread *topk_cpu_thread_start(void (*body)(void *context), void *context)
{
    struct topk_cpu_thread *thread = malloc(sizeof *thread);
    if (thread == NULL) {
        return NULL;
    }
    thread->body = body;
    thread->context = context;
    if (pthread_create(&thread->thread, NULL, begin, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void topk_cpu_thread_join(struct topk_cpu_thread *thread)
{
    pthread_join(thread->thread, NULL);
    free(thread);
}
