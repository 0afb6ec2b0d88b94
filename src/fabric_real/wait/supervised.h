/* SPDX-License-Identifier: BSD-3-Clause */
/* supervised.h - this process's record at its supervisor (base/run.h): its state, and what it waits
 * for. Without a supervisor every function does nothing. */
#ifndef EYOT_FABRIC_REAL_WAIT_SUPERVISED_H
#define EYOT_FABRIC_REAL_WAIT_SUPERVISED_H

#include "base/run.h"
#include "fabric_real/endpoint/endpoint.h"

/* Joins the supervised run, if eyotrun has started this process. Never fails: a process without a
 * supervisor runs as under a bare launcher. */
void fmpi_supervised_join(struct fmpi *f);
/* The unit, or the progress process (f->job.server), is known. */
void fmpi_supervised_known(struct fmpi *f);
void fmpi_supervised_state(const struct fmpi *f, enum eyoti_run_state state);
/* Closes the connection and unmaps the record, after the last state. */
void fmpi_supervised_leave(struct fmpi *f);
/* Asks the supervisor to end the run with `code`, 0 to 255. False: there is none. */
bool fmpi_supervised_exit_all(struct fmpi *f, int code);

/* Publishes a wait that has stopped spinning; w: NULL for waits without a word. words: of how many
 * w is the first. */
void fmpi_wait_published(struct fmpi *f, enum eyoti_run_wait_kind kind, const struct fab_cond *w,
                         uint32_t words, uint64_t timeout_ns);
/* Called in some rounds of a published wait: once it has lasted for a while, adds the allocation
 * that has the word, and the lock that the call is about. Looking that up takes a time linear in
 * the number of allocations. */
void fmpi_wait_described(struct fmpi *f, const struct fab_cond *w);
void fmpi_wait_unpublished(struct fmpi *f);
/* fab_ops.tries: one wait, with all pauses and operations in it. */
void fmpi_tries(struct fab *fab, uint64_t timeout_ns);
/* A flush of MPI's, which cannot be left to publish a wait: two stores around it. */
static inline void fmpi_flush_published(struct fmpi *f, bool begins) {
  struct eyoti_run_record *r = f->supervised.record;
  uint32_t kind = begins ? EYOTI_RUN_WAIT_FLUSH : EYOTI_RUN_NO_WAIT;
  if (r != NULL && !f->supervised.tries) __atomic_store_n(&r->wait.kind, kind, __ATOMIC_RELAXED);
}
/* The present value of the published word. */
static inline void fmpi_wait_seen(struct fmpi *f, uint64_t value) {
  struct eyoti_run_record *r = f->supervised.record;
  if (r != NULL) __atomic_store_n(&r->wait.now, value, __ATOMIC_RELAXED);
}
#endif
