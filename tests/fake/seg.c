/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.c - segments and attached memory of the fake fabric, and the collective step that segments
 * and the end of a run use. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/image.h"
#include "fake/state.h"

#define PAGE 4096u
#define SMALL_ALIGN 64u
#define KEY_GAP 4096u

static bool coll_over(struct fake_unit *u) {
  return u->w->coll_gen != u->arg_value;
}

/* An imagined program: two ranges of objects, and a table of the linker between them. */
#define DATA_BYTES (4u * PAGE)
static struct eyoti_image_range data_ranges[] = {{192, PAGE}, {PAGE + 256, DATA_BYTES - 100}};
static const struct eyoti_image data_image = {.path = (char *)(uintptr_t) "/proc/self/exe",
                                              .data = data_ranges,
                                              .n_data = 2,
                                              .n_pages = 1,
                                              .pages = {{0, DATA_BYTES, PAGE}},
                                              .hi = DATA_BYTES};

/* All units meet; the last one acts for all; all return its result. `value` must be the same on
 * all. */
int fake_collective(struct fake_unit *u, uint64_t value, int (*act)(struct fake_world *w),
                    const char *why) {
  struct fake_world *w = u->w;
  if (w->arrived++ == 0) {
    w->coll_value = value;
    w->coll_rc = EYOT_OK;
  } else if (value != w->coll_value) {
    w->coll_rc = EYOTI_FAIL(EYOT_EMISMATCH, "%s: this unit passes %llu, another one %llu", why,
                            (unsigned long long)value, (unsigned long long)w->coll_value);
  }
  if (w->arrived == w->o.n) {
    if (w->coll_rc == 0) w->coll_rc = act(w);
    w->arrived = 0;
    w->coll_gen++;
    fake_offer(u);
    return w->coll_rc;
  }
  u->arg = NULL;
  u->arg_value = w->coll_gen;
  u->arg_kind = UINT32_MAX;
  EYOTI_TRY(fake_park(u, coll_over, UINT64_MAX, why));
  return w->coll_rc; /* the next collective cannot end before this unit has entered it */
}

static int create(struct fake_world *w) {
  fab_seg_t i = 0;
  while (i < FAB_SEG_MAX && w->segs[i].base != NULL) i++;
  if (i == FAB_SEG_MAX)
    return EYOTI_FAIL(EYOT_EBUSY, "%u segments are alive, no more are possible", FAB_SEG_MAX);
  uint64_t align = w->coll_value < PAGE ? SMALL_ALIGN : PAGE, stride, bytes;
  if (__builtin_add_overflow(w->coll_value, align - 1, &stride) ||
      __builtin_mul_overflow(stride -= stride % align, w->o.n, &bytes) ||
      __builtin_add_overflow(bytes, PAGE, &bytes)) /* a page to spare for FAKE_OFF_BY_ONE */
    return EYOTI_FAIL(EYOT_ENOMEM, "a segment of %llu bytes a unit is beyond the address space",
                      (unsigned long long)w->coll_value);
  char *base =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return EYOTI_FAIL(EYOT_ENOMEM, "no %llu bytes for a segment", (unsigned long long)bytes);
  if (w->o.fault == FAKE_DIRTY_SEGMENT) memset(base, 0x5a, bytes);
  w->segs[i] =
      (struct fake_seg){.base = base, .len = w->coll_value, .stride = stride, .bytes = bytes};
  if (w->coll_reserve) {
    w->segs[i].secured = fake_alloc(bytes / PAGE);
    if (mprotect(base, bytes, PROT_NONE) != 0)
      return EYOTI_FAIL(EYOT_ESYS, "cannot protect %llu bytes", (unsigned long long)bytes);
  }
  w->coll_seg = i;
  return EYOT_OK;
}

/* The units of a fake run share the globals of the test: each has a piece of memory instead, as if
 * its program's data lay there. */
int fake_seg_data(struct fab *f, struct fab_data *data) {
  struct fake_unit *u = fake_of(f);
  struct fake_world *w = u->w;
  EYOTI_TRY(fake_enter(u));
  if (!w->has_data) {
    uint64_t value = w->coll_value; /* a collective may be under way */
    fab_seg_t seg = w->coll_seg;
    bool reserve = w->coll_reserve;
    w->coll_value = DATA_BYTES;
    w->coll_reserve = false;
    int rc = create(w);
    w->data = w->coll_seg;
    w->has_data = rc == EYOT_OK;
    w->coll_value = value;
    w->coll_seg = seg;
    w->coll_reserve = reserve;
    if (rc != EYOT_OK) return rc;
  }
  (void)fake_seg_data_known(f, data);
  return EYOT_OK;
}

bool fake_seg_data_known(const struct fab *f, struct fab_data *data) {
  const struct fake_world *w = ((const struct fake_unit *)(const void *)f)->w;
  const struct fake_seg *s = &w->segs[w->data];
  if (!w->has_data) return false;
  *data = (struct fab_data){
      .seg = w->data, .own = s->base + f->me * s->stride, .len = s->len, .image = &data_image};
  return true;
}

int fake_seg_create(struct fab *f, uint64_t len, fab_seg_t *seg) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  if (len == 0) return EYOTI_FAIL(EYOT_EINVAL, "a segment must have at least one byte");
  u->w->coll_reserve = false;
  EYOTI_TRY(fake_collective(u, len, create, "all units to create a segment"));
  *seg = u->w->coll_seg;
  return EYOT_OK;
}

int fake_seg_reserve(struct fab *f, uint64_t len, uint64_t promised, uint64_t *front,
                     fab_seg_t *seg) {
  *front = 0;
  struct fake_unit *u = fake_of(f);
  if (u->w->o.secure_bytes == 0) return fake_seg_create(f, len, seg);
  EYOTI_TRY(fake_enter(u));
  if (promised > len) return EYOTI_FAIL(EYOT_EINVAL, "more is promised than reserved");
  u->w->coll_reserve = true;
  EYOTI_TRY(fake_collective(u, len, create, "all units to reserve a segment"));
  *seg = u->w->coll_seg;
  return EYOT_OK;
}

/* Not a call that can fail: its result does not depend on others. */
int fake_seg_reach(struct fab *f, uint64_t want, uint64_t *len) {
  uint64_t room = fake_of(f)->w->o.seg_available;
  *len = room == 0 || want < room ? want : room;
  return EYOT_OK;
}

static int protect(struct fake_unit *u, fab_seg_t seg, uint64_t begin, uint64_t end, bool secured) {
  const struct fake_seg *s = &u->w->segs[seg];
  char *own = s->base + u->fab.me * s->stride, *pages = s->secured + u->fab.me * (s->stride / PAGE);
  uint64_t changed = 0;
  for (uint64_t i = begin / PAGE; i < end / PAGE; i++) changed += (pages[i] != 0) != secured;
  if (secured && u->secured + changed * PAGE > u->w->o.secure_bytes)
    return EYOTI_FAIL(EYOT_ENOMEM, "%llu pages more than there are", (unsigned long long)changed);
  u->secured = secured ? u->secured + changed * PAGE : u->secured - changed * PAGE;
  memset(pages + begin / PAGE, secured, (end - begin) / PAGE);
  if (!secured) (void)madvise(own + begin, end - begin, MADV_DONTNEED);
  return mprotect(own + begin, end - begin, secured ? PROT_READ | PROT_WRITE : PROT_NONE) == 0
             ? EYOT_OK
             : EYOT_ESYS;
}

static int check_reserved(const struct fake_unit *u, fab_seg_t seg, uint64_t off, uint64_t len) {
  const struct fake_seg *s = seg < FAB_SEG_MAX ? &u->w->segs[seg] : NULL;
  if (s == NULL || s->secured == NULL)
    return EYOTI_FAIL(EYOT_ESEG, "segment %u is not a reserved one", seg);
  return len <= s->len && off <= s->len - len ? EYOT_OK
                                              : EYOTI_FAIL(EYOT_ERANGE, "outside segment %u", seg);
}

int fake_seg_secure(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  EYOTI_TRY(check_reserved(u, seg, off, len));
  return protect(u, seg, off / PAGE * PAGE, (off + len + PAGE - 1) / PAGE * PAGE, true);
}

int fake_seg_return(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(check_reserved(u, seg, off, len));
  uint64_t begin = (off + PAGE - 1) / PAGE * PAGE, end = (off + len) / PAGE * PAGE;
  return begin < end ? protect(u, seg, begin, end, false) : EYOT_OK;
}

int fake_seg_available(struct fab *f, uint64_t *len) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  *len = u->w->o.seg_available == 0 ? UINT64_MAX : u->w->o.seg_available;
  return EYOT_OK;
}

void fake_seg_unmap(struct fake_seg *s) {
  munmap(s->base, s->bytes);
  free(s->secured);
}

static int destroy(struct fake_world *w) {
  struct fake_seg *s = &w->segs[w->coll_value];
  fake_seg_unmap(s);
  *s = (struct fake_seg){0};
  return EYOT_OK;
}

static int check_seg(const struct fake_world *w, fab_seg_t seg) {
  if (seg >= FAB_SEG_MAX || w->segs[seg].base == NULL)
    return EYOTI_FAIL(EYOT_ESEG, "there is no segment %u", seg);
  return EYOT_OK;
}

int fake_seg_destroy(struct fab *f, fab_seg_t seg) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  EYOTI_TRY(check_seg(u->w, seg));
  return fake_collective(u, seg, destroy, "all units to destroy a segment");
}

int fake_seg_ptr(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr) {
  struct fake_unit *u = fake_of(f);
  const struct fake_world *w = u->w;
  EYOTI_TRY(fake_enter(u));
  EYOTI_TRY(check_seg(w, seg));
  if (unit >= w->o.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, w->o.n);
  if (unit != f->me && !(w->o.mapped && fake_same_node(w, f->me, unit))) return EYOT_ENOTSUP;
  *ptr = w->segs[seg].base + unit * w->segs[seg].stride + off;
  return EYOT_OK;
}

int fake_seg_map(struct fab *f, fab_seg_t seg, char **base, uint64_t *stride) {
  struct fake_unit *u = fake_of(f);
  const struct fake_world *w = u->w;
  EYOTI_TRY(fake_enter(u));
  EYOTI_TRY(check_seg(w, seg));
  if (f->local.n == 0) return EYOT_ENOTSUP;
  *base = w->segs[seg].base + f->local.first * w->segs[seg].stride;
  *stride = w->segs[seg].stride;
  return EYOT_OK;
}

/* No step, and none that fails: a question about addresses. */
int fake_seg_common(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr) {
  struct fake_unit *u = fake_of(f);
  const struct fake_world *w = u->w;
  EYOTI_TRY(check_seg(w, seg));
  if (unit >= w->o.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, w->o.n);
  if (!fake_same_node(w, f->me, unit)) return EYOT_ENOTSUP;
  *ptr = w->segs[seg].base + unit * w->segs[seg].stride + off;
  return EYOT_OK;
}

bool fake_seg_find(struct fab *f, fab_seg_t seg, const void *p, uint64_t len, fab_unit_t *unit,
                   uint64_t *off) {
  const struct fake_world *w = fake_of(f)->w;
  uint64_t at = (uint64_t)((uintptr_t)p - (uintptr_t)w->segs[seg].base);
  if (w->segs[seg].base == NULL || at / w->segs[seg].stride >= w->o.n) return false;
  *unit = (fab_unit_t)(at / w->segs[seg].stride);
  *off = at % w->segs[seg].stride;
  return *off <= w->segs[seg].len && len <= w->segs[seg].len - *off;
}

int fake_attach(struct fab *f, void *addr, uint64_t len, uint64_t *key) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  if (addr == NULL || len == 0)
    return EYOTI_FAIL(EYOT_EINVAL, "cannot attach %llu bytes at %p", (unsigned long long)len, addr);
  if (u->n_ranges == FAKE_RANGES_MAX)
    return EYOTI_FAIL(EYOT_ENOMEM, "%u ranges were attached", FAKE_RANGES_MAX);
  if (u->ranges == NULL) u->ranges = fake_alloc(FAKE_RANGES_MAX * sizeof *u->ranges);
  /* Keys are never reused, and are aligned as the address is. */
  uint64_t k = u->next_key + (uintptr_t)addr % KEY_GAP;
  u->ranges[u->n_ranges++] = (struct fake_range){.key = k, .len = len, .addr = addr, .live = true};
  u->next_key = (k + len + 2 * KEY_GAP) / KEY_GAP * KEY_GAP;
  *key = k;
  return EYOT_OK;
}

int fake_detach(struct fab *f, uint64_t key) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  for (uint32_t i = 0; i < u->n_ranges; i++) {
    if (u->ranges[i].key != key || !u->ranges[i].live) continue;
    u->ranges[i].live = false;
    return EYOT_OK;
  }
  return EYOTI_FAIL(EYOT_EINVAL, "%#llx is not the key of an attached range",
                    (unsigned long long)key);
}
