/* Objects that several targets open. Each function prints a message and returns false if it
 * fails. */
#ifndef TOPK_FUZZ_OPEN_H
#define TOPK_FUZZ_OPEN_H

#include "worker/host.h"

struct topk_secret_key;
struct topk_public_key;

/* Opens a backend in this process, as named by --backend. */
bool fuzz_open_host(struct topk_host *host, const char *spec);

/* Initializes libsodium; and makes a pair of keys from three numbers. */
bool fuzz_open_sodium(void);
bool fuzz_open_keys(const uint8_t seed[3], struct topk_secret_key *secret,
                    struct topk_public_key *public_key);

#endif
