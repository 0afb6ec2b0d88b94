/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_wide.c - two members of which one has so many edges to it that its slots are short,
 * while those of the other are long (src/coll/neighbor.h): each sends by the other's.
 *
 * neighbor_wide */
#include <eyot/neighbor.h>

#include "programs/api_check.h"

enum { MANY = 20, FEW = 2, LENGTHS = 6 };

static unsigned char byte_of(uint32_t from, uint32_t block, uint64_t i, uint32_t time) {
  return (unsigned char)(from * 101 + block * 37 + i * 7 + i / 8191 + time * 11);
}

/* Members 0 and 1; 0 has MANY edges to it. */
static void exchange(eyot_graph_t g, uint32_t me, uint64_t bytes, uint32_t time) {
  uint32_t sends = me == 0 ? FEW : MANY, receives = me == 0 ? MANY : FEW;
  unsigned char *out = malloc(sends * bytes), *in = calloc(receives, bytes);
  CHECK(out != NULL && in != NULL);
  for (uint32_t b = 0; b < sends; b++)
    for (uint64_t i = 0; i < bytes; i++) out[b * bytes + i] = byte_of(me, b, i, time);
  OK(eyot_neighbor_alltoall(g, out, in, bytes));
  for (uint32_t b = 0; b < receives; b++)
    for (uint64_t i = 0; i < bytes; i++) CHECK(in[b * bytes + i] == byte_of(1 - me, b, i, time));
  free(out);
  free(in);
}

int main(int argc, char **argv) {
  static const uint64_t BYTES[LENGTHS] = {1, 8192, 8193, 32768, 32769, 200001};
  eyot_tunit_t other[MANY];
  eyot_graph_t g;
  OK(eyot_init(&argc, &argv));
  CHECK(eyot_size() == 2);
  uint32_t me = eyot_me().id;
  for (uint32_t i = 0; i < MANY; i++) other[i] = (eyot_tunit_t){1 - me};
  OK(eyot_graph_create(EYOT_TEAM_ALL, other, me == 0 ? MANY : FEW, other, me == 0 ? FEW : MANY,
                       &g));
  for (uint32_t time = 0; time < 3; time++)
    for (uint32_t k = 0; k < LENGTHS; k++) exchange(g, me, BYTES[k], time);
  OK(eyot_graph_destroy(&g));
  return finish();
}
