/* Checks the readers of minisign's files and of files of trusted keys. The first byte of the input
 * selects what is checked:
 *  'p'  a public key that is read is printed and read as the same
 *  's'  a secret key that is read makes signatures that its public key verifies
 *  'c'  a comment is signed and read back; changing one byte of the signature file makes it refused
 *  't'  a file of trusted keys that is read has a name and a line for each key, and finds each key
 *  else only the one file that the key makes of message and comment is accepted as a signature
 * Anything else is refused with a reason.
 */
#include <sodium.h>
#include <string.h>

#include "fuzz.h"
#include "open.h"
#include "package/minisign.h"
#include "package/signers.h"

#define INPUT_MAX 2048u

static const char message[] = "the message that is signed";
static struct topk_secret_key secret;
static struct topk_public_key public_key;

static bool make_keys(void)
{
    return fuzz_open_keys((const uint8_t[]){9, 8, 7}, &secret, &public_key);
}

static bool check_signature(const char *text, size_t length, const struct topk_public_key *key,
                            char comment[TOPK_SIGNATURE_COMMENT])
{
    char error[256] = "";
    const bool good = topk_signature_check(text, length, key, message, sizeof message, comment,
                                           error, sizeof error);
    FUZZ_REQUIRE(good || error[0] != 0, "minisign no-reason", "a signature is refused for none");
    return good;
}

static void public_part(const char *text, size_t length)
{
    struct topk_public_key key;
    struct topk_public_key again;
    char printed[TOPK_PUBLIC_KEY_TEXT];
    char error[256] = "";
    if (!topk_public_key_parse(text, length, &key, error, sizeof error)) {
        FUZZ_REQUIRE(error[0] != 0, "minisign no-reason", "a key is refused for none");
        return;
    }
    topk_public_key_print(&key, printed);
    FUZZ_REQUIRE(topk_public_key_parse(printed, strlen(printed), &again, error, sizeof error) &&
                     memcmp(&key, &again, sizeof key) == 0,
                 "minisign public", printed);
}

/* How expensive decryption is depends on the file. One input in this many is decrypted, and only if
 * it is cheap. */
#define DECRYPT_ONE_IN 64u
/* Byte offsets in the file of a secret key, and its length. */
enum {
    AT_OPERATIONS = 38,
    AT_MEMORY = 46,
    SECRET_BYTES = 158
};

static bool decrypts_quickly(const char *text, size_t length)
{
    uint8_t bytes[SECRET_BYTES] = {0};
    size_t count = 0;
    unsigned sum = 0;
    const char *feed = memchr(text, '\n', length);
    const bool comment = feed != NULL && length > 9 && memcmp(text, "untrusted", 9) == 0;
    const char *line = comment ? feed + 1 : text;
    (void)sodium_base642bin(bytes, sizeof bytes, line, length - (size_t)(line - text), NULL, &count,
                            NULL, sodium_base64_VARIANT_ORIGINAL);
    for (size_t i = 0; i < length; i++) {
        sum = sum * 31 + (unsigned char)text[i];
    }
    bool little = sum % DECRYPT_ONE_IN == 0;
    /* below 32768 operations and 65536 bytes */
    for (int i = 2; i < 8; i++) {
        little = little && bytes[AT_OPERATIONS + i] == 0 && bytes[AT_MEMORY + i] == 0;
    }
    return little;
}

/* Gives "password" if `context`, a bool, is true. */
static bool password(void *context, char *text, size_t size)
{
    snprintf(text, size, "password");
    return *(const bool *)context;
}

static void secret_part(const char *text, size_t length)
{
    struct topk_secret_key key;
    struct topk_public_key public_half;
    bool quick = decrypts_quickly(text, length);
    char file[TOPK_SIGNATURE_TEXT];
    char comment[TOPK_SIGNATURE_COMMENT];
    char error[256] = "";
    if (!topk_secret_key_parse(text, length, password, &quick, &key, error, sizeof error)) {
        FUZZ_REQUIRE(error[0] != 0, "minisign no-reason", "a key is refused for none");
        return;
    }
    topk_secret_key_public(&key, &public_half);
    topk_signature_make(&key, message, sizeof message, "x", file);
    FUZZ_REQUIRE(check_signature(file, strlen(file), &public_half, comment), "minisign secret",
                 "it signs what its public half refuses");
}

/* The first two bytes choose which byte is changed and how; the rest is the comment. */
static void comment_part(const char *text, size_t length)
{
    char comment[TOPK_SIGNATURE_COMMENT];
    char read[TOPK_SIGNATURE_COMMENT];
    char file[TOPK_SIGNATURE_TEXT];
    if (length < 2 || length - 2 >= sizeof comment) {
        return;
    }
    for (size_t i = 2; i < length; i++) {
        /* keep only characters that a comment may contain */
        comment[i - 2] = text[i];
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f) {
            comment[i - 2] = '?';
        }
    }
    comment[length - 2] = 0;
    topk_signature_make(&secret, message, sizeof message, comment, file);
    const size_t size = strlen(file);
    FUZZ_REQUIRE(check_signature(file, size, &public_key, read) && strcmp(read, comment) == 0,
                 "minisign comment", comment);
    char *changed = file + (size_t)(unsigned char)text[0] * size / 256;
    *changed = (char)(*changed ^ (text[1] == 0 ? 1 : text[1]));
    FUZZ_REQUIRE(!check_signature(file, size, &public_key, read), "minisign changed", file);
}

static void signature_part(const char *text, size_t length)
{
    char comment[TOPK_SIGNATURE_COMMENT];
    char file[TOPK_SIGNATURE_TEXT];
    if (check_signature(text, length, &public_key, comment)) {
        topk_signature_make(&secret, message, sizeof message, comment, file);
        FUZZ_REQUIRE(strlen(file) == length && memcmp(file, text, length) == 0,
                     "minisign signature", "another file is one, too");
    }
}

static void signers_part(const char *text, size_t length)
{
    struct topk_signers signers;
    char error[1024] = "";
    if (!topk_signers_parse(&signers, "s", text, length, error, sizeof error)) {
        FUZZ_REQUIRE(strncmp(error, "s:", 2) == 0, "minisign no-line", error);
    }
    for (size_t i = 0; i < signers.count; i++) {
        const struct topk_signer *signer = &signers.list[i];
        char reason[512] = "";
        FUZZ_REQUIRE(signer->name[0] != 0 && signer->line > (i == 0 ? 0 : signer[-1].line) &&
                         topk_signers_find(&signers, &signer->key) == signer,
                     "minisign signer", signer->name);
        const bool counts =
            topk_signer_counts(signer, "2026-05-01T00:00:00Z", reason, sizeof reason);
        FUZZ_REQUIRE(counts == (reason[0] == 0) && !(counts && signer->revoked[0] != 0),
                     "minisign counts", signer->name);
    }
    topk_signers_free(&signers);
}

static void run(const unsigned char *bytes, size_t length)
{
    if (length == 0 || length > INPUT_MAX) {
        return;
    }
    const unsigned char kind = bytes[0];
    const bool named = kind == 'p' || kind == 's' || kind == 'c' || kind == 't';
    const char *text = (const char *)bytes + named;
    length -= named;
    if (kind == 'p') {
        public_part(text, length);
    } else if (kind == 's') {
        secret_part(text, length);
    } else if (kind == 'c') {
        comment_part(text, length);
    } else if (kind == 't') {
        signers_part(text, length);
    } else {
        signature_part(text, length);
    }
}

static const char *const words[] = {"untrusted comment: ",
                                    "trusted comment: ",
                                    "RW",
                                    "RUQ",
                                    "RWRTY0Iy",
                                    "RWQAAEIy",
                                    "\r\n",
                                    "key=",
                                    "name=",
                                    "from=",
                                    "until=",
                                    "revoked=",
                                    "2026-05-01",
                                    NULL};

const struct fuzz_target fuzz_target = {
    .name = "minisign",
    .about = "keys and signatures are read as what they are, and only one file is a signature",
    .max_bytes = INPUT_MAX,
    .open = make_keys,
    .run = run,
    .words = words,
};
