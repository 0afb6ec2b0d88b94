/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - the progress engine: processes of a node that serve one-sided operations beside its
 * units (docs/adr/0018).
 *
 * Why it exists: MPICH needs the target's processor inside MPI for every one-sided operation, and
 * moves long transfers in the time of whoever waits for them. With progress processes the MPI
 * windows are theirs (launch/place.c: fmpi_target_rank), and units hand long non-blocking transfers
 * over through the rings below. Design after H. Zhou, dissertation 2016, section 7.1; the windows
 * after Si et al., Casper, IPDPS 2015.
 *
 * A ring has one producer, a unit, and one consumer, a progress process. Requests are numbered from
 * 0 and complete in this order. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_ENGINE_H
#define EYOT_FABRIC_REAL_PROGRESS_ENGINE_H

#include <stdalign.h>

#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/wait/wakeup.h"

#define FMPI_RING_REQUESTS 64u /* of a ring; who posts more waits until some have been taken */
#define FMPI_FAILURES_MAX 128u /* of a ring that its unit has not seen; see fmpi_private_failed */
/* (window, rank) pairs that a progress process lets wait for a flush */
#define FMPI_BACKLOG_MAX 64u

enum fmpi_do {
  FMPI_DO_PUT = 0,
  FMPI_DO_GET,
  FMPI_DO_PUT_SIGNAL,
  FMPI_DO_CREATE,
  FMPI_DO_DESTROY,
  FMPI_DO_END
};

/* What a progress process is asked to do: the fields of the seed's packet (table 7.1), and a
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
  /* the unit waits until so many are done. A hint, relaxed: who misses it flushes when it is
   * idle */
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

/* What a unit remembers of its ring to one progress process, so that it need not read lines that
 * both write. */
struct fmpi_side {
  uint64_t posted;
  uint64_t taken;    /* as last read: at most what it is */
  uint64_t failures; /* of the ring's, seen */
};

/* Private memory of a unit that progress processes try to reach. */
struct fmpi_probe {
  uint64_t word[2]; /* random: another process that has the number of this one is told by them */
  uint64_t answer;
};

struct fmpi_engine {
  MPI_Win win;             /* of the rings: shared memory of the first unit of the node */
  struct fmpi_ring *rings; /* unit k of the node and progress process j: rings[k * servers + j] */
  uint64_t least_bytes;    /* of a transfer that is handed over; at least 1 */
  uint64_t least_private;  /* the same, if its buffer is private memory; UINT64_MAX: none is */
  int refused;             /* why not: an errno; 0: not asked for, or they are */
  struct fmpi_probe probe; /* a unit's */
  int *pid;                /* a progress process's: of each unit of the node */
  struct fmpi_side *side;  /* a unit's, by progress process */
  uint32_t here_slot;      /* the segment in which the last local buffer was */
  uint32_t turn;           /* the progress process that gets the unit's next transfer */
};

/* -- both sides (engine.c) ------------------------------------------------------------------ */
int fmpi_engine_open(struct fmpi *f);  /* collective over the node */
int fmpi_engine_close(struct fmpi *f); /* likewise */
static inline struct fmpi_ring *fmpi_ring_of(const struct fmpi *f, uint32_t place,
                                             uint32_t server) {
  return &f->engine->rings[place * f->servers + server];
}

/* -- units (engine.c) ----------------------------------------------------------------------- */
static inline bool fmpi_engine_takes(const struct fmpi *f, uint64_t len) {
  return len >= f->engine->least_bytes && !f->fab.waits;
}
/* What a unit hands over. */
struct fmpi_transfer {
  const struct fmpi_at *at; /* the target's place */
  const void *here;         /* the local buffer */
  uint64_t len;
  bool is_get;
  const struct fab_sig *sig; /* after a put, or NULL */
};
/* Hands it over; *taken false: it cannot (the buffer is private memory that is out of reach or not
 * worth it, or the place is attached). */
int fmpi_engine_post(struct fmpi *f, const struct fmpi_transfer *t, fab_req_t *req, bool *taken);
/* whether it is complete; if so, accounts for it and for whether it has failed */
bool fmpi_engine_test(struct fmpi *f, struct fmpi_op *op);
/* remotely complete on return, or failed (op->failed) */
int fmpi_engine_wait(struct fmpi *f, struct fmpi_op *op);
/* The first unit of a node tells its progress processes; the other units' calls do nothing. All
 * units are inside the collective function. */
int fmpi_engine_command(struct fmpi *f, enum fmpi_do what, fab_seg_t seg, uint64_t len);

/* -- progress processes (server.c) ---------------------------------------------------------- */
/* Serves until FMPI_DO_END; leaves MPI's objects to the caller. */
int fmpi_serve(struct fmpi *f);

/* -- the progress thread (thread.c) --------------------------------------------------------- */
int fmpi_thread_start(struct fmpi *f);
int fmpi_thread_stop(struct fmpi *f);
#endif
