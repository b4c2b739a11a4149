/* Parts: what a run tested and used, and therefore what its results are valid for. Programs,
 * libraries, drivers and manifests are files with digests; the others describe the machine.
 *
 * A part is *seen* if the suite itself examined it, and *told* if the code under test reported it,
 * which cannot be verified.
 */
#ifndef TOPK_LOG_PART_H
#define TOPK_LOG_PART_H

#include <stdbool.h>
#include <stddef.h>

/* ROLE(NAME, word, title, file): the word in the log, the title for readers, whether it is a
 * file */
#define TOPK_LOG_PART_ROLE_LIST(ROLE)                                                              \
    /* topk-cts, topk-worker, topk-backend */                                                      \
    ROLE(SUITE, "suite", "program of the suite", true)                                             \
    /* the plugin of --backend */                                                                  \
    ROLE(BACKEND, "backend", "plugin under test", true)                                            \
    /* that the words of a command name, and is on this machine: a script, an adapter */           \
    ROLE(NAMED, "named", "file that the command names", true)                                      \
    /* that a process of the backend runs: a shell, an interpreter, a program of others */         \
    ROLE(PROGRAM, "program", "program", true)                                                      \
    /* that a process of the backend has mapped */                                                 \
    ROLE(LIBRARY, "library", "library", true)                                                      \
    /* a library that a manifest names */                                                          \
    ROLE(DRIVER, "driver", "driver", true)                                                         \
    /* of the Vulkan loader, of a driver that is mapped */                                         \
    ROLE(MANIFEST, "manifest", "driver manifest", true)                                            \
    ROLE(OS, "os", "operating system", false)                                                      \
    ROLE(KERNEL, "kernel", "kernel", false)                                                        \
    ROLE(PROCESSOR, "processor", "processor", false)                                               \
    /* by its PCI ids, with the kernel's driver as its version */                                  \
    ROLE(GPU, "gpu", "GPU", false)                                                                 \
    /* only if it went wrong: the problem says how */                                              \
    ROLE(CLOCK, "clock", "clock", false)

enum topk_log_part_role {
#define ROLE(name, word, title, file) TOPK_LOG_PART_##name,
    TOPK_LOG_PART_ROLE_LIST(ROLE)
#undef ROLE
    TOPK_LOG_PART_ROLE_COUNT
};

/* TEXT(NAME, word): the text members of a record, with their names in the log */
#define TOPK_LOG_PART_TEXT_LIST(TEXT)                                                              \
    TEXT(NAME, "name")         /* of a file without its folder; what is not a file: all of it */   \
    TEXT(PATH, "path")         /* of a file, without links */                                      \
    TEXT(SHA256, "sha256")     /* of a file: 64 hex digits */                                      \
    TEXT(BUILD_ID, "build_id") /* of an ELF file that has one, hex */                              \
    TEXT(VERSION, "version")   /* of a PE file, what is told, a GPU's driver */                    \
    TEXT(PACKAGE, "package")   /* that dpkg or rpm knows it by, with its version */                \
    TEXT(PROBLEM, "problem")   /* why the rest is not known, or what is wrong with it */

enum topk_log_part_text {
#define TEXT(name, word) TOPK_LOG_PART_##name,
    TOPK_LOG_PART_TEXT_LIST(TEXT)
#undef TEXT
    TOPK_LOG_PART_TEXT_COUNT
};

/* Greatest length of a text. */
#define TOPK_LOG_PART_TEXT_MAX 4096u
/* Greatest number of parts of a run. */
#define TOPK_LOG_PARTS_MAX 10000u

struct topk_log_part {
    enum topk_log_part_role role;
    bool told;
    const char *texts[TOPK_LOG_PART_TEXT_COUNT]; /* NULL counts as "" */
};

const char *topk_log_part_role_word(enum topk_log_part_role role);
const char *topk_log_part_role_title(enum topk_log_part_role role);
bool topk_log_part_role_file(enum topk_log_part_role role);
/* Returns TOPK_LOG_PART_ROLE_COUNT if there is no such word. */
enum topk_log_part_role topk_log_part_role_parse(const char *word);
/* "build_id" */
const char *topk_log_part_text_word(enum topk_log_part_text text);
/* A text of a part, never NULL. */
const char *topk_log_part_text(const struct topk_log_part *part, enum topk_log_part_text text);

/* The name of a member that no record of a part can have with this value; NULL if there is none. */
const char *topk_log_part_wrong(const struct topk_log_part *part);

/* A list of distinct parts. */
struct topk_log_parts {
    struct topk_log_part *list; /* their texts are owned */
    size_t count;
};

/* Returns the first record of the same thing; NULL if there is none. A file is identified by its
 * role and path, or its name if it has no path; others by role, name, version and problem. */
const struct topk_log_part *topk_log_parts_find(const struct topk_log_parts *parts,
                                                const struct topk_log_part *part);
/* Whether two records of the same thing agree. If not, it was exchanged in between. */
bool topk_log_part_agrees(const struct topk_log_part *a, const struct topk_log_part *b);
/* Adds a copy. Returns false if memory is short, or there are TOPK_LOG_PARTS_MAX. */
bool topk_log_parts_add(struct topk_log_parts *parts, const struct topk_log_part *part);
/* The same, unless it is in the list already; for reading a log. Both records of an exchanged part
 * are kept. */
bool topk_log_parts_keep(struct topk_log_parts *parts, const struct topk_log_part *part);
void topk_log_parts_free(struct topk_log_parts *parts);

/* The corresponding part of another run: with the same role and path; or with the same role and
 * name, if each run has only one such part. NULL: none. of: the list that contains part. */
const struct topk_log_part *topk_log_parts_counterpart(const struct topk_log_parts *parts,
                                                       const struct topk_log_parts *of,
                                                       const struct topk_log_part *part);
/* Whether two parts have the same known properties; their paths do not matter. */
bool topk_log_parts_same(const struct topk_log_part *a, const struct topk_log_part *b);

#endif
