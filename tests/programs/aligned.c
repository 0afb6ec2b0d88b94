/* SPDX-License-Identifier: BSD-3-Clause */
/* aligned.c - allocations whose parts are aligned to more than a page at each unit: puts, gets and
 * atomics of all units on them, and memory of a team. */
#include <string.h>

#include "programs/api_check.h"

#define WORDS 512u

static uint64_t *own_part(eyot_gptr_t g) {
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  return p;
}

/* Each unit puts its words to the next one and adds to all units' first words. */
static void use(eyot_gptr_t g, uint64_t *words) {
  uint32_t n = eyot_size(), me = eyot_me().id;
  uint64_t got[2], add = 1, old;
  eyot_gptr_t next = eyot_gptr_at(g, (eyot_unit_t){(me + 1) % n});
  for (uint32_t i = 0; i < WORDS; i++) words[i] = me + i;
  OK(eyot_put(eyot_gptr_add(next, 64), words, (WORDS - 8) * sizeof *words));
  for (uint32_t u = 0; u < n; u++)
    OK(eyot_fetch_add_u64(eyot_gptr_at(g, (eyot_unit_t){u}), add, &old));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  const uint64_t *part = own_part(g), from = (me + n - 1) % n;
  CHECK(part[0] == n && part[8] == from && part[WORDS - 1] == from + WORDS - 9);
  OK(eyot_get(got, eyot_gptr_add(next, 64), sizeof got));
  CHECK(got[0] == me && got[1] == me + 1);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

int main(int argc, char **argv) {
  static uint64_t words[WORDS];
  static const uint64_t ALIGNS[] = {8192, 65536, 1u << 21, 1u << 23};
  OK(eyot_init(&argc, &argv));
  for (size_t i = 0; i < sizeof ALIGNS / sizeof ALIGNS[0]; i++) {
    eyot_gptr_t g, other;
    OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, sizeof words, ALIGNS[i], &g));
    OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &other)); /* still at a common offset */
    CHECK((uintptr_t)own_part(g) % ALIGNS[i] == 0);
    use(g, words);
    OK(eyot_team_free(other));
    OK(eyot_team_free(g));
  }
  return finish();
}
