/* SPDX-License-Identifier: BSD-3-Clause */
/* check_lands.c - a unit looks at the result of a get, in a later step, without knowing that the
 * get is complete. An exhaustive search must come to both outcomes, although nothing but the get
 * connects the two steps. */
#include <eyot/check.h>
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                               \
  do {                                                           \
    if ((call) != EYOT_OK) {                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call); \
      exit(1);                                                   \
    }                                                            \
  } while (0)

int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  eyot_gptr_t words;
  MUST(eyot_team_alloc(EYOT_TEAM_ALL, 2 * sizeof(uint64_t), &words));
  uint64_t me = eyot_me().id;
  static uint64_t result = 1;
  MUST(eyot_barrier(EYOT_TEAM_ALL));
  MUST(eyot_check_begin());
  if (me == 0) {
    words.unit = 1;
    MUST(eyot_get_nbi(&result, words, sizeof result));
    words.unit = 0;
    MUST(eyot_wait_until(eyot_gptr_add(words, 8), EYOT_CMP_EQ, 1, NULL));
    eyot_check_outcome(*(volatile uint64_t *)&result == 0 ? "landed" : "not yet");
  } else {
    words.unit = 0;
    MUST(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(words, 8), EYOT_SIGNAL_SET, 1));
  }
  MUST(eyot_check_end());
  MUST(eyot_flush_all(EYOT_REMOTE));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
