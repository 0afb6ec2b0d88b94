/* SPDX-License-Identifier: BSD-3-Clause */
/* check_flag.c - programs in which puts end waits, for the race detector: check_flag CASE, with 3
 * units. Cases whose name ends in _ok are ordered as memory-model.md requires (rules 9 and 10); the
 * others are not, and the race must be found in every run. */
#include <eyot/check.h>
#include <string.h>

#include "programs/must.h"

enum { X = 0, Y, FLAG, FLAG2, WORDS = 16 };
#define UNITS 3
#define UPPER 4 /* bytes of a word to its upper half */

/* All puts are of ones; their sources stay valid. */
static const uint64_t ONES[2] = {1, 1};

struct here {
  eyot_gptr_t all;
  uint32_t me;
};

static eyot_gptr_t at(const struct here *h, int word, int byte, uint32_t unit) {
  return eyot_gptr_add(eyot_gptr_at(h->all, (eyot_unit_t){unit}), word * 8 + byte);
}
static void *own(const struct here *h, int word) {
  void *p;
  MUST(eyot_gptr_addr(at(h, word, 0, h->me), &p));
  return p;
}
static void put(const struct here *h, int word, uint32_t unit) {
  MUST(eyot_put(at(h, word, 0, unit), ONES, 8));
}
static void put_nbi(const struct here *h, int word, uint32_t unit) {
  MUST(eyot_put_nbi(at(h, word, 0, unit), ONES, 8));
}
static void put_half(const struct here *h, int word, int byte, uint32_t unit) {
  MUST(eyot_put(at(h, word, byte, unit), ONES, 4));
}
static eyot_cond_t is_one(const struct here *h, int word, int byte, eyot_type_t type) {
  return (eyot_cond_t){
      .word = at(h, word, byte, h->me), .type = type, .cmp = EYOT_CMP_GE, .value = 1};
}
static void hear(const struct here *h, int word) {
  const eyot_cond_t c = is_one(h, word, 0, EYOT_UINT64);
  MUST(eyot_wait_until_word(&c, EYOT_FOREVER, NULL));
}
static void hear_half(const struct here *h, int word, int byte) {
  const eyot_cond_t c = is_one(h, word, byte, EYOT_INT32);
  MUST(eyot_wait_until_word(&c, EYOT_FOREVER, NULL));
}
static void reads(const struct here *h, int word) {
  eyot_check_reads(own(h, word), 8);
}

/* -- racing ------------------------------------------------------------------------------------ */

static void unordered(const struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 1);
    put_nbi(h, FLAG, 1);
    MUST(eyot_flush_all(EYOT_REMOTE));
  } else if (h->me == 1) {
    hear(h, FLAG);
    reads(h, X);
  }
}

/* A load by the CPU is no wait. */
static void polled(const struct here *h) {
  if (h->me == 0) put(h, FLAG, 1);
  if (h->me == 1) (void)eyot_cpu_load(own(h, FLAG));
}

/* Nor is a get, by whoever. */
static void got(const struct here *h) {
  uint64_t seen;
  if (h->me == 0) put(h, FLAG, 1);
  if (h->me == 1) hear(h, FLAG);
  if (h->me == 2) MUST(eyot_get(&seen, at(h, FLAG, 0, 1), 8));
}

/* The flag that is seen is another unit's. */
static void other_half(const struct here *h) {
  if (h->me == 0) {
    put_half(h, FLAG, 0, 1);
  } else if (h->me == 2) {
    put(h, X, 1);
    put_half(h, FLAG, UPPER, 1);
  } else {
    hear_half(h, FLAG, 0);
    reads(h, X);
  }
}

static void longer(const struct here *h) {
  if (h->me == 0) MUST(eyot_put(at(h, FLAG, 0, 1), ONES, 16));
  if (h->me == 1) hear(h, FLAG);
}

/* Of 8 bytes, and aligned to 4. */
static void unaligned(const struct here *h) {
  if (h->me == 0) MUST(eyot_put(at(h, FLAG, UPPER, 1), ONES, 8));
  if (h->me == 1) hear_half(h, FLAG, UPPER);
}

static void mixed(const struct here *h) {
  uint64_t old;
  if (h->me == 0) put(h, FLAG, 1);
  if (h->me == 1) hear(h, FLAG);
  if (h->me == 2) MUST(eyot_fetch_add_u64(at(h, FLAG, 0, 1), 1, &old));
}

static void two_puts(const struct here *h) {
  if (h->me != 1) put(h, FLAG, 1);
  if (h->me == 1) hear(h, FLAG);
}

/* -- ordered ----------------------------------------------------------------------------------- */

static void put_ok(const struct here *h) {
  if (h->me == 0) {
    put(h, X, 1);
    put(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG);
    reads(h, X);
    reads(h, FLAG); /* its own bytes, too */
  }
}

static void order_ok(const struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 1);
    MUST(eyot_order((eyot_unit_t){1}));
    put_nbi(h, FLAG, 1);
    MUST(eyot_flush_all(EYOT_REMOTE));
  } else if (h->me == 1) {
    hear(h, FLAG);
    reads(h, X);
  }
}

static void upper_ok(const struct here *h) {
  if (h->me == 0) {
    put(h, X, 1);
    put_half(h, FLAG, UPPER, 1);
  } else if (h->me == 1) {
    hear(h, FLAG); /* all 8 bytes */
    reads(h, X);
  }
}

/* Two flags in one word, of two units. */
static void halves_ok(const struct here *h) {
  if (h->me != 1) {
    put(h, h->me == 0 ? X : Y, 1);
    put_half(h, FLAG, h->me == 0 ? 0 : UPPER, 1);
    return;
  }
  hear_half(h, FLAG, 0);
  reads(h, X);
  hear_half(h, FLAG, UPPER);
  reads(h, Y);
}

/* One half is a flag that is put, the other a counter. */
static void neighbor_ok(const struct here *h) {
  const uint32_t one = 1;
  if (h->me == 0) {
    put(h, X, 1);
    put_half(h, FLAG, 0, 1);
  } else if (h->me == 2) {
    MUST(eyot_accumulate(at(h, FLAG, UPPER, 1), EYOT_UINT32, EYOT_SUM, &one));
  } else {
    hear_half(h, FLAG, UPPER);
    hear_half(h, FLAG, 0);
    reads(h, X);
  }
}

/* The unit puts the flag again and again, and nobody answers. */
static void counts_ok(const struct here *h) {
  static const uint64_t COUNT[] = {1, 2, 3};
  for (size_t i = 0; i < 3; i++) {
    if (h->me == 0) MUST(eyot_put(at(h, FLAG, 0, 1), &COUNT[i], 8));
    if (h->me == 1) MUST(eyot_wait_until(at(h, FLAG, 0, 1), EYOT_CMP_GE, COUNT[i], NULL));
  }
}

static void chain_ok(const struct here *h) {
  if (h->me > 0) hear(h, FLAG);
  if (h->me == 0) put(h, X, 2);
  if (h->me < 2)
    put(h, FLAG, h->me + 1);
  else
    reads(h, X);
}

/* Each word that is returned, of any, some and all, is seen. */
static void lists_ok(const struct here *h) {
  if (h->me != 1) {
    put(h, h->me == 0 ? X : Y, 1);
    put(h, h->me == 0 ? FLAG : FLAG2, 1);
    return;
  }
  const eyot_cond_t c[2] = {is_one(h, FLAG, 0, EYOT_UINT64), is_one(h, FLAG2, 0, EYOT_INT64)};
  size_t index, at[2], count;
  MUST(eyot_wait_until_any(c, 2, EYOT_FOREVER, &index));
  reads(h, index == 0 ? X : Y);
  MUST(eyot_wait_until_some(c, 2, EYOT_FOREVER, at, &count));
  for (size_t k = 0; k < count; k++) reads(h, at[k] == 0 ? X : Y);
  MUST(eyot_wait_until_all(c, 2, EYOT_FOREVER));
  reads(h, X);
  reads(h, Y);
}

/* A put of 2 bytes is seen by a wait for the 4 around it, whatever the other 2 are. */
static void short_ok(const struct here *h) {
  if (h->me == 0) {
    put(h, X, 1);
    MUST(eyot_put(at(h, FLAG, UPPER + 2, 1), ONES, 2));
  } else if (h->me == 1) {
    hear_half(h, FLAG, UPPER);
    reads(h, X);
  } else {
    MUST(eyot_put(at(h, FLAG, 0, 1), ONES, 2));
  }
}

static const struct {
  const char *name;
  void (*run)(const struct here *h);
} CASES[] = {{"unordered", unordered},
             {"polled", polled},
             {"got", got},
             {"other_half", other_half},
             {"longer", longer},
             {"unaligned", unaligned},
             {"mixed", mixed},
             {"two_puts", two_puts},
             {"put_ok", put_ok},
             {"order_ok", order_ok},
             {"upper_ok", upper_ok},
             {"halves_ok", halves_ok},
             {"neighbor_ok", neighbor_ok},
             {"counts_ok", counts_ok},
             {"chain_ok", chain_ok},
             {"lists_ok", lists_ok},
             {"short_ok", short_ok}};

int main(int argc, char **argv) {
  MUST(eyot_init(&argc, &argv));
  struct here h = {.me = eyot_me().id};
  if (argc != 2 || eyot_size() != UNITS) eyot_abort(9, "usage: check_flag CASE, with 3 units");
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, WORDS * 8, &h.all));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_check_begin());
  size_t i = 0;
  while (i < sizeof CASES / sizeof *CASES && strcmp(CASES[i].name, argv[1]) != 0) i++;
  if (i == sizeof CASES / sizeof *CASES) eyot_abort(9, "no such case");
  CASES[i].run(&h);
  MUST(eyot_flush_all(EYOT_REMOTE));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_team_free(h.all));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
