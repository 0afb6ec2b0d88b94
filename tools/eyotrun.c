/* eyotrun.c - starts a program on either fabric: simulated units in this process, or MPI processes by mpiexec.
 *
 * Options are those of base/conf.c, each passed on as its environment variable. They are read here and not by getopt, because getopt's
 * hidden state would be inherited by the simulated units, which share this process's libc. SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <eyot/init.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf.h"
#include "eyotrun_seeds.h"
#include "mpi_limits.h"
#include "rt/module.h"

#define USAGE_CODE 2
#define NOT_RUNNABLE_CODE 126
#define NOT_FOUND_CODE 127
#define MPIEXEC_ARGS_MAX 64
#define COLUMN 30

struct job {
  char **program; /* argv of the program, NULL-terminated */
  int n_program;
  char *mpiexec_args; /* split in place */
  struct seeds_options seeds;
};

static int usage_error(const char *text, const char *detail) {
  fprintf(stderr, "eyotrun: %s%s (eyotrun --help lists all)\n", text, detail);
  return USAGE_CODE;
}

static void print_option(const struct eyoti_conf_entry *e) {
  char left[2 * COLUMN];
  char letter[8] = "";
  if (e->short_flag != 0) snprintf(letter, sizeof letter, "-%c, ", e->short_flag);
  snprintf(left, sizeof left, "%s--%s%s", letter, e->flag, e->type == EYOTI_CONF_BOOL ? "" : " VALUE");
  printf("  %-*s %s", COLUMN, left, e->help);
  if (e->choices != NULL) printf(": %s", e->choices);
  if (e->type != EYOTI_CONF_BOOL && *e->def != '\0') printf(" [%s]", e->def);
  putchar('\n');
}

static void print_help(void) {
  puts(
      "usage: eyotrun [-n N] [--fabric sim|mpi] [OPTIONS] PROGRAM [ARGUMENTS]\n"
      "\n"
      "Runs PROGRAM, built with eyotcc, as N units: simulated in one process (sim), or as MPI processes (mpi).\n"
      "The exit code is that of the run. Every option is also an environment variable (eyot-info shows them); on/off options take =off "
      "too.\n");
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) print_option(eyoti_conf_entry((enum eyoti_conf)k));
  seeds_help(COLUMN);
  printf("  %-*s %s\n", COLUMN, "--mpiexec-args \"ARGS\"",
         "mpi: further arguments of mpiexec, separated by blanks (EYOT_MPIEXEC names another mpiexec)");
  printf("  %-*s %s\n", COLUMN, "--version", "print the version");
  printf("  %-*s %s\n", COLUMN, "-h, --help", "print this");
}

static const struct eyoti_conf_entry *by_letter(char letter, enum eyoti_conf *key) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const struct eyoti_conf_entry *e = eyoti_conf_entry((enum eyoti_conf)k);
    if (e->short_flag != letter) continue;
    *key = (enum eyoti_conf)k;
    return e;
  }
  return NULL;
}

/* The value of an option: behind '=', or the next argument; on/off options need none. NULL: missing. */
static char *value_of(bool on_off, char *behind, char **argv, int *i) {
  static char on[] = "on";
  if (behind != NULL) return behind;
  if (on_off) return on;
  return argv[*i + 1] != NULL ? argv[++*i] : NULL;
}

static int long_option(char **argv, int *i, struct job *job) {
  char name[64];
  const char *text = argv[*i] + 2;
  char *equals = strchr(argv[*i], '=');
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
  char *behind = equals != NULL ? equals + 1 : NULL;
  enum eyoti_conf key = EYOTI_CONF_COUNT;
  const struct eyoti_conf_entry *e = eyoti_conf_by_flag(name, &key);
  bool mpiexec = strcmp(name, "mpiexec-args") == 0, takes_value = true;
  bool seeds = seeds_option_known(name, &takes_value);
  if (e == NULL && !mpiexec && !seeds) {
    fprintf(stderr, "eyotrun: unknown option --%s; did you mean --%s? (eyotrun --help lists all)\n", name, eyoti_conf_nearest_flag(name));
    return USAGE_CODE;
  }
  char *value = value_of(e != NULL ? e->type == EYOTI_CONF_BOOL : !takes_value, behind, argv, i);
  if (value == NULL) return usage_error("this option needs a value: --", name);
  if (seeds) return seeds_option_set(&job->seeds, name, value);
  if (mpiexec) {
    job->mpiexec_args = value;
    return 0;
  }
  return eyoti_conf_set(key, value) == 0 ? 0 : USAGE_CODE;
}

/* "-n 4" and "-n4". Anything else with one dash ("-np 4", "-seed 1") is a habit from another tool. */
static int short_option(char **argv, int *i) {
  enum eyoti_conf key = EYOTI_CONF_COUNT;
  char *arg = argv[*i];
  const struct eyoti_conf_entry *e = by_letter(arg[1], &key);
  if (e != NULL && arg[2] != '\0' && (arg[2] < '0' || arg[2] > '9')) e = NULL;
  if (e == NULL) {
    fprintf(stderr, "eyotrun: unknown option %s; did you mean --%s? (eyotrun --help lists all)\n", arg,
            strcmp(arg, "-np") == 0 ? eyoti_conf_entry(EYOTI_CONF_UNITS)->flag : eyoti_conf_nearest_flag(arg + 1));
    return USAGE_CODE;
  }
  char *value = value_of(e->type == EYOTI_CONF_BOOL, arg[2] != '\0' ? arg + 2 : NULL, argv, i);
  if (value == NULL) return usage_error("this option needs a value: ", arg);
  return eyoti_conf_set(key, value) == 0 ? 0 : USAGE_CODE;
}

/* Reads options up to the first argument that is none, the program. Returns an exit code; *done: there is nothing to run. */
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
      code = argv[i][1] == '-' ? long_option(argv, &i, job) : short_option(argv, &i);
    }
    if (code != 0 || *done) return code;
  }
  if (i >= argc) return usage_error("no program given", "");
  job->program = argv + i;
  job->n_program = argc - i;
  return 0;
}

static bool runnable(const char *path) {
  struct stat st;
  return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Looks `name` up like a shell: in PATH only if it has no slash. */
static bool find_in_path(const char *name, char *out, size_t size) {
  if (strchr(name, '/') != NULL) return snprintf(out, size, "%s", name) < (int)size && runnable(out);
  const char *path = eyoti_conf_foreign_env("PATH");
  while (path != NULL && *path != '\0') {
    size_t len = strcspn(path, ":");
    int n = snprintf(out, size, "%.*s/%s", len > 0 ? (int)len : 1, len > 0 ? path : ".", name);
    if (n > 0 && n < (int)size && runnable(out)) return true;
    path += len + (path[len] == ':');
  }
  return false;
}

static int resolve_program(struct job *job, char *path, size_t size) {
  const char *name = job->program[0];
  struct stat st;
  if (find_in_path(name, path, size)) {
    job->program[0] = path;
    return 0;
  }
  if (strchr(name, '/') == NULL) {
    fprintf(stderr, "eyotrun: program '%s' not found in PATH%s%s\n", name, runnable(name) ? "; here it is called ./" : "",
            runnable(name) ? name : "");
    return NOT_FOUND_CODE;
  }
  if (stat(name, &st) != 0) {
    fprintf(stderr, "eyotrun: program '%s': %s\n", name, strerror(errno));
    return NOT_FOUND_CODE;
  }
  fprintf(stderr, "eyotrun: '%s' is %s\n", name, S_ISDIR(st.st_mode) ? "a directory, not a program" : "not executable (chmod +x)");
  return NOT_RUNNABLE_CODE;
}

static int run_sim(const struct job *job) {
  void *handle;
  const struct fab_module *module;
  if (eyoti_module_load("sim", &handle, &module) != 0) return 1;
  uint64_t seed;
  struct fab_job *open;
  if (eyoti_conf_u64(EYOTI_CONF_SEED, &seed) != 0) return USAGE_CODE;
  int code = module->job_open(job->n_program, job->program, &open);
  if (code != 0) return code;
  code = job->seeds.n > 0 ? seeds_run(&job->seeds, module, open, seed, job->program) : module->job_run(open, seed);
  module->job_close(open);
  return code;
}

/* The launcher of the MPI that the fabric was built with: another one's would start N jobs of one unit. */
static bool find_mpiexec(char *out, size_t size) {
  const char *given = eyoti_conf_foreign_env("EYOT_MPIEXEC");
  if (given != NULL && *given != '\0') return find_in_path(given, out, size);
#ifdef EYOT_BUILT_MPIEXEC
  if (find_in_path(EYOT_BUILT_MPIEXEC, out, size)) return true;
#endif
  return find_in_path("mpiexec.mpich", out, size) || find_in_path("mpiexec", out, size);
}

static int run_mpi(const struct job *job) {
  char mpiexec[PATH_MAX];
  if (!find_mpiexec(mpiexec, sizeof mpiexec)) {
    const char *given = eyoti_conf_foreign_env("EYOT_MPIEXEC");
    fprintf(stderr, "eyotrun: %s not found or not executable; install MPICH, or set EYOT_MPIEXEC to its mpiexec\n",
            given != NULL && *given != '\0' ? given : "mpiexec");
    return NOT_FOUND_CODE;
  }
  const char *units;
  uint64_t n_units;
  if (eyoti_conf_string(EYOTI_CONF_UNITS, &units) != 0 || eyoti_conf_u64(EYOTI_CONF_UNITS, &n_units) != 0) return USAGE_CODE;
  if (job->mpiexec_args == NULL && mpi_limits_one_machine() && !mpi_limits_check(n_units)) return NOT_RUNNABLE_CODE;
  char **args = calloc((size_t)job->n_program + MPIEXEC_ARGS_MAX + 4, sizeof *args);
  char *count = strdup(units);
  if (args == NULL || count == NULL) {
    fputs("eyotrun: out of memory\n", stderr);
    return 1;
  }
  static char n_flag[] = "-n";
  int n = 0, extra = 0;
  args[n++] = mpiexec;
  char *rest = NULL;
  for (char *word = job->mpiexec_args != NULL ? strtok_r(job->mpiexec_args, " \t", &rest) : NULL; word != NULL;
       word = strtok_r(NULL, " \t", &rest)) {
    if (extra++ == MPIEXEC_ARGS_MAX) return usage_error("too many words in ", "--mpiexec-args");
    args[n++] = word;
  }
  args[n++] = n_flag;
  args[n++] = count;
  for (int i = 0; i < job->n_program; i++) args[n++] = job->program[i];
  execv(mpiexec, args);
  fprintf(stderr, "eyotrun: cannot run %s: %s\n", mpiexec, strerror(errno));
  return NOT_RUNNABLE_CODE;
}

int main(int argc, char **argv) {
  struct job job = {.seeds = SEEDS_OPTIONS_INIT};
  bool done = false;
  int code = read_options(argc, argv, &job, &done);
  if (code != 0 || done) return code;
  uint64_t fabric, units;
  if (eyoti_conf_u64(EYOTI_CONF_FABRIC, &fabric) != 0 || eyoti_conf_u64(EYOTI_CONF_UNITS, &units) != 0) return USAGE_CODE;
  char path[PATH_MAX];
  code = resolve_program(&job, path, sizeof path);
  if (code != 0) return code;
  if (fabric == EYOTI_FABRIC_SIM) return run_sim(&job);
  if (job.seeds.n > 0) return usage_error("--seeds is for --fabric sim: over MPI a seed decides nothing", "");
  return run_mpi(&job);
}
