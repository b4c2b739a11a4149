/* The table of functions of a control. */
#include "control.h"

#include <stdio.h>

static void *open_control(const char *options, char *error, size_t error_bytes)
{
    static int self;
    snprintf(error, error_bytes, "%s takes no options, not '%s'", control.name, options);
    return options[0] == 0 ? &self : NULL;
}

static void describe(void *self, struct topk_backend_info *info)
{
    (void)self;
    info->name = control.name;
    info->version = "1";
    info->device = "host processor";
    info->feature_level = 0x5000;
    info->flags = TOPK_BACKEND_SOFTWARE | TOPK_BACKEND_STRICT_LEVEL;
    info->batch = control.batch;
}

static void run(void *self, const struct topk_backend_call *calls, uint32_t count,
                struct topk_backend_answer *answers)
{
    (void)self;
    for (uint32_t i = 0; i < count; i++) {
        const char *broken = control_refusal(&calls[i]);
        if (broken != NULL) {
            answers[i].status = TOPK_BACKEND_REFUSED;
            snprintf(answers[i].reason, sizeof answers[i].reason, "%s", broken);
        } else if (calls[i].create_only == 0 && !control.record(&calls[i])) {
            answers[i].status = TOPK_BACKEND_OUT_OF_MEMORY;
        }
    }
    if (control.submit != NULL) {
        control.submit();
    }
}

static void close_control(void *self)
{
    (void)self;
}

const struct topk_backend *topk_backend_entry(void)
{
    static const struct topk_backend table = {
        TOPK_BACKEND_ABI, sizeof table,         "control",  "a control of scripts/controls",
        open_control,     .describe = describe, .run = run, .close = close_control};
    return &table;
}
