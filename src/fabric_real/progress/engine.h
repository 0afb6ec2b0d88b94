/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - the progress engine: processes of a node that serve one-sided operations beside its
 * units (docs/adr/0018).
 *
 * Why it exists: MPICH needs the target's processor inside MPI for every one-sided operation, and
 * moves long transfers only while a process waits for them. With progress processes the MPI windows
 * are theirs (mem/remote.h: fmpi_target_rank), and units hand long non-blocking transfers over
 * through rings (ops/handover.h). Design after H. Zhou, dissertation 2016, section 7.1; the windows
 * after Si et al., Casper, IPDPS 2015.
 *
 * A ring has one producer, a unit, and one consumer, a progress process. Requests are numbered from
 * 0 and complete in this order. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_ENGINE_H
#define EYOT_FABRIC_REAL_PROGRESS_ENGINE_H

#include <stdalign.h>

#include "fabric_real/endpoint/endpoint.h"

#define FMPI_RING_REQUESTS 64u /* of a ring; a post beyond them waits until some have been taken */
#define FMPI_FAILURES_MAX 128u /* of a ring that its unit has not seen; see fmpi_private_failed */

enum fmpi_do {
  FMPI_DO_PUT = 0,
  FMPI_DO_GET,
  FMPI_DO_PUT_SIGNAL,
  FMPI_DO_CREATE,
  FMPI_DO_DESTROY,
  FMPI_DO_END
};

/* A request to a progress process: the fields of the dissertation's packet (table 7.1), and a
 * signal. It is a cache line, so that the consumer reads none that the producer writes the next one
 * to. */
struct fmpi_request {
  uint32_t what;     /* enum fmpi_do */
  uint32_t unit;     /* the target */
  uint32_t seg;      /* PUT, GET: the slot there; CREATE, DESTROY: the id */
  uint32_t here_seg; /* the slot of the local buffer, or FMPI_HERE_PRIVATE */
  uint64_t off;      /* in the target's part */
  uint64_t here_off; /* from the first mapped unit's part on; private: the address in the unit */
  uint64_t len;      /* bytes; CREATE: of a part */
  /* PUT_SIGNAL: then signals at the same unit. */
  uint64_t sig_off, sig_value;
  uint32_t sig_seg; /* the slot */
  uint32_t sig_op;  /* enum fab_sig_op */
};
_Static_assert(sizeof(struct fmpi_request) == FMPI_LINE, "a request fills a cache line");
#define FMPI_HERE_PRIVATE FAB_SEG_MAX

/* Why a request could not be carried out. */
struct fmpi_failure {
  uint64_t number; /* the request's */
  uint32_t error;  /* errno of the system call */
  uint32_t is_get;
};

/* In shared memory. Each word has one writer; lines are not shared by two of them. */
struct fmpi_ring {
  /* The unit's: requests posted. Its release store makes the slots below it, and the bytes of puts,
   * visible to the consumer's acquire load. */
  alignas(FMPI_LINE) uint64_t posted;
  /* The unit waits until so many are done. A hint, relaxed: a progress process that misses it
   * flushes when it is idle. */
  uint64_t urged;
  /* The progress process's: requests read. Its release store pairs with the unit's acquire load
   * before a slot is used again. */
  alignas(FMPI_LINE) uint64_t taken;
  /* Requests remotely complete. Its release store makes the bytes of gets, and of puts on the node,
   * visible to the unit's acquire load. */
  uint64_t done;
  /* so far, each in failure[]; written before the `taken` or `done` that covers the request */
  uint64_t failures;
  struct fmpi_request slot[FMPI_RING_REQUESTS];
  struct fmpi_failure failure[FMPI_FAILURES_MAX];
};
_Static_assert((FMPI_RING_REQUESTS & (FMPI_RING_REQUESTS - 1)) == 0,
               "a slot is a number modulo the requests of a ring");

/* A unit's copy of the counters of its ring to one progress process, so that it need not read lines
 * that both write. */
struct fmpi_side {
  uint64_t posted;
  uint64_t taken;    /* as last read: at most what it is */
  uint64_t failures; /* of the ring's, seen */
};

/* Private memory of a unit that progress processes try to reach. */
struct fmpi_private_probe {
  uint64_t word[2]; /* random: they tell this process from another one with the same number */
  uint64_t answer;
};

struct fmpi_engine {
  struct fmpi_shared shared; /* of the rings */
  struct fmpi_ring *rings;   /* unit k of the node and progress process j: rings[k * servers + j] */
  uint64_t least_bytes;      /* of a transfer that is handed over; at least 1 */
  uint64_t least_private;    /* the same, if its buffer is private memory; UINT64_MAX: none is */
  struct fmpi_private_probe probe; /* a unit's */
  bool allowed;                    /* a unit has named all processes to Yama (private.c) */
  int *pid;                        /* a progress process's: of each unit of the node */
  struct fmpi_side *side;          /* a unit's, by progress process */
  uint32_t here_slot;              /* the segment in which the last local buffer was */
  uint32_t turn;                   /* the progress process that gets the unit's next transfer */
};

/* -- both sides -------------------------------------------------------------------------------- */
int fmpi_engine_open(struct fmpi *f);  /* collective over the node */
int fmpi_engine_close(struct fmpi *f); /* likewise */
static inline struct fmpi_ring *fmpi_ring_of(const struct fmpi *f, uint32_t place,
                                             uint32_t server) {
  return &f->progress.engine->rings[place * f->job.servers + server];
}

/* -- units ------------------------------------------------------------------------------------- */
/* The slot of the next request to a progress process, which the caller fills in place; waits while
 * the ring is full. A slot that is not posted is the next one again. */
int fmpi_ring_slot(struct fmpi *f, uint32_t server, struct fmpi_request **slot);
/* Posts that request; returns its number. */
uint64_t fmpi_ring_post(struct fmpi *f, uint32_t server);
/* Whether it is complete; if so, accounts for it and for whether it has failed. */
bool fmpi_engine_test(struct fmpi *f, struct fmpi_op *op);
/* It is remotely complete on return, or has failed (op->failed). */
int fmpi_engine_wait(struct fmpi *f, struct fmpi_op *op);
/* The first unit of a node sends a command to its progress processes; the other units' calls do
 * nothing. All units are inside the collective function. */
int fmpi_engine_command(struct fmpi *f, enum fmpi_do what, fab_seg_t seg, uint64_t len);
#endif
