/* Parts of the log that describe the machine: see machine_part.h. */
#include "machine_part.h"

bool topk_machine_part_add(struct topk_log_parts *parts, enum topk_log_part_role role,
                           const char *name, const char *version)
{
    char line[2][2 * TOPK_MACHINE_TEXT];
    topk_text_line(name, line[0], sizeof line[0]);
    topk_text_line(version, line[1], sizeof line[1]);
    const struct topk_log_part part = {
        .role = role, .texts = {[TOPK_LOG_PART_NAME] = line[0], [TOPK_LOG_PART_VERSION] = line[1]}};
    return name[0] == 0 || topk_log_parts_keep(parts, &part);
}
