/* SPDX-License-Identifier: BSD-3-Clause */
/* ticket.h - the word of a ticket lock, and the two steps that the CPU does itself where the word
 * is mapped; for ticket.c and the quick path of lock.c.
 *
 * One word at home: the high half counts the units that have come, the low half those that have
 * left. A unit that comes adds to the high half; the value before gives its ticket and the ticket
 * that is served. */
#ifndef EYOT_SYNC_LOCKS_TICKET_H
#define EYOT_SYNC_LOCKS_TICKET_H

#include "sync/locks/lock.h"

#define TICKET_SHIFT 32u
#define TICKET_ONE ((uint64_t)1 << TICKET_SHIFT)

static inline uint32_t ticket_next(uint64_t word) {
  return (uint32_t)(word >> TICKET_SHIFT);
}
static inline uint32_t ticket_served(uint64_t word) {
  return (uint32_t)word;
}
/* The word after n units have come and left. */
static inline uint64_t ticket_free_at(uint32_t n) {
  return (uint64_t)n << TICKET_SHIFT | n;
}
static inline bool ticket_busy(uint64_t word) {
  return ticket_next(word) != ticket_served(word);
}

/* The value that leaving adds: one to the low half, and nothing to the high one when the low one
 * wraps. The high half wraps out of the word. */
static inline uint64_t ticket_leave(uint32_t ticket) {
  return ticket == UINT32_MAX ? 1 - TICKET_ONE : 1;
}

/* l->node of a ticket lock: the caller's last ticket; 0 before the first. */
#define TICKET_HAD TICKET_ONE
static inline uint32_t ticket_mine(const struct eyoti_lock *l) {
  return (uint32_t)l->node;
}

/* Pairs with the release of ticket_pass_mapped: a unit that sees its turn sees what the holders
 * before did. */
static inline uint64_t ticket_take_mapped(struct eyoti_lock *l, uint64_t *word) {
  uint64_t before = __atomic_fetch_add(word, TICKET_ONE, __ATOMIC_SEQ_CST);
  l->node = TICKET_HAD | ticket_next(before);
  return before;
}
/* True: another unit has come. */
static inline bool ticket_pass_mapped(const struct eyoti_lock *l, uint64_t *word) {
  return ticket_busy(__atomic_add_fetch(word, ticket_leave(ticket_mine(l)), __ATOMIC_SEQ_CST));
}
/* After it: lets the unit whose turn it is know, where it may sleep. */
static inline void ticket_wake(struct eyot_rt *rt, bool busy) {
  if (busy && __builtin_expect(rt->fab->oversubscribed, 0)) fab_wake(rt->fab, FAB_ALL);
}

/* Waits for the turn of the caller's ticket, which was drawn when the word was `word`. After an
 * error the lock is broken: the ticket is never passed on. */
int eyoti_ticket_wait(struct eyot_rt *rt, struct eyoti_lock *l, uint64_t word);
#endif
