/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mapped.c - the small table of parts that inline operations read: an entered part is found
 * and no other, forgetting is complete, and where units share a process no part is ever entered. */
#include "rt/mapped.h"
#include "rt/rt.h"
#include "unit/api_unit.h"

enum { SEGMENTS = 500, FIRST = 3, MAPPED = 9, LEN = 64, STRIDE = SEGMENTS * LEN };

static char memory[MAPPED][STRIDE];
static struct eyoti_mapped_seg segs[EYOTI_MAPPED_SEGS];

static eyot_gptr_t at(uint32_t seg, uint16_t gen, uint32_t unit, uint64_t offset) {
  return (eyot_gptr_t){.offset = offset, .unit = unit, .seg = (uint16_t)seg, .gen = gen};
}
/* As a number: also for pointers to no memory. */
static char *where(uint32_t seg, uint32_t k, uint64_t offset) {
  return (char *)((uintptr_t)memory + (uint64_t)k * STRIDE + seg * LEN + offset);
}

static struct eyoti_mapped make(uint16_t gen) {
  memset(segs, 0, sizeof segs);
  for (uint32_t s = 1; s < SEGMENTS; s++)
    segs[s] = (struct eyoti_mapped_seg){.base = where(s, 0, 0),
                                        .last = LEN - EYOTI_FAST_LEN_MIN,
                                        .stride = STRIDE,
                                        .name = eyoti_mapped_name(at(s, gen, 0, 0))};
  struct eyoti_mapped near = {.first = FIRST, .n = MAPPED, .atomic_n = MAPPED, .seg = segs};
  assert_true(eyoti_mapped_open(&near));
  return near;
}

/* True if inline operations find the pointer: at its own address, or not at all. */
static bool shows(eyot_gptr_t g) {
  char *p;
  if (!eyoti_fast_find(g, 8, &p)) return false;
  assert_ptr_equal(p, where(g.seg, g.unit - FIRST, g.offset));
  return true;
}
static bool shows_word(eyot_gptr_t g) {
  char *p;
  if (!eyoti_fast_find_word(g, 8, &p)) return false;
  assert_ptr_equal(p, where(g.seg, g.unit - FIRST, g.offset));
  return true;
}

static uint32_t shown(uint16_t gen) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < SEGMENTS; s++)
    for (uint32_t u = 0; u < FIRST + MAPPED + 2; u++) n += shows(at(s, gen, u, 8));
  return n;
}

static void assert_empty(void) {
  for (uint64_t i = 0; i < EYOTI_FAST_PARTS; i++) {
    assert_true(EYOTI_FAST_INDEX(eyoti_fast_parts[i].name) != i);
    assert_true(EYOTI_FAST_INDEX(eyoti_fast_parts[i].atomic) != i);
  }
}

/* Many more parts than entries: each finds its own, before and after others have taken its
 * entry. */
static void colliding_parts_are_found_as_their_own(void **state) {
  (void)state;
  struct eyoti_mapped near = make(7);
  assert_empty();
  for (int round = 0; round < 2; round++)
    for (uint32_t s = 1; s < SEGMENTS; s++)
      for (uint32_t u = FIRST; u < FIRST + MAPPED; u++) {
        (void)shows(at(s, 7, u, 16));
        assert_ptr_equal(eyoti_mapped_find(&near, at(s, 7, u, 16), 8), where(s, u - FIRST, 16));
        assert_ptr_equal(eyoti_mapped_find_word(&near, at(s, 7, u, 16), 8),
                         where(s, u - FIRST, 16));
        assert_true(shows(at(s, 7, u, 16)) && shows_word(at(s, 7, u, LEN - 8)));
        assert_false(shows(at(s, 8, u, 16)) || shows(at(s, 7, u, LEN - 7)) ||
                     shows(at(s, 7, u, UINT64_MAX - 7)) || shows_word(at(s, 7, u, 12)));
      }
  assert_in_range(shown(7), EYOTI_FAST_PARTS / 2, EYOTI_FAST_PARTS);
  assert_null(eyoti_mapped_find(&near, at(5, 7, FIRST - 1, 0), 8));
  assert_null(eyoti_mapped_find(&near, at(5, 7, FIRST + MAPPED, 0), 8));
  assert_null(eyoti_mapped_find(&near, at(5, 6, FIRST, 0), 8));
  assert_null(eyoti_mapped_find(&near, at(5, 7, FIRST, LEN - 7), 8));
  assert_null(eyoti_mapped_find_word(&near, at(5, 7, FIRST, 4), 8));
  assert_false(shows(EYOT_GPTR_NULL) || shows_word(EYOT_GPTR_NULL) || shows(at(0, 0, 1, 0)));
  eyoti_mapped_close(&near);
  assert_empty();
}

/* The usual cases have no collisions at all. */
static void usual_parts_do_not_collide(void **state) {
  (void)state;
  static const struct { uint32_t units, segs; } USUAL[] = {{2, 100}, {4, 60}, {8, 16}, {64, 4}};
  for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL; i++) {
    bool taken[EYOTI_FAST_PARTS] = {false};
    for (uint32_t s = 4; s < 4 + USUAL[i].segs; s++)
      for (uint32_t u = 0; u < USUAL[i].units; u++) {
        uint64_t index = EYOTI_FAST_INDEX(eyoti_fast_name(at(s, (uint16_t)(s * 3), u, 0)));
        assert_false(taken[index]);
        taken[index] = true;
      }
  }
}

/* When a segment is destroyed, all its parts are forgotten, and no others. Its index is used again
 * with another generation. */
static void forgetting_a_segment_forgets_its_parts_only(void **state) {
  (void)state;
  struct eyoti_mapped near = make(1);
  for (uint32_t s = 1; s < 20; s++)
    for (uint32_t u = FIRST; u < FIRST + MAPPED; u++)
      assert_non_null(eyoti_mapped_find(&near, at(s, 1, u, 0), 8));
  for (uint32_t s = 1; s < 20; s++) {
    bool others[20][FIRST + MAPPED];
    for (uint32_t t = 1; t < 20; t++)
      for (uint32_t u = FIRST; u < FIRST + MAPPED; u++) others[t][u] = shows(at(t, 1, u, 0));
    eyoti_mapped_forget_seg(&near, segs[s].name);
    segs[s].name = eyoti_mapped_name(at(s, 2, 0, 0));
    for (uint32_t t = 1; t < 20; t++)
      for (uint32_t u = FIRST; u < FIRST + MAPPED; u++) {
        assert_true(shows(at(t, 1, u, 0)) == (others[t][u] && t != s));
        assert_false(shows(at(t, 2, u, 0)) && t == s);
      }
  }
  assert_empty();
  for (uint32_t s = 1; s < 20; s++) {
    assert_null(eyoti_mapped_find(&near, at(s, 1, FIRST, 0), 8));
    assert_non_null(eyoti_mapped_find(&near, at(s, 2, FIRST, 0), 8));
    assert_true(shows(at(s, 2, FIRST, 0)) && !shows(at(s, 1, FIRST, 0)) &&
                !shows_word(at(s, 1, FIRST, 0)));
  }
  eyoti_mapped_close(&near);
  assert_empty();
}

/* Where the processor's atomics are not the fabric's, copies are inline and atomics are not; a
 * change of that forgets all entries. */
static void words_are_inline_only_where_atomics_are(void **state) {
  (void)state;
  struct eyoti_mapped near = make(1);
  assert_non_null(eyoti_mapped_find_word(&near, at(1, 1, FIRST, 0), 8));
  assert_non_null(eyoti_mapped_find(&near, at(1, 1, FIRST, 0), 8));
  assert_true(shows(at(1, 1, FIRST, 0)) && shows_word(at(1, 1, FIRST, 0)));
  near.atomic_n = 0;
  eyoti_mapped_forget(&near);
  assert_empty();
  assert_null(eyoti_mapped_find_word(&near, at(1, 1, FIRST, 0), 8));
  assert_empty();
  for (uint32_t s = 1; s < SEGMENTS; s++)
    for (uint32_t u = FIRST; u < FIRST + MAPPED; u++) {
      assert_non_null(eyoti_mapped_find(&near, at(s, 1, u, 0), 8));
      assert_true(shows(at(s, 1, u, 0)) && !shows_word(at(s, 1, u, 0)));
    }
  assert_false(shows_word(EYOT_GPTR_NULL));
  near.n = 0;
  eyoti_mapped_forget(&near);
  assert_empty();
  assert_null(eyoti_mapped_find(&near, at(1, 1, FIRST, 0), 8));
  assert_empty();
  eyoti_mapped_close(&near);
}

/* Pointers of generations that agree in the lower 16 bits, the ones that the name has, are told
 * apart by the upper ones: inline and in the call, and with offsets before and after the part. */
static void upper_bits_of_the_generation_count(void **state) {
  (void)state;
  static const uint16_t HIGH[] = {0, 1, 2, 0x7fff, 0x8000, 0xfffe, 0xffff};
  enum { N = sizeof HIGH / sizeof *HIGH };
  struct eyoti_mapped near = make(3);
  for (int live = 0; live < N; live++) {
    segs[5].gen_high = HIGH[live];
    eyoti_mapped_forget(&near);
    for (int i = 0; i < N; i++) {
      eyot_gptr_t g = at(5, 3, FIRST + 1, (uint64_t)HIGH[i] << 48);
      for (int64_t byte = -16; byte <= LEN + 8; byte += 8) {
        eyot_gptr_t moved = eyot_gptr_add(g, byte);
        bool inside = i == live && byte >= 0 && byte <= LEN - 8;
        char *p = eyoti_mapped_find(&near, moved, 8), *inl = NULL;
        assert_ptr_equal(p, inside ? where(5, 1, (uint64_t)byte) : NULL);
        /* inline: only generations whose upper bits are 0 */
        assert_true(eyoti_fast_find(moved, 8, &inl) == (inside && HIGH[live] == 0));
        if (inl != NULL) assert_ptr_equal(inl, p);
        assert_ptr_equal(eyoti_mapped_find_word(&near, moved, 8), p);
        assert_true(eyoti_fast_find_word(moved, 8, &inl) == (inside && HIGH[live] == 0));
      }
    }
  }
  eyoti_mapped_close(&near);
}

/* A unit that has not opened the table finds the same and enters nothing. */
static void closed_table_finds_and_enters_nothing(void **state) {
  (void)state;
  struct eyoti_mapped near = make(1);
  eyoti_mapped_close(&near);
  assert_ptr_equal(eyoti_mapped_find(&near, at(9, 1, FIRST + 1, 8), 8), where(9, 1, 8));
  assert_ptr_equal(eyoti_mapped_addr(&near, at(9, 1, FIRST + 1, 8), 8), where(9, 1, 8));
  assert_ptr_equal(eyoti_mapped_word(&near, at(9, 1, FIRST + 1, 8), 8), where(9, 1, 8));
  assert_empty();
  eyoti_mapped_forget(&near);
  eyoti_mapped_forget_seg(&near, segs[9].name);
  assert_empty();
}

/* Units of a fabric that hosts them share the table: it stays empty whatever they do, although all
 * memory is mapped. */
static void hosted_body(uint32_t me, uint32_t n) {
  eyot_gptr_t g = api_alloc(64);
  uint64_t value = me, old;
  for (uint32_t u = 0; u < n; u++) {
    ok(eyot_put(eyot_gptr_add(eyot_gptr_at(g, unit(u)), 8 + me * 8), &value, 8));
    ok(eyot_get(&value, eyot_gptr_add(eyot_gptr_at(g, unit(u)), 8 + me * 8), 8));
    ok(eyot_fetch_add_u64(eyot_gptr_at(g, unit(u)), 1, &old));
    assert_int_equal(value, me);
    assert_null(eyot_current->mapped.entered);
    assert_empty();
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  api_free(g);
}
static void hosted_units_leave_the_table_empty(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 3, hosted_body);
}

/* The fields of a unit that objects compiled with an older header read: nothing is mapped. */
static void older_objects_find_nothing_mapped(void **state) {
  (void)state;
  const char *fast = (const char *)eyot_current;
  uint32_t local_n, atomic_n;
  memcpy(&local_n, fast + 8, sizeof local_n);
  memcpy(&atomic_n, fast + 32, sizeof atomic_n);
  assert_true(local_n == 0 && atomic_n == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(colliding_parts_are_found_as_their_own),
      cmocka_unit_test(usual_parts_do_not_collide),
      cmocka_unit_test(forgetting_a_segment_forgets_its_parts_only),
      cmocka_unit_test(words_are_inline_only_where_atomics_are),
      cmocka_unit_test(upper_bits_of_the_generation_count),
      cmocka_unit_test(closed_table_finds_and_enters_nothing),
      cmocka_unit_test(hosted_units_leave_the_table_empty),
      cmocka_unit_test(older_objects_find_nothing_mapped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
