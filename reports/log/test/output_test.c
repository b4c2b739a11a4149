/* Outputs: a file is whole or not there, wherever a signal or an error meets the writing of it. The
 * calls that output.c makes are taken over here, to stop at each of them. */
#define _GNU_SOURCE /* nftw, mkdtemp, syscall */

#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- the calls ------------------------------------------------------------------------------- */

static int calls;     /* since the child began */
static int stop_at;   /* the number of the call that is stopped at; 0: none */
static int stop_with; /* a signal, or, below 0, an error */

/* true: fail, errno is set */
static bool stopped(void)
{
    if (++calls != stop_at) {
        return false;
    }
    if (stop_with > 0) {
        raise(stop_with);
    }
    errno = -stop_with;
    return stop_with < 0;
}

/* their parameters have names that only libraries may use */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
int fsync(int fd)
{
    return stopped() ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from, const char *old, int to, const char *new)
{
    return stopped() ? -1 : (int)syscall(SYS_renameat2, from, old, to, new, 0);
}

int linkat(int from, const char *old, int to, const char *new, int flags)
{
    return stopped() ? -1 : (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int openat(int folder, const char *name, int flags, ...)
{
    return stopped() ? -1 : (int)syscall(SYS_openat, folder, name, flags, 0666);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* ---- what is left ---------------------------------------------------------------------------- */

#define OLD "the older file\n"
#define NEW "the new file, which is a little longer than the older one\n"

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* whether a file has a text; NULL: it is not there */
static bool has(const char *path, const char *text)
{
    char there[256] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL || text == NULL) {
        if (file != NULL) {
            fclose(file);
        }
        return file == NULL && text == NULL;
    }
    there[fread(there, 1, sizeof there - 1, file)] = 0;
    fclose(file);
    return strcmp(there, text) == 0;
}

/* files in the folder */
static int count_files(const struct scratch *scratch)
{
    int count = 0;
    DIR *dir = opendir(scratch->dir);
    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        count++;
    }
    closedir(dir);
    return count - 2;
}

/* ---- a child that writes --------------------------------------------------------------------- */

/* what the child comes to */
enum {
    WRITTEN,
    REFUSED,
    AFTER_LAST /* it made fewer calls than the one to stop at */
};

static int write_new(const char *path, enum topk_output_kind kind)
{
    char error[1024];
    struct topk_output output;
    calls = 0;
    if (!topk_output_open(&output, path, kind, error, sizeof error)) {
        return REFUSED;
    }
    fputs(NEW, output.file);
    if (stopped() || !topk_output_close(&output, true, error, sizeof error)) {
        return REFUSED;
    }
    return calls < stop_at ? AFTER_LAST : WRITTEN;
}

/* its exit status, or the signal that ended it + 256 */
static int run_child(const char *path, enum topk_output_kind kind, int at, int with)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        stop_at = at;
        stop_with = with;
        exit(write_new(path, kind));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* Stops at every call in turn. */
static void sweep(struct scratch *scratch, enum topk_output_kind kind, const char *before, int with)
{
    char path[PATH_BYTES + 8];
    int result;
    int at = 1;
    snprintf(path, sizeof path, "%s/file", scratch->dir);
    do {
        unlink(path);
        if (before != NULL) {
            put(path, before);
        }
        const int there = count_files(scratch);
        result = run_child(path, kind, at, with);
        const bool is_new = has(path, NEW);
        if (!is_new && !has(path, before)) {
            fail_msg("stopped at call %d with %d: neither the older nor the new file", at, with);
        }
        if (result == REFUSED && is_new && at < 4) {
            fail_msg("stopped at call %d with %d: a file that was given up is there", at, with);
        }
        if (result <= AFTER_LAST && result != REFUSED) {
            assert_true(is_new);
        }
        if (with != SIGKILL) { /* which leaves what is beside */
            assert_int_equal(count_files(scratch), is_new && before == NULL ? there + 1 : there);
        }
        if (with > 0 && result != AFTER_LAST) {
            assert_int_equal(result, 256 + with);
        }
        at++;
    } while (result != AFTER_LAST);
    assert_true(at > 5);
}

static void whatever_ends_it(void **state)
{
    static const int ends[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, -EIO, -ENOSPC, -EACCES};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sweep(*state, TOPK_OUTPUT_NAMED, OLD, ends[i]);
        sweep(*state, TOPK_OUTPUT_NAMED, NULL, ends[i]);
        sweep(*state, TOPK_OUTPUT_OURS, OLD, ends[i]);
        sweep(*state, TOPK_OUTPUT_NEW, NULL, ends[i]);
    }
}

static void program_that_exits_leaves_nothing(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 8];
    snprintf(path, sizeof path, "%s/file", scratch->dir);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct topk_output output;
        topk_output_open(&output, path, TOPK_OUTPUT_NAMED, NULL, 0);
        exit(3);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(count_files(scratch), 0);
}

/* ---- what stands at the place ---------------------------------------------------------------- */

static void links(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 8];
    char victim[PATH_BYTES + 8];
    struct stat status;
    snprintf(path, sizeof path, "%s/file", scratch->dir);
    snprintf(victim, sizeof victim, "%s/victim", scratch->dir);
    for (int dangling = 0; dangling < 2; dangling++) {
        const char *const left = dangling ? NULL : OLD;
        if (!dangling) {
            put(victim, OLD);
        } else {
            unlink(victim);
        }
        unlink(path);
        assert_int_equal(symlink(victim, path), 0);
        assert_int_equal(write_new(path, TOPK_OUTPUT_NAMED), REFUSED);
        assert_int_equal(write_new(path, TOPK_OUTPUT_NEW), REFUSED);
        assert_true(has(victim, left));
        assert_int_equal(write_new(path, TOPK_OUTPUT_OURS), WRITTEN);
        assert_true(has(victim, left));
        assert_int_equal(lstat(path, &status), 0);
        assert_true(S_ISREG(status.st_mode));
    }
    unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(write_new(path, TOPK_OUTPUT_NAMED), WRITTEN);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

/* A file that comes while a new one is written stays. */
static void new_file_replaces_nothing(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 8];
    struct topk_output output;
    snprintf(path, sizeof path, "%s/file", scratch->dir);
    assert_true(
        topk_output_open(&output, path, TOPK_OUTPUT_NEW, scratch->error, sizeof scratch->error));
    put(path, OLD);
    assert_false(topk_output_close(&output, true, scratch->error, sizeof scratch->error));
    assert_non_null(strstr(scratch->error, "File exists"));
    assert_true(has(path, OLD));
    assert_false(
        topk_output_open(&output, path, TOPK_OUTPUT_NEW, scratch->error, sizeof scratch->error));
    assert_true(output.refused);
    assert_int_equal(count_files(scratch), 1);
}

/* Names of the file beside that are taken are passed over; they may be links. */
static void names_beside_may_be_taken(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 64];
    char victim[PATH_BYTES + 8];
    snprintf(victim, sizeof victim, "%s/victim", scratch->dir);
    for (int i = 0; i < 50; i++) {
        snprintf(path, sizeof path, "%s/.topk-cts.%ld.%d.tmp", scratch->dir, (long)getpid(), i);
        assert_int_equal(symlink(victim, path), 0);
    }
    snprintf(path, sizeof path, "%s/file", scratch->dir);
    assert_int_equal(write_new(path, TOPK_OUTPUT_NAMED), WRITTEN);
    assert_true(has(path, NEW));
    assert_true(has(victim, NULL));
    assert_int_equal(count_files(scratch), 51);
}

/* The name of a file may have all the characters that the file system allows. */
static void long_name(void **state)
{
    const struct scratch *scratch = *state;
    char path[PATH_BYTES + 300];
    char name[256];
    memset(name, 'x', 255);
    name[255] = 0;
    snprintf(path, sizeof path, "%s/%s", scratch->dir, name);
    assert_int_equal(write_new(path, TOPK_OUTPUT_NAMED), WRITTEN);
    assert_true(has(path, NEW));
}

/* What could not be written is told at the end, though nothing is left to be written then. */
static void what_failed_before_is_told(void **state)
{
    struct scratch *scratch = *state;
    struct topk_output output;
    assert_true(topk_output_open(&output, "/dev/full", TOPK_OUTPUT_NAMED, scratch->error,
                                 sizeof scratch->error));
    assert_int_equal(setvbuf(output.file, NULL, _IONBF, 0), 0);
    assert_int_equal(fputs(NEW, output.file), EOF);
    assert_int_equal(fflush(output.file), 0);
    assert_false(topk_output_close(&output, true, scratch->error, sizeof scratch->error));
    assert_non_null(strstr(scratch->error, "No space left"));
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void folder_is_held_by_one(void **state)
{
    struct scratch *scratch = *state;
    struct topk_lock lock = {0};
    char holder[TOPK_LOCK_HOLDER];
    int ready[2];
    int go[2];
    char byte;
    assert_int_equal(pipe(ready) | pipe(go), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const bool held = topk_lock_take(&lock, scratch->dir, TOPK_LOCK_NAME, "f", scratch->error,
                                         sizeof scratch->error) == TOPK_LOCK_HELD;
        byte = (char)held;
        if (write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1) {
            raise(SIGKILL);
        }
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    assert_true(topk_lock_held(scratch->dir, TOPK_LOCK_NAME, holder));
    assert_int_equal(topk_lock_take(&lock, scratch->dir, TOPK_LOCK_NAME, "the folder f",
                                    scratch->error, sizeof scratch->error),
                     TOPK_LOCK_BUSY);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "the folder f is in use: process %ld ", (long)child);
    assert_non_null(strstr(scratch->error, wanted));
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(topk_lock_held(scratch->dir, TOPK_LOCK_NAME, holder));
    assert_int_equal(topk_lock_take(&lock, scratch->dir, TOPK_LOCK_NAME, "f", scratch->error,
                                    sizeof scratch->error),
                     TOPK_LOCK_HELD);
    /* a reader in the same process does not give it back */
    assert_false(topk_lock_held(scratch->dir, TOPK_LOCK_NAME, holder));
    fflush(NULL);
    const pid_t other = fork();
    if (other == 0) {
        _exit(topk_lock_held(scratch->dir, TOPK_LOCK_NAME, holder));
    }
    int status;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(WEXITSTATUS(status), 1);
    topk_lock_release(&lock);
    assert_int_equal(count_files(scratch), 0);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(go[i]);
    }
}

static void lock_is_no_link(void **state)
{
    struct scratch *scratch = *state;
    char path[PATH_BYTES + 8];
    char victim[PATH_BYTES + 8];
    struct topk_lock lock = {0};
    snprintf(path, sizeof path, "%s/" TOPK_LOCK_NAME, scratch->dir);
    snprintf(victim, sizeof victim, "%s/victim", scratch->dir);
    put(victim, OLD);
    assert_int_equal(symlink(victim, path), 0);
    assert_int_equal(topk_lock_take(&lock, scratch->dir, TOPK_LOCK_NAME, "f", scratch->error,
                                    sizeof scratch->error),
                     TOPK_LOCK_FAILED);
    assert_true(has(victim, OLD));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)
    static const struct CMUnitTest tests[] = {
        TEST(whatever_ends_it),
        TEST(program_that_exits_leaves_nothing),
        TEST(links),
        TEST(new_file_replaces_nothing),
        TEST(names_beside_may_be_taken),
        TEST(long_name),
        TEST(what_failed_before_is_told),
        TEST(folder_is_held_by_one),
        TEST(lock_is_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
