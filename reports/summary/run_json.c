/* Writes what reports and comparisons both say about a run, as JSON. */
#include "run_json.h"

#include <stdlib.h>
#include <string.h>

#include "log/log.h"

/* Maximum length of a case that gets a replay command. */
#define REPLAY_BYTES 2000

void topk_object_facts(struct topk_object *object, char *const facts[TOPK_FACT_COUNT],
                       const char *started)
{
    for (int i = 0; i < TOPK_FACT_COUNT; i++) {
        topk_object_text(object, topk_fact_name((enum topk_fact)i), facts[i]);
    }
    topk_object_text(object, "started", started);
}

void topk_object_replay(struct topk_object *object, const char *replay, const char *id)
{
    char *quoted = strlen(id) > REPLAY_BYTES ? NULL : topk_text_shell(id);
    char *command = quoted == NULL ? NULL : topk_text_make("%s %s", replay, quoted);
    if (command != NULL) {
        topk_object_text(object, "replay", command);
    }
    free(command);
    free(quoted);
}

json_t *topk_share_json(const struct topk_share *share)
{
    struct topk_object object = topk_object_new();
    topk_object_number(&object, "served", share->served);
    topk_object_number(&object, "asked", share->asked);
    topk_object_flag(&object, "all", share->all);
    topk_object_number(&object, "percent", topk_share_percent(share));
    return topk_object_take(&object);
}

json_t *topk_processes_json(const struct topk_tested *tested)
{
    struct topk_object object = topk_object_new();
    char sentence[TOPK_ENDED_TEXT];
    for (int i = 0; i < TOPK_PROCESS_COUNT; i++) {
        topk_object_number(&object, topk_process_word((enum topk_process_end)i), tested->ended[i]);
    }
    topk_tested_ended(tested, sentence);
    topk_object_text(&object, "sentence", sentence);
    return topk_object_take(&object);
}

bool topk_json_print(FILE *out, json_t *json)
{
    char *text = json == NULL ? NULL : topk_json_text(json, JSON_INDENT(1));
    const bool ok = text != NULL;
    if (ok) {
        fprintf(out, "%s\n", text);
    }
    free(text);
    json_decref(json);
    return ok;
}
