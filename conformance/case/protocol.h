/* What the runner and a worker say to each other (docs/protocol.md), as far as it is numbers. */
#ifndef TOPK_PROTOCOL_H
#define TOPK_PROTOCOL_H

/* of the greeting: "topk-worker 1 ..." */
#define TOPK_PROTOCOL_VERSION 1
/* Most cases of a batch. */
#define TOPK_PROTOCOL_BATCH 1024u
/* Longest line that a worker may say, without its end. */
#define TOPK_WORKER_LINE 8192u

/* ---- flags of the greeting ----------------------------------------------------------------------
 * All but the last are the backend's own; topk_backend.h says more of them. */

/* Descriptions are not checked as DirectML does: cases that break a clause are unsupported. */
#define TOPK_FLAG_OWN_CONTRACT 1u
/* What the level asked for in a case does not have is refused, even if it could be served. */
#define TOPK_FLAG_STRICT_LEVEL 2u
/* What answers is software standing in for hardware. */
#define TOPK_FLAG_SOFTWARE 4u
/* What answers computes on a device that is software. */
#define TOPK_FLAG_SOFTWARE_DEVICE 8u
/* The worker answers `probes` and `probe N`. */
#define TOPK_FLAG_PROBES 16u

/* ---- what a worker exits with -------------------------------------------------------------------
 * 0 after `quit` or at the end of its input. */

/* it said `error`, or memory is short */
#define TOPK_WORKER_EXIT_HARNESS 3
/* it said `unavailable` */
#define TOPK_WORKER_EXIT_UNAVAILABLE 4

#endif
