/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.c - option parsing and program search of the command-line tools (tool.h). */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/image.h"
#include "base/page.h"
#include "base/wording.h"
#include "coll/costs.h"
#include "gmem/gmem.h"

#define LINE_WIDTH 100

static bool given[EYOTI_CONF_COUNT]; /* on the command line */

void tool_begin(void) {
  static const int MODE[] = {O_RDONLY, O_RDONLY, O_WRONLY}; /* of output writes are to fail */
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", MODE[fd]); /* takes the lowest */
}

void tool_outlives_full_files(void) {
  (void)signal(SIGXFSZ, SIG_IGN);
}

static char full_file_text[256];

static void full_file(int sig) {
  (void)sig;
  (void)!write(STDERR_FILENO, full_file_text, strlen(full_file_text));
  _exit(EYOTI_EXIT_USAGE);
}

void tool_names_full_files(const char *name) {
  struct sigaction now, ends = {.sa_handler = full_file, .sa_flags = SA_ONSTACK};
  if (sigaction(SIGXFSZ, NULL, &now) != 0 || now.sa_handler != SIG_DFL) return;
  snprintf(full_file_text, sizeof full_file_text,
           "%s: cannot write the output, or another file: %s (ulimit -f shows the limit)\n", name,
           strerror(EFBIG));
  (void)sigaction(SIGXFSZ, &ends, NULL);
}

int tool_end(const char *name, int code) {
  bool failed = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !failed) return code;
  fprintf(stderr, "%s: cannot write the output: %s\n", name,
          errno != 0 ? strerror(errno) : "a part of it is lost");
  return code != 0 ? code : EYOTI_EXIT_USAGE;
}

int tool_usage(const struct tool *t, const char *text, const char *detail) {
  fprintf(stderr, "%s: %s%s (%s --help lists all)\n", t->name, text, detail, t->name);
  return EYOTI_EXIT_USAGE;
}

int tool_number(const struct tool *t, const char *name, const char *value, uint64_t low,
                uint64_t high, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned long long v = strtoull(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || *value < '0' || *value > '9' || v < low ||
      v > high) {
    fprintf(stderr, "%s: --%s is '%s'; expected a whole number from %" PRIu64 " to %" PRIu64 "\n",
            t->name, name, value, low, high);
    return EYOTI_EXIT_USAGE;
  }
  *out = v;
  return EYOTI_EXIT_OK;
}

static const char *const GROUP_NAMES[EYOTI_CONF_GROUPS] = {
    [EYOTI_CONF_IN_COMMON] = "common options",
    [EYOTI_CONF_IN_SIMULATOR] = "options of the simulator (--fabric sim)",
    [EYOTI_CONF_IN_MPI] = "options of MPI (--fabric mpi)",
    [EYOTI_CONF_IN_TUNING] = "tuning"};

/* "xc40, xe6, dragonfly, [:KEY=VALUE,...] after each": the presets of --platform. */
#define PRESET(name, ...) ", " #name
static const char PRESETS[] =
#include "fabric_sim/machine/presets.def"
    "; each with [:KEY=VALUE,...]";

const char *tool_group_name(enum eyoti_conf_group group) {
  return GROUP_NAMES[group];
}

/* The fabric that reads the option, where its group names none. */
static const char *fabric_prefix(const struct eyoti_conf_entry *e) {
  bool named = e->group == EYOTI_CONF_IN_SIMULATOR || e->group == EYOTI_CONF_IN_MPI;
  if (named || e->fabric == EYOTI_CONF_FOR_ALL) return "";
  return e->fabric == EYOTI_CONF_FOR_SIM ? "sim: " : "mpi: ";
}

void tool_option_text(const struct eyoti_conf_entry *e, char *out, size_t size) {
  bool platform = e == eyoti_conf_entry(EYOTI_CONF_PLATFORM);
  const char *words = platform ? &PRESETS[2] : e->choices;
  snprintf(out, size, "%s%s%s%s%s", fabric_prefix(e), e->help, words != NULL ? ": " : "",
           words != NULL && e->type == EYOTI_CONF_U64 ? "a number|" : "",
           words != NULL ? words : "");
}

/* The length of the longest start of `text` that fits a line and ends before a blank; of its first
 * word if that alone does not fit. */
static size_t line_length(const char *text, size_t width) {
  size_t fits = 0;
  for (size_t end = strcspn(text, " "); end <= width || fits == 0;
       end += strcspn(text + end, " ")) {
    fits = end;
    if (text[end] == '\0') break;
    end++;
  }
  return fits;
}

void tool_help_row(const char *left, const char *text) {
  size_t width = LINE_WIDTH - TOOL_COLUMN - 3;
  bool long_left = strlen(left) > TOOL_COLUMN;
  printf("  %-*s%s", TOOL_COLUMN, left, long_left ? "\n" : "");
  do {
    size_t n = line_length(text, width);
    printf("%*s%.*s\n", long_left ? TOOL_COLUMN + 3 : 1, "", (int)n, text);
    long_left = true; /* the next lines are indented too */
    text += n + (text[n] == ' ');
  } while (*text != '\0');
}

static void help_option(const struct eyoti_conf_entry *e) {
  char left[2 * TOOL_COLUMN], text[TOOL_HELP_BYTES], letter[8] = "";
  if (e->short_flag != 0) snprintf(letter, sizeof letter, "-%c, ", e->short_flag);
  snprintf(left, sizeof left, "%s--%s%s", letter, e->flag,
           e->type == EYOTI_CONF_BOOL ? "" : " VALUE");
  tool_option_text(e, text, sizeof text);
  size_t n = strlen(text);
  if (e->type != EYOTI_CONF_BOOL && *e->def != '\0')
    snprintf(text + n, sizeof text - n, " [%s]", e->def);
  tool_help_row(left, text);
}

void tool_help_options(enum eyoti_conf_fabric fabric, void (*own)(enum eyoti_conf_group)) {
  for (uint32_t g = 0; g < EYOTI_CONF_GROUPS; g++) {
    if (fabric == EYOTI_CONF_FOR_SIM && g == EYOTI_CONF_IN_MPI) continue;
    printf("\n%s:\n", tool_group_name((enum eyoti_conf_group)g));
    for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
      const struct eyoti_conf_entry *e = eyoti_conf_entry((enum eyoti_conf)k);
      bool reads =
          fabric == EYOTI_CONF_FOR_ALL || e->fabric == EYOTI_CONF_FOR_ALL || e->fabric == fabric;
      if (e->group == g && reads) help_option(e);
    }
    if (own != NULL) own((enum eyoti_conf_group)g);
  }
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

/* The value of an option: the text after '=', or the next argument; on/off options need none. NULL:
 * missing. */
static char *value_of(bool on_off, char *after, char **argv, int *i) {
  static char on[] = "on";
  if (after != NULL) return after;
  if (on_off) return on;
  return argv[*i + 1] != NULL ? argv[++*i] : NULL;
}

static int set_conf(const struct tool *t, enum eyoti_conf key, const char *value, void *arg) {
  given[key] = true;
  if (eyoti_conf_set(key, value) != 0) return EYOTI_EXIT_USAGE;
  if (t->given != NULL) t->given(arg, key);
  return 0;
}

static int long_option(const struct tool *t, char **argv, int *i, void *arg) {
  char name[64];
  const char *text = argv[*i] + 2;
  char *equals = strchr(argv[*i], '=');
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
  char *after = equals != NULL ? equals + 1 : NULL;
  enum eyoti_conf key = EYOTI_CONF_COUNT;
  const struct eyoti_conf_entry *e = eyoti_conf_by_flag(name, &key);
  bool takes_value = true, own = t->own_known(name, &takes_value);
  if (e == NULL && !own) {
    fprintf(stderr, "%s: unknown option --%s; did you mean --%s? (%s --help lists all)\n", t->name,
            name, eyoti_conf_nearest_flag(name), t->name);
    return EYOTI_EXIT_USAGE;
  }
  char *value = value_of(e != NULL ? e->type == EYOTI_CONF_BOOL : !takes_value, after, argv, i);
  if (value == NULL) return tool_usage(t, "this option needs a value: --", name);
  if (own) return t->own_set(arg, name, value);
  return set_conf(t, key, value, arg);
}

/* Handles "-n 4" and "-n4". Anything else with one dash ("-np 4", "-seed 1") is an option of
 * another tool, and an error. */
static int short_option(const struct tool *t, char **argv, int *i, void *arg) {
  enum eyoti_conf key = EYOTI_CONF_COUNT;
  char *word = argv[*i];
  const struct eyoti_conf_entry *e = by_letter(word[1], &key);
  if (e != NULL && word[2] != '\0' && (word[2] < '0' || word[2] > '9')) e = NULL;
  if (e == NULL) {
    fprintf(stderr, "%s: unknown option %s; did you mean --%s? (%s --help lists all)\n", t->name,
            word,
            strcmp(word, "-np") == 0 ? eyoti_conf_entry(EYOTI_CONF_UNITS)->flag
                                     : eyoti_conf_nearest_flag(word + 1),
            t->name);
    return EYOTI_EXIT_USAGE;
  }
  char *value = value_of(e->type == EYOTI_CONF_BOOL, word[2] != '\0' ? word + 2 : NULL, argv, i);
  if (value == NULL) return tool_usage(t, "this option needs a value: ", word);
  return set_conf(t, key, value, arg);
}

static bool runnable(const char *path) {
  struct stat st;
  return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

uint64_t tool_processors(void) {
  cpu_set_t set;
  long n =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (uint64_t)n;
}

/* Finds `name` like a shell: in PATH only if it has no slash. */
bool tool_find(const char *name, char *out, size_t size) {
  if (strchr(name, '/') != NULL)
    return snprintf(out, size, "%s", name) < (int)size && runnable(out);
  const char *path = eyoti_conf_foreign_env("PATH");
  while (path != NULL && *path != '\0') {
    size_t len = strcspn(path, ":");
    int n = snprintf(out, size, "%.*s/%s", len > 0 ? (int)len : 1, len > 0 ? path : ".", name);
    if (n > 0 && n < (int)size && runnable(out)) return true;
    path += len + (path[len] == ':');
  }
  return false;
}

int tool_option(const struct tool *t, char **argv, int *i, void *arg) {
  return argv[*i][1] == '-' ? long_option(t, argv, i, arg) : short_option(t, argv, i, arg);
}

bool tool_given(enum eyoti_conf key) {
  return given[key];
}

/* What the units would refuse in eyot_init, with a code of the program's. machine: the run reads a
 * machine file. */
static int check_rules(bool machine) {
  struct eyoti_costs costs = {0};
  const char *rules, *path;
  bool right = eyoti_conf_string(EYOTI_CONF_COLL, &rules) == 0 &&
               eyoti_conf_string(EYOTI_CONF_MACHINE, &path) == 0 &&
               eyoti_rules_parse(rules, &costs.rules) == 0 &&
               (!machine || *path == '\0' || eyoti_costs_read(path, &costs) == 0);
  return right ? 0 : TOOL_USAGE_CODE;
}

/* eyot_init refuses every value of the environment that is malformed, those of the other fabric
 * too; and values that do not fit each other. */
static int check_values(void) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const char *ignored;
    if (eyoti_conf_string((enum eyoti_conf)k, &ignored) != 0) return TOOL_USAGE_CODE;
  }
  return 0;
}

/* Of many simulated units the runtime needs more, which they say themselves. */
static int refuse_heap_most(const struct tool *t, uint64_t most) {
  fprintf(stderr,
          "%s: EYOT_HEAP_MAX is %" PRIu64
          " bytes, less than the runtime itself needs; give --heap-max at least %u, or leave it "
          "out\n",
          t->name, most, EYOTI_GMEM_LEAST);
  return TOOL_USAGE_CODE;
}

static int check_heap(const struct tool *t) {
  uint64_t size, most;
  if (eyoti_conf_u64(EYOTI_CONF_HEAP_SIZE, &size) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_HEAP_MAX, &most) != 0)
    return TOOL_USAGE_CODE;
  if (most != 0 && most < EYOTI_GMEM_LEAST) return refuse_heap_most(t, most);
  /* the default and what the program asks for are made to fit */
  bool fits = !eyoti_conf_is_set(EYOTI_CONF_HEAP_SIZE) || most == 0 ||
              most / EYOTI_PAGE >= size / EYOTI_PAGE;
  if (fits) return 0;
  fprintf(stderr,
          "%s: EYOT_HEAP_MAX is %" PRIu64 " bytes, less than EYOT_HEAP_SIZE with %" PRIu64
          "; give --heap-max that or more, or leave it out\n",
          t->name, most, size);
  return TOOL_USAGE_CODE;
}

static int check_atomics(const struct tool *t) {
  uint64_t atomics, progress;
  if (eyoti_conf_u64(EYOTI_CONF_ATOMICS, &atomics) != 0 ||
      eyoti_conf_u64(EYOTI_CONF_PROGRESS, &progress) != 0)
    return TOOL_USAGE_CODE;
  if (atomics != EYOTI_ATOMICS_OWNER || (progress != 0 && progress != EYOTI_PROGRESS_THREAD))
    return 0;
  fprintf(stderr,
          "%s: EYOT_ATOMICS=owner needs progress processes, which execute the atomics of other "
          "nodes: set EYOT_PROGRESS=1 too (--progress 1), or leave EYOT_ATOMICS at auto\n",
          t->name);
  return TOOL_USAGE_CODE;
}

int tool_check_fabric(const struct tool *t, enum eyoti_conf_fabric fabric) {
  bool sim = fabric == EYOTI_CONF_FOR_SIM;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    if (!given[k] || eyoti_conf_is_for((enum eyoti_conf)k, fabric)) continue;
    fprintf(stderr,
            "%s: --%s is for --fabric %s, and this run is on --fabric %s, which does not have it; "
            "leave it out, or choose the other fabric (%s --help lists all)\n",
            t->name, eyoti_conf_entry((enum eyoti_conf)k)->flag, sim ? "mpi" : "sim",
            sim ? "sim" : "mpi", t->name);
    return TOOL_USAGE_CODE;
  }
  int code = check_values();
  if (code == 0) code = check_heap(t);
  if (code == 0 && !sim) code = check_atomics(t);
  return code != 0 ? code : check_rules(!sim);
}

int tool_find_program(const struct tool *t, char **argv, char *path, size_t size) {
  const char *name = argv[0];
  struct stat st;
  if (tool_find(name, path, size)) {
    argv[0] = path;
    eyoti_wording_set(eyoti_image_file_words(path)); /* for good: messages until the end */
    return 0;
  }
  if (strchr(name, '/') == NULL) {
    fprintf(stderr, "%s: program '%s' not found in PATH%s%s\n", t->name, name,
            runnable(name) ? "; the one in this directory is called ./" : "",
            runnable(name) ? name : "");
    return EYOTI_EXIT_NOT_FOUND;
  }
  if (stat(name, &st) != 0) {
    fprintf(stderr, "%s: program '%s': %s\n", t->name, name, strerror(errno));
    return EYOTI_EXIT_NOT_FOUND;
  }
  fprintf(stderr, "%s: '%s' is %s\n", t->name, name,
          S_ISDIR(st.st_mode) ? "a directory, not a program" : "not executable (chmod +x)");
  return EYOTI_EXIT_NOT_RUNNABLE;
}

bool tool_option_matters(enum eyoti_conf key) {
  static const enum eyoti_conf OUTPUT[] = {EYOTI_CONF_LOG,        EYOTI_CONF_STATS,
                                           EYOTI_CONF_STATS_CSV,  EYOTI_CONF_PROGRESS_LINE,
                                           EYOTI_CONF_TRACE_HASH, EYOTI_CONF_DEADLOCK_DOT,
                                           EYOTI_CONF_FABRIC,     EYOTI_CONF_UNITS};
  for (size_t i = 0; i < sizeof OUTPUT / sizeof *OUTPUT; i++)
    if (key == OUTPUT[i]) return false;
  return eyoti_conf_entry(key)->fabric != EYOTI_CONF_FOR_MPI;
}

uint64_t tool_hash_file(const char *path) {
  unsigned char buffer[65536];
  uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  FILE *in = fopen(path, "re");
  if (in == NULL) return 0;
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
    for (size_t i = 0; i < n; i++) h = (h ^ buffer[i]) * UINT64_C(0x100000001b3);
  bool bad = ferror(in) != 0;
  fclose(in);
  return bad || h == 0 ? 0 : h;
}
