/* The result log: one JSON object per line (JSON Lines), appended and flushed case by case, chained
 * by digests. All other statements about a run are derived from it.
 *
 *   {"record":"header","format":2,"suite":"1.0.0","profile":"core",...,"chain":"<hex>"}
 *   {"record":"case","number":0,"id":"...","verdict":"pass",...,"chain":"<hex>"}
 *   {"record":"part","role":"library","name":"libfoo.so.1","path":"/usr/lib/libfoo.so.1.2",
 *    "sha256":"<hex>","build_id":"<hex>","package":"libfoo1:amd64 1.2-3","by":"seen","chain":"<hex>"}
 *   {"record":"probe","name":"denormals.float32","verdict":"observed","value":"kept",...,"chain":"<hex>"}
 *   {"record":"again","number":17,"kind":"flaky","alone":{"runs":2,"failed":0},
 *    "behind":{"runs":2,"failed":1,"before":64},"chain":"<hex>"}
 *   {"record":"fresh","id":"...","verdict":"pass","chain":"<hex>"}
 *   {"record":"shrunk","id":"...","verdict":"fail",...,"of":[17],"minimal":true,"chain":"<hex>"}
 *   {"record":"process","end":"between","reason":"exited with 1","chain":"<hex>"}
 *   {"record":"end","complete":true,"totals":{"pass":5210,...},"chain":"<hex>"}
 *
 * If an option ended the run before every case had its result, the end record has
 * "early":{"by":"max-crashes","limit":3,"left":30663}: the option, its value, and the number of
 * cases that were not run.
 *
 * "chain" is the last member of every line: the SHA-256, in hex, of the chain of the previous line
 * (64 hex digits; none for the first line) followed by the line's bytes before `,"chain":`. So a
 * truncated log is readable up to its end, and an edited one reveals the place.
 *
 * Part records say what was tested, and with what; part.h lists their roles and members. Each has
 * role, name and by, "seen" or "told"; other texts, of up to 4096 bytes, are left out if they are
 * empty. They come before the probes and cases as far as they are known at the start; parts that
 * are found later, such as a library that is loaded later, come after the cases that were done by
 * then. A file that was exchanged has a second record with another digest, and its run is not
 * complete. A log of an earlier version, or of `run --no-identity', has none.
 *
 * Probe records come where probes were run, before the cases of a run that was not interrupted.
 * Each has name, verdict, value and detail (strings; reference/probe.h); a second record with the
 * same name is ignored.
 *
 * If a contract was declared, the header has "contract":{"version":1,"rules":"ties=any types=f32"},
 * with its name and source if it has them (reference/contract.h); "rules" is in the form that
 * topk_contract_rules_print() writes.
 *
 * A header has "judge", a word of TOPK_JUDGE_LIST; in format 1 it may be missing. It may have
 * "shard":{"index":2,"count":4,"cases":22109,"rule":"costs","costs":"<hex>"} (see below) or
 * "merged":4. "gate":{"min_supported":50,"require":["f16","top_k1"],"allow_expired":true} contains
 * the requirements that options set: percent of the valid calls, words, and whether expectations
 * may be expired; each may be missing, and "gate" itself is if none was set (summary/gate.h).
 *
 * A process record says how a process of the run ended, unless it quit on request and exited with 0
 * (process.h). It comes where that was noticed; processes with running cases are recorded only for
 * the cases of the run, not for later runs that examine failures. The gate may have "max_unclean"
 * and "max_restarts", the limits for such ends.
 *
 * An again record says how a failed case did when it was run again, after the cases of its run:
 * alone, each time in a new process, and after some of the cases that its process had run before
 * it; "behind" may be missing. "kind" is a word of TOPK_AGAIN_LIST that follows from the numbers. A
 * case of kind "flaky" counts as `flaky`, also in the totals, whatever its own record says; with
 * "expectation" it counts as expected-fail. topk_log_read() delivers each case with what it counts
 * as.
 *
 * A fresh case does not belong to the run: it was made and run to examine the border of a condition
 * that failures share (summary/entries.h). It is not counted.
 *
 * A shrunk case is the result of `run --shrink` for some failures, and was run, too; it is not
 * counted. It comes after the cases, whose numbers are in "of": each of these represents similar
 * failures and shrank to it. "minimal": no step makes it smaller. The other members are those of a
 * case.
 *
 * A case has, besides number, id, verdict and nanoseconds, these members if they apply: clause, by
 * ("status": it passed by a status alone; "contract": it is unsupported because of the declared
 * contract), repeat ({"runs":10,"failed":3}: with --repeat, the number of runs and failures; the
 * rest is about its first failure), observations, findings, sequence and position (the first wrong
 * output), window (outputs around it), cause (the sentence of the first reading), readings (the
 * words of all that give every output), guess (true: there are too few outputs to be certain),
 * reason, crash ({"signal":"SIGSEGV","address":"0x10","frames":[{"module":"mine.so",
 * "offset":"0x1139","symbol":"topk_run","symbol_offset":"0x20"}]}, the innermost frame first;
 * address and symbol may be missing; "outside":{"access":"reads","tensor":"input",
 * "side":"end","bytes":4} means an access to a guard page, that far from that side of the tensor),
 * expectation ({"line":3,"verdict":"fail"}: its own verdict, and the rule that changes it).
 *
 * An element is {"value":"0.1","bits":"3dcccccd"}. A whole number above 2^63-1, which JSON
 * libraries do not preserve, is a string of its digits; levels and flags are strings, "0x5000".
 * Bytes of strings that are not UTF-8 are written as the text \xNN; so are control characters in
 * what a backend says about itself (topk_text_line).
 */
#ifndef TOPK_LOG_H
#define TOPK_LOG_H

#include <stdio.h>

#include "again.h"
#include "part.h"
#include "process.h"
#include "reference/contract.h"
#include "reference/probe.h"
#include "reference/result.h"
#include "shard.h"

/* The format that is written, and the newest that is read. docs/formats.md describes the
 * changes. */
#define TOPK_LOG_FORMAT 2
#define TOPK_LOG_NAME   "results.jsonl"
/* "guard_pages" of a header, as an array of texts */
#define TOPK_LOG_GUARD_PAGES "end", "start", "both"
/* "by" of a case */
#define TOPK_LOG_BY_STATUS   "status"
#define TOPK_LOG_BY_CONTRACT "contract"
/* "by" of a part */
#define TOPK_LOG_BY_SEEN "seen"
#define TOPK_LOG_BY_TOLD "told"
/* TOPK_FLAG_SOFTWARE and TOPK_FLAG_SOFTWARE_DEVICE of protocol.h, for code that only reads logs */
#define TOPK_LOG_SOFTWARE        4u
#define TOPK_LOG_SOFTWARE_DEVICE 8u
/* SOFTWARE(flag, who, note): what is software in the place of hardware, by the flags of a
 * greeting; the first flag that is set counts. */
#define TOPK_SOFTWARE_LIST(SOFTWARE)                                                               \
    SOFTWARE(TOPK_LOG_SOFTWARE, "the backend", " (software; no hardware is tested)")               \
    SOFTWARE(TOPK_LOG_SOFTWARE_DEVICE, "the device", " (on a device that is software)")            \
    SOFTWARE(0u, "none", "")

/* JUDGE(NAME, word, phrase): who judged the results, from the least to the most trustworthy. A
 * judge that the backend can reach may say what the backend wants. */
#define TOPK_JUDGE_LIST(JUDGE)                                                                     \
    /* of --worker */                                                                              \
    JUDGE(WORKER, "worker", "judged by the worker, not by this suite")                             \
    /* of --in-process */                                                                          \
    JUDGE(IN_PROCESS, "in-process",                                                                \
          "judged in one process with the backend, which could reach its judge")                   \
    /* of a header that does not say, and has no worker: one of the two next to this */            \
    JUDGE(UNKNOWN, "unknown",                                                                      \
          "judged by an earlier version, which does not say whether the backend could reach its "  \
          "judge")                                                                                 \
    JUDGE(APART, "apart", "judged by this suite, in a process that the backend cannot reach")

enum topk_judge {
#define JUDGE(name, word, phrase) TOPK_JUDGE_##name,
    TOPK_JUDGE_LIST(JUDGE)
#undef JUDGE
    TOPK_JUDGE_COUNT
};

/* "judged by the worker, not by this suite" */
const char *topk_judge_phrase(enum topk_judge judge);
/* "worker" */
const char *topk_judge_word(enum topk_judge judge);
/* "at the end of each tensor": the meaning of a word of TOPK_LOG_GUARD_PAGES; "" for "". */
const char *topk_log_guard_pages_phrase(const char *word);
/* "the backend", "the device" or "none", by the flags of a greeting. */
const char *topk_log_software(uint32_t flags);
/* " (software; no hardware is tested)": what reports add to the name of what was tested, by the
 * words of topk_log_software(); "" for "none". */
const char *topk_log_software_note(const char *who);
/* Returns TOPK_JUDGE_COUNT if there is no such word. */
enum topk_judge topk_judge_parse(const char *word);

/* What was tested, according to the worker's greeting. Strings may be empty, but not NULL. */
struct topk_log_backend {
    const char *spec; /* the value of --backend, or "" */
    /* the value of --backend-command, or ""; several commands are quoted for a shell: 'A'
     * --backend-command 'B' */
    const char *command;
    const char *worker; /* the value of --worker, or "" */
    const char *name, *version, *device, *driver, *features;
    uint32_t level; /* 0x5000 */
    uint32_t flags; /* from the greeting; reports use TOPK_LOG_SOFTWARE... */
};

/* Greatest number of words of --require, and size of one, with the terminator. */
#define TOPK_REQUIRE_MAX  32
#define TOPK_REQUIRE_TEXT 32

/* The requirements that options set for a run. */
struct topk_log_gate {
    bool has_least;             /* --min-supported was given: */
    uint32_t least;             /* percent of the valid calls, 0 to 100 */
    const char *const *require; /* words of --require, as given; require_count of them */
    size_t require_count;
    bool allow_expired; /* --allow-expired */
    bool has_unclean;   /* --max-unclean was given: */
    uint32_t unclean;   /* ends of processes that count against the run */
    bool has_restarts;  /* --max-restarts was given: */
    uint32_t restarts;  /* processes that were ended from outside */
};

/* The header. Strings may be empty, but not NULL. */
struct topk_log_header {
    uint32_t format;     /* the format of a log that was read; a written one has TOPK_LOG_FORMAT */
    const char *suite;   /* version of the suite */
    const char *profile; /* "core" */
    uint32_t profile_version;
    const char *profile_digest;    /* 64 hex digits */
    const char *const *selections; /* as given; selection_count of them */
    size_t selection_count;
    uint32_t level;      /* --feature-level */
    uint64_t seed;       /* --seed */
    double timeout;      /* --timeout, seconds for a call */
    uint64_t cases;      /* selected */
    const char *started; /* UTC, "2026-01-31T12:00:00Z" */
    const char *replay;  /* command that replays a case when the quoted id is appended */
    struct topk_log_backend backend;
    struct topk_contract contract; /* by which the run was judged; zero: DirectML's rules */
    enum topk_judge judge;
    /* The following are written if they are not empty; NULL counts as "". */
    const char *revision;     /* of the sources that the suite was built from */
    const char *chaos;        /* results were changed on purpose, in logs of earlier versions */
    const char *expectations; /* the text of the file, expectations.h */
    /* options that limit or extend what the backend may do: "memory=1000 cpu=2" */
    const char *contained;
    const char *variables; /* environment variables that affect drivers and libraries */
    /* For --shard: the part of the run in this log, 1..shards, and the number of cases in all
     * parts. 0: the log contains all cases. */
    uint32_t shard, shards;
    uint64_t shard_total;
    /* The side of tensors with guard pages, a word of TOPK_LOG_GUARD_PAGES; NULL or "": none. The
     * string of a header that was read has static lifetime. */
    const char *guard_pages;
    enum topk_shard_rule shard_rule; /* how cases are assigned to shards; shard.h */
    const char *shard_costs;         /* for COSTS: their digest; NULL counts as "" */
    uint32_t merged; /* number of shards that topk_merge() combined to this log; 0: none */
    struct topk_log_gate gate;
};

struct topk_log;

/* Creates a directory and its parents, if they are missing. Returns false, with errno set, if that
 * fails. Does not check that an existing path is a directory. */
bool topk_directories_make(const char *dir);

/* Creates DIR/results.jsonl, which must not exist yet, and writes the header; creates DIR if it is
 * missing. Returns NULL, with the reason in error, if that fails. Each record is written with one
 * write(). */
struct topk_log *topk_log_create(const char *dir, const struct topk_log_header *header, char *error,
                                 size_t error_bytes);

/* The same, but the log gets its name only when it is settled: until then, and if the program is
 * killed, there is none. */
struct topk_log *topk_log_create_whole(const char *dir, const struct topk_log_header *header,
                                       char *error, size_t error_bytes);

/* Opens DIR/results.jsonl to continue it: verifies the chain, removes a truncated last line and an
 * end record, and appends from there. Returns NULL, with file, line and reason in error, if it is
 * no log. */
struct topk_log *topk_log_append(const char *dir, char *error, size_t error_bytes);

/* Appends a case. type and index_type: those of the case's values and indices (enum topk_type), to
 * write values as text next to their bits; 0 if the case could not be parsed. Returns false, with
 * the reason in topk_log_error(), if the log could not be written (full disk); it then ends with
 * the last whole record. */
bool topk_log_case(struct topk_log *log, uint64_t number, const char *id, uint32_t type,
                   uint32_t index_type, const struct topk_result *result);

/* Appends a probe. As topk_log_case. */
bool topk_log_probe(struct topk_log *log, const struct topk_probe *probe);

/* Appends a part for which topk_log_part_wrong() is NULL. Returns like topk_log_case(). */
bool topk_log_part(struct topk_log *log, const struct topk_log_part *part);

/* Appends how a failed case did when it was run again. Returns like topk_log_case(). */
bool topk_log_again(struct topk_log *log, const struct topk_log_again *again);

/* Appends how a process ended. As topk_log_case. */
bool topk_log_process(struct topk_log *log, const struct topk_log_process *process);

/* Appends the end record: complete says whether every selected case has a record. */
bool topk_log_end(struct topk_log *log, bool complete, const uint64_t totals[TOPK_VERDICT_COUNT]);

/* The options that can end a run before every case has its result. EARLY(NAME, word) */
#define TOPK_EARLY_LIST(EARLY)                                                                     \
    EARLY(NOT, "")                                                                                 \
    EARLY(FAIL_FAST, "fail-fast")                                                                  \
    EARLY(MAX_CRASHES, "max-crashes")                                                              \
    EARLY(MAX_TIMEOUTS, "max-timeouts")                                                            \
    EARLY(TIME_BUDGET, "time-budget")

enum topk_early_by {
#define EARLY(name, word) TOPK_EARLY_##name,
    TOPK_EARLY_LIST(EARLY)
#undef EARLY
    TOPK_EARLY_COUNT
};

/* Whether and why a run ended early. */
struct topk_early {
    enum topk_early_by by; /* NOT: it did not */
    double limit;          /* the option's value: a number, or seconds; 1 for FAIL_FAST */
    uint64_t left;         /* cases that were not run */
};

/* The word of an option, and the option for a word; TOPK_EARLY_COUNT if there is none. */
const char *topk_early_word(enum topk_early_by by);
enum topk_early_by topk_early_parse(const char *word);
/* Size of the sentence, with the terminator. */
#define TOPK_EARLY_TEXT 96
/* Writes the reason for readers: "ended early after 3 crashes (--max-crashes 3)". */
void topk_early_print(const struct topk_early *early, char *text, size_t size);

/* Appends the end record of a run that ended early. */
bool topk_log_end_early(struct topk_log *log, const struct topk_early *early,
                        const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Appends a case whose verdict expectations may have changed: result has the verdict that the case
 * counts as, verdict is its own, and line is that of the rule, 0 if none changed it. Returns like
 * topk_log_case(). */
bool topk_log_waived(struct topk_log *log, uint64_t number, const char *id, uint32_t type,
                     uint32_t index_type, const struct topk_result *result,
                     enum topk_verdict verdict, uint32_t line);

/* Appends a fresh case: its text and its result. Returns like topk_log_case(). */
bool topk_log_fresh(struct topk_log *log, const char *id, const struct topk_result *result);

/* Appends the case to which the cases with numbers `of` shrank, with its result. Returns like
 * topk_log_case(). */
bool topk_log_shrunk(struct topk_log *log, const uint64_t *of, size_t of_count, bool minimal,
                     const char *id, uint32_t type, uint32_t index_type,
                     const struct topk_result *result);

/* Appends a record of another log unchanged, as the reader's `copy` receives it: its line without
 * the chain. */
bool topk_log_copy(struct topk_log *log, const char *body, size_t length);

const char *topk_log_error(const struct topk_log *log);

/* Removes the end record, because something that must follow it failed; another one may be
 * appended. Returns like topk_log_case(). */
bool topk_log_retract(struct topk_log *log);

/* Whether the path still names the file that is being written, with the expected size. If it was
 * removed, replaced or truncated, returns false from now on, with the reason in topk_log_error().
 * Takes one system call. */
bool topk_log_intact(struct topk_log *log);

/* Writes everything to the disk and reads it back. If that fails, or the content differs, returns
 * false from now on, with the reason in topk_log_error(). */
bool topk_log_settle(struct topk_log *log);

/* Settles and closes the log. Returns false if anything failed, now or before. */
bool topk_log_close(struct topk_log *log);
/* Closes a log of topk_log_create_whole() and removes it. */
void topk_log_drop(struct topk_log *log);

/* A case record that was read. Strings are valid until the callback returns. */
struct topk_log_record {
    uint64_t number;
    const char *id;
    enum topk_verdict verdict;
    enum topk_clause clause;
    bool by_status;   /* own_verdict is PASS, by a status alone */
    bool by_contract; /* own_verdict is UNSUPPORTED, because of the declared contract */
    /* in a sequence of calls, the call, from 1, that the result is about; 0: all of them */
    uint32_t call;
    uint64_t nanoseconds;
    uint32_t observations; /* bits 1 << enum topk_observation */
    const char *reason;
    const struct topk_crash *crash; /* NULL: no crash, or nothing is known */
    /* explains the whole wrong result, "" if nothing does; its clause is `clause` */
    const char *cause;
    topk_reading_set readings; /* all that explain it alone; 0 in logs of earlier versions */
    bool guess;                /* there are too few outputs to be certain */
    size_t finding_count;
    const struct topk_log_finding *findings;
    bool has_sequence; /* a sequence is wrong: the next two say where */
    uint64_t sequence;
    uint32_t position;
    uint32_t window_from; /* the position of window[0] */
    size_t window_count;  /* outputs of that sequence, 0: none */
    const struct topk_log_output *window;
    uint32_t rule;                 /* line of the expectation that changed the verdict; 0: none */
    enum topk_verdict own_verdict; /* without expectations; equals verdict if no rule changed it */
    struct topk_log_runs repeat;   /* with --repeat; runs is 0 for a case that was run once */
    const struct topk_log_again *again; /* how it did when it was run again; NULL: it was not */
};

/* An output as text. */
struct topk_log_output {
    const char *value; /* "0.1" */
    const char *bits;  /* "3dcccccd" */
    uint64_t index;
};

/* A finding as text. */
struct topk_log_finding {
    enum topk_clause clause;
    const char *mismatch;
    const char *sentence; /* with expected and actual values inserted, "index 4 is not below 4" */
    const char *place;    /* "index[0,0,2]", "value byte -4" */
    /* as value and bits; NULL if there are none, for example for a description */
    const char *expected, *expected_bits, *actual, *actual_bits;
    uint64_t count;
};

/* A shrunk case that was read. */
struct topk_log_shrunk {
    struct topk_log_record record; /* its number, rule and nanoseconds are 0 */
    size_t of_count;
    const uint64_t *of; /* numbers of cases */
    bool minimal;
};

/* Writes how many times a record's case was run, and failed: like topk_again_print() if it was run
 * again, "failed 3 of 10 times" for --repeat; otherwise "". */
void topk_log_runs_print(const struct topk_log_record *record, char text[TOPK_AGAIN_TEXT]);

/* Adds the clauses that a record's findings break, like topk_result_clauses(). */
void topk_log_clauses(const struct topk_log_record *record, struct topk_clause_set *clauses);

/* An end record that was read. */
struct topk_log_ending {
    bool complete;
    struct topk_early early;
};

/* The callbacks of a reader. Any may be NULL. Returning false ends the reading. */
struct topk_log_reader {
    void *context;
    bool (*header)(void *context, const struct topk_log_header *header);
    bool (*record)(void *context, const struct topk_log_record *record);
    bool (*end)(void *context, const struct topk_log_ending *ending);
    bool (*probe)(void *context, const struct topk_probe *probe);
    bool (*shrunk)(void *context, const struct topk_log_shrunk *shrunk);
    /* its number, rule and nanoseconds are 0 */
    bool (*fresh)(void *context, const struct topk_log_record *record);
    bool (*part)(void *context, const struct topk_log_part *part);
    bool (*again)(void *context, const struct topk_log_again *again);
    bool (*process)(void *context, const struct topk_log_process *process);
    /* receives a case, shrunk case, again, fresh or process record as it is in the file, without
     * the chain, before the other callbacks; records that are not cases may follow all cases */
    bool (*copy)(void *context, bool is_case, const char *body, size_t length);
};

/* Reads a log from start to end and verifies the chain. Returns 0, also if a callback ended the
 * reading; 1 if the log is truncated, within a line or without an end record (all whole lines were
 * delivered), or the file is empty; -1 if it is no log or was edited. For 1 and -1, file, line and
 * reason are in error. */
int topk_log_read(const char *path, const struct topk_log_reader *reader, char *error,
                  size_t error_bytes);

/* The same for a log in memory; path is for messages. An empty one is no log. */
int topk_log_read_bytes(const char *bytes, size_t size, const char *path,
                        const struct topk_log_reader *reader, char *error, size_t error_bytes);

/* A log to be read: the file at path, or bytes in memory, with path for messages. */
struct topk_log_source {
    const char *path;
    const char *bytes; /* NULL: the file */
    size_t size;
};
int topk_log_read_source(const struct topk_log_source *source, const struct topk_log_reader *reader,
                         char *error, size_t error_bytes);

/* Size of the text of any finding, with the terminator. */
#define TOPK_FINDING_TEXT 256

/* Writes the text of a finding, with values as text and bits: "value 3 (40400000) comes after 2
 * (40000000), in the wrong order". type, index_type: as for topk_log_case(). */
void topk_finding_sentence(const struct topk_finding *finding, uint32_t type, uint32_t index_type,
                           char *text, size_t size);
/* Writes the place of a finding: "index[0,0,2]", "value byte -4". */
void topk_finding_place(const struct topk_finding *finding, char *text, size_t size);

/* Whether a finding has a place and values; one about a description has none. */
bool topk_finding_has_values(const struct topk_finding *finding);
/* The type of a finding's expected and actual values; type, index_type: as for topk_log_case().
 * UINT8 for a byte. */
uint32_t topk_finding_type(const struct topk_finding *finding, uint32_t type, uint32_t index_type);

/* the other headers that this folder offers */
#include "line.h"
#include "list.h"
#include "lock.h"
#include "log_folder.h"
#include "memory.h"
#include "object.h"
#include "output.h"
#include "record.h"
#include "stream.h"
#include "text.h"

#endif
