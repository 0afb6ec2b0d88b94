/* SPDX-License-Identifier: BSD-3-Clause */
/* end_apart.c - a unit calls a collective function while the others are in eyot_finalize: all of
 * them, and that unit when it ends too, get EYOT_EMISMATCH, and the run ends.
 *
 * Why it exists: the last exchanges of eyot_finalize are those of a barrier, so a barrier that one
 * unit calls too often met them, and the run never ended.
 *
 * end_apart ODD CALL [BEFORE]     unit ODD makes CALL (broadcast: as the root, which does not
 *                                 notice); BEFORE: all make an allreduce first */
#include <string.h>

#include "programs/api_check.h"

static int call(const char *name) {
  uint64_t in = 1, out = 0;
  eyot_gptr_t memory;
  eyot_team_t half;
  eyot_coll_t op;
  int rc;
  if (strcmp(name, "barrier") == 0) return eyot_barrier(EYOT_TEAM_ALL);
  if (strcmp(name, "tree") == 0) return eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE);
  if (strcmp(name, "alloc") == 0) return eyot_team_alloc(EYOT_TEAM_ALL, 64, &memory);
  if (strcmp(name, "split") == 0) return eyot_team_split(EYOT_TEAM_ALL, 0, &half);
  if (strcmp(name, "broadcast") == 0)
    return eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){eyot_me().id}, &in, 8);
  if (strcmp(name, "allreduce") == 0)
    return eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &in, &out, 1);
  CHECK(strcmp(name, "allreduce_nb") == 0);
  rc = eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &in, &out, 1, &op);
  return rc == EYOT_OK ? eyot_coll_wait(&op) : rc;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(argc > 2);
  uint64_t in = 1, out = 0;
  const uint32_t me = eyot_me().id;
  if (argc > 3) OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &in, &out, 1));
  if (me == strtoul(argv[1], NULL, 10)) {
    int rc = call(argv[2]);
    CHECK(rc == (strcmp(argv[2], "broadcast") == 0 && argc > 3 ? EYOT_OK : EYOT_EMISMATCH));
    (void)eyot_errors_clear();
  }
  int rc = eyot_finalize();
  if (rc == EYOT_EMISMATCH) printf("unit %u: told\n", me);
  return 0;
}
