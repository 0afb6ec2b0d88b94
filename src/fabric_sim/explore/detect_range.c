/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_range.c - the detector `range`: operations to memory that was freed. See detect.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"

#define FIRST_CAP 16u

/* [off, off+len) of the unit's part of a segment was freed, and not allocated since. */
struct freed {
  uint64_t off, len;
  fab_seg_t seg;
  struct sim_detect_call by;
};

struct range_unit {
  struct freed *freed;
  uint32_t n_freed, freed_cap;
};

struct sim_detect_ranges {
  uint32_t n;
  struct range_unit unit[];
};

struct sim_detect_ranges *sim_detect_ranges_new(uint32_t n_units) {
  struct sim_detect_ranges *t = calloc(1, sizeof *t + n_units * sizeof t->unit[0]);
  if (t != NULL) t->n = n_units;
  return t;
}

void sim_detect_ranges_delete(struct sim_detect_ranges *t) {
  for (uint32_t i = 0; t != NULL && i < t->n; i++) free(t->unit[i].freed);
  free(t);
}

static struct range_unit *range_of(struct sim_world *w, uint32_t unit) {
  return &w->untimed->run->detect->ranges->unit[unit];
}

static void *range_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    eyoti_no_memory(*cap * size, "notes on what units free");
  return array;
}

static void add_freed(struct range_unit *x, const struct freed *new) {
  x->freed = range_reserve(x->freed, x->n_freed, &x->freed_cap, sizeof *x->freed);
  x->freed[x->n_freed++] = *new;
}

void sim_detect_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  struct sim_unit *u = sim_unit_of(f);
  struct range_unit *x = range_of(u->world, f->me);
  if (!alive) {
    add_freed(x, &(struct freed){off, len, seg, sim_detect_here(u)});
    return;
  }
  for (uint32_t i = 0; i < x->n_freed;
       /* memory that is allocated again is no longer freed: a piece before it may stay, and one
        * after it */
       i++) {
    struct freed old = x->freed[i];
    if (old.seg != seg || off >= old.off + old.len || old.off >= off + len) continue;
    x->freed[i--] = x->freed[--x->n_freed];
    uint64_t end = old.off + old.len;
    if (old.off < off) add_freed(x, &(struct freed){old.off, off - old.off, seg, old.by});
    if (off + len < end) add_freed(x, &(struct freed){off + len, end - off - len, seg, old.by});
  }
}

static const struct freed *find_freed(const struct range_unit *x, uint32_t seg, uint64_t off,
                                      uint64_t len) {
  for (uint32_t i = 0; i < x->n_freed; i++) {
    const struct freed *r = &x->freed[i];
    if (r->seg == seg && off < r->off + r->len && r->off < off + len) return r;
  }
  return NULL;
}

void sim_detect_freed(struct sim_world *w, const struct sim_op *op,
                      const struct sim_detect_call *by, bool arrives) {
  const struct range_unit *x = range_of(w, op->target);
  if (x->n_freed == 0 || !sim_detect_on(w, FAB_DETECT_RANGE)) return;
  const struct freed *r = op->len > 0 ? find_freed(x, op->seg, op->off, op->len) : NULL;
  bool signals = r == NULL && op->kind == SIM_OP_SIGNAL;
  if (signals) r = find_freed(x, op->sig_seg, op->value2, 8);
  if (r == NULL) return;
  char where[SIM_DETECT_WHERE], freed_at[SIM_DETECT_WHERE], words[EYOTI_WORDS];
  sim_untimed_failed(
      w, "range: %s of unit %u %s memory that unit %u has freed by %s: %" PRIu64 " bytes at %s",
      sim_detect_where(w, by, where), op->origin, arrives ? "arrives in" : "is to", op->target,
      sim_detect_where(w, &r->by, freed_at), signals ? 8 : op->len,
      eyoti_words(&w->units[op->target].rt, signals ? op->sig_seg : op->seg,
                  signals ? op->value2 : op->off, false, words));
}
