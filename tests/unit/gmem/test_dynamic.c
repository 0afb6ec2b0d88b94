/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dynamic.c - dynamic segments: every operation on attached memory, misuse, and the cost of
 * each access. test_dynamic_model.c has random use. */
#include "gmem/state.h"
#include "unit/api_unit.h"

#define UNITS_MAX 8u

/* The units' memory; they are coroutines of one process, so its addresses need not be sent. */
static uint64_t memory[UNITS_MAX][64], other[UNITS_MAX][16];
static eyot_dynamic_attr_t attr;
static bool uneven; /* the units have no common offset for the segment */

static eyot_gptr_t at(eyot_dynamic_t d, uint32_t u, const void *address) {
  eyot_gptr_t g;
  ok(eyot_dynamic_gptr(d, unit(u), (uint64_t)(uintptr_t)address, &g));
  return g;
}

static void meet(void) {
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

static eyot_dynamic_t begin(uint32_t me) {
  eyot_dynamic_t d;
  memset(memory[me], 0, sizeof memory[me]);
  memset(other[me], 0, sizeof other[me]);
  ok(eyot_dynamic_create(EYOT_TEAM_ALL, &attr, &d));
  assert_true(eyoti_gmem_collective_find(eyot_current->gmem, d.at)->has_table == uneven);
  return d;
}

static void end(eyot_dynamic_t d) {
  ok(eyot_dynamic_destroy(&d));
  assert_true(eyot_gptr_is_null(d.at));
}

/* -- operations on attached memory ------------------------------------------------------------- */
static void move_bytes(eyot_gptr_t to, uint64_t *there, uint32_t me) {
  uint64_t out[4] = {me + 1, 2, 3, 4}, in[4] = {0};
  ok(eyot_put(to, out, 32));
  assert_memory_equal(there, out, 32);
  ok(eyot_get(in, eyot_gptr_add(to, 8), 16));
  assert_int_equal(in[1], 3);
  eyot_handle_t h[2];
  out[0] = 50;
  ok(eyot_put_nb(to, out, 8, &h[0]));
  ok(eyot_get_nb(in, eyot_gptr_add(to, 24), 8, &h[1]));
  ok(eyot_wait_all(h, 2, EYOT_REMOTE));
  assert_int_equal(there[0], 50);
  assert_int_equal(in[0], 4);
  eyot_strided_t every_other = {
      .block_bytes = 8, .count = 3, .local_stride = 8, .remote_stride = 16};
  uint64_t three[3] = {7, 8, 9}, back[3] = {0};
  ok(eyot_put_strided(to, three, &every_other));
  assert_int_equal(there[0] + there[2] * 10 + there[4] * 100, 7 + 80 + 900);
  ok(eyot_get_strided(back, to, &every_other));
  assert_memory_equal(back, three, sizeof back);
  const uint64_t len[2] = {8, 16}, from[2] = {0, 8}, where[2] = {40, 48};
  ok(eyot_put_indexed(
      to, three, &(eyot_indexed_t){.n = 2, .len = len, .local_off = from, .remote_off = where}));
  assert_memory_equal(there + 5, three, sizeof three);
}

static void change_words(eyot_gptr_t word, uint64_t *there) {
  uint64_t old, five = 5, six = 6, array[70];
  ok(eyot_swap_u64(word, 40, &old));
  ok(eyot_fetch_add_u64(word, 2, &old));
  assert_int_equal(old, 40);
  ok(eyot_cas_u64(word, 42, 43, &old));
  ok(eyot_accumulate(word, EYOT_UINT64, EYOT_MAX, &five));
  ok(eyot_accumulate(word, EYOT_UINT64, EYOT_SUM, &five));
  assert_int_equal(there[0], 48);
  refuses(EYOT_EALIGN, eyot_fetch_add_u64(eyot_gptr_add(word, 4), 1, &old));
  ok(eyot_put_signal(eyot_gptr_add(word, 8), &six, 8, eyot_gptr_add(word, 16), EYOT_SIGNAL_ADD, 9));
  assert_int_equal(there[1], 6);
  assert_int_equal(there[2], 9);
  for (uint32_t i = 0; i < 70; i++) array[i] = i;
  ok(eyot_accumulate_array(eyot_gptr_add(word, 24), EYOT_UINT64, EYOT_SUM, array, 3));
  /* under the target's lock */
  ok(eyot_accumulate_array(eyot_gptr_add(word, 24), EYOT_UINT64, EYOT_PROD, array, 3));
  assert_int_equal(there[5], 4);
}

static void tour_body(uint32_t me, uint32_t n) {
  eyot_dynamic_t d = begin(me);
  eyot_gptr_t own, more;
  ok(eyot_dynamic_attach(d, memory[me], sizeof memory[me], &own));
  ok(eyot_dynamic_attach(d, other[me], 64, &more));
  assert_true(eyot_gptr_equal(own, at(d, me, memory[me])));
  meet();
  for (uint32_t u = 0; u < n; u++) {
    if ((u + 1) % n == me) { /* meanwhile each unit's memory belongs to another unit */
      move_bytes(at(d, u, &memory[u][0]), &memory[u][0], me);
      change_words(at(d, u, &memory[u][20]), &memory[u][20]);
      move_bytes(at(d, u, other[u]), other[u], me);
    }
  }
  void *p;
  int64_t bytes;
  ok(eyot_gptr_addr(eyot_gptr_add(own, 24), &p));
  assert_ptr_equal(p, &memory[me][3]);
  ok(eyot_gptr_direct(more, &p));
  assert_ptr_equal(p, other[me]);
  ok(eyot_gptr_diff(eyot_gptr_add(own, 100), own, &bytes));
  assert_int_equal(bytes, 100);
  /* addresses of one unit may be subtracted wherever they are attached */
  ok(eyot_gptr_diff(at(d, me, other[me]), own, &bytes));
  assert_int_equal(bytes, (char *)other[me] - (char *)memory[me]);
  if (n > 1) {
    eyot_gptr_t far = at(d, (me + 1) % n, memory[(me + 1) % n]);
    refuses(EYOT_ENOTSUP, eyot_gptr_direct(far, &p));
    refuses(EYOT_EUNIT, eyot_gptr_addr(far, &p));
    refuses(EYOT_EINVAL, eyot_gptr_diff(far, own, &bytes));
  }
  meet();
  ok(eyot_dynamic_detach(d, memory[me]));
  ok(eyot_dynamic_detach(d, other[me]));
  end(d);
}

static void both_kinds(uint32_t n, uint32_t seeds, uint32_t regions, uint32_t peers,
                       api_body body) {
  for (int kind = EYOT_DYNAMIC_VALIDATE; kind <= EYOT_DYNAMIC_NOTIFY; kind++) {
    attr = (eyot_dynamic_attr_t){(eyot_dynamic_kind_t)kind, regions, peers};
    api_sweep(n, seeds, body);
  }
}

static void every_operation_reaches_attached_memory(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) both_kinds(n, 4, 64, 32, tour_body);
}

/* -- misuse ------------------------------------------------------------------------------------ */
static void misuse_attach(eyot_dynamic_t d, uint32_t me) {
  eyot_gptr_t g = EYOT_GPTR_NULL;
  char *p = (char *)memory[me];
  ok(eyot_dynamic_attach(d, p + 64, 64, NULL));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p + 64, 64, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p + 100, 1, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p, 65, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p + 127, 10, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p, 256, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p, 0, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, NULL, 8, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p, (uint64_t)1 << 48, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_attach(d, p, UINT64_MAX, &g));
  assert_true(eyot_gptr_is_null(g));
  ok(eyot_dynamic_attach(d, p, 64, &g)); /* adjacent regions are two regions */
  ok(eyot_dynamic_attach(d, p + 128, 64, NULL));
  refuses(EYOT_EBUSY, eyot_dynamic_attach(d, p + 256, 64, NULL));
  refuses(EYOT_EINVAL, eyot_dynamic_detach(d, p + 1));
  refuses(EYOT_EINVAL, eyot_dynamic_detach(d, p - 1));
  refuses(EYOT_EINVAL, eyot_dynamic_detach(d, NULL));
  uint64_t v[16];
  ok(eyot_get(v, g, 64));
  refuses(EYOT_ERANGE, eyot_get(v, g, 65));
  refuses(EYOT_ERANGE, eyot_get(v, eyot_gptr_add(g, -1), 1));
  refuses(EYOT_ERANGE, eyot_get(v, eyot_gptr_add(g, 192), 1));
  ok(eyot_get(v, eyot_gptr_add(g, 192), 0));
  refuses(EYOT_ERANGE, eyot_get(v, eyot_gptr_add(g, 193), 0));
}

static void misuse_body(uint32_t me, uint32_t n) {
  eyot_dynamic_t d, odd = EYOT_DYNAMIC_NULL;
  eyot_gptr_t g;
  uint64_t v = 0;
  eyot_dynamic_attr_t bad = attr;
  bad.regions = 0;
  refuses(EYOT_EINVAL, eyot_dynamic_create(EYOT_TEAM_ALL, &bad, &odd));
  bad.regions = 4097;
  refuses(EYOT_EINVAL, eyot_dynamic_create(EYOT_TEAM_ALL, &bad, &odd));
  bad = attr;
  bad.peers = 4097;
  refuses(EYOT_EINVAL, eyot_dynamic_create(EYOT_TEAM_ALL, &bad, &odd));
  bad = attr;
  bad.kind = (eyot_dynamic_kind_t)2;
  refuses(EYOT_EINVAL, eyot_dynamic_create(EYOT_TEAM_ALL, &bad, &odd));
  bad = attr;
  if (me == 0) bad.kind = (eyot_dynamic_kind_t)(1 - bad.kind);
  refuses(EYOT_EMISMATCH, eyot_dynamic_create(EYOT_TEAM_ALL, &bad, &odd));
  refuses(EYOT_EINVAL, eyot_dynamic_create(EYOT_TEAM_ALL, &attr, me == 0 ? NULL : &odd));
  refuses(EYOT_ETEAM, eyot_dynamic_create(EYOT_TEAM_NULL, &attr, &odd));
  assert_true(eyot_gptr_is_null(odd.at));
  d = begin(me);
  refuses(EYOT_ESEG, eyot_team_free(d.at));
  misuse_attach(d, me);
  refuses(EYOT_EUNIT, eyot_dynamic_gptr(d, unit(n), 8, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_gptr(d, unit(0), 0, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_gptr(d, unit(0), (uint64_t)1 << 48, &g));
  refuses(EYOT_EINVAL, eyot_dynamic_gptr(d, unit(0), 8, NULL));
  refuses(EYOT_ESEG, eyot_dynamic_gptr(odd, unit(0), 8, &g));
  refuses(EYOT_ESEG, eyot_dynamic_attach(odd, memory[me], 8, &g));
  g = at(d, (me + 1) % n, memory[(me + 1) % n]);
  refuses(EYOT_EUNIT, eyot_put(eyot_gptr_at(g, unit(n)), &v, 8));
  /* out of the address space */
  refuses(EYOT_ESEG, eyot_put(eyot_gptr_add(g, -((int64_t)1 << 48)), &v, 8));
  eyot_dynamic_t gone = d;
  meet();
  end(d); /* with three regions attached: destroy detaches them */
  refuses(EYOT_ESEG, eyot_put(g, &v, 8));
  refuses(EYOT_ESEG, eyot_dynamic_attach(gone, memory[me], 8, &g));
  refuses(EYOT_ESEG, eyot_dynamic_detach(gone, memory[me]));
  refuses(EYOT_ESEG, eyot_dynamic_destroy(&gone));
  refuses(EYOT_EINVAL, eyot_dynamic_destroy(NULL));
  d = begin(me); /* the old pointers stay wrong */
  refuses(EYOT_ESEG, eyot_put(g, &v, 8));
  if (me == 0) ok(eyot_dynamic_attach(d, memory[me], 8, NULL)); /* the fabric has detached it */
  end(d);
}

static void misuse_of_dynamic_segments_is_refused(void **state) {
  (void)state;
  both_kinds(3, 1, 3, 2, misuse_body);
}

/* Regions that begin at odd addresses: alignment is that of addresses. Words of 4 bytes in a region
 * of 12, which ends between two words of 8. */
static void odd_body(uint32_t me, uint32_t n) {
  eyot_dynamic_t d = begin(me);
  uint32_t *own = (uint32_t *)(void *)memory[me] + 1, one = 1, old;
  uint64_t wide;
  uint32_t next = (me + 1) % n;
  const uint32_t *there = (uint32_t *)(void *)memory[next] + 1;
  ok(eyot_dynamic_attach(d, own, 12, NULL));
  ok(eyot_dynamic_attach(d, own + 3, 8, NULL)); /* adjacent */
  meet();
  for (uint32_t i = 0; i < 5; i++)
    ok(eyot_fetch_op(at(d, next, there + i), EYOT_UINT32, EYOT_SUM, &one, &old));
  /* aligned, though not from the start of its region */
  ok(eyot_fetch_add_u64(at(d, next, there + 1), 2, &wide));
  assert_int_equal(wide, (uint64_t)1 << 32 | 1);
  refuses(EYOT_EALIGN, eyot_fetch_add_u64(at(d, next, there), 1, &wide));
  refuses(EYOT_EALIGN,
          eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, at(d, next, there), EYOT_SIGNAL_ADD, 1));
  ok(eyot_put_signal(at(d, next, there), &one, 1, at(d, next, there + 3), EYOT_SIGNAL_ADD, 7));
  refuses(EYOT_ERANGE, eyot_put(at(d, next, there + 2), &wide, 8)); /* in two regions */
  ok(eyot_wait_until_timeout(at(d, me, own + 3), EYOT_CMP_GE, 0, 0, NULL));
  ok(eyot_put(at(d, next, there + 5), &wide, 0)); /* nothing, at the end */
  meet();
  for (uint32_t i = 0; i < 5; i++) assert_int_equal(own[i], i == 1 ? 3 : i == 3 ? 8 : 1);
  ok(eyot_dynamic_detach(d, own));
  ok(eyot_dynamic_detach(d, own + 3));
  end(d);
}

static void odd_addresses_keep_their_alignment(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) both_kinds(n, 4, 2, 1, odd_body);
}

/* For half of the units; the others cannot access it and are not accessed. */
static void team_body(uint32_t me, uint32_t n) {
  eyot_team_t half;
  eyot_dynamic_t d;
  eyot_gptr_t g;
  ok(eyot_team_split(EYOT_TEAM_ALL, me % 2, &half));
  ok(eyot_dynamic_create(half, &attr, &d));
  ok(eyot_dynamic_attach(d, memory[me], 64, &g));
  refuses(EYOT_EBUSY, eyot_team_destroy(&half));
  refuses(EYOT_EUNIT, eyot_dynamic_gptr(d, unit((me + 1) % n), 8, &g));
  ok(eyot_barrier(half));
  uint64_t v = 70 + me;
  ok(eyot_put(at(d, (me + 2) % n, &memory[(me + 2) % n][1]), &v, 8));
  refuses(EYOT_EUNIT, eyot_put(eyot_gptr_at(g, unit((me + 1) % n)), &v, 8));
  ok(eyot_barrier(half));
  assert_int_equal(memory[me][1], 70 + (me + n - 2) % n);
  ok(eyot_dynamic_detach(d, memory[me]));
  ok(eyot_dynamic_destroy(&d));
  ok(eyot_team_destroy(&half));
  meet();
}

static void dynamic_segment_of_a_team_excludes_others(void **state) {
  (void)state;
  both_kinds(4, 3, 5, 2, team_body);
}

/* Members without a common offset: a heap that is half full on one unit only. */
static void uneven_body(uint32_t me, uint32_t n) {
  eyot_team_t half;
  eyot_gptr_t fill;
  ok(eyot_team_split(EYOT_TEAM_ALL, me / 2, &half));
  ok(eyot_team_alloc(half, me / 2 == 0 ? (uint64_t)1 << 20 : (uint64_t)1 << 17, &fill));
  eyot_gptr_t own = EYOT_GPTR_NULL;
  if (me / 2 != 0) ok(eyot_alloc((uint64_t)1 << 20, &own));
  tour_body(me, n);
  if (me / 2 != 0) ok(eyot_free(own));
  ok(eyot_team_free(fill));
  ok(eyot_team_destroy(&half));
}

static void members_without_a_common_offset_find_each_other(void **state) {
  (void)state;
  uneven = true;
  both_kinds(4, 2, 4096, 1024, uneven_body); /* some 200 kB a unit */
  uneven = false;
}

/* -- costs ------------------------------------------------------------------------------------- */
static struct cost { uint32_t gets, amos, signals; } asked[UNITS_MAX];
static const struct fab_ops *real_ops[UNITS_MAX];
static struct fab_ops counting_ops;

static int counting_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len,
                        fab_req_t *req) {
  if (src.unit != f->me) asked[f->me].gets++;
  return real_ops[f->me]->get(f, dst, src, len, req);
}
static int counting_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo,
                        uint64_t *old, fab_req_t *req) {
  if (dst.unit != f->me) asked[f->me].amos++;
  return real_ops[f->me]->amo(f, dst, amo, old, req);
}
static int counting_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                           const struct fab_sig *sig, fab_req_t *req) {
  if (sig->at.unit != f->me) asked[f->me].signals++;
  return real_ops[f->me]->put_signal(f, dst, src, len, sig, req);
}

static void count_from_here(uint32_t me) {
  struct fab *f = eyot_current->fab;
  if (f->ops != &counting_ops) {
    counting_ops = *f->ops;
    counting_ops.get = counting_get;
    counting_ops.amo = counting_amo;
    counting_ops.put_signal = counting_signal;
    real_ops[me] = f->ops;
    f->ops = &counting_ops;
  }
  asked[me] = (struct cost){0, 0, 0};
}
static void count_no_more(uint32_t me) {
  eyot_current->fab->ops = real_ops[me];
}

/* The operations of the unit on others since the last call. */
#define costs(me, get_n, amo_n, signal_n)   \
  do {                                      \
    struct cost c_ = asked[me];             \
    assert_int_equal(c_.gets, get_n);       \
    assert_int_equal(c_.amos, amo_n);       \
    assert_int_equal(c_.signals, signal_n); \
    asked[me] = (struct cost){0, 0, 0};     \
  } while (0)

static void put_to(eyot_dynamic_t d, uint32_t u, uint64_t *word) {
  uint64_t v = 1;
  ok(eyot_put(at(d, u, word), &v, 8));
}

/* Unit 0 attaches and detaches; unit 1 is the only origin. */
static void cost_body(uint32_t me, uint32_t n) {
  (void)n;
  bool notify = attr.kind == EYOT_DYNAMIC_NOTIFY;
  uint64_t v;
  eyot_dynamic_t d = begin(me);
  if (me == 0) ok(eyot_dynamic_attach(d, memory[0], 64, NULL));
  meet();
  count_from_here(me);
  if (me == 1) {
    put_to(d, 0, memory[0]);
    costs(me, 3, notify ? 1 : 0, notify ? 1 : 0); /* the first time */
    for (uint32_t i = 0; i < 5; i++) put_to(d, 0, &memory[0][i]);
    costs(me, notify ? 0 : 5, 0, 0);
    refuses(EYOT_ERANGE, eyot_get(&v, at(d, 0, other[0]), 8));
    costs(me, 1, 0, 0);
  }
  meet();
  count_from_here(me);
  if (me == 0) ok(eyot_dynamic_attach(d, other[0], 64, NULL));
  costs(me, 0, 0, 0);
  meet();
  count_from_here(me);
  if (me == 1) {
    put_to(d, 0, memory[0]);
    /* an attach sends no notice; earlier regions are still there */
    costs(me, notify ? 0 : 3, 0, 0);
    put_to(d, 0, other[0]);
    costs(me, notify ? 3 : 1, 0, 0);
  }
  meet();
  count_from_here(me);
  if (me == 0) ok(eyot_dynamic_detach(d, memory[0]));
  costs(me, 0, 0, me == 0 && notify ? 1 : 0);
  meet();
  count_from_here(me);
  if (me == 1) {
    put_to(d, 0, other[0]);
    costs(me, 3, notify ? 1 : 0, notify ? 1 : 0);
    put_to(d, 0, other[0]);
    costs(me, notify ? 0 : 1, 0, 0);
    refuses(EYOT_ERANGE, eyot_get(&v, at(d, 0, memory[0]), 8));
    costs(me, 1, 0, 0);
  }
  meet();
  count_from_here(me);
  if (me == 0) ok(eyot_dynamic_detach(d, other[0]));
  costs(me, 0, 0, me == 0 && notify ? 1 : 0);
  meet();
  count_from_here(me);
  if (me == 1) refuses(EYOT_ERANGE, eyot_get(&v, at(d, 0, other[0]), 8));
  /* there is no table to get */
  if (me == 1) costs(me, notify ? 2 : 1, notify ? 1 : 0, notify ? 1 : 0);
  count_no_more(me);
  end(d);
}

static void accesses_cost_the_stated_calls(void **state) {
  (void)state;
  both_kinds(2, 4, 8, 4, cost_body);
}

/* More origins than the target notifies, and then a detach that frees a slot. */
static void full_body(uint32_t me, uint32_t n) {
  eyot_dynamic_t d = begin(me);
  if (me == 0) ok(eyot_dynamic_attach(d, memory[0], 64, NULL));
  if (me == 0) ok(eyot_dynamic_attach(d, other[0], 64, NULL));
  meet();
  for (uint32_t u = 1; u < n; u++) { /* one after the other, so that the order is known */
    count_from_here(me);
    if (u == me) {
      put_to(d, 0, memory[0]);
      costs(me, 3, u <= attr.peers ? 1 : 0, u <= attr.peers ? 1 : 0);
      put_to(d, 0, memory[0]);
      costs(me, u <= attr.peers ? 0 : 1, 0, 0);
    }
    meet();
  }
  count_from_here(me);
  if (me == 0) ok(eyot_dynamic_detach(d, memory[0]));
  costs(me, 0, 0, me == 0 ? attr.peers : 0);
  meet();
  for (uint32_t u = n - 1; u >= 1; u--) { /* now the others are first */
    count_from_here(me);
    if (u == me) {
      bool first = n - 1 - u < attr.peers;
      put_to(d, 0, other[0]);
      costs(me, 3, first ? 1 : 0, first ? 1 : 0);
      put_to(d, 0, other[0]);
      costs(me, first ? 0 : 1, 0, 0);
    }
    meet();
  }
  count_no_more(me);
  if (me == 0) ok(eyot_dynamic_detach(d, other[0]));
  end(d);
}

static void full_list_is_an_error_until_a_detach(void **state) {
  (void)state;
  attr = (eyot_dynamic_attr_t){EYOT_DYNAMIC_NOTIFY, 8, 2};
  api_sweep(6, 4, full_body);
}

/* Unit 0 accesses more units than its cache holds. A notice of a unit that it has forgotten reaches
 * the slot of another: that costs one check. */
static void forget_body(uint32_t me, uint32_t n) {
  bool notify = attr.kind == EYOT_DYNAMIC_NOTIFY;
  eyot_dynamic_t d = begin(me);
  if (me != 0) ok(eyot_dynamic_attach(d, memory[me], 64, NULL));
  meet();
  count_from_here(me);
  if (me == 0) {
    for (uint32_t u = 1; u < n; u++) put_to(d, u, memory[u]); /* unit 1 is forgotten for the last */
    costs(me, 3 * (n - 1), notify ? n - 1 : 0, notify ? n - 1 : 0);
    for (uint32_t u = 2; u < n; u++) put_to(d, u, memory[u]);
    costs(me, notify ? 0 : n - 2, 0, 0);
  }
  meet();
  if (me == 1) ok(eyot_dynamic_detach(d, memory[1]));
  meet();
  count_from_here(me);
  if (me == 0) {
    put_to(d, n - 1, memory[n - 1]);
    costs(me, 1, 0, 0);
    put_to(d, n - 1, memory[n - 1]);
    costs(me, notify ? 0 : 1, 0, 0);
  }
  meet();
  if (me == n - 1) ok(eyot_dynamic_detach(d, memory[me])); /* still notified */
  if (me == n - 1) ok(eyot_dynamic_attach(d, memory[me], 32, NULL));
  meet();
  if (me == 0) {
    uint64_t v = 1;
    ok(eyot_put(at(d, n - 1, &memory[n - 1][3]), &v, 8));
    refuses(EYOT_ERANGE, eyot_put(at(d, n - 1, &memory[n - 1][4]), &v, 8));
  }
  count_no_more(me);
  meet();
  if (me > 1) ok(eyot_dynamic_detach(d, memory[me]));
  end(d);
}

static void forgotten_unit_is_asked_again(void **state) {
  (void)state;
  both_kinds(5, 4, 4, 3, forget_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_addresses_keep_their_alignment),
      cmocka_unit_test(every_operation_reaches_attached_memory),
      cmocka_unit_test(misuse_of_dynamic_segments_is_refused),
      cmocka_unit_test(dynamic_segment_of_a_team_excludes_others),
      cmocka_unit_test(members_without_a_common_offset_find_each_other),
      cmocka_unit_test(accesses_cost_the_stated_calls),
      cmocka_unit_test(full_list_is_an_error_until_a_detach),
      cmocka_unit_test(forgotten_unit_is_asked_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
