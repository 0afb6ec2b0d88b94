/* SPDX-License-Identifier: BSD-3-Clause */
/* strategy.h - who decides what the program does not: the seam between an engine that knows what
 * may happen next and a strategy that says what does.
 *
 * Why it exists: a random walk, priorities, an exhaustive search, mutation by coverage, replay and
 * shrinking are producers of one stream of bounded integers (the choices). The engine
 * (src/fabric_sim) asks for choices and never knows who answers; a strategy never knows what a unit
 * or a put is.
 *
 * A run is a sequence of steps. Before each step the engine offers the processes that could take it
 * (pick); in a step it may ask further questions (draw), and afterwards it tells what the step
 * touched (did). Processes are numbered by the engine: the units 0 .. n-1, then every operation in
 * flight in the order of its creation, so that two runs with the same choices so far number alike.
 *
 * Memory: all state of a strategy comes from snapshot/mem.h, since everything else is taken back to
 * its beginning between two runs. */
#ifndef EYOT_CHECK_STRATEGY_STRATEGY_H
#define EYOT_CHECK_STRATEGY_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check/strategy/stream.h"

/* How a run ended. */
enum chk_end {
  CHK_PASSED = 0,
  CHK_FAILED, /* a detector, an invariant or the program found something */
  CHK_BOUND,  /* more steps than allowed */
  CHK_PRUNED  /* the strategy has seen everything that could follow (CHK_STOP) */
};

/* of features: an edge of code; without it a state of the protocol */
#define CHK_SAW_EDGE (UINT64_C(1) << 63)
#define CHK_STOP UINT32_MAX /* an answer of pick: end this run, it leads nowhere new */

/* A word that a step touched. Ids are equal for equal words in all runs; what they number is the
 * engine's business (words of memory, completions). */
struct chk_access {
  uint64_t word;
  bool write;
};

/* What a step did. woke: processes that could not go on before it and can since, or that it has
 * created. */
struct chk_step {
  uint32_t who;
  uint32_t n_accesses, n_woke;
  const struct chk_access *accesses; /* a word may occur more than once */
  const uint32_t *woke;
};

struct chk_strategy;
struct chk_strategy_ops {
  const char *name;
  bool wants_steps; /* else did is not called, and engines need not record */
  /* Before each run. False: there is no other run to make. */
  bool (*begin)(struct chk_strategy *s);
  /* One of the n >= 1 processes who[0..n-1] takes the next step: its index, or CHK_STOP. They are
   * in the order of age: who could go on first is first. yields[i]: it only polls, and may do so
   * for ever if it alone is picked. Asked also when n is 1. */
  uint32_t (*pick)(struct chk_strategy *s, const uint32_t *who, const bool *yields, uint32_t n);
  /* An integer below bound >= 2 (a delay, a cut, whether a time-out strikes). 0 is what quiet
   * hardware does. */
  uint32_t (*draw)(struct chk_strategy *s, uint32_t bound);
  void (*did)(struct chk_strategy *s, const struct chk_step *step);
  /* Something that a run reached and that others may not have: an edge of code, a state of the
   * protocol. For strategies that want news. */
  void (*saw)(struct chk_strategy *s, uint64_t feature);
  void (*end)(struct chk_strategy *s, enum chk_end how, const struct chk_stream *choices);
  /* What has been explored, in words, for the closing report. */
  void (*report)(const struct chk_strategy *s, FILE *out);
  void (*destroy)(struct chk_strategy *s);
};
/* First member of every strategy. */
struct chk_strategy {
  const struct chk_strategy_ops *ops;
};

/* What strategies are made from; each ignores what it has no use for. */
struct chk_options {
  uint64_t seed, runs; /* runs 0: no bound */
  uint32_t processes;  /* units */
  uint32_t pct_depth;  /* pct: d, the number of ordering constraints of the bug looked for */
  bool reduce;         /* exhaustive: partial-order reduction and sleep sets */
};

/* NULL: out of memory. */
struct chk_strategy *chk_random_new(const struct chk_options *o);
struct chk_strategy *chk_pct_new(const struct chk_options *o);
struct chk_strategy *chk_exhaustive_new(const struct chk_options *o);
struct chk_strategy *chk_guided_new(const struct chk_options *o);
/* One run: the choices of `stream` (kept by the caller), then 0 for ever; a value at or above its
 * question's bound is taken modulo it. */
struct chk_strategy *chk_replay_new(const struct chk_stream *stream);
#endif
