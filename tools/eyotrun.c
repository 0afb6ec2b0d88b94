/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun.c - the command eyotrun: starts a program on either fabric, as simulated units in this
 * process, or as MPI processes by mpiexec.
 *
 * Each option of base/options.def is passed on as its environment variable. This file parses them
 * without getopt, because the simulated units share this process's libc and would inherit getopt's
 * hidden state. */
#include <errno.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf.h"
#include "eyotrun_hosts.h"
#include "eyotrun_seeds.h"
#include "eyotrun_spread.h"
#include "init/module.h"
#include "mpi_limits.h"
#include "mpi_start.h"
#include "supervise.h"
#include "tool.h"
#include "unit_start.h"

#define MPIEXEC_ARGS_MAX 64

struct job {
  char **program; /* argv of the program, NULL-terminated */
  int n_program;
  char *mpiexec_args; /* modified: it is split in place */
  struct hosts_options hosts;
  struct seeds_options seeds;
  const char *seeds_option; /* one of them that was given, or NULL */
};

/* Prints the help on the options of eyotrun alone that belong to `group`. */
static void help_own(enum eyoti_conf_group group) {
  if (group == EYOTI_CONF_IN_COMMON) {
    tool_help_row("--version", "prints the version");
    tool_help_row("-h, --help", "prints this text");
  }
  if (group == EYOTI_CONF_IN_SIMULATOR) seeds_help();
  if (group != EYOTI_CONF_IN_MPI) return;
  hosts_help();
  tool_help_row("--mpiexec-args \"ARGS\"",
                "passes further arguments, separated by blanks, to mpiexec (EYOT_MPIEXEC names "
                "another mpiexec)");
}

static void print_help(void) {
  puts(
      "usage: eyotrun [-n N] [--fabric sim|mpi] [OPTIONS] PROGRAM [ARGUMENTS]\n"
      "       eyotrun --resume JOURNAL | --merge JOURNAL...\n"
      "\n"
      "Runs PROGRAM, built with eyotcc, as N units: simulated in one process (sim), or as MPI\n"
      "processes (mpi). The exit code is that of the run. Most options are also environment\n"
      "variables (eyot-info lists them); on/off options accept =off too. eyotrun warns before it\n"
      "starts more than 64 MPI processes, and more than 8 for each processor, on one machine.");
  tool_help_options(EYOTI_CONF_FOR_ALL, help_own);
}

static const struct tool TOOL;

/* Handles the options of eyotrun that are not in the configuration. */
static int own_option(void *arg, const char *name, char *value) {
  struct job *job = arg;
  if (hosts_option_known(name)) return hosts_option_set(&job->hosts, name, value);
  if (strcmp(name, "mpiexec-args") != 0) {
    job->seeds_option = seeds_option_name(name);
    return seeds_option_set(&TOOL, &job->seeds, name, value);
  }
  job->mpiexec_args = value;
  return 0;
}

static bool own_option_known(const char *name, bool *takes_value) {
  *takes_value = true;
  return strcmp(name, "mpiexec-args") == 0 || hosts_option_known(name) ||
         seeds_option_known(name, takes_value);
}

static const struct tool TOOL = {
    .name = "eyotrun", .own_known = own_option_known, .own_set = own_option};

/* Reads options up to the program, which is the first argument that is not an option. Returns an
 * exit code; *done: there is nothing to run. */
static int read_options(int argc, char **argv, struct job *job, bool *done) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
    int code = 0;
    if (strcmp(argv[i], "--") == 0) {
      i++;
      break;
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help();
      *done = true;
    } else if (strcmp(argv[i], "--version") == 0) {
      printf("eyotrun %s\n", eyot_version());
      *done = true;
    } else {
      code = tool_option(&TOOL, argv, &i, job);
    }
    if (code != 0 || *done) return code;
  }
  job->program = argv + i;
  job->n_program = argc - i;
  int code = seeds_options_check(&TOOL, &job->seeds, job->seeds_option);
  if (code != 0 || job->seeds.merge) return code;
  if (job->seeds.resume != NULL)
    code = seeds_take_journal(&TOOL, &job->seeds, &job->program, &job->n_program);
  if (code != 0) return code;
  return job->n_program > 0 ? 0 : tool_usage(&TOOL, "no program given", "");
}

static int run_sim(struct job *job) {
  void *handle;
  const struct fab_module *module;
  if (eyoti_module_load("sim", &handle, &module) != 0) return 1;
  uint64_t seed;
  struct fab_job *open;
  if (eyoti_conf_u64(EYOTI_CONF_SEED, &seed) != 0) return TOOL_USAGE_CODE;
  if (job->seeds.n > 0)
    tool_outlives_full_files();
  else
    tool_names_full_files(TOOL.name);
  int code = job->seeds.n > 0 ? seeds_take_progress(&job->seeds) : 0;
  if (code == 0) code = module->job_open(job->n_program, job->program, &open);
  if (code != 0) return code;
  code = job->seeds.n > 0 ? seeds_run(&TOOL, &job->seeds, module, open, seed, job->program)
                          : module->job_run(open, seed);
  module->job_close(open);
  return code;
}

/* Computes how many processes the units need: each node has progress processes in addition, on
 * whichever machines --hosts places its units. */
static int count_processes(struct job *job, uint64_t *processes) {
  uint64_t units, node_size, servers;
  if (eyoti_conf_u64(EYOTI_CONF_UNITS, &units) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_NODE_SIZE, &node_size) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_PROGRESS, &servers) != 0)
    return TOOL_USAGE_CODE;
  if (servers > EYOTI_PROGRESS_MAX) servers = 0; /* progress threads, not processes */
  *processes = units;
  if (servers == 0) return 0;
  if (job->mpiexec_args != NULL)
    return tool_usage(
        &TOOL,
        "--progress with --mpiexec-args: these may say where processes run, so that the nodes "
        "cannot be counted. Name the "
        "machines by --hosts or --hostfile and --per-host, or set EYOT_PROGRESS=K and run ",
        "mpiexec -n UNITS_AND_PROGRESS_PROCESSES -ppn UNITS_AND_PROGRESS_PROCESSES_OF_A_NODE "
        "PROGRAM");
  if (hosts_elsewhere(&job->hosts))
    return spread_hosts(&job->hosts, units, node_size, servers, processes);
  if (!mpi_limits_one_machine())
    return tool_usage(
        &TOOL,
        "--progress in a batch job or with a host file of Hydra's: only the launcher knows the "
        "nodes. Name the machines by "
        "--hosts or --hostfile and --per-host, or set EYOT_PROGRESS=K and run, under Slurm, ",
        "srun --mpi=pmi2 --ntasks-per-node=UNITS_AND_PROGRESS_PROCESSES_OF_A_NODE PROGRAM "
        "(elsewhere mpiexec, -ppn and -n)");
  *processes += servers * (node_size == 0 ? 1 : (units + node_size - 1) / node_size);
  return 0;
}

/* Without -n, a batch job has as many units as its allocation has tasks. Returns an exit code. */
static int units_of_allocation(void) {
  const char *tasks = eyoti_conf_foreign_env("SLURM_NTASKS");
  const char *a_node = eyoti_conf_foreign_env("SLURM_NTASKS_PER_NODE");
  const char *nodes = eyoti_conf_foreign_env("SLURM_JOB_NUM_NODES");
  char product[32];
  if (eyoti_conf_is_set(EYOTI_CONF_UNITS) || eyoti_conf_foreign_env("SLURM_JOB_ID") == NULL)
    return 0;
  if (tasks == NULL && a_node != NULL && nodes != NULL) {
    snprintf(product, sizeof product, "%llu",
             strtoull(a_node, NULL, 10) * strtoull(nodes, NULL, 10));
    tasks = product;
  }
  if (tasks == NULL)
    return tool_usage(&TOOL,
                      "this Slurm allocation does not say how many tasks it has; give -n UNITS, or "
                      "allocate with salloc -n or --ntasks-per-node",
                      "");
  return eyoti_conf_set(EYOTI_CONF_UNITS, tasks) == 0 ? 0 : TOOL_USAGE_CODE;
}

static int run_mpi(struct job *job, uint64_t units) {
  char mpiexec[PATH_MAX];
  struct mpi_start start;
  int found = mpi_start_find(&start, mpiexec, sizeof mpiexec);
  if (found < 0) return TOOL_USAGE_CODE;
  if (found != 0) {
    fprintf(
        stderr,
        "eyotrun: %s not found or not executable; install %s, or set EYOT_MPIEXEC to its mpiexec\n",
        start.launcher, eyoti_mpi_name(start.mpi));
    return TOOL_NOT_FOUND_CODE;
  }
  int code = hosts_check(&job->hosts);
  if (code != 0) return code;
  if (hosts_given(&job->hosts) != NULL && start.mpi != EYOTI_MPI_MPICH)
    return tool_usage(
        &TOOL,
        "--hosts and the like are arguments of MPICH's launcher; pass those of Open MPI's with ",
        "--mpiexec-args");
  uint64_t processes;
  if ((code = units_of_allocation()) != 0) return code;
  if (start.mpi == EYOTI_MPI_MPICH && (code = hosts_reach(&job->hosts)) != 0) return code;
  code = count_processes(job, &processes);
  if (code != 0) return code;
  bool elsewhere = hosts_elsewhere(&job->hosts),
       placed = elsewhere || job->mpiexec_args != NULL || !mpi_limits_one_machine();
  if (!placed && !mpi_limits_check(processes)) return TOOL_NOT_RUNNABLE_CODE;
  if (!placed) mpi_limits_warn(processes, units, job->program[0]);
  char count[32];
  snprintf(count, sizeof count, "%" PRIu64, processes);
  char **args = calloc((size_t)job->n_program + HOSTS_ARGS_MAX + MPIEXEC_ARGS_MAX +
                           MPI_START_WORDS_MAX + UNIT_START_WORDS + 4,
                       sizeof *args);
  if (args == NULL) {
    fputs("eyotrun: out of memory\n", stderr);
    return 1;
  }
  static char n_flag[] = "-n";
  int n = 0, extra = 0;
  args[n++] = mpiexec;
  if (mpi_start_prepare(&start, placed, args, &n) != 0) return 1;
  hosts_args(&job->hosts, args, &n);
  char *rest = NULL;
  for (char *word = job->mpiexec_args != NULL ? strtok_r(job->mpiexec_args, " \t", &rest) : NULL;
       word != NULL; word = strtok_r(NULL, " \t", &rest)) {
    if (extra++ == MPIEXEC_ARGS_MAX)
      return tool_usage(&TOOL, "too many words in ", "--mpiexec-args");
    args[n++] = word;
  }
  args[n++] = n_flag;
  args[n++] = count;
  char self[PATH_MAX];
  if (unit_start_args(placed, self, sizeof self, args, &n) != 0) return TOOL_NOT_RUNNABLE_CODE;
  for (int i = 0; i < job->n_program; i++) args[n++] = job->program[i];
  struct supervise s = {
      .args = args, .elsewhere = placed, .processes = processes, .iface = job->hosts.iface};
  if (eyoti_conf_u64(EYOTI_CONF_TIME_LIMIT, &s.time_limit_ns) != 0) return TOOL_USAGE_CODE;
  if (eyoti_conf_u64(EYOTI_CONF_HEARTBEAT, &s.heartbeat_ns) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_START_LIMIT, &s.start_limit_ns) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_WATCHDOG, &s.watchdog_ns) != 0)
    return TOOL_USAGE_CODE;
  if (!eyoti_conf_is_set(EYOTI_CONF_WATCHDOG)) s.watchdog_ns = 0; /* its default is for sim */
  code = supervise(&s);
  free(args);
  return code;
}

static int run_tool(int argc, char **argv) {
  struct job job = {.seeds = SEEDS_OPTIONS_INIT};
  bool done = false;
  if (unit_start_wanted(argc, argv)) return unit_start(argv + 2);
  int code = read_options(argc, argv, &job, &done);
  if (code != 0 || done) return code;
  if (job.seeds.merge) return seeds_merge(&TOOL, &job.seeds, job.program, job.n_program);
  uint64_t fabric, units;
  if (eyoti_conf_u64(EYOTI_CONF_FABRIC, &fabric) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_UNITS, &units) != 0)
    return TOOL_USAGE_CODE;
  bool sim = fabric == EYOTI_FABRIC_SIM;
  code = tool_check_fabric(&TOOL, sim ? EYOTI_CONF_FOR_SIM : EYOTI_CONF_FOR_MPI);
  if (code != 0) return code;
  char path[PATH_MAX];
  code = tool_find_program(&TOOL, job.program, path, sizeof path);
  if (code != 0) return code;
  if (fabric == EYOTI_FABRIC_SIM && hosts_given(&job.hosts) != NULL)
    return tool_usage(
        &TOOL,
        "this option is for --fabric mpi, the simulator has machines of its own (--platform): --",
        hosts_given(&job.hosts));
  if (sim && job.mpiexec_args != NULL)
    return tool_usage(&TOOL, "--mpiexec-args is for --fabric mpi: the simulator has no launcher",
                      "");
  if (!sim && job.seeds_option != NULL)
    return tool_usage(&TOOL, "this option is for --fabric sim: over MPI a seed has no effect: --",
                      job.seeds_option);
  if (sim) return run_sim(&job);
  return run_mpi(&job, units);
}

int main(int argc, char **argv) {
  tool_begin();
  return tool_end("eyotrun", run_tool(argc, argv));
}
