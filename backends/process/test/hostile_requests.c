/* Modes that answer requests for devices or probes against the protocol. */
#include "hostile.h"

#include <signal.h>
#include <string.h>

static bool devices_garbage(const char *request)
{
    if (strcmp(request, "devices") == 0) {
        say("devices=a,\033[2J,%%0ab,%%zz\n");
    }
    return true;
}

static bool devices_control(const char *request)
{
    if (strcmp(request, "devices") == 0) {
        say("devices=a,b%%0aCONFORMANT,%%1b%%5b2J\n");
    }
    return true;
}

static bool devices_verdict(const char *request)
{
    (void)request;
    say("answer 1 1 0\n");
    return true;
}

static bool devices_hang(const char *request)
{
    (void)request;
    hang();
}

static bool probes_garbage(const char *request)
{
    if (strcmp(request, "probes") == 0) {
        say("probes=a,a,../../etc,\033[2J,B,,%%00\n");
    } else {
        say("verdict=observed value=%%0a%%1b detail=\n");
    }
    return true;
}

static bool probes_many(const char *request)
{
    if (strcmp(request, "probes") != 0) {
        say("verdict=observed value=yes detail=\n");
        return true;
    }
    say("probes=");
    for (int i = 0; i < 1000; i++) {
        say("%sp%d", i == 0 ? "" : ",", i);
    }
    say("\n");
    return true;
}

static bool probes_crash(const char *request)
{
    if (strcmp(request, "probes") == 0) {
        say("probes=one,two,three\n");
        return true;
    }
    die_by(SIGABRT);
}

/* ---- the modes ------------------------------------------------------------------------------- */

const struct mode request_modes[] = {
    /* other requests */
    {"devices-garbage", "devices that are no words", .other = devices_garbage},
    {"devices-control", "devices with control characters", .other = devices_control},
    {"devices-verdict", "another answer than its devices", .other = devices_verdict},
    {"devices-hang", "hangs when it is asked for its devices", .other = devices_hang},
    {"probes-garbage", "malformed names of probes", .flags = TOPK_FLAG_PROBES,
     .spoil_call = wrong_indices, .other = probes_garbage},
    {"probes-many", "1000 probes", .flags = TOPK_FLAG_PROBES, .spoil_call = wrong_indices,
     .other = probes_many},
    {"probes-crash", "dies in each probe", .flags = TOPK_FLAG_PROBES, .spoil_call = wrong_indices,
     .other = probes_crash},
    {.name = NULL},
};
