/* SPDX-License-Identifier: BSD-3-Clause */
/* atomics_mix.c - all units change the same words at the same time by every kind of operation, from
 * the owner's node and from others, and no update is lost. Usage: atomics_mix ROUNDS
 * all|waits|computes.
 *
 *   all       every unit takes part
 *   waits     unit 0 waits for a word of its own instead, until all have come
 *   computes  unit 0 calls no function of eyot until all have come
 *
 * All units change one word after the other. Units whose processor may change it do so repeatedly
 * until the others have completed their few messages. So changes fall between the load and the
 * store of any operation that is not atomic with respect to the processor: this is a test that
 * processors and MPI are not mixed on a word. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "programs/api_check.h"

/* of each unit */
enum word { SUM = 0, COUNT, FLIPS, BITS, HALVES, CHAIN, SIGNALS, THROUGH, ARRIVED, WORDS };
/* bytes: more than EYOT_PROGRESS_BYTES */
enum { BURST = 2000, MESSAGES = 48, BYTES = 8192, SLOTS = 8, FLAT = 16, FLOOD = 600 };

/* This unit's changes to the words of each owner; the sums over all units are the expected values.
 * HALVES has two. */
struct done {
  uint64_t sum, count, flips, low, high, chain_in, chain_out, signals;
};
#define DONE_WORDS (sizeof(struct done) / sizeof(uint64_t))

struct mix {
  eyot_gptr_t words, blocks, source;
  uint64_t random;
  uint64_t bits; /* values in `chain` are unique: unit and number */
  uint64_t number;
  struct done *done; /* by owner */
  uint32_t me, n;
};

static eyot_gptr_t at(const struct mix *m, uint32_t owner, enum word word) {
  return eyot_gptr_add(eyot_gptr_at(m->words, (eyot_unit_t){owner}),
                       (int64_t)(64 * (uint64_t)word));
}

/* -- one operation, or a burst, on a word of `owner` ------------------------------------------- */

static void add(struct mix *m, uint32_t owner, int times) {
  uint64_t one = 1, old;
  for (int i = 0; i < times; i++) OK(eyot_fetch_add_u64(at(m, owner, SUM), 3, &old));
  OK(eyot_accumulate_nbi(at(m, owner, SUM), EYOT_UINT64, EYOT_SUM, &one));
  m->done[owner].sum += 3 * (uint64_t)times + 1;
}

static void count(struct mix *m, uint32_t owner, int times) {
  eyot_gptr_t w = at(m, owner, COUNT);
  uint64_t seen, old;
  OK(eyot_read_u64(w, &seen));
  for (int i = 0; i < times; i++) {
    OK(eyot_cas_u64(w, seen, seen + 1, &old));
    if (old == seen)
      m->done[owner].count++, seen++;
    else
      seen = old;
  }
}

static void flip(struct mix *m, uint32_t owner, int times) {
  for (int i = 0; i < times; i++) {
    uint64_t value = draw(&m->random), old;
    if (i % 2 == 0)
      OK(eyot_fetch_op(at(m, owner, FLIPS), EYOT_UINT64, EYOT_BXOR, &value, &old));
    else
      OK(eyot_accumulate_nbi(at(m, owner, FLIPS), EYOT_UINT64, EYOT_BXOR, &value));
    m->done[owner].flips ^= value;
  }
}

/* Changes a bit that belongs to this unit only. */
static void own_bit(struct mix *m, uint32_t owner, int times) {
  uint64_t bit = UINT64_C(1) << m->me, without = ~bit, old;
  for (int i = 0; i < times; i++) {
    OK(eyot_fetch_op(at(m, owner, BITS), EYOT_UINT64, EYOT_BOR, &bit, &old));
    CHECK((old & bit) == 0);
    OK(eyot_fetch_op(at(m, owner, BITS), EYOT_UINT64, EYOT_BAND, &without, &old));
    CHECK((old & bit) != 0);
  }
}

/* Adds to two neighbors of 4 bytes; sums wrap around. */
static void halves(struct mix *m, uint32_t owner, int times) {
  eyot_gptr_t low = at(m, owner, HALVES), high = eyot_gptr_add(low, 4);
  for (int i = 0; i < times; i++) {
    uint32_t value = (uint32_t)draw(&m->random), old;
    if (i % 2 == 0) {
      OK(eyot_fetch_op(low, EYOT_UINT32, EYOT_SUM, &value, &old));
      m->done[owner].low += value;
    } else {
      OK(eyot_fetch_op(high, EYOT_UINT32, EYOT_SUM, &value, &old));
      m->done[owner].high += value;
    }
  }
}

/* Each value that is put in comes out once, or is there at the end. */
static void chain(struct mix *m, uint32_t owner, int times) {
  for (int i = 0; i < times; i++) {
    uint64_t value = (uint64_t)(m->me + 1) << 40 | ++m->number, old;
    value *= 0x9e3779b97f4a7c15u; /* so that errors cannot cancel out */
    OK(eyot_swap_u64(at(m, owner, CHAIN), value, &old));
    m->done[owner].chain_in += value;
    m->done[owner].chain_out += old;
  }
}

/* Adding signals, without bytes, with some, and with so many that a progress process transfers
 * them. */
static void signal(struct mix *m, uint32_t owner, int times) {
  eyot_gptr_t w = at(m, owner, SIGNALS),
              block = eyot_gptr_add(eyot_gptr_at(m->blocks, (eyot_unit_t){owner}),
                                    (int64_t)(m->me % SLOTS) * BYTES);
  uint64_t old;
  void *from;
  OK(eyot_gptr_addr(eyot_gptr_at(m->source, eyot_me()), &from));
  for (int i = 0; i < times; i++) {
    if (i % 4 == 3)
      OK(eyot_fetch_add_u64(w, 2, &old));
    else
      OK(eyot_put_signal_nbi(block, from,
                             i % 4 == 2 && i < 8 ? BYTES
                             : i % 4 == 1        ? FLAT
                                                 : 0,
                             w, EYOT_SIGNAL_ADD, 2));
  }
  m->done[owner].signals += 2 * (uint64_t)times;
}

static bool shares_node(uint32_t unit) {
  eyot_domain_t level;
  OK(eyot_distance(eyot_me(), (eyot_unit_t){unit}, &level));
  return level <= EYOT_DOMAIN_NODE;
}

/* Changes a word of `owner`. through: ends when as many signals show that the units which send
 * messages have completed them. */
static void change(struct mix *m, uint32_t owner,
                   void (*way)(struct mix *m, uint32_t owner, int times), uint64_t through) {
  uint64_t seen = 0;
  char *p;
  /* makes the part usable for the inline path, if it may be */
  OK(eyot_read_u64(at(m, owner, SUM), &seen));
  if (!eyoti_fast_find_word(at(m, owner, SUM), 8, &p)) {
    way(m, owner, MESSAGES);
    OK(eyot_flush(((eyot_unit_t){owner}), EYOT_REMOTE));
    OK(eyot_put_signal(at(m, owner, THROUGH), NULL, 0, at(m, owner, THROUGH), EYOT_SIGNAL_ADD, 1));
    return;
  }
  do {
    way(m, owner, BURST);
    sched_yield();
    OK(eyot_read_u64(at(m, owner, THROUGH), &seen));
  } while (seen < through);
  OK(eyot_flush(((eyot_unit_t){owner}), EYOT_REMOTE));
}

/* Of the units from `first` on, the number that share no node with `owner`. */
static uint32_t senders(const struct mix *m, uint32_t owner, uint32_t first) {
  uint32_t n = 0;
  for (uint32_t u = first; u < m->n; u++) {
    eyot_domain_t level;
    OK(eyot_distance((eyot_unit_t){u}, (eyot_unit_t){owner}, &level));
    if (level > EYOT_DOMAIN_NODE) n++;
  }
  return n;
}

static void change_all(struct mix *m, uint32_t rounds, uint32_t first) {
  static void (*const WAYS[])(struct mix * m, uint32_t owner, int times) = {
      add, count, flip, own_bit, halves, chain, signal};
  const uint32_t owners[] = {0, m->n - 1};
  uint64_t through[2] = {0};
  for (uint32_t r = 0; r < rounds; r++)
    for (uint32_t way = 0; way < sizeof WAYS / sizeof *WAYS; way++)
      for (uint32_t k = 0; k < 2; k++) {
        through[k] += senders(m, owners[k], first);
        change(m, owners[k], WAYS[way], through[k]);
      }
}

/* From every unit to every unit, more remote AMOs in sequence than may be in flight: units must not
 * wait for each other in a circle. */
static void flood(struct mix *m) {
  const uint64_t one = 1;
  void *from;
  OK(eyot_gptr_addr(eyot_gptr_at(m->source, eyot_me()), &from));
  for (uint32_t i = 0; i < FLOOD; i++) {
    uint32_t owner = (m->me + i) % m->n;
    eyot_gptr_t block = eyot_gptr_add(eyot_gptr_at(m->blocks, (eyot_unit_t){owner}),
                                      (int64_t)(m->me % SLOTS) * BYTES);
    OK(eyot_accumulate_nbi(at(m, owner, SUM), EYOT_UINT64, EYOT_SUM, &one));
    OK(eyot_put_signal_nbi(block, from, i % 8 == 0 ? BYTES : 0, at(m, owner, SIGNALS),
                           EYOT_SIGNAL_ADD, 1));
    m->done[owner].sum++;
    m->done[owner].signals++;
  }
  OK(eyot_flush_all(EYOT_REMOTE));
}

/* -- the whole test ---------------------------------------------------------------------------- */

static void check_owner(const struct mix *m, const struct done *all, uint32_t owner) {
  uint64_t got[WORDS];
  for (uint32_t w = 0; w < WORDS; w++) OK(eyot_read_u64(at(m, owner, (enum word)w), &got[w]));
  CHECK(got[SUM] == all->sum);
  CHECK(got[COUNT] == all->count);
  CHECK(got[FLIPS] == all->flips);
  CHECK(got[BITS] == 0);
  CHECK((uint32_t)got[HALVES] == (uint32_t)all->low &&
        (uint32_t)(got[HALVES] >> 32) == (uint32_t)all->high);
  CHECK(got[CHAIN] + all->chain_out == all->chain_in);
  CHECK(got[SIGNALS] == all->signals);
}

static void check(const struct mix *m) {
  struct done *all = calloc(m->n, sizeof *all);
  CHECK(all != NULL);
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, m->done, all, m->n * DONE_WORDS));
  for (uint32_t owner = 0; owner < m->n; owner++) {
    OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_BXOR, &m->done[owner].flips,
                      &all[owner].flips, 1));
    if (owner == m->me || shares_node(owner)) check_owner(m, &all[owner], owner);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  uint32_t next = (m->me + 1) % m->n; /* and as read by other units */
  check_owner(m, &all[next], next);
  free(all);
}

static void come(const struct mix *m) {
  OK(eyot_put_signal(at(m, 0, ARRIVED), NULL, 0, at(m, 0, ARRIVED), EYOT_SIGNAL_ADD, 1));
}

static void take_part(struct mix *m, const char *how, uint32_t rounds) {
  uint64_t *arrived;
  bool all = strcmp(how, "all") == 0;
  if (m->me != 0 || all) {
    change_all(m, rounds, all ? 0 : 1);
    flood(m);
    come(m);
  } else if (strcmp(how, "waits") == 0) {
    OK(eyot_wait_until(at(m, 0, ARRIVED), EYOT_CMP_EQ, m->n - 1, NULL));
  } else {
    const struct timespec nap = {.tv_nsec = 1000000};
    OK(eyot_gptr_addr(at(m, 0, ARRIVED), (void **)&arrived));
    /* pairs with the signals */
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) != m->n - 1) nanosleep(&nap, NULL);
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 3 && eyot_size() <= 64);
  struct mix m = {.me = eyot_me().id, .n = eyot_size(), .random = eyot_me().id};
  m.done = calloc(m.n, sizeof *m.done);
  CHECK(m.done != NULL);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64 * WORDS, &m.words));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)SLOTS * BYTES, &m.blocks));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, BYTES, &m.source));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  take_part(&m, argv[2], (uint32_t)strtoul(argv[1], NULL, 10));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  check(&m);
  free(m.done);
  OK(eyot_team_free(m.source));
  OK(eyot_team_free(m.blocks));
  OK(eyot_team_free(m.words));
  return finish();
}
