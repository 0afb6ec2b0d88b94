/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - see thread.h: the progress engine where no processor can be spared for progress
 * processes.
 *
 * MPICH serves one-sided operations of others, and advances those of its own process, whenever any
 * thread of the process is inside MPI. The thread enters MPI at intervals and sleeps in between: it
 * never knows whether it has been of use, so it does not spin. */
#include "fabric_real/progress/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/conf.h"
#include "fabric_real/wait/alone.h"
#include "fabric_real/wait/idle.h"

#define POLLS_PER_NAP 8u /* one may find a request whose answer makes the next find another */
#define NAP_NS 20000     /* the system adds some 50 us */

struct fmpi_thread {
  pthread_t id;
  struct fmpi *f; /* used for fmpi_serve_others only */
  MPI_Comm comm;
  int failed;       /* the thread's; read after it has been joined */
  const void *self; /* the thread, by its thread pointer; it writes it itself */
  bool inside;      /* the lock of wait/alone.h, where there is one */
  bool *alone;      /* it, or NULL */
  bool stop;        /* written by the unit, relaxed: the join orders everything else */
};

/* Enters MPI once. Serving others waits for nothing that the unit holds meanwhile. */
static void thread_poll(struct fmpi_thread *t) {
  int flag;
  if (t->f->idle.serves == 0) {
    t->failed = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm, &flag, MPI_STATUS_IGNORE);
    return;
  }
  /* the log has its error */
  t->failed = fmpi_serve_others(t->f) == EYOT_OK ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void *thread_run(void *arg) {
  struct fmpi_thread *t = arg;
  const struct timespec nap = {.tv_nsec = NAP_NS};
  (void)prctl(PR_SET_NAME, "eyot-progress");
  __atomic_store_n(&t->self, __builtin_thread_pointer(), __ATOMIC_RELAXED);
  while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED) && t->failed == MPI_SUCCESS) {
    for (uint32_t i = 0; i < POLLS_PER_NAP && t->failed == MPI_SUCCESS; i++) {
      fmpi_alone_begin(t->alone);
      thread_poll(t);
      fmpi_alone_end(t->alone);
    }
    nanosleep(&nap, NULL);
  }
  return NULL;
}

int fmpi_thread_start(struct fmpi *f) {
  uint64_t progress;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_PROGRESS, &progress));
  if (progress != EYOTI_PROGRESS_THREAD || f->fab.n == 1) return EYOT_OK;
  if (f->job.own_mpi && !f->job.threads)
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "EYOT_PROGRESS=thread: this MPI has no MPI_THREAD_MULTIPLE; use progress "
                      "processes (EYOT_PROGRESS=1)");
  struct fmpi_thread *t = calloc(1, sizeof *t);
  if (t == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the progress thread (%zu bytes)", sizeof *t);
  t->f = f;
  t->alone = f->job.loses_requests ? &t->inside : NULL;
  EYOTI_TRY(fmpi_dup(f, f->comm.all, &t->comm)); /* probing it never meets what the unit sends */
  f->progress.thread = t;
  f->progress.alone = t->alone;
  int rc = pthread_create(&t->id, NULL, thread_run, t);
  if (rc != 0) {
    f->progress.thread = NULL;
    f->progress.alone = NULL;
    (void)MPI_Comm_free(&t->comm);
    free(t);
    return EYOTI_FAIL(EYOT_ESYS,
                      "cannot start the progress thread (error %d); raise the limit of processes "
                      "of a user, or unset EYOT_PROGRESS",
                      rc);
  }
  return EYOT_OK;
}

bool fmpi_thread_is_self(const struct fmpi *f) {
  const struct fmpi_thread *t = f->progress.thread;
  return t != NULL && __atomic_load_n(&t->self, __ATOMIC_RELAXED) == __builtin_thread_pointer();
}

int fmpi_thread_stop(struct fmpi *f) {
  struct fmpi_thread *t = f->progress.thread;
  if (t == NULL) return EYOT_OK;
  __atomic_store_n(&t->stop, true, __ATOMIC_RELAXED);
  pthread_join(t->id, NULL);
  f->progress.thread = NULL;
  f->progress.alone = NULL;
  int failed = t->failed;
  FMPI_TRY(MPI_Comm_free(&t->comm));
  free(t);
  return failed == MPI_SUCCESS
             ? EYOT_OK
             : fmpi_mpi_failed(__func__, "MPI_Iprobe of the progress thread", failed);
}
