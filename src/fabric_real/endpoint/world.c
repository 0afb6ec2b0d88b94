/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c - the mpi fabric's module: opening and closing an endpoint, and its table of
 * operations. */
#include <stdlib.h>
#include <unistd.h>

#include "base/conf.h"
#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/ops/remote_amo.h"
#include "fabric_real/progress/engine.h"

static const struct fab_ops OPS = {
    .abi = FAB_ABI,
    .name = "mpi",
    .seg_create = fr_seg_create,
    .seg_reserve = fr_seg_reserve,
    .seg_reach = fr_seg_reach,
    .seg_room = fr_seg_room,
    .seg_destroy = fr_seg_destroy,
    .seg_ptr = fr_seg_ptr,
    .seg_map = fr_seg_map,
    .seg_return = fr_seg_return,
    .seg_secure = fr_seg_secure,
    .attach = fr_attach,
    .detach = fr_detach,
    .put = fr_put,
    .get = fr_get,
    .amo = fr_amo,
    .put_signal = fr_put_signal,
    .req_test = fr_req_test,
    .req_wait = fr_req_wait,
    .flush = fr_flush,
    .order = fr_order,
    .wait_mem = fr_wait_mem,
    .wait_any = fr_wait_any,
    .progress = fr_progress,
    .wake = fr_wake,
    .locate = fr_locate,
    .now_ns = fr_now_ns,
    .compute = fr_compute,
    .phase = fr_phase,
    .abort = fr_abort,
    .close = fr_close,
};

/* What EYOT_PROGRESS asks of a program that has initialised MPI itself. */
static int check_program_mpi(uint64_t progress) {
  int provided;
  if (progress == 0) return EYOT_OK;
  if (progress != EYOTI_CONF_PROGRESS_THREAD)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "EYOT_PROGRESS takes processes out of MPI_COMM_WORLD, where the program, "
                      "which has initialised MPI itself, counts on "
                      "them: leave MPI_Init to eyot_init, or set "
                      "EYOT_PROGRESS=thread");
  FR_TRY(MPI_Query_thread(&provided));
  if (provided < MPI_THREAD_MULTIPLE)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "EYOT_PROGRESS=thread needs MPI_THREAD_MULTIPLE, and the program has "
                      "initialised MPI with less: ask for it in MPI_Init_thread");
  return EYOT_OK;
}

static int start_mpi(struct fr *f, uint64_t progress) {
  int done = 0, over = 0, provided;
  FR_TRY(MPI_Finalized(&over));
  if (over != 0)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "the program has called MPI_Finalize; eyot needs MPI until eyot_finalize");
  FR_TRY(MPI_Initialized(&done));
  if (done != 0) return check_program_mpi(progress);
  EYOTI_TRY(fr_vendor_before_init());
  bool tools = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
  if (tools) fr_vendor_skip_address_search();
  FR_TRY(MPI_Init_thread(NULL, NULL, fr_vendor_thread_level(progress == EYOTI_CONF_PROGRESS_THREAD),
                         &provided));
  f->own_mpi = true;
  f->threads = provided >= MPI_THREAD_MULTIPLE;
  /* not before: MPICH would initialise itself from the table that this frees */
  if (tools) (void)MPI_T_finalize();
  return EYOT_OK;
}

/* Failures here are the same on all units. */
static int agree(struct fr *f, uint64_t *node_size) {
  int size;
  FR_TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
  EYOTI_TRY(fr_check_launcher(size));
  EYOTI_TRY(fr_check_options(MPI_COMM_WORLD));
  EYOTI_TRY(fr_errands_check());
  uint64_t summary;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_STATS, &summary));
  f->summary = summary != 0;
  return eyoti_conf_u64(EYOTI_CONF_NODE_SIZE, node_size);
}

/* Tests of long transfers make the pieces small; not an option of a run. */
static uint64_t chunk_bytes(void) {
  const char *text = eyoti_conf_foreign_env("EYOTI_MPI_CHUNK_BYTES");
  uint64_t v = text != NULL ? strtoull(text, NULL, 10) : 0;
  return v != 0 && v < FR_CHUNK_BYTES ? v : FR_CHUNK_BYTES;
}

static int open_echo(struct fr *f) {
  if (!f->crowded || f->fab.n + f->servers == 1) return EYOT_OK;
  FR_TRY(MPI_Win_create(&f->echo_here, 1, 1, MPI_INFO_NULL, f->wide, &f->echo));
  FR_TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, f->echo));
  return EYOT_OK;
}

static int close_common(struct fr *f) {
  for (uint32_t i = 0; i < FAB_SEG_MAX; i++)
    if (f->seg[i].live) EYOTI_TRY(fr_seg_release(&f->seg[i]));
  if (f->echo != MPI_WIN_NULL) {
    FR_TRY(MPI_Win_unlock_all(f->echo));
    FR_TRY(MPI_Win_free(&f->echo));
  }
  EYOTI_TRY(fr_errands_close(f));
  EYOTI_TRY(fr_engine_close(f));
  EYOTI_TRY(fr_bells_close(f));
  if (f->servers != 0) FR_TRY(MPI_Comm_free(&f->wide));
  FR_TRY(MPI_Comm_free(&f->node));
  return EYOT_OK;
}

/* A progress process is no unit of the program: what the program has prepared for its exit, and
 * text that it has not written yet, is the units' to care for. */
static int serve(struct fr *f) {
  EYOTI_TRY(open_echo(f));
  EYOTI_TRY(fr_serve(f));
  EYOTI_TRY(close_common(f));
  EYOTI_TRY(fr_finalize_mpi(f));
  _exit(0);
}

static int build(struct fr *f, uint32_t node_size) {
  uint64_t limit;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MAX_OUTSTANDING, &limit));
  EYOTI_TRY(fr_place_units(f, node_size));
  EYOTI_TRY(fr_find_pins(f));
  EYOTI_TRY(fr_bells_open(f));
  EYOTI_TRY(fr_engine_open(f));
  EYOTI_TRY(fr_errands_open(f));
  if (f->server != FR_UNIT) return serve(f);
  EYOTI_TRY(fr_targets_init(&f->targets, (uint32_t)limit));
  EYOTI_TRY(fr_attach_open(f));
  EYOTI_TRY(open_echo(f));
  EYOTI_TRY(fr_end_watch(f));
  EYOTI_TRY(fr_meet(f));
  f->start_ns = fr_clock_ns();
  return fr_thread_start(f);
}

static int fr_open(struct fab **out) {
  struct fr *f = calloc(1, sizeof *f);
  if (f == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the endpoint (%zu bytes)", sizeof *f);
  f->fab.ops = &OPS;
  f->fab.caps = FAB_CAP_TEST_REMOTE_BLOCKS | FAB_CAP_TARGET_PROGRESS | FAB_CAP_ATTACH_UNCHECKED |
                FAB_CAP_ORDER_IS_FLUSH;
  f->all = f->wide = f->node = MPI_COMM_NULL;
  f->dynamic = f->echo = MPI_WIN_NULL;
  f->finalize_key = MPI_KEYVAL_INVALID;
  f->stats.current = FR_PHASES_MAX;
  f->chunk_bytes = chunk_bytes();
  f->server = FR_UNIT;
  uint64_t node_size, progress = 0;
  int bad = eyoti_conf_u64_quiet(EYOTI_CONF_PROGRESS, &progress); /* told by agree, to all */
  int rc = start_mpi(f, bad == 0 ? progress : 0);
  if (rc == 0) rc = agree(f, &node_size);
  if (rc != 0) goto stop_mpi;
  f->servers = progress <= EYOTI_CONF_PROGRESS_MAX ? (uint32_t)progress : 0;
  rc = build(f, (uint32_t)node_size);
  /* the others wait for it inside MPI */
  if (rc != 0) fr_abort(&f->fab, 1, "a unit cannot open the mpi fabric");
  *out = &f->fab;
  return EYOT_OK;

stop_mpi:
  if (f->own_mpi) (void)fr_finalize_mpi(f);
  free(f);
  return rc;
}

static int release(struct fr *f) {
  EYOTI_TRY(fr_engine_command(f, FR_DO_END, 0, 0));
  EYOTI_TRY(fr_attach_close(f));
  EYOTI_TRY(close_common(f));
  FR_TRY(MPI_Comm_free(&f->all));
  return EYOT_OK;
}

int fr_close(struct fab *fab) {
  struct fr *f = fr_of(fab);
  EYOTI_TRY(fr_drain(f, FAB_ALL, FAB_REMOTE));
  int lost = fr_ops_tell(f, FAB_ALL, FAB_REMOTE);
  EYOTI_TRY(fr_meet(f)); /* from here on nobody's operation is in flight */
  EYOTI_TRY(fr_thread_stop(f));
  if (f->summary) EYOTI_TRY(fr_stats_print(f));
  EYOTI_TRY(release(f));
  fr_end_unwatch(f);
  if (f->own_mpi) EYOTI_TRY(fr_finalize_mpi(f));
  fr_ops_free(f);
  fr_targets_fini(&f->targets);
  free(f->runs);
  free(f);
  return lost;
}

EYOT_API const struct fab_module eyot_fabric_module = {
    .abi = FAB_ABI, .name = "mpi", .open = fr_open};
