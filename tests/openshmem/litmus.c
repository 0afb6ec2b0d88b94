/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus.c - runs one litmus test of OpenSHMEM (litmus_tests.c).
 *
 *   litmus --list                     a line a test: name, PEs, show, the code of each PE
 *   eyotcheck ... litmus NAME         eyotcheck counts the outcomes
 *   oshrun ... litmus [--rounds N] NAME...
 *                                     elsewhere, PE 0 counts those of N times LITMUS_CELLS runs of
 *                                     each test that is for so many PEs, and prints a line for
 *                                     each outcome: NAME OUTCOME COUNT */
#include "tests/openshmem/litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROUNDS 100
#define MAX_OUTCOMES 64
#define MAX_SHOWN 8
#define MAX_DELAY 256 /* turns of an empty loop before a run */

static long in_data[LITMUS_CELLS][LITMUS_WORDS];

struct test {
  const struct litmus *table;
  struct litmus_code code;
  long (*words)[LITMUS_WORDS];
  int me;
};

static const struct litmus *find(const char *name) {
  for (const struct litmus *t = litmus_tests; t->name != NULL; t++)
    if (strcmp(t->name, name) == 0) return t;
  fprintf(stderr, "litmus: there is no test '%s'\n", name);
  exit(2);
}

static int list(void) {
  for (const struct litmus *t = litmus_tests; t->name != NULL; t++) {
    printf("%s\t%u\t%s", t->name, (unsigned)litmus_pes(t), t->show);
    for (uint32_t i = 0; i < litmus_pes(t); i++) {
      struct litmus_code code;
      bool contexts;
      (void)litmus_parse(t->code[i], &code, &contexts);
      printf("\t%s", t->code[i]);
    }
    printf("\n");
  }
  return 0;
}

/* Where a PE's values are, as seen by the PE that writes the outcome. */
struct values {
  const long *reg, *words;
};

static void outcome_of(const struct litmus *t, const struct values *of, char *out) {
  char show[64], *rest;
  size_t n = 0;
  snprintf(show, sizeof show, "%s", t->show);
  for (char *one = strtok_r(show, " ", &rest); one != NULL && n < MAX_SHOWN;
       one = strtok_r(NULL, " ", &rest)) {
    long value;
    if (one[1] == ':') {
      value = of[one[0] - '0'].reg[one[3] - '0'];
    } else {
      struct litmus_place p = litmus_parse_place(one);
      value = of[p.pe].words[p.word];
    }
    out[n++] = value >= 0 && value < 10 ? (char)('0' + value) : '?';
  }
  out[n] = '\0';
}

/* -- under eyotcheck: all PEs are in one process, and the last to end reports ------------------ */

#ifdef LITMUS_EYOT
struct peer {
  struct values values;
  uint32_t *ended; /* of PE 0: how many PEs have ended */
};
static struct peer peers[LITMUS_PES];
static uint32_t ended;

static void tell_peers(const struct test *t) {
  static struct peer mine;
  mine = (struct peer){.values = {.reg = litmus_reg[0], .words = t->words[0]}, .ended = &ended};
  for (int to = 0; to < shmem_n_pes(); to++) shmem_putmem(&peers[t->me], &mine, sizeof mine, to);
  shmem_barrier_all();
}

static void must(int code) {
  if (code != 0) abort();
}

static void check(const struct test *t) {
  tell_peers(t);
  must(eyot_check_begin());
  litmus_run(&t->code, t->words, 0);
  litmus_quiet();
  if (++*peers[0].ended == (uint32_t)shmem_n_pes()) {
    struct values of[LITMUS_PES];
    char text[MAX_SHOWN + 1];
    for (int i = 0; i < shmem_n_pes(); i++) of[i] = peers[i].values;
    outcome_of(t->table, of, text);
    eyot_check_outcome("%s", text);
  }
  must(eyot_check_end());
}
#endif

/* -- elsewhere: PE 0 counts -------------------------------------------------------------------- */

static struct {
  char text[MAX_SHOWN + 1];
  unsigned long count;
} outcomes[MAX_OUTCOMES];
static int n_outcomes;

static void count(const char *text) {
  int i = 0;
  while (i < n_outcomes && strcmp(outcomes[i].text, text) != 0) i++;
  if (i == MAX_OUTCOMES) return;
  if (i == n_outcomes) strcpy(outcomes[n_outcomes].text, text);
  if (i == n_outcomes) outcomes[n_outcomes++].count = 0;
  outcomes[i].count++;
}

static void collect(const struct test *t) {
  static long reg[LITMUS_PES][LITMUS_CELLS][LITMUS_REGISTERS];
  static long words[LITMUS_PES][LITMUS_CELLS][LITMUS_WORDS];
  for (int pe = 0; pe < shmem_n_pes(); pe++) {
    shmem_getmem(reg[pe], litmus_reg, sizeof litmus_reg, pe);
    shmem_getmem(words[pe], t->words, sizeof words[pe], pe);
  }
  for (int c = 0; c < LITMUS_CELLS; c++) {
    struct values of[LITMUS_PES];
    char text[MAX_SHOWN + 1];
    for (int pe = 0; pe < shmem_n_pes(); pe++) of[pe] = (struct values){reg[pe][c], words[pe][c]};
    outcome_of(t->table, of, text);
    count(text);
  }
}

static void delay(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  for (volatile uint64_t turns = *state >> 33 & (MAX_DELAY - 1); turns > 0; turns--)
    ;
}

static void measure(const struct test *t, long rounds) {
  uint64_t state = (uint64_t)t->me + 1;
  n_outcomes = 0;
  for (long i = 0; i < rounds; i++) {
    memset(t->words, 0, sizeof in_data);
    memset(litmus_reg, 0, sizeof litmus_reg);
    shmem_barrier_all();
    for (uint32_t c = 0; c < LITMUS_CELLS; c++) {
      delay(&state);
      litmus_run(&t->code, t->words, c);
    }
    litmus_quiet();
    shmem_barrier_all();
    if (t->me == 0) collect(t);
    shmem_barrier_all();
  }
  for (int i = 0; i < n_outcomes; i++)
    printf("%s\t%s\t%lu\n", t->table->name, outcomes[i].text, outcomes[i].count);
}

/* Of this number of PEs. */
static void run(const struct litmus *table, long rounds) {
  struct test t = {.table = table, .me = shmem_my_pe()};
  bool contexts = false, has_all = true;
  for (int pe = shmem_n_pes() - 1; pe >= 0; pe--) { /* the caller's own code last */
    int of = (t.me + pe) % shmem_n_pes();
    has_all = litmus_parse(table->code[of], &t.code, &contexts) && has_all;
  }
  if (!has_all) {
    if (t.me == 0) printf("%s\tnot there\t0\n", table->name);
    return;
  }
  t.words = table->data ? in_data : shmem_malloc(sizeof in_data);
  memset(t.words, 0, sizeof in_data);
  if (contexts) litmus_contexts();
  shmem_barrier_all();
#ifdef LITMUS_EYOT
  if (eyot_check_active())
    check(&t);
  else
#endif
    measure(&t, rounds);
  litmus_contexts_end();
  if (!table->data) shmem_free(t.words);
}

int main(int argc, char **argv) {
  long rounds = DEFAULT_ROUNDS;
  int first = 1, ran = 0;
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
  if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
    rounds = atol(argv[2]);
    first = 3;
  }
  for (int i = first; i < argc; i++) (void)find(argv[i]);
  shmem_init();
  for (int i = first; i < argc; i++) {
    if (litmus_pes(find(argv[i])) != (uint32_t)shmem_n_pes()) continue;
    run(find(argv[i]), rounds);
    ran++;
  }
  if (ran == 0) {
    fprintf(stderr, "litmus: no test for %d PEs was named\n", shmem_n_pes());
    shmem_global_exit(2);
  }
  fflush(stdout);
  shmem_finalize();
  return 0;
}
