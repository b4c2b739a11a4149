/* Parts: what a run was made by and of, and so what its results hold for. Programs, libraries,
 * drivers and manifests are files, each with its digest; the others are words about the machine.
 *
 * A part is *seen* if the suite itself looked at it, and *told* if what is under test said so,
 * which nobody can check. */
#ifndef TOPK_LOG_PART_H
#define TOPK_LOG_PART_H

#include <stdbool.h>
#include <stddef.h>

/* ROLE(NAME, word, title, file): the word of the log, the title for readers, whether it is a file
 */
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

/* TEXT(NAME, word): the members of a record that are texts, by their words in the log */
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

/* Most bytes of a text. */
#define TOPK_LOG_PART_TEXT_MAX 4096u
/* Most parts of a run. */
#define TOPK_LOG_PARTS_MAX 10000u

struct topk_log_part {
    enum topk_log_part_role role;
    bool told;
    const char *texts[TOPK_LOG_PART_TEXT_COUNT]; /* NULL is as "" */
};

const char *topk_log_part_role_word(enum topk_log_part_role role);
const char *topk_log_part_role_title(enum topk_log_part_role role);
bool topk_log_part_role_file(enum topk_log_part_role role);
/* TOPK_LOG_PART_ROLE_COUNT if there is none of that word. */
enum topk_log_part_role topk_log_part_role_parse(const char *word);
/* "build_id" */
const char *topk_log_part_text_word(enum topk_log_part_text text);
/* A text of a part, never NULL. */
const char *topk_log_part_text(const struct topk_log_part *part, enum topk_log_part_text text);

/* What no record of a part can be, as the word of the member that is wrong; NULL: nothing. */
const char *topk_log_part_wrong(const struct topk_log_part *part);

/* A list of parts, no two the same. */
struct topk_log_parts {
    struct topk_log_part *list; /* their texts are owned */
    size_t count;
};

/* The first record of the same thing; NULL if there is none. A file is known by its role and path,
 * or its name if it has no path; all else by its role, name, version and problem. */
const struct topk_log_part *topk_log_parts_find(const struct topk_log_parts *parts,
                                                const struct topk_log_part *part);
/* Whether two records of one thing agree. If not, it was exchanged in between. */
bool topk_log_part_agrees(const struct topk_log_part *a, const struct topk_log_part *b);
/* Adds a copy. False if memory is short, or there are TOPK_LOG_PARTS_MAX. */
bool topk_log_parts_add(struct topk_log_parts *parts, const struct topk_log_part *part);
/* The same, unless it is there already: what is read of a log. One that was exchanged is kept
 * beside what it was. */
bool topk_log_parts_keep(struct topk_log_parts *parts, const struct topk_log_part *part);
void topk_log_parts_free(struct topk_log_parts *parts);

/* The part of another run that stands where this one does: of the same role and path, or of the
 * same role and name if each run has one such alone. NULL: there is none. of: the list that part is
 * in. */
const struct topk_log_part *topk_log_parts_counterpart(const struct topk_log_parts *parts,
                                                       const struct topk_log_parts *of,
                                                       const struct topk_log_part *part);
/* Whether what is known of two parts is the same; where they lie does not matter. */
bool topk_log_parts_same(const struct topk_log_part *a, const struct topk_log_part *b);

#endif
