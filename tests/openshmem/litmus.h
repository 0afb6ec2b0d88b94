/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus.h - litmus tests of OpenSHMEM as tables: a few shmem_ calls per PE. litmus.tsv beside this
 * file says what the text of OpenSHMEM 1.5 and eyot's models say of each outcome, and
 * docs/openshmem-litmus.md is made of both.
 *
 * Why they exist: tests/programs/litmus_*.c check eyot's own contract; these check that the
 * interface gives an OpenSHMEM program what the specification promises, and they run unchanged on
 * any other OpenSHMEM, which need not have eyot/check.h. */
#ifndef TESTS_OPENSHMEM_LITMUS_H
#define TESTS_OPENSHMEM_LITMUS_H

#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>

#define LITMUS_PES 4
#define LITMUS_STATEMENTS 8
#define LITMUS_REGISTERS 4
#define LITMUS_CONTEXTS 2 /* 0: the default one */
#define LITMUS_WORDS 16
#define LITMUS_CELLS 64 /* copies of a test that are run one after the other, without a barrier */

/* Functions that OpenSHMEM 1.4 has not. */
#if defined(SHMEM_MAJOR_VERSION) && SHMEM_MAJOR_VERSION * 100 + SHMEM_MINOR_VERSION >= 105
#define LITMUS_1_5 1
#else
#define LITMUS_1_5 0
#endif

/* Code: statements between semicolons, each a verb and its arguments (litmus_run.c has the verbs):
 * registers r0 to r3; words x y z w f g h and the lock l, at a PE (x@1) or, without one, at the
 * caller; the context c1; values. All words are 0 at first. x and y are neighbors in memory, and so
 * are f, g and h. show: the parts of an outcome: registers of PEs (1:r0) and final values (x@1). An
 * outcome is written as their digits in that order. */
struct litmus {
  const char *name;
  const char *code[LITMUS_PES]; /* as many PEs as there are codes */
  const char *show;
  bool data; /* the words are static objects of the program, not of the symmetric heap */
};
extern const struct litmus litmus_tests[]; /* ends with an entry without name */

struct litmus_place {
  int pe; /* -1: the caller */
  uint32_t word;
};

struct litmus_statement;
typedef void litmus_verb_t(const struct litmus_statement *s);

struct litmus_statement {
  litmus_verb_t *run;
  uint32_t reg[2], ctx;
  struct litmus_place place[2];
  long value[2];
};

struct litmus_code {
  uint32_t n;
  struct litmus_statement at[LITMUS_STATEMENTS];
};

/* litmus_run.c. Each ends the program with a message if the table is wrong. */
uint32_t litmus_pes(const struct litmus *t);
struct litmus_place litmus_parse_place(const char *text);
/* Returns whether this OpenSHMEM has all the functions. *contexts: whether contexts are used. */
bool litmus_parse(const char *code, struct litmus_code *out, bool *contexts);

/* The memory of copy `cell`: its words at each PE, and the caller's registers. Private state of
 * litmus_run.c: which copy is run, and the sources of its puts. */
extern long litmus_reg[LITMUS_CELLS][LITMUS_REGISTERS];
void litmus_run(const struct litmus_code *code, long (*words)[LITMUS_WORDS], uint32_t cell);
void litmus_contexts(void);     /* creates them */
void litmus_contexts_end(void); /* destroys them */
void litmus_quiet(void);        /* on each context */

/* Direct stores and loads of own symmetric memory, and what eyotcheck is told. Without eyot: plain
 * ones of the processor, and nothing. */
#if defined __has_include
#if __has_include(<eyot/check.h>)
#include <eyot/check.h>
#define LITMUS_EYOT 1
#endif
#endif
#ifdef LITMUS_EYOT
static inline void litmus_store(long *p, long value) {
  eyot_cpu_store((uint64_t *)(void *)p, (uint64_t)value);
}
static inline long litmus_load(const long *p) {
  return (long)eyot_cpu_load((const uint64_t *)(const void *)p);
}
#else
static inline void litmus_store(long *p, long value) {
  *(volatile long *)p = value;
}
static inline long litmus_load(const long *p) {
  return *(const volatile long *)p;
}
#endif
#endif
