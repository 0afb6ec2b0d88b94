/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - eyot_team_split and eyot_team_split_locality (split.h). */

/* The colors are gathered up a binomial tree of the parent as runs (color, first, count, stride),
 * sorted by color: each unit gets the lists of its children, merges them with its own and reports
 * to its parent where the result is. Member 0 ends with all of them; each member then gets the runs
 * of its own color from there, found by bisection. Usual splits (by node, by row, by column) are
 * few runs, so a list is some words; only for colors without any pattern the list of member 0 grows
 * with the number of units, and only while the split runs (docs/adr/0005). The lists lie in the
 * teams' control memory. */
#include "teams/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "teams/agree.h"

struct tagged_run {
  uint32_t color, first, count, stride;
};
_Static_assert(sizeof(struct tagged_run) == 16, "lists are fetched as bytes");

/* A child reports here where its list is; one for each level of the tree. */
struct mailbox {
  uint64_t off, n;
  uint64_t reported; /* signal: 1 + the magnitude of the child's error code */
  uint64_t reserved;
};
_Static_assert(sizeof(struct mailbox) == 32, "mailboxes have the same layout everywhere");

#define LEVELS_MAX 32u
#define FETCH_WHOLE 64u /* longer lists are not fetched as a whole */

/* One unit's state during a split. */
struct split {
  struct eyot_rt *rt;
  struct eyoti_team *team;
  uint64_t boxes;    /* offset of the mailboxes, the same on all members */
  uint64_t list_off; /* offset of the unit's own list in control memory, if listed */
  bool listed;
  struct tagged_run *list; /* the unit's own list, sorted by color, then unit */
  uint32_t n;
  int error;
};

static uint32_t levels_of(uint32_t size) {
  uint32_t levels = 0;
  while (levels < LEVELS_MAX && ((uint64_t)1 << levels) < size) levels++;
  return levels;
}

/* -- lists ------------------------------------------------------------------------------------- */

static uint32_t color_end(const struct tagged_run *list, uint32_t n, uint32_t from) {
  uint32_t i = from;
  while (i < n && list[i].color == list[from].color) i++;
  return i;
}

static int runs_to_set(const struct tagged_run *a, uint32_t na, const struct tagged_run *b,
                       uint32_t nb, struct eyoti_ranges **out) {
  struct eyoti_ranges_builder builder;
  eyoti_ranges_begin(&builder);
  for (uint32_t i = 0; i < na; i++)
    eyoti_ranges_append(&builder, a[i].first, a[i].count, a[i].stride);
  for (uint32_t i = 0; i < nb; i++)
    eyoti_ranges_append(&builder, b[i].first, b[i].count, b[i].stride);
  return eyoti_ranges_finish(&builder, out);
}

struct list {
  struct tagged_run *run;
  uint32_t n, capacity;
};

/* Adds one color. Its runs can be more than those it was made of: where runs begin depends on the
 * members before them. */
static int list_add(struct list *l, uint32_t color, const struct eyoti_ranges *set) {
  if (set->nruns > l->capacity - l->n) {
    uint32_t capacity = l->n + set->nruns + l->capacity;
    struct tagged_run *run =
        capacity > l->capacity ? realloc(l->run, capacity * sizeof *run) : NULL;
    if (run == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u runs of colors", capacity);
    l->run = run;
    l->capacity = capacity;
  }
  for (uint32_t r = 0; r < set->nruns; r++)
    l->run[l->n++] =
        (struct tagged_run){color, set->run[r].first, set->run[r].count, set->run[r].stride};
  return EYOT_OK;
}

/* Merges a list of later units into the unit's own. */
static int team_split_merge(struct split *s, const struct tagged_run *later, uint32_t n_later) {
  struct list out = {0};
  uint32_t i = 0, j = 0;
  while (i < s->n || j < n_later) {
    bool from_own = i < s->n && (j == n_later || s->list[i].color <= later[j].color);
    bool from_later = j < n_later && (i == s->n || later[j].color <= s->list[i].color);
    uint32_t color = from_own ? s->list[i].color : later[j].color;
    uint32_t i_end = from_own ? color_end(s->list, s->n, i) : i;
    uint32_t j_end = from_later ? color_end(later, n_later, j) : j;
    struct eyoti_ranges *set = NULL;
    int rc = runs_to_set(s->list + i, i_end - i, later + j, j_end - j, &set);
    if (rc == EYOT_OK) rc = list_add(&out, color, set);
    free(set);
    if (rc != EYOT_OK) {
      free(out.run);
      return rc;
    }
    i = i_end;
    j = j_end;
  }
  free(s->list);
  s->list = out.run;
  s->n = out.n;
  return EYOT_OK;
}

static int start_list(struct split *s, uint32_t color) {
  if (color == EYOT_COLOR_NONE) return EYOT_OK;
  s->list = malloc(sizeof *s->list);
  if (s->list == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a color");
  s->list[0] = (struct tagged_run){color, s->rt->fab->me, 1, 1};
  s->n = 1;
  return EYOT_OK;
}

/* -- up the tree ------------------------------------------------------------------------------- */

static uint64_t box_off(const struct split *s, uint32_t level) {
  return s->boxes + level * sizeof(struct mailbox);
}

/* Copies the unit's own list to control memory, where others can get it. */
static int show_list(struct split *s) {
  struct eyoti_teams *ts = s->rt->teams;
  uint64_t bytes = s->n * sizeof *s->list;
  if (s->n == 0) return EYOT_OK;
  if (!eyoti_extents_lowest(&ts->ctl_space, bytes, sizeof *s->list, 0, &s->list_off))
    return EYOTI_FAIL(EYOT_ENOMEM, "%u runs of colors do not fit the teams' control memory", s->n);
  EYOTI_TRY(eyoti_extents_take(&ts->ctl_space, s->list_off, bytes));
  s->listed = true;
  memcpy(ts->ctl_base + s->list_off, s->list, bytes);
  return EYOT_OK;
}

/* Receives the report of the child of one level. An error of the child or of this unit is passed
 * on, not returned: all units must make all steps. */
static int hear_child(struct split *s, uint32_t level, uint32_t child) {
  struct eyoti_teams *ts = s->rt->teams;
  struct mailbox box;
  EYOTI_TRY(fab_wait_mem(s->rt->fab, ts->ctl_seg,
                         box_off(s, level) + offsetof(struct mailbox, reported), FAB_GE, 1,
                         FAB_FOREVER, NULL));
  memcpy(&box, ts->ctl_base + box_off(s, level), sizeof box);
  if (s->error == EYOT_OK) s->error = -(int)(box.reported - 1);
  if (s->error != EYOT_OK || box.n == 0) return EYOT_OK;
  struct tagged_run *later = malloc(box.n * sizeof *later);
  if (later == NULL) {
    s->error = EYOTI_FAIL(EYOT_ENOMEM, "no memory for %" PRIu64 " runs of colors", box.n);
    return EYOT_OK;
  }
  int rc =
      fab_get_wait(s->rt->fab, later, fab_at(eyoti_team_unit(s->team, child), ts->ctl_seg, box.off),
                   box.n * sizeof *later);
  if (rc == EYOT_OK) s->error = team_split_merge(s, later, (uint32_t)box.n);
  free(later);
  return rc;
}

static int report_to_parent(struct split *s, uint32_t level, uint32_t parent) {
  fab_seg_t seg = s->rt->teams->ctl_seg;
  fab_unit_t to = eyoti_team_unit(s->team, parent);
  struct mailbox box = {.off = s->list_off, .n = s->listed ? s->n : 0};
  struct fab_sig sig = {
      .at = fab_at(to, seg, box_off(s, level) + offsetof(struct mailbox, reported)),
      .op = FAB_SIG_SET,
      .value = 1 + (uint64_t)(-s->error)};
  return fab_put_signal_wait(s->rt->fab, fab_at(to, seg, box_off(s, level)), &box,
                             offsetof(struct mailbox, reported), &sig);
}

static int climb(struct split *s) {
  uint32_t me = s->team->me, size = s->team->size;
  uint32_t level = 0;
  for (; level < levels_of(size) && (me >> level & 1) == 0; level++) {
    uint64_t child = me + ((uint64_t)1 << level);
    if (child < size) EYOTI_TRY(hear_child(s, level, (uint32_t)child));
  }
  if (s->error == EYOT_OK) s->error = show_list(s);
  return me == 0 ? EYOT_OK : report_to_parent(s, level, me - ((uint32_t)1 << level));
}

/* -- from member 0 ----------------------------------------------------------------------------- */

static int fetch_runs(const struct split *s, uint64_t list_off, uint32_t first, uint32_t n,
                      struct tagged_run *out) {
  fab_seg_t seg = s->rt->teams->ctl_seg;
  return fab_get_wait(s->rt->fab, out,
                      fab_at(eyoti_team_unit(s->team, 0), seg, list_off + first * sizeof *out),
                      n * sizeof *out);
}

/* The first run whose color is at least `color`. */
static int bisect(const struct split *s, uint64_t list_off, uint32_t n, uint64_t color,
                  uint32_t *first) {
  uint32_t lo = 0, hi = n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    struct tagged_run run;
    EYOTI_TRY(fetch_runs(s, list_off, mid, 1, &run));
    if (run.color < color)
      lo = mid + 1;
    else
      hi = mid;
  }
  *first = lo;
  return EYOT_OK;
}

static int fetch_color(const struct split *s, uint64_t list_off, uint32_t n, uint32_t color,
                       struct eyoti_ranges **out) {
  uint32_t first = 0, end = n;
  if (n > FETCH_WHOLE) {
    EYOTI_TRY(bisect(s, list_off, n, color, &first));
    EYOTI_TRY(bisect(s, list_off, n, (uint64_t)color + 1, &end));
  }
  struct tagged_run *runs = malloc((end - first + 1) * sizeof *runs);
  if (runs == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u runs of a color", end - first);
  int rc = fetch_runs(s, list_off, first, end - first, runs);
  if (rc == EYOT_OK) {
    uint32_t i = 0;
    while (i < end - first && runs[i].color < color) i++;
    uint32_t i_end = i < end - first ? color_end(runs, end - first, i) : i;
    rc = runs_to_set(runs + i, i_end - i, NULL, 0, out);
  }
  free(runs);
  return rc;
}

/* Gathers the colors and gets the unit's own runs. After it, s->error holds an error of this unit
 * only. */
static int team_split_gather(struct split *s, uint32_t color, struct eyoti_ranges **out) {
  static const enum eyoti_ctl_op OPS[3] = {EYOTI_CTL_OR, EYOTI_CTL_OR, EYOTI_CTL_MAX};
  s->error = start_list(s, color);
  EYOTI_TRY(climb(s));
  uint64_t words[3] = {0, 0, (uint64_t)(-s->error)};
  if (s->team->me == 0 && s->listed) {
    words[0] = s->list_off;
    words[1] = s->n;
  }
  EYOTI_TRY(eyoti_ctl_exchange(s->rt->fab, &s->team->ctl, OPS, words, 3));
  if (words[2] != 0) {
    s->error = -(int)words[2];
    return EYOT_OK;
  }
  if (color != EYOT_COLOR_NONE) s->error = fetch_color(s, words[0], (uint32_t)words[1], color, out);
  return EYOT_OK;
}

int eyoti_split_members(struct eyot_rt *rt, struct eyoti_team *parent, uint32_t color,
                        struct eyoti_ranges **out) {
  struct eyoti_teams *ts = rt->teams;
  struct split s = {.rt = rt, .team = parent};
  uint64_t bytes = (levels_of(parent->size) + 1) * sizeof(struct mailbox);
  struct eyoti_agree want = {.takes_part = true,
                             .space = &ts->ctl_space,
                             .len = bytes,
                             .align = sizeof(struct mailbox),
                             .under_way = eyoti_teams_under_way(rt)};
  struct eyoti_agreed agreed;
  int rc = eyoti_agree(rt->fab, &parent->ctl, &want, &agreed);
  eyoti_agree_end(&want); /* the range is taken before this unit waits again */
  if (rc == EYOT_ENOMEM) return eyoti_teams_full(ts);
  if (rc != EYOT_OK) return rc;
  if (!agreed.same_offset)
    return EYOTI_FAIL(EYOT_ENOMEM, "no common place for %" PRIu64 " bytes of control memory",
                      bytes);
  EYOTI_TRY(eyoti_extents_take(&ts->ctl_space, agreed.off, bytes));
  s.boxes = agreed.off;
  memset(ts->ctl_base + s.boxes, 0, bytes);
  struct eyoti_ranges *set = NULL;
  rc = eyoti_agree_done(rt->fab, &parent->ctl, EYOT_OK);
  if (rc == EYOT_OK) rc = team_split_gather(&s, color, &set);
  /* Lists may be freed when all members have got what they need. */
  if (rc == EYOT_OK) rc = eyoti_agree_done(rt->fab, &parent->ctl, s.error);
  if (s.listed) (void)eyoti_extents_release(&ts->ctl_space, s.list_off, NULL);
  (void)eyoti_extents_release(&ts->ctl_space, s.boxes, NULL);
  free(s.list);
  if (rc == EYOT_OK)
    *out = set;
  else
    free(set);
  return rc;
}

/* -- public ------------------------------------------------------------------------------------ */

static int split_by(struct eyot_rt *rt, struct eyoti_team *parent, uint32_t color,
                    eyot_team_t *team) {
  struct eyoti_ranges *set;
  EYOTI_TRY(eyoti_split_members(rt, parent, color, &set));
  eyot_team_t made;
  EYOTI_TRY(eyoti_team_make(rt, parent, set, 0, EYOT_OK, &made));
  *team = made;
  return EYOT_OK;
}

int eyot_team_split(eyot_team_t parent, uint32_t color, eyot_team_t *team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *p;
  if (team == NULL) return EYOTI_FAIL(EYOT_EINVAL, "team is NULL");
  EYOTI_TRY(eyoti_team_get(rt, parent, &p));
  eyoti_team_enter(rt, p, FAB_COLLECTIVE_NONE, 0);
  return split_by(rt, p, color, team);
}

int eyot_team_split_locality(eyot_team_t parent, eyot_domain_t level, eyot_team_t *team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *p;
  if (team == NULL) return EYOTI_FAIL(EYOT_EINVAL, "team is NULL");
  if ((unsigned)level >= EYOT_DOMAIN_COUNT)
    return EYOTI_FAIL(EYOT_EINVAL, "level %d: there are %d", (int)level, (int)EYOT_DOMAIN_COUNT);
  EYOTI_TRY(eyoti_team_get(rt, parent, &p));
  eyoti_team_enter(rt, p, FAB_COLLECTIVE_NONE, 0);
  eyot_place_t place;
  EYOTI_TRY(rt->fab->ops->locate(rt->fab, rt->fab->me, &place));
  return split_by(rt, p, place.id[level], team);
}
