/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_kinds.h - the lock kinds and their properties, from lock_kinds.def. */
#ifndef LOCK_KINDS_H
#define LOCK_KINDS_H

#include <eyot/lock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  LOCK_ONE_UNIT = 1u, /* eyot_lock_alloc makes it */
  LOCK_SHARED = 2u,   /* it has mode EYOT_LOCK_SHARED */
  LOCK_MEMBERS = 4u,  /* exclusive on one member only; the whole team is locked shared */
  LOCK_IN_ORDER = 8u, /* first come, first served, among acquires without a timeout */
  LOCK_TIMED = 16u,   /* its waits with a timeout have schedules of their own to explore */
  LOCK_POLLS = 32u,   /* waiters try again and again: they never sleep */
  LOCK_COUNTS = 64u   /* its word counts holders: the first try of a unit must read it */
};

struct lock_kind {
  eyot_lock_kind_t kind;
  const char *name;
  uint32_t has; /* the properties above */
};

#define LOCK_KIND(KIND, name, has, late, holds, args) {EYOT_LOCK_##KIND, #name, has},
static const struct lock_kind LOCK_KINDS[] = {
#include "support/lock_kinds.def"
};
#undef LOCK_KIND
#define LOCK_KINDS_N (sizeof LOCK_KINDS / sizeof LOCK_KINDS[0])
_Static_assert(LOCK_KINDS_N == EYOT_LOCK_KIND_COUNT, "a line for each value of eyot_lock_kind_t");

/* The entry of a kind. */
static inline const struct lock_kind *lock_kind_of(eyot_lock_kind_t kind) {
  const struct lock_kind *k = LOCK_KINDS;
  while (k->kind != kind) k++;
  return k;
}

static inline bool lock_kind_has(eyot_lock_kind_t kind, uint32_t property) {
  return (lock_kind_of(kind)->has & property) != 0;
}

/* The entry with this name and none of the properties `without`; NULL: there is none. */
static inline const struct lock_kind *lock_kind_named(const char *name, uint32_t without) {
  for (size_t i = 0; i < LOCK_KINDS_N; i++)
    if ((LOCK_KINDS[i].has & without) == 0 && strcmp(LOCK_KINDS[i].name, name) == 0)
      return &LOCK_KINDS[i];
  return NULL;
}

/* Entry `i`, counted round and round, of those with none of the properties `without`. */
static inline const struct lock_kind *lock_kind_nth(uint32_t i, uint32_t without) {
  const struct lock_kind *k = &LOCK_KINDS[LOCK_KINDS_N - 1];
  do k = k + 1 < LOCK_KINDS + LOCK_KINDS_N ? k + 1 : LOCK_KINDS;
  while ((k->has & without) != 0 || i-- > 0);
  return k;
}

/* "usage: PROGRAM mcs|hier|... REST" on stderr, with the kinds that have none of `without`. */
static inline void lock_kinds_usage(const char *program, uint32_t without, const char *rest) {
  const char *before = " ";
  fprintf(stderr, "usage: %s", program);
  for (size_t i = 0; i < LOCK_KINDS_N; i++) {
    if ((LOCK_KINDS[i].has & without) != 0) continue;
    fprintf(stderr, "%s%s", before, LOCK_KINDS[i].name);
    before = "|";
  }
  fprintf(stderr, " %s\n", rest);
}
#endif
