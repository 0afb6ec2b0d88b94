/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot_info.c - the command eyot-info: prints the installed version, compiler and fabrics, and
 * every option with type, default, value and meaning; or the figures of a machine to simulate. */
#include <dlfcn.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "fabric_sim/fault/noise_profiles.h"
#include "fabric_sim/machine/platform_keys.h"
#include "info_coll.h"
#include "info_file.h"
#include "init/module.h"
#include "tool.h"

static const char *type_name(enum eyoti_conf_type type) {
  switch (type) {
    case EYOTI_CONF_U64:
      return "number";
    case EYOTI_CONF_BYTES:
      return "bytes";
    case EYOTI_CONF_TIME_NS:
    case EYOTI_CONF_SECONDS:
      return "time";
    case EYOTI_CONF_BOOL:
      return "on/off";
    case EYOTI_CONF_STRING:
      return "text";
    case EYOTI_CONF_ENUM:
      return "choice";
  }
  return "?";
}

static const char *compiler(void) {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

/* Loads and unloads each fabric: an error here would be an error at start. The loader prints the
 * reason on stderr. */
static void print_fabric(const char *name) {
  void *handle;
  const struct fab_module *module;
  fflush(stdout);
  if (eyoti_module_load(name, &handle, &module) != 0) {
    printf("  %-7s not available (the reason is above)\n", name);
    return;
  }
  printf("  %-7s found: %s\n", name,
         module->job_open != NULL ? "runs units in one process, started by eyotrun"
                                  : "one process a unit, started by eyotrun or mpiexec");
  dlclose(handle);
}

static void print_option(enum eyoti_conf key) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  const char *value;
  char text[TOOL_HELP_BYTES];
  if (eyoti_conf_string(key, &value) != 0) value = "(malformed)";
  tool_option_text(e, text, sizeof text);
  printf("%-27s %-7s %-10s %-10s %s\n", e->env, type_name(e->type), e->def, value, text);
}

static void print_options(void) {
  for (uint32_t g = 0; g < EYOTI_CONF_GROUPS; g++) {
    printf("\n%s\n", tool_group_name((enum eyoti_conf_group)g));
    if (g == 0)
      printf("%-27s %-7s %-10s %-10s %s\n", "option", "type", "default", "value", "meaning");
    for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++)
      if (eyoti_conf_entry((enum eyoti_conf)k)->group == g) print_option((enum eyoti_conf)k);
  }
}

/* Prints a cell of a Markdown table, in which a bar is escaped. */
static void print_cell(const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '|') putchar('\\');
    putchar(*text);
  }
}

static void print_row(const struct eyoti_conf_entry *e) {
  char text[TOOL_HELP_BYTES];
  printf("| `%s` | `--%s`", e->env, e->flag);
  if (e->short_flag != 0) printf(", `-%c`", e->short_flag);
  printf(" | %s | %s%s%s | ", type_name(e->type), *e->def != '\0' ? "`" : "", e->def,
         *e->def != '\0' ? "`" : "");
  tool_option_text(e, text, sizeof text);
  print_cell(text);
  puts(" |");
}

static void print_markdown(void) {
  for (uint32_t g = 0; g < EYOTI_CONF_GROUPS; g++) {
    printf("%s### %s\n\n", g > 0 ? "\n" : "", tool_group_name((enum eyoti_conf_group)g));
    puts("| variable | eyotrun | type | default | meaning |\n|---|---|---|---|---|");
    for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++)
      if (eyoti_conf_entry((enum eyoti_conf)k)->group == g)
        print_row(eyoti_conf_entry((enum eyoti_conf)k));
  }
}

/* The table of docs/exit-codes.md. */
static void print_exit_codes(void) {
  static const struct {
    const char *name;
    int value;
    const char *tools, *meaning;
  } ROWS[] = {
#define EXIT_CODE(name, value, tools, meaning) {#name, value, tools, meaning},
#include "base/exit_codes.def"
  };
  puts("| code | name | tools | meaning |\n|---|---|---|---|");
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
    printf("| %d%s | %s | %s | %s |\n", ROWS[i].value,
           ROWS[i].value == EYOTI_EXIT_SIGNAL ? " + N" : "", ROWS[i].name, ROWS[i].tools,
           ROWS[i].meaning);
}

/* The table of docs/limits.md. */
static void print_limits(void) {
  puts("| what | width | end | there |\n|---|---|---|---|");
#define LIMIT(what, width, end, then) puts("| " what " | " width " | " end " | " then " |");
#include "base/limits.def"
#include "fabric/module.h"
}

/* Returns the number of the source in the list below the table; 0: it has none. */
static uint32_t source_number(const char *const *sources, uint32_t n, const char *text) {
  for (uint32_t i = 0; i < n; i++)
    if (text != NULL && strcmp(sources[i], text) == 0) return i + 1;
  return 0;
}

static void print_figure(const struct sim_figure *f, uint32_t source) {
  char value[32] = "no limit", from[16] = "-";
  if (f->word[0] != '\0')
    snprintf(value, sizeof value, "%s", f->word);
  else if (!f->no_limit)
    snprintf(value, sizeof value, f->value == (double)(int64_t)f->value ? "%.0f" : "%.6g",
             f->value);
  if (source > 0) snprintf(from, sizeof from, "%u", source);
  printf("%-16s %9s %-5s %-6s %s\n", f->key, value, f->no_limit ? "" : f->unit,
         f->given ? "given" : from, f->meaning);
}

/* Prints the figures of a machine that --platform names, and where they are from. */
static int print_platform(const char *text) {
  enum { SOURCES_MAX = 64 };
  struct sim_plat p;
  struct sim_figure f;
  const char *sources[SOURCES_MAX];
  uint32_t n = 0;
  if (sim_plat_parse(text, &p) != EYOT_OK) return EYOTI_EXIT_USAGE;
  int code = info_file_check(&p, 1, 0);
  if (code != EYOTI_EXIT_OK) return code;
  printf("%s: %s\n\n%-16s %9s %-5s %-6s %s\n", text, p.model, "key", "value", "unit", "source",
         "meaning");
  for (uint32_t i = 0; i < sim_plat_rows(); i++) {
    if (!sim_plat_figure(&p, i, &f)) continue;
    bool named = !f.given && f.source != NULL;
    if (named && n < SOURCES_MAX && source_number(sources, n, f.source) == 0)
      sources[n++] = f.source;
    print_figure(&f, source_number(sources, n, f.source));
  }
  printf("\n");
  for (uint32_t i = 0; i < n; i++) printf("source %u: %s\n", i + 1, sources[i]);
  puts("source -: chosen to agree with the others; no publication has it");
  if (p.kind == SIM_PLAT_XML) puts("Latencies and rates of links are the file's.");
  return EYOTI_EXIT_OK;
}

static void print_time(uint64_t ps) {
  if (ps % 1000000 == 0)
    printf(" %10" PRIu64 " us", ps / 1000000);
  else
    printf(" %10" PRIu64 " ns", ps / 1000);
}

/* Prints the named noises of operating systems for --fault noise:profile=NAME. */
static void print_noise(void) {
  static const char *const WHOM[] = {"unit", "node", "all"}; /* enum sim_noise_whom */
  uint32_t n;
  const struct sim_noise_profile *p = sim_noise_profiles(&n);
  for (; n > 0; n--, p++) {
    uint64_t share = 0;
    printf("%s: %s\n", p->name, p->meaning);
    for (uint32_t i = 0; i < SIM_NOISES_MAX && p->noise[i].every_ps != 0; i++) {
      const struct sim_noise *x = &p->noise[i];
      printf("  every");
      print_time(x->every_ps);
      printf(", takes");
      print_time(x->takes_ps);
      printf(", per %s, gaps %s\n", WHOM[x->whom], x->equal ? "equal" : "drawn");
      share += sim_noise_share(x);
    }
    printf("  %.3f %% of the processor's time\n  source: %s\n", (double)share / 10000, p->source);
  }
}

static void print_help(void) {
  puts(
      "usage: eyot-info [--markdown | --exit-codes | --limits | --noise | --platform NAME |\n"
      "                  --coll FUNCTION --units N [--bytes N] [--per-node N] [--neighbors N]\n"
      "                  [--platform NAME | --machine FILE [--shared]] | --version]\n"
      "\n"
      "Prints version, compiler, fabrics and options, with the values that the environment gives\n"
      "them. The exit code is 2 for wrong usage, and if an environment variable of eyot is\n"
      "malformed.\n"
      "\n"
      "options:");
  tool_help_row("--markdown", "prints the options as tables in Markdown");
  tool_help_row("--exit-codes", "prints the exit codes of all tools as a table");
  tool_help_row("--limits", "prints where ids and counters end, as a table");
  tool_help_row("--noise", "lists the named noises of --fault noise:profile=NAME");
  tool_help_row("--platform NAME", "prints the figures of a machine that eyotrun --platform takes");
  tool_help_row(
      "--coll FUNCTION",
      "prints the algorithms of a collective function (its name without eyot_) for --units N, "
      "--bytes N (8) and, of neighbourhoods, --neighbors N (6), on --platform NAME (xc40), or over "
      "MPI with --per-node N and --machine "
      "FILE (default: without one; --shared: units share processors), what each is "
      "predicted to take, and which is taken");
  tool_help_row("--version", "prints the version");
  tool_help_row("-h, --help", "prints this text");
}

static int no_platform(void) {
  fputs(
      "eyot-info: this option needs a value: --platform; expected the name of a machine, as in "
      "eyot-info --platform xc40 (eyot-info --help lists all)\n",
      stderr);
  return EYOTI_EXIT_USAGE;
}

static int wrong_arguments(char **argv) {
  static const char *const ALONE[] = {"--markdown", "--exit-codes", "--limits", "--noise",
                                      "--platform", "--version",    "--help",   "-h"};
  bool known = false;
  for (size_t i = 0; i < sizeof ALONE / sizeof *ALONE; i++) known |= strcmp(argv[0], ALONE[i]) == 0;
  if (known)
    fprintf(stderr,
            "eyot-info: wrong arguments from '%s' on; expected at most one option "
            "(eyot-info --help lists all)\n",
            argv[0]);
  else
    fprintf(stderr, "eyot-info: unknown option '%s' (eyot-info --help lists all)\n", argv[0]);
  return EYOTI_EXIT_USAGE;
}

static int run_tool(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--markdown") == 0) {
    print_markdown();
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--exit-codes") == 0) {
    print_exit_codes();
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--limits") == 0) {
    print_limits();
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--noise") == 0) {
    print_noise();
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--platform") == 0) return no_platform();
  if (argc == 3 && strcmp(argv[1], "--platform") == 0) return print_platform(argv[2]);
  if (argc >= 2 && strcmp(argv[1], "--coll") == 0) return info_coll(argc - 2, argv + 2);
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    printf("eyot-info %s\n", eyot_version());
    return 0;
  }
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    print_help();
    return 0;
  }
  if (argc != 1) return wrong_arguments(argv + 1);
  printf("eyot %s, compiled by %s\n\nfabrics\n", eyot_version(), compiler());
  print_fabric("mpi");
  if (eyoti_module_exists("openmpi")) print_fabric("openmpi");
  print_fabric("sim");
  print_options();
  uint32_t unknown;
  return eyoti_conf_check_env(&unknown) == 0 ? EYOTI_EXIT_OK : EYOTI_EXIT_USAGE;
}

int main(int argc, char **argv) {
  return tool_end("eyot-info", run_tool(argc, argv));
}
