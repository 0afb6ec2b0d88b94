/* SPDX-License-Identifier: BSD-3-Clause */
/* check_litmus.c - runs one litmus test under eyotcheck, which counts its outcomes; or lists the
 * allowed outcomes of all.
 *
 *   check_litmus --list MODEL            a line a test: name, units, units per node, whether to
 *                                        search without reduction, outcomes (check_litmus.sh)
 *   eyotcheck ... check_litmus NAME      one test
 *   eyotcheck ... check_litmus NAME MODEL   the same; an outcome that the model forbids fails
 *                                        its run, which can then be replayed */
#include "programs/check_litmus.h"

#include <stdio.h>
#include <string.h>

static const struct litmus *const FAMILIES[] = {litmus_messages, litmus_stores, litmus_order,
                                                litmus_atomics,  litmus_words,  litmus_cpu,
                                                litmus_flags,    litmus_sets,   litmus_plain};
#define N_FAMILIES (sizeof FAMILIES / sizeof *FAMILIES)
static const char *const MODELS[LITMUS_MODELS] = {"strict", "rdma", "tso"};

static bool model_by_name(const char *name, enum litmus_model *out) {
  for (uint32_t i = 0; i < LITMUS_MODELS; i++)
    if (strcmp(MODELS[i], name) == 0) {
      *out = (enum litmus_model)i;
      return true;
    }
  fprintf(stderr, "check_litmus: '%s' is no model\n", name);
  return false;
}

static int list(enum litmus_model model) {
  for (size_t i = 0; i < N_FAMILIES; i++)
    for (const struct litmus *t = FAMILIES[i]; t->name != NULL; t++) {
      for (uint32_t k = 0; k < litmus_units(t); k++) {
        struct litmus_code code;
        litmus_parse(t, k, &code);
      }
      printf("%s %u %u %s %s\n", t->name, litmus_units(t), t->per_node,
             t->long_search ? "sample" : "all", litmus_allowed(t, model));
    }
  return 0;
}

static const struct litmus *find(const char *name) {
  for (size_t i = 0; i < N_FAMILIES; i++)
    for (const struct litmus *t = FAMILIES[i]; t->name != NULL; t++)
      if (strcmp(t->name, name) == 0) return t;
  fprintf(stderr, "check_litmus: there is no test '%s'\n", name);
  return NULL;
}

/* The units' pointers to each other's state: under eyotcheck they are in one process. */
struct peer {
  struct litmus_unit *unit;
  uint64_t *part;
  uint32_t *ended; /* of unit 0: how many units have ended */
};

struct test {
  const struct litmus *table;
  struct litmus_unit unit;
  struct peer peers[LITMUS_UNITS];
  uint32_t ended;
};

static uint64_t in_data[LITMUS_WORDS]; /* the part of tests with `data` */

static void setup(struct test *t) {
  struct litmus_unit *u = &t->unit;
  if (t->table->data)
    litmus_must(eyot_data_gptr(in_data, sizeof in_data, eyot_me(), &u->part), "eyot_data_gptr");
  else
    litmus_must(eyot_team_alloc(EYOT_TEAM_ALL, sizeof in_data, &u->part), "eyot_team_alloc");
  void *own;
  litmus_must(eyot_gptr_addr(eyot_gptr_at(u->part, eyot_me()), &own), "eyot_gptr_addr");
  struct peer me = {.unit = u, .part = own, .ended = &t->ended};
  litmus_must(eyot_allgather(EYOT_TEAM_ALL, &me, t->peers, sizeof me), "eyot_allgather");
  for (uint32_t i = 0; i < eyot_size(); i++) u->direct[i] = t->peers[i].part;
  u->set[0] = EYOT_SET_DEFAULT;
  for (uint32_t i = 1; i < LITMUS_SETS; i++)
    litmus_must(eyot_set_create(&u->set[i]), "eyot_set_create");
}

/* Writes the digits of the values that the table wants shown. */
static void digits(const struct test *t, char *out, size_t size) {
  char show[64], *rest;
  size_t n = 0;
  snprintf(show, sizeof show, "%s", t->table->show);
  for (char *one = strtok_r(show, " ", &rest); one != NULL && n + 1 < size;
       one = strtok_r(NULL, " ", &rest)) {
    uint64_t value;
    if (one[1] == ':') {
      value = t->peers[one[0] - '0'].unit->reg[one[3] - '0'];
    } else {
      struct litmus_place p = litmus_parse_place(one);
      value = t->peers[p.unit].part[p.word];
    }
    out[n++] = value < 10 ? (char)('0' + value) : '?';
  }
  out[n] = '\0';
}

static bool allowed(const struct litmus *t, enum litmus_model model, const char *outcome) {
  const char *list_of = litmus_allowed(t, model), *hit = strstr(list_of, outcome);
  return hit != NULL; /* all outcomes of a test are of one length, with blanks between */
}

/* The last unit to end reports the outcome of the run. */
static void finish(struct test *t, const char *model_name) {
  enum litmus_model model;
  char outcome[16];
  eyot_cpu_fence();
  litmus_must(eyot_flush_all(EYOT_REMOTE), "eyot_flush_all");
  if (++*t->peers[0].ended < eyot_size()) return;
  digits(t, outcome, sizeof outcome);
  eyot_check_outcome("%s", outcome);
  if (model_name != NULL && model_by_name(model_name, &model) && !allowed(t->table, model, outcome))
    eyot_check_fail("%s (%s) came out as %s, which %s forbids: %s", t->table->name, t->table->show,
                    outcome, model_name, t->table->why);
}

int main(int argc, char **argv) {
  enum litmus_model model;
  if (argc == 3 && strcmp(argv[1], "--list") == 0)
    return model_by_name(argv[2], &model) ? list(model) : 2;
  struct test t = {.table = argc >= 2 ? find(argv[1]) : NULL};
  if (t.table == NULL) return 2;
  struct litmus_code code;
  litmus_must(eyot_init(&argc, &argv), "eyot_init");
  if (!eyot_check_active() || eyot_size() != litmus_units(t.table)) {
    fprintf(stderr, "check_litmus: %s is for eyotcheck with %u units\n", t.table->name,
            litmus_units(t.table));
    return 2;
  }
  litmus_parse(t.table, eyot_me().id, &code);
  setup(&t);
  litmus_must(eyot_check_begin(), "eyot_check_begin");
  litmus_run(&t.unit, &code);
  finish(&t, argc >= 3 ? argv[2] : NULL);
  litmus_must(eyot_check_end(), "eyot_check_end");
  for (uint32_t i = 1; i < LITMUS_SETS; i++)
    litmus_must(eyot_set_destroy(&t.unit.set[i]), "eyot_set_destroy");
  if (!t.table->data) litmus_must(eyot_team_free(t.unit.part), "eyot_team_free");
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
