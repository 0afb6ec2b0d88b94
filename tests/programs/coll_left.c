/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_left.c - members of a team make one-way calls that differ, of which no member receives
 * anything: eyot_finalize, or eyot_team_destroy, returns EYOT_EMISMATCH on all its members, and on
 * no other unit. Many teams whose calls agree are left beside it. With EYOT_ERRORS=return.
 * coll_left HOW all|split|group|destroy [once]     in EYOT_TEAM_ALL; in a team of a half of the
 * units, or one that its members make alone; in one that is destroyed. Calls are repeated before,
 * so that those that differ are quick ones; once: they are the first ones. HOW:
 *   function: the member after the root, a leaf of its tree, reduces instead of a broadcast;
 *   root: of two members, both are roots;  nothing: it makes none;  more: it alone makes one;
 *   refused: its root does not exist;  early: as function, after 5 calls that agree;
 *   long: as function, and 10 calls that agree follow;  equal: no difference */
#include <string.h>

#include "programs/api_check.h"

#define KEPT 40 /* teams */

static uint64_t in[8], out[8];
static eyot_team_t left[KEPT];

static int broadcast(eyot_team_t team, uint32_t root) {
  return eyot_broadcast(team, (eyot_tunit_t){root}, in, sizeof in[0]);
}
static int reduce(eyot_team_t team, uint32_t root) {
  return eyot_reduce(team, (eyot_tunit_t){root}, EYOT_UINT64, EYOT_SUM, in, out, 1);
}
static int all(eyot_team_t team) {
  return eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, in, out, 1);
}

/* Each team has calls, of which the last ones are one-way, so that their members leave at
 * different times: rows, columns, pairs, each unit alone, and all of them again. */
static void use(eyot_team_t team) {
  uint32_t size;
  OK(eyot_team_size(team, &size));
  for (uint32_t i = 0; i < 3; i++) OK(broadcast(team, i % size));
  OK(all(team));
  for (uint32_t i = 0; i < 3; i++) OK(reduce(team, i % size));
}
static void leave_teams(void) {
  uint32_t me = eyot_me().id, n = eyot_size(), made = 0;
  for (uint32_t width = 1; width <= n; width++) {
    for (uint32_t by = 0; by < 2; by++) {
      OK(eyot_team_split(EYOT_TEAM_ALL, by == 0 ? me / width : me % width, &left[made]));
      use(left[made++]);
    }
  }
  for (uint32_t i = 0; i < made; i += 3) OK(eyot_team_destroy(&left[i]));
}

/* The units of the team that differs; of a group, all but unit 1. */
static bool is_member(const char *which, uint32_t unit) {
  if (strcmp(which, "all") == 0) return true;
  return strcmp(which, "group") == 0 ? unit != 1 : unit >= eyot_size() / 2;
}

static eyot_team_t make(const char *which) {
  eyot_team_t team = EYOT_TEAM_NULL;
  bool member = is_member(which, eyot_me().id);
  if (strcmp(which, "all") == 0) return EYOT_TEAM_ALL;
  if (strcmp(which, "group") != 0) {
    OK(eyot_team_split(EYOT_TEAM_ALL, member ? 7 : EYOT_COLOR_NONE, &team));
    return team;
  }
  if (!member) return team;
  eyot_group_t *g;
  OK(eyot_group_new(&g));
  for (uint32_t i = 0; i < eyot_size(); i++)
    if (is_member(which, i)) OK(eyot_group_add(g, (eyot_unit_t){i}));
  OK(eyot_team_create_group(EYOT_TEAM_ALL, g, 5, &team));
  eyot_group_free(g);
  return team;
}

static void differ(const char *how, eyot_team_t team, bool odd, uint32_t root) {
  bool later = strcmp(how, "long") == 0;
  for (int i = 0; i < 5 && strcmp(how, "early") == 0; i++) OK(broadcast(team, root));
  if (strcmp(how, "refused") == 0) {
    int rc = broadcast(team, odd ? 99 : root);
    CHECK(odd ? rc == EYOT_EUNIT : rc == EYOT_OK || rc == EYOT_EMISMATCH); /* as they are told */
  } else if (strcmp(how, "root") == 0) {
    OK(broadcast(team, odd ? root + 1 : root));
  } else if (odd && strcmp(how, "more") == 0) {
    OK(broadcast(team, root + 1));
  } else if (odd && (later || strcmp(how, "function") == 0 || strcmp(how, "early") == 0)) {
    OK(reduce(team, root));
  } else if (!(odd && strcmp(how, "nothing") == 0) && strcmp(how, "more") != 0) {
    OK(broadcast(team, root));
  }
  for (int i = 0; i < 10 && later; i++) OK(broadcast(team, root));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc >= 3);
  const char *how = argv[1], *which = argv[2];
  bool member = is_member(which, eyot_me().id), wrong = member && strcmp(how, "equal") != 0;
  int rc = EYOT_OK;
  leave_teams();
  eyot_team_t team = make(which);
  if (member) {
    uint32_t size, root = 0;
    eyot_tunit_t me;
    OK(eyot_team_size(team, &size));
    OK(eyot_team_me(team, &me));
    for (int i = 0; i < 8 && argc == 3; i++) {
      OK(broadcast(team, root));
      OK(reduce(team, root));
    }
    OK(all(team));
    differ(how, team, me.id == (root + 1) % size, root);
    if (strcmp(which, "destroy") == 0) {
      rc = eyot_team_destroy(&team);
      CHECK(rc == (wrong ? EYOT_EMISMATCH : EYOT_OK));
      wrong = false;
    }
  }
  rc = eyot_finalize();
  if (rc != (wrong ? EYOT_EMISMATCH : EYOT_OK)) {
    fprintf(stderr, "coll_left: eyot_finalize returned %s\n", eyot_strerror(rc));
    return 1;
  }
  (void)eyot_errors_clear();
  puts("ok");
  return 0;
}
