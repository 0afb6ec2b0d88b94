/* SPDX-License-Identifier: BSD-3-Clause */
/* seg.c - see seg.h.
 *
 * Progress processes (progress/engine.h) have no part of their own, map all parts of their node,
 * and expose them all in the MPI window instead of the units. The window stays in one lock_all
 * epoch for the life of the segment. Memory that no other unit maps is mmapped instead, which is
 * zero and is not committed before use. */
#include "fabric_real/mem/seg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fabric_real/wait/spin.h"

#define SPARE_SPACE_BYTES (UINT64_C(64) << 20) /* of address space, left to MPI and the program */

uint64_t fmpi_shared_space(void) {
  struct statvfs fs;
  /* fails where shared memory is not a file system */
  return statvfs(FMPI_SHM_FOLDER, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

uint64_t fmpi_address_space(void) {
  struct rlimit r;
  unsigned long pages = 0;
  if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  FILE *f = fopen("/proc/self/statm", "re");
  if (f == NULL || fscanf(f, "%lu", &pages) != 1) pages = 0;
  if (f != NULL) fclose(f);
  uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + SPARE_SPACE_BYTES;
  return used < r.rlim_cur ? r.rlim_cur - used : 0;
}

uint64_t fmpi_seg_space(const struct fmpi *f) {
  uint64_t shared = fmpi_alone(f) ? UINT64_MAX : fmpi_shared_space() / f->job.machine_units;
  uint64_t space = fmpi_address_space();
  uint64_t mapped = space == UINT64_MAX ? space : space / f->fab.local.n;
  uint64_t most = shared < mapped ? shared : mapped;
  return most == UINT64_MAX ? most : most / FMPI_PAGE * FMPI_PAGE;
}

bool fmpi_alone(const struct fmpi *f) {
  return f->fab.local.n == 1 && f->job.servers == 0;
}

/* Begins where a huge page can. */
int fmpi_seg_map_private(struct fmpi_seg *s, uint64_t part) {
  uint64_t spare = part >= FMPI_HUGE_PAGE ? FMPI_HUGE_PAGE : 0;
  char *p = mmap(NULL, part + spare, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no memory for a segment of %" PRIu64
                      " bytes: lower EYOT_HEAP_SIZE and EYOT_HEAP_MAX, or raise the limit of "
                      "address space if there is one (ulimit -v)",
                      part);
  uint64_t before = spare == 0 ? 0 : (spare - (uintptr_t)p % spare) % spare;
  if (before != 0) (void)munmap(p, before);
  if (spare != before) (void)munmap(p + before + part, spare - before);
  s->base = p + before;
  s->mapped_bytes = part;
  s->stride = part;
  return EYOT_OK;
}

static bool makes_memory(const struct fmpi *f) {
  return !fmpi_alone(f) && fmpi_node_rank(f) == 0;
}

int fmpi_seg_make(const struct fmpi *f, struct fmpi_seg *s, uint64_t part) {
  if (!makes_memory(f)) return EYOT_OK;
  uint64_t bytes = f->fab.local.n * part;
  EYOTI_TRY(fmpi_shared_make(f, "segment", s->id, bytes));
  int rc = fmpi_shared_place(f, "segment", s->id, bytes, &s->shared);
  if (rc != EYOT_OK) fmpi_shared_cancel(f, "segment", s->id);
  return rc;
}

void fmpi_seg_propose(const struct fmpi *f, struct fmpi_seg *s, uint32_t turn) {
  if (makes_memory(f)) fmpi_shared_propose(f, &s->shared, s->id, turn);
  s->base = s->shared.at;
}

void fmpi_seg_follow(struct fmpi_seg *s) {
  s->common = fmpi_shared_follow(&s->shared);
  s->base = s->shared.at;
}

void fmpi_seg_cancel(const struct fmpi *f, const struct fmpi_seg *s) {
  if (makes_memory(f)) fmpi_shared_cancel(f, "segment", s->id);
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

int fmpi_seg_expose(struct fmpi *f, struct fmpi_seg *s) {
  if (f->job.one_node) return EYOT_OK;
  char *from = s->base + (uint64_t)(f->fab.me - f->fab.local.first) * s->stride;
  uint64_t len = s->len;
  if (f->job.server != FMPI_UNIT)
    from = s->base, len = f->fab.local.n * s->stride;
  else if (f->job.servers != 0)
    len = 0; /* fmpi_target_rank addresses progress processes */
  FMPI_TRY_SPINNING(f,
                    MPI_Win_create(from, (MPI_Aint)len, 1, MPI_INFO_NULL, f->comm.wide, &s->rma));
  FMPI_TRY(MPI_Win_set_errhandler(s->rma, MPI_ERRORS_RETURN));
  FMPI_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, s->rma));
  return check_model(s->rma);
}

int fmpi_seg_join(const struct fmpi *f, struct fmpi_seg *s, uint64_t part) {
  s->common = true;
  if (fmpi_alone(f)) return EYOT_OK;
  EYOTI_TRY(fmpi_shared_join(f, "segment", s->id, f->fab.local.n * part, &s->shared));
  s->base = s->shared.at;
  s->stride = part;
  s->common = fmpi_shared_is_common(&s->shared);
  return EYOT_OK;
}

int fmpi_seg_serve(struct fmpi *f, fab_seg_t id, uint64_t len) {
  struct fmpi_seg *s = &f->seg[id % FAB_SEG_MAX];
  *s = (struct fmpi_seg){.id = id, .generation = id / FAB_SEG_MAX, .len = len, .rma = MPI_WIN_NULL};
  EYOTI_TRY(fmpi_seg_join(f, s, fmpi_seg_part_of(len)));
  EYOTI_TRY(fmpi_seg_expose(f, s));
  s->live = true;
  return EYOT_OK;
}

int fmpi_seg_release(const struct fmpi *f, struct fmpi_seg *s) {
  if (s->rma != MPI_WIN_NULL) {
    FMPI_TRY(MPI_Win_unlock_all(s->rma));
    FMPI_TRY_SPINNING(f, MPI_Win_free(&s->rma));
  }
  if (!f->fab.keeps) fmpi_shared_leave(&s->shared);
  if (!f->fab.keeps && s->mapped_bytes != 0) munmap(s->base, s->mapped_bytes);
  s->mapped_bytes = 0;
  s->live = false;
  return EYOT_OK;
}

int fmpi_seg_find(const struct fmpi *f, fab_seg_t seg, const struct fmpi_seg **out) {
  const struct fmpi_seg *s = &f->seg[seg % FAB_SEG_MAX];
  if (seg == FAB_SEG_ATTACHED || !s->live || s->id != seg)
    return EYOTI_FAIL(EYOT_ESEG, "segment %u does not exist (any more)", seg);
  *out = s;
  return EYOT_OK;
}

int fmpi_seg_ptr(struct fab *fab, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr) {
  struct fmpi *f = fmpi_of(fab);
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(f, seg, &s));
  if (unit >= fab->n) return EYOTI_FAIL(EYOT_EUNIT, "unit %u, there are %u", unit, fab->n);
  uint32_t k = unit - fab->local.first;
  if (k >= fab->local.n) return EYOT_ENOTSUP; /* a question, not a mistake: not logged */
  *ptr = s->base + (uint64_t)k * s->stride + off;
  return EYOT_OK;
}

int fmpi_seg_map(struct fab *fab, fab_seg_t seg, char **base, uint64_t *stride) {
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(fmpi_of(fab), seg, &s));
  *base = s->base;
  *stride = s->stride;
  return EYOT_OK;
}

int fmpi_seg_common(struct fab *fab, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr) {
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(fmpi_of(fab), seg, &s));
  return s->common ? fmpi_seg_ptr(fab, seg, unit, off, ptr) : EYOT_ENOTSUP;
}

bool fmpi_seg_find_common(struct fab *fab, fab_seg_t seg, const void *p, uint64_t len,
                          fab_unit_t *unit, uint64_t *off) {
  const struct fmpi_seg *s = &fmpi_of(fab)->seg[seg % FAB_SEG_MAX];
  if (!s->live || s->id != seg || !s->common) return false;
  uint64_t at = (uint64_t)((uintptr_t)p - (uintptr_t)s->base);
  if (at >= fab->local.n * s->stride) return false;
  *unit = fab->local.first + (fab_unit_t)(at / s->stride);
  *off = at % s->stride;
  return *off <= s->len && len <= s->len - *off;
}
