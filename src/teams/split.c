/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - eyot_team_split and eyot_team_split_locality (split.h). */

/* The colors are gathered up a binomial tree of the parent as runs (color, first, count, stride),
 * sorted by color: each unit gets the lists of its children, merges them with its own and reports
 * to its parent where the result is. Member 0 ends with all of them. Then they go down the same
 * tree: each unit reports to each child where the runs of all members are, of the colors that the
 * child's list has, and the child gets them. Nobody serves more than log p others. Usual splits (by
 * node, by row, by column) are few runs, so a list is some words; only for colors without any
 * pattern the lists near member 0 grow with the number of units, and only while the split runs
 * (docs/adr/0005, docs/adr/0062). The lists lie in the teams' control memory.
 *
 * Why it is right. A list is written before the signal that reports it, and stays until all members
 * have made the last exchange, so a get after the signal reads it whole. Each place of a report is
 * written once: zeroed before the exchange in which the members agree on it, then by one unit.
 * Errors travel with the reports, and every unit makes all steps. */
#include "teams/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "teams/agree.h"

struct tagged_run {
  uint32_t color, first, count, stride;
};
_Static_assert(sizeof(struct tagged_run) == 16, "lists are fetched as bytes");

/* A child reports here where its list is, one for each level of the tree; and after them the
 * parent. */
struct mailbox {
  uint64_t off, n;
  uint64_t reported; /* signal: 1 + the magnitude of the reporting unit's error code */
  uint64_t reserved;
};
_Static_assert(sizeof(struct mailbox) == 32, "mailboxes have the same layout everywhere");

#define LEVELS_MAX 32u

/* A list, sorted by color, then unit. */
struct list {
  struct tagged_run *run;
  uint32_t n, capacity;
};

/* A list in control memory, where others can get it. */
struct shown {
  uint64_t off, n; /* n 0: none */
};

struct child {
  struct list list;  /* of the units below it */
  struct shown down; /* what it gets */
};

/* One unit's state during a split. */
struct split {
  struct eyot_rt *rt;
  struct eyoti_team *team;
  uint64_t boxes;       /* offset of the mailboxes, the same on all members */
  uint64_t boxes_bytes; /* 0: none yet */
  struct list list;     /* of the unit and those below it; on the way down, of all members */
  struct shown up;      /* the same for the parent */
  uint32_t children;    /* at levels 0 .. children-1 */
  struct child *child;
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
static int team_split_merge(struct split *s, const struct list *later) {
  struct list out = {0}, *own = &s->list;
  uint32_t i = 0, j = 0;
  while (i < own->n || j < later->n) {
    bool from_own = i < own->n && (j == later->n || own->run[i].color <= later->run[j].color);
    bool from_later = j < later->n && (i == own->n || later->run[j].color <= own->run[i].color);
    uint32_t color = from_own ? own->run[i].color : later->run[j].color;
    uint32_t i_end = from_own ? color_end(own->run, own->n, i) : i;
    uint32_t j_end = from_later ? color_end(later->run, later->n, j) : j;
    struct eyoti_ranges *set = NULL;
    int rc = runs_to_set(own->run + i, i_end - i, later->run + j, j_end - j, &set);
    if (rc == EYOT_OK) rc = list_add(&out, color, set);
    free(set);
    if (rc != EYOT_OK) {
      free(out.run);
      return rc;
    }
    i = i_end;
    j = j_end;
  }
  free(own->run);
  *own = out;
  return EYOT_OK;
}

static int start_list(struct split *s, uint32_t color) {
  if (color == EYOT_COLOR_NONE) return EYOT_OK;
  struct tagged_run *run = malloc(sizeof *run);
  if (run == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a color");
  *run = (struct tagged_run){color, s->rt->fab->me, 1, 1};
  s->list = (struct list){run, 1, 1};
  return EYOT_OK;
}

/* -- reports ----------------------------------------------------------------------------------- */

static uint64_t box_off(const struct split *s, uint32_t box) {
  return s->boxes + box * sizeof(struct mailbox);
}

/* Reserves a place for n runs in control memory. */
static int show_begin(struct split *s, uint32_t n, struct shown *at, struct tagged_run **runs) {
  struct eyoti_teams *ts = s->rt->teams;
  uint64_t off, bytes = n * sizeof **runs;
  if (!eyoti_extents_lowest(&ts->ctl_space, bytes, sizeof **runs, 0, &off))
    return EYOTI_FAIL(EYOT_ENOMEM, "%u runs of colors do not fit the teams' control memory", n);
  EYOTI_TRY(eyoti_extents_take(&ts->ctl_space, off, bytes));
  *at = (struct shown){off, n};
  *runs = (struct tagged_run *)(void *)(ts->ctl_base + off);
  return EYOT_OK;
}

static void show_end(struct split *s, const struct shown *at) {
  if (at->n > 0) (void)eyoti_extents_release(&s->rt->teams->ctl_space, at->off, NULL);
}

static int report(struct split *s, uint32_t member, uint32_t to_box, const struct shown *at) {
  fab_seg_t seg = s->rt->teams->ctl_seg;
  fab_unit_t to = eyoti_team_unit(s->team, member);
  struct mailbox box = {.off = at->off, .n = s->error == EYOT_OK ? at->n : 0};
  struct fab_sig sig = {
      .at = fab_at(to, seg, box_off(s, to_box) + offsetof(struct mailbox, reported)),
      .op = FAB_SIG_SET,
      .value = 1 + (uint64_t)(-s->error)};
  return fab_put_signal_wait(s->rt->fab, fab_at(to, seg, box_off(s, to_box)), &box,
                             offsetof(struct mailbox, reported), &sig);
}

/* Waits for the report of a member and gets its list. An error of that member or of this unit is
 * passed on, not returned: all units must make all steps. */
static int hear(struct split *s, uint32_t in_box, uint32_t member, struct list *out) {
  struct eyoti_teams *ts = s->rt->teams;
  struct mailbox box;
  EYOTI_TRY(fab_wait_mem(s->rt->fab, ts->ctl_seg,
                         box_off(s, in_box) + offsetof(struct mailbox, reported), FAB_GE, 1,
                         FAB_FOREVER, NULL));
  memcpy(&box, ts->ctl_base + box_off(s, in_box), sizeof box);
  *out = (struct list){0};
  if (s->error == EYOT_OK) s->error = -(int)(box.reported - 1);
  if (s->error != EYOT_OK || box.n == 0) return EYOT_OK;
  struct tagged_run *run = malloc(box.n * sizeof *run);
  if (run == NULL) {
    s->error = EYOTI_FAIL(EYOT_ENOMEM, "no memory for %" PRIu64 " runs of colors", box.n);
    return EYOT_OK;
  }
  int rc =
      fab_get_wait(s->rt->fab, run, fab_at(eyoti_team_unit(s->team, member), ts->ctl_seg, box.off),
                   box.n * sizeof *run);
  if (rc == EYOT_OK)
    *out = (struct list){run, (uint32_t)box.n, (uint32_t)box.n};
  else
    free(run);
  return rc;
}

/* -- up the tree ------------------------------------------------------------------------------- */

static uint32_t children_of(const struct eyoti_team *t) {
  uint32_t n = 0;
  while (n < levels_of(t->size) && (t->me >> n & 1) == 0 && t->me + ((uint64_t)1 << n) < t->size)
    n++;
  return n;
}
/* The level at which the unit is a child; of member 0, that above all. */
static uint32_t level_of(const struct eyoti_team *t) {
  return t->me == 0 ? levels_of(t->size) : (uint32_t)__builtin_ctz(t->me);
}
static uint32_t parent_of(const struct eyoti_team *t) {
  return t->me - ((uint32_t)1 << level_of(t));
}

static int show_list(struct split *s) {
  struct tagged_run *runs;
  if (s->list.n == 0 || s->team->me == 0) return EYOT_OK;
  EYOTI_TRY(show_begin(s, s->list.n, &s->up, &runs));
  memcpy(runs, s->list.run, s->list.n * sizeof *runs);
  return EYOT_OK;
}

static int climb(struct split *s) {
  for (uint32_t level = 0; level < s->children; level++) {
    struct list below;
    EYOTI_TRY(hear(s, level, s->team->me + ((uint32_t)1 << level), &below));
    s->child[level].list = below;
    if (s->error == EYOT_OK && below.n > 0) s->error = team_split_merge(s, &below);
  }
  if (s->error == EYOT_OK) s->error = show_list(s);
  return s->team->me == 0 ? EYOT_OK : report(s, parent_of(s->team), level_of(s->team), &s->up);
}

/* -- down the tree ----------------------------------------------------------------------------- */

/* The runs of `from` whose colors `colors` has; counts them if `to` is NULL. */
static uint32_t runs_of_colors(const struct list *from, const struct list *colors,
                               struct tagged_run *to) {
  uint32_t n = 0;
  for (uint32_t i = 0, j = 0; i < from->n && j < colors->n;) {
    uint32_t have = from->run[i].color, want = colors->run[j].color;
    if (have == want) {
      if (to != NULL) to[n] = from->run[i];
      n++;
    }
    if (have <= want)
      i++;
    else
      j++;
  }
  return n;
}

static int show_down(struct split *s, struct child *c) {
  struct tagged_run *runs;
  uint32_t n = runs_of_colors(&s->list, &c->list, NULL);
  if (n == 0) return EYOT_OK;
  EYOTI_TRY(show_begin(s, n, &c->down, &runs));
  (void)runs_of_colors(&s->list, &c->list, runs);
  return EYOT_OK;
}

/* Replaces the list by that of all members, and reports to the children, the one with most units
 * below it first. */
static int descend(struct split *s) {
  uint32_t down_box = levels_of(s->team->size);
  if (s->team->me != 0) {
    struct list all;
    EYOTI_TRY(hear(s, down_box, parent_of(s->team), &all));
    free(s->list.run);
    s->list = all;
  }
  for (uint32_t level = s->children; level-- > 0;) {
    struct child *c = &s->child[level];
    if (s->error == EYOT_OK) s->error = show_down(s, c);
    EYOTI_TRY(report(s, s->team->me + ((uint32_t)1 << level), down_box, &c->down));
  }
  return EYOT_OK;
}

static int own_runs(const struct split *s, uint32_t color, struct eyoti_ranges **out) {
  uint32_t i = 0;
  while (i < s->list.n && s->list.run[i].color < color) i++;
  uint32_t end = i < s->list.n ? color_end(s->list.run, s->list.n, i) : i;
  return runs_to_set(s->list.run + i, end - i, NULL, 0, out);
}

/* Gathers the colors and gets the unit's own runs; s->error: an error of some member. */
static int team_split_gather(struct split *s, uint32_t color, struct eyoti_ranges **out) {
  s->error = start_list(s, color);
  EYOTI_TRY(climb(s));
  EYOTI_TRY(descend(s));
  if (s->error == EYOT_OK && color != EYOT_COLOR_NONE) s->error = own_runs(s, color, out);
  return EYOT_OK;
}

static void team_split_end(struct split *s) {
  show_end(s, &s->up);
  for (uint32_t i = 0; s->child != NULL && i < s->children; i++) {
    show_end(s, &s->child[i].down);
    free(s->child[i].list.run);
  }
  free(s->child);
  free(s->list.run);
  if (s->boxes_bytes > 0) (void)eyoti_extents_release(&s->rt->teams->ctl_space, s->boxes, NULL);
}

/* Agrees on the place of the mailboxes, which are zero when this returns on any member. */
static int boxes_make(struct split *s) {
  struct eyoti_teams *ts = s->rt->teams;
  int error = EYOT_OK;
  if (s->children > 0 && (s->child = calloc(s->children, sizeof *s->child)) == NULL)
    error = EYOTI_FAIL(EYOT_ENOMEM, "no memory for the lists of %u units", s->children);
  uint64_t bytes = (levels_of(s->team->size) + 1) * sizeof(struct mailbox);
  struct eyoti_agree want = {.takes_part = true,
                             .error = error,
                             .space = &ts->ctl_space,
                             .len = bytes,
                             .align = sizeof(struct mailbox),
                             .under_way = eyoti_teams_under_way(s->rt)};
  struct eyoti_agreed agreed;
  int rc = eyoti_agree(s->rt->fab, &s->team->ctl, &want, &agreed);
  eyoti_agree_end(&want); /* the range is taken before this unit waits again */
  if (rc == EYOT_ENOMEM && error == EYOT_OK) return eyoti_teams_full(ts);
  if (rc != EYOT_OK) return rc;
  if (!agreed.same_offset)
    return EYOTI_FAIL(EYOT_ENOMEM, "no common place for %" PRIu64 " bytes of control memory",
                      bytes);
  EYOTI_TRY(eyoti_extents_take(&ts->ctl_space, agreed.off, bytes));
  s->boxes = agreed.off;
  s->boxes_bytes = bytes;
  memset(ts->ctl_base + s->boxes, 0, bytes);
  return eyoti_agree_done(s->rt->fab, &s->team->ctl, EYOT_OK);
}

int eyoti_split_members(struct eyot_rt *rt, struct eyoti_team *parent, uint32_t color,
                        struct eyoti_ranges **out) {
  struct split s = {.rt = rt, .team = parent, .children = children_of(parent)};
  struct eyoti_ranges *set = NULL;
  int rc = boxes_make(&s);
  if (rc == EYOT_OK) rc = team_split_gather(&s, color, &set);
  /* Lists may be freed when all members have got what they need: another thread of this unit may
   * take their memory for another team at once. */
  if (rc == EYOT_OK) rc = eyoti_agree_done(rt->fab, &parent->ctl, s.error);
  team_split_end(&s);
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
  EYOTI_TRY(eyoti_team_enter(rt, p));
  return split_by(rt, p, color, team);
}

int eyot_team_split_locality(eyot_team_t parent, eyot_domain_t level, eyot_team_t *team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *p;
  if (team == NULL) return EYOTI_FAIL(EYOT_EINVAL, "team is NULL");
  if ((unsigned)level >= EYOT_DOMAIN_COUNT)
    return EYOTI_FAIL(EYOT_EINVAL, "level %d: there are %d", (int)level, (int)EYOT_DOMAIN_COUNT);
  EYOTI_TRY(eyoti_team_get(rt, parent, &p));
  EYOTI_TRY(eyoti_team_enter(rt, p));
  eyot_place_t place;
  EYOTI_TRY(rt->fab->ops->locate(rt->fab, rt->fab->me, &place));
  return split_by(rt, p, place.id[level], team);
}
