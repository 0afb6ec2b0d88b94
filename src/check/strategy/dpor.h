/* SPDX-License-Identifier: BSD-3-Clause */
/* dpor.h - the state of the exhaustive search: the stack of the current run, and what its steps
 * accessed. For exhaustive.c and dpor_*.c only.
 *
 * dpor_stack.c goes depth first through all choices, run by run. dpor_clocks.c keeps the last
 * accesses of each word, and which step happened before which. dpor_races.c derives from these
 * which other choices must be tried (backtrack points) and which need not be (sleep sets).
 *
 * Memory: snapshot/mem.h; panics when out of memory. Thread rule: one thread. */

/* The search makes as many runs as there are interleavings, and each run equals the one before
 * except for its last steps. So the stack and all that belongs to its steps stay from run to run: a
 * run replays the steps up to the branching point, which costs a comparison each, and only the
 * steps after it are computed. All data is in flat arrays that grow to the largest run and are cut
 * back to a node's first entry when the search leaves that node: nothing is allocated once the
 * deepest run was made. Steps have the number of their node; "+1" in a field's comment means that 0
 * is none. */
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

/* The state of a process at a node that offers it. */
enum chk_dpor_flag {
  CHK_DPOR_WANTED = 1,   /* in the backtrack set: its step must be explored from here */
  CHK_DPOR_EXPLORED = 2, /* its step was explored, with all its draws */
  /* an earlier branch has explored the runs that its step begins; its summary is valid */
  CHK_DPOR_ASLEEP = 4,
  /* it polled in vain, and no word that it reads has changed: not to be picked */
  CHK_DPOR_HELD = 8,
  CHK_DPOR_YIELDS = 16, /* the engine says that it polls */
  CHK_DPOR_UNKNOWN = 32 /* one of its steps was cut off before its end, so it has no summary */
};

/* A process that could take the next step. If asleep: the summary of that step, which is what it
 * accesses over all its draws. */
struct chk_dpor_offer {
  uint32_t who, flags, summary, n_summary;
};

/* An entry of a summary. */
enum chk_dpor_kind { CHK_DPOR_READ, CHK_DPOR_WRITE, CHK_DPOR_WAKE };
struct chk_dpor_touch {
  uint32_t what, kind; /* an index into `words`, or for CHK_DPOR_WAKE a process */
};

/* An access of a step, one per word and step. The values that it replaced in the word are kept to
 * undo it, and link the reads between two writes. */
struct chk_dpor_access {
  uint32_t word, step, old_write, old_reads;
  bool write;
};

struct chk_dpor_word {
  uint64_t id;
  uint32_t write; /* the last step that wrote the word, +1 */
  uint32_t reads; /* the last access that read it since, +1; older ones follow by old_reads */
};

/* Until when a process that polled in vain is held. */
enum chk_dpor_hold { CHK_DPOR_UNTIL_WRITTEN = 1, CHK_DPOR_UNTIL_OTHERS };

/* A process in the current run. */
struct chk_dpor_process {
  uint32_t last;    /* its last step, +1 */
  uint32_t creator; /* the step that created it, +1 */
  uint32_t waker;   /* the step after its last one that created it or enabled it, +1 */
  uint32_t held;    /* its last step polled in vain: the end of the hold (enum chk_dpor_hold) */
  uint32_t slot; /* a hint, to be verified: its index among the offers of the node searched last */
};

/* The state of a process before a step changed it. */
struct chk_dpor_undo {
  uint32_t who;
  struct chk_dpor_process old;
};

/* A state of the system, and the step that the run takes from it. The numbers are first entries in
 * the arrays. */
struct chk_dpor_node {
  uint32_t offers, n_offers, chosen; /* chosen: an index among the offers, or CHK_DPOR_NONE */
  uint32_t draws, n_draws;
  uint32_t n_processes; /* numbers of processes below this were in use before the step */
  uint32_t summaries;
  /* The step, if it has ended: */
  bool stepped;
  uint32_t who, accesses, n_accesses, clock, n_clock, undo;
  uint32_t before, creator, waker; /* state of the process when it took the step */
  uint64_t digest;                 /* of all that the engine reported about it */
};

struct chk_dpor_counts {
  uint64_t runs, passed, failed, bounded, pruned, steps, races, held;
  uint32_t depth;
};

struct chk_dpor {
  struct chk_strategy base;
  bool reduce, over;
  uint64_t max_runs;
  uint32_t at;   /* number of steps taken in this run */
  uint32_t draw; /* number of draws in this step */
  bool stepping; /* between `pick` and `did` */
  uint32_t n_processes;
  struct chk_dpor_counts counts;
  struct chk_dpor_array nodes, offers, draws, summaries; /* draws: struct chk_choice */
  struct chk_dpor_array accesses, clocks, undo;          /* clocks: uint32_t */
  struct chk_dpor_array words, processes;
  struct chk_dpor_array hash;              /* word ids, hashed: index into words, +1 */
  struct chk_dpor_array candidates, races; /* of one step; elements: uint32_t */
};

/* Adds n entries at the end of p, which are not zeroed if they were in use before. The address is
 * valid until the next call. */
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

/* True if step i happened before step k > i. */
static inline bool chk_dpor_before(const struct chk_dpor *d, uint32_t i, uint32_t k) {
  const struct chk_dpor_node *node = chk_dpor_node(d, k);
  uint32_t who = chk_dpor_node(d, i)->who;
  return node->n_clock > who && *chk_dpor_clock(d, node->clock + who) > i;
}

/* dpor_stack.c */

/* Pushes a node for the current state. */
struct chk_dpor_node *chk_dpor_push(struct chk_dpor *d, const uint32_t *who, const bool *yields,
                                    uint32_t n);
/* The choice that the stack has for the current state, whose node exists already. */
uint32_t chk_dpor_replay(struct chk_dpor *d, const uint32_t *who, const bool *yields, uint32_t n);
/* Chooses the next offer of the node to explore; false: there is none. */
bool chk_dpor_choose(struct chk_dpor *d, struct chk_dpor_node *node);
/* Leaves everything that was explored: the stack becomes the prefix of the next run, or empty when
 * all was explored. */
void chk_dpor_advance(struct chk_dpor *d);
/* The index among the node's offers of the process, or CHK_DPOR_NONE. */
uint32_t chk_dpor_find(const struct chk_dpor *d, const struct chk_dpor_node *node, uint32_t who);

/* dpor_clocks.c */

/* Records the step that has just ended. With `reduce`, d->races becomes the list of the steps that
 * it races with. */
void chk_dpor_record(struct chk_dpor *d, const struct chk_step *step, uint64_t digest);
/* Undoes the record of the last step of the stack. */
void chk_dpor_unrecord(struct chk_dpor *d, struct chk_dpor_node *node);
/* Notes the processes that the step before this new node has enabled: the node offers them and the
 * one before did not. */
void chk_dpor_note_woken(struct chk_dpor *d, const struct chk_dpor_node *node);
/* The process, which is created if it is new. */
struct chk_dpor_process *chk_dpor_meet(struct chk_dpor *d, uint32_t who);

/* dpor_races.c */

/* For each of d->races: makes sure that the two steps are tried in the other order, if that is
 * possible. */
void chk_dpor_reverse(struct chk_dpor *d);
/* Processes that the last step has disabled must be tried before that step. node NULL: the run has
 * ended, and all other offers before the step count as disabled. */
void chk_dpor_note_disabled(struct chk_dpor *d, const struct chk_dpor_node *node);
/* Sets the processes that sleep at the new node: those that slept before the last step and are
 * independent of it. */
void chk_dpor_inherit_sleep(struct chk_dpor *d, struct chk_dpor_node *node);
/* Adds the accesses of the node's step to the summary of its process there. */
void chk_dpor_summarize(struct chk_dpor *d, const struct chk_dpor_node *node);
#endif
