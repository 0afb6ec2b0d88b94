/* SPDX-License-Identifier: BSD-3-Clause */
/* mapped.c - operations on mapped memory, whose inline path must not change results.
 *
 *   eyotrun -n UNITS mapped [returned]
 *
 * returned: with EYOT_HEAP_KEEP=0 on mpi, freed pages no longer belong to the process.
 *
 * Wrong pointers give the same errors as through the call (counting forces the call); atomics of
 * all forms on one word add up while some units count and others do not; attached memory behaves
 * like other memory; the table of inline parts has no entry for freed memory, and none at all where
 * units share a process. */
#include <eyot/count.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "programs/api_check.h"

enum { PART = 24, ROUNDS = 300, BIG = 1 << 20, PAGE = 4096 };

struct wrong {
  eyot_gptr_t g;
  uint64_t len;
  int code, word_code; /* of a copy of len bytes, and of an atomic on 8 bytes; 1: not tried */
};

/* Tries every operation with an inline path on one pointer. */
static void refuse_all(const struct wrong *w) {
  char buffer[2 * PART] = {0};
  uint64_t old = 77;
  if (w->code != 1) {
    CHECK(eyot_put(w->g, buffer, w->len) == w->code);
    CHECK(eyot_get(buffer, w->g, w->len) == w->code);
  }
  if (w->word_code == 1) return;
  CHECK(eyot_fetch_add_u64(w->g, 1, &old) == w->word_code);
  CHECK(eyot_swap_u64(w->g, 1, &old) == w->word_code);
  CHECK(eyot_cas_u64(w->g, 0, 1, &old) == w->word_code);
  CHECK(eyot_read_u64(w->g, &old) == w->word_code);
  CHECK(eyot_fetch_op(w->g, EYOT_UINT64, EYOT_SUM, &old, &old) == w->word_code);
  CHECK(eyot_compare_swap(w->g, EYOT_INT64, &old, &old, &old) == w->word_code);
  CHECK(eyot_accumulate(w->g, EYOT_DOUBLE, EYOT_MAX, &old) == w->word_code);
  CHECK(eyot_accumulate(w->g, EYOT_UINT64, EYOT_BOR, &old) == w->word_code);
  CHECK(eyot_accumulate_nbi(w->g, EYOT_INT64, EYOT_BXOR, &old) == w->word_code);
  CHECK(old == 77);
}

static void refuse_rest(eyot_gptr_t good) {
  uint64_t old = 0;
  CHECK(eyot_put(good, NULL, 8) == EYOT_EINVAL);
  CHECK(eyot_get(NULL, good, 8) == EYOT_EINVAL);
  CHECK(eyot_fetch_add_u64(good, 1, NULL) == EYOT_EINVAL);
  CHECK(eyot_swap_u64(good, 1, NULL) == EYOT_EINVAL);
  CHECK(eyot_cas_u64(good, 1, 1, NULL) == EYOT_EINVAL);
  CHECK(eyot_read_u64(good, NULL) == EYOT_EINVAL);
  CHECK(eyot_fetch_op(good, EYOT_UINT64, EYOT_SUM, NULL, &old) == EYOT_EINVAL);
  CHECK(eyot_fetch_op(good, EYOT_DOUBLE, EYOT_BXOR, &old, &old) == EYOT_EINVAL);
  CHECK(eyot_fetch_op(good, EYOT_BYTE, EYOT_SUM, &old, &old) == EYOT_EINVAL);
  CHECK(eyot_accumulate(good, EYOT_UINT64, EYOT_BXOR, NULL) == EYOT_EINVAL);
  CHECK(eyot_accumulate_nbi(good, EYOT_INT32, EYOT_SUM, NULL) == EYOT_EINVAL);
  CHECK(eyot_accumulate(eyot_gptr_add(good, 2), EYOT_INT32, EYOT_BAND, &old) == EYOT_EALIGN);
  CHECK(eyot_compare_swap(good, EYOT_UINT64, NULL, &old, &old) == EYOT_EINVAL);
  CHECK(eyot_fetch_op(eyot_gptr_add(good, 2), EYOT_UINT32, EYOT_SUM, &old, &old) == EYOT_EALIGN);
  CHECK(eyot_flush((eyot_unit_t){eyot_size()}, EYOT_REMOTE) == EYOT_EUNIT);
  CHECK(eyot_flush((eyot_unit_t){UINT32_MAX}, EYOT_LOCAL) == EYOT_EUNIT);
  CHECK(eyot_flush(eyot_me(), (eyot_level_t)2) == EYOT_EINVAL);
  CHECK(eyot_flush_all((eyot_level_t)7) == EYOT_EINVAL);
  OK(eyot_put(good, NULL, 0));
  OK(eyot_put(eyot_gptr_add(good, PART - 8), NULL, 0));
  OK(eyot_flush(eyot_gptr_unit(good), EYOT_LOCAL));
  OK(eyot_flush_all(EYOT_REMOTE));
}

/* True if a put, or an atomic, on the word at g would not call the library now; and after the word
 * has been read. */
static bool is_inline(eyot_gptr_t g) {
  char *p;
  return eyoti_fast_find(g, 8, &p);
}
static bool word_is_inline(eyot_gptr_t g) {
  char *p;
  return eyoti_fast_find_word(g, 8, &p);
}
static bool used_word_is_inline(eyot_gptr_t g) {
  uint64_t old;
  OK(eyot_read_u64(g, &old));
  return word_is_inline(g);
}

/* True if each unit is a process, which has a table of its own. */
static bool one_process(void) {
  return strcmp(eyot_fabric_name(), "mpi") == 0;
}

static bool all_are_mapped(eyot_gptr_t g) {
  void *p;
  for (uint32_t u = 0; u < eyot_size(); u++)
    if (eyot_gptr_direct(eyot_gptr_at(g, (eyot_unit_t){u}), &p) != EYOT_OK) return false;
  return true;
}

/* True if no pointer finds an entry in the table: no entry is at an index that its name leads
 * to. */
static bool none_is_inline(void) {
  for (uint64_t i = 0; i < EYOTI_FAST_PARTS; i++)
    if (EYOTI_FAST_INDEX(eyoti_fast_parts[i].name) == i ||
        EYOTI_FAST_INDEX(eyoti_fast_parts[i].atomic) == i)
      return false;
  return true;
}

static eyot_gptr_t with(eyot_gptr_t g, uint16_t seg, uint16_t gen) {
  g.seg = seg;
  g.gen = gen;
  return g;
}

static void wrong_pointers(void) {
  eyot_gptr_t freed, live, small;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART, &freed));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(freed));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART, &live));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 5, &small)); /* shorter than a word */
  eyot_unit_t to = {(eyot_me().id + 1) % eyot_size()}, none = {eyot_size()}, far = {UINT32_MAX};
  eyot_gptr_t g = eyot_gptr_at(live, to), s = eyot_gptr_at(small, to);
  const struct wrong all[] = {
      {EYOT_GPTR_NULL, 0, EYOT_ESEG, EYOT_ESEG},
      {EYOT_GPTR_NULL, 8, EYOT_ESEG, 1},
      {eyot_gptr_at(freed, to), 8, EYOT_ESEG, EYOT_ESEG},
      {eyot_gptr_at(freed, to), 0, EYOT_ESEG, 1},
      {eyot_gptr_at(live, none), 8, EYOT_EUNIT, EYOT_EUNIT},
      {eyot_gptr_at(live, far), 0, EYOT_EUNIT, EYOT_EUNIT},
      {with(g, (uint16_t)(g.seg + 1000), g.gen), 8, EYOT_ESEG, EYOT_ESEG},
      {with(g, UINT16_MAX, UINT16_MAX), 0, EYOT_ESEG, EYOT_ESEG},
      {with(g, UINT16_MAX, 0), 0, EYOT_ESEG, EYOT_ESEG},
      {with(g, 0, UINT16_MAX), 0, EYOT_ESEG, EYOT_ESEG},
      {with(g, g.seg, (uint16_t)(g.gen + 1)), 0, EYOT_ESEG, EYOT_ESEG},
      {with(g, g.seg, UINT16_MAX), 8, EYOT_ESEG, EYOT_ESEG},
      {eyot_gptr_add(g, PART - 7), 8, EYOT_ERANGE, 1},
      {eyot_gptr_add(g, PART), 8, EYOT_ERANGE, EYOT_ERANGE},
      {eyot_gptr_add(g, PART + 1), 0, EYOT_ERANGE, 1},
      {eyot_gptr_add(g, -8), 8, EYOT_ERANGE, EYOT_ERANGE},
      {eyot_gptr_add(g, -(INT64_C(1) << 47)), 8, EYOT_ERANGE, EYOT_ERANGE},
      {eyot_gptr_add(g, (INT64_C(1) << 47) - 8), 8, EYOT_ERANGE, EYOT_ERANGE},
      /* further than a segment can reach: into the bits of the generation */
      {eyot_gptr_add(g, INT64_C(1) << 48), 8, EYOT_ESEG, EYOT_ESEG},
      {eyot_gptr_add(g, -(INT64_C(1) << 48)), 8, EYOT_ESEG, EYOT_ESEG},
      {eyot_gptr_add(g, INT64_MIN), 8, EYOT_ESEG, EYOT_ESEG},
      {g, PART + 1, EYOT_ERANGE, 1},
      {g, UINT64_MAX, EYOT_ERANGE, 1},
      {eyot_gptr_add(g, PART), UINT64_MAX - 4, EYOT_ERANGE, 1},
      {eyot_gptr_add(g, 4), 1, 1, EYOT_EALIGN},
      {s, 6, EYOT_ERANGE, EYOT_ERANGE},
      {eyot_gptr_add(s, 5), 1, EYOT_ERANGE, 1},
  };
  for (int counting = 0; counting < 2; counting++) {
    if (counting == 1) OK(eyot_count_begin());
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) refuse_all(&all[i]);
    refuse_rest(g);
    if (counting == 1) OK(eyot_count_end());
  }
  char five[5] = {1, 2, 3, 4, 5}, back[5];
  OK(eyot_put(s, five, 5));
  OK(eyot_get(back, s, 5));
  CHECK(memcmp(five, back, 5) == 0);
  uint64_t word = 1;
  OK(eyot_get(&word, eyot_gptr_add(g, PART - 8), 8));
  CHECK(word == 0); /* none of the writes arrived */
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(small));
  OK(eyot_team_free(live));
}

#define OLD UINT64_C(0x123456789abcdef1)
#define OPERAND UINT64_C(0xf0f1f2f3f4f5f6f7)

/* Updates a word of type T that holds OLD, by an operand of any alignment. Type and operator are
 * constants: one instruction where the word is mapped. The word after it stays. */
#define UPDATE(call, type, T, op, sign)                  \
  do {                                                   \
    T pair[2] = {(T)OLD, (T)OLD}, operand = (T)OPERAND;  \
    char bytes[1 + sizeof operand];                      \
    memcpy(bytes + 1, &operand, sizeof operand);         \
    OK(eyot_put(g, pair, sizeof pair));                  \
    OK(call(g, type, op, bytes + 1));                    \
    OK(eyot_flush(eyot_gptr_unit(g), EYOT_REMOTE));      \
    OK(eyot_get(pair, g, sizeof pair));                  \
    CHECK(pair[0] == (T)(OLD sign OPERAND));             \
    CHECK(pair[1] == (T)OLD);                            \
    g = eyot_gptr_add(g, 16); /* a word has one width */ \
  } while (0)
#define UPDATE_BY(call, op, sign)                  \
  do {                                             \
    UPDATE(call, EYOT_INT32, int32_t, op, sign);   \
    UPDATE(call, EYOT_UINT32, uint32_t, op, sign); \
    UPDATE(call, EYOT_INT64, int64_t, op, sign);   \
    UPDATE(call, EYOT_UINT64, uint64_t, op, sign); \
  } while (0)

static void update_at(eyot_gptr_t g) {
  UPDATE_BY(eyot_accumulate, EYOT_SUM, +);
  UPDATE_BY(eyot_accumulate, EYOT_BAND, &);
  UPDATE_BY(eyot_accumulate, EYOT_BOR, |);
  UPDATE_BY(eyot_accumulate, EYOT_BXOR, ^);
  UPDATE_BY(eyot_accumulate_nbi, EYOT_SUM, +);
  UPDATE_BY(eyot_accumulate_nbi, EYOT_BAND, &);
  UPDATE_BY(eyot_accumulate_nbi, EYOT_BOR, |);
  UPDATE_BY(eyot_accumulate_nbi, EYOT_BXOR, ^);
}

static void updates(void) {
  eyot_gptr_t all;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8 * 4 * 16, &all));
  for (uint32_t u = 0; u < eyot_size() && eyot_me().id == 0; u++)
    update_at(eyot_gptr_at(all, (eyot_unit_t){u}));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(all));
}

static void add_one(eyot_gptr_t g, uint64_t way) {
  uint64_t old, seen, one = 1;
  int64_t one_signed = 1;
  switch (way) {
    case 0:
      OK(eyot_fetch_add_u64(g, 1, &old));
      return;
    case 1:
      OK(eyot_accumulate(g, EYOT_INT64, EYOT_SUM, &one_signed));
      return;
    case 2:
      OK(eyot_fetch_op(g, EYOT_UINT64, EYOT_SUM, &one, &old));
      return;
    case 3:
      OK(eyot_accumulate_nbi(g, EYOT_UINT64, EYOT_SUM, &one));
      OK(eyot_flush(eyot_gptr_unit(g), EYOT_REMOTE));
      return;
    case 4:
      OK(eyot_put_signal(g, NULL, 0, g, EYOT_SIGNAL_ADD, 1));
      return;
    default:
      OK(eyot_read_u64(g, &seen));
      for (;;) {
        OK(eyot_cas_u64(g, seen, seen + 1, &old));
        if (old == seen) return;
        seen = old;
      }
  }
}

/* The processor's atomics are used only where no unit of the run takes another path (all are
 * mapped, or those of other nodes send remote AMOs, as EYOT_ATOMICS says), and never by a unit that
 * counts. A lost update would be too rare to wait for. */
static void who_may(eyot_gptr_t g) {
  const char *atomics = getenv("EYOT_ATOMICS");
  bool all_mapped = all_are_mapped(g), errands = atomics != NULL && strcmp(atomics, "owner") == 0,
       may = one_process() && (all_mapped || errands);
  eyot_gptr_t own = eyot_gptr_at(g, eyot_me());
  for (uint32_t u = 0; u < eyot_size(); u++) {
    eyot_gptr_t part = eyot_gptr_at(g, (eyot_unit_t){u});
    void *p;
    CHECK(used_word_is_inline(part) == (may && eyot_gptr_direct(part, &p) == EYOT_OK));
  }
  OK(eyot_count_begin());
  CHECK(!word_is_inline(own) && !is_inline(own) && !used_word_is_inline(own) && !is_inline(own) &&
        !eyoti_fast_flushed(0, EYOT_REMOTE));
  OK(eyot_count_end());
  CHECK(used_word_is_inline(own) == may);
  OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  CHECK(!word_is_inline(own) && !used_word_is_inline(own) && !eyoti_fast_flushed(0, EYOT_REMOTE));
  OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  CHECK(used_word_is_inline(own) == may);
}

/* Odd units count now and then, so that their operations take the other path. */
static void one_word(void) {
  eyot_gptr_t g;
  uint64_t random = eyot_me().id, sum;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &g));
  eyot_gptr_t word = eyot_gptr_at(g, (eyot_unit_t){eyot_size() - 1});
  who_may(g);
  bool counts = false;
  for (int i = 0; i < ROUNDS; i++) {
    if (eyot_me().id % 2 == 1 && i % 10 == 0) {
      OK(counts ? eyot_count_end() : eyot_count_begin());
      counts = !counts;
    }
    /* units that count and units that do not meet here */
    if (i % 50 == 49) OK(eyot_barrier(EYOT_TEAM_ALL));
    add_one(word, draw(&random) % 6);
  }
  if (counts) OK(eyot_count_end());
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_read_u64(word, &sum));
  CHECK(sum == (uint64_t)eyot_size() * ROUNDS);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(g));
}

static void raw_memory(void) {
  eyot_gptr_t g;
  uint64_t me = eyot_me().id + 1u, got = 0;
  eyot_unit_t to = {(eyot_me().id + 1) % eyot_size()};
  for (uint64_t i = 0; i < 20; i++) {
    OK(eyot_team_alloc_raw(EYOT_TEAM_ALL, 4096, 64, &g));
    uint64_t value = me * 100 + i;
    OK(eyot_put(eyot_gptr_at(g, to), &value, 8)); /* at once: the word is not zeroed any more */
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_get(&got, eyot_gptr_at(g, eyot_me()), 8));
    CHECK(got == ((eyot_me().id + eyot_size() - 1) % eyot_size() + 1) * 100 + i);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_team_free(g));
    OK(eyot_team_alloc(EYOT_TEAM_ALL, 4096, &g)); /* the same memory, zeroed */
    OK(eyot_get(&got, eyot_gptr_at(g, to), 8));
    CHECK(got == 0);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_team_free(g));
  }
  CHECK(eyot_team_alloc_raw(EYOT_TEAM_ALL, 0, 64, &g) == EYOT_EINVAL);
  CHECK(eyot_team_alloc_raw(EYOT_TEAM_ALL, 8, 3, &g) == EYOT_EINVAL);
  CHECK(eyot_team_alloc_raw(EYOT_TEAM_ALL, UINT64_C(1) << 46, 64, &g) == EYOT_ENOMEM);
  if (eyot_size() == 1) return;
  int rc = eyot_me().id == 0 ? eyot_team_alloc_raw(EYOT_TEAM_ALL, 64, 64, &g)
                             : eyot_team_alloc(EYOT_TEAM_ALL, 64, &g);
  CHECK(rc == EYOT_EMISMATCH);
}

/* A segment's index in the tables is used again once all others of the span were used: pointers to
 * its former memory are refused, although they were used before. */
static void again(void) {
  eyot_gptr_t was, now;
  uint64_t got, value = 5;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &was));
  for (uint32_t u = 0; u < eyot_size(); u++)
    OK(eyot_read_u64(eyot_gptr_at(was, (eyot_unit_t){u}), &got));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(was));
  for (int i = 0; i < 3; i++) {
    bool same = false;
    if (i > 0) {
      OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &now));
      for (uint32_t turn = 0; turn < UINT16_MAX && now.seg != was.seg; turn++) {
        OK(eyot_team_free(now));
        OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &now));
      }
      same = now.seg == was.seg && now.gen != was.gen;
      for (uint32_t u = 0; u < eyot_size(); u++)
        OK(eyot_get(&got, eyot_gptr_at(now, (eyot_unit_t){u}), 8));
    }
    for (uint32_t u = 0; u < eyot_size(); u++) {
      eyot_gptr_t old = eyot_gptr_at(was, (eyot_unit_t){u});
      CHECK(!is_inline(old) && !word_is_inline(old));
      CHECK(eyot_put(old, &value, 8) == EYOT_ESEG && eyot_get(&got, old, 8) == EYOT_ESEG &&
            eyot_fetch_add_u64(old, 1, &got) == EYOT_ESEG);
    }
    if (i == 0) continue;
    CHECK(same);
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_team_free(now));
  }
}

/* More parts than the table has entries, in turn: each access finds its own part. */
static void many(void) {
  enum { SEGMENTS = 400, FEW = 6 };
  static eyot_gptr_t g[SEGMENTS];
  uint64_t n = one_process() ? SEGMENTS : FEW, got, me = eyot_me().id, units = eyot_size();
  for (uint64_t i = 0; i < n; i++) OK(eyot_team_alloc_raw(EYOT_TEAM_ALL, 8 * units, 64, &g[i]));
  for (int round = 0; round < 2; round++) {
    for (uint64_t i = 0; i < n; i++)
      for (uint32_t u = 0; u < units; u++) { /* each unit has a word in each part */
        uint64_t value = (i << 32 | u << 16 | me) + (uint64_t)round;
        OK(eyot_put(eyot_gptr_add(eyot_gptr_at(g[i], (eyot_unit_t){u}), (int64_t)me * 8), &value,
                    8));
      }
    OK(eyot_barrier(EYOT_TEAM_ALL));
    for (uint64_t i = 0; i < n; i++)
      for (uint64_t from = 0; from < units; from++) {
        OK(eyot_get(&got, eyot_gptr_add(eyot_gptr_at(g[i], eyot_me()), (int64_t)from * 8), 8));
        CHECK(got == (i << 32 | me << 16 | from) + (uint64_t)round);
      }
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  for (uint64_t i = 0; i < n; i++) OK(eyot_team_free(g[i]));
}

static uint64_t resident_pages(void *p, uint64_t bytes) {
  unsigned char *map = calloc(1, bytes / PAGE);
  uint64_t n = 0;
  CHECK(map != NULL && mincore(p, bytes, map) == 0);
  for (uint64_t i = 0; i < bytes / PAGE; i++) n += map[i] & 1;
  free(map);
  return n;
}

static void returned(void) {
  eyot_gptr_t g, mine;
  void *p;
  OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, BIG, PAGE, &g));
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  memset(p, 1, BIG);
  CHECK(resident_pages(p, BIG) == BIG / PAGE);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(g));
  CHECK(resident_pages(p, BIG) == 0);
  OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, BIG, PAGE, &g)); /* the same memory: zero, and usable */
  for (uint64_t i = 0; i < BIG; i++) CHECK(((char *)p)[i] == 0);
  memset(p, 2, BIG);
  OK(eyot_team_free(g));
  OK(eyot_alloc(BIG, &mine));
  OK(eyot_gptr_addr(mine, &p));
  memset(p, 3, BIG);
  OK(eyot_free(mine));
  CHECK(resident_pages((void *)(((uintptr_t)p + PAGE - 1) / PAGE * PAGE), BIG - PAGE) == 0);
}

int main(int argc, char **argv) {
  uint64_t word = 0;
  CHECK(none_is_inline() && eyot_put(EYOT_GPTR_NULL, &word, 8) == EYOT_ESTATE);
  OK(eyot_init(&argc, &argv));
  if (argc > 1 && strcmp(argv[1], "returned") == 0) {
    returned();
    return finish();
  }
  wrong_pointers();
  one_word();
  updates();
  raw_memory();
  again();
  many();
  /* all is freed; where units share a process there was no entry at any time */
  CHECK(none_is_inline());
  return finish();
}
