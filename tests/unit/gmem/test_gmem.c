/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gmem.c - global memory: symmetric and asymmetric allocation, private and registered memory,
 * and every misuse that can be detected. */
#include "gmem/gmem.h"
#include "teams/teams.h"
#include "unit/api_unit.h"

#define HEAP ((uint64_t)2 << 20) /* api_environment */

static uint64_t offset_at(eyot_gptr_t g, uint32_t id) {
  struct fab_addr a;
  ok(eyoti_gmem_resolve(eyot_current, eyot_gptr_at(g, unit(id)), 1, &a));
  assert_int_equal(a.unit, id);
  return a.off;
}

static bool same_offset_everywhere(eyot_gptr_t g, uint32_t n) {
  for (uint32_t u = 1; u < n; u++)
    if (offset_at(g, u) != offset_at(g, 0)) return false;
  return true;
}

/* Every unit writes to every part; then all units check their own. */
static void use_all(eyot_team_t team, eyot_gptr_t g, uint64_t bytes) {
  uint32_t size;
  eyot_tunit_t rel;
  ok(eyot_team_size(team, &size));
  ok(eyot_team_me(team, &rel));
  assert_true(bytes >= size);
  for (uint32_t u = 0; u < size; u++) {
    eyot_gptr_t there;
    uint8_t byte = (uint8_t)(1 + rel.id + u);
    ok(eyot_gptr_at_team(g, team, (eyot_tunit_t){u}, &there));
    ok(eyot_put(eyot_gptr_add(there, rel.id), &byte, 1));
    ok(eyot_put(eyot_gptr_add(there, (int64_t)bytes - 1), &(uint8_t){0}, 1));
  }
  ok(eyot_barrier(team));
  void *own;
  ok(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &own));
  for (uint32_t u = 0; u < size - (bytes == size); u++)
    assert_int_equal(((uint8_t *)own)[u], (uint8_t)(1 + rel.id + u));
  ok(eyot_barrier(team));
}

static void assert_zero(eyot_gptr_t g, uint64_t bytes) {
  const uint8_t *p = api_own(g);
  for (uint64_t i = 0; i < bytes; i++) assert_int_equal(p[i], 0);
}

/* Memory that was used and freed comes back zero, under a new generation, and the old pointer is
 * recognized. */
static void body_symmetric(uint32_t me, uint32_t n) {
  static const uint64_t SIZES[] = {64, 1, 100, 4096, 70000};
  eyot_gptr_t g[5], old = EYOT_GPTR_NULL;
  eyot_heap_info_t before, info;
  char byte;
  ok(eyot_heap_info(&before));
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 5; i++) {
      uint64_t align = i == 3 ? 4096 : i == 2 ? 1 : 64;
      ok(eyot_team_alloc_aligned(EYOT_TEAM_ALL, SIZES[i], align, &g[i]));
      assert_int_equal(g[i].unit, 0);
      assert_int_equal(g[i].offset, 0);
      assert_int_equal((uintptr_t)api_own(g[i]) % (align < 64 ? 64 : align), 0);
      assert_true(same_offset_everywhere(g[i], n));
      assert_zero(g[i], SIZES[i]);
      memset(api_own(g[i]), 0xee, SIZES[i]);
      ok(eyot_barrier(EYOT_TEAM_ALL));
      if (SIZES[i] > n) use_all(EYOT_TEAM_ALL, g[i], SIZES[i]);
      if (i == 0 && round == 1) {
        assert_false(eyot_gptr_equal(g[0], old));
        refuses(EYOT_ESEG, eyot_get(&byte, old, 1));
        refuses(EYOT_ESEG, eyot_team_free(old));
      }
      eyot_gptr_t end = eyot_gptr_at(eyot_gptr_add(g[i], (int64_t)SIZES[i]), unit((me + 1) % n));
      refuses(EYOT_ERANGE, eyot_get(&byte, end, 1));
      refuses(EYOT_ERANGE, eyot_put(eyot_gptr_add(end, -1), "ab", 2));
      refuses(EYOT_ERANGE, eyot_get(&byte, eyot_gptr_add(g[i], -1), 1));
      ok(eyot_get(&byte, eyot_gptr_add(end, -1), 1));
      ok(eyot_put(end, NULL, 0));
      refuses(EYOT_EUNIT, eyot_get(&byte, eyot_gptr_at(g[i], unit(n)), 1));
    }
    ok(eyot_heap_info(&info));
    assert_true(info.collective_used >= 64 + 1 + 100 + 4096 + 70000);
    old = g[0];
    for (int i = 0; i < 5; i++) ok(eyot_team_free(g[(i * 2) % 5]));
    refuses(EYOT_ESEG, eyot_get(&byte, old, 1));
  }
  ok(eyot_heap_info(&info));
  assert_memory_equal(&info, &before, sizeof info);
}

static void freed_memory_comes_back_zero(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n += 2) api_sweep(n, 3, body_symmetric);
}

/* Units whose heaps differ agree on a common offset as long as there is one. */
static void body_asymmetric(uint32_t me, uint32_t n) {
  eyot_team_t pair;
  eyot_gptr_t sub[6], priv[3], g[4];
  ok(eyot_team_split(EYOT_TEAM_ALL, me / 2, &pair));
  for (uint32_t i = 0; i < 6; i++) ok(eyot_team_alloc(pair, 64 + 64 * ((me / 2 + i) % 5), &sub[i]));
  for (uint32_t i = 0; i < 3; i++) ok(eyot_alloc(100 * (me + 1), &priv[i]));
  for (uint32_t i = 0; i < 6; i += 2)
    if (me / 2 % 2 == 0) ok(eyot_team_free(sub[i]));
  for (uint32_t i = 0; i < 4; i++) {
    ok(eyot_team_alloc(EYOT_TEAM_ALL, 300, &g[i]));
    assert_true(same_offset_everywhere(g[i], n));
    use_all(EYOT_TEAM_ALL, g[i], 300);
  }
  for (uint32_t i = 0; i < 6; i++)
    if (i % 2 != 0 || me / 2 % 2 != 0) use_all(pair, sub[i], 64);
  for (uint32_t i = 0; i < 4; i++) ok(eyot_team_free(g[i]));
  for (uint32_t i = 0; i < 6; i++)
    if (i % 2 != 0 || me / 2 % 2 != 0) ok(eyot_team_free(sub[i]));
  for (uint32_t i = 0; i < 3; i++) ok(eyot_free(priv[i]));
  ok(eyot_team_destroy(&pair));
}

static void uneven_heaps_agree_on_an_offset(void **state) {
  (void)state;
  api_sweep(6, 3, body_asymmetric);
}

/* No offset is free on all: the even units' lower half is taken, and the odd units' upper half.
 * Each finds its own offset, and the others find it. */
static void body_table(uint32_t me, uint32_t n) {
  uint64_t most = HEAP * 5 / 8, rest = HEAP / 4;
  eyot_team_t even;
  eyot_gptr_t low, high = EYOT_GPTR_NULL, g;
  char byte = 0;
  ok(eyot_team_split(EYOT_TEAM_ALL, me % 2, &even));
  if (me % 2 == 0)
    ok(eyot_team_alloc(even, most, &low));
  else
    ok(eyot_alloc(most, &high));
  for (int round = 0; round < 2; round++) {
    ok(eyot_team_alloc(EYOT_TEAM_ALL, rest, &g));
    assert_false(same_offset_everywhere(g, n));
    assert_zero(g, rest);
    ok(eyot_barrier(EYOT_TEAM_ALL));
    use_all(EYOT_TEAM_ALL, g, rest);
    for (uint32_t u = 0; u < n; u++) {
      refuses(EYOT_ERANGE,
              eyot_get(&byte, eyot_gptr_at(eyot_gptr_add(g, (int64_t)rest), unit(u)), 1));
      ok(eyot_get(&byte, eyot_gptr_at(eyot_gptr_add(g, (int64_t)rest - 1), unit(u)), 1));
    }
    memset(api_own(g), 1, rest);
    eyot_gptr_t old = g;
    ok(eyot_team_free(g));
    refuses(EYOT_ESEG, eyot_get(&byte, old, 1));
  }
  if (me % 2 == 0)
    ok(eyot_team_free(low));
  else
    ok(eyot_free(high));
  ok(eyot_team_destroy(&even));
}

static void units_without_common_offset_find_parts(void **state) {
  (void)state;
  api_sweep(4, 2, body_table);
  /* more units than offsets that are remembered */
  api_run(&(struct fake_opts){.n = 9, .seed = 9, .mode = FAKE_REORDER}, body_table);
}

/* An error on one unit is returned on all, and no memory is lost. */
static void body_refused(uint32_t me, uint32_t n) {
  eyot_gptr_t g = {1, 2, 3, 4}, big;
  eyot_heap_info_t before, info;
  ok(eyot_heap_info(&before));
  refuses(EYOT_EMISMATCH, eyot_team_alloc(EYOT_TEAM_ALL, me == n - 1 ? 100 : 101, &g));
  refuses(EYOT_EMISMATCH, eyot_team_alloc_aligned(EYOT_TEAM_ALL, 100, me == 0 ? 64 : 128, &g));
  refuses(EYOT_EINVAL, eyot_team_alloc(EYOT_TEAM_ALL, 0, &g));
  refuses(EYOT_EINVAL, eyot_team_alloc_aligned(EYOT_TEAM_ALL, 8, 24, &g));
  refuses(EYOT_ENOMEM, eyot_team_alloc_aligned(EYOT_TEAM_ALL, 8, UINT64_C(1) << 46, &g));
  refuses(EYOT_EINVAL, eyot_team_alloc_aligned(EYOT_TEAM_ALL, 8, 0, &g));
  refuses(EYOT_EINVAL, eyot_team_alloc(EYOT_TEAM_ALL, 8, NULL));
  refuses(EYOT_ETEAM, eyot_team_alloc(EYOT_TEAM_NULL, 8, &g));
  refuses(EYOT_ENOMEM, eyot_team_alloc(EYOT_TEAM_ALL, HEAP, &g));
  refuses(EYOT_ENOMEM, eyot_team_alloc(EYOT_TEAM_ALL, UINT64_MAX, &g));
  refuses(EYOT_ENOMEM, eyot_team_alloc(EYOT_TEAM_ALL, UINT64_MAX - 63, &g));
  assert_int_equal(g.offset, 1);
  /* One full heap is enough. */
  if (me == n - 1) ok(eyot_alloc(HEAP / 2, &big));
  refuses(EYOT_ENOMEM, eyot_team_alloc(EYOT_TEAM_ALL, HEAP * 3 / 4, &g));
  if (me == n - 1) ok(eyot_free(big));
  ok(eyot_heap_info(&info));
  assert_memory_equal(&info, &before, sizeof info);
  ok(eyot_team_alloc(EYOT_TEAM_ALL, HEAP * 3 / 4, &g));
  /* Freeing different allocations. */
  eyot_gptr_t h;
  ok(eyot_team_alloc(EYOT_TEAM_ALL, 8, &h));
  if (n > 1) refuses(EYOT_EMISMATCH, eyot_team_free(me == 0 ? g : h));
  refuses(EYOT_ESEG, eyot_team_free(eyot_gptr_add(g, 8)));
  refuses(EYOT_ESEG, eyot_team_free(EYOT_GPTR_NULL));
  ok(eyot_team_free(h));
  ok(eyot_team_free(g));
  refuses(EYOT_ESEG, eyot_team_free(g));
}

static void wrong_allocation_is_refused_on_all(void **state) {
  (void)state;
  api_sweep(3, 2, body_refused);
}

/* Units that are not members cannot access a segment. */
static void body_membership(uint32_t me, uint32_t n) {
  eyot_team_t half;
  eyot_gptr_t g, box = api_alloc(sizeof g);
  char byte = 1;
  ok(eyot_team_split(EYOT_TEAM_ALL, me % 2, &half));
  ok(eyot_team_alloc(half, 16, &g));
  for (uint32_t u = 0; u < n; u++) {
    refuses(u % 2 == me % 2 ? EYOT_OK : EYOT_EUNIT, eyot_put(eyot_gptr_at(g, unit(u)), &byte, 1));
    refuses(u % 2 == me % 2 ? EYOT_OK : EYOT_EUNIT, eyot_put(eyot_gptr_at(g, unit(u)), &byte, 0));
  }
  eyot_tunit_t rel;
  eyot_gptr_t out;
  ok(eyot_team_me(half, &rel));
  ok(eyot_gptr_at_team(g, half, rel, &out));
  assert_int_equal(out.unit, me);
  refuses(EYOT_EUNIT, eyot_gptr_at_team(g, half, (eyot_tunit_t){n}, &out));
  refuses(EYOT_ETEAM, eyot_gptr_at_team(g, EYOT_TEAM_NULL, rel, &out));
  refuses(EYOT_ESEG, eyot_put(EYOT_GPTR_NULL, &byte, 1));
  refuses(EYOT_ESEG, eyot_put(EYOT_GPTR_NULL, &byte, 0));
  refuses(EYOT_ESEG, eyot_put((eyot_gptr_t){0, me, 999, 1}, &byte, 1));
  refuses(EYOT_ESEG, eyot_put((eyot_gptr_t){g.offset, me, g.seg, (uint16_t)(g.gen + 1)}, &byte, 1));
  /* A pointer of the other half names another segment here, or none. */
  ok(eyot_put(eyot_gptr_at(box, unit((me + 1) % n)), &g, sizeof g));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  eyot_gptr_t foreign = *(eyot_gptr_t *)api_own(box);
  int rc = eyot_put(foreign, &byte, 1);
  assert_true(rc == EYOT_EUNIT || rc == EYOT_ESEG);
  ok(eyot_team_free(g));
  ok(eyot_team_destroy(&half));
  api_free(box);
}

static void segment_of_a_team_excludes_others(void **state) {
  (void)state;
  api_sweep(4, 2, body_membership);
}

/* Private memory: given to others through a collective box. */
static void body_private(uint32_t me, uint32_t n) {
  eyot_gptr_t box = api_alloc(sizeof(eyot_gptr_t)), p, q, theirs;
  eyot_heap_info_t before, info;
  uint64_t word = 100 + me, got;
  void *addr;
  ok(eyot_heap_info(&before));
  ok(eyot_alloc(24, &p));
  ok(eyot_alloc(1000, &q));
  assert_zero(p, 24);
  ok(eyot_gptr_addr(p, &addr));
  assert_int_equal((uintptr_t)addr % 64, 0);
  ok(eyot_put(eyot_gptr_add(p, 16), &word, 8));
  ok(eyot_put(eyot_gptr_at(box, unit((me + n - 1) % n)), &p, sizeof p));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  theirs = *(eyot_gptr_t *)api_own(box);
  assert_int_equal(eyot_gptr_unit(theirs).id, (me + 1) % n);
  ok(eyot_get(&got, eyot_gptr_add(theirs, 16), 8));
  assert_int_equal(got, 100 + (me + 1) % n);
  refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(p, 17), 8));
  refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(p, 24), 1));
  int rc = eyot_get(&got, eyot_gptr_add(p, -1), 1);
  assert_true(rc == EYOT_ESEG || rc == EYOT_ERANGE);
  refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(theirs, (int64_t)HEAP), 8));
  if (n > 1) refuses(EYOT_EUNIT, eyot_free(theirs));
  if (n > 1) refuses(EYOT_EUNIT, eyot_gptr_addr(theirs, &addr));
  refuses(EYOT_ESEG, eyot_free(eyot_gptr_add(p, 8)));
  refuses(EYOT_ESEG, eyot_free(box));
  refuses(EYOT_ESEG, eyot_team_free(p));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_free(p));
  refuses(EYOT_ESEG, eyot_free(p));
  refuses(EYOT_ESEG, eyot_get(&got, p, 8));
  eyot_gptr_t again;
  ok(eyot_alloc(24, &again));
  assert_false(eyot_gptr_equal(again, p));
  refuses(EYOT_ESEG, eyot_get(&got, p, 8));
  assert_zero(again, 24);
  ok(eyot_free(again));
  ok(eyot_free(q));
  refuses(EYOT_EINVAL, eyot_alloc(0, &q));
  refuses(EYOT_EINVAL, eyot_alloc(1, NULL));
  refuses(EYOT_ENOMEM, eyot_alloc(HEAP, &q));
  refuses(EYOT_ENOMEM, eyot_alloc(UINT64_MAX, &q));
  ok(eyot_heap_info(&info));
  assert_memory_equal(&info, &before, sizeof info);
  api_free(box);
}

/* With EYOT_CHECK, and wherever memory is mapped, the owner's headers are checked. */
static void body_private_checked(uint32_t me, uint32_t n) {
  eyot_gptr_t box = api_alloc(sizeof(eyot_gptr_t)), p, theirs;
  uint64_t got;
  ok(eyot_alloc(24, &p));
  ok(eyot_put(eyot_gptr_at(box, unit((me + n - 1) % n)), &p, sizeof p));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  theirs = *(eyot_gptr_t *)api_own(box);
  ok(eyot_get(&got, theirs, 8));
  refuses(EYOT_ERANGE, eyot_get(&got, eyot_gptr_add(theirs, 20), 8));
  theirs.gen++;
  refuses(EYOT_ESEG, eyot_get(&got, theirs, 8));
  theirs.gen--;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_free(p));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  refuses(EYOT_ESEG, eyot_get(&got, theirs, 8));
  api_free(box);
}

static void private_memory_is_reached_by_pointer(void **state) {
  (void)state;
  api_sweep(3, 3, body_private);
  setenv("EYOT_CHECK", "1", 1);
  api_sweep(3, 2, body_private);
  api_sweep(3, 2, body_private_checked);
  unsetenv("EYOT_CHECK");
}

static void body_registered(uint32_t me, uint32_t n) {
  static uint64_t memory[4][6]; /* by unit: the units of the fake share the program's variables */
  eyot_gptr_t box = api_alloc(sizeof(eyot_gptr_t)), r, more, theirs;
  uint64_t word = 1000 + me, got[6];
  void *addr;
  memset(memory[me], 0, sizeof memory[me]);
  ok(eyot_register(memory[me], sizeof memory[me], &r));
  ok(eyot_register(&word, 8, &more));
  ok(eyot_put(eyot_gptr_at(box, unit((me + n - 1) % n)), &r, sizeof r));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  theirs = *(eyot_gptr_t *)api_own(box);
  ok(eyot_put(eyot_gptr_add(theirs, 8), &word, 8));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(memory[me][1], 1000 + (me + n - 1) % n);
  ok(eyot_get(got, r, sizeof got)); /* the unit's own, by pointer */
  assert_memory_equal(got, memory[me], sizeof got);
  ok(eyot_gptr_addr(eyot_gptr_add(r, 16), &addr));
  assert_ptr_equal(addr, &memory[me][2]);
  refuses(EYOT_ERANGE, eyot_get(got, eyot_gptr_add(theirs, 1), sizeof got));
  refuses(EYOT_ERANGE, eyot_get(got, eyot_gptr_add(theirs, 48), 1));
  if (n > 1) refuses(EYOT_EUNIT, eyot_unregister(theirs));
  if (n > 1) refuses(EYOT_ENOTSUP, eyot_gptr_direct(theirs, &addr));
  refuses(EYOT_ESEG, eyot_unregister(box));
  refuses(EYOT_ESEG, eyot_unregister(eyot_gptr_add(r, 8)));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_unregister(r));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  refuses(EYOT_ESEG, eyot_get(got, theirs, 8));
  refuses(EYOT_ESEG, eyot_unregister(r));
  ok(eyot_register(memory[me], 8, &r)); /* the slot again */
  ok(eyot_barrier(EYOT_TEAM_ALL));
  refuses(EYOT_ESEG, eyot_get(got, theirs, 8));
  theirs.offset = UINT64_MAX;
  refuses(EYOT_ESEG, eyot_get(got, theirs, 8));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_unregister(r));
  ok(eyot_unregister(more));
  refuses(EYOT_EINVAL, eyot_register(NULL, 8, &r));
  refuses(EYOT_EINVAL, eyot_register(&word, 0, &r));
  refuses(EYOT_EINVAL, eyot_register(&word, 8, NULL));
  api_free(box);
}

static void body_too_many_registered(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  static uint64_t word;
  eyot_gptr_t *r = calloc(1024, sizeof *r);
  uint32_t made = 0;
  int rc = EYOT_OK;
  while (made < 1024 && (rc = eyot_register(&word, 8, &r[made])) == EYOT_OK) made++;
  assert_int_equal(rc, EYOT_EBUSY);
  ok(eyot_unregister(r[made / 2]));
  ok(eyot_register(&word, 8, &r[made / 2]));
  while (made > 0) ok(eyot_unregister(r[--made]));
  free(r);
}

static void registered_memory_is_reached_by_pointer(void **state) {
  (void)state;
  api_sweep(3, 3, body_registered);
  api_run(&(struct fake_opts){.n = 1, .seed = 1}, body_too_many_registered);
}

static void body_pointers(uint32_t me, uint32_t n) {
  eyot_gptr_t g = api_alloc(256), p, q;
  int64_t diff = 0;
  void *addr, *own;
  ok(eyot_alloc(64, &p));
  ok(eyot_alloc(64, &q));
  ok(eyot_gptr_diff(eyot_gptr_add(g, 200), eyot_gptr_add(g, 50), &diff));
  assert_int_equal(diff, 150);
  ok(eyot_gptr_diff(p, eyot_gptr_add(p, 60), &diff));
  assert_int_equal(diff, -60);
  refuses(EYOT_EINVAL, eyot_gptr_diff(p, q, &diff));
  refuses(EYOT_EINVAL, eyot_gptr_diff(p, g, &diff));
  refuses(EYOT_EINVAL, eyot_gptr_diff(g, eyot_gptr_at(g, unit(1)), &diff));
  refuses(EYOT_EINVAL, eyot_gptr_diff(EYOT_GPTR_NULL, EYOT_GPTR_NULL, &diff));
  refuses(EYOT_EINVAL, eyot_gptr_diff(g, g, NULL));
  assert_true(eyot_gptr_is_null(EYOT_GPTR_NULL));
  assert_false(eyot_gptr_is_null(p));
  own = api_own(g);
  ok(eyot_gptr_direct(eyot_gptr_at(g, unit(me)), &addr));
  assert_ptr_equal(addr, own);
  if (n > 1) refuses(EYOT_EUNIT, eyot_gptr_addr(eyot_gptr_at(g, unit((me + 1) % n)), &addr));
  refuses(EYOT_ESEG, eyot_gptr_addr(EYOT_GPTR_NULL, &addr));
  refuses(EYOT_EINVAL, eyot_gptr_addr(g, NULL));
  refuses(EYOT_EINVAL, eyot_gptr_direct(g, NULL));
  refuses(EYOT_ERANGE, eyot_gptr_addr(eyot_gptr_at(eyot_gptr_add(g, 257), unit(me)), &addr));
  /* The neighbor's memory is the same bytes whether it is mapped here or not. */
  uint32_t neighbor = me ^ 1;
  if (neighbor < n) {
    int rc = eyot_gptr_direct(eyot_gptr_at(g, unit(neighbor)), &addr);
    assert_true(rc == EYOT_OK || rc == EYOT_ENOTSUP);
    assert_int_equal(rc == EYOT_OK, eyot_current->fab->local.n > 1);
    if (rc == EYOT_OK) *((char *)addr + me % 2) = (char)(me + 1);
    ok(eyot_sync());
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (rc == EYOT_OK) assert_int_equal(((char *)own)[neighbor % 2], neighbor + 1);
  } else {
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  ok(eyot_free(p));
  ok(eyot_free(q));
  refuses(EYOT_EINVAL, eyot_heap_info(NULL));
  api_free(g);
}

static void pointers_add_subtract_and_resolve(void **state) {
  (void)state;
  api_sweep(3, 2, body_pointers);
}

/* Left at finalize: released (asan watches) and reported. */
static void body_leaks(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  static uint64_t word;
  eyot_gptr_t g;
  ok(eyot_team_alloc(EYOT_TEAM_ALL, 8, &g));
  ok(eyot_alloc(8, &g));
  ok(eyot_register(&word, 8, &g));
}

static void leaks_are_released_and_reported(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 1}, body_leaks);
}

/* The default heap size is reduced to what the fabric can provide, an explicit one is not. */
static void body_room(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  eyot_heap_info_t info;
  ok(eyot_heap_info(&info));
  if (getenv("EYOT_HEAP_SIZE") != NULL) {
    /* less the runtime's own use */
    assert_true(info.size <= (8u << 20) && info.size > (7u << 20));
  } else {
    assert_true(info.size <= (3u << 20) && info.size >= (2u << 20));
    eyot_gptr_t g;
    ok(eyot_team_alloc(EYOT_TEAM_ALL, 1 << 20, &g));
    ok(eyot_team_free(g));
  }
}

static void heap_is_limited_by_what_the_fabric_has(void **state) {
  (void)state;
  const char *before = getenv("EYOT_HEAP_SIZE");
  char *kept = before != NULL ? strdup(before) : NULL;
  const struct fake_opts o = {.n = 3, .seed = 1, .seg_available = 3 << 20};
  unsetenv("EYOT_HEAP_SIZE");
  unsetenv("EYOT_HEAP_MAX");
  api_run(&o, body_room);
  setenv("EYOT_HEAP_SIZE", "8M", 1);
  api_run(&o, body_room);
  unsetenv("EYOT_HEAP_SIZE");
  if (kept != NULL) setenv("EYOT_HEAP_SIZE", kept, 1);
  setenv("EYOT_HEAP_MAX", "2M", 1);
  free(kept);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(freed_memory_comes_back_zero),
                                     cmocka_unit_test(uneven_heaps_agree_on_an_offset),
                                     cmocka_unit_test(units_without_common_offset_find_parts),
                                     cmocka_unit_test(wrong_allocation_is_refused_on_all),
                                     cmocka_unit_test(segment_of_a_team_excludes_others),
                                     cmocka_unit_test(private_memory_is_reached_by_pointer),
                                     cmocka_unit_test(registered_memory_is_reached_by_pointer),
                                     cmocka_unit_test(pointers_add_subtract_and_resolve),
                                     cmocka_unit_test(leaks_are_released_and_reported),
                                     cmocka_unit_test(heap_is_limited_by_what_the_fabric_has)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
