/* What scripts/torture attacks: the table of command lines, and the files that they read. */
#define _GNU_SOURCE
#include "torture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const program_names[PROGRAMS] = {"topk-cts", "topk-worker", "topk-backend"};

#define ALONE 1u
#define ALL   7u
#define CALM  "--no-identity|--no-probes"

const struct subject subjects[] = {
    {"run", "run|--timeout|2|--profile|peers|--backend|cpu|--out|@OUT|" CALM, RUN, ALL, NULL, NULL},
    {"run-failing",
     "run|--timeout|2|--profile|peers|--backend|faulty:B26|--out|@OUT|--retries|0|" CALM, RUN, ALL,
     NULL, NULL},
    {"run-whole", "run|--timeout|2|@CASE|--backend|faulty:B26|--out|@OUT|--shrink", RUN, ALONE,
     NULL, NULL},
    {"merge", "merge|@IN/shard1|@IN/shard2|--out|@OUT", EXACT, ALONE, NULL, NULL},
    {"report-html", "report|@IN/failing|--format|html|--output|@OUT/x", EXACT, ALONE, NULL, "x"},
    {"report-junit", "report|@IN/failing|--format|junit|--output|@OUT/x", EXACT, ALONE, NULL, "x"},
    {"report-json", "report|@IN/failing|--format|json|--output|@OUT/x", EXACT, ALONE, NULL, "x"},
    {"report-markdown", "report|@IN/failing|--format|markdown|--output|@OUT/x", EXACT, ALONE, NULL,
     "x"},
    {"report-issue", "report|@IN/failing|--format|issue|--output|@OUT/x", EXACT, ALONE, NULL, "x"},
    {"report-github", "report|@IN/failing|--format|github|--output|@OUT/x", EXACT, ALONE, NULL,
     "x"},
    {"report-sarif", "report|@IN/failing|--format|sarif|--output|@OUT/x", EXACT, ALONE, NULL, "x"},
    {"report-matrix", "report|@IN/failing|--format|matrix|--output|@OUT/x", EXACT, ALONE, NULL,
     "x"},
    {"report-matrix-csv", "report|@IN/failing|--format|matrix-csv|--output|@OUT/x", EXACT, ALONE,
     NULL, "x"},
    {"report-gate", "report|@IN/failing|--format|json|--max-failures|0|--output|@OUT/x", EXACT,
     ALONE, NULL, "x"},
    {"report-zstd", "report|@IN/packed|--format|json|--output|@OUT/x", EXACT, ALONE, NULL, "x"},
    {"report-printed", "report|@IN/passing|--format|json", EXACT, ALONE, NULL, NULL},
    {"report-package", "report|@IN/package.tar|--format|markdown|--output|@OUT/x", EXACT, ALONE,
     NULL, "x"},
    {"package", "package|@IN/whole|--sign|@IN/signer.sec|--output|@OUT/package.tar", EXACT, ALONE,
     NULL, NULL},
    {"verify", "verify|@IN/package.tar|--key|@IN/signer.pub", EXACT, ALONE, NULL, NULL},
    {"package-zstd", "package|@IN/whole|--zstd|--sign|@IN/signer.sec|--output|@OUT/p.zst", EXACT,
     ALONE, NULL, NULL},
    {"verify-zstd", "verify|@IN/package.tar.zst|--key|@IN/signer.pub", EXACT, ALONE, NULL, NULL},
    {"verify-forged", "verify|@IN/forged.tar|--key|@IN/signer.pub", EXACT, ALONE, NULL, NULL},
    {"compare-same", "compare|@IN/passing|@IN/passing", EXACT, ALONE, NULL, NULL},
    {"compare-worse", "compare|@IN/passing|@IN/failing", EXACT, ALONE, NULL, NULL},
    {"compare-fixed", "compare|@IN/failing|@IN/passing", EXACT, ALONE, NULL, NULL},
    {"compare-json", "compare|@IN/passing|@IN/failing|--format|json|--output|@OUT/x", EXACT, ALONE,
     NULL, "x"},
    {"compare-html", "compare|@IN/failing|@IN/passing|--format|html|--output|@OUT/x", EXACT, ALONE,
     NULL, "x"},
    {"shrink", "shrink|--timeout|2|@CASE|--backend|faulty:B26|--c|@OUT/x", EXACT, ALL, NULL, NULL},
    {"replay", "replay|--timeout|2|@CASE|--backend|faulty:B26", EXACT, ALL, NULL, NULL},
    {"replay-passing", "replay|--timeout|2|@CASE|--backend|cpu", EXACT, ALL, NULL, NULL},
    {"expectations", "expectations|update|@IN/failing|--output|@OUT/x", EXACT, ALONE, NULL, NULL},
    {"export-onnx", "export|@CASE|--format|onnx|--output|@OUT/x", EXACT, ALONE, "--overwrite",
     NULL},
    {"export-npy", "export|@CASE|--format|npy|--output|@OUT/x", EXACT, ALONE, "--overwrite", NULL},
    {"export-dxdispatch", "export|@CASE|--format|dxdispatch|--output|@OUT/x", EXACT, ALONE,
     "--overwrite", NULL},
    {"import", "import|@IN/onnx", EXACT, ALONE, NULL, NULL},
};
const size_t subject_count = sizeof subjects / sizeof subjects[0];

const struct fault faults[] = {
#define ONCE                                     false
#define EVER                                     true
#define SHORT                                    TORTURE_SHORT
#define KILLED                                   TORTURE_KILLED
#define TORTURE_FAULT(word, class, error, times) {word, TORTURE_##class, error, times},
#include "faults.def"
};
const size_t fault_count = sizeof faults / sizeof faults[0];

const char *const class_words[TORTURE_CLASSES] = {
#define TORTURE_CLASS(class, word, about) word,
#include "faults.def"
};
const char *const class_abouts[TORTURE_CLASSES] = {
#define TORTURE_CLASS(class, word, about) about,
#include "faults.def"
};

/* ---- files that the command lines read
 * --------------------------------------------------------- */

/* Runs a shell command in work/in and requires an exit code. */
static void need(const struct place *place, int code, const char *words)
{
    struct text line = {0};
    text_print(&line, "cd '%s/in' && PATH='%s':\"$PATH\" && %s >log 2>&1", place->work, place->bin,
               words);
    const int status = system(line.at);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code) {
        struct text said = {0};
        struct text path = {0};
        text_print(&path, "%s/in/log", place->work);
        text_read(&said, path.at);
        die("%s\nends with %d instead of %d:\n%s", line.at, WEXITSTATUS(status), code,
            said.at == NULL ? "" : said.at);
    }
    text_free(&line);
}

#define CASE "'floats.zeros:top_k fl=2.0 in=f32[1,1,3,2] axis=3 k=2 data=zeros.1:559542'"

void fixtures_make(const struct place *place)
{
    struct text path = {0};
    text_print(&path, "%s/in", place->work);
    if (mkdir(path.at, 0755) != 0) {
        die("cannot make %s", path.at);
    }
    text_free(&path);
    need(place, 0,
         "topk-cts run --profile peers --backend cpu --out passing --retries 0 --no-probes");
    need(place, 1,
         "topk-cts run --profile peers --backend faulty:B26 --out failing --retries 0 --no-probes");
    need(place, 0,
         "topk-cts run --profile peers --backend cpu --out shard1 --shard 1/2 --no-identity "
         "--no-probes");
    need(place, 0,
         "topk-cts run --profile peers --backend cpu --out shard2 --shard 2/2 --no-identity "
         "--no-probes");
    need(place, 0,
         "topk-cts run --profile peers --backend cpu --out whole --no-identity --no-probes");
    /* limit-processes runs a command of root as another user, who has to be able to read the key */
    need(place, 0, "minisign -G -W -p signer.pub -s signer.sec && chmod 644 signer.sec");
    need(place, 0, "topk-cts package whole --sign signer.sec --output package.tar");
    need(place, 0, "topk-cts package whole --zstd --sign signer.sec --output package.tar.zst");
    need(place, 0, "mkdir packed && zstd -q failing/results.jsonl -o packed/results.jsonl.zst");
    need(place, 0,
         "cp package.tar forged.tar && printf X | dd of=forged.tar bs=1 seek=4096 conv=notrunc");
    need(place, 0, "topk-cts export " CASE " --format onnx --output onnx");
}
