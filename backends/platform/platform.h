/* The few things that ISO C does not have and a worker needs. Each section names the file that
 * implements it for one system; *_win32.c does so for Windows. Texts and paths are UTF-8 where the
 * system has a say in it. */
#ifndef TOPK_PLATFORM_H
#define TOPK_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- this process: platform_posix.c -------------------------------------------------------------
 */

/* To be called first by main(). Standard files that are closed are opened, so that no other file
 * gets their numbers: reading or writing there fails, and what is said on standard error is lost. A
 * write beyond a limit for files fails, and does not end the process. A crash from then on ends the
 * process at once, with an exit code or a signal: no dialog, no debugger. Returns the arguments of
 * the program as UTF-8: as many as it was given, valid until the process ends; NULL if memory, or
 * files, are short. */
char **topk_process_start(int argc, char **argv);

/* For a program that people read: what it prints is UTF-8 with the line ends of C, and a terminal
 * obeys it as a terminal does. Other systems need nothing for that. */
void topk_console_start(void);

/* Keeps this process out of reach of those of the same user that it starts: they cannot read or
 * change its memory, nor open its files by way of it, unless they have the rights of root. What a
 * system lacks of that is left out. */
void topk_process_guard(void);

/* From now on the C library keeps up to 512 MiB that were freed for what is allocated next, and
 * gets only blocks above 32 MiB from the system each time: the buffers of cases are mostly smaller.
 * For a process of this suite's own code: what is under test gets the allocator as it is. */
void topk_memory_tune(void);

/* Loads a shared library; NULL, with the reason in error, if that fails. A name without a folder is
 * searched for as the system does; what a library given with its folder needs may lie beside it. */
void *topk_library_open(const char *path, char *error, size_t error_bytes);
/* The address of a function, stored into *function (a pointer to a function pointer); 0 if the
 * library has none of that name, else 1. */
int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes);
void topk_library_close(void *library);
/* Writes a line "NAME VERSION" for each library that this process has loaded and whose file has a
 * version, as many of the first `most` as have room, without the line feed behind the last. What is
 * only the system's is left out. "" where other processes can see what this one has loaded. */
void topk_libraries_print(char *text, size_t size, unsigned most);

/* Takes standard output for the protocol: returns a stream to it, binary and fully buffered, and
 * turns stdout itself to standard error, so that a backend that prints does not disturb. NULL if
 * that fails. Standard input becomes binary too, and as fully buffered. */
FILE *topk_stdout_take(void);

/* Writes to what topk_stdout_take() took, past the buffer of its stream. May be called when this
 * process crashes. */
void topk_stdout_say(const char *text, size_t length);

/* Reads what standard input has, at least one byte and at most `room`; 0 at its end. Not to be
 * mixed with stdin. */
int64_t topk_input_read(void *data, size_t room);

/* Whether topk_input_read() failed: what it took for the end was none. */
bool topk_input_failed(void);

/* Whether topk_input_read() would return at once. */
bool topk_input_ready(void);

/* Nanoseconds since some moment; never goes back. */
uint64_t topk_clock_now(void);

/* Has this thread, and those that are started from now on, run on so many of the processors that
 * this process may use, from the one that it runs on now. Returns how many these are, and the
 * number of the first; 0 where the system does not let it choose. */
uint32_t topk_process_pin(uint32_t processors, uint32_t *first);

/* The bytes of the largest cache of a processor; 0 if that is not known. */
uint64_t topk_cache_bytes(void);

/* Nanoseconds that processors spent on this process; 0 where the system counts too coarsely to
 * measure by it. */
uint64_t topk_clock_process(void);

/* Closes all files of this process but its first three: whoever started it may have leaked some. */
void topk_files_close(void);
/* Has no process that is started from now on inherit any file but its first three. Files that are
 * opened later may say so themselves. */
void topk_files_keep(void);

/* ---- what processes leave behind: keep_posix.c --------------------------------------------------
 */

/* From now on this process ends when its parent does, where the system has that. To be called
 * before topk_child_start(). parent: its process id, so that a parent is noticed that ended before;
 * 0: it is not known. */
void topk_process_end_with_parent(int64_t parent);

/* Goes on in a new process, which is all that returns; this one stays behind as its keeper: ends as
 * the new one ends, and ends all that that one leaves behind; ends it, too, when `parent` ends, as
 * topk_process_end_with_parent() has it, or on SIGTERM. The new process has a session of its own
 * and no file but its first three that another program inherits. Does nothing where the system ends
 * such processes by itself. */
void topk_process_keep(int64_t parent);

/* Runs another program in this process, arguments[0], searched for as a shell does. Returns only if
 * that fails, false, with the reason in error. */
bool topk_process_become(const char *const *arguments, char *error, size_t error_bytes);

/* What processes under test may do, of what a system can hold them to. All zero is what they get
 * unless somebody says otherwise. */
struct topk_containment {
    uint64_t memory;     /* bytes that all processes have together; 0: no limit */
    uint64_t cpu;        /* milliseconds of processor time that they have together for what they are
                            sent at once; 0: no limit */
    bool core_dumps;     /* they leave a core where they crash, if their user lets them */
    bool new_privileges; /* they may get more by the programs that they run: sudo does */
    bool own_folder;     /* they work in the folder that they have for temporary files */
};

/* Holds those to it that topk_child_start() and topk_process_keep() start from now on. Each has a
 * folder of its own for temporary files, which is removed behind it: TMPDIR names it. False, with
 * the reason in error, if this system cannot hold a process to one of these. */
bool topk_contain(const struct topk_containment *rules, char *error, size_t error_bytes);

/* How a process ends that took more than it has, topk_child_end(). */
#define TOPK_CHILD_OVER_MEMORY "killed, as it took more than the memory of --memory"
#define TOPK_CHILD_OVER_CPU    "killed, as it took more than the processor time of --cpu"

/* From now on a process whose parent ended becomes a child of this one, if it descends from it,
 * also if it left its group and session. Not where the system lacks that, nor if this process was
 * started with children: what these leave behind is not ours to end. */
void topk_orphans_adopt(void);
/* Ends all children of this process, and theirs, but those of which `keep` is true; NULL: none.
 * They are asked to, and killed two seconds later, until none is left or five seconds are over. */
void topk_orphans_end(bool (*keep)(int64_t pid));

/* ---- a process beside this one: child_posix.c ---------------------------------------------------
 */

/* What reading and writing return if the deadline passed. */
#define TOPK_IO_LATE (-1)
/* What they return if the pipe itself failed, as errno says, which is not the process's doing. */
#define TOPK_IO_FAILED (-2)

/* A program that was started, with pipes to its standard input and from its standard output. Its
 * standard error is this process's. */
struct topk_child;

/* Starts arguments[0], searched for as a shell does, with these arguments, NULL at the end. NULL,
 * with the reason in error, if that fails. From then on a write to a process that is gone fails,
 * and ends nobody. It gets no other file of this process but the memory of topk_child_share(), has
 * a session of its own, and a keeper between it and this process: it ends when this one does, and
 * with it all that it started. */
struct topk_child *topk_child_start(const char *const *arguments, char *error, size_t error_bytes);

/* Reads what its output has, at least one byte and at most `room`, above 0; waits for it until
 * topk_clock_now() is `deadline`. Returns how many bytes these are, 0 at the end,
 * TOPK_IO_LATE or TOPK_IO_FAILED. */
int64_t topk_child_read(struct topk_child *child, void *data, size_t room, uint64_t deadline);

/* Writes to its input what has room there, at least one byte and at most `bytes`, above 0; waits
 * for room until topk_clock_now() is `deadline`. Returns how many bytes these are, 0 if the input
 * is closed, TOPK_IO_LATE or TOPK_IO_FAILED. */
int64_t topk_child_write(struct topk_child *child, const void *data, size_t bytes,
                         uint64_t deadline);

/* Closes its input: nothing is written any more. */
void topk_child_close(struct topk_child *child);

/* Whether nothing of the last topk_child_write() was read. To be asked after topk_child_close(),
 * once its output is at its end. False where the system does not tell. */
bool topk_child_unheard(const struct topk_child *child);

/* Whether the process has ended. What it said may still be read then. */
bool topk_child_ended(struct topk_child *child);

/* Memory of so many bytes that the process can map, too, by *handle and topk_memory_map(). It has
 * no name, the process cannot shrink it, and it is gone when both are. It replaces what this
 * function returned before for the child. NULL: there is none to be had. */
unsigned char *topk_child_share(struct topk_child *child, uint64_t bytes, uint64_t *handle);

/* Closes its input, waits for its end for so many milliseconds, then kills it, and with it each
 * process that it left behind; closes its output and frees the child. Writes how it ended: "killed
 * by signal 11 (Segmentation fault)", "exited with 3", "killed, as it did not end within 1 s of
 * EVENT". Returns whether it exited with 0 by itself. */
bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes);

/* Maps memory that the parent shares, by the number that topk_child_share() gave it. NULL, with the
 * reason in error, if that fails. To be unmapped with the same number of bytes. */
unsigned char *topk_memory_map(uint64_t handle, uint64_t bytes, char *error, size_t error_bytes);
void topk_memory_unmap(unsigned char *memory, uint64_t bytes);

/* ---- memory between inaccessible pages: platform_posix.c -------------------------------------
 */

/* Bytes of a page: what can be made inaccessible starts and ends at a multiple of it. */
size_t topk_page_bytes(void);

/* Memory of so many bytes, zero, with so many inaccessible ones on both sides, each above 0 and a
 * multiple of topk_page_bytes(). NULL if there is none. */
unsigned char *topk_walled_map(size_t bytes, size_t wall);
void topk_walled_unmap(unsigned char *memory, size_t bytes, size_t wall);

/* ---- when this process crashes: fault_posix.c ---------------------------------------------------
 */

#define TOPK_FAULT_FRAMES 16u

/* What is known of a crash, until the process ends. */
struct topk_fault {
    const char *signal; /* "SIGSEGV", "SIGABRT", "stack-overflow", "access-violation" */
    bool has_address;
    uint64_t address;     /* that was accessed in vain */
    char access;          /* 'r', 'w', or '?' if it is not known which */
    uint32_t frame_count; /* the innermost first */
    struct topk_fault_frame {
        const char *module; /* the name of its file; NULL: not known */
        uint64_t offset;    /* of the code from the start of the module */
        const char *symbol; /* of the function; NULL: not known */
        uint64_t symbol_offset;
    } frames[TOPK_FAULT_FRAMES];
};

/* Has tell() called when this process is about to die of a fault or of abort(); then it dies as it
 * would have died. tell() may only do what a signal handler may; if it crashes itself or does not
 * come back, the process dies all the same. Nothing is told by who replaces the handlers, where a
 * sanitizer has its own, or where a thread other than this one has no stack left. */
void topk_fault_watch(void (*tell)(const struct topk_fault *fault));

#endif
