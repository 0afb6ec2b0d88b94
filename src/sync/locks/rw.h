/* SPDX-License-Identifier: BSD-3-Clause */
/* rw.h - the parts of the reader-writer lock, for rw.c (writers, which close and open the counters)
 * and rw_reader.c (readers) only.
 *
 * The team is cut into runs of consecutive members; one member of each run has the run's counter.
 * Sources: distributed counters and modes: Schmid, Besta, Hoefler: High-Performance Distributed RMA
 * Locks, HPDC 2016, section 3.3 (RMA-RW); phases in place of a withdrawal of readers: Brandenburg,
 * Anderson: Spin-Based Reader-Writer Synchronization for Multiprocessor Real-Time Systems,
 * Real-Time Systems 46(1), 2010 (phase-fair locks). */

/* The words, and why they suffice. A counter is three words at one member of the run:
 *   ARRIVE  bits 0-47: the phase; even: open, odd: closed by a writer. Bits 48-63: readers that
 *           have arrived, modulo 2^16.
 *   DEPART  readers that have departed; compared modulo 2^16.
 *   LIST    the reader of this run that has last begun to sleep (its team index + 1), 0: no reader
 *           sleeps.
 * and at each member, for its own sleep:
 *   GO      the number of times that it was woken.
 * All are changed by adding, except LIST, which is swapped, and except by a reader that gives up,
 * which compares and swaps ARRIVE; so no update is ever lost, whatever order they arrive in. ARRIVE
 * and DEPART never decrease, except by a reader that gives up in the closed phase in which it
 * arrived, which no writer has counted.
 *
 * A reader that arrives in an open phase is in. One that arrives in a closed phase is in when that
 * phase is over, without any further step at the counter: it is counted already. So a writer that
 * closes a counter learns, from the same atomic, how many arrived before: those are in or were, and
 * all others will wait. The counter is empty when as many have departed, and no reader can depart
 * that it does not count until it opens again.
 *
 * Counting arrivals modulo 2^16 suffices because a run has at most EYOTI_RW_RUN_MAX members, each
 * counted at most twice at a time (it may arrive again while its departure is in flight). Phases do
 * not run out: 2^47 writers. */
#ifndef EYOT_SYNC_LOCKS_RW_H
#define EYOT_SYNC_LOCKS_RW_H

#include "sync/locks/hier.h"

#define EYOTI_RW_ARRIVE_OFF 64u
#define EYOTI_RW_DEPART_OFF 72u
#define EYOTI_RW_LIST_OFF 80u
#define EYOTI_RW_GO_OFF 88u
#define EYOTI_RW_BYTES 96u
_Static_assert(EYOTI_HIER_BYTES <= EYOTI_RW_ARRIVE_OFF,
               "the writers' queues lie before the counters");

#define EYOTI_RW_RUN_MAX 16384u

#define EYOTI_RW_ONE_READER ((uint64_t)1 << 48)
#define EYOTI_RW_NEXT_PHASE ((uint64_t)1)
static inline uint64_t eyoti_rw_phase(uint64_t arrive) {
  return arrive & (EYOTI_RW_ONE_READER - 1);
}
static inline bool eyoti_rw_closed(uint64_t arrive) {
  return (arrive & 1) != 0;
}
static inline uint16_t eyoti_rw_arrived(uint64_t arrive) {
  return (uint16_t)(arrive >> 48);
}

/* A counter. */
struct eyoti_rw_counter {
  struct fab_addr arrive, depart, list;
};

struct eyoti_rw {
  /* tag 0: the counters are open; else closed, and this is the tag-th writer since */
  struct eyoti_hier writers;
  struct eyoti_rw_counter own; /* of the caller's run */
  struct fab_addr go;          /* of the caller */
  uint64_t woken;              /* the value of GO that was last seen */
};

/* Pauses between reads of a counter, which is most often in the caller's node. */
#define EYOTI_RW_PAUSE_MIN_NS 250u
#define EYOTI_RW_PAUSE_MAX_NS 4000u
void eyoti_rw_pause_init(struct eyoti_backoff *b, const struct eyot_rt *rt);

/* The run of a member: first .. *end-1. guess: as in eyoti_hier_domain. Errors: those of locate. */
int eyoti_rw_run(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t index, uint32_t guess,
                 uint32_t *first, uint32_t *end);
/* The counter of a run. */
int eyoti_rw_counter(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t first, uint32_t end,
                     struct eyoti_rw_counter *out);

/* A reader enters and leaves. ETIMEOUT (not logged): not in. */
int eyoti_rw_enter(struct eyot_rt *rt, const struct eyoti_lock *l,
                   const struct eyoti_lock_want *want);
int eyoti_rw_leave(struct eyot_rt *rt, const struct eyoti_lock *l);

/* The present value of a word. Acquire. */
static inline int eyoti_rw_read(struct eyot_rt *rt, struct fab_addr at, uint64_t *value) {
  return fab_amo_wait(rt->fab, at, &(struct fab_amo){.op = FAB_AMO_READ, .width = 8}, value);
}
#endif
