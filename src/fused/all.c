/* SPDX-License-Identifier: BSD-3-Clause */
/* all.c - exchanges without a graph: an edge from each member of a team to each, itself included.
 *
 * Which end of a member belongs to which other one follows from their numbers, so no end looks for
 * its other end: each member publishes one entry for each member, and gets one from each. Members
 * begin with those after them, so that nobody is the first target of all others. */
#include <stdlib.h>

#include "fused/state.h"
#include "teams/agree.h"

#define AT_A_TIME 64u /* gets under way, so that what is in flight does not grow with the team */

/* What a member's part of the team's allocation says to each member: where the slots are of the end
 * of the edge from that member, and of that to it. */
struct ends_entry {
  fab_seg_t seg;
  uint32_t unused;
  uint64_t in, out; /* offsets in the segment */
};

uint64_t eyoti_fused_all_bytes(const struct eyoti_fused *x) {
  return x->t->size * sizeof(struct ends_entry);
}

/* The i-th end of either side is to the member i after the caller, and from the one i before. */
static uint32_t member_of(const struct eyoti_fused *x, bool out, uint32_t i) {
  uint32_t size = x->t->size, me = x->t->me;
  return out ? (uint32_t)(((uint64_t)me + i) % size) : (me >= i ? me - i : me + (size - i));
}
static struct eyoti_fused_end *end_of(const struct eyoti_fused *x, bool out, uint32_t member) {
  uint32_t size = x->t->size, me = x->t->me, from = out ? me : member, to = out ? member : me;
  return &x->end[(out ? x->n_in : 0) + (to >= from ? to - from : to + (size - from))];
}

void eyoti_fused_all_ends(struct eyoti_fused *x) {
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    bool out = i >= x->n_in;
    uint32_t member = member_of(x, out, out ? i - x->n_in : i);
    x->end[i] = (struct eyoti_fused_end){.member = member,
                                         .block = member,
                                         .out = out,
                                         .role = (uint8_t)eyoti_fused_role_of(x, out, member)};
  }
}

int eyoti_fused_all_publish(const struct eyoti_fused *x) {
  struct fab_addr at;
  EYOTI_TRY(eyoti_fused_part_at(x, x->t->me, 0, eyoti_fused_all_bytes(x), &at));
  struct ends_entry *entries = calloc(x->t->size, sizeof *entries);
  if (entries == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the places of %u edges", eyoti_fused_ends(x));
  for (uint32_t i = 0; i < x->t->size; i++)
    entries[i] = (struct ends_entry){.seg = x->own.seg,
                                     .in = x->own.off + end_of(x, false, i)->slots,
                                     .out = x->own.off + end_of(x, true, i)->slots};
  int rc = fab_put_wait(x->rt->fab, at, entries, eyoti_fused_all_bytes(x));
  free(entries);
  return rc;
}

/* The members from the first-th after the caller on. Errors: the fabric's; nothing is in flight. */
static int entries_get(const struct eyoti_fused *x, uint32_t first, uint32_t n,
                       struct ends_entry *entries) {
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < n && rc == EYOT_OK; i++) {
    struct fab_addr at;
    rc = eyoti_fused_part_at(x, member_of(x, true, first + i), x->t->me * sizeof *entries,
                             sizeof *entries, &at);
    if (rc == EYOT_OK) rc = fab_get(x->rt->fab, &entries[i], at, sizeof entries[i], NULL);
  }
  int rc_flush = fab_flush_end(x->rt->fab, FAB_ALL, FAB_LOCAL);
  return rc != EYOT_OK ? rc : rc_flush;
}

static void ends_link(struct eyoti_fused *x, uint32_t member, const struct ends_entry *p) {
  const fab_unit_t unit = eyoti_team_unit(x->t, member);
  end_of(x, false, member)->far = fab_at(unit, p->seg, p->out);
  end_of(x, true, member)->far = fab_at(unit, p->seg, p->in);
}

int eyoti_fused_all_find(struct eyoti_fused *x) {
  struct ends_entry entries[AT_A_TIME];
  for (uint32_t first = 0; first < x->t->size; first += AT_A_TIME) {
    uint32_t left = x->t->size - first, n = left < AT_A_TIME ? left : AT_A_TIME;
    EYOTI_TRY(entries_get(x, first, n, entries));
    for (uint32_t i = 0; i < n; i++) ends_link(x, member_of(x, true, first + i), &entries[i]);
  }
  return EYOT_OK;
}
