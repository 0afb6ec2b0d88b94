/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - starts and stops a unit (eyot/init.h): opens the fabric, and starts the layers in their
 * order. The only file that knows all layers. */
#include <eyot/init.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/exit_codes.h"
#include "base/image.h"
#include "base/wording.h"
#include "coll/coll.h"
#include "fused/fused.h"
#include "gmem/gmem.h"
#include "gmem/owned.h"
#include "gmem/shared_malloc.h"
#include "init/count.h"
#include "init/leave.h"
#include "init/module.h"
#include "init/which_mpi.h"
#include "msg/msg.h"
#include "rma/rma.h"
#include "rt/observe.h"
#include "rt/proc.h"
#include "rt/rt.h"
#include "rt/said.h"
#include "sync/sync.h"
#include "teams/teams.h"

/* Finds and loads the module of the fabric named by EYOT_FABRIC. */
static int load_fabric(struct eyot_rt *rt, const struct fab_module **module) {
  uint64_t which;
  enum eyoti_mpi mpi = EYOTI_MPI_MPICH;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_FABRIC, &which));
  if (which == EYOTI_FABRIC_MPI) EYOTI_TRY(eyoti_mpi_choose(&mpi));
  EYOTI_TRY(eyoti_module_load(which == EYOTI_FABRIC_SIM ? "sim" : eyoti_mpi_module(mpi),
                              &rt->fabric_handle, module));
  if ((*module)->open != NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EFABRIC,
                    "the %s fabric runs all units in one process and cannot be opened by a program "
                    "started directly; start it with: "
                    "eyotrun --fabric %s -n UNITS PROGRAM",
                    (*module)->name, (*module)->name);
}

/* Opens the fabric for a unit that is a process of its own. While it is open only in part, the
 * fabric's handlers find it through eyot_current. */
static int open_fabric(struct eyot_rt *rt, struct eyoti_proc *proc) {
  const struct fab_module *module;
  struct fab *fab;
  rt->state = EYOTI_STARTING;
  eyot_current = rt;
  eyoti_leave_watch();
  int rc = load_fabric(rt, &module);
  if (rc != 0) eyoti_leave_job(rc); /* the others wait for this process in MPI_Init */
  void *handle = rt->fabric_handle;
  if (rc == 0) rc = module->open(&fab);
  if (rc == 0) {
    eyoti_rt_host(rt, fab, proc);
    rt->fabric_handle = handle;
  } else {
    eyot_current = eyoti_rt_idle();
  }
  return rc;
}

/* The runtime that it allocates lives until the process ends. */
static int open_own(uint32_t threads, struct eyot_rt **out) {
  struct eyot_rt *early = eyot_current != eyoti_rt_idle() ? eyot_current : NULL;
  struct eyot_rt *rt = early != NULL ? early : calloc(1, sizeof *rt);
  struct eyoti_proc *proc = eyoti_proc_new();
  const uint64_t errors = early != NULL ? early->errors : 0; /* before this call (rt/outside.h) */
  int rc = EYOT_ENOMEM;
  if (rt != NULL && proc != NULL) {
    rt->log_level = eyoti_log_level();
    rt->proc = proc;
    rt->thread_level = threads;
    eyoti_wording_set(eyoti_image_loaded_words());
    rc = open_fabric(rt, proc);
  } else {
    if (rt == NULL) (void)EYOTI_FAIL(rc, "no memory for the runtime (%zu bytes)", sizeof *rt);
    eyoti_leave_job(rc);
  }
  if (rc == 0) {
    rt->errors = errors;
    *out = rt;
    return EYOT_OK;
  }
  eyot_current = eyoti_rt_idle();
  eyoti_proc_delete(proc);
  free(rt);
  return rc;
}

/* At EYOT_THREAD_MULTIPLE agreements have a step more (teams/agree.c), so all units are at one
 * level. */
static int check_levels(struct eyot_rt *rt) {
  uint64_t least, most;
  if ((rt->fab->caps & FAB_CAP_THREADS) == 0) return EYOT_OK;
  EYOTI_TRY(eyoti_teams_extremes(rt, rt->thread_level, &least, &most));
  if (least == most) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "units have levels of threads from %u to %u, this one %u; all must ask for the "
                    "same (eyot_init_with, EYOT_THREADS)",
                    (unsigned)least, (unsigned)most, rt->thread_level);
}

/* Starts the layers from the bottom up; if one fails, stops those that have started. */
static int start_layers(struct eyot_rt *rt) {
  int rc;
  if ((rc = eyoti_teams_start(rt)) != 0) goto stop_made;
  if ((rc = check_levels(rt)) != 0 || (rc = eyoti_gmem_start(rt)) != 0) goto stop_teams;
  if ((rc = eyoti_rma_start(rt)) != 0) goto stop_gmem;
  if ((rc = eyoti_sync_start(rt)) != 0) goto stop_rma;
  if ((rc = eyoti_coll_start(rt)) != 0) goto stop_sync;
  return EYOT_OK;

stop_sync:
  eyoti_sync_stop(rt);
stop_rma:
  eyoti_rma_stop(rt);
stop_gmem:
  eyoti_gmem_stop(rt);
stop_teams:
  eyoti_teams_stop(rt);
stop_made:
  eyoti_made_stop(rt);
  return rc;
}

/* Reads and checks the options once. One unit of the run checks them as a whole, so that a warning
 * appears once. */
static int check_options(struct eyot_rt *rt) {
  uint64_t level;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_LOG, &level));
  rt->log_level = (uint32_t)level;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_ERRORS, &level));
  rt->errors_abort = eyoti_errors_abort(rt->fab, level);
  if (rt->fab->me != 0) return EYOT_OK;
  uint32_t unknown;
  const char *name = rt->fab->ops->name;
  if (strcmp(name, "mpi") == 0) eyoti_conf_warn_fabric(EYOTI_CONF_FOR_MPI);
  if (strcmp(name, "sim") == 0) eyoti_conf_warn_fabric(EYOTI_CONF_FOR_SIM);
  return eyoti_conf_check_env(&unknown);
}

/* Logs the reason if eyot_init cannot be called now, or by this program. */
static int check_caller(const struct eyot_rt *rt, uint32_t fast_abi, const char *what,
                        const void *site) {
  if (fast_abi != EYOTI_FAST_ABI) {
    eyoti_log_at(EYOTI_LOG_ERROR, what, site, EYOT_EFABRIC,
                 "the program was compiled with the headers of another version of eyot: its inline "
                 "operations are of ABI %u, those of this library (version %s) of %u; "
                 "compile it again with the headers of this library",
                 fast_abi, eyot_version(), EYOTI_FAST_ABI);
    return EYOT_EFABRIC;
  }
  if (rt->state == EYOTI_IDLE) return EYOT_OK;
  if (rt->state == EYOTI_RUNNING) return EYOT_OK;
  eyoti_log_at(EYOTI_LOG_ERROR, what, site, EYOT_ESTATE, "%s",
               rt->state == EYOTI_FINALIZED ? "eyot cannot be started again after eyot_finalize"
                                            : "eyot is being started or stopped");
  return EYOT_ESTATE;
}

/* eyot runs already, and another part of the program asks for it. */
static int join(struct eyot_rt *rt, const eyot_init_attr_t *attr, const char *what,
                const void *site) {
  uint64_t wanted = attr->heap_size > attr->heap_max ? attr->heap_size : attr->heap_max;
  if (wanted > eyoti_gmem_heap_most(rt)) {
    eyoti_log_at(EYOTI_LOG_ERROR, what, site, EYOT_ESTATE,
                 "eyot runs already with heaps that grow to %" PRIu64 " bytes, and %" PRIu64
                 " are asked for: make this call before others, or set EYOT_HEAP_MAX",
                 eyoti_gmem_heap_most(rt), wanted);
    return EYOT_ESTATE;
  }
  rt->inits++;
  return EYOT_OK;
}

/* The part of the first call after the fabric is open. */
static int start_unit(struct eyot_rt *rt, const eyot_init_attr_t *attr) {
  EYOTI_TRY(check_options(rt));
  EYOTI_TRY(eyoti_threads_start(rt, attr->threads));
  int rc = start_layers(rt);
  if (rc != EYOT_OK) eyoti_threads_stop(rt);
  return rc;
}

/* `what`: the public function, called at `site`. */
static int start(uint32_t fast_abi, const eyot_init_attr_t *attr, const char *what,
                 const void *site) {
  struct eyot_rt *rt = eyot_current;
  int refused = check_caller(rt, fast_abi, what, site);
  bool hosted = rt->fab != NULL;
  /* the others, whose program may be another file, wait for this process in MPI_Init */
  if (refused == EYOT_EFABRIC && !hosted && rt->state == EYOTI_IDLE) eyoti_leave_job(refused);
  if (refused != EYOT_OK) {
    if (hosted && rt->state == EYOTI_IDLE) rt->start_failed = true;
    return refused;
  }
  if (rt->state == EYOTI_RUNNING) {
    EYOTI_ENTERED = NULL;
    if (!eyoti_rt_accepts(rt)) EYOTI_TRY(eyoti_threads_admit(rt, what, site, &eyoti_entered));
    return join(rt, attr, what, site);
  }
  if (!hosted) EYOTI_TRY(open_own(attr->threads, &rt));
  EYOTI_ASSERT(rt->fab->ops->abi == FAB_ABI);
  eyot_current = rt;
  rt->state = EYOTI_STARTING;
  rt->observed = rt->fab->ops->check != NULL;
  rt->owner = eyoti_rt_thread();
  rt->fab->note.what = what;
  rt->site = site;
  rt->heap_asked = (struct eyoti_heap_asked){attr->heap_size, attr->heap_max};
  rt->frees_at_end = attr->frees_at_end != 0;
  int rc = start_unit(rt, attr);
  rt->start_failed = rc != 0;
  if (rc != 0) {
    /* Other units may wait inside their own init: the run is ended, because a run of which a part
     * has not started would hang. The simulator ends it only without memory, which all its units
     * share: otherwise it reports who waits for whom. */
    if (strcmp(rt->fab->ops->name, "sim") == 0 && rc == EYOT_ENOMEM)
      eyoti_no_memory(0, "the start of unit %u", rt->fab->me);
    if (!hosted) rt->fab->ops->abort(rt->fab, 1, "eyot_init failed");
    rt->state = EYOTI_IDLE;
    return rc;
  }
  rt->state = EYOTI_RUNNING;
  rt->inits = 1;
  /* Runs begin here unless the program calls eyot_check_begin. */
  struct fab *explored = eyoti_observe_explored(rt);
  if (explored != NULL) rc = explored->ops->check->begin(explored, false);
  eyoti_threads_started(rt);
  return rc;
}

int eyoti_init_call(int *argc, char ***argv, uint32_t fast_abi) {
  (void)argc;
  (void)argv;
  const eyot_init_attr_t none = EYOT_INIT_ATTR_INIT;
  return start(fast_abi, &none, "eyot_init", __builtin_return_address(0));
}

/* Fields that an older or a newer caller has not, or has in addition, are left out. */
int eyoti_init_with_call(int *argc, char ***argv, uint32_t fast_abi, const eyot_init_attr_t *attr,
                         uint64_t bytes) {
  (void)argc;
  (void)argv;
  eyot_init_attr_t own = EYOT_INIT_ATTR_INIT;
  if (attr != NULL) memcpy(&own, attr, bytes < sizeof own ? bytes : sizeof own);
  return start(fast_abi, &own, "eyot_init_with", __builtin_return_address(0));
}

int eyot_finalize(void) {
  EYOTI_ENTER(rt);
  if (++rt->ends < rt->inits) return eyoti_rma_flush(rt, FAB_ALL);
  eyoti_teams_ending(rt);
  eyoti_counting_stop(rt);
  if (rt->frees_at_end) eyoti_gmem_free_left(rt);
  eyoti_made_list(rt);
  eyoti_handles_list(rt);
  eyoti_msg_ending(rt);
  eyoti_owned_list(rt);
  if (rt->errors > 0)
    eyoti_log(
        EYOTI_LOG_WARN, "eyot_finalize", 0,
        "calls of this unit returned %" PRIu64
        " errors of the program, so the exit code of the run is not 0; a program that expects "
        "them calls eyot_errors_clear",
        rt->errors);
  int rc = eyoti_rma_flush(rt, FAB_ALL);
  struct eyoti_team *all;
  if (eyoti_team_get(rt, EYOT_TEAM_ALL, &all) == EYOT_OK)
    (void)eyoti_team_enter(rt, all); /* the last exchange returns its error */
  eyoti_observe_ending(rt);
  eyoti_shared_ending(rt);
  __atomic_store_n(&rt->state, EYOTI_STOPPING, __ATOMIC_RELEASE); /* threads in free read it */
  bool met;
  int rc_coll = eyoti_coll_end(rt, &met);
  /* No unit leaves while another may still signal into its control block, or receive its
   * messages. */
  int rc_last = eyoti_teams_meet(rt, met);
  int rc_left = eyoti_coll_stop(rt, rc_coll == EYOT_EMISMATCH || rc_coll == 0 ? rc_last : rc_coll);
  int rc_msg = eyoti_msg_stop(rt);
  eyoti_fused_stop(rt);
  eyoti_sync_stop(rt);
  eyoti_rma_stop(rt);
  eyoti_gmem_stop(rt);
  eyoti_teams_stop(rt);
  eyoti_made_stop(rt);
  eyoti_threads_stop(rt);
  eyoti_rt_fast_clear(rt);
  if (rt->proc != NULL) eyoti_proc_errors(rt->proc, rt->errors); /* those of this call too */
  rt->state = EYOTI_FINALIZED;
  /* the fabric's own: the layers have removed the endpoints before it */
  struct fab *f = rt->fab;
  bool hosted = f->unit_exit != NULL;
  int rc_close = f->ops->close(f);
  /* an endpoint that this unit opened is gone; a host keeps its units' endpoints */
  if (!hosted) rt->fab = NULL;
  if (rt->fabric_handle != NULL) {
    eyoti_said_close(rt->proc);
    eyoti_proc_delete(rt->proc);
    rt->proc = NULL;
  }
  if (rc == 0) rc = rc_msg;
  if (rc == 0) rc = rc_coll;
  if (rc == 0) rc = rc_last;
  if (rc == 0) rc = rc_left;
  return rc != 0 ? rc : rc_close;
}

void eyot_exit_all(int code) {
  struct eyot_rt *rt = eyot_current;
  if (rt->fab != NULL && rt->state != EYOTI_FINALIZED && rt->state != EYOTI_IDLE) {
    if (eyoti_rt_owns(rt)) rt->fab->note.what = __func__;
    rt->fab->ops->exit_all(rt->fab, code & 0xff);
  }
  _Exit(code & 0xff);
}

eyot_thread_level_t eyot_thread_level(void) {
  return (eyot_thread_level_t)(eyot_initialized() ? eyot_current->thread_level
                                                  : EYOT_THREAD_SINGLE);
}

uint64_t eyot_errors_clear(void) {
  struct eyot_rt *rt = eyot_current;
  EYOTI_ENTERED = NULL;
  if (rt == eyoti_rt_idle() || (!eyoti_rt_owns(rt) && !eyoti_threads_pass(rt, &eyoti_entered)))
    return 0;
  uint64_t n = rt->errors;
  rt->errors = 0;
  if (rt->state == EYOTI_FINALIZED && rt->proc != NULL) (void)eyoti_proc_errors(rt->proc, -n);
  return n;
}

/* The last that libeyot does in a process of its own: the program has returned 0 from main, and has
 * left errors. Its exit handlers have run. */
__attribute__((destructor)) static void exit_with_errors(void) {
  const struct eyot_rt *rt = eyot_current;
  if (rt == eyoti_rt_idle() || (rt->state != EYOTI_FINALIZED && rt->state != EYOTI_IDLE) ||
      !rt->left_well || rt->errors == 0)
    return;
  (void)fflush(NULL);
  _exit(EYOTI_EXIT_MISUSE);
}

void eyot_abort(int code, const char *reason) {
  struct fab *f = eyot_current->fab;
  if (f != NULL) f->ops->abort(f, code == 0 ? 1 : code, reason);
  eyoti_log(EYOTI_LOG_ERROR, __func__, 0, "aborted outside a run: %s",
            reason != NULL ? reason : "no reason given");
  _Exit(code == 0 ? 1 : code);
}
