/* A page of page/ put together: its style, its scripts and the policy that allows these and nothing
 * else. */
#include <sodium.h>
#include <string.h>

#include "html_part.h"
#include "page.h"

static void write_hash(FILE *out, const char *text)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char base64[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    sodium_bin2base64(base64, sizeof base64, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
    fprintf(out, " 'sha256-%s'", base64);
}

/* nothing may be loaded, and no script may run but the page's own */
static void write_policy(FILE *out, const char *const *scripts)
{
    fputs("default-src 'none'; base-uri 'none'; form-action 'none'; style-src", out);
    write_hash(out, topk_page_style_css);
    fputs("; script-src", out);
    for (; *scripts != NULL; scripts++) {
        write_hash(out, *scripts);
    }
}

static void write_scripts(FILE *out, const char *const *scripts)
{
    for (; *scripts != NULL; scripts++) {
        fprintf(out, "<script>%s</script>\n", *scripts);
    }
}

static bool is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

bool topk_html_page(FILE *out, const char *page, const char *const *scripts,
                    void (*section)(FILE *out, const void *context, const char *name,
                                    size_t length),
                    const void *context)
{
    const char *at = page;
    if (sodium_init() < 0) {
        return false;
    }
    for (const char *hole; (hole = strstr(at, "{{")) != NULL;) {
        const char *name = hole + 2;
        size_t length = strcspn(name, "}");
        fwrite(at, 1, (size_t)(hole - at), out);
        if (is(name, length, "policy")) {
            write_policy(out, scripts);
        } else if (is(name, length, "style")) {
            fputs(topk_page_style_css, out);
        } else if (is(name, length, "script")) {
            write_scripts(out, scripts);
        } else {
            section(out, context, name, length);
        }
        at = name + length + 2;
    }
    fputs(at, out);
    return true;
}
