/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - the barrier along the domain tree: reports go up once, the release goes down once.
 * barrier.c calls it for EYOT_BARRIER_TREE.
 *
 * The lowest member of a domain leads it. Within a domain, the leaders of the domains one level
 * below (at the innermost level: the members) form a tree of bounded radix whose root is the
 * domain's leader; together they are one tree of units, in which exactly one message each way
 * crosses a boundary of a domain. */

/* A unit's place in the tree. A domain's members are a run of team indices (fabric.h, locate; teams
 * are sorted), so a domain is a range of indices: the root of a range stands at its first run, and
 * the rest is cut into RADIX parts of about equal length at the starts of runs; each part is a
 * range again. A unit finds its own place by going from the whole domain down to the part that
 * begins with it: without a numbering of domains, and with time and memory in proportion to the
 * depth only.
 *
 * Words: `up` counts reports and only grows: round r is complete below when it has reached r times
 * the number of children. `down` is set to r. Neither is ever reset. No signal of round r+1
 * disturbs r: a child reports for r+1 after it has seen the parent's word for r, which the parent
 * sent after it had counted all reports for r, so the count cannot run ahead; and the parent sets
 * `down` to r+1 after that child has reported for r+1, thus after it has seen r, so that the two
 * sets are not in flight together. Signals of different children may come in any order: they add.
 * Everything sent to a unit has arrived when it leaves the barrier, so that the words may be freed
 * with the team. */
#include "sync/barrier/barriers.h"
#include "sync/locks/hier.h"

/* Team indices a .. end-1. */
struct tree_range {
  uint32_t a, end;
};

/* The run of `level` (the members of one domain) that contains `index`. */
static int tree_run_of(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                       uint32_t index, uint32_t guess, struct tree_range *run) {
  *run = (struct tree_range){index, index + 1};
  return level == EYOT_DOMAIN_UNIT
             ? EYOT_OK
             : eyoti_hier_domain(rt, t, level, index, guess, &run->a, &run->end);
}

/* Part k of `rest`, which begins with a run: *part, which is empty (a == end) if another part has
 * taken its runs. */
static int tree_part_of(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                        struct tree_range rest, uint32_t guess, uint32_t k,
                        struct tree_range *part) {
  uint64_t len = rest.end - rest.a;
  struct tree_range first, next = {rest.end, rest.end};
  EYOTI_TRY(
      tree_run_of(rt, t, level, rest.a + (uint32_t)(len * k / EYOTI_TREE_RADIX), guess, &first));
  uint32_t cut = rest.a + (uint32_t)(len * (k + 1) / EYOTI_TREE_RADIX);
  if (k + 1 < EYOTI_TREE_RADIX && cut < first.end)
    next = first; /* the cut is in the same run: it belongs to the next part */
  else if (k + 1 < EYOTI_TREE_RADIX)
    EYOTI_TRY(tree_run_of(rt, t, level, cut, guess, &next));
  *part = (struct tree_range){first.a, next.a};
  return EYOT_OK;
}

/* The caller's place in the tree of `domain`, whose nodes are runs of `level`, of which the caller
 * leads `own`. *parent: the index of the member above, or that of the caller if it is the root.
 * Adds the units below. */
static int tree_place(struct eyot_rt *rt, const struct eyoti_team *t, eyot_domain_t level,
                      struct tree_range domain, struct tree_range own, uint32_t *parent) {
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  fab_unit_t *children = eyoti_barriers_children(t);
  struct tree_range at = domain, part = {0, 0}, run = own;
  uint32_t guess = own.end - own.a;
  *parent = own.a;
  while (at.a != own.a) {
    *parent = at.a;
    EYOTI_TRY(tree_run_of(rt, t, level, at.a, guess, &run));
    struct tree_range rest = {run.end, at.end};
    for (uint32_t k = 0; k < EYOTI_TREE_RADIX && part.end <= own.a; k++)
      EYOTI_TRY(tree_part_of(rt, t, level, rest, guess, k, &part));
    EYOTI_ASSERT(part.a <= own.a && own.a < part.end);
    at = part;
    part = (struct tree_range){0, 0};
  }
  struct tree_range rest = {own.end, at.end};
  for (uint32_t k = 0; k < EYOTI_TREE_RADIX && rest.a < rest.end; k++) {
    EYOTI_TRY(tree_part_of(rt, t, level, rest, guess, k, &part));
    if (part.a == part.end) continue;
    EYOTI_ASSERT(b->children < EYOTI_TREE_CHILDREN_MAX && b->children < t->size - 1);
    children[b->children++] = eyoti_team_unit(t, part.a);
  }
  return EYOT_OK;
}

/* Plans the caller's place: goes up through the levels until another unit leads. A level whose
 * domain is that of the level below adds nothing. */
static int tree_plan(struct eyot_rt *rt, const struct eyoti_team *t) {
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  struct tree_range own = {t->me, t->me + 1}, domain;
  uint32_t parent = t->me;
  b->children = 0;
  for (eyot_domain_t d = EYOT_DOMAIN_NUMA; d < EYOT_DOMAIN_COUNT && parent == t->me; d++) {
    EYOTI_TRY(tree_run_of(rt, t, d, t->me, own.end - own.a, &domain));
    if (domain.a != own.a || domain.end != own.end)
      EYOTI_TRY(tree_place(rt, t, d - 1, domain, own, &parent));
    own = domain;
  }
  b->is_root = parent == t->me;
  b->parent = eyoti_team_unit(t, parent);
  b->planned = true;
  return EYOT_OK;
}

static int signal_to(struct eyot_rt *rt, const struct eyoti_team *t, fab_unit_t unit, uint64_t off,
                     enum fab_sig_op op, uint64_t value) {
  struct fab_sig sig = {
      .at = fab_at(unit, t->ctl.seg, t->sync_off + off), .op = op, .value = value};
  return fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, NULL);
}

static int tree_await(struct eyot_rt *rt, const struct eyoti_team *t, uint64_t off,
                      uint64_t value) {
  return fab_wait_mem(rt->fab, t->ctl.seg, t->sync_off + off, FAB_GE, value, FAB_FOREVER, NULL);
}

int eyoti_tree_barrier(struct eyot_rt *rt, struct eyoti_team *t) {
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  if (!b->planned) EYOTI_TRY(tree_plan(rt, t));
  const fab_unit_t *children = eyoti_barriers_children(t);
  uint64_t round = ++b->round;
  if (b->children > 0) EYOTI_TRY(tree_await(rt, t, EYOTI_SYNC_UP_OFF, round * b->children));
  if (!b->is_root) {
    EYOTI_TRY(signal_to(rt, t, b->parent, EYOTI_SYNC_UP_OFF, FAB_SIG_ADD, 1));
    EYOTI_TRY(tree_await(rt, t, EYOTI_SYNC_DOWN_OFF, round));
  }
  /* The farthest first: they have the most units below them. */
  for (uint32_t i = b->children; i > 0; i--)
    EYOTI_TRY(signal_to(rt, t, children[i - 1], EYOTI_SYNC_DOWN_OFF, FAB_SIG_SET, round));
  return EYOT_OK;
}
