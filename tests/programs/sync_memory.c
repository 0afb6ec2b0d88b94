/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_memory.c - the memory that one object of synchronization costs each unit: sync_memory KIND.
 *
 * Memory is what malloc gives (of all units, divided) and what is taken from the symmetric heap.
 * The first object of a kind and its first use include the unit's state for the kind; then two more
 * objects follow. Run it with --shared-globals, so that copies of the program don't count. */
#include <malloc.h>
#include <string.h>

#include "programs/api_check.h"
#include "support/lock_kinds.h"

#define NEIGHBORS 8u
#define FURTHER 2u
#define WARM_OPS 32u

/* Any of the kinds. */
struct object {
  eyot_lock_t lock;
  eyot_pscw_t pscw;
  eyot_counter_t counter;
  eyot_dynamic_t dynamic;
};

static uint64_t region[FURTHER + 1]; /* shared by all units: its content is not read */

/* Unit me + k. */
static eyot_unit_t other(uint32_t k) {
  return (eyot_unit_t){(eyot_me().id + k) % eyot_size()};
}

/* -- kinds ------------------------------------------------------------------------------------- */

static bool is_lock(const char *kind, eyot_lock_kind_t *out) {
  const struct lock_kind *k = lock_kind_named(kind, 0);
  if (k != NULL) *out = k->kind;
  return k != NULL;
}

static void make(const char *kind, struct object *o) {
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  eyot_pscw_attr_t pscw = EYOT_PSCW_ATTR_INIT;
  pscw.neighbors = NEIGHBORS;
  pscw.changing = strcmp(kind, "pscw_changing") == 0;
  if (is_lock(kind, &attr.kind))
    OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &o->lock));
  else if (strncmp(kind, "pscw", 4) == 0)
    OK(eyot_pscw_create(EYOT_TEAM_ALL, &pscw, &o->pscw));
  else if (strcmp(kind, "counter") == 0)
    OK(eyot_counter_create(EYOT_TEAM_ALL, 1, &o->counter));
  else if (strcmp(kind, "dynamic") == 0)
    OK(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &o->dynamic));
  else
    CHECK(strcmp(kind, "barrier") == 0); /* a part of the team */
}

static void use_pscw(const struct object *o) {
  eyot_unit_t from[NEIGHBORS / 2], to[NEIGHBORS / 2];
  eyot_group_t *in, *out;
  for (uint32_t k = 0; k < NEIGHBORS / 2; k++) {
    from[k] = other(eyot_size() - 1 - k);
    to[k] = other(1 + k);
  }
  OK(eyot_group_from(from, NEIGHBORS / 2, &in));
  OK(eyot_group_from(to, NEIGHBORS / 2, &out));
  OK(eyot_pscw_post(o->pscw, in));
  OK(eyot_pscw_start(o->pscw, out));
  OK(eyot_pscw_complete(o->pscw));
  OK(eyot_pscw_wait(o->pscw));
  eyot_group_free(in);
  eyot_group_free(out);
}

static void use_dynamic(const struct object *o, uint32_t k) {
  eyot_gptr_t mine, theirs;
  uint64_t word = 1;
  OK(eyot_dynamic_attach(o->dynamic, &region[k], sizeof region[k], &mine));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  /* all have it at one address: they share it */
  OK(eyot_dynamic_gptr(o->dynamic, other(1), (uint64_t)(uintptr_t)&region[k], &theirs));
  OK(eyot_put(theirs, &word, sizeof word));
}

static void use(const char *kind, const struct object *o, uint32_t k) {
  eyot_lock_kind_t lock;
  if (is_lock(kind, &lock)) {
    /* rw: one writer; each writer accesses all counters, and as many writers as units would take
     * for ever */
    bool shared = lock_kind_has(lock, LOCK_MEMBERS) ||
                  (lock_kind_has(lock, LOCK_SHARED) && eyot_me().id != 0);
    eyot_lock_mode_t mode = shared ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE;
    OK(eyot_lock_acquire(o->lock, mode));
    OK(eyot_lock_release(o->lock));
  } else if (strncmp(kind, "pscw", 4) == 0) {
    use_pscw(o);
  } else if (strcmp(kind, "counter") == 0) {
    OK(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, eyot_counter_at(o->counter, other(1)), 1));
    OK(eyot_counter_wait(eyot_counter_at(o->counter, eyot_me())));
  } else if (strcmp(kind, "dynamic") == 0) {
    use_dynamic(o, k);
  } else {
    bool done = false;
    OK(eyot_barrier_by(EYOT_TEAM_ALL, EYOT_BARRIER_TREE));
    OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
    OK(eyot_barrier_test(EYOT_TEAM_ALL, NULL, &done));
    if (!done) OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  }
}

static void destroy(const char *kind, struct object *o, uint32_t k) {
  eyot_lock_kind_t lock;
  if (is_lock(kind, &lock))
    OK(eyot_lock_destroy(&o->lock));
  else if (strncmp(kind, "pscw", 4) == 0)
    OK(eyot_pscw_destroy(&o->pscw));
  else if (strcmp(kind, "counter") == 0)
    OK(eyot_counter_destroy(&o->counter));
  if (strcmp(kind, "dynamic") != 0) return;
  OK(eyot_dynamic_detach(o->dynamic, &region[k]));
  OK(eyot_dynamic_destroy(&o->dynamic));
}

/* -- measuring --------------------------------------------------------------------------------- */

struct used {
  uint64_t malloc_bytes; /* all units, and the simulator */
  uint64_t heap_bytes;   /* of the calling unit's symmetric heap */
};

static struct used look(void) {
  eyot_heap_info_t heap;
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_heap_info(&heap));
  /* Unit 0 prints, since mallinfo2 walks all free blocks. */
  struct mallinfo2 m = {0};
  if (eyot_me().id == 0) m = mallinfo2();
  OK(eyot_barrier(EYOT_TEAM_ALL));
  return (struct used){m.uordblks + m.hblkhd, heap.collective_used + heap.private_used};
}

static uint64_t a_unit(struct used before, struct used after, uint32_t objects) {
  uint64_t bytes =
      after.malloc_bytes > before.malloc_bytes ? after.malloc_bytes - before.malloc_bytes : 0;
  return (bytes / eyot_size() + after.heap_bytes - before.heap_bytes) / objects;
}

/* Lets the simulator's pools grow, so that they do not count. Once is too little: how many
 * operations a pool must hold at once depends on when units come here. */
static void warm_up(void) {
  eyot_gptr_t words;
  static const uint64_t zero;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &words));
  for (uint32_t k = 1; k <= WARM_OPS; k++)
    OK(eyot_put_nbi(eyot_gptr_at(words, other(k)), &zero, sizeof zero));
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(words));
}

int main(int argc, char **argv) {
  struct object o[FURTHER + 1];
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2 && eyot_size() > NEIGHBORS);
  warm_up();
  warm_up();
  struct used before = look();
  make(argv[1], &o[0]);
  use(argv[1], &o[0], 0);
  struct used first = look();
  for (uint32_t k = 1; k <= FURTHER; k++) {
    make(argv[1], &o[k]);
    use(argv[1], &o[k], k);
  }
  struct used further = look();
  if (eyot_me().id == 0)
    printf("%s %u %lu %lu\n", argv[1], eyot_size(), (unsigned long)a_unit(before, first, 1),
           (unsigned long)a_unit(first, further, FURTHER));
  for (uint32_t k = 0; k <= FURTHER; k++) destroy(argv[1], &o[k], k);
  return finish();
}
