/* SPDX-License-Identifier: BSD-3-Clause */
/* check_sent_late.c - a put comes to the word that an allreduce of its owner sends, with nothing
 * that orders them: in some interleaving the sum has it, and in another one not. For a search
 * without the detection of races: it must know that collectives read the program's buffers. */
#include "programs/api_check.h"

int main(int argc, char **argv) {
  eyot_gptr_t word;
  void *own;
  uint64_t sum = 0;
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof sum, &word));
  OK(eyot_gptr_addr(eyot_gptr_at(word, eyot_me()), &own));
  *(uint64_t *)own = 0;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  static const uint64_t one = 1;
  if (eyot_me().id == 1) OK(eyot_put_nbi(eyot_gptr_at(word, (eyot_unit_t){0}), &one, sizeof one));
  OK(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, own, &sum, 1));
  EXPECT(sum == (argc > 1 ? 1 : 0));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(word));
  return finish();
}
