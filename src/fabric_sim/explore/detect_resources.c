/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_resources.c - what units make and release: memory that was freed, and whatever is left at
 * the end. See detect.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed.h"

#define FIRST_CAP 16u
#define LISTED 16u /* of what is left, so many have a line of their own */
#define END_BYTES 320u

/* [off, off+len) of the unit's part of a segment was freed, and not given out since. */
struct freed {
  uint64_t off, len;
  fab_seg_t seg;
  struct sim_detect_call by;
};

struct resource {
  const char *kind;
  uint64_t id, bytes;
  bool in_run; /* made since eyot_check_begin */
  struct sim_detect_call by;
};

struct of_unit {
  struct freed *freed;
  struct resource *resource;
  uint32_t n_freed, freed_cap, n_resources, resources_cap;
};

struct sim_detect_resources {
  uint32_t n;
  struct of_unit unit[];
};

struct sim_detect_resources *sim_detect_resources_new(uint32_t n_units) {
  struct sim_detect_resources *t = calloc(1, sizeof *t + n_units * sizeof t->unit[0]);
  if (t != NULL) t->n = n_units;
  return t;
}

void sim_detect_resources_delete(struct sim_detect_resources *t) {
  for (uint32_t i = 0; t != NULL && i < t->n; i++) {
    free(t->unit[i].freed);
    free(t->unit[i].resource);
  }
  free(t);
}

static struct of_unit *resource_of(struct sim_world *w, uint32_t unit) {
  return &sim_detect_resources_of(w->check->run->detect)->unit[unit];
}

static void *resource_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    EYOTI_PANIC("no memory to remember what units make");
  return array;
}

static void add_freed(struct of_unit *x, const struct freed *new) {
  x->freed = resource_reserve(x->freed, x->n_freed, &x->freed_cap, sizeof *x->freed);
  x->freed[x->n_freed++] = *new;
}

void sim_detect_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  struct sim_unit *u = sim_unit_of(f);
  struct of_unit *x = resource_of(u->world, f->me);
  if (!alive) {
    add_freed(x, &(struct freed){off, len, seg, sim_detect_here(u)});
    return;
  }
  for (uint32_t i = 0; i < x->n_freed;
       /* what is given out again is no longer freed: a piece before it may stay, and one behind
        * it */
       i++) {
    struct freed old = x->freed[i];
    if (old.seg != seg || off >= old.off + old.len || old.off >= off + len) continue;
    x->freed[i--] = x->freed[--x->n_freed];
    uint64_t end = old.off + old.len;
    if (old.off < off) add_freed(x, &(struct freed){old.off, off - old.off, seg, old.by});
    if (off + len < end) add_freed(x, &(struct freed){off + len, end - off - len, seg, old.by});
  }
}

static const struct freed *find_freed(const struct of_unit *x, uint32_t seg, uint64_t off,
                                      uint64_t len) {
  for (uint32_t i = 0; i < x->n_freed; i++) {
    const struct freed *r = &x->freed[i];
    if (r->seg == seg && off < r->off + r->len && r->off < off + len) return r;
  }
  return NULL;
}

void sim_detect_freed(struct sim_world *w, const struct sim_op *op,
                      const struct sim_detect_call *by, bool arrives) {
  const struct of_unit *x = resource_of(w, op->target);
  if (x->n_freed == 0 || !sim_detect_on(w, FAB_DETECT_RANGE)) return;
  const struct freed *r = op->len > 0 ? find_freed(x, op->seg, op->off, op->len) : NULL;
  if (r == NULL && op->kind == SIM_OP_SIGNAL) r = find_freed(x, op->sig_seg, op->value2, 8);
  if (r == NULL) return;
  char where[SIM_DETECT_WHERE], freed_at[SIM_DETECT_WHERE];
  sim_untimed_failed(
      w,
      "range: %s of unit %u %s memory that unit %u has freed by %s: %llu bytes, %llu "
      "before the end of it",
      sim_detect_where(w, by, where), op->origin, arrives ? "arrives in" : "is to", op->target,
      sim_detect_where(w, &r->by, freed_at), (unsigned long long)op->len,
      (unsigned long long)(r->off + r->len - op->off));
}

void sim_detect_resource(struct fab *f, const char *kind, uint64_t id, uint64_t bytes, bool made) {
  struct sim_unit *u = sim_unit_of(f);
  struct of_unit *x = resource_of(u->world, f->me);
  if (made) {
    if (!sim_detect_outermost(u)) return; /* a part of another thing, which counts */
    x->resource =
        resource_reserve(x->resource, x->n_resources, &x->resources_cap, sizeof *x->resource);
    x->resource[x->n_resources++] =
        (struct resource){kind, id, bytes, u->world->check->run->explicitly, sim_detect_here(u)};
    return;
  }
  for (uint32_t i = 0; i < x->n_resources; i++) {
    if (x->resource[i].id != id || strcmp(x->resource[i].kind, kind) != 0) continue;
    /* the oldest stays the first */
    memmove(&x->resource[i], &x->resource[i + 1], (x->n_resources - i - 1) * sizeof *x->resource);
    x->n_resources--;
    return;
  }
}

static void resource_describe(struct sim_world *w, const struct resource *t, char *text,
                              size_t size) {
  char where[SIM_DETECT_WHERE];
  if (t->bytes > 0)
    snprintf(text, size, "%s of %llu bytes, made by %s", t->kind, (unsigned long long)t->bytes,
             sim_detect_where(w, &t->by, where));
  else
    snprintf(text, size, "%s, made by %s", t->kind, sim_detect_where(w, &t->by, where));
}

void sim_detect_end(struct sim_unit *u, bool since_begin) {
  struct sim_world *w = u->world;
  if (!sim_detect_on(w, FAB_DETECT_LEAK)) return;
  const struct of_unit *x = resource_of(w, u->fab.me);
  char first[END_BYTES] = "", text[END_BYTES];
  uint32_t left = 0;
  struct sim_detect_call posted;
  uint32_t handles = sim_detect_requests(w, u->fab.me, &posted);
  if (handles > 0) {
    char where[SIM_DETECT_WHERE];
    snprintf(first, sizeof first, "handle that was not waited for, from %s",
             sim_detect_where(w, &posted, where));
    left = handles;
  }
  for (uint32_t i = 0; i < x->n_resources; i++) {
    if (since_begin && !x->resource[i].in_run) continue;
    resource_describe(w, &x->resource[i], text, sizeof text);
    if (left == 0) snprintf(first, sizeof first, "%s", text);
    if (left++ < LISTED)
      fprintf(stderr, "eyotcheck: unit %u has not released: %s\n", u->fab.me, text);
  }
  if (left == 0) return;
  if (left == 1)
    sim_untimed_failed(w, "leak: unit %u ends and has not released: %s", u->fab.me, first);
  else
    sim_untimed_failed(
        w, "leak: unit %u ends and has not released %u things, of which the first is: %s",
        u->fab.me, left, first);
}
