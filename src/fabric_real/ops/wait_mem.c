/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_mem.c - see wait_mem.h. */
#include "fabric_real/ops/wait_mem.h"

#include <inttypes.h>

#include "fabric_real/mem/resolve.h"
#include "fabric_real/ops/message.h"
#include "fabric_real/ops/signal.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/supervised.h"
#include "rt/rt.h"

/* polls of the word before giving way, on a machine with a processor for each unit */
#define SPIN_LIMIT 2000u /* a multiple of POLLS_PER_SYNC */
#define SPIN_LIMIT_OVERSUBSCRIBED 8u
#define SPINS_PER_POLL 16u /* polls of the word between calls of MPI while spinning */
/* Between nodes, polls of MPI between two looks at the clock, and two MPI_Win_sync: words are of
 * the unified memory model, which shows what has changed without it in the end. */
#define POLLS_PER_SYNC 16u
/* with all units on one node MPI moves only attached memory: enter it this much more rarely */
#define POLLS_ALONE 64u

int fmpi_progress(struct fab *fab) {
  struct fmpi *f = fmpi_of(fab);
  if (f->signals.head != NULL) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  EYOTI_TRY(fmpi_poll(f));
  fmpi_idle(f);
  return EYOT_OK;
}

/* The memory whose words are waited for: bit i for the segment in slot i, and attached memory. */
struct wait_memory {
  uint64_t segs;
  bool attached;
};

/* Whether a round of a job of one node enters MPI. Where MPI may need this process, the first round
 * of a wait and each 64th do; else each 64th of all waits, as most waits are over after one. */
static bool enters(struct fmpi *f, uint64_t rounds, bool once) {
  if (once || fmpi_must_serve(f)) return rounds % POLLS_ALONE == 0;
  if (++f->idle.unpolled < POLLS_ALONE) return false;
  f->idle.unpolled = 0;
  return true;
}

/* One round of letting others work; `rounds` counts them. once: it is the only one. */
static int let_work(struct fmpi *f, const struct wait_memory *m, uint64_t rounds, bool once) {
  if (f->signals.head != NULL) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  /* A process that sleeps between two polls (fmpi_give_way) has time to enter MPI each time, and
   * only MPI, or this process itself, changes attached memory for others. */
  if (f->job.one_node && !m->attached && !fmpi_sleeps(f) && !enters(f, rounds, once))
    return EYOT_OK;
  __atomic_store_n(&f->idle.first_only, !f->job.oversubscribed, __ATOMIC_RELAXED);
  int rc = fmpi_poll(f);
  __atomic_store_n(&f->idle.first_only, false, __ATOMIC_RELAXED);
  EYOTI_TRY(rc);
  if (rounds % POLLS_PER_SYNC != POLLS_PER_SYNC - 1 && !m->attached) return EYOT_OK;
  for (uint64_t segs = m->segs; segs != 0; segs &= segs - 1) {
    MPI_Win rma = f->seg[__builtin_ctzll(segs)].rma;
    if (rma != MPI_WIN_NULL) FMPI_TRY(MPI_Win_sync(rma));
  }
  if (m->attached && f->attach.message == NULL) FMPI_TRY(MPI_Win_sync(f->attach.win));
  return EYOT_OK;
}

/* Checks the condition, finds its word, and adds its memory to *m. */
static int wait_check(struct fmpi *f, const struct fab_cond *c, struct fmpi_at *at,
                      struct wait_memory *m) {
  if ((uint32_t)c->type > FAB_I32)
    return EYOTI_FAIL(EYOT_EINVAL, "no such type of word: %u", (uint32_t)c->type);
  if ((uint32_t)c->cmp > FAB_GE)
    return EYOTI_FAIL(EYOT_EINVAL, "no such comparison: %u", (uint32_t)c->cmp);
  uint32_t bytes = fab_word_bytes(c->type);
  /* segments are aligned, and the key of attached memory is its address */
  if (c->off % bytes != 0)
    return EYOTI_FAIL(EYOT_EALIGN,
                      "offset %" PRIu64
                      " of the word waited for must be a multiple "
                      "of %u",
                      c->off, bytes);
  EYOTI_TRY(fmpi_resolve(f, fab_at(f->fab.me, c->seg, c->off), bytes, at));
  if (c->seg == FAB_SEG_ATTACHED)
    m->attached = true;
  else
    m->segs |= UINT64_C(1) << at->slot;
  return EYOT_OK;
}

#define WORDS_FEW 4u

/* A wait for one word, for any of n conditions, or for the low half of a word of any unit of the
 * node, and the value that it has read. */
struct wait_words {
  struct fmpi *f;
  const void *word;             /* of the only condition, or the one with that half */
  const struct fab_cond *conds; /* NULL: the half */
  struct fab_addr low_at;
  uint32_t low;
  uint32_t n, most, held;
  uint32_t *index;              /* of those that hold */
  const void *words[WORDS_FEW]; /* of the conditions, if they are that few */
  struct wait_memory memory;
  bool published;
  uint64_t seen;
};

/* Says what the caller waits for, once it has waited for a while (wait/supervised.h). */
static void publish(struct fmpi *f, struct wait_words *w, uint64_t round, uint64_t timeout_ns) {
  if (round == FMPI_PUBLISH_ROUNDS) {
    w->published = true;
    fmpi_wait_published(f,
                        w->conds == NULL  ? EYOTI_RUN_WAIT_TURN
                        : w->word != NULL ? EYOTI_RUN_WAIT_WORD
                                          : EYOTI_RUN_WAIT_ANY,
                        w->conds, w->n, timeout_ns);
  } else if (round % FMPI_PUBLISH_ROUNDS == 0) {
    fmpi_wait_described(f, w->conds);
  }
  if (w->word != NULL) fmpi_wait_seen(f, w->seen);
}

static inline bool word_holds(struct wait_words *w) {
  w->seen = fab_word_load(w->conds->type, w->word);
  return fab_cond_holds(w->conds, w->seen);
}

static inline const void *word_of(const struct fmpi *f, const struct fab_cond *c) {
  if (__builtin_expect(c->seg == FAB_SEG_ATTACHED, 0))
    return (const void *)(uintptr_t)c->off; /* NOLINT(performance-no-int-to-ptr): the key */
  const struct fmpi_seg *s = &f->seg[c->seg % FAB_SEG_MAX];
  return s->base + (f->fab.me - f->fab.local.first) * s->stride + c->off;
}

static inline bool few_hold(struct wait_words *w) {
  w->held = 0;
  for (uint32_t i = 0; i < w->n && w->held < w->most; i++)
    if (fab_cond_holds(&w->conds[i], fab_word_load(w->conds[i].type, w->words[i])))
      w->index[w->held++] = i;
  return w->held > 0;
}

static inline bool any_holds(struct wait_words *w) {
  w->held = 0;
  for (uint32_t i = 0; i < w->n && w->held < w->most; i++) {
    const struct fab_cond *c = &w->conds[i];
    if (fab_cond_holds(c, fab_word_load(c->type, word_of(w->f, c)))) w->index[w->held++] = i;
  }
  return w->held > 0;
}

static inline bool low_holds(struct wait_words *w) {
  /* pairs with the release of the CPU's atomic */
  w->seen = __atomic_load_n((const uint64_t *)w->word, __ATOMIC_ACQUIRE);
  return (uint32_t)w->seen == w->low;
}

/* Queued signals are sent before a wait, even if the wait ends at once: a unit that waits for them
 * may be waited for by this unit next, in a call of the program's own. A wait with timeout 0 sends
 * them too, unless its condition holds at once. */
static int before_wait(struct fmpi *f, uint64_t timeout_ns) {
  if (__builtin_expect(f->signals.head == NULL, 1) || timeout_ns == 0) return EYOT_OK;
  return fmpi_signals_issue(f, FAB_ALL);
}

static void begin_idle(struct fmpi *f, const struct wait_words *w, uint64_t deadline) {
  if (w->conds != NULL)
    fmpi_idle_begin(f, w->conds, w->n, deadline);
  else
    fmpi_idle_begin_low(f, w->low_at, w->low);
}

/* Whether the caller's layers know that what it waits for never comes. What they do to find out is
 * a part of this wait, which stays published. */
static int waited_long(struct fmpi *f) {
  struct eyot_rt *rt = eyot_current;
  if (rt->waits_long == NULL) return EYOT_OK;
  bool tries = f->supervised.tries;
  f->supervised.tries = true;
  int rc = rt->waits_long(rt);
  f->supervised.tries = tries;
  if (rc != EYOT_OK) fmpi_awake(f);
  return rc;
}

/* The clock is read where a wait is not over after some polls: it takes 40 ns. */
static uint64_t deadline_of(uint64_t timeout_ns) {
  uint64_t now = fmpi_clock_ns();
  return timeout_ns < FAB_FOREVER - now ? now + timeout_ns : FAB_FOREVER;
}

/* Whether polls for messages of other nodes are all that a wait that spins has to make: nobody has
 * to give way, no signal is queued, and MPI serves nothing else for this unit (attached memory over
 * Open MPI). */
static bool only_messages(const struct fmpi *f, uint64_t timeout_ns) {
  return f->messages != NULL && f->idle.serves == 1 && !f->job.oversubscribed &&
         f->progress.thread == NULL && f->signals.head == NULL && timeout_ns != 0;
}

/* Polls so, up to the one that let_work makes with what it does rarely. *held: the wait is over.
 * Why: each poll finds out by MPI's own state whether a message is there, and what stands around
 * that call delays the message by half of its time. */
static inline __attribute__((always_inline)) int poll_messages(struct fmpi *f,
                                                               bool (*holds)(struct wait_words *w),
                                                               struct wait_words *w, bool first,
                                                               bool *held) {
  *held = false;
  for (uint32_t i = 1; i < POLLS_PER_SYNC && !*held; i++) {
    EYOTI_TRY(first && i == 1 ? fmpi_messages_serve_first(f) : fmpi_messages_serve_next(f));
    *held = holds(w);
  }
  return EYOT_OK;
}

static int over(struct fmpi *f) {
  f->idle.polls = 0;
  fmpi_awake(f);
  return EYOT_OK;
}

/* Inlined with a constant `holds`. */
static inline __attribute__((always_inline)) int wait_words_until(
    struct fmpi *f, bool (*holds)(struct wait_words *w), struct wait_words *w,
    uint64_t timeout_ns) {
  const uint32_t spins = f->job.oversubscribed ? SPIN_LIMIT_OVERSUBSCRIBED : SPIN_LIMIT;
  /* Where MPI changes words, only entering it ends the wait. */
  const uint32_t spins_per_poll = f->job.cpu_words ? SPINS_PER_POLL : 1;
  const bool by_messages = only_messages(f, timeout_ns);
  uint64_t deadline = timeout_ns == FAB_FOREVER ? FAB_FOREVER : 0, rounds = 0;
  for (uint64_t polls = 0;; polls++) {
    bool held = holds(w);
    if (!held && by_messages && polls < spins) {
      EYOTI_TRY(poll_messages(f, holds, w, polls == 0, &held));
      polls += POLLS_PER_SYNC - 1;
      rounds += POLLS_PER_SYNC - 1;
    }
    if (held) return over(f);
    if (polls < spins && polls % spins_per_poll != spins_per_poll - 1 && timeout_ns != 0) {
      fab_relax();
      continue;
    }
    /* polled, let others work, polled again */
    if (timeout_ns == 0 && polls != 0) return EYOT_ETIMEOUT;
    if (polls == spins) {
      if (deadline == 0 && timeout_ns != 0) deadline = deadline_of(timeout_ns);
      begin_idle(f, w, deadline);
    }
    EYOTI_TRY(let_work(f, &w->memory, rounds++, timeout_ns == 0));
    if (timeout_ns == 0)
      fmpi_idle(f);
    else if (polls >= spins) {
      if (polls - spins >= FMPI_PUBLISH_ROUNDS) publish(f, w, polls - spins, timeout_ns);
      if (polls - spins >= FMPI_PUBLISH_ROUNDS && timeout_ns == FAB_FOREVER)
        EYOTI_TRY(waited_long(f));
      fmpi_give_way(f, polls - spins);
    }
    bool reads = f->job.one_node || polls >= spins || rounds % POLLS_PER_SYNC == 0;
    if (!reads || deadline == FAB_FOREVER || timeout_ns == 0) continue;
    if (deadline == 0) {
      deadline = deadline_of(timeout_ns);
    } else if (fmpi_clock_ns() >= deadline) {
      fmpi_awake(f);
      return EYOT_ETIMEOUT;
    }
  }
}

int fmpi_wait_mem(struct fab *fab, const struct fab_cond *cond, uint64_t timeout_ns,
                  uint64_t *seen) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at = {0};
  struct wait_words w = {.conds = cond, .n = 1};
  EYOTI_TRY(wait_check(f, cond, &at, &w.memory));
  EYOTI_TRY(before_wait(f, timeout_ns));
  w.word = at.ptr;
  int rc = wait_words_until(f, word_holds, &w, timeout_ns);
  if (__builtin_expect(w.published, 0)) fmpi_wait_unpublished(f);
  if (rc != 0) return rc;
  if (seen != NULL) *seen = w.seen;
  return EYOT_OK;
}

int fmpi_wait_any(struct fab *fab, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index, uint32_t *held) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at = {0};
  struct wait_words w = {
      .f = f, .conds = conds, .n = n, .most = held != NULL ? *held : 1, .index = index};
  if (n == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "waiting for any of no words would never end; give at least one condition");
  bool few = n <= WORDS_FEW;
  for (uint32_t i = 0; i < n; i++) {
    EYOTI_TRY(wait_check(f, &conds[i], &at, &w.memory));
    if (few) w.words[i] = word_of(f, &conds[i]);
  }
  EYOTI_TRY(before_wait(f, timeout_ns));
  int rc = few ? wait_words_until(f, few_hold, &w, timeout_ns)
               : wait_words_until(f, any_holds, &w, timeout_ns);
  if (__builtin_expect(w.published, 0)) fmpi_wait_unpublished(f);
  if (rc != 0) return rc;
  if (held != NULL) *held = w.held;
  return EYOT_OK;
}

int fmpi_wait_low(struct fab *fab, struct fab_addr at, uint32_t value) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at word = {0};
  EYOTI_TRY(fmpi_resolve(f, at, 8, &word));
  EYOTI_TRY(before_wait(f, FAB_FOREVER));
  struct wait_words w = {.word = word.ptr,
                         .low_at = at,
                         .low = value,
                         .n = 1,
                         .memory.segs = UINT64_C(1) << word.slot};
  int rc = wait_words_until(f, low_holds, &w, FAB_FOREVER);
  if (__builtin_expect(w.published, 0)) fmpi_wait_unpublished(f);
  return rc;
}

uint64_t fmpi_now_ns(struct fab *fab) {
  struct fmpi *f = fmpi_of(fab);
  /* a failure of MPI is logged there and met again by the next operation */
  if (!f->job.one_node || f->attach.message != NULL) (void)fmpi_poll(f);
  return fmpi_clock_ns() - f->job.start_ns;
}

int fmpi_compute(struct fab *fab, uint64_t ns) {
  (void)ns; /* the computation itself takes its time here */
  struct fmpi *f = fmpi_of(fab);
  if (f->signals.head != NULL) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  return fmpi_poll(f);
}
