/* SPDX-License-Identifier: BSD-3-Clause */
/* test_agree.c - agreements on ids and ranges at EYOT_THREAD_MULTIPLE (teams/agree.h): what another
 * thread of one unit has taken, or has under way, is given to nobody on any unit. The other thread
 * is played by the test, at the points at which one can come between. */
#include "teams/agree.h"
#include "unit/api_unit.h"

#define SPACE 65536u
#define RANGE 256u
#define LAST_ID 40u

/* What comes between, at one unit. */
enum between {
  NOTHING,
  ID_UNDER_WAY,    /* another thread has agreed on the id that comes next */
  RANGE_TAKEN,     /* another thread takes the range after it was proposed */
  ID_AND_RANGE,    /* both, at two units */
  RANGE_UNSECURED, /* the system does not give the range back */
  HALVES_FOR_NOW,  /* no range is free on all, until another thread frees one */
  HALVES           /* the same, without such a thread */
};

struct plan {
  enum between between;
  uint32_t unit;              /* where */
  bool half;                  /* only units with even numbers take part */
  struct eyoti_agreed agreed; /* unit 0's */
  uint32_t agreed_by;
};

struct member {
  const struct plan *plan;
  struct eyoti_extents space;
  bool takes, refuses, frees;
  uint32_t secured; /* calls */
};

static fab_unit_t same(const void *set, uint32_t index) {
  (void)set;
  return index;
}

static int secure(void *context, uint64_t off, uint64_t len) {
  struct member *m = context;
  if (m->secured++ == 0 && m->takes) ok(eyoti_extents_take(&m->space, off, len));
  if (m->secured == 2 && m->frees) assert_true(eyoti_extents_release(&m->space, SPACE / 2, NULL));
  return m->refuses && m->secured == 2 ? EYOT_ENOMEM : EYOT_OK;
}

static void member_init(struct member *m, const struct plan *p, uint32_t me, uint32_t n) {
  const bool here = me == p->unit;
  *m = (struct member){.plan = p};
  m->takes = (here && p->between == RANGE_TAKEN) ||
             (me == (p->unit + 2) % n && p->between == ID_AND_RANGE);
  m->refuses = here && p->between == RANGE_UNSECURED;
  m->frees = here && p->between == HALVES_FOR_NOW;
  eyoti_extents_init(&m->space, 0, SPACE);
  if (p->between == HALVES_FOR_NOW || p->between == HALVES)
    ok(eyoti_extents_take(&m->space, here ? SPACE / 2 : 0, SPACE / 2));
}

static uint32_t length_of(const struct eyoti_agree *list) {
  uint32_t n = 0;
  for (; list != NULL; list = list->next) n++;
  return n;
}

/* All units have agreed on the same, and nothing of it is another thread's. */
static void check_agreed(struct plan *p, const struct eyoti_agreed *a, uint32_t other_id) {
  if (p->agreed_by++ == 0) p->agreed = *a;
  assert_int_equal(a->index, p->agreed.index);
  assert_int_equal(a->gen, p->agreed.gen);
  assert_int_equal(a->same_offset, p->between != HALVES);
  if (a->same_offset) assert_int_equal(a->off, p->agreed.off);
  assert_int_not_equal(a->index, other_id);
  if (p->between == NOTHING) assert_true(a->index == 1 && a->off == 0);
  if (p->between == RANGE_TAKEN || p->between == ID_AND_RANGE) assert_true(a->off >= RANGE);
  if (p->between == HALVES_FOR_NOW) assert_int_equal(a->off, SPACE / 2);
}

static void unit_main(struct fab *f, void *arg) {
  struct plan *p = arg;
  fab_seg_t seg;
  struct member m;
  struct eyoti_idtab ids;
  struct eyoti_agreed a;
  const bool other = f->me == p->unit && (p->between == ID_UNDER_WAY || p->between == ID_AND_RANGE);
  ok(f->ops->seg_create(f, eyoti_ctl_bytes(f->n), &seg));
  struct eyoti_ctl ctl = {.members = {.size = f->n, .my_index = f->me, .unit_at = same},
                          .seg = seg};
  eyoti_idtab_init(&ids, 1, LAST_ID);
  member_init(&m, p, f->me, f->n);
  struct eyoti_agree elsewhere = {.ids = &ids, .index = eyoti_idtab_next(&ids)},
                     *under_way = other ? &elsewhere : NULL;
  struct eyoti_agree want = {.takes_part = !p->half || f->me % 2 == 0,
                             .ids = &ids,
                             .space = &m.space,
                             .secure = secure,
                             .context = &m,
                             .len = RANGE,
                             .align = EYOTI_AGREE_ALIGN_MIN,
                             .under_way = &under_way};
  ok(eyoti_agree(f, &ctl, &want, &a));
  check_agreed(p, &a, p->between == ID_UNDER_WAY || p->between == ID_AND_RANGE ? 1 : 0);
  assert_int_equal(length_of(under_way), (want.takes_part ? 1 : 0) + (other ? 1 : 0));
  if (want.takes_part) {
    assert_int_equal(want.index, a.index);
    if (a.same_offset) ok(eyoti_extents_take(&m.space, a.off, RANGE));
    eyoti_idtab_put(&ids, a.index, a.gen, &m);
  }
  eyoti_agree_end(&want);
  assert_ptr_equal(under_way, other ? &elsewhere : NULL);
  ok(eyoti_agree_done(f, &ctl, EYOT_OK)); /* all are in the same exchange */
  eyoti_idtab_fini(&ids);
  eyoti_extents_fini(&m.space);
}

static void sweep(enum between between, bool half) {
  for (uint32_t n = 2; n <= 6; n += 2) {
    for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
      for (uint32_t unit = 0; unit < n; unit += 2) {
        struct plan p = {.between = between, .unit = unit, .half = half};
        const struct fake_opts o = {.n = n, .seed = n * 31 + unit, .mode = (enum fake_mode)mode};
        int end = fake_run(&o, unit_main, &p);
        if (end != FAKE_DONE) print_error("n %u unit %u: %s\n", n, unit, fake_message());
        assert_int_equal(end, FAKE_DONE);
        assert_int_equal(p.agreed_by, n);
      }
    }
  }
}

static void members_agree_on_what_comes_first(void **state) {
  (void)state;
  sweep(NOTHING, false);
  sweep(NOTHING, true);
}
static void id_under_way_in_another_thread_is_left_to_it(void **state) {
  (void)state;
  sweep(ID_UNDER_WAY, false);
  sweep(ID_UNDER_WAY, true);
}
static void range_that_another_thread_has_taken_is_left_to_it(void **state) {
  (void)state;
  sweep(RANGE_TAKEN, false);
  sweep(RANGE_TAKEN, true);
}
static void two_units_may_refuse_for_different_reasons(void **state) {
  (void)state;
  sweep(ID_AND_RANGE, false);
}
static void range_that_cannot_be_secured_is_agreed_on_again(void **state) {
  (void)state;
  sweep(RANGE_UNSECURED, false);
}
static void range_that_no_member_shares_may_be_freed_meanwhile(void **state) {
  (void)state;
  sweep(HALVES_FOR_NOW, false);
}
static void without_a_range_that_all_have_only_the_id_is_agreed_on(void **state) {
  (void)state;
  sweep(HALVES, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_agree_on_what_comes_first),
      cmocka_unit_test(id_under_way_in_another_thread_is_left_to_it),
      cmocka_unit_test(range_that_another_thread_has_taken_is_left_to_it),
      cmocka_unit_test(two_units_may_refuse_for_different_reasons),
      cmocka_unit_test(range_that_cannot_be_secured_is_agreed_on_again),
      cmocka_unit_test(range_that_no_member_shares_may_be_freed_meanwhile),
      cmocka_unit_test(without_a_range_that_all_have_only_the_id_is_agreed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
