/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - the mpi fabric's module: opening and closing an endpoint, and its table of
 * operations. */
#include <eyot/init.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/conf.h"
#include "fabric/module.h"
#include "fabric_real/launch/agree.h"
#include "fabric_real/launch/end.h"
#include "fabric_real/launch/place.h"
#include "fabric_real/launch/quiet.h"
#include "fabric_real/launch/vendor.h"
#include "fabric_real/mem/attach.h"
#include "fabric_real/mem/pages.h"
#include "fabric_real/mem/seg.h"
#include "fabric_real/ops/amo.h"
#include "fabric_real/ops/complete.h"
#include "fabric_real/ops/data.h"
#include "fabric_real/ops/flush.h"
#include "fabric_real/ops/message.h"
#include "fabric_real/ops/req.h"
#include "fabric_real/ops/rma.h"
#include "fabric_real/ops/segment.h"
#include "fabric_real/ops/signal.h"
#include "fabric_real/ops/wait_mem.h"
#include "fabric_real/progress/engine.h"
#include "fabric_real/progress/remote_amo.h"
#include "fabric_real/progress/server.h"
#include "fabric_real/progress/thread.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/probe.h"
#include "fabric_real/wait/supervised.h"
#include "fabric_real/wait/wakeup.h"
#include "rt/launcher.h"
#include "rt/rt.h"

/* one MPI call moves at most this: its count is an int */
#define CHUNK_BYTES (UINT64_C(1) << 30)
#define MPI_SHARED_BYTES (5u << 20) /* of a process of MPICH 4.0 over UCX, measured */

/* The conditions of EYOT_PROGRESS on a program that has initialized MPI itself. */
static int check_program_mpi(uint64_t progress) {
  int provided;
  if (progress == 0) return EYOT_OK;
  if (progress != EYOTI_PROGRESS_THREAD)
    return EYOTI_FAIL(
        EYOT_ESTATE,
        "EYOT_PROGRESS takes processes out of MPI_COMM_WORLD, but the program has initialized MPI "
        "itself and expects all of them there: leave MPI_Init to eyot_init, or set "
        "EYOT_PROGRESS=thread");
  FMPI_TRY(MPI_Query_thread(&provided));
  if (provided < MPI_THREAD_MULTIPLE)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "EYOT_PROGRESS=thread needs MPI_THREAD_MULTIPLE, and the program has "
                      "initialized MPI with less: ask for it in MPI_Init_thread");
  return EYOT_OK;
}

/* MPI says little about it, and may crash. Only a warning: MPI may need none. */
static void check_shared_memory(void) {
  uint32_t n = eyoti_launcher_local_processes();
  uint64_t there = fmpi_shared_space();
  if (n <= 1 || there / n >= MPI_SHARED_BYTES) return;
  eyoti_log(EYOTI_LOG_WARN, "eyot_init", 0,
            "%s has %" PRIu64
            " bytes left for %u processes, and MPI needs some %u for each: if it fails now, free "
            "some there, or enlarge it (mount -o remount,size=... %s)",
            FMPI_SHM_FOLDER, there, n, MPI_SHARED_BYTES, FMPI_SHM_FOLDER);
}

/* Whether other threads than the one that is in eyot_init will call. Options of the wrong form are
 * reported later. */
static bool serialized(void) {
  uint32_t level;
  return eyoti_threads_wanted(eyot_current->thread_level, &level) == EYOT_OK &&
         level >= EYOT_THREAD_SERIALIZED;
}

static int init_mpi(struct fmpi *f, uint64_t progress) {
  int provided;
  EYOTI_TRY(fmpi_check_launcher_before_init());
  check_shared_memory();
  EYOTI_TRY(fmpi_vendor_before_init());
  bool tools = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
  if (tools) fmpi_vendor_skip_address_search();
  const int level = fmpi_vendor_thread_level(progress == EYOTI_PROGRESS_THREAD, serialized());
  FMPI_TRY(MPI_Init_thread(NULL, NULL, level, &provided));
  f->job.own_mpi = true;
  f->job.threads = provided >= MPI_THREAD_MULTIPLE;
  /* not before: MPICH would initialize itself from the table that this frees */
  if (tools) (void)MPI_T_finalize();
  return fmpi_end_watch(f);
}

/* A failure here is this process's alone. */
static int start_mpi(struct fmpi *f, uint64_t progress) {
  int up = 0, size;
  FMPI_TRY(MPI_Initialized(&up));
  f->job.mpi = up != 0;
  EYOTI_TRY(fmpi_end_watch(f));
  if (up == 0) EYOTI_TRY(init_mpi(f, progress));
  FMPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
  f->job.mpi = size > 1 || eyoti_launcher_processes() == 1;
  int level;
  FMPI_TRY(MPI_Query_thread(&level));
  if (level >= MPI_THREAD_SERIALIZED) f->fab.caps |= FAB_CAP_THREADS;
  return fmpi_check_launcher(size);
}

/* Failures here are the same on all units. */
static int endpoint_agree(struct fmpi *f, uint64_t progress, uint64_t *node_size) {
  int own = f->job.own_mpi ? EYOT_OK : check_program_mpi(progress);
  if (own == EYOT_OK) own = f->data.found;
  EYOTI_TRY(fmpi_agree(f, own));
  EYOTI_TRY(fmpi_remote_amos_check());
  uint64_t summary;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_STATS, &summary));
  f->job.summary = summary != 0;
  return eyoti_conf_u64(EYOTI_CONF_NODE_SIZE, node_size);
}

/* Tests of long transfers make the pieces small; not an option of a run. */
static uint64_t chunk_bytes(void) {
  const char *text = eyoti_conf_foreign_env("EYOTI_MPI_CHUNK_BYTES");
  uint64_t v = text != NULL ? strtoull(text, NULL, 10) : 0;
  return v != 0 && v < CHUNK_BYTES ? v : CHUNK_BYTES;
}

/* Tests of numbers near their ends (docs/limits.md); not an option of a run. */
static uint64_t numbers_from(void) {
  const char *text = eyoti_conf_foreign_env("EYOTI_MPI_NUMBERS_FROM");
  return text != NULL ? strtoull(text, NULL, 10) : 0;
}

static int close_common(struct fmpi *f) {
  for (uint32_t i = 0; i < FAB_SEG_MAX; i++)
    if (f->seg[i].live) EYOTI_TRY(fmpi_seg_release(f, &f->seg[i]));
  EYOTI_TRY(fmpi_probe_close(f));
  EYOTI_TRY(fmpi_remote_amos_close(f));
  EYOTI_TRY(fmpi_engine_close(f));
  EYOTI_TRY(fmpi_wakeups_close(f));
  if (f->job.servers != 0) FMPI_TRY(MPI_Comm_free(&f->comm.wide));
  if (f->comm.node != MPI_COMM_NULL) FMPI_TRY(MPI_Comm_free(&f->comm.node));
  return EYOT_OK;
}

/* A progress process is not a unit of the program: it runs none of the program's exit handlers and
 * writes none of its buffered text. */
static int serve(struct fmpi *f) {
  EYOTI_TRY(fmpi_probe_open(f));
  EYOTI_TRY(fmpi_serve(f));
  EYOTI_TRY(close_common(f));
  EYOTI_TRY(fmpi_finalize_mpi(f));
  fmpi_supervised_state(f, EYOTI_RUN_LEFT);
  fmpi_end_serve(f);
}

static int count_followed(struct fmpi *f) {
  int ranks;
  if (!fmpi_vendor_bounds_requests()) return EYOT_OK;
  FMPI_TRY(MPI_Comm_size(f->comm.wide, &ranks));
  f->job.followed = calloc((size_t)ranks, sizeof *f->job.followed);
  if (f->job.followed == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to count transfers to %d processes", ranks);
  return EYOT_OK;
}

static int endpoint_build(struct fmpi *f, uint32_t node_size) {
  uint64_t limit;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MAX_OUTSTANDING, &limit));
  EYOTI_TRY(fmpi_place_units(f, node_size));
  fmpi_supervised_known(f);
  EYOTI_TRY(count_followed(f));
  f->job.loses_requests = fmpi_vendor_loses_requests();
  EYOTI_TRY(fmpi_find_pins(f));
  EYOTI_TRY(fmpi_wakeups_open(f));
  EYOTI_TRY(fmpi_engine_open(f));
  EYOTI_TRY(fmpi_remote_amos_open(f));
  if (f->job.server != FMPI_UNIT) return serve(f);
  EYOTI_TRY(fmpi_targets_init(&f->targets, (uint32_t)limit));
  EYOTI_TRY(fmpi_attach_open(f, fmpi_vendor_attach_by_message()));
  EYOTI_TRY(fmpi_messages_open(f));
  if (!f->job.one_node) f->fab.caps |= FAB_CAP_SIGNAL_LATER;
  if (f->messages == NULL) {
    f->table.message = NULL, f->table.message_least = NULL;
    f->table.send = NULL, f->table.expect = NULL;
  }
  EYOTI_TRY(fmpi_probe_open(f));
  EYOTI_TRY(fmpi_end_watch_finalize(f));
  EYOTI_TRY(fmpi_meet(f));
  f->job.start_ns = fmpi_clock_ns();
  EYOTI_TRY(fmpi_thread_start(f));
  return fmpi_data_open(f);
}

static int endpoint_release(struct fmpi *f) {
  EYOTI_TRY(fmpi_engine_command(f, FMPI_DO_END, 0, 0));
  EYOTI_TRY(fmpi_messages_close(f));
  EYOTI_TRY(fmpi_attach_close(f));
  EYOTI_TRY(close_common(f));
  FMPI_TRY(MPI_Comm_free(&f->comm.all));
  return EYOT_OK;
}

static int fmpi_close(struct fab *fab) {
  struct fmpi *f = fmpi_of(fab);
  EYOTI_TRY(fmpi_drain(f, FAB_ALL, FAB_REMOTE));
  int lost = fmpi_ops_report(f, FAB_ALL, FAB_REMOTE);
  EYOTI_TRY(fmpi_meet(f)); /* from here on no unit's operation is in flight */
  EYOTI_TRY(fmpi_thread_stop(f));
  if (f->job.summary) EYOTI_TRY(fmpi_stats_print(f));
  EYOTI_TRY(endpoint_release(f));
  fmpi_end_unwatch(f);
  fmpi_wait_published(f, EYOTI_RUN_WAIT_LEAVE, NULL, 0, FAB_FOREVER);
  if (f->job.own_mpi) EYOTI_TRY(fmpi_finalize_mpi(f));
  fmpi_supervised_state(f, EYOTI_RUN_LEFT);
  fmpi_supervised_leave(f);
  fmpi_ops_free(f);
  fmpi_targets_fini(&f->targets);
  fmpi_data_close(f);
  free(f->nodes.runs);
  free(f->job.followed);
  free(f);
  return lost;
}

static const struct fab_ops OPS = {
    .abi = FAB_ABI,
    .name = "mpi",
    .seg_create = fmpi_seg_create,
    .seg_reserve = fmpi_seg_reserve,
    .seg_reach = fmpi_seg_reach,
    .seg_available = fmpi_seg_available,
    .seg_destroy = fmpi_seg_destroy,
    .seg_ptr = fmpi_seg_ptr,
    .seg_map = fmpi_seg_map,
    .seg_common = fmpi_seg_common,
    .seg_find = fmpi_seg_find_common,
    .seg_return = fmpi_seg_return,
    .seg_secure = fmpi_seg_secure,
    .seg_data = fmpi_seg_data,
    .seg_data_known = fmpi_seg_data_known,
    .attach = fmpi_attach,
    .detach = fmpi_detach,
    .put = fmpi_put,
    .get = fmpi_get,
    .amo = fmpi_amo,
    .put_signal = fmpi_put_signal,
    .message = fmpi_message,
    .message_least = fmpi_message_least,
    .send = fmpi_send,
    .expect = fmpi_expect,
    .req_test = fmpi_req_test,
    .req_wait = fmpi_req_wait,
    .flush = fmpi_flush,
    .order = fmpi_order,
    .wait_mem = fmpi_wait_mem,
    .wait_any = fmpi_wait_any,
    .wait_low = fmpi_wait_low,
    .tries = fmpi_tries,
    .progress = fmpi_progress,
    .wake = fmpi_wake,
    .locate = fmpi_locate,
    .per_node = fmpi_per_node,
    .now_ns = fmpi_now_ns,
    .compute = fmpi_compute,
    .phase = fmpi_phase,
    .abort = fmpi_abort,
    .exit_all = fmpi_exit_all,
    .close = fmpi_close,
};

static struct fmpi *endpoint_new(void) {
  struct fmpi *f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  f->table = OPS;
  f->fab.ops = &f->table;
  f->fab.caps = FAB_CAP_TEST_REMOTE_BLOCKS | FAB_CAP_TARGET_PROGRESS | FAB_CAP_ATTACH_UNCHECKED |
                FAB_CAP_ORDER_IS_FLUSH;
  f->comm.all = f->comm.wide = f->comm.node = MPI_COMM_NULL;
  f->attach.win = f->probe.win = MPI_WIN_NULL;
  f->end.finalize_key = MPI_KEYVAL_INVALID;
  f->stats.current = FMPI_PHASES_MAX;
  f->job.chunk_bytes = chunk_bytes();
  f->job.numbers_from = numbers_from();
  f->job.server = FMPI_UNIT;
  fmpi_supervised_join(f);
  return f;
}

/* Leaves MPI after an error that all units have agreed on. */
static void endpoint_abandon(struct fmpi *f, int rc) {
  if (!fmpi_agree_failed()) (void)fmpi_end_start(f, EYOT_EFABRIC);
  fmpi_end_unwatch(f);
  if (f->job.own_mpi && fmpi_finalize_mpi(f) != 0) (void)fmpi_end_start(f, rc);
}

static int endpoint_open(struct fmpi *f) {
  uint64_t node_size, progress = 0;
  int bad = eyoti_conf_u64_quiet(EYOTI_CONF_PROGRESS,
                                 &progress); /* fmpi_agree reports it, on all units */
  if (bad != 0) progress = 0;
  f->data.found = fmpi_data_find(f); /* fmpi_agree reports it, on all units */
  int rc = start_mpi(f, progress);
  if (rc != 0) rc = fmpi_end_start(f, rc);
  if (rc == 0) rc = endpoint_agree(f, progress, &node_size);
  if (rc != 0) {
    endpoint_abandon(f, rc);
    return rc;
  }
  f->job.servers = progress <= EYOTI_PROGRESS_MAX ? (uint32_t)progress : 0;
  /* the others wait for it inside MPI */
  if (endpoint_build(f, (uint32_t)node_size) != 0)
    fmpi_abort(&f->fab, 1, "a process cannot open the mpi fabric");
  fmpi_supervised_state(f, EYOTI_RUN_RUNNING);
  return EYOT_OK;
}

static int fmpi_open(struct fab **out) {
  int over = 0;
  FMPI_TRY(MPI_Finalized(&over));
  if (over != 0)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "the program has called MPI_Finalize; eyot needs MPI until eyot_finalize");
  struct fmpi *f = endpoint_new();
  if (f == NULL)
    return fmpi_end_start(
        NULL, EYOTI_FAIL(EYOT_ENOMEM, "no memory for the endpoint (%zu bytes)", sizeof *f));
  eyot_current->opening = &f->fab;
  int rc = endpoint_open(f);
  if (rc == 0) {
    *out = &f->fab;
    return EYOT_OK;
  }
  eyot_current->opening = NULL;
  fmpi_supervised_state(f, EYOTI_RUN_REFUSED);
  fmpi_supervised_leave(f);
  free(f);
  return rc;
}

EYOT_API const struct fab_module eyot_fabric_module = {
    .abi = FAB_ABI, .name = "mpi", .open = fmpi_open};
