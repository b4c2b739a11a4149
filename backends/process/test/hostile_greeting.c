/* Modes whose greeting is malformed, late, or different at the second start. */
#include "hostile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static bool restart_name(struct said *said)
{
    said->info.name = starts() > 1 ? "other" : said->info.name;
    return true;
}

static bool restart_version(struct said *said)
{
    said->info.version = starts() > 1 ? "other" : said->info.version;
    return true;
}

static bool restart_device(struct said *said)
{
    said->info.device = starts() > 1 ? "other" : said->info.device;
    return true;
}

static bool restart_driver(struct said *said)
{
    said->info.driver = starts() > 1 ? "other" : said->info.driver;
    return true;
}

static bool restart_features(struct said *said)
{
    said->info.features = starts() > 1 ? "other" : said->info.features;
    return true;
}

static bool restart_level(struct said *said)
{
    said->info.feature_level = starts() > 1 ? 0x1000 : said->info.feature_level;
    return true;
}

static bool restart_flags(struct said *said)
{
    if (starts() > 1) {
        said->flags |= TOPK_FLAG_OWN_CONTRACT;
        said->info.invalid_calls_reason = "it has changed its mind";
    }
    return true;
}

static bool restart_own(struct said *said)
{
    said->flags |= TOPK_FLAG_OWN_CONTRACT;
    said->info.invalid_calls_reason = starts() > 1 ? "for this reason" : "for that reason";
    return true;
}

static bool restart_probes(struct said *said)
{
    said->flags ^= starts() > 1 ? TOPK_FLAG_PROBES : 0;
    return true;
}

/* the fields that may differ */
static bool restart_sizes(struct said *said)
{
    if (starts() > 1) {
        said->info.batch = 64;
        said->frame = UINT64_C(1) << 40;
        said->align = 1024;
        said->flags |= TOPK_FLAG_IN_PLACE;
    }
    return true;
}

/* at the second start, every frame is too large for it */
static bool restart_frame(struct said *said)
{
    said->frame = starts() > 1 ? 1 : 0;
    return true;
}

static bool restart_unavailable(struct said *said)
{
    (void)said;
    if (starts() > 1) {
        say("unavailable it%%20has%%20changed%%20its%%20mind\n");
        fflush(hostile.out);
        _exit(EXIT_SUCCESS);
    }
    return true;
}

/* sends a greeting with these fields after its words */
static bool greet_with(const char *program, const char *fields)
{
    say("topk-%s name=x version= device= driver= features= level=5.0 flags=6 %s own=\n", program,
        fields);
    return false;
}

static bool greeting_malformed(struct said *said)
{
    (void)said;
    say("topk-backend 1 name=x level=5.0 flags=zz batch=1\n");
    return false;
}

static bool greeting_batch(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=4294967296 frame=0 align=1");
}

static bool greeting_batch_none(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=0 frame=0 align=1");
}

static bool greeting_align(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=0 align=3");
}

static bool greeting_align_none(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=0 align=0");
}

static bool greeting_align_large(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=0 align=8192");
}

static bool greeting_frame(struct said *said)
{
    (void)said;
    return greet_with("backend 1", "batch=1 frame=18446744073709551616 align=1");
}

static bool greeting_version(struct said *said)
{
    (void)said;
    return greet_with("backend 2", "batch=1 frame=0 align=1");
}

static bool greeting_worker(struct said *said)
{
    (void)said;
    return greet_with("worker 1", "batch=1");
}

static bool tiny_frame(struct said *said)
{
    said->frame = 1;
    return true;
}

static bool greeting_text(struct said *said)
{
    said->info.name = "x\n\033[2JCONFORMANT\"},{<script>\a";
    return true;
}

static bool greeting_level(struct said *said)
{
    said->info.feature_level = 0x1000;
    return true;
}

static bool greeting_twice(struct said *said)
{
    say_greeting(said);
    return true;
}

static bool greeting_never(struct said *said)
{
    (void)said;
    hang();
}

static bool greeting_flood(struct said *said)
{
    (void)said;
    while (say("topk-backend "), fflush(hostile.out) == 0) {
    }
    hang();
}

static bool greeting_unavailable(struct said *said)
{
    (void)said;
    say("unavailable there%%20is%%20none\n");
    fflush(hostile.out);
    hang();
}

static void answer_first(void)
{
    say("answer 1 1 0\ndone \n");
    fflush(hostile.out);
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode greeting_modes[] = {
    /* greetings */
    {"restart-name", "another name at the second start", .greet = restart_name, .answer = die_segv},
    {"restart-version", "another version at the second start", .greet = restart_version,
     .answer = die_segv},
    {"restart-device", "another device at the second start", .greet = restart_device,
     .answer = die_segv},
    {"restart-driver", "another driver at the second start", .greet = restart_driver,
     .answer = die_segv},
    {"restart-features", "other features at the second start", .greet = restart_features,
     .answer = die_segv},
    {"restart-level", "level 1.0 at the second start", .greet = restart_level, .answer = die_segv},
    {"restart-flags", "a contract of its own at the second start", .greet = restart_flags,
     .answer = die_segv},
    {"restart-own", "another reason for invalid calls at the second start", .greet = restart_own,
     .answer = die_segv},
    {"restart-probes", "probes at the second start only", .greet = restart_probes,
     .answer = die_segv},
    {"restart-sizes", "another batch, frame and align at the second start", .greet = restart_sizes,
     .answer = die_segv},
    {"restart-frame", "all is too large at the second start", .greet = restart_frame,
     .answer = die_segv},
    {"restart-unavailable", "unavailable at the second start", .greet = restart_unavailable,
     .answer = die_segv},
    {"greeting-malformed", "flags that are no number", .greet = greeting_malformed},
    {"greeting-batch", "a batch of 2^32", .greet = greeting_batch},
    {"greeting-batch-none", "a batch of 0", .greet = greeting_batch_none},
    {"greeting-align", "align is 3", .greet = greeting_align},
    {"greeting-align-none", "align is 0", .greet = greeting_align_none},
    {"greeting-align-large", "align is 8192", .greet = greeting_align_large},
    {"greeting-frame", "frames of 2^64 bytes", .greet = greeting_frame},
    {"greeting-version", "version 2 of the protocol", .greet = greeting_version},
    {"greeting-worker", "the introduction of a worker", .greet = greeting_worker},
    {"greeting-text", "control characters in its name", .greet = greeting_text,
     .spoil_call = wrong_indices},
    {"greeting-level", "level 1.0", .greet = greeting_level},
    {"greeting-twice", "introduces itself twice", .greet = greeting_twice},
    {"greeting-first", "an answer before it is asked for anything", .begin = answer_first},
    {"greeting-never", "no introduction", .greet = greeting_never},
    {"greeting-flood", "an introduction without an end", .greet = greeting_flood},
    {"greeting-unavailable", "unavailable, and lives on", .greet = greeting_unavailable},
    {"tiny-frame", "all is too large for it", .greet = tiny_frame},
    {.name = NULL},
};
