/* SPDX-License-Identifier: BSD-3-Clause */
/* placed.c - the placement of a team's members (teams.h), which belongs to its set of units. */
#include <stdlib.h>

#include "base/placement.h"
#include "rt/proc.h"
#include "teams/teams.h"

static int locate_all(struct eyot_rt *rt, const struct eyoti_team *t, uint32_t *node) {
  for (uint32_t i = 0; i < t->size; i++) {
    eyot_place_t place;
    EYOTI_TRY(rt->fab->ops->locate(rt->fab, eyoti_team_unit(t, i), &place));
    node[i] = place.id[EYOT_DOMAIN_NODE];
  }
  return EYOT_OK;
}

static int no_memory(const struct eyoti_team *t) {
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the nodes of the %u members of %s", t->size,
                    EYOTI_TEAM_WORDS(t));
}

int eyoti_team_placement(struct eyot_rt *rt, const struct eyoti_team *t,
                         const struct eyoti_placement **out) {
  *out = eyoti_proc_derived(t->units);
  if (*out != NULL) return EYOT_OK;
  uint32_t *node = malloc((size_t)t->size * sizeof *node);
  if (node == NULL) return no_memory(t);
  int rc = locate_all(rt, t, node);
  struct eyoti_placement *made = rc == EYOT_OK ? eyoti_placement_make(node, t->size) : NULL;
  free(node);
  if (rc != EYOT_OK) return rc;
  if (made == NULL) return no_memory(t);
  eyoti_proc_derive(t->units, made);
  *out = made;
  return EYOT_OK;
}
