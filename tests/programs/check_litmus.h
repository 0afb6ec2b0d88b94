/* SPDX-License-Identifier: BSD-3-Clause */
/* check_litmus.h - litmus tests as tables: a few lines of code per unit, and the outcomes that each
 * memory model allows. For check_litmus.c and the litmus_*.c files.
 *
 * Why it exists: the contract's sentences (fabric.h, docs/memory-model.md) and the engine of
 * eyotcheck are two statements of one model. Each litmus test is a third one, made by hand:
 * exhaustive exploration must reach every outcome listed, and no other. */
#ifndef EYOT_CHECK_LITMUS_H
#define EYOT_CHECK_LITMUS_H

#include <eyot/eyot.h>
#include <stdbool.h>
#include <stdint.h>

#define LITMUS_UNITS 4u
#define LITMUS_STATEMENTS 12u /* of one unit */
#define LITMUS_REGISTERS 4u
#define LITMUS_SETS 3u /* 0: the default set */

enum litmus_model { LITMUS_STRICT = 0, LITMUS_RDMA, LITMUS_TSO, LITMUS_MODELS };

/* Code: statements between semicolons, each a verb and its arguments (litmus_parse.c lists them). A
 * location is a variable and a unit, x@1. Variables are words of 8 bytes, all 0 at first: x y are
 * neighbors in memory, z w too; f g h are for signals. show: the parts of an outcome: registers of
 * units (1:r0) and final values (x@1). An outcome is written as their digits in that order. */
struct litmus {
  const char *name;
  const char *why;   /* the rule that allows or forbids the outcomes */
  uint32_t per_node; /* units of a node; 0: all on one node */
  bool data;         /* the variables are static data of the program (eyot/data.h) */
  bool long_search;  /* without reduction there are too many interleavings to try them all */
  const char *code[LITMUS_UNITS];
  const char *show;
  /* Allowed outcomes, the others are forbidden; NULL: as in the previous model. */
  const char *strict, *rdma, *tso;
};

/* Each ends with an entry without name. */
extern const struct litmus litmus_messages[], litmus_stores[], litmus_order[], litmus_atomics[],
    litmus_words[], litmus_cpu[], litmus_flags[], litmus_sets[], litmus_plain[];

enum litmus_verb {
  LV_PUT,
  LV_NBI,
  LV_NB,
  LV_PUT2,
  LV_NBI2,
  LV_PUT4,
  LV_PUTH,
  LV_PUTFROM,
  LV_PUTR,
  LV_PUTL,
  LV_PUTLFROM,
  LV_GET,
  LV_GETNBI,
  LV_GET2,
  LV_GET2NBI,
  LV_GETTO,
  LV_WAIT,
  LV_WAITL,
  LV_SIG,
  LV_SIGNBI,
  LV_SIGADD,
  LV_PSIG,
  LV_PSIGL,
  LV_PSIG2,
  LV_ADD,
  LV_ADDNBI,
  LV_SWAP,
  LV_CAS,
  LV_READ,
  LV_UNTIL,
  LV_UNTILEQ,
  LV_LOOK,
  LV_ANY,
  LV_UNTIL4,
  LV_UNTILH,
  LV_UNTILH4,
  LV_SOME,
  LV_ALL,
  LV_ORDER,
  LV_ORDERALL,
  LV_FLUSH,
  LV_FLUSHL,
  LV_FLUSHALL,
  LV_SYNC,
  LV_SNBI,
  LV_SGETNBI,
  LV_SSIGNBI,
  LV_SADDNBI,
  LV_SFLUSH,
  LV_SFLUSHL,
  LV_SFLUSHALL,
  LV_SORDER,
  LV_SORDERALL,
  LV_LD,
  LV_ST,
  LV_CADD,
  LV_CSWAP,
  LV_CCAS,
  LV_FENCE,
  LV_POLL,
  LV_POLL4,
  LV_PLD,
  LV_PST
};

struct litmus_place {
  uint32_t unit, word; /* words from the beginning of the unit's part */
};

struct litmus_statement {
  enum litmus_verb verb;
  uint32_t n_regs, n_places, n_values;
  uint32_t reg[2], unit, set;
  struct litmus_place place[2];
  uint64_t value[2];
};

struct litmus_code {
  uint32_t n;
  struct litmus_statement at[LITMUS_STATEMENTS];
};

#define LITMUS_WORDS 32u /* of a unit's part */

/* litmus_parse.c. Ends the program with a message if the table is wrong. */
void litmus_parse(const struct litmus *t, uint32_t unit, struct litmus_code *out);
uint32_t litmus_units(const struct litmus *t);
struct litmus_place litmus_parse_place(const char *text);
const char *litmus_allowed(const struct litmus *t, enum litmus_model model);

/* litmus_run.c. Runs the code of one unit on the symmetric memory from part[] on; reg receives the
 * values that it read. direct[u]: the address of unit u's part. */
struct litmus_unit {
  eyot_gptr_t part;
  uint64_t *direct[LITMUS_UNITS];
  uint64_t reg[LITMUS_REGISTERS];
  uint64_t source[LITMUS_STATEMENTS][2];
  eyot_handle_t handle;
  eyot_set_t set[LITMUS_SETS];
};
void litmus_run(struct litmus_unit *u, const struct litmus_code *code);
void litmus_must(int code, const char *what);
#endif
