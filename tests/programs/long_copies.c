/* SPDX-License-Identifier: BSD-3-Clause */
/* long_copies.c - puts and gets of more than a MiB (eyoti_copy_long), blocking, with a handle and
 * without one, of odd lengths at odd addresses: the bytes are there when a signal that follows is,
 * and those beside them are as they were. */
#include <string.h>

#include "programs/api_check.h"

#define LONGEST ((1u << 20) + 200u)
#define TARGET ((eyot_unit_t){1})
#define AROUND 100u /* bytes on both sides that stay */

enum way { BLOCKING, HANDLE, IMPLICIT, WAYS };

static void put_in(enum way way, eyot_gptr_t to, const void *from, uint64_t len) {
  eyot_handle_t handle;
  if (way == BLOCKING) OK(eyot_put(to, from, len));
  if (way == HANDLE) OK(eyot_put_nb(to, from, len, &handle));
  if (way == HANDLE) OK(eyot_wait(&handle, EYOT_REMOTE));
  if (way == IMPLICIT) OK(eyot_put_nbi(to, from, len));
}

static void get_in(enum way way, void *to, eyot_gptr_t from, uint64_t len) {
  eyot_handle_t handle;
  if (way == BLOCKING) OK(eyot_get(to, from, len));
  if (way == HANDLE) OK(eyot_get_nb(to, from, len, &handle));
  if (way == HANDLE) OK(eyot_wait(&handle, EYOT_REMOTE));
  if (way == IMPLICIT) OK(eyot_get_nbi(to, from, len));
}

static unsigned char *own(eyot_gptr_t memory) {
  void *at;
  OK(eyot_gptr_addr(eyot_gptr_at(memory, eyot_me()), &at));
  return at;
}

static void check_around(const unsigned char *at, uint64_t len) {
  for (uint64_t i = 0; i < AROUND; i++) CHECK(at[i] == 0 && at[AROUND + len + i] == 0);
}

/* Unit 0 writes and reads the memory of unit 1, which looks when the word tells it to. */
static void move(enum way way, eyot_gptr_t memory, eyot_gptr_t word, uint64_t odd, uint64_t round) {
  uint64_t len = LONGEST - 2 * odd - round;
  unsigned char *mine = calloc(1, LONGEST + 2 * AROUND);
  CHECK(mine != NULL);
  if (eyot_me().id == 0) {
    eyot_gptr_t to = eyot_gptr_add(eyot_gptr_at(memory, TARGET), (int64_t)(AROUND + odd));
    for (uint64_t i = 0; i < len; i++) mine[AROUND + i] = (unsigned char)(i * 11 + round);
    put_in(way, to, mine + AROUND, len);
    OK(eyot_order(TARGET));
    OK(eyot_put(eyot_gptr_at(word, TARGET), &round, sizeof round));
    memset(mine, 0, LONGEST + 2 * AROUND);
    get_in(way, mine + AROUND, to, len);
    OK(eyot_flush(TARGET, EYOT_REMOTE));
    for (uint64_t i = 0; i < len; i++) CHECK(mine[AROUND + i] == (unsigned char)(i * 11 + round));
    check_around(mine, len);
  } else if (eyot_me().id == 1) {
    unsigned char *here = own(memory);
    OK(eyot_wait_until(eyot_gptr_at(word, eyot_me()), EYOT_CMP_EQ, round, NULL));
    for (uint64_t i = 0; i < len; i++)
      CHECK(here[AROUND + odd + i] == (unsigned char)(i * 11 + round));
    check_around(here + odd, len);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 1) memset(own(memory), 0, LONGEST + 2 * AROUND);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  free(mine);
}

int main(int argc, char **argv) {
  eyot_gptr_t memory, word;
  uint64_t round = 0;
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, LONGEST + 2 * AROUND, &memory));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &word));
  for (enum way way = BLOCKING; way < WAYS; way++)
    for (uint64_t odd = 0; odd < 80; odd += 13) move(way, memory, word, odd, ++round);
  return finish();
}
