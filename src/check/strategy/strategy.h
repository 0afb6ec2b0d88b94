/* SPDX-License-Identifier: BSD-3-Clause */
/* strategy.h - the interface of strategies, which make the choices of a run. The engine of
 * eyotcheck (src/fabric_sim) offers the possible steps, and the strategy selects one.
 *
 * Why it exists: random walk, priorities, exhaustive search, mutation by coverage, replay and
 * shrinking all produce one stream of bounded integers (the choices). The engine does not know
 * which strategy answers; a strategy does not know units or puts.
 *
 * Memory: all state of a strategy comes from snapshot/mem.h, since everything else is restored
 * between two runs. Thread rule: one thread a strategy. */

/* A run is a sequence of steps. Before each step the engine offers the processes that could take it
 * (pick); in a step it may ask further questions (draw), and afterwards it reports the accesses of
 * the step (did). The engine numbers the processes: the units 0 .. n-1, then every operation in
 * flight in the order of its creation, so that two runs with the same choices so far have the same
 * numbers. */
#ifndef EYOT_CHECK_STRATEGY_STRATEGY_H
#define EYOT_CHECK_STRATEGY_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check/strategy/stream.h"

/* The outcome of a run. */
enum chk_end {
  CHK_PASSED = 0,
  CHK_FAILED, /* a detector, an invariant or the program reported a failure */
  CHK_BOUND,  /* more steps than the limit */
  CHK_PRUNED  /* the strategy has seen every possible continuation (CHK_STOP) */
};

/* bit of a feature: an edge of code; without it a state of the protocol */
#define CHK_SAW_EDGE (UINT64_C(1) << 63)
#define CHK_STOP UINT32_MAX /* an answer of pick: end this run, all continuations are known */

/* A word that a step accessed. Ids are equal for equal words in all runs; the engine defines what
 * they number (words of memory, completions). */
struct chk_access {
  uint64_t word;
  bool write;
};

/* The effects of a step. woke: processes that could not go on before it and can since, or that it
 * has created. */
struct chk_step {
  uint32_t who;
  uint32_t n_accesses, n_woke;
  const struct chk_access *accesses; /* a word may occur more than once */
  const uint32_t *woke;
};

struct chk_strategy;
struct chk_strategy_ops {
  const char *name;
  bool wants_steps; /* if false, `did` is not called, and engines need not record steps */
  /* Called before each run. False: no more runs. */
  bool (*begin)(struct chk_strategy *s);
  /* Selects which of the n >= 1 processes who[0..n-1] takes the next step: returns its index, or
   * CHK_STOP. They are ordered by age: the one that has been able to go on for longest is first.
   * yields[i]: it only polls, and may do so for ever if it alone is picked. Called also when n is
   * 1. */
  uint32_t (*pick)(struct chk_strategy *s, const uint32_t *who, const bool *yields, uint32_t n);
  /* Returns an integer below bound >= 2 (a delay, a cut, whether a time-out expires). 0 is the
   * behavior of a quiet network. */
  uint32_t (*draw)(struct chk_strategy *s, uint32_t bound);
  void (*did)(struct chk_strategy *s, const struct chk_step *step);
  /* Reports a feature that a run reached and that others may not have reached: an edge of code, a
   * state of the protocol. For strategies that use coverage. */
  void (*saw)(struct chk_strategy *s, uint64_t feature);
  void (*end)(struct chk_strategy *s, enum chk_end how, const struct chk_stream *choices);
  /* Prints what has been explored, for the closing report. */
  void (*report)(const struct chk_strategy *s, FILE *out);
  void (*destroy)(struct chk_strategy *s);
};
/* The first member of every strategy. */
struct chk_strategy {
  const struct chk_strategy_ops *ops;
};

/* The parameters of a strategy; each reads those that it uses. The fields after `processes` are the
 * options of single strategies: strategies.def. */
struct chk_options {
  uint64_t seed, runs; /* runs 0: no limit */
  uint32_t processes;  /* units */
#define STRATEGY(strategy, kind, help)
#define STRATEGY_NUMBER(strategy, field, flag, value, def, least, most, help) uint32_t field;
#define STRATEGY_SWITCH(strategy, field, flag, def, help) bool field;
#include "check/strategy/strategies.def"
};
/* Sets the options of single strategies to their defaults, and the other fields to 0. */
void chk_options_init(struct chk_options *o);

/* chk_random_new, ...: one for each row of strategies.def. NULL: out of memory. */
#define STRATEGY(strategy, kind, help) \
  struct chk_strategy *chk_##strategy##_new(const struct chk_options *o);
#define STRATEGY_NUMBER(strategy, field, flag, value, def, least, most, help)
#define STRATEGY_SWITCH(strategy, field, flag, def, help)
#include "check/strategy/strategies.def"

struct chk_strategy_entry {
  const char *name;
  const char *help;
  /* runs every interleaving once, in one order and in one process, and ends by itself */
  bool systematic;
  struct chk_strategy *(*make)(const struct chk_options *o);
};
/* The entry of that index, or of that name; NULL: there is none. */
const struct chk_strategy_entry *chk_strategy_at(uint32_t index);
const struct chk_strategy_entry *chk_strategy_find(const char *name);

/* Makes one run: the choices of `stream` (kept by the caller), then always 0; a value at or above
 * its question's bound is taken modulo the bound. */
struct chk_strategy *chk_replay_new(const struct chk_stream *stream);
#endif
