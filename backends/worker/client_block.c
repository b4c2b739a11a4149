/* The bytes of a frame: the buffers of its calls, with their slack if the process computes in
 * place, and gaps of zeros between them. They travel through the pipe, or are in memory that the
 * process maps. */
#include <string.h>

#include "client_state.h"
#include "reference/element.h"

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

/* the part of a buffer that is sent */
struct region {
    struct topk_call *call;
    enum topk_role role;
    uint64_t from; /* offset in the buffer */
    uint64_t at;   /* offset in the block */
    uint64_t bytes;
};

static bool in_place(const struct topk_client *client)
{
    return (client->greeting.flags & TOPK_FLAG_IN_PLACE) != 0;
}

static struct region region_of(const struct topk_client *client, struct topk_call *call, int role)
{
    struct region region = {call, (enum topk_role)role, 0, call->at[role] - TOPK_SLACK_FRONT,
                            call->bytes[role]};
    if (!in_place(client)) {
        region.from = TOPK_SLACK_FRONT;
        region.at = call->at[role];
        region.bytes = topk_wire_buffer(&call->backend_call, (uint32_t)role)->bytes;
    }
    return region;
}

/* the bytes that are sent, and the destination for those that come back */
static unsigned char *given(const struct region *region)
{
    return region->call->given[region->role] + region->from;
}

static unsigned char *taken(const struct region *region)
{
    return region->call->live[region->role].data + region->from;
}

uint64_t topk_client_place(const struct topk_client *client, struct topk_call *call, uint64_t from)
{
    const uint64_t align = client->greeting.align;
    const uint64_t front = in_place(client) ? TOPK_SLACK_FRONT : 0;
    for (int role = 0; call->backend_call.create_only == 0 && role < TOPK_ROLE_COUNT; role++) {
        call->at[role] = round_up(from + front, align);
        const struct region region = region_of(client, call, role);
        from = region.at + region.bytes;
    }
    return from;
}

/* Iterates over the regions of a frame. */
struct regions {
    const struct topk_client *client;
    const struct topk_frame *frame;
    uint32_t call;
    int role;
    struct region region; /* the current region */
    uint64_t gap;         /* number of bytes before it */
};

/* False after the last region. */
static bool next_region(struct regions *over)
{
    const uint64_t end = over->region.at + over->region.bytes;
    while (over->call < over->frame->count && !over->frame->create) {
        struct topk_call *call = over->frame->queue[over->call];
        if (over->role == TOPK_ROLE_COUNT || call->backend_call.create_only != 0) {
            over->call++;
            over->role = 0;
            continue;
        }
        over->region = region_of(over->client, call, over->role++);
        over->gap = over->region.at - end;
        return true;
    }
    return false;
}

/* Converts the elements of a region to the byte order of the protocol, or back. */
static void turn(const struct region *region, unsigned char *data)
{
    const struct topk_backend_call *call = &region->call->backend_call;
    struct topk_backend_call copy = *call;
    struct topk_backend_buffer buffer = *topk_wire_buffer(&copy, (uint32_t)region->role);
    buffer.data = data + TOPK_SLACK_FRONT - region->from;
    topk_wire_turn(call, (uint32_t)region->role, &buffer);
}

/* restores the part of a buffer that was not sent */
static void surround(const struct region *region)
{
    turn(region, taken(region));
    topk_call_surround(region->call, region->role, region->from, region->from + region->bytes);
}

/* The part of a region that the process is meant to write: the tensor of an output. */
struct span {
    uint64_t from; /* offsets in the region */
    uint64_t to;
};

static struct span written_of(const struct region *region)
{
    const struct topk_call *call = region->call;
    if (region->role == TOPK_INPUT) {
        return (struct span){region->bytes, region->bytes};
    }
    const uint64_t from = call->offset[region->role] - region->from;
    return (struct span){from, from + call->tc.op.tensors[region->role].total_bytes};
}

/* Bytes that are taken together: they stay in the nearest cache from the sum to the comparison. */
#define PIECE ((uint64_t)16384)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool same(const unsigned char *data, const unsigned char *was, uint64_t from, uint64_t to)
{
    return from >= to || memcmp(data + from, was + from, (size_t)(to - from)) == 0;
}

/* Takes a region of a block in memory. If the process changed only what it is meant to, only that
 * is copied. With another byte order all of it must be converted. Each byte is in the sum before it
 * is compared or copied, so that a later change is detected. */
static void take_region(const struct region *region, const unsigned char *half,
                        struct topk_client_sum *sum)
{
    const unsigned char *data = half + region->at;
    const unsigned char *was = given(region);
    const struct span written = written_of(region);
    bool kept = topk_machine_little_endian();
    for (uint64_t from = 0; from < region->bytes; from += PIECE) {
        const uint64_t to = least(from + PIECE, region->bytes);
        topk_client_sum_take(sum, half, region->at + to);
        kept = kept && same(data, was, from, least(to, written.from)) &&
               same(data, was, most(from, written.to), to);
        const uint64_t meant = most(from, written.from);
        const uint64_t end = least(to, written.to);
        if (kept && meant < end) {
            memcpy(taken(region) + meant, data + meant, (size_t)(end - meant));
        }
    }
    region->call->kept[region->role] = kept;
    if (!kept) {
        memcpy(taken(region), data, (size_t)region->bytes);
        surround(region);
    }
}

static bool all_zero(const unsigned char *data, uint64_t bytes)
{
    return bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, (size_t)bytes - 1) == 0);
}

struct topk_owners topk_client_owners(const struct topk_frame *frame)
{
    return (struct topk_owners){frame->queue[0]->owner, frame->queue[frame->count - 1]->owner};
}

/* ---- through the pipe ------------------------------------------------------------------------ */

enum topk_wire_read topk_client_put_block(struct topk_client *client,
                                          const struct topk_frame *frame)
{
    static const unsigned char zeros[8192];
    struct regions over = {.client = client, .frame = frame};
    enum topk_wire_read came = TOPK_WIRE_READ;
    while (came == TOPK_WIRE_READ && next_region(&over)) {
        /* a gap is shorter than an alignment plus the front slack */
        came = topk_stream_put(&client->stream, zeros, over.gap);
        if (came == TOPK_WIRE_READ) {
            unsigned char *data = given(&over.region);
            turn(&over.region, data);
            came = topk_stream_put(&client->stream, data, over.region.bytes);
            turn(&over.region, data);
        }
    }
    return came;
}

bool topk_client_take_block(struct topk_client *client, const struct topk_frame *frame)
{
    unsigned char between[8192];
    struct regions over = {.client = client, .frame = frame};
    while (next_region(&over)) {
        enum topk_wire_read came = topk_stream_take(&client->stream, between, over.gap);
        if (came == TOPK_WIRE_READ && !all_zero(between, over.gap)) {
            topk_client_wrong(client, "it changed bytes between the buffers of a frame");
            return false;
        }
        if (came == TOPK_WIRE_READ) {
            came = topk_stream_take(&client->stream, taken(&over.region), over.region.bytes);
        }
        if (came != TOPK_WIRE_READ) {
            topk_client_lost(client, came);
            return false;
        }
        surround(&over.region);
    }
    return true;
}

/* ---- in shared memory ------------------------------------------------------------------------ */

void topk_client_share_block(struct topk_client *client, const struct topk_frame *frame)
{
    unsigned char *half = topk_client_half(client, frame->number);
    struct regions over = {.client = client, .frame = frame};
    while (next_region(&over)) {
        memset(half + over.region.at - over.gap, 0, (size_t)over.gap);
        memcpy(half + over.region.at, given(&over.region), (size_t)over.region.bytes);
        turn(&over.region, half + over.region.at);
    }
    /* topk_client_sum_take() reads beyond the block */
    memset(half + frame->bytes, 0, TOPK_CLIENT_SUM_BYTES);
}

bool topk_client_copy_block(struct topk_client *client, const struct topk_frame *frame)
{
    unsigned char *half = topk_client_half(client, frame->number);
    struct regions over = {.client = client, .frame = frame};
    struct topk_client_sum sum = {.taken = 0};
    bool clean = all_zero(client->memory + sizeof(uint64_t), TOPK_CLIENT_HEAD - sizeof(uint64_t));
    while (next_region(&over)) {
        topk_client_sum_take(&sum, half, over.region.at);
        clean &= all_zero(half + over.region.at - over.gap, over.gap);
        take_region(&over.region, half, &sum);
    }
    topk_client_sum_take(&sum, half, frame->bytes);
    clean &= all_zero(half + frame->bytes, TOPK_CLIENT_SUM_BYTES);
    if (!clean) {
        topk_client_wrong(client, "it wrote to the memory outside of the buffers of its frame");
        return false;
    }
    client->halves[frame->number % TOPK_CLIENT_AHEAD] =
        (struct topk_half){.bytes = frame->bytes,
                           .sum = topk_client_sum_end(&sum),
                           .owners = topk_client_owners(frame)};
    return true;
}
