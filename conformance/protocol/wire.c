/* The lines of a call and of its answer, as docs/backend-protocol.md defines them: printed by one
 * side, parsed by the other. Neither side trusts the other, so each number has a limit. */
#include <inttypes.h>
#include <string.h>

#include "protocol.h"
#include "reference/result.h"
#include "words.h"

static const char *const roles[TOPK_WIRE_TENSORS] = {"input", "value", "index"};

/* ---- numbers of a call -----------------------------------------------------------------------
 * The numbers after "call", in this order, for printing and parsing. */
static const struct {
    const char *key;
    size_t member;
} numbers[] = {
    {"operator", offsetof(struct topk_backend_call, operator_type)},
    {"level", offsetof(struct topk_backend_call, feature_level)},
    {"execution", offsetof(struct topk_backend_call, execution_flags)},
    {"create_only", offsetof(struct topk_backend_call, create_only)},
    {"axis", offsetof(struct topk_backend_call, axis)},
    {"k", offsetof(struct topk_backend_call, k)},
    {"direction", offsetof(struct topk_backend_call, direction)},
};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

const char *topk_guard_page_word(enum topk_guard_page guard_page)
{
    static const char *const words[] = {"", "end", "start", "both"};
    return words[guard_page];
}

bool topk_guard_page_parse(const char *word, enum topk_guard_page *guard_page)
{
    for (int i = TOPK_GUARD_PAGE_END; i <= TOPK_GUARD_PAGE_BOTH; i++) {
        if (strcmp(word, topk_guard_page_word((enum topk_guard_page)i)) == 0) {
            *guard_page = (enum topk_guard_page)i;
            return true;
        }
    }
    return false;
}

struct topk_backend_buffer *topk_wire_buffer(struct topk_backend_call *call, uint32_t tensor)
{
    struct topk_backend_buffer *buffers[TOPK_WIRE_TENSORS] = {
        &call->input_buffer, &call->value_buffer, &call->index_buffer};
    return buffers[tensor];
}

void topk_wire_turn(const struct topk_backend_call *call, uint32_t tensor,
                    const struct topk_backend_buffer *buffer)
{
    const struct topk_backend_tensor *const tensors[TOPK_WIRE_TENSORS] = {call->input, call->value,
                                                                          call->index};
    const struct topk_backend_tensor *const turned = tensors[tensor];
    if (turned == NULL || buffer->data == NULL || buffer->offset > buffer->bytes) {
        return;
    }
    const uint32_t size = topk_type_bytes(turned->data_type);
    const uint64_t room = buffer->bytes - buffer->offset;
    uint64_t from = buffer->offset;
    uint64_t length = turned->total_bytes < room ? turned->total_bytes : room;
    if (tensor == 0 && size > 0) {
        from %= size;
        length = buffer->bytes - from;
    }
    topk_elements_turn((unsigned char *)buffer->data + from, size, length);
}

bool topk_wire_call_fits(const struct topk_wire_call *wire, uint64_t bytes)
{
    struct topk_backend_call call = wire->call;
    for (uint32_t i = 0; call.create_only == 0 && i < TOPK_WIRE_TENSORS; i++) {
        const uint64_t at = wire->at[i];
        const uint64_t size = topk_wire_buffer(&call, i)->bytes;
        if (at > bytes || size > bytes - at) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t other = topk_wire_buffer(&call, j)->bytes;
            if (size > 0 && other > 0 && at < wire->at[j] + other && wire->at[j] < at + size) {
                return false;
            }
        }
    }
    return true;
}

/* ---- printing --------------------------------------------------------------------------------
 * TOPK_WIRE_LINE suffices: the longest line has three tensors of rank 16 whose sizes and strides
 * have ten digits each. */

static void put_number(struct topk_writer *to, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        to->line[to->length++] = digits[--count];
    }
}

static void put_start(struct topk_writer *to, const char *role, const char *key)
{
    topk_put_text(to, " ");
    topk_put_text(to, role);
    topk_put_text(to, key);
}

static void put_key(struct topk_writer *to, const char *role, const char *key, uint64_t number)
{
    put_start(to, role, key);
    topk_put_text(to, "=");
    put_number(to, number);
}

static void put_list(struct topk_writer *to, const char *role, const char *key,
                     const uint32_t *list, uint32_t count)
{
    put_start(to, role, key);
    for (uint32_t i = 0; i < count; i++) {
        topk_put_text(to, i == 0 ? "" : ",");
        put_number(to, list[i]);
    }
}

static void put_tensor(struct topk_writer *to, const char *role,
                       const struct topk_backend_tensor *tensor,
                       const struct topk_backend_buffer *buffer, uint64_t at)
{
    if (tensor == NULL) {
        put_start(to, role, "=absent");
        return;
    }
    put_key(to, role, ".type", tensor->data_type);
    put_key(to, role, ".flags", tensor->flags);
    put_key(to, role, ".alignment", tensor->guaranteed_base_offset_alignment);
    put_list(to, role, ".sizes=", tensor->sizes, tensor->dimension_count);
    if (tensor->strides != NULL) {
        put_list(to, role, ".strides=", tensor->strides, tensor->dimension_count);
    } else {
        put_start(to, role, ".strides=packed");
    }
    put_key(to, role, ".bytes", tensor->total_bytes);
    put_key(to, role, ".buffer", buffer->bytes);
    put_key(to, role, ".offset", buffer->offset);
    put_key(to, role, ".at", at);
}

size_t topk_wire_call_print(const struct topk_backend_call *call,
                            const uint64_t at[TOPK_WIRE_TENSORS], enum topk_guard_page guard_page,
                            char line[TOPK_WIRE_LINE])
{
    const struct topk_backend_tensor *tensors[TOPK_WIRE_TENSORS] = {call->input, call->value,
                                                                    call->index};
    struct topk_backend_call copy = *call;
    struct topk_writer to = {.line = line};
    topk_put_text(&to, "call");
    for (size_t i = 0; i < NUMBERS; i++) {
        uint32_t number;
        memcpy(&number, (const char *)call + numbers[i].member, sizeof number);
        put_key(&to, "", numbers[i].key, number);
    }
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        put_tensor(&to, roles[i], tensors[i], topk_wire_buffer(&copy, i), at[i]);
    }
    if (guard_page != TOPK_GUARD_PAGE_NONE) {
        put_start(&to, "", "guard_page=");
        topk_put_text(&to, topk_guard_page_word(guard_page));
    }
    line[to.length] = 0;
    return to.length;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool take_start(struct topk_reader *from, const char *role, const char *key)
{
    return topk_take_text(from, " ") && topk_take_text(from, role) && topk_take_text(from, key);
}

static bool take_key(struct topk_reader *from, const char *role, const char *key, uint64_t most,
                     uint64_t *number)
{
    return take_start(from, role, key) && topk_take_text(from, "=") &&
           topk_wire_digits(&from->at, from->end, most, number);
}

static bool take_key32(struct topk_reader *from, const char *role, const char *key,
                       uint32_t *number)
{
    uint64_t wide;
    if (!take_key(from, role, key, UINT32_MAX, &wide)) {
        return false;
    }
    *number = (uint32_t)wide;
    return true;
}

/* numbers separated by commas; an empty list has none */
static bool take_list(struct topk_reader *from, uint32_t list[TOPK_WIRE_RANK], uint32_t *count)
{
    *count = 0;
    if (from->at == from->end || *from->at == ' ') {
        return true;
    }
    do {
        uint64_t number;
        if (*count == TOPK_WIRE_RANK ||
            !topk_wire_digits(&from->at, from->end, UINT32_MAX, &number)) {
            return false;
        }
        list[(*count)++] = (uint32_t)number;
    } while (topk_take_text(from, ","));
    return true;
}

static bool take_strides(struct topk_reader *from, struct topk_wire_call *wire, uint32_t number)
{
    struct topk_backend_tensor *tensor = &wire->tensors[number];
    uint32_t count;
    if (!take_start(from, roles[number], ".strides=")) {
        return false;
    }
    if (topk_take_text(from, "packed")) {
        return true;
    }
    tensor->strides = wire->strides[number];
    return take_list(from, wire->strides[number], &count) && count == tensor->dimension_count;
}

/* a present tensor, starting at its type */
static bool take_tensor(struct topk_reader *from, struct topk_wire_call *wire, uint32_t number)
{
    struct topk_backend_tensor *tensor = &wire->tensors[number];
    struct topk_backend_buffer *buffer = topk_wire_buffer(&wire->call, number);
    const char *role = roles[number];
    tensor->sizes = wire->sizes[number];
    return take_key32(from, role, ".type", &tensor->data_type) &&
           take_key32(from, role, ".flags", &tensor->flags) &&
           take_key32(from, role, ".alignment", &tensor->guaranteed_base_offset_alignment) &&
           take_start(from, role, ".sizes=") &&
           take_list(from, wire->sizes[number], &tensor->dimension_count) &&
           take_strides(from, wire, number) &&
           take_key(from, role, ".bytes", UINT64_MAX, &tensor->total_bytes) &&
           take_key(from, role, ".buffer", UINT64_MAX, &buffer->bytes) &&
           take_key(from, role, ".offset", UINT64_MAX, &buffer->offset) &&
           take_key(from, role, ".at", UINT64_MAX, &wire->at[number]);
}

static bool take_tensors(struct topk_reader *from, struct topk_wire_call *wire)
{
    const struct topk_backend_tensor **members[TOPK_WIRE_TENSORS] = {
        &wire->call.input, &wire->call.value, &wire->call.index};
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        const char *start = from->at;
        if (take_start(from, roles[i], "=absent")) {
            continue;
        }
        from->at = start;
        if (!take_tensor(from, wire, i)) {
            return false;
        }
        *members[i] = &wire->tensors[i];
    }
    return true;
}

/* the optional word at the end */
static bool take_guard_page(struct topk_reader *from, enum topk_guard_page *guard_page)
{
    if (from->at == from->end) {
        return true;
    }
    const char *start = from->at;
    for (int i = TOPK_GUARD_PAGE_END; i <= TOPK_GUARD_PAGE_START; i++) {
        from->at = start;
        if (take_start(from, "", "guard_page=") &&
            topk_take_text(from, topk_guard_page_word((enum topk_guard_page)i)) &&
            from->at == from->end) {
            *guard_page = (enum topk_guard_page)i;
            return true;
        }
    }
    from->at = start;
    return false;
}

/* what a call needs to be run: all tensors, each within its buffer */
static bool runnable(struct topk_backend_call *call)
{
    const struct topk_backend_tensor *tensors[TOPK_WIRE_TENSORS] = {call->input, call->value,
                                                                    call->index};
    for (uint32_t i = 0; i < TOPK_WIRE_TENSORS; i++) {
        const struct topk_backend_buffer *buffer = topk_wire_buffer(call, i);
        if (tensors[i] == NULL || buffer->offset > buffer->bytes) {
            return false;
        }
    }
    return true;
}

bool topk_wire_call_parse(const char *line, size_t length, struct topk_wire_call *wire, char *error,
                          size_t error_bytes)
{
    struct topk_reader from = {line, line + length};
    memset(wire, 0, sizeof *wire);
    bool taken = topk_take_text(&from, "call");
    for (size_t i = 0; taken && i < NUMBERS; i++) {
        uint32_t number = 0;
        taken = take_key32(&from, "", numbers[i].key, &number);
        memcpy((char *)&wire->call + numbers[i].member, &number, sizeof number);
    }
    if (!taken || wire->call.create_only > 1 || !take_tensors(&from, wire) ||
        !take_guard_page(&from, &wire->guard_page)) {
        char said[300];
        topk_said_print(from.at, (size_t)(from.end - from.at), said, sizeof said);
        snprintf(error, error_bytes, "no call, from column %zu on: \"%s\"",
                 (size_t)(from.at - line) + 1, said);
        return false;
    }
    if (wire->call.create_only == 0 && !runnable(&wire->call)) {
        snprintf(error, error_bytes,
                 "a call that is run lacks a tensor, or one is outside its buffer");
        return false;
    }
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

static const char *const statuses[] = {
    [TOPK_BACKEND_DONE] = "done",
    [TOPK_BACKEND_REFUSED] = "refused",
    [TOPK_BACKEND_UNSUPPORTED] = "unsupported",
    [TOPK_BACKEND_DEVICE_LOST] = "device_lost",
    [TOPK_BACKEND_OUT_OF_MEMORY] = "out_of_memory",
    [TOPK_BACKEND_FAILED] = "failed",
};
#define STATUSES (sizeof statuses / sizeof statuses[0])

static const char *status_word(uint32_t status)
{
    return status < STATUSES ? statuses[status] : "failed";
}

size_t topk_wire_answer_print(const struct topk_backend_answer *answer, char line[TOPK_WIRE_LINE])
{
    struct topk_writer to = {.line = line};
    char reason[sizeof answer->reason];
    topk_put_text(&to, status_word(answer->status));
    topk_put_text(&to, " ");
    if (answer->status >= STATUSES) {
        snprintf(reason, sizeof reason, "unknown status %" PRIu32 ": %.200s", answer->status,
                 answer->reason);
    } else {
        snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, answer->reason);
    }
    return to.length + topk_word_print(reason, line + to.length, TOPK_WIRE_LINE - to.length);
}

bool topk_wire_answer_parse(const char *line, size_t length, struct topk_backend_answer *answer)
{
    for (uint32_t i = 0; i < STATUSES; i++) {
        const size_t word = strlen(statuses[i]);
        if (length > word && memcmp(line, statuses[i], word) == 0 && line[word] == ' ') {
            answer->status = i;
            return topk_word_parse(line + word + 1, length - word - 1, answer->reason,
                                   sizeof answer->reason);
        }
    }
    return false;
}
