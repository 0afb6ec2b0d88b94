/* SPDX-License-Identifier: BSD-3-Clause */
/* other_root.c gather|reduce|gather_nb|reduce_nb|reduce_plan - the last unit names another root
 * than the others, so that a root waits for a message that has gone elsewhere, and whose sender has
 * gone on: no member may wait forever. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int call(const char *name, eyot_tunit_t root, eyot_coll_t *handle) {
  static int64_t in[3], out[9];
  if (strcmp(name, "gather") == 0) return eyot_gather(EYOT_TEAM_ALL, root, in, out, 3);
  if (strcmp(name, "gather_nb") == 0)
    return eyot_gather_nb(EYOT_TEAM_ALL, root, in, out, 3, handle);
  if (strcmp(name, "reduce") == 0)
    return eyot_reduce(EYOT_TEAM_ALL, root, EYOT_INT64, EYOT_SUM, in, out, 3);
  if (strcmp(name, "reduce_nb") == 0)
    return eyot_reduce_nb(EYOT_TEAM_ALL, root, EYOT_INT64, EYOT_SUM, in, out, 3, handle);
  if (strcmp(name, "reduce_plan") == 0)
    return eyot_reduce_plan(EYOT_TEAM_ALL, root, EYOT_INT64, EYOT_SUM, in, out, 3, handle);
  exit(9);
}

int main(int argc, char **argv) {
  if (argc != 2 || eyot_init(&argc, &argv) != EYOT_OK) return 9;
  bool reduces = strncmp(argv[1], "reduce", 6) == 0, last = eyot_me().id == eyot_size() - 1;
  eyot_coll_t handle = EYOT_COLL_DONE;
  int rc = call(argv[1], (eyot_tunit_t){last != reduces}, &handle);
  bool plan = strstr(argv[1], "_plan") != NULL;
  if (rc == EYOT_OK && plan) rc = eyot_coll_start(handle);
  if (rc == EYOT_OK && (plan || strstr(argv[1], "_nb") != NULL)) rc = eyot_coll_wait(&handle);
  int met = eyot_barrier(EYOT_TEAM_ALL);
  printf("call %d, barrier %d\n", rc, met);
  return eyot_finalize() != EYOT_OK;
}
