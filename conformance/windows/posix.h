/* The subset of POSIX that the sources of topk-cts use, for Windows. The build includes this file
 * before each source; include/ has the headers that mingw-w64 lacks. Each name of POSIX stands for
 * a function of this folder that uses functions of Windows. The functions behave as in POSIX except
 * where a comment says otherwise. Paths are UTF-8 and may be longer than 260 characters, and files
 * are binary. Open files can be renamed and removed. */
#ifndef TOPK_WINDOWS_POSIX_H
#define TOPK_WINDOWS_POSIX_H

/* must come before any system header; definitions in the sources come too late */
#define _GNU_SOURCE

#include <direct.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* io.h declares tell(), and sources use the name */
#define tell topk_own_tell

/* formats are those of C17, not those of the C library of Windows */
#define format(kind, at, first) __format__(__gnu_##kind##__, at, first)

/* ---- files: files.c -------------------------------------------------------------------------- */

/* Flags that the C library of Windows lacks; their bits differ from its own flags. */
#define O_CLOEXEC   _O_NOINHERIT
#define O_DIRECTORY 0x1000000
#define O_NOFOLLOW  0x2000000
#define O_NONBLOCK  0 /* opening a file never blocks */
#define O_NOCTTY    0
#define O_PATH      0

#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 1

#define F_GETFD         1
#define F_SETFD         2
#define F_GETFL         3
#define F_SETFL         4
#define F_DUPFD_CLOEXEC 5
#define F_SETLK         6
#define F_GETLK         7
#define FD_CLOEXEC      1
#define F_UNLCK         0
#define F_RDLCK         1
#define F_WRLCK         2

#define S_IFLNK    0xA000
#define S_ISLNK(m) (((m)&0xF000) == S_IFLNK)

/* Locks always cover the whole file. Nobody can tell who holds a lock, so l_pid is 0. */
struct flock {
    short l_type;
    short l_whence;
    off_t l_start;
    off_t l_len;
    int l_pid;
};

struct windows_stat {
    uint64_t st_dev;
    uint64_t st_ino;
    unsigned st_mode;
    unsigned st_nlink;
    int64_t st_size;
    struct timespec st_mtim;
};

int windows_open(const char *path, int flags, ...);
int windows_openat(int folder, const char *path, int flags, ...);
int windows_close(int fd);
int windows_stat(const char *path, struct windows_stat *status);
int windows_lstat(const char *path, struct windows_stat *status);
int windows_fstat(int fd, struct windows_stat *status);
int windows_fstatat(int folder, const char *path, struct windows_stat *status, int flags);
int windows_fcntl(int fd, int command, ...);
ssize_t windows_write(int fd, const void *bytes, size_t count);
ssize_t windows_read(int fd, void *bytes, size_t count);
ssize_t windows_pread(int fd, void *bytes, size_t count, off_t offset);
ssize_t windows_pwrite(int fd, const void *bytes, size_t count, off_t offset);
int windows_fsync(int fd);
int windows_isatty(int fd);
int windows_access(const char *path, int mode);

#undef stat
#undef fstat
#define open     windows_open
#define openat   windows_openat
#define close    windows_close
#define stat     windows_stat
#define lstat    windows_lstat
#define fstat    windows_fstat
#define fstatat  windows_fstatat
#define fcntl    windows_fcntl
#define write    windows_write
#define read     windows_read
#define pread    windows_pread
#define pwrite   windows_pwrite
#define fsync    windows_fsync
#define isatty   windows_isatty
#define access   windows_access
#define dev_t    uint64_t
#define ino_t    uint64_t
#define st_mtime st_mtim.tv_sec

/* ---- file names: names.c --------------------------------------------------------------------- */

int windows_unlink(const char *path);
int windows_unlinkat(int folder, const char *path, int flags);
int windows_rmdir(const char *path);
int windows_mkdir(const char *path, unsigned mode);
int windows_mkdirat(int folder, const char *path, unsigned mode);
int windows_rename(const char *from, const char *to);
int windows_renameat(int from_folder, const char *from, int to_folder, const char *to);
int windows_linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
/* Returns a path with '/' as separator. */
char *windows_realpath(const char *path, char *room);
int windows_mkstemp(char *pattern);

#define unlink   windows_unlink
#define unlinkat windows_unlinkat
#define rmdir    windows_rmdir
#define mkdir    windows_mkdir
#define mkdirat  windows_mkdirat
#define rename   windows_rename
#define renameat windows_renameat
#define linkat   windows_linkat
#define realpath windows_realpath
#define mkstemp  windows_mkstemp

/* ---- streams: streams.c ---------------------------------------------------------------------- */

typedef struct {
    ssize_t (*read)(void *cookie, char *bytes, size_t count);
    ssize_t (*write)(void *cookie, const char *bytes, size_t count);
    int (*seek)(void *cookie, off64_t *offset, int whence);
    int (*close)(void *cookie);
} cookie_io_functions_t;

/* Opened to write, a stream is a temporary file, whose contents write() gets in fclose(). Opened to
 * read, a stream supports only the functions below. */
FILE *windows_fopencookie(void *self, const char *mode, cookie_io_functions_t functions);
FILE *windows_fmemopen(void *bytes, size_t count, const char *mode);
FILE *windows_fopen(const char *path, const char *mode);
FILE *windows_fdopen(int fd, const char *mode);
FILE *windows_tmpfile(void);
int windows_fclose(FILE *file);
size_t windows_fread(void *bytes, size_t size, size_t count, FILE *file);
char *windows_fgets(char *line, int room, FILE *file);
int windows_fgetc(FILE *file);
int windows_ferror(FILE *file);
int windows_feof(FILE *file);
int windows_fseek(FILE *file, off_t offset, int whence);
off_t windows_ftell(FILE *file);
void windows_rewind(FILE *file);
ssize_t windows_getdelim(char **line, size_t *room, int delimiter, FILE *file);

#undef ferror
#undef feof
#undef getc
#undef fseeko
#undef ftello
#define fopencookie               windows_fopencookie
#define fmemopen                  windows_fmemopen
#define fopen                     windows_fopen
#define fdopen                    windows_fdopen
#define tmpfile                   windows_tmpfile
#define fclose                    windows_fclose
#define fread                     windows_fread
#define fgets                     windows_fgets
#define fgetc                     windows_fgetc
#define getc                      windows_fgetc
#define ferror                    windows_ferror
#define feof                      windows_feof
#define fseek                     windows_fseek
#define fseeko                    windows_fseek
#define ftello                    windows_ftell
#define rewind                    windows_rewind
#define getdelim                  windows_getdelim
#define getline(line, room, file) windows_getdelim(line, room, '\n', file)

/* ---- processes and the system: system.c ------------------------------------------------------ */

#ifndef SIGHUP
#define SIGHUP 1
#endif
#ifndef SIGQUIT
#define SIGQUIT 3
#endif
#ifndef SIGKILL
#define SIGKILL 9
#endif
#ifndef SIGPIPE
#define SIGPIPE 13
#endif
#ifndef SIGXFSZ
#define SIGXFSZ 25
#endif
#define SA_SIGINFO  4
#define SIG_SETMASK 2

typedef unsigned long windows_sigset;
#define sigset_t windows_sigset
struct sigaction {
    void (*sa_handler)(int);
    int sa_flags;
};

/* Installs no handler; sets *before, which must not be NULL, to SIG_DFL. */
int windows_sigaction(int number, const struct sigaction *action, struct sigaction *before);
/* Ignores signals that Windows does not have. */
void (*windows_signal(int number, void (*handler)(int)))(int);
/* Ends a process, or only the first process of a group, whatever the signal is. */
int windows_kill(int process, int number);
const char *windows_strsignal(int number);
int windows_sigprocmask(int how, const sigset_t *set, sigset_t *before);
/* with the parameters of gethostname() in winsock2.h */
int windows_gethostname(char *name, int namelen);
/* The environment as it was when the program started, as UTF-8. */
extern char **windows_environ;
/* Removes all variables but these from the environment of processes started later. */
void windows_environment_keep(char *const *variables);
char *windows_getenv(const char *name);
struct tm *windows_gmtime_r(const time_t *time, struct tm *room);
struct tm *windows_localtime_r(const time_t *time, struct tm *room);

#define sigaction(number, action, before) windows_sigaction(number, action, before)
#define sigfillset(set)                   (*(set) = 0)
#define sigprocmask                       windows_sigprocmask
#define signal                            windows_signal
#define kill                              windows_kill
#define strsignal                         windows_strsignal
#define strerrordesc_np                   strerror
#define gethostname                       windows_gethostname
#define getenv                            windows_getenv
#undef environ
#define environ windows_environ
#undef gmtime_r
#undef localtime_r
#define gmtime_r    windows_gmtime_r
#define localtime_r windows_localtime_r

/* ---- texts: texts.c -------------------------------------------------------------------------- */

char *windows_strndup(const char *text, size_t most);
void *windows_memrchr(const void *bytes, int byte, size_t count);

#define strndup windows_strndup
#define memrchr windows_memrchr

#endif
