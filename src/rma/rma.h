/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.h - the state of the one-sided layer on one unit, and its functions for init/ and the layers
 * above (sync, coll).
 *
 * gmem resolves a global pointer to a fabric address, and one fabric call does the rest. The state
 * is only what must outlive a call: the pack buffers of strided transfers, the table of follow.c
 * and the names of phases. Thread rule: one thread of a unit at a time. */
#ifndef EYOT_RMA_RMA_H
#define EYOT_RMA_RMA_H

#include <eyot/rma.h>
#include <eyot/signal.h>

#include "base/idtab.h"
#include "gmem/gmem.h"
#include "rt/rt.h"

#define EYOTI_PHASE_NAME_MAX 31u /* characters of a phase name */
#define EYOTI_PHASE_MAX 16u      /* phase names of one unit */
#define EYOTI_PACK_HALVES 2u     /* one buffer is filled while the other is transferred */

struct eyoti_follows; /* follow.c */
struct eyoti_handles; /* handle.c */
struct eyoti_sets;    /* set.c */

/* The state of this layer on one unit. */
struct eyoti_rma {
  /* EYOT_PACK_BYTES: size of each pack buffer; 0: never pack */
  uint64_t pack_bytes;
  uint64_t bulk_atomic;  /* EYOT_BULK_ATOMIC */
  uint64_t stream_bytes; /* see copy.h */
  /* allocated at first use, since most units of a large simulation never pack */
  char *pack[EYOTI_PACK_HALVES];
  /* the last transfer that used the buffer; 0: none, or a flush may cover it */
  fab_req_t pack_req[EYOTI_PACK_HALVES];
  uint32_t pack_next;
  struct eyoti_follows *follows; /* allocated at first use */
  struct eyoti_handles *handles; /* the same */
  struct eyoti_sets *sets;       /* the same */
  struct eyoti_idtab ops;        /* operators of the program: op_user.c */
  uint32_t phases;
  const char **phase; /* EYOTI_PHASE_MAX of them, interned per process; allocated at first use */
};

/* local. Errors: ENOMEM, EINVAL (an option is malformed) */
int eyoti_rma_start(struct eyot_rt *rt);
void eyoti_rma_stop(struct eyot_rt *rt); /* local; the caller's operations are complete */

/* op_user.c: frees the operators of the program. */
void eyoti_ops_stop(struct eyot_rt *rt);

/* handle.c: the call that runs has made a handle; it was completed; logs those that are left. */
void eyoti_handle_note(struct eyot_rt *rt, uint64_t id);
void eyoti_handle_forget(struct eyot_rt *rt, uint64_t id);
void eyoti_handles_list(struct eyot_rt *rt);
/* The handle of an operation that may be complete already. */
static inline void eyoti_handle_give(struct eyot_rt *rt, uint64_t id, eyot_handle_t *handle) {
  if (id != 0) eyoti_handle_note(rt, id);
  handle->id = id;
}

/* nb.c: post a put or a get; req NULL: implicit. Errors: as eyot_put_nbi and eyot_get_nbi. */
int eyoti_rma_put(struct eyot_rt *rt, eyot_gptr_t dst, const void *src, uint64_t len,
                  fab_req_t *req);
int eyoti_rma_get_to(struct eyot_rt *rt, void *dst, eyot_gptr_t src, uint64_t len, fab_req_t *req);
/* nb.c: posts a get; *req is 0 when it is complete already. Errors: as eyot_get_nb. */
int eyoti_rma_get(struct eyot_rt *rt, void *dst, eyot_gptr_t src, uint64_t len, fab_req_t *req);

/* signal.c: the arguments of a put with signal. */
struct eyoti_message {
  eyot_gptr_t dst;
  const void *src;
  uint64_t len;
  eyot_gptr_t sig;
  eyot_signal_op_t op;
  uint64_t value;
};
/* Posts a put with signal; req NULL: implicit. Errors: as eyot_put_signal. */
int eyoti_rma_signal(struct eyot_rt *rt, const struct eyoti_message *m, fab_req_t *req);
/* The address of an aligned word, which messages call `name`. Errors: ESEG, EUNIT, ERANGE,
 * EALIGN. */
int eyoti_rma_word_at(struct eyot_rt *rt, eyot_gptr_t word, uint32_t bytes, const char *name,
                      struct fab_addr *out);

/* blocks.c: makes packed puts in flight operations without request, so that flushes return their
 * errors; waits for their local completion. Errors: those of that wait; they are then settled. */
int eyoti_blocks_release(struct eyot_rt *rt);
static inline bool eyoti_rma_packs(const struct eyot_rt *rt) {
  return (rt->rma->pack_req[0] | rt->rma->pack_req[EYOTI_PACK_HALVES - 1]) != 0;
}

/* flush.c: completes all operations of the caller to `unit`, or FAB_ALL, at the target, as
 * eyot_flush(..., EYOT_REMOTE) does. */
int eyoti_rma_flush(struct eyot_rt *rt, fab_unit_t unit);
/* flush.c: as eyot_flush, or of a set that fab.set names; EUNIT unless the unit exists. */
int eyoti_rma_flush_at(struct eyot_rt *rt, fab_unit_t unit, eyot_level_t level);
int eyoti_rma_check_unit(const struct eyot_rt *rt, eyot_unit_t unit);

/* True if eyoti_rma_flush(rt, FAB_ALL) would only order copies by the CPU, which any atomic of the
 * CPU does (fab.quiet). False for a unit that has handles of follow.c, since it may have
 * notifications to send. */
static inline bool eyoti_rma_quiet(const struct eyot_rt *rt) {
  return rt->fab->quiet && rt->rma->follows == NULL;
}

/* follow.c: two operations under one handle, a get and the signal that follows it. The signal is
 * sent when the get is known to be complete: when the handle is waited for or tested, at progress,
 * and at a remote flush of that unit. Such handles have the highest bit set, which no request of a
 * fabric has. */
#define EYOTI_FOLLOW_BIT (UINT64_C(1) << 63)
/* `first` is the get's request, or 0. An error of either operation is returned by the wait or test
 * of the handle, which is then gone. Errors: the fabric's; the get is then complete and nothing was
 * sent. */
int eyoti_follow(struct eyot_rt *rt, fab_req_t first, const struct fab_sig *then,
                 eyot_handle_t *handle);
/* As the fabric's req_wait and req_test. Errors: also EINVAL (no such handle). */
int eyoti_follow_wait(struct eyot_rt *rt, eyot_handle_t handle, enum fab_level level);
int eyoti_follow_test(struct eyot_rt *rt, eyot_handle_t handle, enum fab_level level, bool *done);
/* Sends the signals that can be sent without waiting. The wait or test of a handle returns its
 * error. */
void eyoti_follow_progress(struct eyot_rt *rt);
/* Waits for the gets of all handles to the unit (FAB_ALL: to each) and sends their signals. */
void eyoti_follow_push(struct eyot_rt *rt, fab_unit_t unit);
void eyoti_follow_stop(struct eyot_rt *rt); /* warns of handles that were not waited for */
/* For tests: sets the last generation of each slot, none of which is in use. */
void eyoti_follow_age(struct eyot_rt *rt, uint32_t gen);
/* Waits for the get of one handle and sends its signal; does nothing for handles of the fabric. */
void eyoti_follow_start(struct eyot_rt *rt, eyot_handle_t handle);
#endif
