/* Each look first collects files; a file keeps the role in which it is found first. Then it reads
 * new and changed files, and asks the system for their packages. */
#define _XOPEN_SOURCE 700 /* realpath, strdup */
#include "identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "file.h"
#include "machine.h"
#include "manifest.h"
#include "owner.h"
#include "process.h"

#define PATH_BYTES 4096

/* A file that was found. */
struct topk_identity_seen {
    enum topk_log_part_role role;
    char *path;   /* as shown to readers */
    char *reach;  /* path to read it by */
    bool foreign; /* of a process with another root; our package databases do not cover it */
    bool read;    /* `file` and `owner` are filled */
    bool mapped;  /* a process has mapped it as a library */
    bool deleted; /* deleted or replaced while it was mapped */
    struct topk_file file;
    char owner[TOPK_OWNER_TEXT];
};

struct look {
    struct topk_identity *identity;
    int64_t pid; /* the inspected process; 0: none */
    const struct topk_processes *processes;
    struct topk_log_parts variables; /* of the Vulkan loader, stored as names of parts */
    bool no_memory;
};

void topk_identity_start(struct topk_identity *identity,
                         const struct topk_identity_subject *subject)
{
    memset(identity, 0, sizeof *identity);
    identity->subject = *subject;
    identity->began = (int64_t)time(NULL);
}

/* files whose packages are asked for in advance */
struct advance {
    char *paths[64];
    size_t count;
};

/* takes a path, which it owns from now on; NULL: none */
static void advance_add(struct advance *advance, char *path)
{
    if (path != NULL && advance->count < sizeof advance->paths / sizeof advance->paths[0]) {
        advance->paths[advance->count++] = path;
    } else {
        free(path);
    }
}

static bool take_own_mapping(void *context, const struct topk_mapping *mapping)
{
    if (mapping->code && !mapping->deleted) {
        advance_add(context, strdup(mapping->path));
    }
    return true;
}

void topk_identity_prepare(struct topk_identity *identity, int64_t own)
{
    const struct topk_identity_subject *subject = &identity->subject;
    struct advance advance = {.count = 0};
    for (size_t i = 0; i < sizeof subject->suite / sizeof subject->suite[0]; i++) {
        advance_add(&advance, subject->suite[i] == NULL ? NULL : realpath(subject->suite[i], NULL));
    }
    advance_add(&advance, subject->plugin == NULL ? NULL : realpath(subject->plugin, NULL));
    (void)topk_process_mappings(own, take_own_mapping, &advance);
    identity->owners = topk_owners_ask((const char *const *)advance.paths, advance.count);
    for (size_t i = 0; i < advance.count; i++) {
        free(advance.paths[i]);
    }
}

bool topk_identity_know(struct topk_identity *identity, const struct topk_log_part *part)
{
    return topk_log_parts_keep(&identity->parts, part);
}

void topk_identity_free(struct topk_identity *identity)
{
    for (size_t i = 0; i < identity->seen_count; i++) {
        free(identity->seen[i].path);
        free(identity->seen[i].reach);
    }
    free(identity->seen);
    topk_owners_free(identity->owners);
    topk_log_parts_free(&identity->parts);
    memset(identity, 0, sizeof *identity);
}

/* ---- finding files --------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static struct topk_identity_seen *find_seen(struct topk_identity *identity, const char *path)
{
    for (size_t i = 0; i < identity->seen_count; i++) {
        if (strcmp(identity->seen[i].path, path) == 0) {
            return &identity->seen[i];
        }
    }
    return NULL;
}

/* Adds a file unless it is there already; NULL if memory is short. */
static struct topk_identity_seen *see(struct look *look, enum topk_log_part_role role,
                                      const char *path, const char *reach, bool foreign)
{
    struct topk_identity *identity = look->identity;
    char *shown = topk_text_make("%s%s", foreign ? "(of another root) " : "", path);
    char *reached = strdup(reach);
    struct topk_identity_seen *seen = shown == NULL ? NULL : find_seen(identity, shown);
    if (seen == NULL && shown != NULL && reached != NULL) {
        seen = topk_list_add(&identity->seen, &identity->seen_count, sizeof *seen);
        if (seen != NULL) {
            *seen = (struct topk_identity_seen){
                .role = role, .path = shown, .reach = reached, .foreign = foreign};
            return seen;
        }
    }
    free(shown);
    free(reached);
    look->no_memory = look->no_memory || seen == NULL;
    return seen;
}

/* Adds a file that is reached from this process, by its path without links. */
static void see_own(struct look *look, enum topk_log_part_role role, const char *path)
{
    char *real = realpath(path, NULL);
    (void)see(look, role, real == NULL ? path : real, path, false);
    free(real);
}

/* Whether a process writes to a file. Such a file is a log, not part of what is tested. */
static bool is_written(const struct look *look, const char *path)
{
    for (size_t i = 0; i < look->processes->count; i++) {
        if (topk_process_writes(look->processes->list[i], path)) {
            return true;
        }
    }
    return false;
}

/* Takes a word that names a file, relative to the inspected process, or to this one if there is
 * none. */
static bool take_word(void *context, const char *word)
{
    struct look *look = context;
    char reach[PATH_BYTES];
    bool foreign = false;
    struct topk_file_stamp stamp;
    snprintf(reach, sizeof reach, "%s", word);
    if (look->pid != 0) {
        topk_process_reach(look->pid, word, reach, sizeof reach, &foreign);
    }
    if (word[0] == 0 || strlen(word) >= PATH_BYTES / 2 || !topk_file_stamp_take(reach, &stamp)) {
        return true;
    }
    /* A file that a process of the backend names and that was made during the run, such as the
     * input of a compiler, is a product of what is tested. It may be deleted or rewritten at any
     * time. */
    const bool product = look->pid != 0 && stamp.seconds > look->identity->began;
    char *real = foreign ? strdup(word) : realpath(reach, NULL);
    if (real != NULL && !product && !is_written(look, real)) {
        (void)see(look, TOPK_LOG_PART_NAMED, real, reach, foreign);
    }
    free(real);
    return !look->no_memory;
}

/* Takes the words of a command line for a shell. */
static void take_command(struct look *look, const char *command)
{
    static const char ends[] = " \t\n'\"`;&|()<>$={}";
    char word[PATH_BYTES];
    look->pid = 0;
    while (*command != 0) {
        command += strspn(command, ends);
        const size_t length = strcspn(command, ends);
        if (length > 0 && length < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)length, command);
            (void)take_word(look, word);
        }
        command += length;
    }
}

static bool take_variable(void *context, const char *variable)
{
    struct look *look = context;
    const struct topk_log_part part = {.role = TOPK_LOG_PART_OS,
                                       .texts = {[TOPK_LOG_PART_NAME] = variable}};
    look->no_memory = look->no_memory || (topk_manifest_variable(variable) &&
                                          !topk_log_parts_keep(&look->variables, &part));
    return !look->no_memory;
}

/* Whether a library belongs to the system's C library. */
static bool is_libc(const char *path)
{
    static const char *const starts[] = {"ld-linux",   "ld-musl-",  "libc.so.",
                                         "libc.musl-", "libm.so.",  "libpthread.so.",
                                         "libdl.so",   "librt.so.", "libutil.so."};
    const char *name = name_of(path);
    if (strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/lib", 8) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a deleted mapping was a library. Memory that a compiler, a driver or a system function
 * made looks similar. */
static bool was_library(const struct topk_mapping *mapping)
{
    return mapping->code && strncmp(mapping->path, "/memfd:", 7) != 0 &&
           strncmp(mapping->path, "/dev/", 5) != 0 && strncmp(mapping->path, "/SYSV", 5) != 0 &&
           strncmp(mapping->path, "/anon_", 6) != 0;
}

static bool take_mapping(void *context, const struct topk_mapping *mapping)
{
    struct look *look = context;
    char reach[PATH_BYTES];
    bool foreign;
    enum topk_image_kind kind = TOPK_IMAGE_OTHER;
    if (is_libc(mapping->path) || strlen(mapping->path) >= PATH_BYTES / 2) {
        return true;
    }
    topk_process_reach(look->pid, mapping->path, reach, sizeof reach, &foreign);
    if (mapping->deleted) {
        if (was_library(mapping)) {
            struct topk_identity_seen *seen =
                see(look, TOPK_LOG_PART_LIBRARY, mapping->path, reach, foreign);
            if (seen != NULL) {
                seen->deleted = true;
            }
        }
        return !look->no_memory;
    }
    /* Most files have several mappings. */
    struct topk_identity_seen *known = foreign ? NULL : find_seen(look->identity, mapping->path);
    if (known != NULL) {
        known->mapped = true;
        return true;
    }
    /* The kind of the file decides, because Wine does not map DLLs as code. If a mapped library
     * cannot be read, read_seen() reports it. */
    const bool is_code = topk_file_kind(reach, &kind) ? kind != TOPK_IMAGE_OTHER
                                                      : mapping->code && was_library(mapping);
    if (is_code) {
        struct topk_identity_seen *seen =
            see(look, TOPK_LOG_PART_LIBRARY, mapping->path, reach, foreign);
        if (seen != NULL) {
            seen->mapped = true;
        }
    }
    return !look->no_memory;
}

/* Records a process that may not be inspected. Only its name is known. */
static void note_hidden(struct look *look)
{
    char name[TOPK_PROCESS_NAME];
    char line[4 * TOPK_PROCESS_NAME];
    topk_process_name(look->pid, name);
    topk_text_line(name, line, sizeof line);
    const struct topk_log_part part = {
        .role = TOPK_LOG_PART_PROGRAM,
        .texts = {[TOPK_LOG_PART_NAME] = line,
                  [TOPK_LOG_PART_PROBLEM] =
                      "its process cannot be inspected: it has other rights"}};
    look->no_memory = look->no_memory || !topk_log_parts_keep(&look->identity->parts, &part);
}

/* The files of processes. The most informative role comes first, because a file keeps the role in
 * which it is found first. */

static void look_at_program(struct look *look)
{
    char program[PATH_BYTES / 2];
    char reach[PATH_BYTES];
    bool foreign;
    struct topk_file_stamp stamp;
    topk_process_program(look->pid, program, sizeof program);
    topk_process_reach(look->pid, program, reach, sizeof reach, &foreign);
    /* A deleted program is found among the mappings. */
    if (topk_path_is_absolute(program) && topk_file_stamp_take(reach, &stamp)) {
        (void)see(look, TOPK_LOG_PART_PROGRAM, program, reach, foreign);
    }
}

static void look_at_words(struct look *look)
{
    (void)topk_process_words(look->pid, take_word, look);
    (void)topk_process_variables(look->pid, take_variable, look);
}

static void look_at_mappings(struct look *look)
{
    errno = 0;
    if (topk_process_mappings(look->pid, take_mapping, look) < 0 &&
        (errno == EACCES || errno == EPERM)) {
        note_hidden(look);
    }
}

static void look_at_processes(struct look *look)
{
    const struct topk_processes *processes = look->processes;
    static void (*const steps[])(struct look * look) = {look_at_program, look_at_words,
                                                        look_at_mappings};
    for (size_t step = 0; step < sizeof steps / sizeof steps[0]; step++) {
        for (size_t i = 0; !look->no_memory && i < processes->count; i++) {
            look->pid = processes->list[i];
            steps[step](look);
        }
    }
}

/* Records a manifest if its library is mapped. */
static bool take_manifest(void *context, const char *manifest, const char *library)
{
    struct look *look = context;
    struct topk_identity *identity = look->identity;
    char *real = strchr(library, '/') == NULL ? NULL : realpath(library, NULL);
    bool mapped = false;
    for (size_t i = 0; i < identity->seen_count; i++) {
        struct topk_identity_seen *seen = &identity->seen[i];
        /* A name without a folder is looked up by the system and may be a link to the file. */
        const bool same = real != NULL
                              ? strcmp(seen->path, real) == 0
                              : strncmp(name_of(seen->path), library, strlen(library)) == 0;
        if (same && seen->mapped) {
            mapped = true;
            seen->role = seen->role == TOPK_LOG_PART_LIBRARY ? TOPK_LOG_PART_DRIVER : seen->role;
        }
    }
    if (mapped) {
        see_own(look, TOPK_LOG_PART_MANIFEST, manifest);
    }
    free(real);
    return !look->no_memory;
}

static void find_manifests(struct look *look)
{
    const size_t count = look->variables.count;
    const char **variables = (const char **)calloc(count + 1, sizeof *variables);
    look->no_memory = look->no_memory || variables == NULL;
    for (size_t i = 0; variables != NULL && i < count; i++) {
        variables[i] = topk_log_part_text(&look->variables.list[i], TOPK_LOG_PART_NAME);
    }
    if (variables != NULL) {
        (void)topk_manifests_find(variables, count, take_manifest, look);
    }
    free((void *)variables);
}

static void find_files(struct look *look, const int64_t *workers, size_t count)
{
    const struct topk_identity_subject *subject = &look->identity->subject;
    struct topk_processes processes;
    for (size_t i = 0; i < sizeof subject->suite / sizeof subject->suite[0]; i++) {
        if (subject->suite[i] != NULL) {
            see_own(look, TOPK_LOG_PART_SUITE, subject->suite[i]);
        }
    }
    if (subject->plugin != NULL) {
        see_own(look, TOPK_LOG_PART_BACKEND, subject->plugin);
    }
    if (!topk_processes_find(&processes, workers, count, subject->worker_is_tested)) {
        look->no_memory = true;
    }
    look->processes = &processes;
    look_at_processes(look);
    if (subject->command != NULL) {
        take_command(look, subject->command);
    }
    topk_processes_free(&processes);
    find_manifests(look);
}

/* ---- reading files --------------------------------------------------------------------------- */

/* Adds the part of a file. False, with the reason in error, if the file has changed since it was
 * recorded. */
static bool add_part(struct topk_identity *identity, const struct topk_identity_seen *seen,
                     char error[TOPK_IDENTITY_ERROR])
{
    char path[TOPK_LOG_PART_TEXT_MAX];
    struct topk_log_part part = {.role = seen->role};
    topk_text_line(seen->path, path, sizeof path);
    part.texts[TOPK_LOG_PART_PATH] = path;
    part.texts[TOPK_LOG_PART_NAME] = name_of(path);
    part.texts[TOPK_LOG_PART_SHA256] = seen->file.sha256;
    part.texts[TOPK_LOG_PART_BUILD_ID] = seen->file.build_id;
    part.texts[TOPK_LOG_PART_VERSION] = seen->file.version;
    part.texts[TOPK_LOG_PART_PACKAGE] = seen->owner;
    const struct topk_log_part *before = topk_log_parts_find(&identity->parts, &part);
    const bool same = before == NULL || topk_log_part_agrees(before, &part);
    error[0] = 0;
    if (!same) {
        snprintf(error, TOPK_IDENTITY_ERROR,
                 "%.600s changed: its SHA-256 was %s and is now %s, so the results are not all of "
                 "the same file",
                 path, topk_log_part_text(before, TOPK_LOG_PART_SHA256), seen->file.sha256);
        part.texts[TOPK_LOG_PART_PROBLEM] = "it changed during the run";
    }
    if (!topk_log_parts_keep(&identity->parts, &part)) {
        snprintf(error, TOPK_IDENTITY_ERROR, "out of memory, or there are too many files");
        return false;
    }
    return same;
}

/* Records a file that was replaced after it was mapped, or that cannot be read. */
static bool add_problem(struct topk_identity *identity, const struct topk_identity_seen *seen,
                        const char *why, char error[TOPK_IDENTITY_ERROR])
{
    char path[TOPK_LOG_PART_TEXT_MAX];
    char problem[512];
    topk_text_line(seen->path, path, sizeof path);
    topk_text_line(why, problem, sizeof problem);
    const struct topk_log_part part = {.role = seen->role,
                                       .texts = {[TOPK_LOG_PART_NAME] = name_of(path),
                                                 [TOPK_LOG_PART_PATH] = path,
                                                 [TOPK_LOG_PART_PROBLEM] = problem}};
    snprintf(error, TOPK_IDENTITY_ERROR, "%.600s (%s): %.300s", path,
             topk_log_part_role_title(seen->role), problem);
    (void)topk_log_parts_keep(&identity->parts, &part);
    return false;
}

/* Asks for the packages of all files that were just read, unless topk_identity_prepare() did. */
static bool find_owners(struct topk_identity *identity, const bool *fresh)
{
    const size_t most = identity->seen_count;
    const char **paths = (const char **)calloc(most + 1, sizeof *paths);
    size_t count = 0;
    for (size_t i = 0; paths != NULL && i < most; i++) {
        struct topk_identity_seen *seen = &identity->seen[i];
        const char *owner = fresh[i] && !seen->foreign && identity->owners != NULL
                                ? topk_owners_of(identity->owners, seen->path)
                                : NULL;
        if (owner != NULL) {
            snprintf(seen->owner, sizeof seen->owner, "%s", owner);
        } else if (fresh[i] && !seen->foreign) {
            paths[count++] = seen->path;
        }
    }
    struct topk_owners *owners = paths == NULL ? NULL : topk_owners_ask(paths, count);
    for (size_t i = 0; owners != NULL && i < most; i++) {
        struct topk_identity_seen *seen = &identity->seen[i];
        const char *owner = topk_owners_of(owners, seen->path);
        if (owner != NULL) {
            snprintf(seen->owner, sizeof seen->owner, "%s", owner);
        }
    }
    const bool found = owners != NULL;
    topk_owners_free(owners);
    free((void *)paths);
    return found;
}

/* Reads a file if it is new or has changed; *fresh: it is new. False, with the reason in error, if
 * that fails. */
static bool read_seen(struct topk_identity *identity, struct topk_identity_seen *seen, bool *fresh,
                      char error[TOPK_IDENTITY_ERROR])
{
    struct topk_file_stamp stamp;
    char why[256];
    if (seen->deleted) {
        return add_problem(identity, seen,
                           "it was deleted or replaced after a process of the backend had mapped "
                           "it",
                           error);
    }
    if (seen->read && topk_file_stamp_take(seen->reach, &stamp) &&
        topk_file_stamp_same(&stamp, &seen->file.stamp)) {
        return true;
    }
    if (!topk_file_read(seen->reach, &seen->file, why, sizeof why)) {
        if (seen->foreign) {
            return true; /* the path is gone if the process has ended */
        }
        char text[300];
        snprintf(text, sizeof text, "it cannot be read: %s", why);
        return add_problem(identity, seen, text, error);
    }
    *fresh = !seen->read;
    seen->read = true;
    return *fresh || add_part(identity, seen, error);
}

bool topk_identity_look(struct topk_identity *identity, const int64_t *workers, size_t count,
                        char error[TOPK_IDENTITY_ERROR])
{
    struct look look = {.identity = identity};
    find_files(&look, workers, count);
    topk_log_parts_free(&look.variables);
    bool *fresh = calloc(identity->seen_count + 1, sizeof *fresh);
    bool good = !look.no_memory && fresh != NULL && topk_machine_add(&identity->parts);
    snprintf(error, TOPK_IDENTITY_ERROR, "%s", good ? "" : "out of memory");
    for (size_t i = 0; good && i < identity->seen_count; i++) {
        good = read_seen(identity, &identity->seen[i], &fresh[i], error);
    }
    if (good && !find_owners(identity, fresh)) {
        snprintf(error, TOPK_IDENTITY_ERROR, "out of memory");
        good = false;
    }
    for (size_t i = 0; good && i < identity->seen_count; i++) {
        good = !fresh[i] || add_part(identity, &identity->seen[i], error);
    }
    free(fresh);
    return good;
}

/* ---- reported libraries ---------------------------------------------------------------------- */

bool topk_identity_tell(struct topk_identity *identity, const char *name, const char *version,
                        char error[TOPK_IDENTITY_ERROR])
{
    struct topk_log_part part = {
        .role = TOPK_LOG_PART_LIBRARY,
        .told = true,
        .texts = {[TOPK_LOG_PART_NAME] = name, [TOPK_LOG_PART_VERSION] = version}};
    const struct topk_log_part *before = topk_log_parts_find(&identity->parts, &part);
    const bool same = before == NULL || topk_log_part_agrees(before, &part);
    error[0] = 0;
    if (!same) {
        snprintf(error, TOPK_IDENTITY_ERROR,
                 "the backend reports %.600s %s, and reported version %.100s before, so the "
                 "results are not all of the same library",
                 name, version, topk_log_part_text(before, TOPK_LOG_PART_VERSION));
        part.texts[TOPK_LOG_PART_PROBLEM] = "it changed during the run";
    }
    if (!topk_log_parts_keep(&identity->parts, &part)) {
        snprintf(error, TOPK_IDENTITY_ERROR, "out of memory, or there are too many files");
        return false;
    }
    return same;
}
