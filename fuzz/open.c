/* See open.h. */
#include "open.h"

#include <sodium.h>
#include <string.h>

#include "fuzz.h"
#include "package/minisign.h"

bool fuzz_open_host(struct topk_host *host, const char *spec)
{
    char error[1024];
    const bool open = topk_host_open(host, spec, error, sizeof error);
    if (!open) {
        fprintf(stderr, "fuzz %s: %s\n", fuzz_target.name, error);
    }
    return open;
}

bool fuzz_open_sodium(void)
{
    char error[256];
    const bool ready = topk_minisign_ready(error, sizeof error);
    if (!ready) {
        fprintf(stderr, "fuzz %s: %s\n", fuzz_target.name, error);
    }
    return ready;
}

bool fuzz_open_keys(const uint8_t seed[3], struct topk_secret_key *secret,
                    struct topk_public_key *public_key)
{
    uint8_t whole[crypto_sign_ed25519_SEEDBYTES] = {seed[0], seed[1], seed[2]};
    if (!fuzz_open_sodium()) {
        return false;
    }
    crypto_sign_ed25519_seed_keypair(public_key->key, secret->key, whole);
    memcpy(secret->id, "keynumb", sizeof secret->id);
    memcpy(public_key->id, secret->id, sizeof secret->id);
    return true;
}
