/* topk-cts profile: prints the digests of a profile, and checks them. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "suite/digest.h"

enum {
    KEY_FORMAT = 5000
};

struct profile_options {
    const struct topk_profile *profile;
    bool def;
    bool verify;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct profile_options *options = state->input;
    switch (key) {
    case KEY_FORMAT:
        options->def = strcmp(argument, "def") == 0;
        if (!options->def && strcmp(argument, "text") != 0) {
            argp_error(state, "--format takes text or def, not '%s'", argument);
        }
        return 0;
    case ARGP_KEY_ARG:
        if (options->profile != NULL) {
            argp_error(state, "one profile at a time");
        }
        options->profile = cli_profile_of(state, argument);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no profile given");
        return 0;
    default:
        return cli_store(key, argument, state);
    }
}

const struct argp cli_profile_argp = {
    .options =
        (const struct argp_option[]){
            {"format", KEY_FORMAT, "FORMAT", 0,
             "text, the default, or def: the lines of conformance/suite/profiles/NAME.def as they "
             "should be",
             0},
            {"verify", CLI_FLAG(struct profile_options, verify), NULL, 0,
             "Exit with 3 if the cases of a test are not those of the profile", 0},
            {0},
        },
    .parser = parse,
    .args_doc = "NAME",
    .doc = "Prints the number and the digest of the cases of each test of a profile, and the "
           "digest of all, computed from the current tests.",
};

int cli_profile(int argc, char **argv)
{
    struct profile_options options = {0};
    cli_parse(&cli_profile_argp, argc, argv, &options);
    const struct topk_profile *profile = options.profile;
    size_t drifted = 0;
    for (size_t i = options.def ? profile->inherited : 0; i < profile->test_count; i++) {
        const struct topk_profile_test *row = &profile->tests[i];
        const struct topk_test *test = topk_profile_test(row);
        if (test == NULL) {
            cli_error("the test '%s' does not exist", row->name);
            drifted++;
            continue;
        }
        char digest[TOPK_SHA256_TEXT];
        uint32_t cases = 0;
        topk_test_digest(test, digest, &cases);
        bool same = topk_profile_row_is(row, digest, cases);
        drifted += !same;
        if (options.def) {
            printf("PROFILE_TEST(\"%s\", %" PRIu32 ", \"%s\")\n", row->name, cases, digest);
        } else {
            printf("%-24s %6" PRIu32 "  %s%s\n", row->name, cases, digest, same ? "" : "  drifted");
        }
        if (!same && options.verify) {
            cli_error("'%s' has %" PRIu32 " cases with digest %s; the profile has %" PRIu32
                      " with %s",
                      row->name, cases, digest, row->cases, row->digest);
        }
    }
    char digest[TOPK_SHA256_TEXT];
    uint32_t cases;
    topk_profile_digest(profile, digest, &cases);
    if (strcmp(digest, profile->digest) != 0) {
        drifted++;
        if (options.verify) {
            cli_error("all have digest %s; the profile has %s", digest, profile->digest);
        }
    }
    if (options.def) {
        printf("PROFILE_DIGEST(\"%s\")\n", digest);
    } else {
        printf("%s v%" PRIu32 ": %zu tests, %" PRIu32 " cases, digest %s\n", profile->name,
               profile->version, profile->test_count, cases, digest);
    }
    return options.verify && drifted > 0 ? CLI_HARNESS : CLI_CONFORMANT;
}
