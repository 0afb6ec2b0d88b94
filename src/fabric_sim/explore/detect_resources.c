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
  struct fs_detect_call by;
};

struct thing {
  const char *kind;
  uint64_t id, bytes;
  bool in_run; /* made since eyot_check_begin */
  struct fs_detect_call by;
};

struct of_unit {
  struct freed *freed;
  struct thing *thing;
  uint32_t n_freed, freed_cap, n_things, things_cap;
};

struct fs_detect_things {
  uint32_t n;
  struct of_unit unit[];
};

struct fs_detect_things *fs_detect_things_new(uint32_t n_units) {
  struct fs_detect_things *t = calloc(1, sizeof *t + n_units * sizeof t->unit[0]);
  if (t != NULL) t->n = n_units;
  return t;
}

void fs_detect_things_delete(struct fs_detect_things *t) {
  for (uint32_t i = 0; t != NULL && i < t->n; i++) {
    free(t->unit[i].freed);
    free(t->unit[i].thing);
  }
  free(t);
}

static struct of_unit *of(struct fs_world *w, uint32_t unit) {
  return &fs_detect_things_of(w->check->run->detect)->unit[unit];
}

static void *room(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  if ((array = realloc(array, *cap * size)) == NULL)
    EYOTI_PANIC("no memory to remember what units make");
  return array;
}

static void add_freed(struct of_unit *x, const struct freed *new) {
  x->freed = room(x->freed, x->n_freed, &x->freed_cap, sizeof *x->freed);
  x->freed[x->n_freed++] = *new;
}

void fs_detect_memory(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len, bool alive) {
  struct fs_unit *u = fs_unit_of(f);
  struct of_unit *x = of(u->world, f->me);
  if (!alive) {
    add_freed(x, &(struct freed){off, len, seg, fs_detect_here(u)});
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

void fs_detect_freed(struct fs_world *w, const struct fs_op *op, const struct fs_detect_call *by,
                     bool arrives) {
  const struct of_unit *x = of(w, op->target);
  if (x->n_freed == 0 || !fs_detect_on(w, FAB_DETECT_RANGE)) return;
  const struct freed *r = op->len > 0 ? find_freed(x, op->seg, op->off, op->len) : NULL;
  if (r == NULL && op->kind == FS_OP_SIGNAL) r = find_freed(x, op->sig_seg, op->value2, 8);
  if (r == NULL) return;
  char where[FS_DETECT_WHERE], freed_at[FS_DETECT_WHERE];
  fs_check_failed(w,
                  "range: %s of unit %u %s memory that unit %u has freed by %s: %llu bytes, %llu "
                  "before the end of it",
                  fs_detect_where(w, by, where), op->origin, arrives ? "arrives in" : "is to",
                  op->target, fs_detect_where(w, &r->by, freed_at), (unsigned long long)op->len,
                  (unsigned long long)(r->off + r->len - op->off));
}

void fs_detect_thing(struct fab *f, const char *kind, uint64_t id, uint64_t bytes, bool made) {
  struct fs_unit *u = fs_unit_of(f);
  struct of_unit *x = of(u->world, f->me);
  if (made) {
    if (!fs_detect_outermost(u)) return; /* a part of another thing, which counts */
    x->thing = room(x->thing, x->n_things, &x->things_cap, sizeof *x->thing);
    x->thing[x->n_things++] =
        (struct thing){kind, id, bytes, u->world->check->run->explicitly, fs_detect_here(u)};
    return;
  }
  for (uint32_t i = 0; i < x->n_things; i++) {
    if (x->thing[i].id != id || strcmp(x->thing[i].kind, kind) != 0) continue;
    /* the oldest stays the first */
    memmove(&x->thing[i], &x->thing[i + 1], (x->n_things - i - 1) * sizeof *x->thing);
    x->n_things--;
    return;
  }
}

static void describe(struct fs_world *w, const struct thing *t, char *text, size_t size) {
  char where[FS_DETECT_WHERE];
  if (t->bytes > 0)
    snprintf(text, size, "%s of %llu bytes, made by %s", t->kind, (unsigned long long)t->bytes,
             fs_detect_where(w, &t->by, where));
  else
    snprintf(text, size, "%s, made by %s", t->kind, fs_detect_where(w, &t->by, where));
}

void fs_detect_end(struct fs_unit *u, bool since_begin) {
  struct fs_world *w = u->world;
  if (!fs_detect_on(w, FAB_DETECT_LEAK)) return;
  const struct of_unit *x = of(w, u->fab.me);
  char first[END_BYTES] = "", text[END_BYTES];
  uint32_t left = 0;
  struct fs_detect_call posted;
  uint32_t handles = fs_detect_requests(w, u->fab.me, &posted);
  if (handles > 0) {
    char where[FS_DETECT_WHERE];
    snprintf(first, sizeof first, "handle that was not waited for, from %s",
             fs_detect_where(w, &posted, where));
    left = handles;
  }
  for (uint32_t i = 0; i < x->n_things; i++) {
    if (since_begin && !x->thing[i].in_run) continue;
    describe(w, &x->thing[i], text, sizeof text);
    if (left == 0) snprintf(first, sizeof first, "%s", text);
    if (left++ < LISTED)
      fprintf(stderr, "eyotcheck: unit %u has not released: %s\n", u->fab.me, text);
  }
  if (left == 0) return;
  if (left == 1)
    fs_check_failed(w, "leak: unit %u ends and has not released: %s", u->fab.me, first);
  else
    fs_check_failed(w,
                    "leak: unit %u ends and has not released %u things, of which the first is: %s",
                    u->fab.me, left, first);
}
