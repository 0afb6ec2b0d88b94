/* SPDX-License-Identifier: BSD-3-Clause */
/* shrink.h - makes a failing stream of choices as simple as possible while the run still fails
 * alike. For eyotcheck (fabric_sim/explore).
 *
 * Why it exists: a failure is found among hundreds of choices, most of which don't matter; the bug
 * needs those that remain. A choice of 0 is a quiet network and the oldest process taking the step,
 * so each other remaining choice is a disturbance that is part of the explanation.
 *
 * Sources: Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, TSE 28(2), 2002
 * (ddmin: blocks by halves); MacIver, Donaldson: Test-case reduction via test-case generation,
 * ECOOP 2020 (shrinks the choices, not what is made of them). Memory: snapshot/mem.h; panics when
 * out of memory. Thread rule: one thread. */

/* Simpler is: fewer choices that are not 0; then shorter, zeros at the end left out; then smaller
 * at the first difference. */
#ifndef EYOT_CHECK_RUNFILE_SHRINK_H
#define EYOT_CHECK_RUNFILE_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

#include "check/strategy/stream.h"

/* Runs the candidate as chk_replay_new does (0 after its end, values modulo the bound) and returns
 * true if the same failure came; *used becomes the choices that the run drew. The caller
 * initializes and clears `used`. */
typedef bool (*chk_try_fn)(void *arg, const struct chk_stream *candidate, struct chk_stream *used);

struct chk_shrunk {
  uint64_t tries, kept;        /* calls of `try`; those that found a simpler stream */
  uint32_t before, before_set; /* choices of the first run, and those that are not 0 */
  uint32_t after, after_set;
  bool fixed_point; /* no candidate is left to try; false: the tries were used up */
};

/* Replaces *failing by the simplest stream found, without zeros at its end. At most max_tries
 * tries, 0: any number. False: the stream as given does not fail; it stays as it is, and stats show
 * one try. */
bool chk_shrink(struct chk_stream *failing, chk_try_fn try, void *arg, uint64_t max_tries,
                struct chk_shrunk *stats);

/* Below 0: a is simpler than b; 0: equal except for zeros at the end and bounds. */
int chk_shrink_compare(const struct chk_stream *a, const struct chk_stream *b);
#endif
