/* SPDX-License-Identifier: BSD-3-Clause */
/* heap_walk.h - random allocations and releases, collective and private, of a heap that grows and
 * returns memory; checks the content of the blocks. For unit tests, and for programs on the
 * simulator and MPI. */
#ifndef HEAP_WALK_H
#define HEAP_WALK_H

#include <eyot/eyot.h>
#include <stdlib.h>
#include <string.h>

#include "support/draw.h"

#define WALK_SHARED 20u /* blocks at a time */
#define WALK_OWN 8u
#define WALK_PHASE 500u /* steps of each phase: blocks become more, then less */
#define WALK_FACTOR 4u  /* blocks have up to heap/4 bytes */

struct walk {
  uint32_t me, n;
  uint64_t alike, own_random; /* generators: equal on all units, and the unit's own */
  char *buffer;
  uint64_t largest;
  struct walk_block {
    eyot_gptr_t g; /* null: none */
    uint64_t bytes;
    char value;
  } shared[WALK_SHARED], own[WALK_OWN];
  uint32_t full; /* number of times that the heap was full */
};

/* 0, or the line of the condition that failed. */
#define WALK_THAT(condition)           \
  do {                                 \
    if (!(condition)) return __LINE__; \
  } while (0)
#define WALK_TRY(call)            \
  do {                            \
    int line_ = (call);           \
    if (line_ != 0) return line_; \
  } while (0)

static inline bool walk_holds(const char *p, uint64_t bytes, char value) {
  return p[0] == value && memcmp(p, p + 1, bytes - 1) == 0;
}

/* Sizes of all orders of magnitude are equally likely. */
static inline uint64_t walk_bytes(uint64_t *random, uint64_t largest) {
  uint64_t bytes = largest >> draw(random) % 14;
  return bytes - draw(random) % (bytes / 2 + 1);
}

/* Allocates a block on each unit, which the previous unit fills. */
static inline int walk_take_shared(struct walk *w, struct walk_block *b, uint32_t seq) {
  void *p;
  bool raw = draw(&w->alike) % 4 == 0;
  b->bytes = walk_bytes(&w->alike, w->largest);
  int rc = raw ? eyot_team_alloc_raw(EYOT_TEAM_ALL, b->bytes, 64u << draw(&w->alike) % 7, &b->g)
               : eyot_team_alloc(EYOT_TEAM_ALL, b->bytes, &b->g);
  if (rc == EYOT_ENOMEM) {
    b->g = EYOT_GPTR_NULL;
    w->full++;
    return 0;
  }
  WALK_THAT(rc == EYOT_OK &&
            eyot_gptr_addr(eyot_gptr_at(b->g, (eyot_unit_t){w->me}), &p) == EYOT_OK);
  if (!raw) WALK_THAT(walk_holds(p, b->bytes, 0));
  /* checked for zeros before it is filled */
  if (!raw) WALK_THAT(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  uint32_t to = (w->me + 1) % w->n;
  b->value = (char)(1 + (seq + w->me) % 100);
  memset(w->buffer, 1 + (int)((seq + to) % 100), b->bytes);
  WALK_THAT(eyot_put(eyot_gptr_at(b->g, (eyot_unit_t){to}), w->buffer, b->bytes) == EYOT_OK);
  WALK_THAT(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
  return 0;
}

static inline int walk_drop_shared(const struct walk *w, struct walk_block *b) {
  void *p;
  WALK_THAT(eyot_gptr_addr(eyot_gptr_at(b->g, (eyot_unit_t){w->me}), &p) == EYOT_OK &&
            walk_holds(p, b->bytes, b->value));
  WALK_THAT(eyot_team_free(b->g) == EYOT_OK);
  b->g = EYOT_GPTR_NULL;
  return 0;
}

static inline int walk_step_own(struct walk *w, bool more) {
  struct walk_block *b = &w->own[draw(&w->own_random) % WALK_OWN];
  void *p;
  if (!eyot_gptr_is_null(b->g)) {
    if (more) return 0;
    WALK_THAT(eyot_gptr_addr(b->g, &p) == EYOT_OK && walk_holds(p, b->bytes, b->value));
    WALK_THAT(eyot_free(b->g) == EYOT_OK);
    b->g = EYOT_GPTR_NULL;
    return 0;
  }
  b->bytes = walk_bytes(&w->own_random, w->largest);
  int rc = eyot_alloc(b->bytes, &b->g);
  if (rc == EYOT_ENOMEM) {
    b->g = EYOT_GPTR_NULL;
    w->full++;
    return 0;
  }
  WALK_THAT(rc == EYOT_OK && eyot_gptr_addr(b->g, &p) == EYOT_OK && walk_holds(p, b->bytes, 0));
  b->value = (char)(1 + draw(&w->own_random) % 100);
  memset(p, b->value, b->bytes);
  return 0;
}

static inline int walk_end(struct walk *w) {
  for (uint32_t i = 0; i < WALK_SHARED; i++)
    if (!eyot_gptr_is_null(w->shared[i].g)) WALK_TRY(walk_drop_shared(w, &w->shared[i]));
  for (uint32_t i = 0; i < 100 * WALK_OWN; i++) WALK_TRY(walk_step_own(w, false));
  for (uint32_t i = 0; i < WALK_OWN; i++)
    if (!eyot_gptr_is_null(w->own[i].g)) WALK_THAT(eyot_free(w->own[i].g) == EYOT_OK);
  free(w->buffer);
  return 0;
}

/* Makes `steps` allocations or releases of each kind. EYOT_HEAP_MAX, all of which it uses, must be
 * at least four times EYOT_HEAP_SIZE. */
static inline int heap_walk(uint32_t me, uint32_t n, uint32_t steps) {
  struct walk w = {.me = me, .n = n, .alike = 1, .own_random = 77 + me};
  eyot_heap_info_t before, now;
  WALK_THAT(eyot_heap_info(&before) == EYOT_OK && before.most > 3 * before.size);
  w.largest = before.most / WALK_FACTOR;
  w.buffer = malloc(w.largest);
  WALK_THAT(w.buffer != NULL);
  for (uint32_t i = 0; i < steps; i++) {
    bool more = i / WALK_PHASE % 2 == 0;
    struct walk_block *b = &w.shared[draw(&w.alike) % WALK_SHARED];
    if (eyot_gptr_is_null(b->g))
      WALK_TRY(walk_take_shared(&w, b, i));
    else if (!more || draw(&w.alike) % 2 == 0)
      WALK_TRY(walk_drop_shared(&w, b));
    WALK_TRY(walk_step_own(&w, more && draw(&w.own_random) % 4 != 0));
  }
  WALK_THAT(eyot_heap_info(&now) == EYOT_OK);
  WALK_THAT(now.size > 2 * before.size && now.size <= before.most && w.full > 0);
  WALK_TRY(walk_end(&w));
  WALK_THAT(eyot_heap_info(&now) == EYOT_OK && now.largest_free == before.largest_free &&
            now.private_used == 0);
  return 0;
}
#endif
