/* SPDX-License-Identifier: BSD-3-Clause */
/* team.c - teams: a sequence first, first+stride, ... of PEs, and the team of eyot that has these
 * members. Every split of OpenSHMEM makes such a sequence, so that translation is arithmetic.
 *
 * The team of SHMEM_TEAM_SHARED and those of active sets are made by their members alone, when they
 * first need one. */
#include <stdlib.h>

#include "interfaces/openshmem/osh.h"

struct shmemi_team shmemi_team_world, shmemi_team_shared;

/* Teams that the program has made, and those of active sets: each list in the order in which they
 * were made, which is the same on all members. */
static struct shmemi_team *made, *active;
/* Destroyed teams, of no PEs, so that a handle that is used again is refused. */
static struct shmemi_team *destroyed;

static void append(struct shmemi_team **list, struct shmemi_team *t) {
  while (*list != NULL) list = &(*list)->next;
  *list = t;
}

/* The group of a sequence. */
static int group_of(int first, int stride, int size, eyot_group_t **group) {
  int last = first + (size - 1) * stride;
  uint32_t step = (uint32_t)(stride < 0 ? -stride : stride);
  return eyot_group_range((uint32_t)(last < first ? last : first), (uint32_t)size,
                          step == 0 ? 1 : step, group);
}

/* Makes eyot's team of a sequence; its members alone call. */
static eyot_team_t team_of_members(int first, int stride, int size) {
  eyot_group_t *group;
  eyot_team_t team;
  osh_must(group_of(first, stride, size, &group));
  osh_must(eyot_team_create_group(EYOT_TEAM_ALL, group,
                                  (uint64_t)(uint32_t)first << 32 | (uint32_t)stride, &team));
  eyot_group_free(group);
  return team;
}

void osh_teams_begin(void) {
  eyot_unit_t first;
  uint32_t count;
  osh_must(eyot_mapped_units(&first, &count));
  shmemi_team_world = (struct shmemi_team){
      .team = EYOT_TEAM_ALL, .first = 0, .stride = 1, .size = osh.n, .me = osh.me};
  shmemi_team_shared = (struct shmemi_team){.team = EYOT_TEAM_NULL,
                                            .first = (int)first.id,
                                            .stride = 1,
                                            .size = (int)count,
                                            .me = osh.me - (int)first.id};
}

static void end_list(struct shmemi_team **list) {
  while (*list != NULL) {
    struct shmemi_team *t = *list;
    *list = t->next;
    osh_contexts_end(t);
    osh_must(eyot_team_destroy(&t->team));
    free(t);
  }
}

void osh_teams_end(void) {
  osh_contexts_end(SHMEM_TEAM_WORLD);
  osh_contexts_end(SHMEM_TEAM_SHARED);
  end_list(&made);
  end_list(&active);
  if (shmemi_team_shared.team.id != EYOT_TEAM_NULL.id)
    osh_must(eyot_team_destroy(&shmemi_team_shared.team));
  osh_contexts_forget();
  while (destroyed != NULL) {
    struct shmemi_team *t = destroyed;
    destroyed = t->next;
    free(t);
  }
}

eyot_team_t osh_team(struct shmemi_team *team) {
  if (team == SHMEM_TEAM_INVALID) osh_fail(EYOT_ETEAM, "team is SHMEM_TEAM_INVALID");
  if (team->size < 1) osh_fail(EYOT_ETEAM, "team was destroyed");
  if (team->team.id == EYOT_TEAM_NULL.id)
    team->team = team_of_members(team->first, team->stride, team->size);
  return team->team;
}

struct shmemi_team *osh_active_set(int first, int log_stride, int size) {
  if (first < 0 || log_stride < 0 || log_stride > 30 || size < 1 ||
      first + ((int64_t)(size - 1) << log_stride) >= osh.n)
    osh_fail(EYOT_EINVAL,
             "the active set PE_start %d, logPE_stride %d, PE_size %d is not within the %d PEs",
             first, log_stride, size, osh.n);
  int stride = size == 1 ? 1 : 1 << log_stride, at = osh.me - first;
  if (at < 0 || at % stride != 0 || at / stride >= size)
    osh_fail(EYOT_EUNIT,
             "the caller, PE %d, is not in the active set PE_start %d, logPE_stride %d, PE_size %d",
             osh.me, first, log_stride, size);
  if (first == 0 && stride == 1 && size == osh.n) return SHMEM_TEAM_WORLD;
  for (struct shmemi_team *t = active; t != NULL; t = t->next)
    if (t->first == first && t->stride == stride && t->size == size) return t;
  struct shmemi_team *t = calloc(1, sizeof *t);
  if (t == NULL) osh_fail(EYOT_ENOMEM, "no memory for the team of an active set");
  *t = (struct shmemi_team){.team = team_of_members(first, stride, size),
                            .first = first,
                            .stride = stride,
                            .size = size,
                            .me = at / stride};
  append(&active, t);
  return t;
}

/* -- queries ----------------------------------------------------------------------------------- */

OSH_DEFINE(int, team_my_pe, (shmem_team_t team)) {
  OSH_ENTER("shmem_team_my_pe");
  return team == SHMEM_TEAM_INVALID ? -1 : team->me;
}

OSH_DEFINE(int, team_n_pes, (shmem_team_t team)) {
  OSH_ENTER("shmem_team_n_pes");
  return team == SHMEM_TEAM_INVALID ? -1 : team->size;
}

OSH_DEFINE(int, team_get_config,
           (shmem_team_t team, long config_mask, shmem_team_config_t *config)) {
  OSH_ENTER("shmem_team_get_config");
  if (team == SHMEM_TEAM_INVALID) return -1;
  if (config_mask == 0) return 0;
  if (config == NULL) osh_fail(EYOT_EINVAL, "config is NULL");
  if ((config_mask & ~SHMEM_TEAM_NUM_CONTEXTS) != 0) return -1;
  config->num_contexts = team->config.num_contexts;
  return 0;
}

OSH_DEFINE(int, team_translate_pe, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team)) {
  OSH_ENTER("shmem_team_translate_pe");
  if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID || src_pe < 0 ||
      src_pe >= src_team->size)
    return -1;
  int at = src_team->first + src_pe * src_team->stride - dest_team->first;
  int pe = at / dest_team->stride;
  return at % dest_team->stride == 0 && pe >= 0 && pe < dest_team->size ? pe : -1;
}

OSH_DEFINE(int, team_sync, (shmem_team_t team)) {
  OSH_ENTER("shmem_team_sync");
  return osh_sync(osh_team(team)) != EYOT_OK;
}

/* -- splits ------------------------------------------------------------------------------------ */

/* The part of a team that a split makes: PE i is PE start + i*stride of the parent. */
struct part {
  int start, stride, size;
  const shmem_team_config_t *config;
  long mask;
};

/* OpenSHMEM 1.5, section 9.4.5: a mask names the members of the configuration that count. */
static void check_config(const shmem_team_config_t *config, long mask) {
  if ((mask & ~SHMEM_TEAM_NUM_CONTEXTS) != 0)
    osh_fail(EYOT_EINVAL, "config_mask is %#lx, expected 0 or SHMEM_TEAM_NUM_CONTEXTS (%#lx)", mask,
             (long)SHMEM_TEAM_NUM_CONTEXTS);
  if (mask == 0) return;
  if (config == NULL)
    osh_fail(EYOT_EINVAL, "config is NULL, expected one, as config_mask is not 0");
  if (config->num_contexts < 0)
    osh_fail(EYOT_EINVAL, "num_contexts is %d, expected 0 or more", config->num_contexts);
}

static bool is_valid(const struct shmemi_team *parent, struct part p) {
  if (p.size < 1 || p.start < 0 || p.start >= parent->size) return false;
  if (p.stride == 0) return p.size == 1;
  int64_t last = p.start + (int64_t)(p.size - 1) * p.stride;
  return last >= 0 && last < parent->size;
}

/* The caller's rank in the part; -1: it is no member. */
static int rank_in(const struct shmemi_team *parent, struct part p) {
  int at = parent->me - p.start;
  if (p.stride == 0 || p.size == 1) return at == 0 ? 0 : -1;
  if (at % p.stride != 0) return -1;
  int rank = at / p.stride;
  return rank >= 0 && rank < p.size ? rank : -1;
}

/* Records a part that the caller is in. */
static shmem_team_t record(const struct shmemi_team *parent, struct part p, eyot_team_t team) {
  struct shmemi_team *t = destroyed != NULL ? destroyed : malloc(sizeof *t);
  if (t == NULL) osh_fail(EYOT_ENOMEM, "no memory for a team");
  if (t == destroyed) destroyed = t->next;
  int stride = p.stride == 0 ? 1 : p.stride;
  *t = (struct shmemi_team){.team = team,
                            .first = parent->first + p.start * parent->stride,
                            .stride = parent->stride * stride,
                            .size = p.size,
                            .me = rank_in(parent, p),
                            .config_mask = p.mask};
  if (p.config != NULL && (p.mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) t->config = *p.config;
  append(&made, t);
  return t;
}

static int split_strided(shmem_team_t parent, struct part p, shmem_team_t *out) {
  if (out == NULL) osh_fail(EYOT_EINVAL, "new_team is NULL");
  check_config(p.config, p.mask);
  *out = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID || !is_valid(parent, p)) return 1;
  eyot_team_t of_parent = osh_team(parent), team;
  eyot_group_t *group;
  osh_must(group_of(parent->first + p.start * parent->stride, p.stride * parent->stride, p.size,
                    &group));
  int rc = eyot_team_create(of_parent, group, &team);
  eyot_group_free(group);
  if (rc != EYOT_OK) return 1;
  if (rank_in(parent, p) >= 0) *out = record(parent, p, team);
  return 0;
}

OSH_DEFINE(int, team_split_strided,
           (shmem_team_t parent_team, int start, int stride, int size,
            const shmem_team_config_t *config, long config_mask, shmem_team_t *new_team)) {
  OSH_ENTER("shmem_team_split_strided");
  return split_strided(parent_team, (struct part){start, stride, size, config, config_mask},
                       new_team);
}

/* All rows, or all columns: each member is in one, which `color` numbers. */
static int split_axis(shmem_team_t parent, int color, struct part p, shmem_team_t *out) {
  eyot_team_t team;
  if (eyot_team_split(osh_team(parent), (uint32_t)color, &team) != EYOT_OK) return 1;
  *out = record(parent, p, team);
  return 0;
}

OSH_DEFINE(int, team_split_2d,
           (shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config,
            long xaxis_mask, shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config,
            long yaxis_mask, shmem_team_t *yaxis_team)) {
  OSH_ENTER("shmem_team_split_2d");
  if (xaxis_team == NULL || yaxis_team == NULL)
    osh_fail(EYOT_EINVAL, "%s is NULL", xaxis_team == NULL ? "xaxis_team" : "yaxis_team");
  check_config(xaxis_config, xaxis_mask);
  check_config(yaxis_config, yaxis_mask);
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  if (parent_team == SHMEM_TEAM_INVALID || xrange < 1) return 1;
  int n = parent_team->size, width = xrange < n ? xrange : n;
  int x = parent_team->me % width, y = parent_team->me / width;
  int in_row = n - y * width < width ? n - y * width : width;
  struct part row = {y * width, 1, in_row, xaxis_config, xaxis_mask};
  struct part column = {x, width, (n - x + width - 1) / width, yaxis_config, yaxis_mask};
  if (split_axis(parent_team, y, row, xaxis_team) != 0) return 1;
  return split_axis(parent_team, x, column, yaxis_team);
}

OSH_DEFINE(void, team_destroy, (shmem_team_t team)) {
  OSH_ENTER("shmem_team_destroy");
  if (team == SHMEM_TEAM_INVALID) return;
  struct shmemi_team **at = &made;
  while (*at != NULL && *at != team) at = &(*at)->next;
  if (*at == NULL)
    osh_fail(EYOT_ETEAM, "team is a predefined team, is not a team, or was destroyed");
  *at = team->next;
  osh_contexts_end(team);
  osh_must(eyot_team_destroy(&team->team));
  *team = (struct shmemi_team){.size = -1, .me = -1, .stride = 1, .next = destroyed};
  destroyed = team;
}
