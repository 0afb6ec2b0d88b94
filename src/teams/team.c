/* SPDX-License-Identifier: BSD-3-Clause */
/* team.c - the functions of eyot/team.h other than split: creation, destruction and queries of
 * teams; start and stop of the layer (teams.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/ctl_nodes.h"
#include "rt/proc.h"
#include "teams/agree.h"
#include "teams/block.h"
#include "teams/group.h"
#include "teams/order.h"
#include "teams/others.h"
#include "teams/state.h"

#define INDEX_BITS EYOTI_AGREE_INDEX_BITS

static uint32_t index_of(eyot_team_t team) {
  return (uint32_t)team.id & ((1u << INDEX_BITS) - 1);
}

static fab_unit_t unit_at(const void *set, uint32_t index) {
  return eyoti_ranges_at(set, index);
}

fab_unit_t eyoti_team_unit(const struct eyoti_team *t, uint32_t index) {
  return eyoti_ranges_at(t->units, index);
}
bool eyoti_team_index(const struct eyoti_team *t, fab_unit_t unit, uint32_t *index) {
  return eyoti_ranges_index(t->units, unit, index);
}

bool eyoti_team_find(struct eyot_rt *rt, eyot_team_t team, struct eyoti_team **out) {
  struct eyoti_teams *ts = rt->teams;
  *out = NULL;
  if (team.id == EYOT_TEAM_ALL.id)
    *out = &ts->all;
  else if (team.id >> INDEX_BITS <= EYOTI_IDTAB_GEN_MAX)
    *out = eyoti_idtab_get(&ts->ids, index_of(team), team.id >> INDEX_BITS, EYOTI_IDTAB_GEN_BITS);
  return *out != NULL;
}

int eyoti_team_get(struct eyot_rt *rt, eyot_team_t team, struct eyoti_team **out) {
  struct eyoti_team *t;
  if (!eyoti_team_find(rt, team, &t)) {
    const struct eyoti_made was = {.kind = EYOTI_MADE_TEAM, .id = team.id};
    const char *unknown =
        team.id == 0 ? "it is EYOT_TEAM_NULL" : "it was destroyed, or this unit is not a member";
    eyoti_log(EYOTI_LOG_ERROR, rt->fab->note.what, EYOT_ETEAM, "team 0x%" PRIx64 ": %s", team.id,
              eyoti_made_gone(rt, &was, unknown, (char[EYOTI_GONE]){0}));
    return EYOT_ETEAM;
  }
  *out = t;
  return EYOT_OK;
}

/* Fills a team whose set is interned; `t` takes over the reference. */
static void team_init(struct eyoti_team *t, const struct eyoti_ranges *units, fab_unit_t me) {
  *t = (struct eyoti_team){.size = units->size, .units = units};
  bool member = eyoti_ranges_index(units, me, &t->me);
  EYOTI_ASSERT(member);
  t->ctl.members = (struct eyoti_ctl_set){
      .size = units->size, .my_index = t->me, .unit_at = unit_at, .set = units};
}

/* -- creation ---------------------------------------------------------------------------------- */

static void team_delete(struct eyot_rt *rt, struct eyoti_team *t) {
  if (t == NULL) return;
  eyoti_ctl_nodes_free(t->ctl.nodes);
  eyoti_proc_release(rt->proc, t->units);
  free(t->calls);
  if (rt->in.team == t) rt->in.team = NULL;
  free(t);
}

/* Replaces the unit's own copy of the set by the interned one. */
static int team_new(struct eyot_rt *rt, const struct eyoti_ranges *set,
                    struct eyoti_nodes_part *part, struct eyoti_team **out) {
  const struct eyoti_ranges *units = eyoti_proc_intern(rt->proc, set, eyoti_ranges_bytes(set));
  if (units == NULL) return EYOT_ENOMEM;
  struct eyoti_team *t = malloc(sizeof *t);
  if (t == NULL) {
    eyoti_proc_release(rt->proc, units);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a team");
  }
  team_init(t, units, rt->fab->me);
  int rc = eyoti_team_make_nodes(rt, t, part);
  if (rc == EYOT_OK && rt->teams->order != NULL && (t->calls = eyoti_calls_make()) == NULL)
    rc = EYOT_ENOMEM;
  if (rc != EYOT_OK) team_delete(rt, t);
  if (rc == EYOT_OK) *out = t;
  return rc;
}

/* The bytes of a team's control block, and after it the words of its exchange by nodes. */
static uint64_t team_bytes(uint32_t size, const struct eyoti_nodes_part *part) {
  return eyoti_block_bytes(size) + part->all + part->first;
}

static struct eyoti_ctl_nodes_place place_at(const struct eyoti_teams *ts, uint64_t off) {
  return (struct eyoti_ctl_nodes_place){ts->ctl_seg, off, ts->ctl_base + off};
}

/* Enters the team in the table under the agreed id, with a zeroed control block: no member signals
 * into it before the parent's last exchange, and nothing of its former owner is on its way, because
 * a team ends when everything sent to its members has arrived. The words of first members of nodes
 * are nobody else's, and take no memory there. */
static void team_enter(struct eyoti_teams *ts, struct eyoti_team *t,
                       const struct eyoti_nodes_part *part, const struct eyoti_agreed *a,
                       eyot_team_t parent) {
  uint64_t bytes = team_bytes(t->size, part), nodes = a->off + eyoti_block_bytes(t->size);
  int rc = eyoti_extents_take(&ts->ctl_space, a->off, bytes);
  EYOTI_ASSERT(rc == EYOT_OK); /* eyoti_agree has reserved it */
  memset(ts->ctl_base + a->off, 0, bytes - (part->is_first ? 0 : part->first));
  eyoti_block_set(t, ts->ctl_seg, a->off, ts->ctl_base);
  if (t->ctl.nodes != NULL)
    eyoti_ctl_nodes_place(t->ctl.nodes, place_at(ts, nodes), place_at(ts, nodes + part->all));
  t->handle = (eyot_team_t){a->gen << INDEX_BITS | a->index};
  t->parent = parent;
  eyoti_others_set(t);
  eyoti_idtab_put(&ts->ids, a->index, a->gen, t);
}

static void team_leave(struct eyoti_teams *ts, struct eyoti_team *t) {
  eyoti_idtab_del(&ts->ids, index_of(t->handle));
  bool known = eyoti_extents_release(&ts->ctl_space, t->ctl.off, NULL);
  EYOTI_ASSERT(known);
}

int eyoti_teams_full(const struct eyoti_teams *ts) {
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "no room for another team in the %" PRIu64
                    " bytes of control memory of some member: this unit is in %u teams; destroy "
                    "those that are no longer needed, unless another message says why",
                    ts->ctl_space.end, ts->ids.live + 1);
}

int eyoti_team_make(struct eyot_rt *rt, struct eyoti_team *parent, struct eyoti_ranges *set,
                    uint64_t arguments, int error, eyot_team_t *out) {
  struct eyoti_teams *ts = rt->teams;
  struct eyoti_team *t = NULL;
  struct eyoti_nodes_part part = {.all = 0};
  if (error == EYOT_OK && set != NULL) error = team_new(rt, set, &part, &t);
  free(set);
  struct eyoti_agree want = {.arguments = arguments,
                             .error = error,
                             .takes_part = t != NULL,
                             .under_way = eyoti_teams_under_way(rt),
                             .ids = &ts->ids,
                             .space = &ts->ctl_space};
  want.len = team_bytes(t != NULL ? t->size : 1, &part);
  want.align = EYOTI_BLOCK_ALIGN;
  struct eyoti_agreed agreed;
  int rc = eyoti_agree(rt->fab, &parent->ctl, &want, &agreed);
  if (rc == EYOT_ENOMEM && error == EYOT_OK) eyoti_teams_full(ts);
  if (rc == EYOT_OK && !agreed.same_offset)
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no common place for %" PRIu64 " bytes of control memory",
                    want.len);
  if (rc != EYOT_OK) {
    eyoti_agree_end(&want);
    team_delete(rt, t);
    return rc;
  }
  if (t != NULL) team_enter(ts, t, &part, &agreed, parent->handle);
  eyoti_agree_end(&want);
  rc = eyoti_agree_done(rt->fab, &parent->ctl, EYOT_OK);
  if (rc != EYOT_OK) {
    if (t != NULL) team_leave(ts, t);
    team_delete(rt, t);
    return rc;
  }
  *out = t != NULL ? t->handle : EYOT_TEAM_NULL;
  if (t == NULL) return EYOT_OK;
  eyoti_observe_made(rt, "team", t->handle.id, 0);
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_TEAM,
                                          .id = t->handle.id,
                                          .seg = ts->ctl_seg,
                                          .off = agreed.off,
                                          .len_bytes = want.len,
                                          .counts = t->me == 0});
  return EYOT_OK;
}

int eyoti_team_check_group(const struct eyoti_team *parent, const eyot_group_t *group,
                           const eyot_team_t *team) {
  if (group == NULL || team == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", group == NULL ? "group" : "team");
  const struct eyoti_ranges *set = eyoti_group_ranges(group);
  if (set->size == 0) return EYOTI_FAIL(EYOT_EINVAL, "the group is empty");
  if (!eyoti_ranges_subset(set, parent->units))
    return EYOTI_FAIL(EYOT_EUNIT, "some of the group's %u units are not in %s", set->size,
                      EYOTI_TEAM_WORDS(parent));
  return EYOT_OK;
}

int eyot_team_create(eyot_team_t parent, const eyot_group_t *group, eyot_team_t *team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *p;
  EYOTI_TRY(eyoti_team_get(rt, parent, &p));
  EYOTI_TRY(eyoti_team_enter(rt, p));
  /* no member returns before all have exchanged the results */
  int error = eyoti_team_check_group(p, group, team);
  const struct eyoti_ranges *asked = group != NULL ? eyoti_group_ranges(group) : NULL;
  struct eyoti_ranges *set = NULL;
  if (error == EYOT_OK && eyoti_ranges_index(asked, rt->fab->me, NULL))
    error = eyoti_ranges_copy(asked, &set);
  eyot_team_t made;
  EYOTI_TRY(
      eyoti_team_make(rt, p, set, asked != NULL ? eyoti_ranges_hash(asked) : 0, error, &made));
  *team = made;
  return EYOT_OK;
}

/* -- the end of a team ------------------------------------------------------------------------- */

int eyoti_team_colls_done(const struct eyoti_team *t) {
  if (t->colls_open == 0) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EBUSY,
                    "%s has %u non-blocking collectives that were not completed, or plans: call "
                    "eyot_coll_wait or eyot_coll_free first",
                    EYOTI_TEAM_WORDS(t), t->colls_open);
}

static int team_msgs_done(const struct eyoti_team *t) {
  if (t->msgs_open == 0) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EBUSY,
                    "%s has %u messages that were started and not completed: call eyot_msg_wait or "
                    "eyot_mrecv first",
                    EYOTI_TEAM_WORDS(t), t->msgs_open);
}

int eyot_team_destroy(eyot_team_t *team) {
  EYOTI_ENTER(rt);
  if (team == NULL) return EYOTI_FAIL(EYOT_EINVAL, "team is NULL");
  if (team->id == EYOT_TEAM_ALL.id)
    return EYOTI_FAIL(EYOT_ETEAM, "EYOT_TEAM_ALL lives until eyot_finalize");
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, *team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  for (uint32_t i = 0; i < rt->teams->drops; i++) EYOTI_TRY(rt->teams->drop[i](rt, t));
  int busy = EYOT_OK;
  if (t->live_segments > 0)
    busy = EYOTI_FAIL(EYOT_EBUSY, "%s has %u allocations: free them first", EYOTI_TEAM_WORDS(t),
                      t->live_segments);
  if (t->barriers_open > 0)
    busy = EYOTI_FAIL(EYOT_EBUSY,
                      "%s is between eyot_barrier_notify and eyot_barrier_wait: call "
                      "eyot_barrier_wait first",
                      EYOTI_TEAM_WORDS(t));
  if (busy == EYOT_OK) busy = eyoti_team_colls_done(t);
  if (busy == EYOT_OK) busy = team_msgs_done(t);
  EYOTI_TRY(eyoti_agree_end_team(rt->fab, &t->ctl, busy));
  team_leave(rt->teams, t);
  eyoti_observe_released(rt, "team", t->handle.id);
  eyoti_made_drop(rt, EYOTI_MADE_TEAM, t->handle.id);
  team_delete(rt, t);
  *team = EYOT_TEAM_NULL;
  return EYOT_OK;
}

/* -- queries ----------------------------------------------------------------------------------- */

int eyot_team_me(eyot_team_t team, eyot_tunit_t *me) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (me == NULL) return EYOTI_FAIL(EYOT_EINVAL, "me is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  *me = (eyot_tunit_t){t->me};
  return EYOT_OK;
}

int eyot_team_size(eyot_team_t team, uint32_t *size) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (size == NULL) return EYOTI_FAIL(EYOT_EINVAL, "size is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  *size = t->size;
  return EYOT_OK;
}

int eyot_team_group(eyot_team_t team, eyot_group_t **group) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (group == NULL) return EYOTI_FAIL(EYOT_EINVAL, "group is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  return eyoti_group_of(t->units, group);
}

int eyot_team_parent(eyot_team_t team, eyot_team_t *parent) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (parent == NULL) return EYOTI_FAIL(EYOT_EINVAL, "parent is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  *parent = t->parent;
  return EYOT_OK;
}

int eyot_team_l2g(eyot_team_t team, eyot_tunit_t unit, eyot_unit_t *global) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (global == NULL) return EYOTI_FAIL(EYOT_EINVAL, "global is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  if (unit.id >= t->size)
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u of %s, which has %u", unit.id, EYOTI_TEAM_WORDS(t),
                      t->size);
  *global = (eyot_unit_t){eyoti_team_unit(t, unit.id)};
  return EYOT_OK;
}

int eyot_team_g2l(eyot_team_t team, eyot_unit_t global, eyot_tunit_t *unit) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  uint32_t index;
  if (unit == NULL) return EYOTI_FAIL(EYOT_EINVAL, "unit is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  if (!eyoti_team_index(t, global.id, &index))
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u is not in %s", global.id, EYOTI_TEAM_WORDS(t));
  *unit = (eyot_tunit_t){index};
  return EYOT_OK;
}

void eyoti_teams_each(struct eyot_rt *rt, void (*fn)(struct eyoti_team *t, void *arg), void *arg) {
  struct eyoti_teams *ts = rt->teams;
  fn(&ts->all, arg);
  for (uint32_t i = ts->ids.first; i < eyoti_idtab_top(&ts->ids); i++) {
    struct eyoti_team *t = eyoti_idtab_at(&ts->ids, i);
    if (t != NULL) fn(t, arg);
  }
}

struct word_asked {
  uint32_t seg, by;
  uint64_t off;
};
static void ask_writer(struct eyoti_team *t, void *arg) {
  struct word_asked *w = arg;
  if (w->by == UINT32_MAX) w->by = eyoti_ctl_writer(&t->ctl, w->seg, w->off);
}

static uint32_t writer_of(struct eyot_rt *rt, uint32_t seg, uint64_t off) {
  struct word_asked w = {.seg = seg, .by = UINT32_MAX, .off = off};
  eyoti_teams_each(rt, ask_writer, &w);
  return w.by;
}

void eyoti_teams_on_drop(struct eyot_rt *rt, eyoti_team_drop_fn fn) {
  EYOTI_ASSERT(rt->teams->drops < EYOTI_TEAMS_DROPS_MAX);
  rt->teams->drop[rt->teams->drops++] = fn;
}

/* -- start and stop ---------------------------------------------------------------------------- */

static int intern_all(struct eyot_rt *rt, const struct eyoti_ranges **out) {
  struct eyoti_ranges *set;
  EYOTI_TRY(eyoti_ranges_new(0, rt->fab->n, 1, &set));
  *out = eyoti_proc_intern(rt->proc, set, eyoti_ranges_bytes(set));
  free(set);
  return *out != NULL ? EYOT_OK : EYOT_ENOMEM;
}

/* Where a standstill is not seen by the fabric. */
static int start_order(struct eyot_rt *rt, struct eyoti_teams *ts) {
  if (eyoti_order_bytes(rt->fab) == 0) return EYOT_OK;
  ts->all.calls = eyoti_calls_make();
  if (ts->all.calls == NULL) return EYOT_ENOMEM;
  int rc = eyoti_order_start(rt, ts->meeting_seg, ts->order_off, ts->meeting_base + ts->order_off);
  if (rc != EYOT_OK) free(ts->all.calls);
  if (rc == EYOT_OK) eyoti_others_set(&ts->all);
  return rc;
}

int eyoti_teams_start(struct eyot_rt *rt) {
  EYOTI_ASSERT(rt->teams == NULL);
  struct fab *f = rt->fab;
  struct eyoti_teams *ts = eyoti_slack_new(sizeof *ts);
  if (ts == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the teams of a unit");
  const struct eyoti_ranges *all;
  int rc = intern_all(rt, &all);
  if (rc != EYOT_OK) goto free_teams;
  team_init(&ts->all, all, f->me);
  ts->all.handle = EYOT_TEAM_ALL;
  if ((rc = eyoti_teams_make_words(rt, ts)) != EYOT_OK) goto release_all;
  eyoti_idtab_init(&ts->ids, (uint32_t)EYOT_TEAM_ALL.id + 1, UINT16_MAX);
  rt->teams = ts;
  if ((rc = start_order(rt, ts)) != EYOT_OK) goto forget_teams;
  eyoti_teams_made_words(rt, ts);
  rt->writer_of = writer_of;
  return EYOT_OK;

  /* Segments belong to the run: a start that failed on one unit ends the run, and the fabric
   * releases them. */
forget_teams:
  rt->teams = NULL;
  eyoti_idtab_fini(&ts->ids);
release_all:
  eyoti_ctl_nodes_free(ts->all.ctl.nodes);
  eyoti_proc_release(rt->proc, all);
free_teams:
  eyoti_slack_free(ts);
  return rc;
}

void eyoti_team_note_call(struct eyot_rt *rt, struct eyoti_team *t) {
  if (rt->outer_site != NULL) return;
  rt->calls.n++;
  *eyoti_call_noted(&rt->calls) = (struct eyoti_call_note){.set = t->units,
                                                           .team = t->handle.id,
                                                           .number = ++t->calls_noted,
                                                           .name = eyoti_rt_shown(rt),
                                                           .site = eyoti_rt_site(rt)};
}

void eyoti_teams_ending(struct eyot_rt *rt) {
  struct eyoti_team *all = &rt->teams->all;
  if (eyoti_order_is_apart(all)) eyoti_order_part(rt, all); /* nobody exchanges in it any more */
  eyoti_ctl_end(&all->ctl, &all->differ_at_end);
}

int eyoti_teams_meet(struct eyot_rt *rt, bool met) {
  struct eyoti_team *all = &rt->teams->all;
  int rc = met ? EYOT_OK : EYOT_EMISMATCH;
  if (!met && !eyoti_team_ends_apart(all))
    rc = eyoti_ctl_exchange(rt->fab, &all->ctl, NULL, NULL, 0);
  if (all->differ_at_end) eyoti_order_part(rt, all);
  return rc;
}

int eyoti_teams_extremes(struct eyot_rt *rt, uint64_t value, uint64_t *least, uint64_t *most) {
  static const enum eyoti_ctl_op OPS[2] = {EYOTI_CTL_MIN, EYOTI_CTL_MAX};
  uint64_t words[2] = {value, value};
  EYOTI_TRY(eyoti_ctl_exchange(rt->fab, &rt->teams->all.ctl, OPS, words, 2));
  *least = words[0];
  *most = words[1];
  return EYOT_OK;
}

void eyoti_teams_stop(struct eyot_rt *rt) {
  struct eyoti_teams *ts = rt->teams;
  if (ts == NULL) return;
  rt->writer_of = NULL;
  uint32_t alive = 0;
  for (uint32_t i = ts->ids.first; i < eyoti_idtab_top(&ts->ids); i++) {
    struct eyoti_team *t = eyoti_idtab_at(&ts->ids, i);
    if (t != NULL && t->me == 0) alive++;
    team_delete(rt, t);
  }
  if (alive > 0 && !rt->frees_at_end)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "%u teams whose first member is this unit were not destroyed", alive);
  eyoti_order_stop(rt);
  free(ts->all.calls);
  eyoti_ctl_nodes_free(ts->all.ctl.nodes);
  eyoti_proc_release(rt->proc, ts->all.units);
  eyoti_idtab_fini(&ts->ids);
  eyoti_extents_fini(&ts->ctl_space);
  eyoti_slack_free(ts);
  rt->teams = NULL;
}
