/* SPDX-License-Identifier: BSD-3-Clause */
/* many_sets.c - many operation sets of one unit at once: many_sets [count [posts]], many_sets left,
 * many_sets bad.
 *
 *   count   sets, EYOT_SET_MAX by default; each posts `posts` puts, 1 by default, one after the
 *           other to a word of another unit; all are in flight together, and each is flushed alone,
 *           in another order
 *   left    three sets are not destroyed: eyot_finalize names the places
 *   bad     one set too many, use after destroy, a handle of another unit: the messages */
#include <string.h>

#include "programs/api_check.h"

static eyot_gptr_t word(eyot_gptr_t base, uint32_t unit, uint32_t i) {
  return eyot_gptr_at(eyot_gptr_add(base, (int64_t)i * 8), (eyot_unit_t){unit});
}

static void together(uint32_t count, uint32_t posts) {
  uint32_t me = eyot_me().id, n = eyot_size();
  eyot_gptr_t base;
  eyot_set_t *set = calloc(count, sizeof *set);
  uint64_t *value = calloc(count, sizeof *value), got;
  CHECK(set != NULL && value != NULL);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, count * 8ull * n, &base));
  for (uint32_t i = 0; i < count; i++) OK(eyot_set_create(&set[i]));
  for (uint32_t i = 0; i < count; i++) value[i] = me * 100000ull + i + 1;
  for (uint32_t p = 0; p < posts; p++)
    for (uint32_t i = 0; i < count; i++) {
      uint32_t to = (me + 1 + i % (n - 1)) % n;
      if (p > 0) OK(eyot_set_order(set[i], (eyot_unit_t){to}));
      OK(eyot_set_put(set[i], word(base, to, me * count + i), &value[i], 8));
    }
  for (uint32_t k = 0; k < count; k++) {
    uint32_t i = (uint32_t)(k * 7919ull % count), to = (me + 1 + i % (n - 1)) % n;
    OK(k % 2 == 0 ? eyot_set_flush(set[i], (eyot_unit_t){to}, EYOT_REMOTE)
                  : eyot_set_flush_all(set[i], EYOT_REMOTE));
    if (k % 16 != 0) continue;
    OK(eyot_get(&got, word(base, to, me * count + i), 8));
    CHECK(got == value[i]);
  }
  for (uint32_t i = 0; i < count; i++) OK(eyot_set_destroy(&set[i]));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(base));
  free(set);
  free(value);
}

static void left(void) {
  eyot_set_t set[4];
  for (uint32_t i = 0; i < 4; i++) OK(eyot_set_create(&set[i]));
  OK(eyot_set_destroy(&set[2]));
}

static void bad(void) {
  static eyot_set_t set[EYOT_SET_MAX];
  eyot_set_t one, gone, theirs;
  eyot_gptr_t base;
  uint32_t me = eyot_me().id;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &base));
  for (uint32_t i = 0; i < EYOT_SET_MAX; i++) OK(eyot_set_create(&set[i]));
  CHECK(eyot_set_create(&one) == EYOT_EBUSY);
  gone = set[7];
  OK(eyot_set_destroy(&set[7]));
  CHECK(eyot_set_flush_all(gone, EYOT_REMOTE) == EYOT_EINVAL);
  OK(eyot_put(word(base, (me + 1) % eyot_size(), 0), &set[0].id, 8));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_get(&theirs.id, word(base, me, 0), 8));
  CHECK(eyot_set_order_all(theirs) == EYOT_EINVAL);
  for (uint32_t i = 0; i < EYOT_SET_MAX; i++)
    if (i != 7) OK(eyot_set_destroy(&set[i]));
  (void)eyot_errors_clear();
  OK(eyot_team_free(base));
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const char *way = argc > 1 ? argv[1] : "4096";
  if (strcmp(way, "left") == 0)
    left();
  else if (strcmp(way, "bad") == 0)
    bad();
  else
    together((uint32_t)strtoul(way, NULL, 0), argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1);
  return finish();
}
