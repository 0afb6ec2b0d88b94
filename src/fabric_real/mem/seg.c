/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.c - segments: a shared window on the node, and an MPI window over the same memory when
 * there are other nodes.
 *
 * With progress processes (progress/engine.h) these have no part of their own, map all parts of
 * their node, and expose them all in the MPI window instead of the units. Both windows stay in one
 * lock_all epoch for the life of the segment. Memory that no other unit maps is mmapped instead,
 * which is zero and is not committed before use; in a shared window the same is reached by punching
 * a hole into the own part. */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include "base/conf.h"
#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/progress/engine.h"

#define GENERATIONS (FAB_SEG_ATTACHED / FAB_SEG_MAX) /* ids stay below FAB_SEG_ATTACHED */

int fmpi_bad_address(const struct fmpi *f, struct fab_addr a, uint64_t len) {
  const struct fmpi_seg *s = &f->seg[a.seg % FAB_SEG_MAX];
  if (!s->live || s->id != a.seg)
    return EYOTI_FAIL(EYOT_ESEG, "segment %u does not exist (any more)", a.seg);
  if (a.unit >= f->fab.n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", a.unit, f->fab.n);
  return EYOTI_FAIL(EYOT_ERANGE,
                    "bytes %" PRIu64 " to %" PRIu64 "+%" PRIu64
                    " of unit %u, its segment has %" PRIu64,
                    a.off, a.off, len, a.unit, s->len);
}

uint64_t fmpi_shared_space(void) {
  struct statvfs fs;
  /* else shared memory is elsewhere */
  return statvfs(FMPI_SHM_FOLDER, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

bool fmpi_alone(const struct fmpi *f) {
  return f->fab.local.n == 1 && f->servers == 0;
}

int fmpi_seg_available(struct fab *fab, uint64_t *len) {
  struct fmpi *f = fmpi_of(fab);
  uint64_t room =
      fmpi_alone(f) ? UINT64_MAX : fmpi_shared_space() / f->machine_units / FMPI_PAGE * FMPI_PAGE;
  uint64_t lacking = room > INT64_MAX ? 0 : INT64_MAX - room;
  EYOTI_TRY(fmpi_max(f, &lacking, 1));
  *len = lacking == 0 ? UINT64_MAX : INT64_MAX - lacking;
  return EYOT_OK;
}

/* A file system too small for the segments shows itself by SIGBUS much later; better to say so
 * now. */
static int check_shared_space(const struct fmpi *f, uint64_t part) {
  uint64_t there = fmpi_shared_space();
  if (there / f->machine_units >= part) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "%u units of this machine need %" PRIu64
                    " bytes of shared memory each, %s has %" PRIu64 " left, so that %" PRIu64
                    " would fit: lower EYOT_HEAP_SIZE, start fewer units, or enlarge it (mount -o "
                    "remount,size=... %s)",
                    f->machine_units, part, FMPI_SHM_FOLDER, there, there / part, FMPI_SHM_FOLDER);
}

/* All units learn whether all agree on the length and could begin; what differs is reported by
 * every unit. */
static int seg_agree(struct fmpi *f, uint64_t len, int rc) {
  uint64_t words[3] = {len, ~len, (uint64_t)-rc};
  EYOTI_TRY(fmpi_max(f, words, 3));
  if (rc != 0) return rc;
  if (words[0] != ~words[1])
    return EYOTI_FAIL(EYOT_EINVAL,
                      "the units ask for segments of %" PRIu64 " to %" PRIu64
                      " bytes; all must ask for the same",
                      ~words[1], words[0]);
  if (words[2] != 0)
    return EYOTI_FAIL(-(int)words[2],
                      "another unit has no memory for a segment of %" PRIu64 " bytes", len);
  return EYOT_OK;
}

/* Begins where a huge page can. */
static int own_mapping(struct fmpi_seg *s, uint64_t part) {
  uint64_t spare = part >= FMPI_HUGE_PAGE ? FMPI_HUGE_PAGE : 0;
  char *p = mmap(NULL, part + spare, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a segment of %" PRIu64 " bytes", part);
  uint64_t before = spare == 0 ? 0 : (spare - (uintptr_t)p % spare) % spare;
  if (before != 0) (void)munmap(p, before);
  if (spare != before) (void)munmap(p + before + part, spare - before);
  s->base = p + before;
  s->mapped_bytes = part;
  s->stride = part;
  return EYOT_OK;
}

static void zero_own_part(char *own, uint64_t part) {
  if (madvise(own, part, MADV_REMOVE) != 0) memset(own, 0, part);
}

/* Where the shared window lies, from its first byte on: the unit that comes first asked for a page
 * more, because Open MPI begins windows wherever its own state ends. Equal strides from a page on
 * are what the inline path computes with. own NULL: a progress process, which has no part. */
static int find_layout(const struct fmpi *f, struct fmpi_seg *s, const char *own, uint64_t part) {
  MPI_Aint size;
  int unit_bytes;
  char *first;
  uint32_t k = f->fab.me - f->fab.local.first;
  FMPI_TRY(MPI_Win_shared_query(s->shared, 0, &size, &unit_bytes, &first));
  if (own != NULL && own != first + (k == 0 ? 0 : FMPI_PAGE + k * part))
    return EYOTI_FAIL(
        EYOT_ESYS,
        "MPI laid out the shared window as unit %u at %p, base %p; expected steps of %" PRIu64
        " bytes",
        f->fab.me, (const void *)own, (const void *)first, part);
  s->base = first + (FMPI_PAGE - (uintptr_t)first % FMPI_PAGE) % FMPI_PAGE;
  s->stride = part;
  return EYOT_OK;
}

static int share(struct fmpi *f, struct fmpi_seg *s, uint64_t part) {
  char *own;
  bool serves = f->server != FMPI_UNIT;
  uint32_t k = serves ? 0 : f->fab.me - f->fab.local.first;
  int rc = MPI_Win_allocate_shared((MPI_Aint)(serves   ? 0
                                              : k == 0 ? part + FMPI_PAGE
                                                       : part),
                                   1, MPI_INFO_NULL, f->node, &own, &s->shared);
  if (rc != MPI_SUCCESS) {
    s->shared = MPI_WIN_NULL;
    (void)fmpi_mpi_failed(__func__, "MPI_Win_allocate_shared", rc);
    return EYOT_ENOMEM;
  }
  FMPI_TRY(MPI_Win_set_errhandler(s->shared, MPI_ERRORS_RETURN));
  FMPI_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, s->shared));
  EYOTI_TRY(find_layout(f, s, serves ? NULL : own, part));
  if (!serves) zero_own_part(s->base + k * part, part);
  return EYOT_OK;
}

static int check_model(MPI_Win win) {
  int *model, found;
  FMPI_TRY(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found));
  if (found == 0 || *model != MPI_WIN_UNIFIED)
    return EYOTI_FAIL(
        EYOT_ESYS,
        "MPI's windows are not of the unified memory model on this machine, which eyot requires");
  return EYOT_OK;
}

static int expose(struct fmpi *f, struct fmpi_seg *s) {
  char *from = s->base + (uint64_t)(f->fab.me - f->fab.local.first) * s->stride;
  uint64_t len = s->len;
  if (f->server != FMPI_UNIT)
    from = s->base, len = f->fab.local.n * s->stride;
  else if (f->servers != 0)
    len = 0; /* fmpi_target_rank addresses progress processes */
  FMPI_TRY(MPI_Win_create(from, (MPI_Aint)len, 1, MPI_INFO_NULL, f->wide, &s->rma));
  FMPI_TRY(MPI_Win_set_errhandler(s->rma, MPI_ERRORS_RETURN));
  FMPI_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, s->rma));
  return check_model(s->rma);
}

/* The user may ask for it; small segments are control memory. */
static int ask_for_huge_pages(const struct fmpi *f, struct fmpi_seg *s, uint64_t part) {
  uint64_t huge;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_HEAP_HUGE, &huge));
  char *own = s->base + (uint64_t)(f->fab.me - f->fab.local.first) * s->stride;
  if (huge != 0 && part >= FMPI_HUGE_PAGE && madvise(own, part, MADV_HUGEPAGE) != 0)
    eyoti_log(EYOTI_LOG_INFO, __func__, EYOT_ENOTSUP,
              "the system has no huge pages for a segment of %" PRIu64 " bytes", part);
  return EYOT_OK;
}

static int open_windows(struct fmpi *f, struct fmpi_seg *s, uint64_t part) {
  if (!fmpi_alone(f)) {
    EYOTI_TRY(share(f, s, part));
    EYOTI_TRY(check_model(s->shared));
  }
  return f->one_node ? EYOT_OK : expose(f, s);
}

/* promised: how much of the part must be there now. */
static int seg_build(struct fmpi *f, struct fmpi_seg *s, uint64_t part, uint64_t promised) {
  EYOTI_TRY(seg_agree(
      f, s->len,
      fmpi_alone(f) ? own_mapping(s, part) : check_shared_space(f, f->pins ? part : promised)));
  /* all are here: none waits for a progress process */
  if (f->servers != 0) EYOTI_TRY(fmpi_engine_command(f, FMPI_DO_CREATE, s->id, s->len));
  EYOTI_TRY(open_windows(f, s, part));
  EYOTI_TRY(ask_for_huge_pages(f, s, part));
  return fmpi_meet(f); /* nobody's first put may come before another's zeroes */
}

static uint64_t seg_part_of(uint64_t len) {
  return (len + FMPI_PAGE - 1) / FMPI_PAGE * FMPI_PAGE;
}

int fmpi_seg_serve(struct fmpi *f, fab_seg_t id, uint64_t len) {
  struct fmpi_seg *s = &f->seg[id % FAB_SEG_MAX];
  *s = (struct fmpi_seg){.id = id,
                         .generation = id / FAB_SEG_MAX,
                         .len = len,
                         .shared = MPI_WIN_NULL,
                         .rma = MPI_WIN_NULL};
  EYOTI_TRY(open_windows(f, s, seg_part_of(len)));
  s->live = true;
  return EYOT_OK;
}

int fmpi_seg_release(struct fmpi_seg *s) {
  if (s->rma != MPI_WIN_NULL) {
    FMPI_TRY(MPI_Win_unlock_all(s->rma));
    FMPI_TRY(MPI_Win_free(&s->rma));
  }
  if (s->shared != MPI_WIN_NULL) {
    FMPI_TRY(MPI_Win_unlock_all(s->shared));
    FMPI_TRY(MPI_Win_free(&s->shared));
  }
  if (s->mapped_bytes != 0) munmap(s->base, s->mapped_bytes);
  s->mapped_bytes = 0;
  s->live = false;
  return EYOT_OK;
}

int fmpi_seg_create(struct fab *fab, uint64_t len, fab_seg_t *seg) {
  return fmpi_seg_reserve(fab, len, len, seg);
}

int fmpi_seg_reserve(struct fab *fab, uint64_t len, uint64_t promised, fab_seg_t *seg) {
  struct fmpi *f = fmpi_of(fab);
  EYOTI_ASSERT(promised <= len);
  if (len == 0 || len > (uint64_t)PTRDIFF_MAX - FMPI_PAGE)
    return EYOTI_FAIL(EYOT_EINVAL, "a segment of %" PRIu64 " bytes", len);
  uint32_t slot = 0;
  while (slot < FAB_SEG_MAX && f->seg[slot].live) slot++;
  if (slot == FAB_SEG_MAX) return EYOTI_FAIL(EYOT_EBUSY, "%u segments exist already", FAB_SEG_MAX);
  struct fmpi_seg *s = &f->seg[slot];
  uint32_t generation = (s->generation + 1) % GENERATIONS;
  *s = (struct fmpi_seg){.id = slot + generation * FAB_SEG_MAX,
                         .generation = generation,
                         .len = len,
                         .shared = MPI_WIN_NULL,
                         .rma = MPI_WIN_NULL};
  /* see ops/remote_amo.h */
  if (f->remote_amos != NULL) EYOTI_TRY(fmpi_drain(f, FAB_ALL, FAB_REMOTE));
  int rc = seg_build(f, s, seg_part_of(len), seg_part_of(promised));
  if (rc != 0) {
    /* Before MPI was asked all units have failed alike, and only a private mapping is to be undone;
     * a failure of MPI itself ends the run. */
    if (s->shared == MPI_WIN_NULL && s->rma == MPI_WIN_NULL) (void)fmpi_seg_release(s);
    return rc;
  }
  s->live = true;
  *seg = s->id;
  return EYOT_OK;
}

int fmpi_seg_find(const struct fmpi *f, fab_seg_t seg, const struct fmpi_seg **out) {
  const struct fmpi_seg *s = &f->seg[seg % FAB_SEG_MAX];
  if (seg == FAB_SEG_ATTACHED || !s->live || s->id != seg)
    return EYOTI_FAIL(EYOT_ESEG, "segment %u does not exist (any more)", seg);
  *out = s;
  return EYOT_OK;
}

int fmpi_seg_destroy(struct fab *fab, fab_seg_t seg) {
  struct fmpi *f = fmpi_of(fab);
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(f, seg, &s));
  EYOTI_TRY(fmpi_drain(f, FAB_ALL, FAB_REMOTE));
  EYOTI_TRY(fmpi_meet(f));
  if (f->servers != 0) EYOTI_TRY(fmpi_engine_command(f, FMPI_DO_DESTROY, seg, 0));
  return fmpi_seg_release(&f->seg[seg % FAB_SEG_MAX]);
}

int fmpi_seg_ptr(struct fab *fab, fab_seg_t seg, fab_unit_t unit, void **ptr) {
  struct fmpi *f = fmpi_of(fab);
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(f, seg, &s));
  if (unit >= fab->n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", unit, fab->n);
  uint32_t k = unit - fab->local.first;
  if (k >= fab->local.n) return EYOT_ENOTSUP; /* a question, not a mistake: not logged */
  *ptr = s->base + (uint64_t)k * s->stride;
  return EYOT_OK;
}

int fmpi_seg_map(struct fab *fab, fab_seg_t seg, char **base, uint64_t *stride) {
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(fmpi_of(fab), seg, &s));
  *base = s->base;
  *stride = s->stride;
  return EYOT_OK;
}
