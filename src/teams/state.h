/* SPDX-License-Identifier: BSD-3-Clause */
/* state.h - the state of the teams layer on one unit, and the function that its files share. For
 * teams and gmem. */
#ifndef EYOT_TEAMS_STATE_H
#define EYOT_TEAMS_STATE_H

#include "base/extents.h"
#include "base/idtab.h"
#include "teams/ranges.h"
#include "teams/teams.h"

/* Size of the control memory of all teams but TEAM_ALL on one unit: enough for 16,000 pairs, or
 * 1,600 teams of 65,536 units; and where such teams may have words of the exchange by nodes. Only
 * used pages take memory. */
#define EYOTI_TEAMS_CTL_BYTES ((uint64_t)8 << 20)
#define EYOTI_TEAMS_CTL_NODES_BYTES ((uint64_t)32 << 20)
/* control memory takes at most one part in so many of a fabric's memory for segments */
#define EYOTI_TEAMS_CTL_PART 4u
#define EYOTI_TEAMS_DROPS_MAX 4u
/* Above so many units of one process TEAM_ALL's block is in the heap, and those of its parts that
 * only some programs use are in the control memory of the other teams (docs/adr/0062, 0069). */
#define EYOTI_TEAMS_APART_UNITS 4096u

struct eyoti_teams {
  struct eyoti_team all;
  struct eyoti_idtab ids;         /* ids of the other teams: struct eyoti_team */
  struct eyoti_extents ctl_space; /* free ranges of ctl_seg */
  struct eyoti_agree *under_way;  /* of other threads (agree.h) */
  fab_seg_t ctl_seg;
  char *ctl_base; /* the caller's part of it */
  /* the caller's place for members.c */
  fab_seg_t meeting_seg;
  uint64_t meeting_off;
  uint64_t order_off, others_off; /* in the same segment: for order.c and others.c */
  struct eyoti_call_order *order; /* order.c; NULL where time is virtual */
  char *meeting_base;             /* of that segment */
  /* in ctl_seg, of TEAM_ALL: the words of the way that its exchanges do not take */
  uint64_t apart_off;
  eyoti_team_drop_fn drop[EYOTI_TEAMS_DROPS_MAX];
  uint32_t drops;
};

/* For struct eyoti_agree. */
static inline struct eyoti_agree **eyoti_teams_under_way(struct eyot_rt *rt) {
  return __builtin_expect(rt->threads != NULL, 0) ? &rt->teams->under_way : NULL;
}

/* words.c: makes both segments, TEAM_ALL's block in the first, and the list of its exchange by
 * nodes. After an error the caller frees ts->all.ctl.nodes. */
int eyoti_teams_make_words(struct eyot_rt *rt, struct eyoti_teams *ts);
/* The words of a team's exchange by nodes, the same on all members. */
struct eyoti_nodes_part {
  uint64_t all, first; /* bytes of the parts (ctl_nodes.h), rounded; 0: there is none */
  bool quicker;
  bool is_first; /* the caller uses the second part */
};
/* Makes the list of the exchange by nodes of another team, if its members are on several nodes; the
 * words lie after its block. Local. After an error t->ctl.nodes is NULL. Errors: the fabric's,
 * ENOMEM. */
int eyoti_team_make_nodes(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_nodes_part *part);
/* Lets messages know whose the words of the segments are. */
void eyoti_teams_made_words(struct eyot_rt *rt, const struct eyoti_teams *ts);

/* Makes a team from a set that each of its members has passed; this call frees or keeps `set`.
 * Collective over the parent. `set` is NULL for units that get no team. Errors: those of
 * eyoti_agree, or `error`. */
int eyoti_team_make(struct eyot_rt *rt, struct eyoti_team *parent, struct eyoti_ranges *set,
                    uint64_t arguments, int error, eyot_team_t *out);
/* Checks the arguments of a function that makes a team of a group; *team is not read. */
int eyoti_team_check_group(const struct eyoti_team *parent, const eyot_group_t *group,
                           const eyot_team_t *team);
/* members.c: the bytes of a unit's place for a team that is made by its members alone. */
uint64_t eyoti_teams_meeting_bytes(uint32_t units);
/* Logs and returns ENOMEM: some member's control memory has no room for a team. */
int eyoti_teams_full(const struct eyoti_teams *ts);
#endif
