/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_run.c - the verbs of litmus tests, each one call of OpenSHMEM, and the parser of their
 * code (litmus.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/openshmem/litmus.h"

long litmus_reg[LITMUS_CELLS][LITMUS_REGISTERS];

static long (*words)[LITMUS_WORDS]; /* the caller's, and so each PE's */
static uint32_t cell;
static long sources[LITMUS_CELLS][LITMUS_STATEMENTS][2], one_source[LITMUS_CELLS];
static uint32_t n_sources; /* of this cell */
static shmem_ctx_t contexts[LITMUS_CONTEXTS];
static bool has_contexts;

static long *word(const struct litmus_statement *s, int i) {
  return &words[cell][s->place[i].word];
}
static int pe(const struct litmus_statement *s, int i) {
  return s->place[i].pe < 0 ? shmem_my_pe() : s->place[i].pe;
}
static long *reg(const struct litmus_statement *s, int i) {
  return &litmus_reg[cell][s->reg[i]];
}
/* A source of two equal words, which no later statement changes. */
static const long *source(long value) {
  long *at = sources[cell][n_sources++ % LITMUS_STATEMENTS];
  at[0] = at[1] = value;
  return at;
}

/* -- puts and gets ----------------------------------------------------------------------------- */

#define VERB(name) static void name(const struct litmus_statement *s)

VERB(do_put) {
  shmem_long_put(word(s, 0), source(s->value[0]), 1, pe(s, 0));
}
VERB(do_put2) {
  shmem_long_put(word(s, 0), source(s->value[0]), 2, pe(s, 0));
}
VERB(do_p) {
  shmem_long_p(word(s, 0), s->value[0], pe(s, 0));
}
VERB(do_nbi) {
  shmem_long_put_nbi(word(s, 0), source(s->value[0]), 1, pe(s, 0));
}
VERB(do_cput) {
  shmem_ctx_long_put(contexts[s->ctx], word(s, 0), source(s->value[0]), 1, pe(s, 0));
}
/* A put from a variable that `src` sets. */
VERB(do_src) {
  one_source[cell] = s->value[0];
}
VERB(do_puts) {
  shmem_long_put(word(s, 0), &one_source[cell], 1, pe(s, 0));
}
VERB(do_nbis) {
  shmem_long_put_nbi(word(s, 0), &one_source[cell], 1, pe(s, 0));
}
VERB(do_get) {
  *reg(s, 0) = shmem_long_g(word(s, 0), pe(s, 0));
}
VERB(do_getnbi) {
  shmem_long_get_nbi(reg(s, 0), word(s, 0), 1, pe(s, 0));
}
VERB(do_st) {
  litmus_store(word(s, 0), s->value[0]);
}
VERB(do_ld) {
  *reg(s, 0) = litmus_load(word(s, 0));
}

/* -- atomics ----------------------------------------------------------------------------------- */

VERB(do_set) {
  shmem_long_atomic_set(word(s, 0), s->value[0], pe(s, 0));
}
VERB(do_add) {
  shmem_long_atomic_add(word(s, 0), s->value[0], pe(s, 0));
}
VERB(do_cset) {
  shmem_ctx_long_atomic_set(contexts[s->ctx], word(s, 0), s->value[0], pe(s, 0));
}
VERB(do_fetch) {
  *reg(s, 0) = shmem_long_atomic_fetch(word(s, 0), pe(s, 0));
}
VERB(do_fadd) {
  *reg(s, 0) = shmem_long_atomic_fetch_add(word(s, 0), s->value[0], pe(s, 0));
}

/* -- order and synchronization ----------------------------------------------------------------- */

VERB(do_fence) {
  (void)s;
  shmem_fence();
}
VERB(do_quiet) {
  (void)s;
  shmem_quiet();
}
VERB(do_cfence) {
  shmem_ctx_fence(contexts[s->ctx]);
}
VERB(do_cquiet) {
  shmem_ctx_quiet(contexts[s->ctx]);
}
VERB(do_barrier) {
  (void)s;
  shmem_barrier_all();
}
VERB(do_sync) {
  (void)s;
  shmem_sync_all();
}
VERB(do_lock) {
  shmem_set_lock(word(s, 0));
}
VERB(do_unlock) {
  shmem_clear_lock(word(s, 0));
}
VERB(do_until) {
  shmem_long_wait_until(word(s, 0), SHMEM_CMP_GE, s->value[0]);
}
VERB(do_test) {
  *reg(s, 0) = shmem_long_test(word(s, 0), SHMEM_CMP_GE, s->value[0]);
}

#if LITMUS_1_5
static uint64_t *signal_word(const struct litmus_statement *s, int i) {
  return (uint64_t *)(void *)word(s, i);
}
static void put_signal(const struct litmus_statement *s, int op) {
  shmem_long_put_signal(word(s, 0), source(s->value[0]), 1, signal_word(s, 1),
                        (uint64_t)s->value[1], op, pe(s, 0));
}
VERB(do_psig) {
  put_signal(s, SHMEM_SIGNAL_SET);
}
VERB(do_psigadd) {
  put_signal(s, SHMEM_SIGNAL_ADD);
}
VERB(do_psignbi) {
  shmem_long_put_signal_nbi(word(s, 0), source(s->value[0]), 1, signal_word(s, 1),
                            (uint64_t)s->value[1], SHMEM_SIGNAL_SET, pe(s, 0));
}
VERB(do_faddnbi) {
  shmem_long_atomic_fetch_add_nbi(reg(s, 0), word(s, 0), s->value[0], pe(s, 0));
}
VERB(do_siguntil) {
  (void)shmem_signal_wait_until(signal_word(s, 0), SHMEM_CMP_GE, (uint64_t)s->value[0]);
}
/* Of the words from the place on, two, which shall be 1. */
VERB(do_any) {
  *reg(s, 0) = (long)shmem_long_wait_until_any(word(s, 0), 2, NULL, SHMEM_CMP_EQ, 1);
}
VERB(do_some) {
  size_t found[2], n = shmem_long_wait_until_some(word(s, 0), 2, found, NULL, SHMEM_CMP_EQ, 1);
  *reg(s, 0) = 0;
  for (size_t i = 0; i < n; i++) *reg(s, 0) |= 1l << found[i];
}
VERB(do_all) {
  shmem_long_wait_until_all(word(s, 0), 2, NULL, SHMEM_CMP_EQ, 1);
}
/* From z to w, of PE 0. */
VERB(do_bcast) {
  (void)s;
  (void)shmem_long_broadcast(SHMEM_TEAM_WORLD, &words[cell][3], &words[cell][2], 1, 0);
}
VERB(do_sum) {
  (void)s;
  (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &words[cell][3], &words[cell][2], 1);
}
#define IN_1_5(verb) verb
#else
#define IN_1_5(verb) NULL
#endif

/* r: a register, p: a place, v: a value, c: a context. */
static const struct verb {
  const char *name, *arguments;
  litmus_verb_t *run; /* NULL: this OpenSHMEM has it not */
} VERBS[] = {{"put", "pv", do_put},
             {"put2", "pv", do_put2},
             {"p", "pv", do_p},
             {"nbi", "pv", do_nbi},
             {"cput", "cpv", do_cput},
             {"src", "v", do_src},
             {"puts", "p", do_puts},
             {"nbis", "p", do_nbis},
             {"get", "rp", do_get},
             {"getnbi", "rp", do_getnbi},
             {"st", "pv", do_st},
             {"ld", "rp", do_ld},
             {"set", "pv", do_set},
             {"add", "pv", do_add},
             {"cset", "cpv", do_cset},
             {"fetch", "rp", do_fetch},
             {"fadd", "rpv", do_fadd},
             {"faddnbi", "rpv", IN_1_5(do_faddnbi)},
             {"fence", "", do_fence},
             {"quiet", "", do_quiet},
             {"cfence", "c", do_cfence},
             {"cquiet", "c", do_cquiet},
             {"barrier", "", do_barrier},
             {"sync", "", do_sync},
             {"lock", "p", do_lock},
             {"unlock", "p", do_unlock},
             {"until", "pv", do_until},
             {"test", "rpv", do_test},
             {"psig", "pvpv", IN_1_5(do_psig)},
             {"psigadd", "pvpv", IN_1_5(do_psigadd)},
             {"psignbi", "pvpv", IN_1_5(do_psignbi)},
             {"siguntil", "pv", IN_1_5(do_siguntil)},
             {"any", "rp", IN_1_5(do_any)},
             {"some", "rp", IN_1_5(do_some)},
             {"all", "p", IN_1_5(do_all)},
             {"bcast", "", IN_1_5(do_bcast)},
             {"sum", "", IN_1_5(do_sum)}};

/* -- the parser -------------------------------------------------------------------------------- */

static void wrong(const char *what, const char *text) {
  fprintf(stderr, "litmus: %s in '%s'\n", what, text);
  exit(2);
}

uint32_t litmus_pes(const struct litmus *t) {
  uint32_t n = 0;
  while (n < LITMUS_PES && t->code[n] != NULL) n++;
  return n;
}

struct litmus_place litmus_parse_place(const char *text) {
  static const char names[] = "xyzw....fgh.l";
  const char *at = strchr(names, text[0]);
  if (at == NULL || *at == '.' || (text[1] != '\0' && text[1] != '@')) wrong("no place", text);
  return (struct litmus_place){.pe = text[1] == '@' ? atoi(text + 2) : -1,
                               .word = (uint32_t)(at - names)};
}

static const struct verb *verb_of(const char *name) {
  for (size_t i = 0; i < sizeof VERBS / sizeof *VERBS; i++)
    if (strcmp(VERBS[i].name, name) == 0) return &VERBS[i];
  wrong("no verb", name);
  return NULL;
}

static void parse_one(char *text, struct litmus_statement *s, const struct verb **verb) {
  char *rest, *token = strtok_r(text, " ", &rest);
  uint32_t regs = 0, places = 0, values = 0;
  *verb = verb_of(token);
  *s = (struct litmus_statement){.run = (*verb)->run};
  for (const char *kind = (*verb)->arguments; *kind != '\0'; kind++) {
    token = strtok_r(NULL, " ", &rest);
    if (token == NULL) wrong("too few arguments", (*verb)->name);
    if (*kind == 'r' && token[0] == 'r')
      s->reg[regs++] = (uint32_t)atoi(token + 1) % LITMUS_REGISTERS;
    else if (*kind == 'c' && token[0] == 'c')
      s->ctx = (uint32_t)atoi(token + 1) % LITMUS_CONTEXTS;
    else if (*kind == 'p')
      s->place[places++] = litmus_parse_place(token);
    else if (*kind == 'v')
      s->value[values++] = atol(token);
    else
      wrong("a wrong argument", token);
  }
  if (strtok_r(NULL, " ", &rest) != NULL) wrong("too many arguments", (*verb)->name);
}

bool litmus_parse(const char *code, struct litmus_code *out, bool *uses_contexts) {
  char text[256], *rest;
  bool has_all = true;
  out->n = 0;
  if (strlen(code) >= sizeof text) wrong("too long a code", code);
  strcpy(text, code);
  for (char *one = strtok_r(text, ";", &rest); one != NULL; one = strtok_r(NULL, ";", &rest)) {
    const struct verb *verb;
    if (out->n == LITMUS_STATEMENTS) wrong("too many statements", code);
    parse_one(one, &out->at[out->n++], &verb);
    if (verb->run == NULL) has_all = false;
    if (strchr(verb->arguments, 'c') != NULL) *uses_contexts = true;
  }
  return has_all;
}

/* -- the run ----------------------------------------------------------------------------------- */

void litmus_run(const struct litmus_code *code, long (*memory)[LITMUS_WORDS], uint32_t which) {
  words = memory;
  cell = which;
  n_sources = 0;
  for (uint32_t i = 0; i < code->n; i++) code->at[i].run(&code->at[i]);
}

void litmus_contexts(void) {
  contexts[0] = SHMEM_CTX_DEFAULT;
  for (int i = 1; i < LITMUS_CONTEXTS; i++)
    if (shmem_ctx_create(0, &contexts[i]) != 0) {
      fprintf(stderr, "litmus: no context\n");
      shmem_global_exit(2);
    }
  has_contexts = true;
}

void litmus_contexts_end(void) {
  for (int i = 1; has_contexts && i < LITMUS_CONTEXTS; i++) shmem_ctx_destroy(contexts[i]);
  has_contexts = false;
}

void litmus_quiet(void) {
  shmem_quiet();
  for (int i = 1; has_contexts && i < LITMUS_CONTEXTS; i++) shmem_ctx_quiet(contexts[i]);
}
