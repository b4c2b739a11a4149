/* What the pages share: the content security policy, which allows a page only its own style and
 * scripts. */
#include <sodium.h>
#include <string.h>

#include "html_part.h"
#include "page.h"
#include "sha256/sha256.h"
#include "template.h"

/* Space for the policy; a digest takes 55 characters. */
#define POLICY_BYTES 1024

static void add(char policy[POLICY_BYTES], const char *text)
{
    size_t used = strlen(policy);
    snprintf(policy + used, POLICY_BYTES - used, "%s", text);
}

/* Adds the digests of the files whose names end with `ending`. */
static void add_digests(char policy[POLICY_BYTES], const char *ending)
{
    for (const struct topk_page_file *file = topk_page_files; file->name != NULL; file++) {
        if (strcmp(strrchr(file->name, '.'), ending) == 0) {
            uint8_t digest[TOPK_SHA256_BYTES];
            char text[sodium_base64_ENCODED_LEN(sizeof digest, sodium_base64_VARIANT_ORIGINAL)];
            struct topk_sha256 sha256;
            topk_sha256_start(&sha256);
            topk_sha256_add(&sha256, file->text, strlen(file->text));
            topk_sha256_end(&sha256, digest);
            sodium_bin2base64(text, sizeof text, digest, sizeof digest,
                              sodium_base64_VARIANT_ORIGINAL);
            add(policy, " 'sha256-");
            add(policy, text);
            add(policy, "'");
        }
    }
}

void topk_html_who(struct topk_object *view, const struct topk_summary *summary)
{
    topk_object_flag(view, "software-device", summary->software);
    topk_object_flag(view, "software-backend",
                     strcmp(summary->facts[TOPK_FACT_SOFTWARE], "the backend") == 0);
}

bool topk_html_page(FILE *out, const char *text, struct topk_object *view)
{
    char policy[POLICY_BYTES] = "";
    bool ok = sodium_init() >= 0;
    add(policy, "default-src 'none'; base-uri 'none'; form-action 'none'; style-src");
    add_digests(policy, ".css");
    add(policy, "; script-src");
    add_digests(policy, ".js");
    topk_object_text(view, "policy", policy);
    json_t *json = topk_object_take(view);
    ok = ok && json != NULL && topk_template_write(out, text, json);
    json_decref(json);
    return ok;
}
