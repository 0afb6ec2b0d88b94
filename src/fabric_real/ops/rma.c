/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c - put and get: a copy where the memory is mapped here, else MPI in pieces that its int
 * counts can express. */
#include <stdlib.h>
#include <string.h>

#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/progress/engine.h"

/* One aligned word is copied by one instruction, so that it is never torn. */
void fmpi_copy_in(char *dst, const void *src, uint64_t len) {
  if (len == 8 && (uintptr_t)dst % 8 == 0) {
    uint64_t v;
    memcpy(&v, src, 8);
    __atomic_store_n((uint64_t *)(void *)dst, v, __ATOMIC_RELEASE);
  } else if (len == 4 && (uintptr_t)dst % 4 == 0) {
    uint32_t v;
    memcpy(&v, src, 4);
    __atomic_store_n((uint32_t *)(void *)dst, v, __ATOMIC_RELEASE);
  } else {
    memmove(dst, src, len); /* a unit may put to itself, from where it puts to */
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
}

void fmpi_copy_out(void *dst, const char *src, uint64_t len) {
  if (len == 8 && (uintptr_t)src % 8 == 0) {
    uint64_t v = __atomic_load_n((const uint64_t *)(const void *)src, __ATOMIC_ACQUIRE);
    memcpy(dst, &v, 8);
  } else if (len == 4 && (uintptr_t)src % 4 == 0) {
    uint32_t v = __atomic_load_n((const uint32_t *)(const void *)src, __ATOMIC_ACQUIRE);
    memcpy(dst, &v, 4);
  } else {
    memmove(dst, src, len);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  }
}

struct piece {
  MPI_Datatype type;
  int count;
};

/* A single aligned word travels as a word, so that MPI has no reason to tear it. */
static struct piece piece_of(MPI_Aint disp, uint64_t len) {
  if (len == 8 && disp % 8 == 0) return (struct piece){MPI_UINT64_T, 1};
  if (len == 4 && disp % 4 == 0) return (struct piece){MPI_UINT32_T, 1};
  return (struct piece){MPI_BYTE, (int)len};
}

struct mpi_target {
  MPI_Win win;
  MPI_Aint disp;
  int rank;
};

static struct mpi_target mpi_target_of(const struct fmpi *f, const struct fmpi_at *at) {
  struct mpi_target target = {.win = at->win};
  fmpi_target_rank(f, at, &target.rank, &target.disp);
  return target;
}

/* One MPI call; `req` NULL: completed by flush. */
static inline int move_piece(const struct mpi_target *target, char *here, uint64_t done,
                             uint64_t len, bool is_get, MPI_Request *req) {
  MPI_Aint disp = target->disp + (MPI_Aint)done;
  struct piece p = piece_of(disp, len);
  here += done;
  if (is_get && req != NULL)
    FMPI_TRY(
        MPI_Rget(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win, req));
  else if (is_get)
    FMPI_TRY(MPI_Get(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win));
  else if (req != NULL)
    FMPI_TRY(
        MPI_Rput(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win, req));
  else
    FMPI_TRY(MPI_Put(here, p.count, p.type, target->rank, disp, p.count, p.type, target->win));
  return EYOT_OK;
}

static int move_remote(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                       bool is_get, struct fmpi_op *op) {
  /* no division on the usual way */
  uint64_t pieces = len <= f->chunk_bytes ? 1 : (len + f->chunk_bytes - 1) / f->chunk_bytes;
  MPI_Request *reqs = NULL;
  if (op != NULL && pieces > 1) {
    reqs = pieces <= INT32_MAX ? malloc(pieces * sizeof *reqs) : NULL;
    if (reqs == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory to follow a transfer of %lu bytes in %lu pieces",
                        len, pieces);
    for (uint64_t i = 0; i < pieces; i++) reqs[i] = MPI_REQUEST_NULL;
    op->many = reqs;
    op->chunks = (uint32_t)pieces;
  } else if (op != NULL) {
    reqs = &op->one;
  }
  struct mpi_target target = mpi_target_of(f, at);
  for (uint64_t done = 0, i = 0; done < len; done += f->chunk_bytes, i++) {
    uint64_t left = len - done;
    EYOTI_TRY(fmpi_target_add(f, at, is_get));
    EYOTI_TRY(move_piece(&target, here, done, left < f->chunk_bytes ? left : f->chunk_bytes, is_get,
                         reqs != NULL ? &reqs[i] : NULL));
  }
  return EYOT_OK;
}

int fmpi_move_piece(const struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t done,
                    uint64_t len, bool is_get, MPI_Request *req) {
  struct mpi_target target = mpi_target_of(f, at);
  return move_piece(&target, here, done, len, is_get, req);
}

int fmpi_put_remote(struct fmpi *f, const struct fmpi_at *at, const void *src, uint64_t len,
                    struct fmpi_op *op) {
  return move_remote(f, at, (char *)(uintptr_t)src, len, false, op);
}

/* A caller that waits at once needs no request and no entry among the targets: a flush of this
 * window behind the call completes it. A get must not wait for what else is in flight to its
 * target; and where units share processors, waiting gives way, which MPI's own does not. */
static bool can_finish(const struct fmpi *f, const struct fmpi_at *at, bool is_get) {
  if (!f->fab.waits || f->probe != MPI_WIN_NULL) return false;
  return !is_get || f->targets.oldest == NULL || fmpi_target_find(&f->targets, at->unit) == NULL;
}

static int move_and_flush(const struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                          bool is_get) {
  struct mpi_target target = mpi_target_of(f, at);
  uint64_t done = 0;
  for (; len - done > f->chunk_bytes; done += f->chunk_bytes)
    EYOTI_TRY(move_piece(&target, here, done, f->chunk_bytes, is_get, NULL));
  EYOTI_TRY(move_piece(&target, here, done, len - done, is_get, NULL));
  FMPI_TRY(MPI_Win_flush(target.rank, target.win));
  return EYOT_OK;
}

static int finish_remote(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                         bool is_get) {
  int rc = move_and_flush(f, at, here, len, is_get);
  /* MPI may still refer to the caller's memory: let a flush know of it, and that one wait. */
  if (__builtin_expect(rc != EYOT_OK, 0) && fmpi_target_add(f, at, is_get) == EYOT_OK)
    fab_settle(&f->fab, at->unit);
  return rc;
}

static int start_remote(struct fmpi *f, const struct fmpi_at *at, char *here, uint64_t len,
                        bool is_get, fab_req_t *req) {
  if (fmpi_by_attach_message(f, at)) {
    EYOTI_TRY(fmpi_attach_message_move(f, at, here, len, is_get));
    if (req != NULL) *req = 0;
    return EYOT_OK;
  }
  if (req == NULL) return move_remote(f, at, here, len, is_get, NULL);
  if (can_finish(f, at, is_get)) {
    *req = 0;
    return finish_remote(f, at, here, len, is_get);
  }
  struct fmpi_op *op;
  EYOTI_TRY(fmpi_op_new(f, at->unit, true, &op));
  op->is_get = is_get;
  int rc = move_remote(f, at, here, len, is_get, op);
  if (rc != 0) {
    fmpi_op_drop(f, op);
    return rc;
  }
  fmpi_op_issued(f, op);
  *req = fmpi_op_id(op);
  return EYOT_OK;
}

int fmpi_put(struct fab *fab, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at;
  EYOTI_TRY(fmpi_resolve(f, dst, len, &at));
  fmpi_count(f, dst.unit, len);
  if (__builtin_expect(f->engine != NULL, 0) && fmpi_engine_takes(f, len)) {
    bool taken = false;
    EYOTI_TRY(fmpi_engine_post(f, &(struct fmpi_transfer){.at = &at, .here = src, .len = len}, req,
                               &taken));
    if (taken) return EYOT_OK;
  }
  if (at.ptr == NULL && len != 0)
    return start_remote(f, &at, (char *)(uintptr_t)src, len, false, req);
  if (len != 0) fmpi_copy_in(at.ptr, src, len);
  if (req != NULL) *req = 0;
  return EYOT_OK;
}

int fmpi_get(struct fab *fab, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at;
  EYOTI_TRY(fmpi_resolve(f, src, len, &at));
  fmpi_count(f, src.unit, len);
  if (__builtin_expect(f->engine != NULL, 0) && fmpi_engine_takes(f, len)) {
    bool taken = false;
    EYOTI_TRY(fmpi_engine_post(
        f, &(struct fmpi_transfer){.at = &at, .here = dst, .len = len, .is_get = true}, req,
        &taken));
    if (taken) return EYOT_OK;
  }
  if (at.ptr == NULL && len != 0) return start_remote(f, &at, dst, len, true, req);
  if (len != 0) fmpi_copy_out(dst, at.ptr, len);
  if (req != NULL) *req = 0;
  return EYOT_OK;
}
