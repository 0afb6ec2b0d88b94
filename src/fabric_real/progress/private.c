/* SPDX-License-Identifier: BSD-3-Clause */
/* private.c - see private.h: whether private memory can be reached, and transfers on the node. */
#include "fabric_real/progress/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/conf.h"
#include "fabric_real/mem/mapped.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/spin.h"

#define TRIES 2u /* the second after asking the system to allow it */
#define WORD_BYTES sizeof(uint64_t)

int fmpi_private_move(int pid, void *ours, uint64_t theirs, uint64_t len, bool to_them) {
  char *p = ours;
  while (len != 0) {
    const struct iovec here = {.iov_base = p, .iov_len = len},
                       there = {.iov_base = (void *)(uintptr_t)theirs, .iov_len = len};
    ssize_t n = to_them ? process_vm_writev(pid, &here, 1, &there, 1, 0)
                        : process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (n == 0) return EFAULT; /* nothing copied, and no reason given */
    if (n < 0 && errno != EINTR) return errno;
    if (n < 0) continue;
    p += n; /* less than all at the end of what can be accessed; the next call says why */
    theirs += (uint64_t)n;
    len -= (uint64_t)n;
  }
  return 0;
}

/* -- the trial --------------------------------------------------------------------------------- */

/* Sent by a unit to the progress processes of its node. */
struct probe_record {
  uint64_t pid, at;
  uint64_t word[2];
};

static void make_probe_record(struct fmpi *f, struct probe_record *c) {
  struct fmpi_private_probe *p = &f->progress.engine->probe;
  if (getrandom(p->word, sizeof p->word, 0) != (ssize_t)sizeof p->word) {
    p->word[0] = fmpi_clock_ns();
    p->word[1] = (uint64_t)getpid() << 32 ^ (uintptr_t)p;
  }
  p->answer = p->word[0];
  *c = (struct probe_record){
      .pid = (uint64_t)getpid(), .at = (uintptr_t)p, .word = {p->word[0], p->word[1]}};
}

/* Reads before it writes: the number may be another process's, where units have number spaces of
 * their own (containers). */
static int try_unit(const struct probe_record *c) {
  uint64_t seen[2], answer = ~c->word[0];
  int error = fmpi_private_move((int)c->pid, seen, c->at, sizeof seen, false);
  if (error != 0) return error;
  if (memcmp(seen, c->word, sizeof seen) != 0) return ESRCH;
  return fmpi_private_move((int)c->pid, &answer,
                           c->at + offsetof(struct fmpi_private_probe, answer), sizeof answer,
                           true);
}

/* Yama (ptrace_scope 1) lets a process be accessed by its ancestors and by those it names: one
 * process, or all of its user. MPI may have named all before, for copies between units, and only
 * one name is kept; so this names all. */
static void allow(void) {
  /* fails where there is no Yama; the next try tells */
  (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0ul, 0ul, 0ul);
}

/* The name is taken back where it did not help, and at the end. */
static void disallow(void) {
  (void)prctl(PR_SET_PTRACER, 0ul, 0ul, 0ul, 0ul);
}

/* error: of each unit of the node, 0 or why some progress process cannot reach it. */
static int private_try_all(struct fmpi *f, struct probe_record *records, int *error) {
  struct probe_record own = {0};
  uint32_t n = f->fab.local.n;
  if (f->job.server == FMPI_UNIT) make_probe_record(f, &own);
  FMPI_TRY_SPINNING(
      f, MPI_Allgather(&own, sizeof own, MPI_BYTE, records, sizeof own, MPI_BYTE, f->comm.node));
  for (uint32_t k = 0; k < n; k++)
    error[k] = f->job.server != FMPI_UNIT ? try_unit(&records[k]) : 0;
  FMPI_TRY_SPINNING(f, MPI_Allreduce(MPI_IN_PLACE, error, (int)n, MPI_INT, MPI_MAX, f->comm.node));
  for (uint32_t k = 0; f->job.server != FMPI_UNIT && k < n; k++)
    f->progress.engine->pid[k] = (int)records[k].pid;
  return EYOT_OK;
}

static uint32_t private_count(const int *error, uint32_t n) {
  uint32_t refused = 0;
  for (uint32_t k = 0; k < n; k++) refused += error[k] != 0;
  return refused;
}

/* Decides for this process from the results of all. */
static void conclude(struct fmpi *f, const int *error, uint64_t least) {
  struct fmpi_engine *e = f->progress.engine;
  uint32_t place = f->fab.me - f->fab.local.first, refused = private_count(error, f->fab.local.n);
  if (f->job.server != FMPI_UNIT) return;
  int why = error[place];
  if (why == 0 && __atomic_load_n(&e->probe.answer, __ATOMIC_RELAXED) != ~e->probe.word[0])
    why = EIO;
  if (why == 0) e->least_private = least > e->least_bytes ? least : e->least_bytes;
  f->stats.private_refused = why != 0;
  if (place == 0 && refused != 0)
    eyoti_log(EYOTI_LOG_INFO, __func__, EYOT_ENOTSUP,
              "progress processes cannot reach the private memory of %u of %u units of this node "
              "(%s): these units make their transfers from and to it themselves",
              refused, f->fab.local.n, strerror(why != 0 ? why : EPERM));
}

int fmpi_private_open(struct fmpi *f) {
  struct fmpi_engine *e = f->progress.engine;
  uint64_t how, least;
  int processes, rc = EYOT_OK;
  uint32_t n = f->fab.local.n;
  e->least_private = UINT64_MAX;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_PROGRESS_PRIVATE, &how));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_PROGRESS_PRIVATE_BYTES, &least));
  if (how == EYOTI_PROGRESS_PRIVATE_OFF) return EYOT_OK;
  FMPI_TRY(MPI_Comm_size(f->comm.node, &processes));
  struct probe_record *records = calloc((size_t)processes, sizeof *records);
  int *error = calloc(n, sizeof *error);
  if (f->job.server != FMPI_UNIT) e->pid = calloc(n, sizeof *e->pid);
  if (records == NULL || error == NULL || (f->job.server != FMPI_UNIT && e->pid == NULL))
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no memory to try the private memory of %u units", n);
  for (uint32_t i = 0; rc == EYOT_OK && i < TRIES; i++) {
    if (i != 0 && private_count(error, n) == 0) break; /* the same for all */
    if (f->job.server == FMPI_UNIT && error[f->fab.me - f->fab.local.first] != 0) {
      allow();
      e->allowed = true;
    }
    rc = private_try_all(f, records, error);
  }
  if (rc == EYOT_OK) conclude(f, error, least);
  if (e->least_private == UINT64_MAX) fmpi_private_close(f);
  free(error);
  free(records);
  return rc;
}

void fmpi_private_close(struct fmpi *f) {
  if (f->progress.engine->allowed) disallow();
  f->progress.engine->allowed = false;
}

/* -- transfers --------------------------------------------------------------------------------- */

/* failure[] does not overflow: a unit reads it whenever it reads `taken`, and posts at most
 * FMPI_RING_REQUESTS more before it does so again; besides those there may be requests that have
 * been taken, and of which pieces are on the way. */
_Static_assert(FMPI_FAILURES_MAX >= FMPI_RING_REQUESTS + FMPI_STAGE_SLOTS,
               "failures that a unit has not seen are not overwritten");

void fmpi_private_failed(const struct fmpi *f, uint32_t place, uint64_t number, bool is_get,
                         int error) {
  struct fmpi_ring *r = fmpi_ring_of(f, place, f->job.server);
  uint64_t n = __atomic_load_n(&r->failures, __ATOMIC_RELAXED); /* only we write it */
  if (n != 0 && r->failure[(n - 1) % FMPI_FAILURES_MAX].number == number) return;
  r->failure[n % FMPI_FAILURES_MAX] =
      (struct fmpi_failure){.number = number, .error = (uint32_t)error, .is_get = is_get};
  /* pairs with see_failures in engine.c */
  __atomic_store_n(&r->failures, n + 1, __ATOMIC_RELEASE);
}

/* Copies bytes that fit a word as fmpi_copy_in and fmpi_copy_out do, so that it is never torn. */
static int move_word(int pid, char *there, uint64_t theirs, uint64_t len, bool is_get) {
  uint64_t word = 0;
  if (is_get) {
    fmpi_copy_out(&word, there, len);
    return fmpi_private_move(pid, &word, theirs, len, true);
  }
  int error = fmpi_private_move(pid, &word, theirs, len, false);
  if (error == 0) fmpi_copy_in(there, &word, len);
  return error;
}

int fmpi_private_copy(struct fmpi *f, const struct fmpi_asked *a, char *there, int *failed) {
  const struct fmpi_request *q = &a->q;
  bool is_get = q->what == FMPI_DO_GET;
  int pid = f->progress.engine->pid[a->place], error = 0;
  if (q->len <= WORD_BYTES) error = move_word(pid, there, q->here_off, q->len, is_get);
  for (uint64_t at = 0; q->len > WORD_BYTES && at < q->len && error == 0; at += FMPI_COPY_BYTES) {
    uint64_t len = q->len - at < FMPI_COPY_BYTES ? q->len - at : FMPI_COPY_BYTES;
    error = fmpi_private_move(pid, there + at, q->here_off + at, len, is_get);
    if (!f->job.one_node && len == FMPI_COPY_BYTES) EYOTI_TRY(fmpi_poll(f));
  }
  *failed = error;
  return EYOT_OK;
}
