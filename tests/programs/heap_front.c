/* SPDX-License-Identifier: BSD-3-Clause */
/* heap_front.c - heaps of many simulated units, of which the first 256 KiB lie side by side and the
 * other bytes apart (docs/adr/0137): allocations of both kinds, and such as fill the first.
 *
 *   eyotrun --fabric sim -n UNITS heap_front WHERE
 *     apart    small allocations of two units are 256 KiB apart, large ones more
 *     whole    both are equally far apart: the size was set, or the units are few */
#include <string.h>

#include "programs/api_check.h"

enum { KIB = 1024, FRONT = 256 * KIB, BLOCK = 16 * KIB, BLOCKS = 24 };

static char *own(eyot_gptr_t g) {
  void *p;
  OK(eyot_gptr_addr(eyot_gptr_at(g, eyot_me()), &p));
  return p;
}

static uint32_t next_unit(void) {
  return (eyot_me().id + 1) % eyot_size();
}

/* The next unit learns where the caller's part is, and compares it with its own. */
static int64_t distance(eyot_gptr_t g) {
  const uint64_t mine = (uint64_t)(uintptr_t)own(g);
  uint64_t before;
  OK(eyot_put(eyot_gptr_at(g, (eyot_unit_t){next_unit()}), &mine, sizeof mine));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  memcpy(&before, own(g), sizeof before);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  memset(own(g), 0, sizeof before);
  return (int64_t)(mine - before);
}

static char letter(uint32_t unit, uint32_t block) {
  return (char)(1 + (unit * 31 + block) % 100);
}

/* All bytes of a block are what the unit before has put there. */
static void check_letters(eyot_gptr_t g, uint64_t bytes, uint32_t block) {
  const char *p = own(g), c = letter((eyot_me().id + eyot_size() - 1) % eyot_size(), block);
  for (uint64_t i = 0; i < bytes; i++) CHECK(p[i] == c);
}

static void check_zero(eyot_gptr_t g, uint64_t bytes) {
  const char *p = own(g);
  for (uint64_t i = 0; i < bytes; i++) CHECK(p[i] == 0);
}

static void put_letters(eyot_gptr_t g, uint64_t bytes, uint32_t block) {
  static _Thread_local char buffer[BLOCK + 1];
  for (uint64_t at = 0; at < bytes; at += sizeof buffer) {
    uint64_t len = bytes - at < sizeof buffer ? bytes - at : sizeof buffer;
    memset(buffer, letter(eyot_me().id, block), len);
    OK(eyot_put(eyot_gptr_add(eyot_gptr_at(g, (eyot_unit_t){next_unit()}), (int64_t)at), buffer,
                len));
  }
}

static void alloc_one(uint64_t bytes, uint32_t block, eyot_gptr_t *g) {
  OK(eyot_team_alloc(EYOT_TEAM_ALL, bytes, g));
  check_zero(*g, bytes);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  put_letters(*g, bytes, block);
}

/* More than the front holds, with holes that are used again. */
static void fill(void) {
  eyot_gptr_t g[BLOCKS];
  for (uint32_t i = 0; i < BLOCKS; i++) alloc_one(BLOCK, i, &g[i]);
  for (uint32_t i = 0; i < BLOCKS; i += 2) OK(eyot_team_free(g[i]));
  for (uint32_t i = 0; i < BLOCKS; i += 2) alloc_one(BLOCK - 8 * i, 50 + i, &g[i]);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < BLOCKS; i++)
    check_letters(g[i], i % 2 == 0 ? BLOCK - 8 * i : BLOCK, i % 2 == 0 ? 50 + i : i);
  for (uint32_t i = 0; i < BLOCKS; i++) OK(eyot_team_free(g[i]));
}

/* Memory of one unit, from the top; objects whose addresses are passed within a node. */
static void others_memory(void) {
  eyot_gptr_t mine, theirs, box, object_at;
  void *object, *from;
  char last;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 2 * sizeof mine, &box));
  OK(eyot_alloc(BLOCK, &mine));
  OK(eyot_sheap_alloc(100, &object));
  memset(object, letter(eyot_me().id, 7), 100);
  eyot_gptr_t at = eyot_gptr_at(box, (eyot_unit_t){eyot_me().id ^ 1});
  OK(eyot_put(at, &mine, sizeof mine));
  OK(eyot_put(eyot_gptr_add(at, sizeof mine), &object, sizeof object));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  memcpy(&theirs, own(box), sizeof theirs);
  memcpy(&from, own(box) + sizeof theirs, sizeof from);
  const uint64_t word = 77 + eyot_me().id;
  OK(eyot_put(eyot_gptr_add(theirs, BLOCK - 8), &word, sizeof word));
  CHECK(((const char *)from)[99] == letter(eyot_me().id ^ 1, 7));
  OK(eyot_sheap_gptr(from, &object_at));
  OK(eyot_get(&last, eyot_gptr_add(object_at, 99), 1));
  CHECK(object_at.unit == (eyot_me().id ^ 1) && last == letter(object_at.unit, 7));
  OK(eyot_sheap_free(from));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  void *p;
  uint64_t seen;
  OK(eyot_gptr_addr(mine, &p));
  memcpy(&seen, (char *)p + BLOCK - 8, sizeof seen);
  CHECK(seen == 77 + (eyot_me().id ^ 1));
  OK(eyot_free(mine));
  OK(eyot_team_free(box));
}

static void aligned(void) {
  eyot_gptr_t g;
  for (uint64_t align = 64; align <= 2 * FRONT; align *= 4) {
    OK(eyot_team_alloc_aligned(EYOT_TEAM_ALL, 40, align, &g));
    CHECK((uintptr_t)own(g) % align == 0);
    check_zero(g, 40);
    OK(eyot_team_free(g));
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  const bool apart = argc == 2 && strcmp(argv[1], "apart") == 0;
  eyot_heap_info_t before, after;
  eyot_gptr_t small, large, middle;
  OK(eyot_heap_info(&before));
  CHECK(before.largest_free <= before.most && before.largest_free + 2 * FRONT > before.most);
  alloc_one(FRONT + 8, 1, &large);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 64, &small));
  alloc_one(FRONT / 2, 2, &middle);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  check_letters(large, FRONT + 8, 1);
  check_letters(middle, FRONT / 2, 2);
  const int64_t narrow = distance(small), wide = distance(large);
  if (eyot_me().id > 0) CHECK(apart ? narrow == FRONT && wide > 4 * FRONT : narrow == wide);
  if (apart) CHECK(own(small) < own(large));
  fill();
  others_memory();
  aligned();
  OK(eyot_heap_info(&after));
  CHECK(after.most == before.most && after.size >= before.size);
  OK(eyot_team_free(middle));
  OK(eyot_team_free(large));
  OK(eyot_team_free(small));
  OK(eyot_heap_info(&after));
  CHECK(after.collective_used == before.collective_used &&
        after.private_used == before.private_used);
  return finish();
}
