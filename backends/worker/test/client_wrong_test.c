/* Tests the client against a backend process that may say anything at any time, or stop talking.
 * Each error has its message and names the cases it affects, and no answer is derived from
 * malformed output. client_memory_test.c tests shared memory. */
#define _POSIX_C_SOURCE 200809L /* fork */
#include "scripted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/platform.h"

/* ---- answers --------------------------------------------------------------------------------- */

#define WANTED "\" where \"answer 1 2 BYTES\" has to stand"
#define STATUS "\" where the status of a call has to stand"

static void what_is_no_answer_ends_it(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        const char *how;
    } rows[] = {
        {"answer 1 2\n", TOPK_BROKE_PROTOCOL "it said \"answer 1 2" WANTED},
        {"answer 2 2 $\n", TOPK_BROKE_PROTOCOL "it said \"answer 2 2 $" WANTED},
        {"answer x 2 $\n", TOPK_BROKE_PROTOCOL "it said \"answer x 2 $" WANTED},
        {"answer 1 3 $\n", TOPK_BROKE_PROTOCOL "it said \"answer 1 3 $" WANTED},
        {"answer 1 x $\n", TOPK_BROKE_PROTOCOL "it said \"answer 1 x $" WANTED},
        {"answer 1 2 x\n", TOPK_BROKE_PROTOCOL "it said \"answer 1 2 x" WANTED},
        {"answer 1 2 1 1\n", TOPK_BROKE_PROTOCOL "it said \"answer 1 2 1 1" WANTED},
        {"answers 1 2 1\n", TOPK_BROKE_PROTOCOL "it said \"answers 1 2 1" WANTED},
        {"done \n", TOPK_BROKE_PROTOCOL "it said \"done " WANTED},
        {"\n", TOPK_BROKE_PROTOCOL "it said \"" WANTED},
        {"error no%20call\n", TOPK_BROKE_PROTOCOL "it did not understand its judge: no call"},
        {"error %\n", TOPK_BROKE_PROTOCOL "it said \"error %" WANTED},
        {"at 1 0\nat 1 0\n",
         TOPK_BROKE_PROTOCOL "it said \"at 1 0" WANTED}, /* each mark may occur only once */
        {"at 2 0\n", TOPK_BROKE_PROTOCOL "it said \"at 2 0" WANTED},
        {"at x 0\n", TOPK_BROKE_PROTOCOL "it said \"at x 0" WANTED},
        {"at 1 1\n",
         TOPK_BROKE_PROTOCOL "it said \"at 1 1" WANTED}, /* the frame has only one group */
        {"at 1 x\n", TOPK_BROKE_PROTOCOL "it said \"at 1 x" WANTED},
        {"at 1 0 1\n", TOPK_BROKE_PROTOCOL "it said \"at 1 0 1" WANTED},
        {"answer 1 2 0\ncomputed \n", TOPK_BROKE_PROTOCOL "it said \"computed " STATUS},
        {"answer 1 2 0\ndone %\n", TOPK_BROKE_PROTOCOL "it said \"done %" STATUS},
        {"answer 1 2 5\ndone \ndone \n",
         TOPK_BROKE_PROTOCOL "its answer announces 5 bytes, and has to bring $"},
        {"answer 1 2 $\nfailed \nfailed \n",
         TOPK_BROKE_PROTOCOL "its answer announces $ bytes, and has to bring 0"},
        {"at 1 0\nanswer 1 2 $\ndone \ndone \n#more\n",
         TOPK_BROKE_PROTOCOL "it said \"more\" where nothing, as all is answered, has to stand"},
        {"answer 1 2 ~\n", TOPK_BROKE_PROTOCOL
         "it said \"answer 1 2 \\x00\", which is not a line, where \"answer 1 2 "
         "BYTES\" has to stand"},
        {"answer 1 2 0\nfai~led \n",
         TOPK_BROKE_PROTOCOL "it said \"fai\\x00led \", which is not a line, where the "
                             "status of a call has to stand"},
        {"crash SIGSEGV\nanswer 1 2 0\n",
         TOPK_BROKE_PROTOCOL "it said \"answer 1 2 0\" where the end of a process "
                             "that said that it crashed has to stand"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char says[400];
        snprintf(says, sizeof says, HELLO "|%s", rows[i].says);
        open_client(says, ENDS);
        ask();
        assert_end(rows[i].says, rows[i].how, false, 0, 1);
        assert_null(topk_client_crash(client));
        /* the process is not asked again, and no call gets an answer that looks valid */
        const size_t said = process.said_length;
        calls[0].answer.status = TOPK_BACKEND_DONE;
        ask();
        assert_int_equal(process.said_length, said);
        assert_int_equal(calls[0].answer.status, TOPK_BACKEND_FAILED);
        assert_false(close_client());
    }
}

/* What the process said before it ended counts; an incomplete answer does not. */
static void output_that_ends_is_the_end(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        const char *crash; /* signal of the crash, or NULL */
    } rows[] = {
        {"", NULL},
        {"answer 1 ", NULL},
        {"answer 1 2 $\n", NULL},
        {"answer 1 2 $\ndone \n", NULL},
        {"answer 1 2 $\ndone \ndone \n", NULL},
        {"answer 1 2 $\ndone \ndone \nfew", NULL},
        {"answer 1 2 $\ndone \ndone \n#mo", NULL},
        {"crash SIGFPE\n", "SIGFPE"},
        {"crash \n", NULL},
        {"answer 1 2 $\ndone \ncrash SIGSEGV\n", "SIGSEGV"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int gone = 0; gone < 2; gone++) {
            char says[400];
            snprintf(says, sizeof says, HELLO "|%s", rows[i].says);
            open_client(says, gone == 1 ? GONE : ENDS);
            process.slow = gone == 1; /* output written before the end is still read */
            assert_null(topk_client_crash(client));
            ask();
            const bool wrong = strcmp(rows[i].says, "crash \n") == 0;
            assert_end(rows[i].says,
                       wrong ? TOPK_BROKE_PROTOCOL "it said \"crash " WANTED : "it ended", false, 0,
                       1);
            const struct topk_crash *crash = topk_client_crash(client);
            assert_string_equal(crash == NULL ? "" : crash->signal,
                                rows[i].crash == NULL ? "" : rows[i].crash);
            assert_false(close_client());
        }
    }
    /* a process killed for its use of processor time counts as too slow */
    open_client(HELLO, ENDS);
    process.how = TOPK_CHILD_OVER_CPU;
    ask();
    assert_end("over", TOPK_CHILD_OVER_CPU, true, 0, 1);
    close_client();
}

static void statuses_are_taken(void **state)
{
    (void)state;
    open_client(HELLO "|answer 1 2 $\nout_of_memory \ndone a%20note\n|#|answer 2 2 0\n"
                      "out_of_memory no%20room\nrefused \n|",
                ENDS);
    ask();
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(calls[0].answer.status, TOPK_BACKEND_OUT_OF_MEMORY);
    assert_string_equal(calls[0].answer.reason, "out of memory"); /* a reason is never empty */
    assert_int_equal(calls[1].answer.status, TOPK_BACKEND_DONE);
    assert_string_equal(calls[1].answer.reason, "a note");
    ask();
    assert_string_equal(calls[0].answer.reason, "no room");
    assert_int_equal(calls[1].answer.status, TOPK_BACKEND_REFUSED);
    process.how = "exited with 0";
    assert_true(close_client());
}

/* In careful mode, each call is first only created, and the answer to that is not the answer of the
 * call. After the last answer, the client listens for unexpected output. */
static void a_careful_client_watches(void **state)
{
    (void)state;
    process.block /= 2;
    open_client(HELLO "|answer 1 1 0\nfailed why\n|answer 2 1 $\ndone \n#|", SILENT);
    topk_client_limit(client, 50, true);
    topk_client_send(client, queue, 1);
    topk_client_receive(client);
    assert_int_equal(calls[0].answer.status, TOPK_BACKEND_DONE);
    const uint64_t before = now;
    topk_client_settle(client);
    assert_true(now > before);
    assert_string_equal(topk_client_ended(client)->how, "");
    process.says = "late\n";
    topk_client_settle(client);
    assert_end("late",
               TOPK_BROKE_PROTOCOL
               "it said \"late\" where nothing, as all is answered, has to stand",
               false, 1, 0);
    topk_client_settle(client); /* a second time has no effect */
    assert_false(close_client());
    static const struct {
        const char *says;
        const char *how;
    } rows[] = {{"la~te\n", TOPK_BROKE_PROTOCOL
                 "it said \"la\\x00te\" where nothing, as all is answered, has to stand"},
                {"la", TOPK_BROKE_PROTOCOL
                 "it said \"la\" where nothing, as all is answered, has to stand"}};
    for (size_t i = 0; i < 2; i++) {
        open_client(HELLO, SILENT);
        process.says = rows[i].says;
        topk_client_settle(client);
        assert_end(rows[i].says, rows[i].how, false, 1, 0);
        close_client();
    }
    prepare_small(NULL);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Returns how often a text occurs in what the process was told. */
static uint32_t count_of(const char *text)
{
    uint32_t count = 0;
    const size_t length = strlen(text);
    for (size_t at = 0; at + length <= process.said_length; at++) {
        count += memcmp(process.said + at, text, length) == 0;
    }
    return count;
}

/* A call that is only created has no bytes, alone or in a frame with a call that is run. */
static void calls_that_are_only_created_have_no_bytes(void **state)
{
    (void)state;
    const struct topk_case tc = calls[0].tc;
    process.block /= 2;
    open_client(HELLO "|answer 1 2 $\ndone \ndone \n|#|answer 2 1 0\ndone \n|answer 3 1 0\ndone \n|"
                      "answer 4 1 $\ndone \n|#|answer 5 1 0\ndone \n|",
                ENDS);
    topk_call_describe(&calls[0], &tc);
    ask();
    assert_string_equal(topk_client_ended(client)->how, "");
    topk_client_send(client, queue, 1);
    topk_client_receive(client);
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(count_of(" create_only=1 "), 2);
    /* in careful mode, this call is created once; the other is created, then run */
    topk_client_limit(client, 50, true);
    topk_client_send(client, queue + 1, 1);
    topk_client_receive(client);
    topk_client_send(client, queue, 1);
    topk_client_receive(client);
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(calls[1].answer.status, TOPK_BACKEND_DONE);
    assert_int_equal(count_of(" create_only=1 "), 4);
    assert_int_equal(count_of("frame "), 5);
    close_client();
    prepare_small(NULL);
}

/* A call too large for the process is not sent, in either mode. */
static void calls_that_are_too_large_are_declined(void **state)
{
    (void)state;
    for (int careful = 0; careful < 2; careful++) {
        open_client("topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=0 "
                    "batch=2 frame=100 align=1 own=\n",
                    ENDS);
        topk_client_limit(client, 50, careful == 1);
        ask();
        assert_string_equal(topk_client_ended(client)->how, "");
        for (int i = 0; i < 2; i++) {
            assert_int_equal(calls[i].answer.status, TOPK_BACKEND_UNSUPPORTED);
            assert_memory_equal(calls[i].answer.reason, "needs a frame of ", 17);
        }
        assert_int_equal(count_of("frame "), 0);
        close_client();
    }
}

/* A frame has at most 1024 calls, even if the process takes more at once. */
static void frames_have_no_more_calls_than_they_may(void **state)
{
    enum {
        MANY = 1030
    };
    (void)state;
    static struct topk_call many[MANY];
    static struct topk_call *all[MANY];
    static char says[MANY * 8];
    size_t used = (size_t)sprintf(says, "topk-backend 1 name=fake version= device= driver= "
                                        "features= level=5.0 flags=0 batch=4000 frame=0 align=1 "
                                        "own=\n|answer 1 1024 0\n");
    for (int i = 0; i < MANY; i++) {
        topk_call_describe(&many[i], &calls[0].tc);
        many[i].owner = (uint32_t)i;
        all[i] = &many[i];
        used += (size_t)sprintf(says + used, "%sdone \n", i == 1024 ? "|answer 2 6 0\n" : "");
    }
    open_client(says, ENDS);
    topk_client_send(client, all, MANY);
    topk_client_receive(client);
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(many[MANY - 1].answer.status, TOPK_BACKEND_DONE);
    assert_int_equal(count_of("frame 1 1024 1 0\ngroup 1024\n"), 1);
    close_client();
}

/* Groups with many bytes are sent in separate frames. */
static void frames_have_few_bytes(void **state)
{
    (void)state;
    prepare("top_k fl=5.0 in=u8[2200000] axis=0 k=2 data=shuffle.1:1");
    process.block /= 2;
    open_client("topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=0 "
                "batch=1 frame=0 align=1 own=\n|answer 1 1 $\ndone \n|#|answer 2 1 $\ndone \n|#|",
                ENDS);
    ask();
    assert_string_equal(topk_client_ended(client)->how, "");
    assert_int_equal(calls[1].answer.status, TOPK_BACKEND_DONE);
    close_client();
    prepare_small(NULL);
}

/* The process may close its input at any point of a frame; what it said then still counts. */
static void input_may_be_closed_anywhere(void **state)
{
    (void)state;
    /* Fill the buffer of the stream to different levels, so that it is flushed, and the closed
     * input noticed, in the lines, in a buffer, and in the gap between two buffers. */
    for (size_t room = 0; room < 26000; room += room < 100 ? 1 : 50) {
        open_client("topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=0 "
                    "batch=2 frame=0 align=4096 own=\n|error enough\n",
                    ENDS);
        process.takes = 0;
        process.after = 0;
        client->stream.used = TOPK_STREAM_BYTES - room;
        ask();
        assert_end("closed", TOPK_BROKE_PROTOCOL "it did not understand its judge: enough", false,
                   0, 1);
        close_client();
    }
}

/* An answer may also end in the gap between two buffers. */
static void output_may_end_in_a_gap(void **state)
{
    (void)state;
    char says[400];
    const uint64_t first = calls[0].backend_call.input_buffer.bytes;
    uint64_t block = 0;
    for (int i = 0; i < 2; i++) {
        for (uint32_t t = 0; t < TOPK_WIRE_TENSORS; t++) {
            block = (block + 4095) / 4096 * 4096;
            block += topk_wire_buffer(&calls[i].backend_call, t)->bytes;
        }
    }
    process.block = first + 10;
    snprintf(says, sizeof says,
             "topk-backend 1 name=fake version= device= driver= features= level=5.0 flags=0 "
             "batch=2 frame=0 align=4096 own=\n|answer 1 2 %llu\ndone \ndone \n#",
             (unsigned long long)block);
    open_client(says, ENDS);
    ask();
    assert_end("gap", "it ended", false, 0, 1);
    close_client();
    process.block = first;
    snprintf(says + strlen(says), sizeof says - strlen(says), "x|"); /* this byte should be zero */
    process.block = first;
    open_client(says, ENDS);
    ask();
    assert_end("gap", "it ended", false, 0, 1);
    close_client();
    prepare_small(NULL);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void who_is_late_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        const char *how;
    } rows[] = {
        {"", "not finished after 0.05 s"},
        {"answer 1 2", "not finished after 0.05 s"},
        {"answer 1 2 $\n", "it stopped for 0.05 s in the middle of an answer"},
        {"answer 1 2 $\ndone \ndone \nfew", "it stopped for 0.05 s in the middle of an answer"},
        {"crash SIGSEGV\n", "not finished after 0.05 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char says[400];
        snprintf(says, sizeof says, HELLO "|%s", rows[i].says);
        open_client(says, SILENT);
        ask();
        assert_end(rows[i].says, rows[i].how, true, 0, 1);
        assert_null(topk_client_crash(client));
        close_client();
    }
    /* without a limit from the runner, a default limit applies */
    open_client(HELLO, SILENT);
    topk_client_limit(client, 0, false);
    ask();
    assert_end("", "not finished after 30 s", true, 0, 1);
    close_client();
}

/* A process that stops reading is late. A process that closed its input may still say something. */
static void who_does_not_read_is_said(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "top_k fl=5.0 in=f32[4] axis=0 k=2 data=shuffle.1:1",
        "top_k fl=5.0 in=u8[90000] axis=0 k=2 data=shuffle.1:1" /* more than a stream buffers */
    };
    for (int large = 0; large < 2; large++) {
        prepare(texts[large]);
        for (int64_t takes = 0; takes < 2 + large; takes++) {
            const int64_t some = takes == 2 ? 150000 : takes; /* in the middle of bytes */
            open_client(HELLO, SILENT);
            process.takes = some;
            process.after = TOPK_IO_LATE;
            ask();
            assert_end("late", "it did not read what it was sent for 0.05 s", true, 0, 1);
            close_client();

            open_client(HELLO, SILENT);
            process.takes = some;
            process.after = 0;
            ask();
            assert_end("closed", "it closed its input, and was not finished after 1 s", false, 0,
                       1);
            close_client();

            open_client(HELLO "|error enough\n", ENDS);
            process.takes = some;
            process.after = 0;
            ask();
            assert_end("said", TOPK_BROKE_PROTOCOL "it did not understand its judge: enough", false,
                       0, 1);
            close_client();

            open_client(HELLO, SILENT);
            process.takes = some;
            process.after = TOPK_IO_LATE;
            process.ended = true; /* then the client does not wait */
            const uint64_t before = now;
            ask();
            assert_end("ended", "it ended", false, 0, 1);
            assert_true(now - before < 1000000000);
            close_client();
        }
    }
    prepare_small(NULL);
}

/* Runs a step in a child process and returns its exit code. */
static int exit_code_of(void (*step)(void))
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(99);
        }
        step();
        _exit(98); /* the step should have exited */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void read_a_broken_pipe(void)
{
    open_client(HELLO, FAILS);
    ask();
}

static void write_a_broken_pipe(void)
{
    open_client(HELLO, SILENT);
    process.takes = 0;
    process.after = TOPK_IO_FAILED;
    ask();
}

/* Failures on the judge's side are not blamed on the process. */
static void a_pipe_that_breaks_is_no_verdict(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of(read_a_broken_pipe), TOPK_WORKER_EXIT_HARNESS);
    assert_int_equal(exit_code_of(write_a_broken_pipe), TOPK_WORKER_EXIT_HARNESS);
}

/* ---- the introduction, devices and probes ---------------------------------------------------- */

static void without_an_introduction_there_is_no_client(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        enum ending ending;
        enum topk_greeting_kind kind;
        const char *error; /* beginning of the message */
    } rows[] = {
        {"", ENDS, TOPK_GREETING_NONE,
         "the backend process ended before it introduced itself: it ended"},
        {"", SILENT, TOPK_GREETING_NONE,
         "the backend process ended before it introduced itself: not finished after 3600 s"},
        {"crash SIGILL;a.so+0x1\n", ENDS, TOPK_GREETING_NONE,
         "the backend process ended before it introduced itself: it ended; SIGILL in a.so"},
        {"unavailable no%20device\n", ENDS, TOPK_GREETING_UNAVAILABLE, "no device"},
        {"misdeclared no%20rule\n", ENDS, TOPK_GREETING_MISDECLARED, "no rule"},
        {"topk-backend 2 name=a\n", ENDS, TOPK_GREETING_VERSION, ""},
        {"hello\n", ENDS, TOPK_GREETING_NONE, ""},
        {"hel~lo\n", ENDS, TOPK_GREETING_NONE, "the backend process ended before"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char error[TOPK_GREETING_ERROR] = "";
        enum topk_greeting_kind kind;
        start(rows[i].says, rows[i].ending);
        assert_null(topk_client_open(&scripted_link, "a b", &loaded, &kind, error, sizeof error));
        assert_int_equal(kind, rows[i].kind);
        assert_true(error[0] != 0);
        if (strncmp(error, rows[i].error, strlen(rows[i].error)) != 0) {
            fail_msg("%s: %s", rows[i].says, error);
        }
        assert_string_equal(process.said, "open 1 a%20b\n");
    }
    char error[TOPK_GREETING_ERROR] = "";
    enum topk_greeting_kind kind;
    start("", SILENT);
    process.takes = 3;
    process.after = TOPK_IO_LATE;
    assert_null(topk_client_open(&scripted_link, "", &loaded, &kind, error, sizeof error));
    assert_string_equal(error, "the backend process ended before it introduced itself: not "
                               "finished after 3600 s");
}

static void devices_are_words(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        bool good;
        const char *lines;
    } rows[] = {
        {"devices=\n", true, ""},
        {"devices=a%20b,c\n", true, "a b\nc\n"},
        {"device=a\n", false, ""},
        {"devices=a,%0A\n", false, "a\n"}, /* it would print two lines */
        {"devices=%7F\n", false, ""},
        {"devices=a,%,b\n", false, "a\n"},
        {"unavailable why\n", false, ""},
        {"", false, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char error[400] = "";
        char lines[100] = "";
        FILE *out = tmpfile();
        assert_non_null(out);
        start(rows[i].says, ENDS);
        assert_int_equal(topk_client_devices(&scripted_link, out, error, sizeof error),
                         rows[i].good);
        assert_true(rows[i].good || error[0] != 0);
        rewind(out);
        lines[fread(lines, 1, sizeof lines - 1, out)] = 0;
        assert_string_equal(lines, rows[i].lines);
        fclose(out);
    }
}

static void names_of_probes_are_names(void **state)
{
    (void)state;
    char many[400] = HELLO_PROBES "|probes=p";
    size_t used = strlen(many);
    for (uint32_t i = 1; i <= TOPK_PROBES_MAX; i++) {
        used += (size_t)snprintf(many + used, sizeof many - used, ",p");
    }
    (void)snprintf(many + used, sizeof many - used, "\n");
    const struct {
        const char *says;
        uint32_t count;
        bool good;
    } rows[] = {
        {HELLO_PROBES "|probes=\n|", 0, true},
        {HELLO_PROBES "|probes=a,b\n|", 2, true},
        {HELLO_PROBES "|probes=a,B\n|", 0, false},
        {HELLO_PROBES "|probes=a,,b\n|", 0, false},
        {HELLO_PROBES "|probe=a\n|", 0, false},
        {HELLO_PROBES "|", 0, false},
        {many, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_client(rows[i].says, ENDS);
        assert_int_equal(topk_loader_probe_count(&loaded), rows[i].count);
        assert_int_equal(topk_client_ended(client)->how[0] == 0, rows[i].good);
        assert_int_equal(topk_loader_probe_count(&loaded), rows[i].count); /* not asked again */
        assert_int_equal(close_client(), rows[i].good);
    }
}

static void probes_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        bool good;
    } rows[] = {
        {HELLO_PROBES "|probes=a\n|verdict=violation value=v detail=d\n|", true},
        {HELLO_PROBES "|probes=a\n|verdict=crashed value= detail=\n|", false}, /* invalid here */
        {HELLO_PROBES "|probes=a\n|verdict=violation\n|", false},
        {HELLO_PROBES "|probes=a\n|", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topk_probe said;
        open_client(rows[i].says, ENDS);
        assert_int_equal(topk_loader_probe_count(&loaded), 1);
        topk_loader_probe(&loaded, 0, &said);
        assert_int_equal(said.verdict, rows[i].good ? TOPK_PROBE_VIOLATION : TOPK_PROBE_FAILED);
        assert_string_equal(said.value, rows[i].good ? "v" : "");
        assert_int_equal(topk_client_ended(client)->how[0] == 0, rows[i].good);
        topk_loader_probe(&loaded, 0, &said); /* the process is not asked again */
        assert_int_equal(said.verdict, TOPK_PROBE_FAILED);
        assert_false(close_client());
    }
    /* a process that does not read the request */
    open_client(HELLO_PROBES, SILENT);
    process.takes = 0;
    process.after = TOPK_IO_LATE;
    assert_int_equal(topk_loader_probe_count(&loaded), 0);
    assert_end("probes", "not finished after 0.05 s", true, 1, 0);
    close_client();
}

/* ---- quitting -------------------------------------------------------------------------------- */

static void a_process_has_to_wait_until_it_is_told_to_quit(void **state)
{
    (void)state;
    static const struct {
        struct scripted process;
        const char *says;
        bool good;
        const char *how;
    } rows[] = {
        {{.how = "exited with 0"}, "", true, "exited with 0"},
        {{.how = "exited with 9", .bad = true}, "", false, "exited with 9"},
        {{.how = "exited with 0", .ended = true},
         "",
         false,
         "exited with 0, and had not been told to"},
        {{.how = "exited with 9", .ended = true, .bad = true}, "", false, "exited with 9"},
        {{.how = "exited with 0", .unheard = true},
         "",
         false,
         "exited with 0, and had not been told to"},
        {{.how = "exited with 0"},
         "bye\n",
         false,
         TOPK_BROKE_PROTOCOL "it said \"bye\" where nothing after its last answer has to stand"},
        {{.how = "exited with 0"},
         "b~e\n",
         false,
         TOPK_BROKE_PROTOCOL
         "it said \"b\\x00e\" where nothing after its last answer has to stand"},
        {{.how = "exited with 0"},
         "b",
         false,
         TOPK_BROKE_PROTOCOL "it said \"b\" where nothing after its last answer has to stand"},
        {{.how = "was killed", .ending = SILENT, .bad = true}, "", false, "was killed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char how[400];
        open_client(HELLO "|", ENDS);
        process.says = rows[i].says;
        process.ending = rows[i].process.ending;
        process.ended = rows[i].process.ended;
        process.unheard = rows[i].process.unheard;
        process.bad = rows[i].process.bad;
        process.how = rows[i].process.how;
        assert_int_equal(topk_client_close(client, how, sizeof how), rows[i].good);
        assert_string_equal(how, rows[i].how);
        const size_t said = process.said_length;
        assert_string_equal(process.said + said - 5, "quit\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_answer_ends_it),
        cmocka_unit_test(output_that_ends_is_the_end),
        cmocka_unit_test(statuses_are_taken),
        cmocka_unit_test(a_careful_client_watches),
        cmocka_unit_test(calls_that_are_only_created_have_no_bytes),
        cmocka_unit_test(calls_that_are_too_large_are_declined),
        cmocka_unit_test(frames_have_no_more_calls_than_they_may),
        cmocka_unit_test(frames_have_few_bytes),
        cmocka_unit_test(input_may_be_closed_anywhere),
        cmocka_unit_test(output_may_end_in_a_gap),
        cmocka_unit_test(who_is_late_is_said),
        cmocka_unit_test(who_does_not_read_is_said),
        cmocka_unit_test(a_pipe_that_breaks_is_no_verdict),
        cmocka_unit_test(without_an_introduction_there_is_no_client),
        cmocka_unit_test(devices_are_words),
        cmocka_unit_test(names_of_probes_are_names),
        cmocka_unit_test(probes_are_answered),
        cmocka_unit_test(a_process_has_to_wait_until_it_is_told_to_quit),
    };
    return cmocka_run_group_tests(tests, prepare_small, free_calls);
}
