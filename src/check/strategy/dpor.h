/* SPDX-License-Identifier: BSD-3-Clause */
/* dpor.h - the state of the exhaustive search (exhaustive.c): the stack of the run in
 * progress, and what its steps touched.
 *
 * Why it exists: three concerns share it. dpor_stack.c goes depth first through all choices, run
 * by run. dpor_clocks.c keeps what each word was last touched by, and which step happened before
 * which. dpor_races.c tells from that which other choices must be tried (backtrack points) and
 * which need not (sleep).
 *
 * The search lives through as many runs as there are interleavings, and everything of a run but its
 * last steps is equal to the run before. So the stack and all that belongs to its steps stay from
 * run to run: a run replays the steps up to the branching point, which costs a comparison each, and
 * only what follows is computed. Everything is in flat arrays that grow to the largest run and are
 * cut back to a node's first entry when the search leaves that node: no allocation once the deepest
 * run has been seen. Steps have the number of their node; "+1" in a field's comment means that 0 is
 * none.
 *
 * Memory: from snapshot/mem.h; out of memory panics. Thread rule: one thread. */
#ifndef EYOT_CHECK_STRATEGY_DPOR_H
#define EYOT_CHECK_STRATEGY_DPOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/strategy/strategy.h"

#define CHK_DPOR_NONE UINT32_MAX

/* A flat array of one type. */
struct chk_dpor_array {
  void *at;
  uint32_t n, cap;
};

/* What is known of a process at a node that offers it. */
enum chk_dpor_flag {
  CHK_DPOR_WANTED = 1,   /* in the backtrack set: its step is to be explored from here */
  CHK_DPOR_EXPLORED = 2, /* and has been, with all its draws */
  /* what follows its step has been seen in an earlier branch; its summary is valid */
  CHK_DPOR_ASLEEP = 4,
  /* polled in vain, and nothing that it looks at has changed: not to be picked */
  CHK_DPOR_HELD = 8,
  CHK_DPOR_YIELDS = 16, /* said to poll */
  CHK_DPOR_UNKNOWN = 32 /* a step of it was cut off before its end, so it has no summary */
};

/* A process that could take the next step, and the summary of that step, if asleep: what it
 * touches, over all its draws. */
struct chk_dpor_offer {
  uint32_t who, flags, summary, n_summary;
};

/* An entry of a summary. */
enum chk_dpor_kind { CHK_DPOR_READ, CHK_DPOR_WRITE, CHK_DPOR_WAKE };
struct chk_dpor_touch {
  uint32_t what, kind; /* an index into words, or for CHK_DPOR_WAKE a process */
};

/* An access of a step, one per word and step. What it replaced in the word is kept to undo it, and
 * links the reads between two writes. */
struct chk_dpor_access {
  uint32_t word, step, old_write, old_reads;
  bool write;
};

struct chk_dpor_word {
  uint64_t id;
  uint32_t write; /* the last step that wrote it, +1 */
  uint32_t reads; /* the last access that read it since, +1; older ones follow by old_reads */
};

/* Until when one that polled in vain is held. */
enum chk_dpor_hold { CHK_DPOR_UNTIL_WRITTEN = 1, CHK_DPOR_UNTIL_OTHERS };

/* A process in the run so far. */
struct chk_dpor_process {
  uint32_t last;    /* its last step, +1 */
  uint32_t creator; /* the step that created it, +1 */
  uint32_t waker;   /* the step since its last one that created it or, later, let it go on, +1 */
  uint32_t held;    /* its last step polled in vain, and this ends the wait (enum chk_dpor_hold) */
  uint32_t slot;    /* where the node looked at last offers it: to be verified */
};

/* What a step changed in a process. */
struct chk_dpor_undo {
  uint32_t who;
  struct chk_dpor_process old;
};

/* A state of the system and the step that the run takes from it. The numbers are first entries in
 * the pools. */
struct chk_dpor_node {
  uint32_t offers, n_offers, chosen; /* chosen: index among the offers, or CHK_DPOR_NONE */
  uint32_t draws, n_draws;
  uint32_t n_processes; /* numbers of processes below this were in use before the step */
  uint32_t summaries;
  /* The step, if it has come to its end: */
  bool stepped;
  uint32_t who, accesses, n_accesses, clock, n_clock, undo;
  uint32_t before, creator, waker; /* of the process when it took the step */
  uint64_t digest;                 /* of what the engine told of it */
};

struct chk_dpor_counts {
  uint64_t runs, passed, failed, bounded, pruned, steps, races, held;
  uint32_t depth;
};

struct chk_dpor {
  struct chk_strategy base;
  bool reduce, over;
  uint64_t max_runs;
  uint32_t at;   /* steps taken in this run */
  uint32_t draw; /* draws made in this step */
  bool stepping; /* between pick and did */
  uint32_t n_processes;
  struct chk_dpor_counts counts;
  struct chk_dpor_array nodes, offers, draws, summaries; /* draws: struct chk_choice */
  struct chk_dpor_array accesses, clocks, undo;          /* clocks: uint32_t */
  struct chk_dpor_array words, processes;
  struct chk_dpor_array hash;              /* of words by id: index into words, +1 */
  struct chk_dpor_array candidates, races; /* of one step: uint32_t */
};

/* n more entries at the end of p, not zeroed where they were in use before. The address is good
 * until the next call. */
void *chk_dpor_array_add(struct chk_dpor_array *p, uint32_t n, size_t size);

static inline struct chk_dpor_node *chk_dpor_node(const struct chk_dpor *d, uint32_t i) {
  return (struct chk_dpor_node *)d->nodes.at + i;
}
static inline struct chk_dpor_offer *chk_dpor_offer(const struct chk_dpor *d, uint32_t i) {
  return (struct chk_dpor_offer *)d->offers.at + i;
}
static inline struct chk_dpor_access *chk_dpor_access(const struct chk_dpor *d, uint32_t i) {
  return (struct chk_dpor_access *)d->accesses.at + i;
}
static inline struct chk_dpor_word *chk_dpor_word(const struct chk_dpor *d, uint32_t i) {
  return (struct chk_dpor_word *)d->words.at + i;
}
static inline struct chk_dpor_process *chk_dpor_process(const struct chk_dpor *d, uint32_t i) {
  return (struct chk_dpor_process *)d->processes.at + i;
}
static inline uint32_t *chk_dpor_clock(const struct chk_dpor *d, uint32_t i) {
  return (uint32_t *)d->clocks.at + i;
}

/* Whether step i happened before step k > i. */
static inline bool chk_dpor_before(const struct chk_dpor *d, uint32_t i, uint32_t k) {
  const struct chk_dpor_node *node = chk_dpor_node(d, k);
  uint32_t who = chk_dpor_node(d, i)->who;
  return node->n_clock > who && *chk_dpor_clock(d, node->clock + who) > i;
}

/* dpor_stack.c */

/* A node for the state at hand, on top of the stack. */
struct chk_dpor_node *chk_dpor_push(struct chk_dpor *d, const uint32_t *who, const bool *yields,
                                    uint32_t n);
/* The choice that the stack has for the state at hand, whose node exists already. */
uint32_t chk_dpor_replay(struct chk_dpor *d, const uint32_t *who, const bool *yields, uint32_t n);
/* The next offer of the node to explore, or false. */
bool chk_dpor_choose(struct chk_dpor *d, struct chk_dpor_node *node);
/* Leaves everything that has been explored: afterwards the stack is the prefix of the next run, or
 * empty, and then all has been explored. */
void chk_dpor_advance(struct chk_dpor *d);
/* Where the node offers the process, or CHK_DPOR_NONE. */
uint32_t chk_dpor_find(const struct chk_dpor *d, const struct chk_dpor_node *node, uint32_t who);

/* dpor_clocks.c */

/* Takes down the step at hand. With reduce, d->races are afterwards the steps that it is in a race
 * with. */
void chk_dpor_record(struct chk_dpor *d, const struct chk_step *step, uint64_t digest);
/* Takes it back: the last of the stack. */
void chk_dpor_unrecord(struct chk_dpor *d, struct chk_dpor_node *node);
/* The step before this new node let these go on: whom the node offers and the one before did
 * not. */
void chk_dpor_note_woken(struct chk_dpor *d, const struct chk_dpor_node *node);
/* The process, which exists from now on. */
struct chk_dpor_process *chk_dpor_meet(struct chk_dpor *d, uint32_t who);

/* dpor_races.c */

/* For each of d->races: sees to it that the two steps are tried in the other order, if they can
 * be. */
void chk_dpor_reverse(struct chk_dpor *d);
/* Whom the last step has disabled (all others offered before it, if node is NULL: the run has
 * ended) must be tried before that step. */
void chk_dpor_note_disabled(struct chk_dpor *d, const struct chk_dpor_node *node);
/* Who sleeps at the new node: who slept before the last step and is independent of it. */
void chk_dpor_inherit_sleep(struct chk_dpor *d, struct chk_dpor_node *node);
/* Adds what the step of the node touched to the summary of its process there. */
void chk_dpor_summarize(struct chk_dpor *d, const struct chk_dpor_node *node);
#endif
