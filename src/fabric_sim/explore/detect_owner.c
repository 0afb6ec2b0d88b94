/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_owner.c - the detector `owner`: accesses to a buffer of eyot/own.h by a unit that does not
 * own it, whether something orders them or not. The race detector finds those that nothing orders;
 * a unit that writes into a buffer which it gave away two barriers ago makes no race, and yet what
 * the owner reads is wrong. Accesses are loads and stores of the program, and the local buffers of
 * its puts and gets; messages are carried by whoever can. See detect.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"

#define FIRST_CAP 16u

/* A buffer: who has it, since which call. */
struct owned {
  uintptr_t begin, end;
  enum fab_owned state; /* HELD, LENT, GIVEN or FREED */
  uint32_t unit;        /* that holds it, or did last */
  struct sim_detect_call by;
  uint32_t *reader; /* units that have borrowed it, one entry for each loan */
  uint32_t n_readers, readers_cap;
};

/* Ascending and disjoint. */
struct sim_detect_owners {
  struct owned *at;
  uint32_t n, cap;
};

struct sim_detect_owners *sim_detect_owners_new(void) {
  return calloc(1, sizeof(struct sim_detect_owners));
}

void sim_detect_owners_delete(struct sim_detect_owners *t) {
  if (t == NULL) return;
  for (uint32_t i = 0; i < t->n; i++) free(t->at[i].reader);
  free(t->at);
  free(t);
}

static struct sim_detect_owners *owners_of(const struct sim_world *w) {
  return w->untimed->run->detect->owners;
}

static void *owners_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    eyoti_no_memory(*cap * size, "notes on who owns buffers");
  return array;
}

/* The first buffer that ends after p. */
static uint32_t first_after(const struct sim_detect_owners *t, uintptr_t p) {
  uint32_t lo = 0, hi = t->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (t->at[mid].end > p)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

static void owned_drop(struct sim_detect_owners *t, uint32_t i) {
  free(t->at[i].reader);
  memmove(&t->at[i], &t->at[i + 1], (--t->n - i) * sizeof *t->at);
}

/* The buffer [p, p + len); a new one if it is not there, in place of those that overlap it. */
static struct owned *owned_at(struct sim_detect_owners *t, uintptr_t p, uint64_t len) {
  uint32_t i = first_after(t, p);
  if (i < t->n && t->at[i].begin == p && t->at[i].end == p + len) return &t->at[i];
  while (i < t->n && t->at[i].begin < p + len) owned_drop(t, i);
  t->at = owners_reserve(t->at, t->n, &t->cap, sizeof *t->at);
  memmove(&t->at[i + 1], &t->at[i], (t->n++ - i) * sizeof *t->at);
  t->at[i] = (struct owned){.begin = p, .end = p + len};
  return &t->at[i];
}

static bool reads(const struct owned *o, uint32_t unit, uint32_t *where) {
  for (*where = 0; *where < o->n_readers; ++*where)
    if (o->reader[*where] == unit) return true;
  return false;
}

void sim_detect_owned(struct fab *f, const void *p, uint64_t len, enum fab_owned how) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_detect_owners *t = owners_of(u->world);
  uintptr_t begin = (uintptr_t)p;
  uint32_t where;
  if (how == FAB_OWNED_NOT) {
    uint32_t i = first_after(t, begin);
    while (i < t->n && t->at[i].begin < begin + len) owned_drop(t, i);
    return;
  }
  struct owned *o = owned_at(t, begin, len);
  if (how == FAB_OWNED_BORROWED) {
    o->reader = owners_reserve(o->reader, o->n_readers, &o->readers_cap, sizeof *o->reader);
    o->reader[o->n_readers++] = f->me;
  } else if (how == FAB_OWNED_RETURNED) {
    if (reads(o, f->me, &where)) o->reader[where] = o->reader[--o->n_readers];
  } else {
    o->state = how;
    o->unit = f->me;
    o->by = sim_detect_here(u);
  }
}

static const char *state_words(const struct owned *o) {
  switch (o->state) {
    case FAB_OWNED_LENT:
      return "may only read since";
    case FAB_OWNED_GIVEN:
      return "has given away in";
    case FAB_OWNED_FREED:
      return "has freed in";
    default:
      return "owns since";
  }
}

static bool may_access(const struct owned *o, uint32_t unit, bool writes) {
  uint32_t where;
  if (o->state == FAB_OWNED_HELD && o->unit == unit) return true;
  return !writes && ((o->state == FAB_OWNED_LENT && o->unit == unit) || reads(o, unit, &where));
}

void sim_detect_access_op(struct sim_unit *u, const struct sim_op *op,
                          const struct sim_detect_call *call) {
  bool puts = strncmp(call->function, "eyot_put", 8) == 0,
       gets = strncmp(call->function, "eyot_get", 8) == 0;
  if (op->len > 0 && (puts || gets)) sim_detect_access(u, op->local, op->len, gets);
}

void sim_detect_access(struct sim_unit *u, const void *p, uint64_t len, bool writes) {
  struct sim_world *w = u->world;
  const struct sim_detect_owners *t = owners_of(w);
  uintptr_t begin = (uintptr_t)p;
  if (t->n == 0 || !sim_detect_on(w, FAB_DETECT_OWNER)) return;
  for (uint32_t i = first_after(t, begin); i < t->n && t->at[i].begin < begin + len; i++) {
    const struct owned *o = &t->at[i];
    if (may_access(o, u->fab.me, writes)) continue;
    struct sim_detect_call here = sim_detect_here(u);
    char text[SIM_DETECT_WHERE], by[SIM_DETECT_WHERE];
    uint64_t from = begin > o->begin ? begin - o->begin : 0;
    sim_untimed_failed(w,
                       "owner: %s of unit %u %s byte %" PRIu64 " of a buffer of %" PRIu64
                       " bytes that unit %u %s %s",
                       sim_detect_where(w, &here, text), u->fab.me, writes ? "writes" : "reads",
                       from, (uint64_t)(o->end - o->begin), o->unit, state_words(o),
                       sim_detect_where(w, &o->by, by));
    return;
  }
}
