/* SPDX-License-Identifier: BSD-3-Clause */
/* set.c - operation sets (eyot/set.h): their numbers, and the calls that post to, flush and order
 * one. The functions of the other files do the work, with the set's number in fab.set. */
#include <eyot/set.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wording.h"
#include "rma/amo.h"
#include "rma/blocks.h"
#include "rt/observe.h"

#define FIRST_CAP 8u
#define KIND "operation set"

#define SLOT_LIVE UINT32_MAX
#define SLOT_NONE (UINT32_MAX - 1)

struct set_slot {
  uint32_t gen;
  uint32_t next; /* the free slot after it, SLOT_NONE, or SLOT_LIVE */
};

/* A handle has the generation in its upper half. The lower one has the number of the slot, from 1,
 * in NUMBER_BITS, and above them the lowest bits of the unit, so that the handle of another unit is
 * recognized. 0 is the default set. */
#define NUMBER_BITS 13u
#define UNIT_BITS (32u - NUMBER_BITS)
_Static_assert(EYOT_SET_MAX < 1u << NUMBER_BITS, "each slot has a number");

struct eyoti_sets {
  uint32_t cap;
  uint32_t free; /* the slot that was freed last, or SLOT_NONE */
  struct set_slot slot[];
};

static uint32_t slot_number(eyot_set_t set) {
  return (uint32_t)set.id & ((1u << NUMBER_BITS) - 1);
}
static uint32_t owner_of(eyot_set_t set) {
  return (uint32_t)set.id >> NUMBER_BITS;
}
static uint32_t owner_here(const struct eyot_rt *rt) {
  return rt->fab->me & ((1u << UNIT_BITS) - 1);
}

static eyot_set_t handle_of(const struct eyot_rt *rt, uint32_t i) {
  uint32_t low = owner_here(rt) << NUMBER_BITS | (i + 1);
  return (eyot_set_t){(uint64_t)rt->rma->sets->slot[i].gen << 32 | low};
}

static bool is_live(const struct eyot_rt *rt, eyot_set_t set) {
  const struct eyoti_sets *s = rt->rma->sets;
  uint32_t i = slot_number(set) - 1;
  return s != NULL && i < s->cap && s->slot[i].next == SLOT_LIVE && handle_of(rt, i).id == set.id;
}

static int no_set(const struct eyot_rt *rt, eyot_set_t set) {
  const struct eyoti_made was = {.kind = EYOTI_MADE_SET, .id = set.id};
  char unknown[96], text[EYOTI_GONE];
  if (set.id == EYOT_SET_NULL.id)
    snprintf(unknown, sizeof unknown, "it is EYOT_SET_NULL");
  else if (slot_number(set) - 1 < EYOT_SET_MAX && owner_of(set) != owner_here(rt))
    eyoti_snprintf(unknown, sizeof unknown, "it is of another unit, unit %u modulo %u",
                   owner_of(set), 1u << UNIT_BITS);
  else
    snprintf(unknown, sizeof unknown, "there is no such set, or it was destroyed");
  return EYOTI_FAIL(EYOT_EINVAL,
                    "operation set %#" PRIx64
                    ": %s; expected one from eyot_set_create of this unit, or EYOT_SET_DEFAULT",
                    set.id, eyoti_made_gone(rt, &was, unknown, text));
}

/* The fabric's number of the set. */
static int number_of(const struct eyot_rt *rt, eyot_set_t set, fab_set_t *number) {
  *number = FAB_SET_DEFAULT;
  if (set.id == EYOT_SET_DEFAULT.id) return EYOT_OK;
  if (__builtin_expect(!is_live(rt, set), 0)) return no_set(rt, set);
  *number = (fab_set_t)(FAB_SET_DEFAULT + slot_number(set));
  return EYOT_OK;
}

_Static_assert(FAB_SET_DEFAULT + EYOT_SET_MAX <= UINT16_MAX, "each set has a number of the fabric");

/* Twice as many slots; ENOMEM, EBUSY. */
static int sets_grow(struct eyoti_rma *r) {
  struct eyoti_sets *s = r->sets;
  uint32_t cap = s == NULL ? 0 : s->cap, want = cap == 0 ? FIRST_CAP : cap * 2;
  if (cap == EYOT_SET_MAX)
    return EYOTI_FAIL(EYOT_EBUSY,
                      "this unit has %u operation sets, as many as there may be (EYOT_SET_MAX); "
                      "destroy some, or use one for several streams",
                      EYOT_SET_MAX);
  s = realloc(s, sizeof *s + want * sizeof s->slot[0]);
  if (s == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u operation sets (%zu bytes)", want,
                      want * sizeof s->slot[0]);
  for (uint32_t k = cap; k < want; k++)
    s->slot[k] = (struct set_slot){.next = k + 1 < want ? k + 1 : SLOT_NONE};
  s->free = cap;
  s->cap = want;
  r->sets = s;
  return EYOT_OK;
}

_Static_assert(EYOT_SET_MAX % FIRST_CAP == 0 && (EYOT_SET_MAX & (EYOT_SET_MAX - 1)) == 0,
               "doubling ends at the limit");

int eyot_set_create(eyot_set_t *set) {
  EYOTI_ENTER(rt);
  if (set == NULL) return EYOTI_FAIL(EYOT_EINVAL, "set is NULL");
  if (rt->rma->sets == NULL || rt->rma->sets->free == SLOT_NONE) EYOTI_TRY(sets_grow(rt->rma));
  uint32_t i = rt->rma->sets->free;
  rt->rma->sets->free = rt->rma->sets->slot[i].next;
  rt->rma->sets->slot[i].next = SLOT_LIVE;
  *set = handle_of(rt, i);
  eyoti_observe_made(rt, KIND, set->id, 0);
  eyoti_made_add(
      rt, &(struct eyoti_made){
              .kind = EYOTI_MADE_SET, .id = set->id, .seg = FAB_SEG_ATTACHED, .counts = true});
  return EYOT_OK;
}

static int set_flush(struct eyot_rt *rt, eyot_set_t set, fab_unit_t unit, eyot_level_t level) {
  fab_set_t number;
  EYOTI_TRY(number_of(rt, set, &number));
  rt->fab->set = number;
  int rc = eyoti_rma_flush_at(rt, unit, level);
  rt->fab->set = FAB_SET_ALL;
  return rc;
}

int eyot_set_destroy(eyot_set_t *set) {
  EYOTI_ENTER(rt);
  if (set == NULL) return EYOTI_FAIL(EYOT_EINVAL, "set is NULL");
  if (set->id == EYOT_SET_DEFAULT.id)
    return EYOTI_FAIL(EYOT_EINVAL, "EYOT_SET_DEFAULT lives until eyot_finalize");
  fab_set_t number;
  EYOTI_TRY(number_of(rt, *set, &number));
  int rc = set_flush(rt, *set, FAB_ALL, EYOT_REMOTE);
  struct eyoti_sets *s = rt->rma->sets;
  uint32_t i = slot_number(*set) - 1;
  s->slot[i].next = s->free;
  s->slot[i].gen++;
  s->free = i;
  eyoti_observe_released(rt, KIND, set->id);
  eyoti_made_drop(rt, EYOTI_MADE_SET, set->id);
  *set = EYOT_SET_NULL;
  return rc;
}

/* The beginning of a public function that posts to a set, and its end. */
#define SET_ENTER(rt, set)                    \
  EYOTI_ENTER(rt);                            \
  do {                                        \
    fab_set_t number;                         \
    EYOTI_TRY(number_of(rt, (set), &number)); \
    rt->fab->set = number;                    \
  } while (0)
static int set_leave(struct eyot_rt *rt, int rc) {
  rt->fab->set = FAB_SET_ALL;
  return rc;
}

int eyot_set_put(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_put(rt, dst, src, len, NULL));
}

int eyot_set_put_local(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len) {
  SET_ENTER(rt, set);
  fab_req_t req = 0;
  int rc = eyoti_rma_put(rt, dst, src, len, &req);
  return set_leave(rt, rc != EYOT_OK ? rc : fab_req_release(rt->fab, dst.unit, req));
}

int eyot_set_get(eyot_set_t set, void *dst, eyot_gptr_t src, uint64_t len) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_get_to(rt, dst, src, len, NULL));
}

int eyot_set_put_signal(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len,
                        eyot_gptr_t sig, eyot_signal_op_t op, uint64_t value) {
  SET_ENTER(rt, set);
  const struct eyoti_message m = {dst, src, len, sig, op, value};
  return set_leave(rt, eyoti_rma_signal(rt, &m, NULL));
}

int eyot_set_put_signal_local(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len,
                              eyot_gptr_t sig, eyot_signal_op_t op, uint64_t value) {
  SET_ENTER(rt, set);
  const struct eyoti_message m = {dst, src, len, sig, op, value};
  fab_req_t req = 0;
  int rc = eyoti_rma_signal(rt, &m, &req);
  return set_leave(rt, rc != EYOT_OK ? rc : fab_req_release(rt->fab, sig.unit, req));
}

int eyot_set_accumulate(eyot_set_t set, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                        const void *operand) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_accumulate(rt, dst, type, op, operand));
}

int eyot_set_put_strided(eyot_set_t set, eyot_gptr_t dst, const void *src,
                         const eyot_strided_t *shape) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_put_strided(rt, dst, src, shape, EYOTI_UNTIL_POSTED));
}

int eyot_set_put_strided_local(eyot_set_t set, eyot_gptr_t dst, const void *src,
                               const eyot_strided_t *shape) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_put_strided(rt, dst, src, shape, EYOTI_UNTIL_LOCAL));
}

int eyot_set_get_strided(eyot_set_t set, void *dst, eyot_gptr_t src, const eyot_strided_t *shape) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_get_strided(rt, dst, src, shape, false));
}

int eyot_set_put_indexed(eyot_set_t set, eyot_gptr_t dst, const void *src,
                         const eyot_indexed_t *shape) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_put_indexed(rt, dst, src, shape, EYOTI_UNTIL_POSTED));
}

int eyot_set_get_indexed(eyot_set_t set, void *dst, eyot_gptr_t src, const eyot_indexed_t *shape) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_get_indexed(rt, dst, src, shape, false));
}

int eyot_set_fetch_op(eyot_set_t set, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                      const void *operand, void *old) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_fetch(rt, dst, type, op, operand, old, false));
}

int eyot_set_compare_swap(eyot_set_t set, eyot_gptr_t dst, eyot_type_t type, const void *expected,
                          const void *desired, void *old) {
  SET_ENTER(rt, set);
  return set_leave(rt, eyoti_rma_compare_swap(rt, dst, type, expected, desired, old, false));
}

int eyot_set_flush(eyot_set_t set, eyot_unit_t unit, eyot_level_t level) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(eyoti_rma_check_unit(rt, unit));
  return set_flush(rt, set, unit.id, level);
}

int eyot_set_flush_all(eyot_set_t set, eyot_level_t level) {
  EYOTI_ENTER(rt);
  return set_flush(rt, set, FAB_ALL, level);
}

int eyot_set_order(eyot_set_t set, eyot_unit_t unit) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(eyoti_rma_check_unit(rt, unit));
  fab_set_t number;
  EYOTI_TRY(number_of(rt, set, &number));
  rt->fab->set = number;
  return set_leave(rt, fab_order(rt->fab, unit.id));
}

int eyot_set_order_all(eyot_set_t set) {
  SET_ENTER(rt, set);
  return set_leave(rt, fab_order(rt->fab, FAB_ALL));
}
