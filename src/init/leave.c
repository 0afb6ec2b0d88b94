/* SPDX-License-Identifier: BSD-3-Clause */
/* leave.c - see leave.h. */
#include "init/leave.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "init/which_mpi.h"
#include "rt/launcher.h"
#include "rt/rt.h"

#define END_SECONDS 10u /* a launcher that does not answer is given this long */
/* a launcher reads our last line in its own time, but kills without reading on */
#define FORWARD_NS 50000000
#define EXIT_CODE 1

void eyoti_leave_job(int rc) {
  const struct timespec forward = {.tv_nsec = FORWARD_NS};
  uint32_t n = eyoti_launcher_processes(), rank = eyoti_launcher_rank();
  if (n <= 1) return;
  eyoti_log(EYOTI_LOG_ERROR, "eyot_init", rc,
            "process %d of the job cannot start, and the others wait for it: it ends the job",
            (int)rank);
  fflush(NULL);
  alarm(END_SECONDS);
  nanosleep(&forward, NULL);
  eyoti_mpi_abort(EXIT_CODE);
  eyoti_launcher_abort(EXIT_CODE);
  _exit(EXIT_CODE);
}

static void on_exit_while_loading(void) {
  const struct eyot_rt *rt = eyot_current;
  if (rt->state == EYOTI_STARTING && rt->fab == NULL && rt->opening == NULL)
    eyoti_leave_job(EYOT_EFABRIC);
}

void eyoti_leave_watch(void) {
  if (eyoti_launcher_processes() > 1) (void)atexit(on_exit_while_loading);
}
