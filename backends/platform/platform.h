/* The system functions that a worker needs and ISO C lacks. Each section names the file that
 * implements it for POSIX; *_win32.c files do so for Windows. Texts and paths are UTF-8 where the
 * system defines an encoding. */
#ifndef TOPK_PLATFORM_H
#define TOPK_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- this process: platform_posix.c ---------------------------------------------------------- */

/* Call it first in main(). Opens standard files that are closed, so that no other file gets their
 * numbers: reading and writing them fails, and standard error is lost. Exceeding a limit for files
 * makes a write fail, but does not end the process. A later crash ends the process at once, with an
 * exit code or a signal, without a dialog or a debugger. Returns the arguments as UTF-8, valid
 * until the process ends; NULL if memory or files are short. */
char **topk_process_start(int argc, char **argv);

/* For a program that people read: its output is UTF-8 with the line ends of C, and terminal
 * sequences work. Does nothing on POSIX. */
void topk_console_start(void);

/* Protects this process from other processes of the same user that it starts: they cannot read or
 * change its memory, nor open its files through it, unless they are root. Does as much as the
 * system supports. */
void topk_process_guard(void);

/* From now on the C library keeps up to 512 MiB of freed memory for reuse, and maps only blocks
 * above 32 MiB separately: most buffers of cases are smaller. Only for processes with this suite's
 * own code; code under test gets the default allocator. */
void topk_memory_tune(void);

/* Loads a shared library; returns NULL, with the reason in error, if that fails. A name without a
 * folder is searched for by the system. If a folder is given, the libraries that it depends on may
 * be in that folder. */
void *topk_library_open(const char *path, char *error, size_t error_bytes);
/* Stores the address of a function in *function, a function pointer. Returns 1; 0 if the library
 * has no such function. */
int topk_library_symbol(void *library, const char *name, void *function, size_t function_bytes);
void topk_library_close(void *library);
/* Writes a line "NAME VERSION" for each loaded library whose file has a version, at most `most` and
 * as many as fit, without a final line feed. Leaves out libraries of the system. Writes "" on
 * systems where other processes can see which libraries this one has loaded. */
void topk_libraries_print(char *text, size_t size, unsigned most);

/* Takes standard output for the protocol: returns a binary, fully buffered stream to it, and
 * redirects stdout to standard error, so that printing by a backend does no harm. Returns NULL if
 * that fails. Standard input becomes binary and fully buffered, too. */
FILE *topk_stdout_take(void);

/* Writes to the output that topk_stdout_take() took, bypassing its buffer. May be called when this
 * process crashes. */
void topk_stdout_say(const char *text, size_t length);

/* Reads at least one byte and at most `room` from standard input; returns 0 at its end. Do not mix
 * it with stdin. */
int64_t topk_input_read(void *data, size_t room);

/* Whether topk_input_read() returned 0 because of an error. */
bool topk_input_failed(void);

/* Whether topk_input_read() would return without waiting. */
bool topk_input_ready(void);

/* Nanoseconds of a monotonic clock. */
uint64_t topk_clock_now(void);

/* Restricts this thread, and threads and processes that are started later, to a number of the
 * available processors, starting with the current one. Returns how many, and the number of the
 * first; 0 if the system does not support it. */
uint32_t topk_process_pin(uint32_t processors, uint32_t *first);

/* Size of the largest cache of a processor in bytes; 0 if unknown. */
uint64_t topk_cache_bytes(void);

/* Processor time of this process in nanoseconds; 0 if the system's resolution is too coarse. */
uint64_t topk_clock_process(void);

/* Closes all files but the first three: the parent process may have leaked some. */
void topk_files_close(void);
/* Prevents processes that are started later from inheriting any open file except the first three.
 * Files that are opened later must do so themselves. */
void topk_files_keep(void);

/* ---- what processes leave behind: keep_posix.c ----------------------------------------------- */

/* From now on this process ends when its parent does, if the system supports that. Call it before
 * topk_child_start(). parent: its process id, to notice if it has already ended; 0: unknown. */
void topk_process_end_with_parent(int64_t parent);

/* Continues in a new process; only that process returns. This process stays as its keeper: it ends
 * as the new one ends, and ends everything that that one leaves behind. It also ends it when
 * `parent` ends, as topk_process_end_with_parent() does, or on SIGTERM. The new process has its own
 * session, and only its first three files are inherited by other programs. Does nothing on systems
 * that end such processes themselves. */
void topk_process_keep(int64_t parent);

/* Replaces this process by another program, arguments[0], searched for as a shell does. Returns
 * only if that fails: false, with the reason in error. */
bool topk_process_become(const char *const *arguments, char *error, size_t error_bytes);

/* What processes under test may do, as far as a system can enforce it. All zero is the default. */
struct topk_containment {
    uint64_t memory; /* bytes for all of them together; 0: no limit */
    /* milliseconds of processor time for all of them together, for what is sent to them at once; 0:
     * no limit */
    uint64_t cpu;
    bool core_dumps;     /* a crash may leave a core file, if the user's limits allow it */
    bool new_privileges; /* programs that they run may gain privileges, as sudo does */
    bool own_folder;     /* they work in their folder for temporary files */
};

/* Applies rules to all processes that topk_child_start() and topk_process_keep() start later. Each
 * gets its own folder for temporary files, named by TMPDIR and removed afterwards. Returns false,
 * with the reason in error, if this system cannot enforce a rule. */
bool topk_contain(const struct topk_containment *rules, char *error, size_t error_bytes);

/* How topk_child_end() describes the end of a process that exceeded a limit. */
#define TOPK_CHILD_OVER_MEMORY "killed, as it took more than the memory of --memory"
#define TOPK_CHILD_OVER_CPU    "killed, as it took more than the processor time of --cpu"

/* From now on, descendants of this process whose parent ends become its children, even if they left
 * its group and session. Has no effect if the system lacks this, or if this process was started
 * with children, whose descendants must not be ended. */
void topk_orphans_adopt(void);
/* Ends all children of this process and their descendants, except those for which `keep` is true;
 * NULL: keeps none. They get SIGTERM, and SIGKILL two seconds later, until none is left or five
 * seconds have passed. */
void topk_orphans_end(bool (*keep)(int64_t pid));

/* ---- a process beside this one: child_posix.c ------------------------------------------------ */

/* Returned by reads and writes when the deadline has passed. */
#define TOPK_IO_LATE (-1)
/* Returned if the pipe itself failed, with errno set; the process is not to blame. */
#define TOPK_IO_FAILED (-2)

/* A process with pipes to its standard input and from its standard output. It shares this process's
 * standard error. */
struct topk_child;

/* Starts arguments[0], searched for as a shell does, with arguments ended by NULL. Returns NULL,
 * with the reason in error, if that fails. From then on, writing to a process that has ended fails
 * instead of raising SIGPIPE. The process inherits no other file of this one except the memory of
 * topk_child_share(), and has its own session. A keeper between the two ends it, and everything
 * that it started, when this process ends. */
struct topk_child *topk_child_start(const char *const *arguments, char *error, size_t error_bytes);

/* Reads at least one byte and at most `room` > 0 of its output; waits until topk_clock_now() is
 * `deadline`. Returns the number of bytes, 0 at the end, TOPK_IO_LATE or TOPK_IO_FAILED. */
int64_t topk_child_read(struct topk_child *child, void *data, size_t room, uint64_t deadline);

/* Writes at least one byte and at most `bytes` > 0 to its input; waits for room until
 * topk_clock_now() is `deadline`. Returns the number of bytes, 0 if the input is closed,
 * TOPK_IO_LATE or TOPK_IO_FAILED. */
int64_t topk_child_write(struct topk_child *child, const void *data, size_t bytes,
                         uint64_t deadline);

/* Closes its input. */
void topk_child_close(struct topk_child *child);

/* Whether the process read nothing of the last topk_child_write(). Call it after
 * topk_child_close(), when its output has ended. False if the system does not tell. */
bool topk_child_unheard(const struct topk_child *child);

/* Whether the process has ended. Its output may still be readable then. */
bool topk_child_ended(struct topk_child *child);

/* Creates memory that the process can map, too, with *handle and topk_memory_map(). It has no name,
 * the process cannot shrink it, and it is freed when both processes have ended. Replaces the
 * previous memory of this child. Returns NULL if that fails. */
unsigned char *topk_child_share(struct topk_child *child, uint64_t bytes, uint64_t *handle);

/* Closes its input, waits for its end for some milliseconds, then kills it and every process that
 * it left behind; closes its output and frees the child. Writes how it ended: "killed by signal 11
 * (Segmentation fault)", "exited with 3", "killed, as it did not end within 1 s of EVENT". Returns
 * whether it exited with 0 by itself. */
bool topk_child_end(struct topk_child *child, unsigned milliseconds, const char *event, char *how,
                    size_t how_bytes);

/* Maps memory that the parent shares, by the handle from topk_child_share(). Returns NULL, with the
 * reason in error, if that fails. Unmap it with the same number of bytes. */
unsigned char *topk_memory_map(uint64_t handle, uint64_t bytes, char *error, size_t error_bytes);
void topk_memory_unmap(unsigned char *memory, uint64_t bytes);

/* ---- memory between inaccessible pages: platform_posix.c ------------------------------------- */

/* Bytes of a page: inaccessible ranges start and end at multiples of this. */
size_t topk_page_bytes(void);

/* Maps `bytes` of memory, zeroed, with `wall` inaccessible bytes on each side; both are above 0 and
 * multiples of topk_page_bytes(). Returns NULL if that fails. */
unsigned char *topk_walled_map(size_t bytes, size_t wall);
void topk_walled_unmap(unsigned char *memory, size_t bytes, size_t wall);

/* ---- when this process crashes: fault_posix.c ------------------------------------------------ */

#define TOPK_FAULT_FRAMES 16u

/* A description of a crash, valid until the process ends. */
struct topk_fault {
    const char *signal; /* "SIGSEGV", "SIGABRT", "stack-overflow", "access-violation" */
    bool has_address;
    uint64_t address;     /* the address whose access failed */
    char access;          /* 'r', 'w', or '?' if unknown */
    uint32_t frame_count; /* the innermost frame comes first */
    struct topk_fault_frame {
        const char *module; /* the name of its file; NULL: unknown */
        uint64_t offset;    /* of the code in the module */
        const char *symbol; /* of the function; NULL: unknown */
        uint64_t symbol_offset;
    } frames[TOPK_FAULT_FRAMES];
};

/* Calls tell() when this process is about to die of a fault or of abort(); then it dies in the same
 * way. tell() must be async-signal-safe; if it crashes or does not return, the process dies anyway.
 * tell() is not called if something replaces the handlers, if a sanitizer has its own, or if a
 * thread other than this one has overflowed its stack. */
void topk_fault_watch(void (*tell)(const struct topk_fault *fault));

#endif
