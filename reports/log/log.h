/* The result log: one JSON object a line (JSON Lines), appended and flushed a case at a time,
 * chained by digest. Everything else that is said about a run is made from it.
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
 * The end record of a run that ended before every case had its result, as an option said, has
 * "early":{"by":"max-crashes","limit":3,"left":30663}: the option, what it said, and how many cases
 * were not run.
 *
 * "chain" is the last member of every line: the SHA-256, in hex, of the line's bytes before
 * `,"chain":` prefixed by the chain of the line before (64 hex digits; none for the first line). So
 * a log that was cut is readable up to the cut, and one that was edited shows where.
 *
 * Parts are what was tested, and what by: part.h has their roles and members. Each has role, name
 * and by, "seen" or "told"; the other texts, up to 4096 bytes each, are left out if they are empty.
 * They stand in front of the probes and cases of a run as far as they were known then; what was
 * found later, such as a library that was loaded later, stands behind the cases that were done by
 * then. A file that was found exchanged has a second record, with another digest, and its run is
 * not complete. A log of an earlier version, and one of `run --no-identity', has none.
 *
 * Probes stand where they were run, before the cases of a run that was not interrupted. Each has
 * name, verdict, value and detail (strings; reference/probe.h); a second record of a name does not
 * count.
 *
 * A header has "contract":{"version":1,"rules":"ties=any types=f32"} where a contract was declared,
 * with its name and source if it has them (reference/contract.h); "rules" is in the one form that
 * topk_contract_rules_print() writes.
 *
 * A header has "judge", a word of TOPK_JUDGE_LIST; in format 1 it may be missing. It may have
 * "shard":{"index":2,"count":4,"cases":22109,"rule":"costs","costs":"<hex>"} (see below) or
 * "merged":4. "gate":{"min_supported":50,"require":["f16","top_k1"],"allow_expired":true} says what
 * options ask of the run: percent of the valid calls, words, and whether rules of expectations may
 * be expired; each may be missing, and all are where none was given (summary/gate.h).
 *
 * A process record says how a process of the run ended, unless it was told to quit and exited with
 * 0 (process.h). It stands where that was noticed; those with cases under way are written of the
 * cases of the run alone, not of what was run behind them to look at failures. The gate may have
 * "max_unclean" and "max_restarts", the limits for such ends.
 *
 * An again record says how a case that failed came out when it was run again, after the cases of
 * its run: alone, each time in a new process, and behind so many of the cases that its process had
 * run before it; "behind" may be missing. "kind" is a word of TOPK_AGAIN_LIST, and follows from the
 * numbers. A case of kind "flaky" counts as `flaky`, in the totals, too, whatever its own record
 * says; with "expectation" it counts as expected-fail. What is delivered of a case by
 * topk_log_read() is what it counts as.
 *
 * A fresh case is none of the run's: it was made and run to look at the border of a condition that
 * failures share (summary/entries.h). It counts nowhere.
 *
 * A shrunk case is what `run --shrink` made of failures, and was run as well; it counts nowhere. It
 * stands behind the cases, of which "of" has the numbers: each stands for failures that are alike
 * and shrank to it. "minimal": no step makes it smaller. The rest is as of a case.
 *
 * A case has, beside number, id, verdict and nanoseconds, where there is something to say: clause,
 * by ("status": it passed, and that rests on a status alone; "contract": it is unsupported as the
 * declared contract says),
 * repeat ({"runs":10,"failed":3}: it was run so often, by --repeat, and the rest is of its first
 * failure), observations, findings, sequence and position (the first wrong output), window (outputs
 * around it), cause (the sentence of the first reading), readings (the words of all that give every
 * output), guess (true: the outputs show so little that these are guesses), reason, crash
 * ({"signal":"SIGSEGV","address":"0x10","frames":[{"module":"mine.so",
 * "offset":"0x1139","symbol":"topk_run","symbol_offset":"0x20"}]}, the innermost frame first;
 * address and symbol may be missing; with "outside":{"access":"reads","tensor":"input",
 * "side":"end","bytes":4} it was an access to a guard page, so far from that side of the tensor),
 * expectation ({"line":3,"verdict":"fail"}: what it came to, and the rule by which it counts as
 * something else). An element is
 * {"value":"0.1","bits":"3dcccccd"}. A whole number above 2^63-1, which JSON libraries do not keep,
 * is a string of its digits; levels and flags are strings, "0x5000". Bytes of strings that are not
 * UTF-8 are written as the text \xNN; what a backend says of itself has control characters so, too
 * (topk_text_line).
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

/* The format that is written, and the newest that is read. docs/formats.md says what each brought.
 */
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
/* TOPK_FLAG_SOFTWARE and TOPK_FLAG_SOFTWARE_DEVICE of protocol.h, for readers of logs alone */
#define TOPK_LOG_SOFTWARE        4u
#define TOPK_LOG_SOFTWARE_DEVICE 8u

/* JUDGE(NAME, word, phrase): who judged what came back, from whom least is to be believed to whom
 * most is. A judge that the backend can reach may say what the backend wants. */
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
/* "at the end of each tensor": what a word of TOPK_LOG_GUARD_PAGES says; "" of "". */
const char *topk_log_guard_pages_phrase(const char *word);
/* TOPK_JUDGE_COUNT if there is none of that word. */
enum topk_judge topk_judge_parse(const char *word);

/* Who answered, as the worker introduced it. Strings may be empty, never NULL. */
struct topk_log_backend {
    const char *spec; /* what was given as --backend, or "" */
    /* what was given as --backend-command, or ""; of several commands all, as a shell reads them:
     * 'A' --backend-command 'B' */
    const char *command;
    const char *worker; /* what was given as --worker, or "" */
    const char *name, *version, *device, *driver, *features;
    uint32_t level; /* 0x5000 */
    uint32_t flags; /* of the greeting, of which reports know TOPK_LOG_SOFTWARE... */
};

/* Most words of --require, and room for one, with the terminator. */
#define TOPK_REQUIRE_MAX  32
#define TOPK_REQUIRE_TEXT 32

/* What options ask of a run. */
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

/* The first line. Strings may be empty, never NULL. */
struct topk_log_header {
    uint32_t format;     /* that it was read in; one that is written has TOPK_LOG_FORMAT */
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
    const char *replay;  /* command that replays a case: put before the quoted id */
    struct topk_log_backend backend;
    struct topk_contract contract; /* by which it was judged; zero: DirectML's rules */
    enum topk_judge judge;
    /* Written where there is something to say; NULL is as "". */
    const char *revision;     /* of the sources that the suite was built from */
    const char *chaos;        /* results were spoiled on purpose, in logs of earlier versions */
    const char *expectations; /* the text of the file, expectations.h */
    const char *contained;    /* options that change what the backend may do: "memory=1000 cpu=2" */
    const char *variables;    /* of the environment, that drivers and libraries look at */
    /* Of --shard: which part of the run this is, 1..shards, and how many cases all parts have. 0:
     * the log is of all. */
    uint32_t shard, shards;
    uint64_t shard_total;
    /* At which side of tensors guard pages stood, a word of TOPK_LOG_GUARD_PAGES; NULL or "": there
     * were none. One that is read is never freed. */
    const char *guard_pages;
    enum topk_shard_rule shard_rule; /* what decides of which part a case is; shard.h */
    const char *shard_costs;         /* of COSTS: their digest; NULL is as "" */
    uint32_t merged; /* shards that the log was put together from by topk_merge(); 0: none */
    struct topk_log_gate gate;
};

struct topk_log;

/* Makes a directory, and those that it is in, where they are missing. False, with errno set, if
 * that fails. A path that is no directory is not noticed if it is there. */
bool topk_directories_make(const char *dir);

/* Creates DIR/results.jsonl, which must not exist yet, and writes the header; makes DIR if it is
 * missing. NULL, with the reason in error, if that fails. The log is written with one write() a
 * record. */
struct topk_log *topk_log_create(const char *dir, const struct topk_log_header *header, char *error,
                                 size_t error_bytes);

/* The same, but the log gets its name when it is settled: until then, and if the program is killed,
 * there is none. */
struct topk_log *topk_log_create_whole(const char *dir, const struct topk_log_header *header,
                                       char *error, size_t error_bytes);

/* Opens DIR/results.jsonl to go on with it: verifies the chain, drops a last line that was cut and
 * an end record, and appends from there. NULL, with file, line and reason in error, if it is no
 * log. */
struct topk_log *topk_log_append(const char *dir, char *error, size_t error_bytes);

/* Appends a case. type and index_type are those of the case's values and indices (enum topk_type),
 * so that values are written as text beside their bits; 0 if the case could not be parsed. False,
 * with the reason in topk_log_error(), if the log could not be written (full disk): it then ends at
 * the last whole record. */
bool topk_log_case(struct topk_log *log, uint64_t number, const char *id, uint32_t type,
                   uint32_t index_type, const struct topk_result *result);

/* Appends a probe. As topk_log_case. */
bool topk_log_probe(struct topk_log *log, const struct topk_probe *probe);

/* Appends a part, of which topk_log_part_wrong() says nothing. As topk_log_case. */
bool topk_log_part(struct topk_log *log, const struct topk_log_part *part);

/* Appends how a failure came out when it was run again. As topk_log_case. */
bool topk_log_again(struct topk_log *log, const struct topk_log_again *again);

/* Appends how a process ended. As topk_log_case. */
bool topk_log_process(struct topk_log *log, const struct topk_log_process *process);

/* Appends the end record: complete says whether every selected case has a record. */
bool topk_log_end(struct topk_log *log, bool complete, const uint64_t totals[TOPK_VERDICT_COUNT]);

/* What can end a run before every case has its result. EARLY(NAME, word): the option */
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

/* Whether, and why, a run ended early. */
struct topk_early {
    enum topk_early_by by; /* NOT: it did not */
    double limit;          /* what the option said: a number, or seconds; 1 of FAIL_FAST */
    uint64_t left;         /* cases that were not run */
};

/* The option's word, and the option of a word; TOPK_EARLY_COUNT if there is none. */
const char *topk_early_word(enum topk_early_by by);
enum topk_early_by topk_early_parse(const char *word);
/* Room for the sentence, with the terminator. */
#define TOPK_EARLY_TEXT 96
/* Writes why for a reader: "ended early after 3 crashes (--max-crashes 3)". */
void topk_early_print(const struct topk_early *early, char *text, size_t size);

/* Appends the end record of a run that ended early. */
bool topk_log_end_early(struct topk_log *log, const struct topk_early *early,
                        const uint64_t totals[TOPK_VERDICT_COUNT]);

/* Appends a case whose result was judged by expectations: result has the verdict that the case
 * counts as, verdict is what it came to, and line is that of the rule, 0 if none changed it. As
 * topk_log_case. */
bool topk_log_waived(struct topk_log *log, uint64_t number, const char *id, uint32_t type,
                     uint32_t index_type, const struct topk_result *result,
                     enum topk_verdict verdict, uint32_t line);

/* Appends a fresh case: its text and its result. As topk_log_case. */
bool topk_log_fresh(struct topk_log *log, const char *id, const struct topk_result *result);

/* Appends what cases, whose numbers are in `of`, shrank to, with the result that it came to. As
 * topk_log_case. */
bool topk_log_shrunk(struct topk_log *log, const uint64_t *of, size_t of_count, bool minimal,
                     const char *id, uint32_t type, uint32_t index_type,
                     const struct topk_result *result);

/* Appends a record of another log as it stands there, of those that `copy` below gets: its line
 * without the chain. */
bool topk_log_copy(struct topk_log *log, const char *body, size_t length);

const char *topk_log_error(const struct topk_log *log);

/* Takes the end record back, as what had to follow it failed: another one may be appended. As
 * topk_log_case. */
bool topk_log_retract(struct topk_log *log);

/* Whether the path still leads to the file that is written, and it is as long as what was written.
 * False, for good, with the reason in topk_log_error(), if it was removed, replaced or cut. Takes
 * one system call. */
bool topk_log_intact(struct topk_log *log);

/* Puts all on disk, and reads it back. False, for good, with the reason in topk_log_error(), if
 * that fails or what is read is not what was written. */
bool topk_log_settle(struct topk_log *log);

/* Settles and closes it. False if any of it failed, now or before. */
bool topk_log_close(struct topk_log *log);
/* Closes one that topk_log_create_whole() made, so that nothing is left of it. */
void topk_log_drop(struct topk_log *log);

/* A case record as read back. Strings live until the callback returns. */
struct topk_log_record {
    uint64_t number;
    const char *id;
    enum topk_verdict verdict;
    enum topk_clause clause;
    bool by_status;   /* own_verdict is PASS, and rests on a status alone */
    bool by_contract; /* own_verdict is UNSUPPORTED, as the declared contract says */
    uint32_t call;    /* of a sequence: the call, from 1, that this is about; 0: all of it */
    uint64_t nanoseconds;
    uint32_t observations; /* bits 1 << enum topk_observation */
    const char *reason;
    const struct topk_crash *crash; /* where it crashed; NULL: it did not, or nothing is known */
    const char *cause; /* what explains the whole wrong result, "" if nothing does; its clause is
                          `clause` */
    topk_reading_set readings; /* all that explain it, each by itself; of logs of before: 0 */
    bool guess;                /* the outputs show so little that these are guesses */
    size_t finding_count;
    const struct topk_log_finding *findings;
    bool has_sequence; /* a sequence is wrong: the next two say where */
    uint64_t sequence;
    uint32_t position;
    uint32_t window_from; /* the position of window[0] */
    size_t window_count;  /* outputs of that sequence, 0: none */
    const struct topk_log_output *window;
    uint32_t rule;                 /* line of the expectation that changed the verdict; 0: none */
    enum topk_verdict own_verdict; /* by itself; verdict if none did */
    struct topk_log_runs repeat;   /* of --repeat; runs is 0 of a case that was run once */
    const struct topk_log_again *again; /* how it was when it was run again; NULL: it was not */
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
    const char *sentence; /* with expected and actual filled in, "index 4 is not below 4" */
    const char *place;    /* "index[0,0,2]", "value byte -4" */
    /* as value and bits; NULL where there are none, as of a description */
    const char *expected, *expected_bits, *actual, *actual_bits;
    uint64_t count;
};

/* A shrunk case as read back. */
struct topk_log_shrunk {
    struct topk_log_record record; /* its number, rule and nanoseconds are 0 */
    size_t of_count;
    const uint64_t *of; /* numbers of cases */
    bool minimal;
};

/* Writes how often the case of a record was run, and how often it failed: as topk_again_print() if
 * it was run again, "failed 3 of 10 times" of --repeat; "" if neither. */
void topk_log_runs_print(const struct topk_log_record *record, char text[TOPK_AGAIN_TEXT]);

/* Adds the clauses that a record's findings break, as topk_result_clauses says. */
void topk_log_clauses(const struct topk_log_record *record, struct topk_clause_set *clauses);

/* An end record as read back. */
struct topk_log_ending {
    bool complete;
    struct topk_early early;
};

/* What a reader of a log is called with. Any may be NULL. False ends the reading. */
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
    /* a case, shrunk case, again, fresh or process record as it stands, without the chain, before
     * the above get it; those that are no case may stand behind all cases */
    bool (*copy)(void *context, bool is_case, const char *body, size_t length);
};

/* Reads a log from start to end, verifying the chain. Returns 0, also if the reader ended the
 * reading; 1 if the log was cut, within a line or behind one that is no end record (all whole lines
 * were delivered), or the file is empty; -1 if it is no log or was edited. Of 1 and -1 file, line
 * and reason are in error. */
int topk_log_read(const char *path, const struct topk_log_reader *reader, char *error,
                  size_t error_bytes);

/* The same with a log in memory; path is for messages. An empty one is no log. */
int topk_log_read_bytes(const char *bytes, size_t size, const char *path,
                        const struct topk_log_reader *reader, char *error, size_t error_bytes);

/* A log to be read: the file at path, or bytes in memory, which path then names in messages. */
struct topk_log_source {
    const char *path;
    const char *bytes; /* NULL: the file */
    size_t size;
};
int topk_log_read_source(const struct topk_log_source *source, const struct topk_log_reader *reader,
                         char *error, size_t error_bytes);

/* Room for the text of any finding, with the terminator. */
#define TOPK_FINDING_TEXT 256

/* Writes what a finding says, with values as text and bits, into text: "value 3 (40400000) comes
 * after 2 (40000000), in the wrong order". type, index_type as for topk_log_case. */
void topk_finding_sentence(const struct topk_finding *finding, uint32_t type, uint32_t index_type,
                           char *text, size_t size);
/* Writes where it was seen: "index[0,0,2]", "value byte -4". */
void topk_finding_place(const struct topk_finding *finding, char *text, size_t size);

/* Whether it has a place and values; a description that breaks a clause has none. */
bool topk_finding_has_values(const struct topk_finding *finding);
/* The type of its expected and actual; type, index_type as for topk_log_case. Of a byte UINT8. */
uint32_t topk_finding_type(const struct topk_finding *finding, uint32_t type, uint32_t index_type);

/* the rest of what this folder shows others */
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
