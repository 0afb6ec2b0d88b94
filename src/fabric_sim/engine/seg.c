/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.c - segments and attached ranges of all units. See seg.h. */
#include "fabric_sim/engine/seg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/image.h"
#include "fabric_sim/engine/engine.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/world.h"

#define SMALL_BYTES 4096u /* segments below this are packed */
#define SMALL_ALIGN 64u
#define FIRST_KEY 4096u /* so that 0 and small integers are never keys */
/* The segment of the program's data: the last slot, so that others have the same ids with and
 * without it. */
#define DATA_SLOT (FAB_SEG_MAX - 1)
#define DATA_ORDINAL UINT32_MAX
#define FRONT_UNITS 512u
#define FRONT_PARTS 16u
#define KEY_GAP 4096u /* between ranges: running over the end of one does not reach the next */

/* Attached ranges of one unit, sorted by key. Keys are never reused, so access after detach is
 * recognized. */
struct sim_range {
  uint64_t key, len;
  char *addr;
};
struct sim_attached {
  uint64_t next_key;
  uint32_t n, cap;
  struct sim_range *r;
};

/* Fewer units have their page tables in the cache in any case. A part of which the front is not a
 * small one is one piece. */
static uint64_t front_of(const struct sim_world *w, uint64_t len, uint64_t front) {
  return w->n >= FRONT_UNITS && front <= len / FRONT_PARTS ? front : 0;
}

static int map_segment(struct sim_world *w, struct sim_seg *s, uint64_t len, uint64_t front,
                       uint32_t ordinal) {
  uint64_t align = len < SMALL_BYTES ? SMALL_ALIGN : (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t stride, bytes;
  if (__builtin_add_overflow(len - front, align - 1, &stride) ||
      (stride -= stride % align, __builtin_mul_overflow(stride + front, w->n, &bytes)))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "a segment of %" PRIu64 " bytes on %u units is beyond the address space", len,
                      w->n);
  char *base = w->engine->map(w, &bytes, align == SMALL_ALIGN);
  if (base == MAP_FAILED)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "cannot map a segment of %" PRIu64
                      " bytes on each of %u units: %s; lower EYOT_HEAP_SIZE or the number of units",
                      len, w->n, strerror(errno));
  *s = (struct sim_seg){.base = base,
                        .len = len,
                        .map_bytes = bytes,
                        .front = front,
                        .stretch = {{base, front}, {base + w->n * front - front, stride}},
                        .ordinal = ordinal};
  return EYOT_OK;
}

/* Returns the run's n-th segment if a unit has mapped it already, else a free slot, else NULL. */
static struct sim_seg *find_slot(struct sim_world *w, uint32_t ordinal) {
  struct sim_seg *free_slot = NULL;
  for (uint32_t i = 0; i < FAB_SEG_MAX; i++) {
    struct sim_seg *s = &w->segs.slot[i];
    if (s->base != NULL && s->ordinal == ordinal) return s;
    if (s->base == NULL && free_slot == NULL) free_slot = s;
  }
  return free_slot;
}

int sim_seg_create(struct sim_unit *u, uint64_t len, uint64_t *front, fab_seg_t *seg) {
  struct sim_world *w = u->world;
  if (len == 0) return EYOTI_FAIL(EYOT_EINVAL, "a segment must have at least one byte");
  uint32_t slots = FAB_SEG_MAX - (w->segs.data != NULL);
  if (u->segs_live >= slots)
    return EYOTI_FAIL(EYOT_EBUSY, "%u segments are alive, no more are possible", slots);
  struct sim_seg *s;
  /* other units have yet to destroy their parts */
  while ((s = find_slot(w, u->segs_made)) == NULL) sim_unit_block(u, SIM_WAIT_SEGMENT);
  if (s->base == NULL) EYOTI_TRY(map_segment(w, s, len, front_of(w, len, *front), u->segs_made));
  if (s->len != len)
    return EYOTI_FAIL(EYOT_EMISMATCH,
                      "segment %u of the run: this unit asks for %" PRIu64
                      " bytes, another one for %" PRIu64,
                      u->segs_made, len, s->len);
  if (w->segs.bound <= (uint32_t)(s - w->segs.slot))
    w->segs.bound = (uint32_t)(s - w->segs.slot) + 1;
  if (++s->created == w->n && sim_observed(w)) sim_observe_barrier(w);
  *front = s->front;
  u->segs_made++;
  u->segs_live++;
  *seg = (fab_seg_t)(s - w->segs.slot);
  return EYOT_OK;
}

uint64_t sim_seg_reach(struct sim_world *w, uint64_t want) {
  if (w->segs.reach == 0) w->segs.reach = w->engine->reach(w);
  uint64_t part = w->segs.reach / w->n;
  return want < part ? want : part;
}

static int check_seg(const struct sim_world *w, fab_seg_t seg) {
  if (seg >= FAB_SEG_MAX || w->segs.slot[seg].base == NULL)
    return EYOTI_FAIL(EYOT_ESEG, "there is no segment %u", seg);
  return EYOT_OK;
}

int sim_seg_destroy(struct sim_unit *u, fab_seg_t seg) {
  struct sim_world *w = u->world;
  EYOTI_TRY(check_seg(w, seg));
  struct sim_seg *s = &w->segs.slot[seg];
  if (s->parts != NULL)
    return EYOTI_FAIL(EYOT_ESEG, "segment %u is the program's data, which stays", seg);
  if (u->segs_live > 0) u->segs_live--;
  if (++s->destroyed < w->n) return EYOT_OK;
  w->engine->unmap(w, s->base, s->map_bytes);
  *s = (struct sim_seg){0};
  if (sim_observed(w)) sim_observe_barrier(w);
  for (uint32_t i = 0; i < w->n; i++)
    if (w->units[i].state == SIM_WAIT_SEGMENT) w->engine->ready(&w->units[i], w->now_ps + 1);
  return EYOT_OK;
}

int sim_seg_check(const struct sim_world *w, struct fab_addr a, uint64_t len) {
  if (a.unit >= w->n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", a.unit, w->n);
  if (a.seg == FAB_SEG_ATTACHED) return EYOT_OK;
  EYOTI_TRY(check_seg(w, a.seg));
  const struct sim_seg *s = &w->segs.slot[a.seg];
  uint64_t have = s->len;
  if (len <= have && a.off <= have - len && !sim_seg_has(s, a.off, len))
    return EYOTI_FAIL(EYOT_ERANGE,
                      "bytes [%" PRIu64 ", +%" PRIu64 ") reach across byte %" PRIu64
                      " of segment %u, where its memory is in two pieces",
                      a.off, len, s->front, a.seg);
  if (!sim_seg_has(s, a.off, len))
    return EYOTI_FAIL(EYOT_ERANGE,
                      "bytes [%" PRIu64 ", +%" PRIu64 ") are outside segment %u of %" PRIu64
                      " bytes",
                      a.off, len, a.seg, have);
  return EYOT_OK;
}

/* Returns the index of the first range that ends after `off`; a->n if none does. */
static uint32_t range_at(const struct sim_attached *a, uint64_t off) {
  uint32_t lo = 0, hi = a->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (a->r[mid].key + a->r[mid].len > off)
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

void *sim_seg_at(struct sim_world *w, uint32_t unit, uint32_t seg, uint64_t off, uint64_t len) {
  if (__builtin_expect(seg < FAB_SEG_MAX, 1)) return sim_segs_at(&w->segs, unit, seg, off, len);
  const struct sim_attached *a = w->units[unit].attached;
  if (a == NULL) return NULL;
  uint32_t i = range_at(a, off);
  if (i == a->n || off < a->r[i].key) return NULL;
  uint64_t at = off - a->r[i].key;
  return len <= a->r[i].len - at ? a->r[i].addr + at : NULL;
}

uint64_t sim_seg_trace_off(const struct sim_world *w, uint32_t unit, uint32_t seg, uint64_t off) {
  if (__builtin_expect(seg != FAB_SEG_ATTACHED, 1)) return off;
  const struct sim_attached *a = w->units[unit].attached;
  uint32_t i = a != NULL ? range_at(a, off) : 0;
  if (a == NULL || i == a->n || off < a->r[i].key) return off / KEY_GAP * KEY_GAP;
  return off - (uintptr_t)a->r[i].addr % KEY_GAP;
}

/* The unit and the offset of the byte that is `at` after the segment's first. */
static uint64_t place_of(const struct sim_seg *s, uint32_t n_units, uint64_t at, uint32_t *unit) {
  const uint64_t fronts = n_units * s->front;
  const uint64_t stride = s->stretch[at >= fronts].stride;
  const uint64_t from = at >= fronts ? at - fronts : at;
  *unit = (uint32_t)(from / stride);
  return from % stride + (at >= fronts ? s->front : 0);
}

bool sim_seg_find(const struct sim_world *w, uint32_t by, const void *p, uint64_t len,
                  uint32_t *unit, uint32_t *seg, uint64_t *off) {
  for (uint32_t i = 0; i < w->segs.bound; i++) {
    const struct sim_seg *s = &w->segs.slot[i];
    uint64_t at = (uint64_t)((const char *)p - s->base);
    if (s->base == NULL || s->parts != NULL || at >= s->map_bytes) continue;
    at = place_of(s, w->n, at, unit);
    if (!sim_seg_has(s, at, len)) continue;
    *seg = i;
    *off = at;
    return *unit < w->n;
  }
  const struct sim_seg *d = w->segs.data;
  if (d != NULL) { /* a unit has addresses of its own copy only */
    uint64_t at = (uint64_t)((const char *)p - d->parts[by]);
    *unit = by;
    *seg = DATA_SLOT;
    *off = at;
    if (at < d->len && len <= d->len - at) return true;
  }
  const struct sim_attached *a = w->units[by].attached;
  for (uint32_t i = 0; a != NULL && i < a->n; i++) {
    uint64_t at = (uint64_t)((const char *)p - a->r[i].addr);
    if (at >= a->r[i].len || len > a->r[i].len - at) continue;
    *unit = by;
    *seg = FAB_SEG_ATTACHED;
    *off = a->r[i].key + at;
    return true;
  }
  return false;
}

int sim_seg_attach(struct sim_unit *u, void *addr, uint64_t len, uint64_t *key) {
  if (addr == NULL || len == 0)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot attach %" PRIu64 " bytes at %p", len, addr);
  struct sim_attached *a = u->attached;
  if (a == NULL) {
    if ((a = calloc(1, sizeof *a)) == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory for attached ranges");
    a->next_key = FIRST_KEY;
    u->attached = a;
  }
  if (a->n == a->cap) {
    uint32_t cap = a->cap == 0 ? 4 : a->cap * 2;
    struct sim_range *r = realloc(a->r, cap * sizeof *r);
    if (r == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u attached ranges", cap);
    a->r = r;
    a->cap = cap;
  }
  /* The key has the address's alignment, so that alignment of offsets is alignment of addresses. */
  uint64_t k = a->next_key + (uintptr_t)addr % KEY_GAP;
  if (len > UINT64_MAX - k - 2 * KEY_GAP)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot attach %" PRIu64 " bytes", len);
  a->r[a->n++] = (struct sim_range){.key = k, .len = len, .addr = addr};
  a->next_key = (k + len + 2 * KEY_GAP - 1) / KEY_GAP * KEY_GAP;
  *key = k;
  return EYOT_OK;
}

int sim_seg_detach(struct sim_unit *u, uint64_t key) {
  struct sim_attached *a = u->attached;
  uint32_t i = a == NULL ? 0 : range_at(a, key);
  if (a == NULL || i == a->n || a->r[i].key != key)
    return EYOTI_FAIL(EYOT_EINVAL, "%#" PRIx64 " is not the key of an attached range", key);
  memmove(&a->r[i], &a->r[i + 1], (a->n - i - 1) * sizeof *a->r);
  a->n--;
  return EYOT_OK;
}

void sim_seg_drop_attached(struct sim_unit *u) {
  if (u->attached == NULL) return;
  free(u->attached->r);
  free(u->attached);
  u->attached = NULL;
}

/* A table of the parts, because the loader decides where copies of the program lie. */
static int make_data(struct sim_world *w) {
  const struct eyoti_image *image = sim_prog_image(w->prog);
  if (sim_prog_copies(w->prog) < w->n)
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "all units share the globals of the program (--shared-globals), so that none "
                      "has data of its own: run it without that option");
  if (image == NULL)
    return EYOTI_FAIL(EYOT_ENOTSUP, "%s has no data that other units could use, or none was found",
                      sim_prog_file(w->prog));
  struct sim_seg *s = &w->segs.slot[DATA_SLOT];
  if (s->base != NULL)
    return EYOTI_FAIL(EYOT_EBUSY, "%u segments are alive, and the program's data needs one more",
                      FAB_SEG_MAX);
  char **parts = malloc(w->n * sizeof *parts);
  if (parts == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u units", w->n);
  for (uint32_t i = 0; i < w->n; i++) parts[i] = sim_prog_address(w->prog, i, image->lo);
  *s = (struct sim_seg){
      .base = parts[0], .len = image->hi - image->lo, .parts = parts, .ordinal = DATA_ORDINAL};
  w->segs.data = s;
  return EYOT_OK;
}

int sim_segs_init(struct sim_world *w) {
  const struct eyoti_image *image = sim_prog_image(w->prog);
  bool made = image != NULL && image->asks && sim_prog_copies(w->prog) == w->n;
  return made ? make_data(w) : EYOT_OK;
}

int sim_seg_data(struct sim_unit *u, struct fab_data *data) {
  struct sim_world *w = u->world;
  if (w->segs.data == NULL) EYOTI_TRY(make_data(w));
  (void)sim_seg_data_known(u, data);
  return EYOT_OK;
}

bool sim_seg_data_known(const struct sim_unit *u, struct fab_data *data) {
  const struct sim_world *w = u->world;
  const struct sim_seg *s = w->segs.data;
  if (s == NULL) return false;
  *data = (struct fab_data){.seg = DATA_SLOT,
                            .own = s->parts[u->fab.me],
                            .len = s->len,
                            .image = sim_prog_image(w->prog)};
  return true;
}

void sim_segs_fini(struct sim_world *w) {
  for (uint32_t i = 0; i < FAB_SEG_MAX; i++) {
    const struct sim_seg *s = &w->segs.slot[i];
    if (s->parts != NULL)
      free(s->parts);
    else if (s->base != NULL)
      munmap(s->base, s->map_bytes);
  }
}
