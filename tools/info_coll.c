/* SPDX-License-Identifier: BSD-3-Clause */
/* info_coll.c - eyot-info --coll (info_coll.h). */
#include "info_coll.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "coll/costs.h"
#include "coll/layout.h"
#include "coll/predict.h"
#include "fabric_sim/machine/platform.h"
#include "info_file.h"
#include "tool.h"

#define BASES 3u
#define NEIGHBORS 6u /* of a grid of three dimensions */
#define PLATFORM "xc40"
#define BYTES_MOST (UINT64_MAX / 2048)
#define LITTLE_BYTES 4096u
#define TIME_MOST_PS 4.32e18 /* 50 days; times of the model have 64 bits */

/* Functions that are made of those of the choice, or have one way. */
enum other_kind { MADE_OF = 0, BARRIER, NEIGHBOR };
struct other {
  const char *name;
  enum other_kind kind;
  enum eyoti_chosen of[BASES];
  uint32_t n;
};
static const struct other OTHERS[] = {
    {"barrier", BARRIER, {0}, 0},
    {"neighbor_allgather", NEIGHBOR, {0}, 0},
    {"neighbor_allgatherv", NEIGHBOR, {0}, 0},
    {"neighbor_alltoall", NEIGHBOR, {0}, 0},
    {"neighbor_alltoallv", NEIGHBOR, {0}, 0},
    {"global_broadcast", MADE_OF, {EYOTI_CHOSEN_BROADCAST}, 1},
    {"global_scatter", MADE_OF, {EYOTI_CHOSEN_SCATTER}, 1},
    {"global_gather", MADE_OF, {EYOTI_CHOSEN_GATHER}, 1},
    {"global_gather_all", MADE_OF, {EYOTI_CHOSEN_ALLGATHER}, 1},
    {"global_exchange", MADE_OF, {EYOTI_CHOSEN_ALLTOALL}, 1},
    {"global_permute", MADE_OF, {EYOTI_CHOSEN_ALLGATHER}, 1},
    {"global_reduce", MADE_OF, {EYOTI_CHOSEN_REDUCE}, 1},
    {"global_prefix_reduce",
     MADE_OF,
     {EYOTI_CHOSEN_ALLGATHER, EYOTI_CHOSEN_SCAN, EYOTI_CHOSEN_ALLREDUCE},
     3}};
#define OTHERS_N (sizeof OTHERS / sizeof OTHERS[0])

struct question {
  struct eyoti_question q;
  const struct other *other;       /* NULL: q's function */
  uint64_t neighbors;              /* 0: not given; the same of platform NULL */
  uint64_t bytes, units, per_node; /* per_node 0: as the machine has cores */
  const char *platform;
  /* For mpi: a machine file, or "default", what holds without one; NULL: the platform, for sim. */
  const char *machine;
};

/* text NULL: something is missing, or does not fit the other options. */
static int wrong(const char *text, const char *expected) {
  fprintf(stderr,
          "eyot-info: --coll: %s%s%sexpected %s, as in "
          "eyot-info --coll allreduce --bytes 8 --units 65536 [--per-node 24] [--platform xc40 | "
          "--machine FILE | --machine default]\n",
          text != NULL ? "'" : "", text != NULL ? text : "", text != NULL ? "': " : "", expected);
  return EYOTI_EXIT_USAGE;
}

/* The option is the last word. */
static int no_value(const char *option, const char *expected) {
  fprintf(stderr,
          "eyot-info: this option needs a value: %s; expected %s (eyot-info --help lists all)\n",
          option, expected);
  return EYOTI_EXIT_USAGE;
}

/* What the value of the option is; NULL: it has none. */
static const char *value_words(const char *option) {
  static const char *const WITH[][2] = {{"--bytes", "a number of bytes"},
                                        {"--units", "a number of units"},
                                        {"--per-node", "the number of units of a node"},
                                        {"--neighbors", "a number of neighbors"},
                                        {"--platform", "the name of a machine, such as xc40"},
                                        {"--machine", "the path of a machine file, or default"}};
  for (size_t i = 0; i < sizeof WITH / sizeof *WITH; i++)
    if (strcmp(WITH[i][0], option) == 0) return WITH[i][1];
  return NULL;
}

static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *out) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  *out = strtoull(text, &end, 10);
  return *end == '\0' && *out >= least && *out <= most;
}

static bool find_function(const char *name, struct question *x) {
  if (eyoti_chosen_find(name, &x->q.function)) return true;
  for (size_t i = 0; i < OTHERS_N && x->other == NULL; i++)
    if (strcmp(name, OTHERS[i].name) == 0) x->other = &OTHERS[i];
  return x->other != NULL;
}

/* name NULL: there is none. */
static int wrong_function(const char *name) {
  char names[640] = "one of";
  for (unsigned f = 0; f < EYOTI_CHOSEN_COUNT + OTHERS_N; f++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s %s", f > 0 ? "," : "",
             f < EYOTI_CHOSEN_COUNT ? eyoti_chosen_name((enum eyoti_chosen)f)
                                    : OTHERS[f - EYOTI_CHOSEN_COUNT].name);
  }
  return name != NULL ? wrong(name, names) : no_value("--coll", names);
}

/* As many units as a run can have (docs/limits.md). */
static int read_count(const char *key, const char *value, struct question *x) {
  const struct {
    const char *key;
    uint64_t least, most, *to;
  } keys[] = {{"--bytes", 0, BYTES_MOST, &x->bytes},
              {"--units", 2, eyoti_conf_entry(EYOTI_CONF_UNITS)->max, &x->units},
              {"--per-node", 1, eyoti_conf_entry(EYOTI_CONF_UNITS)->max, &x->per_node},
              {"--neighbors", 1, 65536, &x->neighbors}};
  char range[64];
  size_t i = 0;
  while (strcmp(keys[i].key, key) != 0) i++;
  if (read_number(value, keys[i].least, keys[i].most, keys[i].to)) return EYOTI_EXIT_OK;
  snprintf(range, sizeof range, "%s %" PRIu64 "..%" PRIu64, key, keys[i].least, keys[i].most);
  return wrong(value, range);
}

/* Refuses what does not fit together, and sets the defaults. */
static int fill_in(struct question *x) {
  if (x->machine != NULL && x->platform != NULL) return wrong(NULL, "--platform or --machine");
  if (x->machine != NULL && x->per_node == 0) return wrong(NULL, "--per-node N with --machine");
  if (x->machine == NULL && x->q.shared) return wrong(NULL, "--machine FILE with --shared");
  bool neighbors = x->other != NULL && x->other->kind == NEIGHBOR;
  if (x->neighbors != 0 && !neighbors)
    return wrong(NULL, "a neighbourhood's function with --neighbors");
  if (x->units == 0) return wrong(NULL, "--units N");
  if (x->neighbors == 0) x->neighbors = NEIGHBORS;
  if (x->platform == NULL) x->platform = PLATFORM;
  return EYOTI_EXIT_OK;
}

static int read_question(int argc, char **argv, struct question *x) {
  *x = (struct question){.bytes = 8};
  if (argc < 1) return wrong_function(NULL);
  if (!find_function(argv[0], x)) return wrong_function(argv[0]);
  for (int i = 1; i < argc; i += 2) {
    const char *words = i + 1 == argc ? value_words(argv[i]) : NULL;
    if (words != NULL) return no_value(argv[i], words);
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--shared") == 0) {
      x->q.shared = true;
      i--;
      continue;
    }
    if (strcmp(argv[i], "--platform") == 0 && *value != '\0') {
      x->platform = value;
    } else if (strcmp(argv[i], "--machine") == 0 && *value != '\0') {
      x->machine = value;
    } else if (strcmp(argv[i], "--bytes") == 0 || strcmp(argv[i], "--units") == 0 ||
               strcmp(argv[i], "--per-node") == 0 || strcmp(argv[i], "--neighbors") == 0) {
      int refused = read_count(argv[i], value, x);
      if (refused != EYOTI_EXIT_OK) return refused;
    } else {
      return wrong(
          argv[i],
          "--bytes N, --units N, --per-node N, --neighbors N, --platform NAME, --machine FILE or "
          "--shared");
    }
  }
  return fill_in(x);
}

static const char *why_preferred(const struct eyoti_question *q) {
  return eyoti_chosen_knows_lengths(q->function) ? "for long messages" : "lengths are not known";
}

static void print_choices(const struct eyoti_costs *costs, const struct eyoti_question *q) {
  static const char *const WHY[] = {[EYOTI_BY_MODEL] = "the cheapest",
                                    [EYOTI_BY_RULE] = "by EYOT_COLL",
                                    [EYOTI_BY_TABLE] = "by the machine file"};
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT];
  enum eyoti_reason why;
  struct eyoti_choice best = eyoti_choose(&costs->model, &costs->rules, q, &why);
  uint32_t n = eyoti_choose_all(&costs->model, q, all);
  bool cheapest = true;
  for (uint32_t i = 0; i < n; i++)
    cheapest = cheapest && (best.cost_ps <= all[i].cost_ps || all[i].algorithm == EYOTI_TAKE ||
                            eyoti_choose_is_left(q, all[i].algorithm));
  for (uint32_t i = 0; i < n; i++) {
    char radix[24] = "";
    bool taken = all[i].algorithm == best.algorithm;
    if (taken) all[i] = best;
    if (all[i].radix > 0) snprintf(radix, sizeof radix, "k=%" PRIu32, all[i].radix);
    printf("  %-10s %-6s %10.3f", eyoti_algorithm_name(all[i].algorithm), radix,
           (double)all[i].cost_ps / 1e6);
    if (taken) {
      const char *model = n == 1 ? "the only one" : cheapest ? WHY[why] : why_preferred(q);
      printf("  taken, %s", why == EYOTI_BY_MODEL ? model : WHY[why]);
    } else if (all[i].algorithm != EYOTI_TAKE && eyoti_choose_is_left(q, all[i].algorithm)) {
      printf("  by a rule only");
    }
    putchar('\n');
  }
}

/* What eyotrun refuses is not predicted. */
static int check_fits(const struct question *x, const struct sim_plat *p) {
  uint64_t per_node = x->per_node != 0 ? x->per_node : p->cores, nodes = sim_plat_fixed_nodes(p);
  char text[96];
  snprintf(text, sizeof text, "--per-node of at most the platform's %u cores", p->cores);
  if (per_node > p->cores) return wrong(NULL, text);
  snprintf(text, sizeof text, "--units of at most %" PRIu64 ", which the platform holds",
           nodes * per_node);
  return nodes != 0 && x->units > nodes * per_node ? wrong(NULL, text) : EYOTI_EXIT_OK;
}

/* The costs and the units of a node. Returns an exit code. */
static int read_costs(const struct question *x, struct eyoti_costs *costs, uint32_t *cores) {
  struct sim_plat plat;
  const char *text;
  int rc = eyoti_conf_string(EYOTI_CONF_COLL, &text);
  if (rc == EYOT_OK) rc = eyoti_rules_parse(text, &costs->rules);
  if (rc != EYOT_OK) return EYOTI_EXIT_USAGE;
  if (x->machine != NULL && strcmp(x->machine, "default") == 0) {
    costs->model = (struct fab_model)FAB_MODEL_DEFAULT;
    return EYOTI_EXIT_OK;
  }
  if (x->machine != NULL)
    return eyoti_costs_read(x->machine, costs) == EYOT_OK ? EYOTI_EXIT_OK : EYOTI_EXIT_USAGE;
  if (sim_plat_parse(x->platform, &plat) != EYOT_OK) return EYOTI_EXIT_USAGE;
  if (plat.kind == SIM_PLAT_XML && x->per_node == 0)
    return wrong(NULL, "--per-node N with a SimGrid platform");
  sim_plat_model(&plat, &costs->model);
  *cores = plat.cores;
  return plat.kind == SIM_PLAT_XML
             ? info_file_check(&plat, (uint32_t)x->units, (uint32_t)x->per_node)
             : check_fits(x, &plat);
}

/* Whether what takes little_ps for LITTLE_BYTES takes too long to be predicted for the question's,
 * with which the time grows. */
static bool is_too_long(const struct question *x, uint64_t little_ps) {
  return (double)little_ps * ((double)x->bytes / LITTLE_BYTES) > TIME_MOST_PS;
}

static bool is_any_too_long(const struct question *x, const struct eyoti_costs *costs,
                            const struct eyoti_question *q) {
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT];
  struct eyoti_question little = *q;
  little.bytes = LITTLE_BYTES;
  bool any = false;
  for (uint32_t n = eyoti_choose_all(&costs->model, &little, all); n > 0; n--)
    any |= is_too_long(x, all[n - 1].cost_ps);
  return any;
}

static int too_many_bytes(const struct question *x) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, x->bytes);
  return wrong(text, "--bytes for which no algorithm takes more than 50 days");
}

/* One of the functions of the choice. Returns an exit code. */
static int print_function(const struct question *x, const struct eyoti_costs *costs,
                          enum eyoti_chosen function) {
  struct eyoti_question q = x->q;
  q.function = function;
  if (q.size == 2) q.direct_from = EYOTI_GREETS;
  if (x->machine != NULL && q.per_node < q.size) q.direct_from = eyoti_predict_direct_from(&q);
  q.take = eyoti_choose_take(&q, true);
  q.any_order = true;
  if (is_any_too_long(x, costs, &q)) return too_many_bytes(x);
  printf("%s of %" PRIu64 " bytes, %" PRIu64 " units, %" PRIu64 " a node, on %s: predicted us\n",
         eyoti_chosen_name(function), x->bytes, x->units, x->per_node,
         x->machine != NULL ? x->machine : x->platform);
  bool combines = function == EYOTI_CHOSEN_REDUCE || function == EYOTI_CHOSEN_ALLREDUCE ||
                  function == EYOTI_CHOSEN_SCAN || function == EYOTI_CHOSEN_EXSCAN;
  if (combines) puts("operators that give the same bits in any order (integers, min, max):");
  print_choices(costs, &q);
  if (x->machine != NULL && eyoti_choose_take(&q, false) == EYOTI_TAKES)
    puts("a blocking call whose blocks are all in the heap: take, unless a rule says otherwise");
  if (!combines) return EYOTI_EXIT_OK;
  puts("operators that do not (sums of floating-point numbers):");
  q.any_order = false;
  print_choices(costs, &q);
  return EYOTI_EXIT_OK;
}

static void print_way(const char *name, uint32_t radix, uint64_t ps, const char *taken) {
  char text[24] = "";
  if (radix > 0) snprintf(text, sizeof text, "k=%" PRIu32, radix);
  printf("  %-10s %-6s %10.3f%s%s\n", name, text, (double)ps / 1e6,
         *taken != '\0' ? "  taken, " : "", taken);
}

static void print_barrier(const struct fab_model *m, const struct eyoti_question *q) {
  uint32_t radix = 0;
  uint64_t far = eyoti_predict_barrier_ps(m, q);
  uint64_t nodes = eyoti_predict_barrier_nodes_ps(m, q, &radix);
  const char *why = nodes < UINT64_MAX ? "the cheapest" : "the only one";
  print_way("doubling", 0, far, nodes < far ? "" : why);
  if (nodes < UINT64_MAX) print_way("nodes", radix, nodes, nodes < far ? why : "");
}

static int print_other(const struct question *x, const struct eyoti_costs *costs) {
  const struct other *o = x->other;
  int code = EYOTI_EXIT_OK;
  for (uint32_t i = 0; i < o->n && code == EYOTI_EXIT_OK; i++)
    code = print_function(x, costs, o->of[i]);
  if (code != EYOTI_EXIT_OK) return code;
  if (o->kind == MADE_OF) {
    printf("%s is made of %s; each ALLSYNC of its mode adds a barrier\n", o->name,
           o->n > 1 ? "these" : "this");
    return code;
  }
  struct eyoti_question little = x->q;
  little.bytes = LITTLE_BYTES;
  if (o->kind == NEIGHBOR &&
      is_too_long(x, eyoti_predict_neighbors_ps(&costs->model, &little, x->neighbors)))
    return too_many_bytes(x);
  printf("%s, %" PRIu64 " units, %" PRIu64 " a node, on %s: predicted us\n", o->name, x->units,
         x->per_node, x->machine != NULL ? x->machine : x->platform);
  if (o->kind == BARRIER) {
    print_barrier(&costs->model, &x->q);
    return code;
  }
  printf("blocks of %" PRIu64 " bytes, %" PRIu64 " neighbors\n", x->bytes, x->neighbors);
  print_way("puts", 0, eyoti_predict_neighbors_ps(&costs->model, &x->q, x->neighbors),
            "the only one");
  return code;
}

int info_coll(int argc, char **argv) {
  struct question x;
  struct eyoti_costs costs;
  uint32_t cores = 1;
  int code = read_question(argc, argv, &x);
  if (code == EYOTI_EXIT_OK) code = read_costs(&x, &costs, &cores);
  if (code != EYOTI_EXIT_OK) return code;
  if (x.per_node == 0) x.per_node = cores;
  if (x.per_node > x.units) x.per_node = x.units;
  x.q.bytes = x.bytes;
  x.q.size = (uint32_t)x.units;
  x.q.per_node = (uint32_t)x.per_node;
  x.q.routers = eyoti_layout_in_order((x.q.size - 1) / x.q.per_node + 1, costs.model.router_nodes);
  return x.other != NULL ? print_other(&x, &costs) : print_function(&x, &costs, x.q.function);
}
