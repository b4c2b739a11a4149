/* Lines of a stream that somebody else writes: bounded, and whole or not at all. */
#include <string.h>

#include "protocol.h"

enum topk_wire_read topk_wire_line_read(FILE *in, char *line, size_t room, size_t *length)
{
    *length = 0;
    line[0] = 0;
    if (fgets(line, (int)room, in) == NULL) {
        return TOPK_WIRE_END;
    }
    size_t used = strlen(line);
    if (used == 0 || line[used - 1] != '\n') {
        /* cut off by the end, too long, or with a zero byte in it */
        *length = used;
        return feof(in) ? TOPK_WIRE_END : TOPK_WIRE_BAD;
    }
    used--;
    if (used > 0 && line[used - 1] == '\r') {
        used--;
    }
    line[used] = 0;
    *length = used;
    return TOPK_WIRE_READ;
}
