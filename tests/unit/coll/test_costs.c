/* SPDX-License-Identifier: BSD-3-Clause */
/* test_costs.c - model and rules of a machine file: what they mean, and what is refused with file
 * and line; and which of EYOT_COLL, file and model decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "coll/costs.h"

#define PATH "costs_test.machine"
#define HEAD "eyot-machine 1\n[model]\n"
#define MODEL                                                                                     \
  "node.overhead = 20 ns [19 21] # posting\nnode.one_way = 0.15 us\nnode.bandwidth = 10 GB/s\n"   \
  "node.look = 30 ns\nnode.memory = 40000 MB/s\nnode.units = 4\nnetwork.overhead = 200 ns\n"      \
  "network.one_way = 1.5 us\nnetwork.gap = 120.5 ns\nnetwork.bandwidth = 2.5 GB/s\n"              \
  "node.gap = 1 ns\nnode.atomic = 5 ns\nnode.get = 1 ns\nnetwork.atomic = 1 us\nnetwork.get = 1 " \
  "us\n"

static void write_text(const char *text) {
  FILE *f = fopen(PATH, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static void the_figures_become_those_of_messages(void **state) {
  (void)state;
  struct eyoti_costs c = {.rules = {.n = 0}};
  write_text(HEAD MODEL "[thresholds]\nnode.put_half = 1 bytes\nmsg_block = 4096 bytes\n");
  assert_int_equal(eyoti_costs_read(PATH, &c), EYOT_OK);
  assert_int_equal(c.rules.n, 0);
  assert_true(c.thresholds.has_block && !c.thresholds.has_eager);
  assert_int_equal(c.thresholds.block, 4096);
  const struct fab_model *m = &c.model;
  assert_int_equal(m->post_ps, 200000);
  assert_int_equal(m->net_ps, 1270000); /* 1,500 ns, less the posting and the look */
  assert_int_equal(m->gap_ps, 120500);
  assert_int_equal(m->node_post_ps, 20000);
  assert_int_equal(m->node_ps, 100000);
  assert_int_equal(m->look_ps, 30000);
  assert_int_equal(m->net_kib_ps, 409600);
  assert_int_equal(m->node_kib_ps, 102400);
  assert_int_equal(m->memory_kib_ps, 25600);
  assert_int_equal(m->memory_units, 4);
}

/* A way that is shorter than its parts is none; memory that nobody has measured is no limit. */
static void what_is_missing_is_no_limit(void **state) {
  (void)state;
  struct eyoti_costs c = {.rules = {.n = 0}};
  write_text(HEAD
             "node.overhead = 20 ns\nnode.one_way = 10 ns\nnode.bandwidth = 10 GB/s\n"
             "network.overhead = 0 ns\nnetwork.one_way = 1 us\nnetwork.gap = 0 ns\n"
             "network.bandwidth = 1 GB/s\n");
  assert_int_equal(eyoti_costs_read(PATH, &c), EYOT_OK);
  assert_int_equal(c.model.node_ps, 0);
  assert_int_equal(c.model.look_ps, 0);
  assert_int_equal(c.model.memory_kib_ps, 0);
  assert_int_equal(c.model.memory_units, 1);
  assert_int_equal(fab_model_node_bytes(&c.model, 1024, 8), 102400);
}

/* Reading must fail and say `words`, and change nothing. */
static void refuses(const char *text, const char *words) {
  struct eyoti_costs c, before;
  char said[4096] = "";
  memset(&c, 0x5a, sizeof c);
  c.rules.n = c.rules.given = 0;
  memcpy(&before, &c, sizeof c); /* padding too */
  if (text != NULL) write_text(text);
  FILE *log = tmpfile();
  assert_non_null(log);
  int saved = dup(STDERR_FILENO);
  dup2(fileno(log), STDERR_FILENO);
  int rc = eyoti_costs_read(text != NULL ? PATH : "no/such.machine", &c);
  dup2(saved, STDERR_FILENO);
  close(saved);
  rewind(log);
  said[fread(said, 1, sizeof said - 1, log)] = '\0';
  (void)fclose(log);
  if (rc != (text != NULL ? EYOT_EINVAL : EYOT_ESYS) || strstr(said, words) == NULL)
    fail_msg("'%s': code %d, said '%s'; expected '%s'", text, rc, said, words);
  assert_memory_equal(&c, &before, sizeof c);
}

static void wrong_lines_are_refused_with_their_number(void **state) {
  (void)state;
  refuses(NULL, "no/such.machine: No such file");
  refuses("", "is empty; expected a machine file");
  refuses(HEAD MODEL "node.latency = 1 ns\n", PATH ":18: [model] has no figure 'node.latency'");
  refuses(HEAD "node.overhead = 20 GB/s\n",
          PATH ":3: node.overhead = 20 GB/s; expected 0 to 1000000000 ns (or us)");
  refuses(HEAD "node.overhead = -1 ns\n", PATH ":3: node.overhead = -1 ns; expected 0");
  refuses(HEAD "node.overhead = 2e9 ns\n", PATH ":3: node.overhead = 2e9 ns; expected 0");
  refuses(HEAD "node.overhead = nan ns\n", PATH ":3: node.overhead = nan ns; expected 0");
  refuses(HEAD "node.overhead = 1e ns\n", PATH ":3: node.overhead = 1e ns; expected 0");
  refuses(HEAD "node.overhead = 1\n", PATH ":3: node.overhead = 1; expected 0");
  refuses(HEAD "node.bandwidth = 0 GB/s\n",
          PATH ":3: node.bandwidth = 0 GB/s; expected 0.001 to 100000 GB/s");
  refuses(HEAD "node.units = 1.5\n", PATH ":3: node.units = 1.5; expected a whole number from 1");
  refuses(HEAD "node.units = 2 ns\n", PATH ":3: node.units = 2 ns; expected a whole number");
  refuses(HEAD "node.overhead = 1 ns\nnode.overhead = 1 ns\n", ":4: node.overhead is given twice");
  refuses("eyot-machine 1\n[collectives]\nallreduce:0-8:doubling\n",
          PATH ": [model] has no node.overhead; expected it");
  refuses(HEAD "network.overhead = 1 ns\nnode.overhead = 1 ns\nnode.one_way = 1 ns\n",
          PATH ": [model] has no node.bandwidth; expected it");
}

static void wrong_thresholds_are_refused(void **state) {
  (void)state;
#define THRESHOLDS HEAD MODEL "[thresholds] # line 18\n"
  refuses(THRESHOLDS "node.half = 1 bytes\n", PATH ":19: [thresholds] has no 'node.half'; known");
  refuses(THRESHOLDS "msg_eager = 64 K\n",
          PATH ":19: msg_eager = 64 K; expected a whole number from 0 to 1073741824 bytes");
  refuses(THRESHOLDS "msg_eager = -1 bytes\n", PATH ":19: msg_eager = -1 bytes; expected");
  refuses(THRESHOLDS "msg_block = 1.5 bytes\n", PATH ":19: msg_block = 1.5 bytes; expected");
  refuses(THRESHOLDS "msg_block = 1073741825 bytes\n", ":19: msg_block = 1073741825 bytes; exp");
  refuses(THRESHOLDS "msg_block = 1 bytes\nmsg_block = 1 bytes\n", ":20: msg_block is given twice");
}

static void wrong_rules_are_refused_with_their_line(void **state) {
  (void)state;
#define RULES HEAD MODEL "[collectives] # line 18\n"
  refuses(RULES "allreduce:0-8:ring\n", PATH
          ":19: no such algorithm of the function; expected binomial doubling multi linear direct "
          "parts "
          "routers take in 'allreduce:0-8:ring'");
  refuses(RULES "allreduce:0-8:doubling\n\nallreduce:8:doubling\n",
          PATH ":21: expected bytes FROM-TO, as in 0-4k or 64-, in 'allreduce:8:doubling'");
  refuses(RULES "allreduce = doubling\n", PATH ":19: 'allreduce = doubling'; expected a rule");
  refuses(RULES "barrier:0-8:binomial\n", PATH ":19: no such function; expected broadcast, ");
  refuses(RULES "allreduce:0-8:doubling\nallreduce:0-8:doubling\n",
          PATH ":20: allreduce:0-8:doubling is given twice, first in line 19");
  char many[4096] = RULES;
  for (int i = 0; i < 33; i++) {
    size_t used = strlen(many);
    snprintf(many + used, sizeof many - used, "allreduce:0-%d:doubling\n", i);
  }
  refuses(many, PATH ":51: more than 32 rules");
}

static enum eyoti_algorithm decides(const struct eyoti_costs *c, uint64_t bytes,
                                    enum eyoti_reason expected) {
  const struct eyoti_question q = {EYOTI_CHOSEN_ALLREDUCE, bytes, 8, 2, true, 0, false, 0,
                                   EYOTI_TAKES_NOT,        0,     0, 0, false};
  enum eyoti_reason why;
  struct eyoti_choice choice = eyoti_choose(&c->model, &c->rules, &q, &why);
  assert_int_equal(why, expected);
  return choice.algorithm;
}

static void override_then_table_then_model(void **state) {
  (void)state;
  struct eyoti_costs c = {.rules = {.n = 0}};
  write_text(RULES "allreduce:0-64:multi(k=3) # measured\nallreduce:65-4k:binomial\n");
  assert_int_equal(eyoti_rules_parse("allreduce:0-8:doubling#allreduce:64-80:doubling", &c.rules),
                   EYOT_OK);
  assert_int_equal(eyoti_costs_read(PATH, &c), EYOT_OK);
  assert_int_equal(c.rules.n, 4);
  assert_int_equal(c.rules.rule[2].radix, 3);
  assert_int_equal(decides(&c, 8, EYOTI_BY_RULE), EYOTI_DOUBLING);
  assert_int_equal(decides(&c, 16, EYOTI_BY_TABLE), EYOTI_MULTI);
  assert_int_equal(decides(&c, 64, EYOTI_BY_RULE), EYOTI_DOUBLING);
  assert_int_equal(decides(&c, 80, EYOTI_BY_RULE), EYOTI_DOUBLING);
  assert_int_equal(decides(&c, 81, EYOTI_BY_TABLE), EYOTI_BINOMIAL);
  (void)decides(&c, 4097, EYOTI_BY_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_figures_become_those_of_messages),
      cmocka_unit_test(what_is_missing_is_no_limit),
      cmocka_unit_test(wrong_lines_are_refused_with_their_number),
      cmocka_unit_test(wrong_thresholds_are_refused),
      cmocka_unit_test(wrong_rules_are_refused_with_their_line),
      cmocka_unit_test(override_then_table_then_model),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(PATH);
  return failed;
}
