/* SPDX-License-Identifier: BSD-3-Clause */
/* idle.h - how a process waits: it lets MPI work and gives way to other processes. */
#ifndef EYOT_FABRIC_REAL_WAIT_IDLE_H
#define EYOT_FABRIC_REAL_WAIT_IDLE_H

#include "fabric_real/endpoint/endpoint.h"

/* MPI, or an answer to another unit's message, may need this process at any time. */
static inline bool fmpi_must_serve(const struct fmpi *f) {
  return !f->job.one_node || f->attach.n != 0 || f->attach.message != NULL;
}
int fmpi_poll(struct fmpi *f); /* lets MPI work, and serves */
/* What answers others' messages, wherever this process waits or polls: all of them are called, by
 * the unit or its progress thread. Each lets MPI work. */
void fmpi_serve_others_add(struct fmpi *f, int (*serve)(struct fmpi *f));
void fmpi_serve_others_remove(struct fmpi *f, int (*serve)(struct fmpi *f));
static inline int fmpi_serve_others(struct fmpi *f) {
  for (uint32_t i = 0; i < f->idle.serves; i++) EYOTI_TRY(f->idle.serve[i](f));
  return EYOT_OK;
}
/* Called once in each wait for words, when it stops spinning and begins to give way: the place to
 * publish what this process waits for. The wait ends at until_ns (FAB_FOREVER: when a condition
 * holds), with fmpi_awake. */
void fmpi_idle_begin(struct fmpi *f, const struct fab_cond *conds, uint32_t n, uint64_t until_ns);
/* The same for the low half of a word of any unit of the node. */
void fmpi_idle_begin_low(struct fmpi *f, struct fab_addr at, uint32_t value);
/* Lets other processes run; `round` counts the calls of one wait. */
void fmpi_give_way(struct fmpi *f, uint64_t round);
/* The same for a wait that a wakeup ends (wait/wakeup.h): sleeps soon, on any machine. */
void fmpi_give_way_woken(struct fmpi *f, uint64_t round);
/* Yields let no other process run, so that fmpi_give_way sleeps. */
bool fmpi_sleeps(const struct fmpi *f);
void fmpi_awake(struct fmpi *f); /* the wait that fmpi_give_way was called in is over */
/* A poll that found nothing: after some in a row, lets other processes run. */
void fmpi_idle(struct fmpi *f);
int fmpi_test_mpi(MPI_Request *reqs, uint32_t n, bool *done);
/* Waits until test says so, giving way to others on an oversubscribed machine. */
int fmpi_wait_test(struct fmpi *f, int (*test)(struct fmpi *f, void *arg, bool *done), void *arg);
/* Waits for MPI requests, giving way to others on an oversubscribed machine. */
int fmpi_wait_mpi(struct fmpi *f, MPI_Request *reqs, uint32_t n);
/* A barrier of all units that does the same. */
int fmpi_meet(struct fmpi *f);
/* The maxima over all units, likewise; MPICH 4.0 compares them as signed. */
int fmpi_max(struct fmpi *f, uint64_t *words, uint32_t n);
/* Makes a communicator of the same processes, likewise. Collective. */
int fmpi_dup(struct fmpi *f, MPI_Comm from, MPI_Comm *to);
/* Rounds of giving way after which a wait is published (wait/supervised.h): shorter ones pay
 * nothing for it. */
#define FMPI_PUBLISH_ROUNDS 16u
#endif
