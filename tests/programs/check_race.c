/* SPDX-License-Identifier: BSD-3-Clause */
/* check_race.c - programs with and without data races, for the race detector: check_race CASE, with
 * 3 units. Cases whose name ends in _ok are ordered as memory-model.md requires; each other case
 * lacks one operation. The race must be found in every run, whatever values that run showed. */
#include <eyot/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/must.h"

enum { X = 0, Y, FLAG, FLAG2, N, WORDS = 16 };
#define UNITS 3
#define POLLS 200 /* polls of a remote word before a run is given up */

/* The segment, and the values that are put and got; the sources of puts in flight must stay
 * valid. */
struct here {
  eyot_gptr_t all;
  uint32_t me;
  uint64_t value, got;
};

static eyot_gptr_t at(const struct here *h, int word, uint32_t unit) {
  return eyot_gptr_add(eyot_gptr_at(h->all, (eyot_unit_t){unit}), word * 8);
}

static void *own(const struct here *h, int word) {
  void *p;
  MUST(eyot_gptr_addr(at(h, word, h->me), &p));
  return p;
}

static void put(struct here *h, int word, uint32_t unit) {
  MUST(eyot_put(at(h, word, unit), &h->value, 8));
}
static void put_nbi(struct here *h, int word, uint32_t unit) {
  MUST(eyot_put_nbi(at(h, word, unit), &h->value, 8));
}
static void get(struct here *h, int word, uint32_t unit) {
  MUST(eyot_get(&h->got, at(h, word, unit), 8));
}
static void tell(struct here *h, int word, uint32_t unit) {
  MUST(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, at(h, word, unit), EYOT_SIGNAL_ADD, 1));
}
static void hear(struct here *h, int word, uint64_t value) {
  MUST(eyot_wait_until(at(h, word, h->me), EYOT_CMP_GE, value, NULL));
}
static void reads(struct here *h, int word) {
  eyot_check_reads(own(h, word), 8);
}
static void writes(struct here *h, int word) {
  eyot_check_writes(own(h, word), 8);
}
/* Reads a word that signals change by gets, from which a unit learns nothing. False: it does not
 * become `value`. */
static bool sees(struct here *h, int word, uint32_t unit, uint64_t value) {
  h->got = ~value;
  for (int i = 0; i < POLLS && h->got != value; i++) get(h, word, unit);
  return h->got == value;
}
static void add(struct here *h, int word, uint32_t unit) {
  MUST(eyot_fetch_add_u64(at(h, word, unit), 1, &h->got));
}
static eyot_unit_t unit(uint32_t u) {
  return (eyot_unit_t){u};
}

/* -- racing ------------------------------------------------------------------------------------ */

static void put_put(struct here *h) {
  if (h->me < 2) put(h, X, 2);
}

static void put_get(struct here *h) {
  if (h->me == 0) put(h, X, 2);
  if (h->me == 1) get(h, X, 2);
}

static void put_barrier(struct here *h) {
  if (h->me == 0) put_nbi(h, X, 2);
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  if (h->me == 1) get(h, X, 2);
}

static void put_local(struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 2);
    MUST(eyot_flush(unit(2), EYOT_LOCAL));
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    get(h, X, 2);
  }
}

static void put_unordered(struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 1);
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    reads(h, X);
  }
}

static void order_elsewhere(struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 2);
    MUST(eyot_order_all());
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    get(h, X, 2);
  }
}

static void atomic_put(struct here *h) {
  if (h->me == 0) add(h, N, 2);
  if (h->me == 1) put(h, N, 2);
}

static void signal_put(struct here *h) {
  if (h->me == 0) tell(h, FLAG, 2);
  if (h->me == 1) put(h, FLAG, 2);
}

static void store_unsynced(struct here *h) {
  if (h->me == 0) {
    writes(h, X);
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    get(h, X, 0);
  }
}

static void store_get(struct here *h) {
  if (h->me == 0) writes(h, X);
  if (h->me == 1) get(h, X, 0);
}

static void get_overwritten(struct here *h) {
  if (h->me == 0) {
    MUST(eyot_get_nbi(&h->got, at(h, X, 1), 8));
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    writes(h, X);
  }
}

static void puts_of_one(struct here *h) {
  if (h->me != 0) return;
  put_nbi(h, X, 2);
  put_nbi(h, X, 2);
}

static void source_written(struct here *h) {
  if (h->me == 0) MUST(eyot_put_nbi(at(h, X, 1), own(h, Y), 8));
  if (h->me == 1) put(h, Y, 0);
}

static void result_read(struct here *h) {
  if (h->me == 0) MUST(eyot_get_nbi(own(h, Y), at(h, X, 1), 8));
  if (h->me == 1) get(h, Y, 0);
}

static void signal_of_another(struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 1);
    MUST(eyot_put_signal_nbi(at(h, Y, 1), &h->value, 8, at(h, FLAG, 1), EYOT_SIGNAL_SET, 1));
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    reads(h, Y);
    reads(h, X);
  }
}

static void bytes_overlap(struct here *h) {
  if (h->me < 2) MUST(eyot_put(eyot_gptr_add(at(h, X, 2), h->me * 3), &h->value, 4));
}

static void chain_broken(struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 2);
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    tell(h, FLAG, 2);
  } else {
    hear(h, FLAG, 1);
    reads(h, X);
  }
}

/* -- racing where a unit has seen, and not learned, that the other one went first -------------- */

/* A set replaces what the word had to tell. */
static void set_replaces(struct here *h) {
  uint64_t seen;
  if (h->me == 0) {
    put(h, X, 1);
    tell(h, FLAG, 2);
  } else if (h->me == 1) {
    uint64_t value = sees(h, FLAG, 2, 1) ? 2 : 4;
    MUST(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, at(h, FLAG, 2), EYOT_SIGNAL_SET, value));
  } else {
    MUST(eyot_wait_until(at(h, FLAG, 2), EYOT_CMP_GE, 2, &seen));
    if (seen == 2) get(h, X, 1);
  }
}

/* Unit 2 reads the word of an atomic of unit 0 after it. One that does not write tells nothing. */
static void unit_0_puts_and(struct here *h, int (*atomic)(eyot_gptr_t word, uint64_t *old)) {
  uint64_t seen;
  if (h->me == 0) {
    put(h, X, 1);
    MUST(atomic(at(h, N, 2), &h->got));
    tell(h, FLAG, 1);
  } else if (h->me == 2 && sees(h, FLAG, 1, 1)) {
    MUST(eyot_read_u64(at(h, N, 2), &seen));
    get(h, X, 1);
  }
}
static int fails_to_swap(eyot_gptr_t word, uint64_t *old) {
  return eyot_cas_u64(word, UINT64_C(5) << 32, 6, old); /* alike in the lower half */
}
static void cas_fails(struct here *h) {
  unit_0_puts_and(h, fails_to_swap);
}
static void atomic_reads(struct here *h) {
  unit_0_puts_and(h, eyot_read_u64);
}

/* An atomic that does not fetch learns nothing. */
static void not_fetched(struct here *h) {
  if (h->me == 0) {
    put(h, X, 1);
    add(h, N, 2);
    tell(h, FLAG, 1);
  } else if (h->me == 2 && sees(h, FLAG, 1, 1)) {
    MUST(eyot_accumulate_nbi(at(h, N, 2), EYOT_UINT64, EYOT_SUM, &h->value));
    MUST(eyot_flush_all(EYOT_REMOTE));
    get(h, X, 1);
  }
}

/* -- not racing -------------------------------------------------------------------------------- */

static void put_flush_ok(struct here *h) {
  if (h->me == 0) put_nbi(h, X, 2);
  MUST(eyot_flush_all(EYOT_REMOTE));
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  get(h, X, 2);
}

static void put_signal_ok(struct here *h) {
  if (h->me == 0)
    MUST(eyot_put_signal_nbi(at(h, X, 1), &h->value, 8, at(h, FLAG, 1), EYOT_SIGNAL_SET, 1));
  if (h->me != 1) return;
  hear(h, FLAG, 1);
  reads(h, X);
  get(h, X, 1);
}

static void put_then_signal_ok(struct here *h) {
  if (h->me == 0) {
    put(h, X, 2);
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    get(h, X, 2);
  }
}

static void order_ok(struct here *h) {
  if (h->me == 0) {
    put_nbi(h, X, 1);
    MUST(eyot_order(unit(1)));
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    reads(h, X);
    writes(h, X);
  }
}

static void chain_ok(struct here *h) {
  if (h->me == 0) {
    put(h, X, 2);
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    tell(h, FLAG, 2);
  } else {
    hear(h, FLAG, 1);
    writes(h, X);
  }
}

static void atomics_ok(struct here *h) {
  add(h, N, 2);
  tell(h, FLAG, 2);
  if (h->me == 2) hear(h, FLAG, 3);
  if (h->me == 2) (void)eyot_cpu_add(own(h, N), 1);
}

static void bytes_ok(struct here *h) {
  MUST(eyot_put_nbi(eyot_gptr_add(at(h, X, 2), h->me), &h->value, 1));
}

static void store_sync_ok(struct here *h) {
  if (h->me == 0) {
    writes(h, X);
    MUST(eyot_sync());
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    get(h, X, 0);
  }
}

static void get_done_ok(struct here *h) {
  if (h->me == 0) {
    get(h, X, 1);
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    writes(h, X);
  }
}

static void puts_order_ok(struct here *h) {
  if (h->me != 0) return;
  put_nbi(h, X, 2);
  MUST(eyot_order(unit(2)));
  put_nbi(h, X, 2);
}

static void handle_ok(struct here *h) {
  eyot_handle_t handle;
  bool done = false;
  if (h->me == 0) {
    MUST(eyot_put_nb(at(h, X, 2), &h->value, 8, &handle));
    while (!done) MUST(eyot_test(&handle, EYOT_REMOTE, &done));
    tell(h, FLAG, 1);
  } else if (h->me == 1) {
    hear(h, FLAG, 1);
    put(h, X, 2);
  }
}

/* A slot that is used repeatedly without any flush: the reader's answer is enough for its
 * writer. */
static void slot_ok(struct here *h) {
  for (uint64_t round = 1; round <= 20; round++) {
    if (h->me == 0) {
      MUST(eyot_put_signal_nbi(at(h, X, 1), &h->value, 8, at(h, FLAG, 1), EYOT_SIGNAL_ADD, 1));
      hear(h, FLAG2, round);
    } else if (h->me == 1) {
      hear(h, FLAG, round);
      reads(h, X);
      tell(h, FLAG2, 0);
    }
  }
}
static void counter_read_ok(struct here *h) {
  if (h->me == 0) add(h, N, 2);
  if (h->me == 1) MUST(eyot_read_u64(at(h, N, 2), &h->got));
}

/* A sum tells what all have to tell that added to it. */
static void sum_ok(struct here *h) {
  if (h->me == 0) put(h, X, 1);
  if (h->me != 2) {
    tell(h, FLAG, 2);
  } else {
    hear(h, FLAG, 2);
    get(h, X, 1);
  }
}

static int swaps(eyot_gptr_t word, uint64_t *old) {
  return eyot_cas_u64(word, 0, UINT64_C(1) << 32, old);
}
static void cas_ok(struct here *h) {
  unit_0_puts_and(h, swaps);
}

/* Two teams whose barriers overlap: unit 0 is in the second before unit 1 has left the first. */
static void teams_ok(struct here *h) {
  eyot_team_t team[2];
  for (uint32_t i = 0; i < 2; i++)
    MUST(eyot_team_split(EYOT_TEAM_ALL, h->me == 0 || h->me == i + 1 ? 0 : EYOT_COLOR_NONE,
                         &team[i]));
  for (int round = 0; round < 4; round++) {
    if (h->me == 0) put(h, X + round % 2, 2);
    for (uint32_t i = 0; i < 2; i++)
      if (team[i].id != 0) MUST(eyot_barrier(team[i]));
    get(h, X + round % 2, 2);
    MUST(eyot_barrier(EYOT_TEAM_ALL));
  }
  for (uint32_t i = 0; i < 2; i++)
    if (team[i].id != 0) MUST(eyot_team_destroy(&team[i]));
}

static void handover_ok(struct here *h) {
  uint64_t seen = 0;
  if (h->me == 0) {
    put(h, X, 2);
    MUST(eyot_swap_u64(at(h, N, 1), 1, &h->got));
  } else if (h->me == 2) {
    for (int i = 0; i < POLLS && seen == 0; i++) MUST(eyot_read_u64(at(h, N, 1), &seen));
    if (seen == 1) writes(h, X);
  }
}
static void readers_ok(struct here *h) {
  get(h, X, 2);
  if (h->me == 2) reads(h, X);
}

static void cpu_ok(struct here *h) {
  if (h->me == 0) {
    put(h, X, 1);
    add(h, N, 1);
  } else if (h->me == 1) {
    if (eyot_cpu_load(own(h, N)) == 1) reads(h, X);
  }
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char *name;
  void (*run)(struct here *h);
} CASES[] = {CASE(put_put),
             CASE(put_get),
             CASE(put_barrier),
             CASE(put_local),
             CASE(put_unordered),
             CASE(order_elsewhere),
             CASE(atomic_put),
             CASE(signal_put),
             CASE(store_unsynced),
             CASE(store_get),
             CASE(get_overwritten),
             CASE(puts_of_one),
             CASE(source_written),
             CASE(result_read),
             CASE(signal_of_another),
             CASE(bytes_overlap),
             CASE(chain_broken),
             CASE(put_flush_ok),
             CASE(put_signal_ok),
             CASE(put_then_signal_ok),
             CASE(order_ok),
             CASE(chain_ok),
             CASE(atomics_ok),
             CASE(bytes_ok),
             CASE(store_sync_ok),
             CASE(get_done_ok),
             CASE(puts_order_ok),
             CASE(handle_ok),
             CASE(slot_ok),
             CASE(counter_read_ok),
             CASE(handover_ok),
             CASE(readers_ok),
             CASE(cpu_ok),
             CASE(set_replaces),
             CASE(cas_fails),
             CASE(atomic_reads),
             CASE(not_fetched),
             CASE(sum_ok),
             CASE(cas_ok),
             CASE(teams_ok)};

int main(int argc, char **argv) {
  MUST(eyot_init(&argc, &argv));
  struct here h = {.me = eyot_me().id, .value = 7};
  if (argc != 2 || eyot_size() != UNITS) eyot_abort(9, "usage: check_race CASE, with 3 units");
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
