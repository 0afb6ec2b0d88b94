/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h - the parts that the files of eyot-calibrate-probe share: two units, the memory that they
 * measure on, and the turns that unit 1 takes while unit 0 measures. */
#ifndef EYOT_CALIBRATE_PROBE_H
#define EYOT_CALIBRATE_PROBE_H

#include <eyot/eyot.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  PROBE_BYTES = 1 << 22,
  PROBE_FAR_BYTES = 1 << 26,
  PROBE_LINE = 64,
  PROBE_LINES = 256,
  PROBE_POSTS = 32
};

struct probe {
  uint32_t me;
  uint64_t turn;                /* of the word `turns` */
  eyot_gptr_t here, there;      /* PROBE_BYTES of this unit, of the other one */
  eyot_gptr_t turns, its_turns; /* a word that the other unit sets, and that one's */
  char *mine;                   /* the address of `here` */
  eyot_gptr_t table, its_table; /* PROBE_FAR_BYTES of this unit, of the other one; or null */
  char *buffer;                 /* PROBE_BYTES of private memory */
  double clock_ns;              /* what reading the clock takes */
};

/* Ends the job with the call's name if it has failed. */
void probe_must(int code, const char *what);

/* The next of a pseudorandom sequence (Marsaglia's xorshift), from any *x but 0. */
static inline uint64_t probe_random(uint64_t *x) {
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

/* Tells the other unit that its turn begins; waits for the own turn. A target that waits here is
 * inside eyot. */
void probe_pass(struct probe *p);
void probe_await(struct probe *p);

/* One kind of measurement: unit 0 repeats the operation n times and returns the nanoseconds that
 * they took together; unit 1 calls `other` meanwhile, or waits inside eyot (NULL). */
struct probe_kind {
  const char *name;
  double (*measure)(struct probe *p, uint64_t n);
  void (*other)(struct probe *p, uint64_t n);
  uint64_t most; /* repetitions */
};

/* Each ends without a name. */
extern const struct probe_kind PROBE_OPS[], PROBE_TURNS[], PROBE_COPIES[], PROBE_FAR[];
#endif
