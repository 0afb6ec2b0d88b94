/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - the memory of control words: the segments of the layer, and where TEAM_ALL's words are
 * in them or in the heap; and the exchanges by nodes of teams. For team.c, and gmem, which makes
 * the heap. */
#include <stdlib.h>
#include <string.h>

#include "fabric/ctl_nodes.h"
#include "rt/proc.h"
#include "teams/block.h"
#include "teams/order.h"
#include "teams/others.h"
#include "teams/state.h"

/* Of many units in one process what every unit uses of TEAM_ALL's block lies in the heap, before
 * the first allocation: in a segment of its own each unit would have a page, or a part of one,
 * besides the heap's, of which most programs use a few hundred bytes (docs/adr/0069). */
static bool all_is_apart(const struct fab *f) {
  return (f->caps & FAB_CAP_VIRTUAL_TIME) != 0 && f->n > EYOTI_TEAMS_APART_UNITS;
}

/* -- exchanges by nodes ------------------------------------------------------------------------ */

/* Whether the fabric tells where all units are; if not, their placement does. */
static bool is_regular(const struct fab *f) {
  return f->ops->per_node != NULL && f->ops->per_node(f) > 0;
}
static bool is_one_node(const struct fab *f) {
  return is_regular(f) && f->ops->per_node(f) >= f->n;
}

/* The same on all units, which of one process find it once. placed: NULL for all units. */
static struct eyoti_ctl_nodes_shape shape_of(const struct fab *f,
                                             const struct eyoti_placement *placed, bool *quicker) {
  struct eyoti_proc *proc = eyot_current->proc;
  struct eyoti_recalled r = {.key = {EYOTI_RECALL_EXCHANGE, (uintptr_t)f->ops, f->n}};
  if (placed != NULL) {
    const uint64_t lies[] = {placed->size, placed->nodes, placed->most, placed->least,
                             placed->scattered};
    _Static_assert(3 + sizeof lies / sizeof lies[0] <= EYOTI_RECALL_KEY, "the key has room");
    memcpy(&r.key[3], lies, sizeof lies);
  }
  if (proc == NULL || !eyoti_proc_recall(proc, &r)) {
    struct eyoti_ctl_nodes_shape shape = placed != NULL
                                             ? eyoti_ctl_nodes_choose_placed(f, placed, quicker)
                                             : eyoti_ctl_nodes_choose(f, f->n, quicker);
    r.value[0] = shape.per_node;
    r.value[1] = shape.radix;
    r.value[2] = *quicker;
    if (proc != NULL) eyoti_proc_remember(proc, &r);
  }
  *quicker = r.value[2] != 0;
  return (struct eyoti_ctl_nodes_shape){.size = placed != NULL ? placed->size : f->n,
                                        .per_node = (uint32_t)r.value[0],
                                        .radix = (uint32_t)r.value[1],
                                        .placed = placed};
}

/* Of TEAM_ALL, whose placement is made at the start if it is needed. */
static struct eyoti_ctl_nodes_shape all_shape(const struct fab *f, const struct eyoti_teams *ts,
                                              bool *quicker) {
  return shape_of(f, is_regular(f) ? NULL : eyoti_proc_derived(ts->all.units), quicker);
}

static struct eyoti_nodes_part part_of(const struct eyoti_ctl_nodes_shape *shape,
                                       const struct eyoti_team *t, bool quicker) {
  if (shape->per_node == 0) return (struct eyoti_nodes_part){.all = 0};
  return (struct eyoti_nodes_part){
      .all = eyoti_block_round(eyoti_ctl_nodes_bytes(shape)),
      .first = eyoti_block_round(eyoti_ctl_nodes_first_bytes(shape)),
      .quicker = quicker,
      .is_first = eyoti_ctl_nodes_is_first(shape, t->me),
  };
}
static struct eyoti_nodes_part all_part_of(const struct fab *f, const struct eyoti_teams *ts) {
  bool quicker;
  struct eyoti_ctl_nodes_shape shape = all_shape(f, ts, &quicker);
  return part_of(&shape, &ts->all, quicker);
}

static int make_list(struct eyoti_team *t, const struct eyoti_ctl_nodes_shape *shape) {
  if (shape->per_node == 0) return EYOT_OK;
  t->ctl.nodes = eyoti_ctl_nodes_make(shape, &t->ctl.members);
  if (t->ctl.nodes != NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the barriers of %u units", t->size);
}

/* The list of TEAM_ALL's exchange by nodes. */
static int make_nodes(struct eyot_rt *rt, struct eyoti_teams *ts) {
  const struct eyoti_placement *placed;
  if (!is_regular(rt->fab)) EYOTI_TRY(eyoti_team_placement(rt, &ts->all, &placed));
  struct eyoti_ctl_nodes_shape shape = all_shape(rt->fab, ts, &ts->all.ctl.by_nodes);
  return make_list(&ts->all, &shape);
}

/* Two members send each other one message either way. */
int eyoti_team_make_nodes(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_nodes_part *part) {
  const struct eyoti_placement *placed;
  *part = (struct eyoti_nodes_part){.all = 0};
  if (t->size <= 2 || is_one_node(rt->fab)) return EYOT_OK;
  EYOTI_TRY(eyoti_team_placement(rt, t, &placed));
  struct eyoti_ctl_nodes_shape shape = shape_of(rt->fab, placed, &t->ctl.by_nodes);
  EYOTI_TRY(make_list(t, &shape));
  *part = part_of(&shape, t, t->ctl.by_nodes);
  return EYOT_OK;
}

/* -- segments ---------------------------------------------------------------------------------- */

/* Makes the segment of all other teams' control blocks, after `before` bytes for other use: smaller
 * than usual where a container has little shared memory. */
static int make_ctl_space(struct fab *f, struct eyoti_teams *ts, uint64_t before) {
  uint64_t available;
  void *base;
  EYOTI_TRY(f->ops->seg_available(f, &available));
  available = available / EYOTI_TEAMS_CTL_PART / EYOTI_BLOCK_ALIGN * EYOTI_BLOCK_ALIGN;
  uint64_t most = is_one_node(f) ? EYOTI_TEAMS_CTL_BYTES : EYOTI_TEAMS_CTL_NODES_BYTES;
  uint64_t bytes = available < most ? available : most;
  EYOTI_TRY(f->ops->seg_create(f, before + bytes, &ts->ctl_seg));
  EYOTI_TRY(f->ops->seg_ptr(f, ts->ctl_seg, f->me, 0, &base));
  ts->ctl_base = base;
  eyoti_extents_init(&ts->ctl_space, before, before + bytes);
  return EYOT_OK;
}

/* -- TEAM_ALL ---------------------------------------------------------------------------------- */

/* What every unit uses of the exchanges: by nodes, or by dissemination. The other words lie
 * apart. */
static uint64_t apart_hot_bytes(const struct fab *f, const struct eyoti_teams *ts) {
  struct eyoti_nodes_part p = all_part_of(f, ts);
  return p.quicker ? p.all + EYOTI_SYNC_HOT_BYTES : eyoti_block_hot_bytes(f->n);
}

struct eyoti_teams_place eyoti_teams_place_bytes(const struct eyot_rt *rt) {
  const struct fab *f = rt->fab;
  if (!all_is_apart(f)) return (struct eyoti_teams_place){0, 0};
  return (struct eyoti_teams_place){eyoti_block_round(apart_hot_bytes(f, rt->teams)),
                                    all_part_of(f, rt->teams).first};
}

static struct eyoti_ctl_nodes_place place_at(fab_seg_t seg, uint64_t off, char *base) {
  return (struct eyoti_ctl_nodes_place){seg, off, base + off};
}

void eyoti_teams_place_all(struct eyot_rt *rt, fab_seg_t seg, char *base, uint64_t off,
                           uint64_t first_off, char *first) {
  struct eyoti_teams *ts = rt->teams;
  struct eyoti_team *all = &ts->all;
  EYOTI_ASSERT(all_is_apart(rt->fab) && all->ctl.seq == 0);
  struct eyoti_nodes_part p = all_part_of(rt->fab, ts);
  if (p.quicker) {
    eyoti_block_set_sync(all, seg, off + p.all, base);
    all->ctl.seg = ts->ctl_seg;
    all->ctl.off = ts->apart_off;
  } else {
    eyoti_block_set(all, seg, off, base);
  }
  if (all->ctl.nodes != NULL)
    eyoti_ctl_nodes_place(
        all->ctl.nodes,
        p.quicker ? place_at(seg, off, base) : place_at(ts->ctl_seg, ts->apart_off, ts->ctl_base),
        (struct eyoti_ctl_nodes_place){seg, first_off, first});
  all->cold_seg = ts->ctl_seg;
  all->cold_off = 0;
  all->cold = ts->ctl_base;
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_TEAM,
                                          .id = EYOT_TEAM_ALL.id,
                                          .seg = seg,
                                          .off = off,
                                          .len_bytes = eyoti_teams_place_bytes(rt).all});
}

/* The segment of all other teams, with what only some programs, or some units, use of TEAM_ALL's
 * words. */
static int make_apart(struct fab *f, struct eyoti_teams *ts) {
  struct eyoti_nodes_part p = all_part_of(f, ts);
  ts->meeting_off = eyoti_block_round(eyoti_sync_cold_bytes(f->n));
  ts->apart_off = ts->meeting_off + eyoti_block_round(eyoti_teams_meeting_bytes(f->n));
  EYOTI_TRY(make_ctl_space(f, ts, ts->apart_off + (p.quicker ? eyoti_block_sync_at(f->n) : p.all)));
  ts->meeting_seg = ts->ctl_seg;
  ts->meeting_base = ts->ctl_base;
  return EYOT_OK;
}

/* Makes both segments, and TEAM_ALL's block in the first. */
static int make_segments(struct fab *f, struct eyoti_teams *ts) {
  void *base;
  struct eyoti_nodes_part p = all_part_of(f, ts);
  uint64_t nodes = eyoti_block_round(eyoti_block_bytes(f->n) + eyoti_teams_meeting_bytes(f->n));
  ts->order_off = nodes + p.all + p.first;
  ts->others_off = ts->order_off + eyoti_order_bytes(f);
  EYOTI_TRY(f->ops->seg_create(f, ts->others_off + eyoti_others_bytes(f), &ts->meeting_seg));
  EYOTI_TRY(f->ops->seg_ptr(f, ts->meeting_seg, f->me, 0, &base));
  eyoti_block_set(&ts->all, ts->meeting_seg, 0, base);
  if (ts->all.ctl.nodes != NULL)
    eyoti_ctl_nodes_place(ts->all.ctl.nodes, place_at(ts->meeting_seg, nodes, base),
                          place_at(ts->meeting_seg, nodes + p.all, base));
  ts->meeting_off = eyoti_block_bytes(f->n);
  ts->meeting_base = base;
  return make_ctl_space(f, ts, 0);
}

void eyoti_teams_made_words(struct eyot_rt *rt, const struct eyoti_teams *ts) {
  if (!all_is_apart(rt->fab))
    eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_TEAM,
                                            .id = EYOT_TEAM_ALL.id,
                                            .seg = ts->all.ctl.seg,
                                            .len_bytes = UINT64_MAX});
  eyoti_made_add(
      rt,
      &(struct eyoti_made){
          .kind = EYOTI_MADE_OWN, .id = ts->ctl_seg, .seg = ts->ctl_seg, .len_bytes = UINT64_MAX});
}

int eyoti_teams_make_words(struct eyot_rt *rt, struct eyoti_teams *ts) {
  EYOTI_TRY(make_nodes(rt, ts));
  return all_is_apart(rt->fab) ? make_apart(rt->fab, ts) : make_segments(rt->fab, ts);
}
