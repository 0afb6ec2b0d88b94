/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.c - unit 1 follows a pointer into the shared heap of unit 0: well on one node, a mistake
 * on two, which an instrumented program shows. */
#include "programs/api_check.h"

int main(int argc, char **argv) {
  uint64_t *p = NULL;
  OK(eyot_init(&argc, &argv));
  if (eyot_me().id == 0) {
    OK(eyot_sheap_alloc(8, (void **)&p));
    *p = 7;
    OK(eyot_sync());
  }
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &p, sizeof p));
  if (eyot_me().id == 1 && *p != 7) return 1;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) OK(eyot_sheap_free(p));
  return finish();
}
