/* SPDX-License-Identifier: BSD-3-Clause */
/* check_instrument.c - programs of which eyotcheck sees more if they are compiled with eyotcc
 * --instrument: check_instrument MODE. For tests/sim/check_instrument.sh; all modes also run
 * without it.
 *   loads    unit 0 reads two words by plain loads while unit 1 puts them, in the other order
 *   bytes    the same by loads of a byte and by memcpy
 *   lost     unit 0 adds by a plain load and store, and unit 1 adds by an atomic
 *   atomics  both sides by C11 atomics and fetch_or, of eight and four bytes
 *   race     a plain load that nothing orders after a put
 *   branch   code that is reached only if twelve loads in a row come after the puts they race
 * with */
#include <eyot/eyot.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGES 12

static const char *mode;
static eyot_gptr_t part;
static uint64_t *own;
static uint64_t at_start[STAGES]; /* of each copy of the program: not global memory */

static bool is(const char *name) {
  return strcmp(mode, name) == 0;
}

static void must(int rc) {
  if (rc != EYOT_OK) abort();
}

static eyot_gptr_t word(uint32_t i) {
  return eyot_gptr_add(eyot_gptr_at(part, (eyot_unit_t){0}), 8 * (int64_t)i);
}

static void put(uint32_t i, uint64_t value) {
  must(eyot_put(word(i), &value, 8));
  must(eyot_flush_all(EYOT_REMOTE));
}

static void loads(void) {
  if (eyot_me().id == 1) {
    put(0, 1);
    put(1, 1);
    return;
  }
  uint64_t x = own[0], y = own[1];
  eyot_check_outcome("x=%d y=%d", (int)x, (int)y);
}

static void bytes(void) {
  if (eyot_me().id == 1) {
    put(0, 1);
    put(1, 1);
    return;
  }
  const char *x = (const char *)own;
  uint64_t y;
  char first = *x;
  memcpy(&y, own + 1, at_start[0] + sizeof y); /* a length that the compiler does not know */
  eyot_check_outcome("x=%d y=%d", first, (int)y);
}

static void lost(void) {
  uint64_t old;
  if (eyot_me().id == 1)
    must(eyot_fetch_add_u64(word(0), 1, &old));
  else
    own[0] += 1;
  must(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) eyot_check_outcome("sum=%d", (int)own[0]);
}

static void atomics(void) {
  if (eyot_me().id == 1) {
    put(0, 1);
    put(1, 1);
    return;
  }
  uint64_t x = atomic_load((_Atomic uint64_t *)own);
  uint32_t y = atomic_load((_Atomic uint32_t *)(void *)(own + 1));
  uint64_t old = atomic_fetch_or((_Atomic uint64_t *)own, 2);
  eyot_check_outcome("x=%d y=%d old=%d", (int)x, (int)y, (int)old);
}

static void race(void) {
  if (eyot_me().id == 1) {
    put(0, 1);
    return;
  }
  eyot_check_outcome("x=%d", (int)own[0]);
}

/* Unit 0: true if the load of the stage comes after the other unit's put. */
static bool passed(uint32_t stage) {
  must(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_cpu_load(own + stage) == 1;
}

/* Keeps each stage's code apart from the others'. */
static void reach(const char *text) {
  __asm__ volatile("" ::"r"(text) : "memory");
}

/* Each stage has code of its own, which guided search distinguishes. */
static void branch(void) {
  if (eyot_me().id == 1) {
    for (uint32_t i = 0; i < STAGES; i++) {
      must(eyot_barrier(EYOT_TEAM_ALL));
      put(i, 1);
    }
    return;
  }
  uint32_t stage = 0;
#define STAGE(i)                       \
  if (stage == i && passed(stage++)) { \
    reach("stage " #i);                \
  } else {                             \
    goto others;                       \
  }
  STAGE(0)
  STAGE(1)
  STAGE(2)
  STAGE(3)
  STAGE(4)
  STAGE(5)
  STAGE(6)
  STAGE(7)
  STAGE(8)
  STAGE(9)
  STAGE(10)
  STAGE(11)
  if (eyot_check_active()) eyot_check_fail("the branch was reached");
others:
  while (stage < STAGES) (void)passed(stage++);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } MODES[] = {{"loads", loads},     {"bytes", bytes}, {"lost", lost},
               {"atomics", atomics}, {"race", race},   {"branch", branch}};
  mode = argc > 1 ? argv[1] : "";
  at_start[0] = 0; /* before eyot_init, instrumented too */
  must(eyot_init(&argc, &argv));
  must(eyot_team_alloc(EYOT_TEAM_ALL, STAGES * 8, &part));
  must(eyot_gptr_addr(eyot_gptr_at(part, eyot_me()), (void **)&own));
  memset(own, 0, STAGES * 8);
  must(eyot_barrier(EYOT_TEAM_ALL));
  must(eyot_check_begin());
  for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
    if (is(MODES[i].name)) MODES[i].run();
  must(eyot_check_end());
  must(eyot_barrier(EYOT_TEAM_ALL));
  must(eyot_team_free(part));
  must(eyot_finalize());
  at_start[1]++; /* after eyot_finalize */
  if (argc > 2 && at_start[1] == 1) printf("check_instrument: ok\n");
  return 0;
}
