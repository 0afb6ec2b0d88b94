/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c - see segment.h. */
#include "fabric_real/ops/segment.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "base/conf.h"
#include "fabric_real/mem/over.h"
#include "fabric_real/mem/seg.h"
#include "fabric_real/ops/flush.h"
#include "fabric_real/ops/message.h"
#include "fabric_real/progress/engine.h"
#include "fabric_real/wait/idle.h"

int fmpi_seg_available(struct fab *fab, uint64_t *len) {
  struct fmpi *f = fmpi_of(fab);
  uint64_t space = fmpi_seg_space(f);
  uint64_t lacking = space > INT64_MAX ? 0 : INT64_MAX - space;
  EYOTI_TRY(fmpi_max(f, &lacking, 1));
  *len = lacking == 0 ? UINT64_MAX : INT64_MAX - lacking;
  return EYOT_OK;
}

/* A file system too small for the segments would show itself by SIGBUS much later. */
static int check_shared_space(const struct fmpi *f, uint64_t part) {
  uint64_t there = fmpi_shared_space();
  if (there / f->job.machine_units >= part) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "%u units of this machine need %" PRIu64
                    " bytes of shared memory each, %s has %" PRIu64 " left, so that %" PRIu64
                    " would fit: lower EYOT_HEAP_SIZE, start fewer units, or enlarge it (mount -o "
                    "remount,size=... %s)",
                    f->job.machine_units, part, FMPI_SHM_FOLDER, there, there / part,
                    FMPI_SHM_FOLDER);
}

/* Every process of a node maps the parts of all its units, now and as far as they may grow. */
static int check_address_space(const struct fmpi *f, uint64_t part) {
  uint64_t there = fmpi_address_space(), fit = there / f->fab.local.n;
  if (fit >= part) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "this process maps %" PRIu64
                    " bytes of each of the %u units of its node, and the limit of address space "
                    "(ulimit -v) leaves %" PRIu64
                    " for each: raise the limit, lower EYOT_HEAP_SIZE and EYOT_HEAP_MAX, or start "
                    "fewer units",
                    part, f->fab.local.n, fit);
}

static int check_space(const struct fmpi *f, uint64_t part, uint64_t promised) {
  EYOTI_TRY(check_address_space(f, part));
  return check_shared_space(f, promised);
}

/* All units learn whether all ask for the same length and could begin; every unit reports a
 * difference. common: NULL, or whether something is so here, and then, whether it is everywhere. */
static int seg_agree(struct fmpi *f, uint64_t len, int rc, bool *common) {
  uint64_t words[4] = {len, ~len, (uint64_t)-rc, common != NULL && !*common};
  EYOTI_TRY(fmpi_max(f, words, 4));
  if (common != NULL) *common = words[3] == 0;
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

/* Memory that no other process maps. */
static int map_alone(struct fmpi_seg *s, uint64_t part, char *own) {
  if (own == NULL) return fmpi_seg_map_private(s, part);
  s->base = own;
  s->stride = part;
  return EYOT_OK;
}

#define COMMON_TURNS 4u /* addresses that are tried */

/* Some process could not have the memory at the address that its node has agreed on: tries others;
 * in the end each keeps its own. Collective. */
static int seg_meet(struct fmpi *f, struct fmpi_seg *s) {
  for (uint32_t turn = 1; turn < COMMON_TURNS && !s->common; turn++) {
    fmpi_seg_propose(f, s, turn);
    EYOTI_TRY(fmpi_meet(f));
    fmpi_seg_follow(s);
    EYOTI_TRY(seg_agree(f, s->len, EYOT_OK, &s->common));
  }
  return EYOT_OK;
}

/* promised: how many bytes of the part must be available now. over: NULL, or the pages that become
 * the caller's part. Errors: on all units alike. */
static int seg_map(struct fmpi *f, struct fmpi_seg *s, uint64_t part, uint64_t promised,
                   const struct fmpi_over *over) {
  int rc = fmpi_alone(f) ? map_alone(s, part, over != NULL ? over->own : NULL)
                         : check_space(f, part, f->job.pins ? part : promised);
  if (rc == 0) rc = fmpi_seg_make(f, s, part);
  bool made = rc == 0;
  rc = seg_agree(f, s->len, rc, NULL);
  if (rc == 0) {
    rc = fmpi_seg_join(f, s, part);
    s->common = rc != 0 || s->common; /* the error goes first */
    rc = seg_agree(f, s->len, rc, &s->common);
  }
  if (over != NULL) s->common = false; /* the program's data stay where each process has them */
  if (rc == 0 && over == NULL) rc = seg_meet(f, s);
  if (rc == 0 && over != NULL) {
    char *part_here = s->base + fmpi_own_part(f) * s->stride;
    rc = seg_agree(f, s->len, fmpi_alone(f) ? EYOT_OK : fmpi_over_move(over, part_here), NULL);
  }
  if (rc != 0 && made) fmpi_seg_cancel(f, s);
  return rc;
}

static int seg_build(struct fmpi *f, struct fmpi_seg *s, uint64_t part, uint64_t promised,
                     const struct fmpi_over *over) {
  EYOTI_TRY(seg_map(f, s, part, promised, over));
  if (over == NULL) EYOTI_TRY(ask_for_huge_pages(f, s, part));
  if (f->job.one_node && f->job.servers == 0) return EYOT_OK; /* all units have joined */
  /* all units are in this call: none waits for a progress process */
  if (f->job.servers != 0) EYOTI_TRY(fmpi_engine_command(f, FMPI_DO_CREATE, s->id, s->len));
  EYOTI_TRY(fmpi_seg_expose(f, s));
  /* a request of another unit may reach a progress process before the one to create the segment */
  if (f->job.servers != 0) fmpi_shared_await(f, &s->shared);
  return fmpi_meet(f);
}

int fmpi_seg_create(struct fab *fab, uint64_t len, fab_seg_t *seg) {
  return fmpi_seg_over(fmpi_of(fab), len, len, NULL, seg);
}

/* The window of a node is one piece. */
int fmpi_seg_reserve(struct fab *fab, uint64_t len, uint64_t promised, uint64_t *front,
                     fab_seg_t *seg) {
  *front = 0;
  return fmpi_seg_over(fmpi_of(fab), len, promised, NULL, seg);
}

static int seg_end(struct fmpi *f, struct fmpi_seg *s) {
  int rc = fmpi_messages_end_seg(f, s), rc_release = fmpi_seg_release(f, s);
  return rc != EYOT_OK ? rc : rc_release;
}

int fmpi_seg_over(struct fmpi *f, uint64_t len, uint64_t promised, const struct fmpi_over *over,
                  fab_seg_t *seg) {
  EYOTI_ASSERT(promised <= len);
  if (len == 0 || len > (uint64_t)PTRDIFF_MAX - FMPI_PAGE)
    return EYOTI_FAIL(EYOT_EINVAL, "a segment of %" PRIu64 " bytes", len);
  uint32_t slot = 0;
  while (slot < FAB_SEG_MAX && f->seg[slot].live) slot++;
  if (slot == FAB_SEG_MAX) return EYOTI_FAIL(EYOT_EBUSY, "%u segments exist already", FAB_SEG_MAX);
  struct fmpi_seg *s = &f->seg[slot];
  uint32_t generation = (s->generation + 1) % FMPI_SEG_GENERATIONS;
  const struct fmpi_seg fresh = {.id = slot + generation * FAB_SEG_MAX,
                                 .generation = generation,
                                 .len = len,
                                 .rma = MPI_WIN_NULL};
  fmpi_messages_begin_seg(f, s, &fresh);
  /* see progress/remote_amo.h */
  if (f->progress.remote_amos != NULL) EYOTI_TRY(fmpi_drain(f, FAB_ALL, FAB_REMOTE));
  int rc = seg_build(f, s, fmpi_seg_part_of(len), fmpi_seg_part_of(promised), over);
  if (rc != 0) {
    /* Before MPI was called all units have failed alike; a failure of MPI itself ends the run. */
    if (s->rma == MPI_WIN_NULL) (void)seg_end(f, s);
    return rc;
  }
  __atomic_store_n(&s->live, true, __ATOMIC_RELEASE); /* for a progress thread (message.c) */
  *seg = s->id;
  return EYOT_OK;
}

int fmpi_seg_destroy(struct fab *fab, fab_seg_t seg) {
  struct fmpi *f = fmpi_of(fab);
  const struct fmpi_seg *s;
  EYOTI_TRY(fmpi_seg_find(f, seg, &s));
  EYOTI_TRY(fmpi_drain(f, FAB_ALL, FAB_REMOTE));
  EYOTI_TRY(fmpi_meet(f));
  if (f->job.servers != 0) EYOTI_TRY(fmpi_engine_command(f, FMPI_DO_DESTROY, seg, 0));
  return seg_end(f, &f->seg[seg % FAB_SEG_MAX]);
}
