/* String functions that the C library of Windows lacks. */
#include "posix.h"

char *windows_strndup(const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

void *windows_memrchr(const void *bytes, int byte, size_t count)
{
    const unsigned char *from = bytes;
    while (count > 0 && from[count - 1] != (unsigned char)byte) {
        count--;
    }
    return count == 0 ? NULL : (void *)(from + count - 1);
}
