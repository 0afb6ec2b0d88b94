/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - see place.h. Units are numbered node by node, so that the units mapped here are
 * consecutive. */
#include "fabric_real/launch/place.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "fabric_real/wait/idle.h"
#include "fabric_real/wait/spin.h"
#include "rt/launcher.h"

#define SPIN_LIMIT 1000u /* see fab.spin_limit: some 10 to 40 us */

/* Found out by the first unit of a machine for all of it. */
struct machine {
  uint32_t units, first_unit, first_node;
};

/* The position of a process on its machine: processes are taken in order, node by node, the last of
 * each node being progress processes. */
struct stand {
  uint32_t processes, nodes; /* of the machine */
  uint32_t node, place;      /* of this process: its node on the machine, and its place there */
  uint32_t units;            /* of its node */
};

static struct stand stand_of(uint32_t processes, uint32_t rank, uint32_t node_size,
                             uint32_t servers) {
  uint32_t whole = node_size == 0 ? processes : node_size + servers;
  struct stand s = {.processes = processes,
                    .nodes = (processes + whole - 1) / whole,
                    .node = rank / whole,
                    .place = rank % whole};
  uint32_t here = s.node + 1 < s.nodes ? whole : processes - (s.nodes - 1) * whole;
  s.units = here > servers ? here - servers : 0;
  return s;
}

/* The same answer for all. */
static int check_stand(const struct fmpi *f, const struct stand *s) {
  uint32_t processes = s->units != 0 ? 0 : s->processes, worst = processes;
  FMPI_TRY(MPI_Allreduce(&processes, &worst, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD));
  if (worst == 0) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "%u progress processes a node (EYOT_PROGRESS) leave no unit on some node of a "
                    "machine with %u processes: start more "
                    "processes (units and, for each node, progress "
                    "processes; eyotrun counts them), or ask for fewer progress processes",
                    f->job.servers, worst);
}

/* Those that this process may use; 1 may be a binding of this process alone. */
static long own_processors(void) {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus)
                                                       : sysconf(_SC_NPROCESSORS_ONLN);
}

bool fmpi_lacks_processors(uint32_t processes) {
  /* tests of both ways on any machine; not an option of a run */
  const char *forced = eyoti_conf_foreign_env("EYOTI_MPI_OVERSUBSCRIBED");
  if (forced != NULL) return strcmp(forced, "1") == 0;
  long n = own_processors();
  /* A unit that is bound to its own processors says nothing about the others: then the whole
   * machine counts. */
  return (long)processes > (n == 1 ? sysconf(_SC_NPROCESSORS_ONLN) : n);
}

/* This process's share of those that no process of the job on this machine needs. Those that it may
 * use are taken to be all processes', as above; a progress thread mostly sleeps. */
static uint8_t idle_processors(const struct fmpi *f, long n) {
  const long processes = f->job.machine_processes;
  if (f->job.oversubscribed || n <= processes) return 0;
  const long each = (n - processes) / processes;
  return (uint8_t)(each < FAB_IDLE_MOST ? each : FAB_IDLE_MOST);
}

/* Somewhere in the job? If it is together, all know already (agree.h). */
static int find_oversubscribed(struct fmpi *f, uint32_t processes) {
  long n = own_processors();
  f->job.processors = n > 1 && f->job.one_node && f->job.servers == 0 ? (uint32_t)n : 0;
  if (!f->job.together) {
    int lacks = fmpi_lacks_processors(processes);
    FMPI_TRY(MPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    f->job.oversubscribed = lacks != 0;
  }
  f->fab.oversubscribed = f->job.oversubscribed;
  f->fab.spin_limit = f->job.oversubscribed ? 0 : SPIN_LIMIT;
  f->fab.idle = idle_processors(f, n) & FAB_IDLE_MOST;
  return EYOT_OK;
}

static void add_machine(struct fmpi *f, const struct machine *m, uint32_t node_size) {
  uint32_t size = node_size == 0 || node_size > m->units ? m->units : node_size;
  uint32_t whole = m->units / size, rest = m->units % size;
  struct fmpi_run *last = f->nodes.n == 0 ? NULL : &f->nodes.runs[f->nodes.n - 1];
  if (last != NULL && last->size == size)
    last->count += whole;
  else
    f->nodes.runs[f->nodes.n++] = (struct fmpi_run){
        .unit = m->first_unit, .node = m->first_node, .size = size, .count = whole};
  if (rest != 0)
    f->nodes.runs[f->nodes.n++] = (struct fmpi_run){.unit = m->first_unit + whole * size,
                                                    .node = m->first_node + whole,
                                                    .size = rest,
                                                    .count = 1};
}

/* The leaders of the machines exchange their sizes; all units keep the runs. */
static int gather_runs(struct fmpi *f, MPI_Comm machine_comm, MPI_Comm leaders,
                       const struct machine *m, uint32_t node_size) {
  int machines = 0, rc = EYOT_ENOMEM;
  struct machine *all = NULL;
  if (leaders != MPI_COMM_NULL) FMPI_TRY(MPI_Comm_size(leaders, &machines));
  FMPI_TRY(MPI_Bcast(&machines, 1, MPI_INT, 0, machine_comm));
  f->nodes.runs = calloc(2 * (size_t)machines, sizeof *f->nodes.runs);
  all = calloc((size_t)machines, sizeof *all);
  if (f->nodes.runs == NULL || all == NULL) goto free_all;
  rc = EYOT_ESYS;
  if (leaders != MPI_COMM_NULL &&
      MPI_Allgather(m, 3, MPI_UINT32_T, all, 3, MPI_UINT32_T, leaders) != MPI_SUCCESS)
    goto free_all;
  if (MPI_Bcast(all, 3 * machines, MPI_UINT32_T, 0, machine_comm) != MPI_SUCCESS) goto free_all;
  for (int i = 0; i < machines; i++) add_machine(f, &all[i], node_size);
  struct fmpi_run *fit = realloc(f->nodes.runs, f->nodes.n * sizeof *fit);
  if (fit != NULL) f->nodes.runs = fit;
  rc = EYOT_OK;

free_all:
  free(all);
  if (rc != EYOT_OK) (void)EYOTI_FAIL(rc, "cannot collect the sizes of %d machines", machines);
  return rc;
}

/* Sets m for every process of the machine. */
static int number_machines(MPI_Comm machine_comm, MPI_Comm leaders, uint32_t nodes,
                           struct machine *m) {
  if (leaders != MPI_COMM_NULL) {
    uint32_t mine[2] = {m->units, nodes}, before[2] = {0, 0};
    int rank;
    FMPI_TRY(MPI_Comm_rank(leaders, &rank));
    FMPI_TRY(MPI_Exscan(mine, before, 2, MPI_UINT32_T, MPI_SUM, leaders));
    m->first_unit = rank == 0 ? 0 : before[0];
    m->first_node = rank == 0 ? 0 : before[1];
  }
  FMPI_TRY(MPI_Bcast(m, 3, MPI_UINT32_T, 0, machine_comm));
  return EYOT_OK;
}

/* The communicators, units first. `unit` is this process's id if it is one. */
static int make_comms(struct fmpi *f, MPI_Comm machine_comm, const struct machine *m,
                      const struct stand *s, fab_unit_t unit) {
  bool serves = f->job.server != FMPI_UNIT;
  FMPI_TRY(MPI_Comm_split(MPI_COMM_WORLD, serves ? MPI_UNDEFINED : 0, (int)unit, &f->comm.all));
  f->comm.wide = f->comm.all;
  if (!serves) FMPI_TRY(MPI_Comm_set_errhandler(f->comm.all, MPI_ERRORS_RETURN));
  if (f->job.servers == 0) return EYOT_OK;
  uint32_t rank = f->fab.n + (m->first_node + s->node) * f->job.servers + f->job.server;
  FMPI_TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, (int)(serves ? rank : unit), &f->comm.wide));
  FMPI_TRY(MPI_Comm_set_errhandler(f->comm.wide, MPI_ERRORS_RETURN));
  FMPI_TRY(MPI_Comm_split(machine_comm, (int)s->node, (int)s->place, &f->comm.node));
  FMPI_TRY(MPI_Comm_set_errhandler(f->comm.node, MPI_ERRORS_RETURN));
  return EYOT_OK;
}

/* The launcher may have counted other nodes than MPI does; the same answer for all. */
static int check_count(const struct fmpi *f) {
  uint64_t wanted;
  if (f->job.servers == 0 || !eyoti_conf_is_set(EYOTI_CONF_UNITS)) return EYOT_OK;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_UNITS, &wanted));
  if (wanted == f->fab.n) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "with %u progress processes a node (EYOT_PROGRESS) %u of the processes are "
                    "units, but EYOT_N (eyotrun -n) asks for %" PRIu64
                    ": MPI sees other nodes than eyotrun counted (a setting of MPI may say what a "
                    "node is); call mpiexec with as many processes as "
                    "needed, and EYOT_N unset",
                    f->job.servers, f->fab.n, wanted);
}

/* Computes this process's place from those of the machines, f->nodes. */
static int take_place(struct fmpi *f, const struct machine *m, const struct stand *s,
                      uint32_t node_size) {
  f->job.machine_units = m->units;
  f->job.machine_processes = s->processes;
  f->fab.n = 0;
  for (uint32_t i = 0; i < f->nodes.n; i++)
    f->fab.n += f->nodes.runs[i].size * f->nodes.runs[i].count;
  EYOTI_TRY(check_count(f));
  f->fab.local.first = m->first_unit + (node_size == 0 ? 0 : s->node * node_size);
  f->fab.local.n = s->units;
  f->job.server = s->place < s->units ? FMPI_UNIT : s->place - s->units;
  f->fab.me = f->job.server == FMPI_UNIT ? f->fab.local.first + s->place : f->fab.local.first;
  f->job.placed = true;
  f->job.one_node = f->fab.local.n == f->fab.n;
  /* see fmpi_by_cpu; remote AMOs change it */
  f->job.cpu_words = f->fab.cpu_atomics = f->fab.quiet = f->job.one_node;
  return EYOT_OK;
}

/* Each process knows all: units are numbered as in MPI_COMM_WORLD. */
static int place_together(struct fmpi *f, uint32_t node_size) {
  int rank, processes;
  FMPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  FMPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &processes));
  struct stand s = stand_of((uint32_t)processes, (uint32_t)rank, node_size, 0);
  const struct machine m = {.units = s.processes};
  f->nodes.runs = calloc(2, sizeof *f->nodes.runs);
  if (f->nodes.runs == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the list of nodes");
  add_machine(f, &m, node_size);
  EYOTI_TRY(take_place(f, &m, &s, node_size));
  EYOTI_TRY(fmpi_dup(f, MPI_COMM_WORLD, &f->comm.all));
  f->comm.wide = f->comm.all;
  return EYOT_OK;
}

static int place_on_machines(struct fmpi *f, uint32_t node_size) {
  MPI_Comm machine_comm, leaders;
  int world_rank, rank, processes;
  FMPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank));
  FMPI_TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL,
                               &machine_comm));
  FMPI_TRY(MPI_Comm_rank(machine_comm, &rank));
  FMPI_TRY(MPI_Comm_size(machine_comm, &processes));
  FMPI_TRY(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, world_rank, &leaders));
  struct stand s = stand_of((uint32_t)processes, (uint32_t)rank, node_size, f->job.servers);
  EYOTI_TRY(check_stand(f, &s));
  struct machine m = {.units = s.processes - s.nodes * f->job.servers};
  EYOTI_TRY(number_machines(machine_comm, leaders, s.nodes, &m));
  EYOTI_TRY(gather_runs(f, machine_comm, leaders, &m, node_size));
  EYOTI_TRY(take_place(f, &m, &s, node_size));
  EYOTI_TRY(make_comms(f, machine_comm, &m, &s, f->fab.me));
  if (leaders != MPI_COMM_NULL) FMPI_TRY(MPI_Comm_free(&leaders));
  FMPI_TRY(MPI_Comm_free(&machine_comm));
  return EYOT_OK;
}

int fmpi_place_units(struct fmpi *f, uint32_t node_size) {
  int me, n;
  if (f->job.together) {
    EYOTI_TRY(place_together(f, node_size));
  } else {
    struct fmpi_spin spin;
    fmpi_spin_begin(&spin, fmpi_lacks_processors(eyoti_launcher_local_processes()));
    int rc = place_on_machines(f, node_size);
    fmpi_spin_end(&spin);
    if (rc != 0) return rc;
  }
  EYOTI_TRY(
      find_oversubscribed(f, f->job.one_node ? f->job.machine_units : f->job.machine_processes));
  if (f->job.server != FMPI_UNIT) return EYOT_OK;
  FMPI_TRY(MPI_Comm_rank(f->comm.all, &me));
  FMPI_TRY(MPI_Comm_size(f->comm.all, &n));
  EYOTI_ASSERT((uint32_t)me == f->fab.me && (uint32_t)n == f->fab.n);
  return EYOT_OK;
}
