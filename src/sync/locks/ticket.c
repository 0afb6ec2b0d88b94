/* SPDX-License-Identifier: BSD-3-Clause */
/* ticket.c - lock kind ticket: first come, first served, by two counters in one word (ticket.h). It
 * is in the table of kinds.h; lock.c has its quick path. It is meant for units that share a node: a
 * hand-over moves one cache line, where a queue lock moves three.
 *
 * Uncontended: 1 fetching atomic to acquire, 1 signal to release. A waiter reads the word at home,
 * by loads where it is mapped, else by atomics, with pauses in proportion to the number of units
 * before it, which grow while the same unit holds; where mapped units share processors, the fabric
 * lets it sleep until its turn. A ticket cannot be given back, so a unit that
 * may give up draws none: it tries until the lock is free, and units with tickets go first.
 * Sources: Reed, Kanodia: Synchronization with Eventcounts and Sequencers, CACM 22(2), 1979;
 * back-off: Mellor-Crummey, Scott, ACM TOCS 9(1), 1991, section 2.2 (mcs.c has the title). */
#include "sync/locks/ticket.h"

#include "sync/locks/kinds.h"
#include "sync/locks/locks.h"

static uint64_t ticket_bytes(const struct eyoti_lock *l) {
  (void)l;
  return sizeof(uint64_t);
}

static bool busy(uint64_t word) {
  return ticket_busy(word);
}

static inline bool ticket_by_cpu(const struct eyot_rt *rt, const struct eyoti_lock *l) {
  return l->mapped != NULL && rt->fab->cpu_atomics;
}

static int ticket_amo(struct eyot_rt *rt, const struct eyoti_lock *l, enum fab_amo_op op,
                      uint64_t operand, uint64_t compare, uint64_t *before) {
  return fab_amo_wait(
      rt->fab, l->word,
      &(struct fab_amo){.op = op, .width = 8, .operand = operand, .compare = compare}, before);
}

static int ticket_look(struct eyot_rt *rt, const struct eyoti_lock *l, uint64_t *word) {
  if (!ticket_by_cpu(rt, l)) return ticket_amo(rt, l, FAB_AMO_READ, 0, 0, word);
  *word = __atomic_load_n(l->mapped, __ATOMIC_ACQUIRE);
  return EYOT_OK;
}

/* Reads the word with pauses, which are longer for units farther back in the queue, and grow as
 * long as the same unit holds. */
static int poll(struct eyot_rt *rt, const struct eyoti_lock *l, uint32_t mine, uint64_t word) {
  EYOTI_BACKOFF(pause);
  eyoti_backoff_init(&pause, rt, &l->attr);
  for (uint32_t served = ticket_served(word); served != mine;) {
    EYOTI_TRY(eyoti_backoff_turns(rt, &pause, mine - served));
    EYOTI_TRY(ticket_look(rt, l, &word));
    if (ticket_served(word) != served) pause.next_ns = l->attr.backoff_min_ns;
    served = ticket_served(word);
  }
  return EYOT_OK;
}

int eyoti_ticket_wait(struct eyot_rt *rt, struct eyoti_lock *l, uint64_t word) {
  uint32_t mine = ticket_mine(l);
  if (ticket_by_cpu(rt, l)) {
    for (uint32_t n = 0; ticket_served(word) != mine && n < rt->fab->spin_limit; n++) {
      fab_relax();
      word = __atomic_load_n(l->mapped, __ATOMIC_ACQUIRE);
    }
  }
  if (ticket_served(word) == mine) return EYOT_OK;
  bool woken = ticket_by_cpu(rt, l) && rt->fab->oversubscribed && rt->fab->ops->wait_low != NULL;
  int rc = woken ? rt->fab->ops->wait_low(rt->fab, l->word, mine) : poll(rt, l, mine, word);
  if (rc != EYOT_OK) eyoti_lock_break(l);
  return rc;
}

/* Draws a ticket only if it is served at once: by a compare-and-swap from the value that the word
 * has if no unit has come since the caller left, and again from the value found instead. If other
 * units are faster GUESSES times, the lock is in use. */
#define GUESSES 4
static int ticket_try_once(struct eyot_rt *rt, struct eyoti_lock *l) {
  const uint64_t as_left = l->node == 0 ? 0 : ticket_free_at(ticket_mine(l) + 1);
  uint64_t free = as_left, word;
  bool arrived = false;
  for (int guess = 0; guess < GUESSES; guess++) {
    EYOTI_TRY(ticket_amo(rt, l, FAB_AMO_CAS, free + TICKET_ONE, free, &word));
    if (word == free) {
      l->node = TICKET_HAD | ticket_next(free);
      return EYOT_OK;
    }
    if (!ticket_busy(word)) {
      free = word;
    } else if (!arrived && l->node == (TICKET_HAD | ticket_served(word))) {
      /* the caller's own release has not arrived yet */
      EYOTI_TRY(fab_flush(rt->fab, l->word.unit, FAB_REMOTE));
      arrived = true;
      free = as_left;
    } else {
      break;
    }
  }
  return EYOT_ETIMEOUT;
}

static int ticket_try_until(struct eyot_rt *rt, struct eyoti_lock *l, uint64_t deadline) {
  EYOTI_BACKOFF(pause);
  eyoti_backoff_init(&pause, rt, &l->attr);
  for (;;) {
    int rc = ticket_try_once(rt, l);
    if (rc != EYOT_ETIMEOUT) return rc;
    EYOTI_TRY(eyoti_backoff_pause(rt, &pause, deadline));
  }
}

static int ticket_acquire(struct eyot_rt *rt, struct eyoti_lock *l,
                          const struct eyoti_lock_want *want) {
  if (want->once) return ticket_try_once(rt, l);
  if (want->deadline != EYOTI_DEADLINE_NEVER) return ticket_try_until(rt, l, want->deadline);
  uint64_t word;
  if (ticket_by_cpu(rt, l)) {
    word = ticket_take_mapped(l, l->mapped);
  } else {
    EYOTI_TRY(ticket_amo(rt, l, FAB_AMO_ADD, TICKET_ONE, 0, &word));
    l->node = TICKET_HAD | ticket_next(word);
  }
  return eyoti_ticket_wait(rt, l, word);
}

/* The order in which it arrives among other signals and atomics does not matter: all of them add.
 * Why it need not be waited for: as in tas.c. */
static int ticket_release(struct eyot_rt *rt, struct eyoti_lock *l, uint32_t target) {
  (void)target;
  if (ticket_by_cpu(rt, l)) {
    ticket_wake(rt, ticket_pass_mapped(l, l->mapped));
    return EYOT_OK;
  }
  const struct fab_sig leave = {
      .at = l->word, .op = FAB_SIG_ADD, .value = ticket_leave(ticket_mine(l))};
  if (l->by_one_unit) return fab_put_signal_wait(rt->fab, leave.at, NULL, 0, &leave);
  return fab_put_signal(rt->fab, leave.at, NULL, 0, &leave, NULL);
}

const struct eyoti_lock_ops eyoti_lock_ticket = {.name = "ticket",
                                                 .modes = 1u << EYOT_LOCK_EXCLUSIVE,
                                                 .by_one_unit = true,
                                                 .quick = EYOTI_LOCK_QUICK_TICKET,
                                                 .check_attr = eyoti_lock_check_backoff,
                                                 .bytes = ticket_bytes,
                                                 .busy = busy,
                                                 .acquire = ticket_acquire,
                                                 .release = ticket_release};
