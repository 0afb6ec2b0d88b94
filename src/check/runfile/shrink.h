/* SPDX-License-Identifier: BSD-3-Clause */
/* shrink.h - makes a failing stream of choices as simple as it can be while the run still fails
 * alike.
 *
 * Why it exists: a failure is found among hundreds of choices, of which most do not matter; what is
 * left after shrinking is what the bug needs. Since 0 is what quiet hardware does and the oldest
 * process going on, every other choice that is left is a disturbance that somebody must explain.
 *
 * Simpler is: fewer choices that are not 0; then shorter, zeros at the end left out; then smaller
 * at the first difference. Source: blocks by halves after Zeller, Hildebrandt: Simplifying and
 * isolating failure-inducing input, TSE 28(2), 2002 (ddmin); shrinking the choices and not what is
 * made of them after MacIver, Donaldson: Test-case reduction via test-case generation, ECOOP 2020
 * (Hypothesis). Memory: snapshot/mem.h; panics when there is none. Thread rule: one thread. */
#ifndef EYOT_CHECK_RUNFILE_SHRINK_H
#define EYOT_CHECK_RUNFILE_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "check/strategy/stream.h"

/* Runs the candidate as chk_replay_new does (0 beyond its end, values modulo the bound) and says
 * whether the same failure came; *used becomes the choices that the run drew. used is initialized
 * and cleared by the caller. */
typedef bool (*chk_try_fn)(void *arg, const struct chk_stream *candidate, struct chk_stream *used);

struct chk_shrunk {
  uint64_t tries, kept;        /* calls of try; those that led on */
  uint32_t before, before_set; /* choices, and those not 0, of the first run */
  uint32_t after, after_set;
  bool fixed_point; /* no candidate is left to try; else the tries were used up */
};

/* Replaces *failing by the simplest stream found, without zeros at its end. At most max_tries
 * tries, 0: any number. False: the stream as given does not fail; it stays as it is, and stats
 * tells one try. */
bool chk_shrink(struct chk_stream *failing, chk_try_fn try, void *arg, uint64_t max_tries,
                struct chk_shrunk *stats);

/* Below 0: a is simpler than b; 0: alike but for zeros at the end and bounds. */
int chk_shrink_compare(const struct chk_stream *a, const struct chk_stream *b);
#endif
