/* The line about a crash. The crashing process writes it in a signal handler, so only
 * async-signal-safe functions are used. The reader trusts it no more than any other line. */
#include <string.h>

#include "protocol.h"
#include "reference/operator.h"
#include "words.h"

#define START "crash "

/* printable ASCII except space and the separators of words and of this line */
static bool of_name(char c)
{
    return c > ' ' && c < 0x7f && strchr("%,=;:", c) == NULL;
}

void topk_wire_crash_name(char *name, size_t room, const char *text)
{
    size_t length = 0;
    for (; text[length] != 0 && length + 1 < room; length++) {
        name[length] = text[length];
        if (!of_name(text[length])) {
            name[length] = '_';
        }
    }
    name[length] = 0;
}

/* ---- printing --------------------------------------------------------------------------------
 * The sizes of the members and the number of frames keep each line shorter than TOPK_WIRE_LINE. */

static void put_hex(struct topk_writer *to, const char *before, uint64_t number)
{
    topk_put_text(to, before);
    topk_put_text(to, "0x");
    int shift = 60;
    while (shift > 0 && number >> shift == 0) {
        shift -= 4;
    }
    for (; shift >= 0; shift -= 4) {
        to->line[to->length++] = "0123456789abcdef"[number >> shift & 15];
    }
}

size_t topk_wire_crash_print(const struct topk_crash *crash, char line[TOPK_WIRE_LINE])
{
    struct topk_writer to = {.line = line};
    topk_put_text(&to, START);
    topk_put_text(&to, crash->signal);
    if (crash->has_address) {
        put_hex(&to, "@", crash->address);
    }
    if (crash->has_outside) {
        topk_put_text(&to, "=");
        topk_put_text(&to, topk_crash_access_word(crash->outside.access));
        topk_put_text(&to, ",");
        topk_put_text(&to, topk_role_name((enum topk_role)crash->outside.role));
        put_hex(&to, crash->outside.before ? ",start," : ",end,", crash->outside.bytes);
    }
    for (uint32_t i = 0; i < crash->frame_count; i++) {
        const struct topk_crash_frame *frame = &crash->frames[i];
        topk_put_text(&to, ";");
        topk_put_text(&to, frame->module);
        put_hex(&to, "+", frame->offset);
        if (frame->symbol[0] != 0) {
            topk_put_text(&to, ":");
            topk_put_text(&to, frame->symbol);
            put_hex(&to, "+", frame->symbol_offset);
        }
    }
    line[to.length] = 0;
    return to.length;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* a number in the printed form: 0x and lower-case digits without leading zeros */
static bool take_hex(struct topk_reader *from, uint64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    if (!topk_take_text(from, "0x")) {
        return false;
    }
    const char *start = from->at;
    *number = 0;
    while (from->at < from->end && *from->at != 0 && strchr(digits, *from->at) != NULL) {
        if (from->at - start == 16) {
            return false;
        }
        *number = *number << 4 | (uint64_t)(strchr(digits, *from->at) - digits);
        from->at++;
    }
    return from->at > start && (*start != '0' || from->at == start + 1);
}

/* a name that ends at the last `last` before a character that names cannot contain */
static bool take_name(struct topk_reader *from, char last, char *name, size_t room)
{
    const char *stop = from->at;
    while (stop < from->end && of_name(*stop)) {
        stop++;
    }
    const char *end = stop;
    for (const char *at = from->at; at < stop; at++) {
        end = *at == last ? at : end;
    }
    const size_t length = (size_t)(end - from->at);
    if (length == 0 || length >= room) {
        return false;
    }
    memcpy(name, from->at, length);
    name[length] = 0;
    from->at = end;
    return true;
}

static bool take_frame(struct topk_reader *from, struct topk_crash_frame *frame)
{
    return take_name(from, '+', frame->module, sizeof frame->module) && topk_take_text(from, "+") &&
           take_hex(from, &frame->offset) &&
           (!topk_take_text(from, ":") ||
            (take_name(from, '+', frame->symbol, sizeof frame->symbol) &&
             topk_take_text(from, "+") && take_hex(from, &frame->symbol_offset)));
}

/* "reads,input,end,0x4" */
static bool take_outside(struct topk_reader *from, struct topk_crash_outside *outside)
{
    static const enum topk_crash_access accesses[] = {TOPK_CRASH_ACCESSES, TOPK_CRASH_READS,
                                                      TOPK_CRASH_WRITES};
    bool taken = false;
    for (size_t i = 0; !taken && i < sizeof accesses / sizeof accesses[0]; i++) {
        outside->access = accesses[i];
        taken = topk_take_text(from, topk_crash_access_word(accesses[i]));
    }
    taken = taken && topk_take_text(from, ",");
    uint32_t role = 0;
    while (taken && role < TOPK_ROLE_COUNT &&
           !topk_take_text(from, topk_role_name((enum topk_role)role))) {
        role++;
    }
    outside->role = role;
    outside->before = taken && topk_take_text(from, ",start,");
    return taken && role < TOPK_ROLE_COUNT && (outside->before || topk_take_text(from, ",end,")) &&
           take_hex(from, &outside->bytes) && (!outside->before || outside->bytes > 0);
}

static bool take_crash(struct topk_reader *from, struct topk_crash *crash)
{
    if (!take_name(from, '@', crash->signal, sizeof crash->signal)) {
        return false;
    }
    crash->has_address = topk_take_text(from, "@");
    if (crash->has_address && !take_hex(from, &crash->address)) {
        return false;
    }
    crash->has_outside = crash->has_address && topk_take_text(from, "=");
    if (crash->has_outside && !take_outside(from, &crash->outside)) {
        return false;
    }
    while (topk_take_text(from, ";")) {
        if (crash->frame_count == TOPK_CRASH_FRAMES ||
            !take_frame(from, &crash->frames[crash->frame_count])) {
            return false;
        }
        crash->frame_count++;
    }
    return true;
}

bool topk_wire_crash_parse(const char *line, size_t length, struct topk_crash *crash)
{
    struct topk_reader from = {line, line + length};
    crash->signal[0] = 0;
    if (!topk_take_text(&from, START)) {
        return false;
    }
    memset(crash, 0, sizeof *crash);
    const bool whole = take_crash(&from, crash) && from.at == from.end;
    if (!whole) {
        crash->signal[0] = 0;
    }
    return whole;
}
