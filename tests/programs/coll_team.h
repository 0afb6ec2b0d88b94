/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_team.h - teams and guarded buffers of the programs that compare collectives with a model. */
#ifndef COLL_TEAM_H
#define COLL_TEAM_H

#include <string.h>

#include "programs/api_check.h"

#define GUARD 32u /* bytes after each buffer that must stay as they were */
#define FILL 0x5a

struct team {
  eyot_team_t id;
  uint32_t me, n;
  uint32_t *global; /* the model numbers inputs by global units */
};

static inline struct team describe(eyot_team_t id) {
  struct team t = {.id = id};
  eyot_tunit_t me;
  OK(eyot_team_me(id, &me));
  OK(eyot_team_size(id, &t.n));
  t.me = me.id;
  t.global = malloc(t.n * sizeof *t.global);
  CHECK(t.global != NULL);
  for (uint32_t i = 0; i < t.n; i++) {
    eyot_unit_t u;
    OK(eyot_team_l2g(id, (eyot_tunit_t){i}, &u));
    t.global[i] = u.id;
  }
  return t;
}

/* -- buffers ----------------------------------------------------------------------------------- */

static inline char *buffer(uint64_t bytes) {
  char *p = malloc(bytes + GUARD);
  CHECK(p != NULL);
  memset(p, FILL, bytes + GUARD);
  return p;
}
static inline void release(char *p, uint64_t bytes) {
  for (uint64_t i = 0; i < GUARD; i++) CHECK(p[bytes + i] == FILL);
  free(p);
}
static inline bool untouched(const char *p, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    if (p[i] != FILL) return false;
  return true;
}
#endif
