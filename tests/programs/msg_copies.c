/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_copies.c - copies that a message makes take virtual time. Two units of one node, argument:
 * the machine's bw_copy in GB/s. A long message between private buffers is copied by its sender and
 * by its receiver; one of 4 KiB in an area by its receiver, beside the put of its sender; what was
 * given and is received is copied once. */
#include <stdlib.h>
#include <string.h>

#include "programs/api_check.h"

enum { MIB = 1 << 20, SHORT = 4096, TIMES = 4, TAG = 3 };

static char *out, *in;

/* ns of unit 0 for one message to unit 1 and an empty one back; `give`: of a buffer. */
static uint64_t round_ns(uint64_t bytes, bool give) {
  const uint32_t me = eyot_me().id;
  const eyot_tunit_t other = {1 - me};
  uint64_t ns = 0;
  for (int i = 0; i < TIMES; i++) { /* the first ones make links between the units */
    void *owned = NULL;
    if (give && me == 0) CHECK(eyot_own_alloc(bytes, &owned) == EYOT_OK);
    CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
    uint64_t begin = eyot_now_ns();
    if (me == 0 && give)
      CHECK(eyot_own_give(EYOT_TEAM_ALL, other, TAG, &owned, bytes) == EYOT_OK);
    else if (me == 0)
      CHECK(eyot_send(EYOT_TEAM_ALL, other, TAG, out, bytes) == EYOT_OK);
    if (me == 0)
      CHECK(eyot_recv(EYOT_TEAM_ALL, other, TAG, NULL, 0, NULL) == EYOT_OK);
    else
      CHECK(eyot_recv(EYOT_TEAM_ALL, other, TAG, in, bytes, NULL) == EYOT_OK &&
            eyot_send(EYOT_TEAM_ALL, other, TAG, NULL, 0) == EYOT_OK);
    ns = eyot_now_ns() - begin;
  }
  return ns;
}

int main(int argc, char **argv) {
  CHECK(eyot_init(&argc, &argv) == EYOT_OK && argc == 2 && eyot_size() == 2);
  double copy_ns = 1 / strtod(argv[1], NULL); /* of a byte */
  out = calloc(1, MIB);
  in = calloc(1, MIB);
  CHECK(out != NULL && in != NULL);
  double empty = (double)round_ns(8, false), mib = (double)round_ns(MIB, false) - empty,
         area = (double)round_ns(SHORT, false) - empty, given = (double)round_ns(MIB, true) - empty;
  if (eyot_me().id == 0) {
    CHECK(mib > 1.95 * MIB * copy_ns && mib < 2.2 * MIB * copy_ns);
    CHECK(area > 1.95 * SHORT * copy_ns);
    CHECK(given > 0.95 * MIB * copy_ns && given < 1.2 * MIB * copy_ns);
  }
  free(in);
  free(out);
  CHECK(eyot_finalize() == EYOT_OK);
  return 0;
}
