/* What a command tests, and whether it is what an earlier run tested. */
#define _POSIX_C_SOURCE 200809L
#include "subject.h"

#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "run/runner.h"
#include "session.h"

/* maximum number of files that the note names */
#define NAMED 3

void cli_subject_make(struct cli_subject *subject, const struct cli_backend *backend,
                      const struct cli_workers *workers)
{
    char own[4096];
    size_t length = sizeof own;
    memset(subject, 0, sizeof *subject);
    if (uv_exepath(own, &length) == 0) {
        subject->own = cli_need(strdup(own));
    }
    subject->plugin = backend->spec == NULL ? NULL : cli_plugin_path(backend->spec);
    subject->of = (struct topk_identity_subject){
        .suite = {subject->own, workers->command.paths[0], workers->command.paths[1]},
        .plugin = subject->plugin,
        .command = backend->worker != NULL ? backend->worker : backend->command,
        .worker_is_tested = cli_judge(backend) != TOPK_JUDGE_APART};
}

void cli_subject_free(struct cli_subject *subject)
{
    free(subject->own);
    free(subject->plugin);
}

/* whether a role is what the user gave to be tested, not what it runs on */
static bool is_given(enum topk_log_part_role role)
{
    return role == TOPK_LOG_PART_BACKEND || role == TOPK_LOG_PART_NAMED;
}

/* the earlier digest of the file in this part's place; NULL if there was none, or it is unknown */
static const char *digest_before(const struct topk_log_parts *before,
                                 const struct topk_log_part *part)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct topk_log_part *other = &before->list[i];
        const bool same_name = part->role == TOPK_LOG_PART_BACKEND || /* a run has one plugin */
                               strcmp(topk_log_part_text(other, TOPK_LOG_PART_NAME),
                                      topk_log_part_text(part, TOPK_LOG_PART_NAME)) == 0;
        const char *digest = topk_log_part_text(other, TOPK_LOG_PART_SHA256);
        if (other->role == part->role && same_name && digest[0] != 0) {
            return digest;
        }
    }
    return NULL;
}

static void print_other_file(const struct topk_log_part *part, const char *before)
{
    fputs("NOT THE SAME FILE: ", stdout);
    topk_text_print(stdout, topk_log_part_text(part, TOPK_LOG_PART_NAME));
    printf(" has SHA-256 %.12s, the package names %.12s\n",
           topk_log_part_text(part, TOPK_LOG_PART_SHA256), before);
}

static size_t compare(const struct topk_log_parts *now, const struct topk_log_parts *before)
{
    size_t given = 0;
    size_t others = 0;
    for (size_t i = 0; i < now->count; i++) {
        const struct topk_log_part *part = &now->list[i];
        const char *digest = digest_before(before, part);
        const bool differs = topk_log_part_role_file(part->role) &&
                             part->role != TOPK_LOG_PART_SUITE && digest != NULL &&
                             strcmp(digest, topk_log_part_text(part, TOPK_LOG_PART_SHA256)) != 0;
        if (differs && is_given(part->role)) {
            print_other_file(part, digest);
            given++;
        } else if (differs) {
            if (others < NAMED) {
                fputs(others == 0 ? "note: not the files that the package names: " : ", ", stdout);
                topk_text_print(stdout, topk_log_part_text(part, TOPK_LOG_PART_NAME));
            }
            others++;
        }
    }
    if (others > 0) {
        puts(others > NAMED ? ", ..." : "");
    }
    return given;
}

size_t cli_subject_compare(const struct cli_backend *backend, const struct cli_workers *workers,
                           const struct topk_log_parts *before)
{
    struct cli_subject subject;
    struct topk_identity identity;
    int64_t ids[1]; /* of workers: one is enough, because all start the same programs */
    char error[TOPK_IDENTITY_ERROR];
    size_t given = 0;
    if (before->count == 0) {
        puts("note: the package does not record which files were tested");
        return 0;
    }
    cli_subject_make(&subject, backend, workers);
    topk_identity_start(&identity, &subject.of);
    const size_t count = topk_runner_workers(workers->runner, ids, 1);
    if (topk_identity_look(&identity, ids, count, error)) {
        given = compare(&identity.parts, before);
    } else {
        printf("note: it is not known whether the files are those of the package: %s\n", error);
    }
    topk_identity_free(&identity);
    cli_subject_free(&subject);
    return given;
}
