/* The entries of a folder, for Windows: folders.c. Names are UTF-8. */
#ifndef TOPK_WINDOWS_DIRENT_H
#define TOPK_WINDOWS_DIRENT_H

struct dirent {
    char d_name[260 * 3]; /* of 255 characters of UTF-16 at most */
};

typedef struct windows_folder DIR;

DIR *windows_opendir(const char *path);
/* The descriptor is the folder's from now on. */
DIR *windows_fdopendir(int fd);
struct dirent *windows_readdir(DIR *folder);
int windows_closedir(DIR *folder);
int windows_scandir(const char *path, struct dirent ***entries,
                    int (*filter)(const struct dirent *entry),
                    int (*compare)(const struct dirent **a, const struct dirent **b));
int windows_alphasort(const struct dirent **a, const struct dirent **b);

#define opendir   windows_opendir
#define fdopendir windows_fdopendir
#define readdir   windows_readdir
#define closedir  windows_closedir
#define scandir   windows_scandir
#define alphasort windows_alphasort

#endif
