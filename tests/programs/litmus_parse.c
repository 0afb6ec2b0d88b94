/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_parse.c - parses the code of litmus tests (check_litmus.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/check_litmus.h"

#define CODE_BYTES 400u

/* Arguments: r register, l location, v value, u unit, s operation set. */
static const struct verb {
  const char *name, *arguments;
} VERBS[] = {
    [LV_PUT] = {"put", "lv"},    /* blocking */
    [LV_NBI] = {"nbi", "lv"},    /* put, completed by flush */
    [LV_NB] = {"nb", "lv"},      /* put, completed by wait */
    [LV_PUT2] = {"put2", "lvv"}, /* two words in one put */
    [LV_NBI2] = {"nbi2", "lvv"},
    [LV_PUT4] = {"put4", "lv"}, /* blocking, 4 bytes: the lower half, the upper half */
    [LV_PUTH] = {"puth", "lv"},
    /* nbi; the source is the second location, which is the unit's own */
    [LV_PUTFROM] = {"putfrom", "ll"},
    [LV_PUTR] = {"putr", "lr"}, /* blocking, of what a register holds */
    [LV_PUTL] = {"putl", "lv"}, /* until local completion */
    [LV_PUTLFROM] = {"putlfrom", "ll"},
    [LV_GET] = {"get", "rl"},
    [LV_GETNBI] = {"getnbi", "rl"},
    [LV_GET2] = {"get2", "rrl"},
    [LV_GET2NBI] = {"get2nbi", "rrl"},
    [LV_GETTO] = {"getto", "ll"}, /* nbi, into the first location, which is the unit's own */
    [LV_WAIT] = {"wait", ""},     /* for the last nb, remotely */
    [LV_WAITL] = {"waitl", ""},   /* locally */
    [LV_SIG] = {"sig", "lv"},     /* blocking, sets */
    [LV_SIGNBI] = {"signbi", "lv"},
    [LV_SIGADD] = {"sigadd", "lv"}, /* nbi */
    [LV_PSIG] = {"psig", "lvlv"},   /* nbi: bytes, then the signal */
    [LV_PSIGL] = {"psigl", "lvlv"}, /* the same until local completion */
    [LV_PSIG2] = {"psig2", "lvvl"},
    [LV_ADD] = {"add", "rlv"}, /* atomics of the network, blocking */
    [LV_ADDNBI] = {"addnbi", "lv"},
    [LV_SWAP] = {"swap", "rlv"},
    [LV_CAS] = {"cas", "rlvv"},
    [LV_READ] = {"read", "rl"},
    [LV_UNTIL] = {"until", "lv"}, /* waits until at least */
    [LV_UNTILEQ] = {"untileq", "lv"},
    [LV_LOOK] = {"look", "rlv"},      /* once */
    [LV_ANY] = {"any", "rll"},        /* until one is at least 1: which */
    [LV_UNTIL4] = {"until4", "lv"},   /* the lower half, signed */
    [LV_UNTILH] = {"untilh", "lv"},   /* the word, by its upper half */
    [LV_UNTILH4] = {"untilh4", "lv"}, /* the upper half, signed */
    [LV_SOME] = {"some", "rll"},      /* until one is at least 1: which, 1 and 2 */
    [LV_ALL] = {"all", "ll"},
    [LV_ORDER] = {"order", "u"},
    [LV_ORDERALL] = {"orderall", ""},
    [LV_FLUSH] = {"flush", "u"},
    [LV_FLUSHL] = {"flushl", "u"},
    [LV_FLUSHALL] = {"flushall", ""},
    [LV_SYNC] = {"sync", ""},
    [LV_SNBI] = {"snbi", "slv"}, /* of a set */
    [LV_SGETNBI] = {"sgetnbi", "srl"},
    [LV_SSIGNBI] = {"ssignbi", "slv"},
    [LV_SADDNBI] = {"saddnbi", "slv"},
    [LV_SFLUSH] = {"sflush", "su"},
    [LV_SFLUSHL] = {"sflushl", "su"},
    [LV_SFLUSHALL] = {"sflushall", "s"},
    [LV_SORDER] = {"sorder", "su"},
    [LV_SORDERALL] = {"sorderall", "s"},
    [LV_LD] = {"ld", "rl"}, /* by the CPU, from here on */
    [LV_ST] = {"st", "lv"},
    [LV_CADD] = {"cadd", "rlv"},
    [LV_CSWAP] = {"cswap", "rlv"},
    [LV_CCAS] = {"ccas", "rlvv"},
    [LV_FENCE] = {"fence", ""},
    [LV_POLL] = {"poll", "lv"},   /* plain loads of an own word, until at least */
    [LV_POLL4] = {"poll4", "lv"}, /* of its lower half */
    [LV_PLD] = {"pld", "rl"},     /* a plain load, a plain store of an own word */
    [LV_PST] = {"pst", "lv"},
};

__attribute__((noreturn)) static void wrong(const char *what, const char *text) {
  fprintf(stderr, "litmus: %s: '%s'\n", what, text);
  exit(2);
}

struct litmus_place litmus_parse_place(const char *text) {
  static const char NAMES[] = "xyzwfgh";
  static const uint32_t WORDS[] = {0, 1, 8, 9, 16, 17, 18};
  const char *name = text[0] != '\0' ? strchr(NAMES, text[0]) : NULL;
  if (name == NULL || text[1] != '@' || text[2] < '0' || text[2] >= '0' + (int)LITMUS_UNITS)
    wrong("no location", text);
  return (struct litmus_place){(uint32_t)(text[2] - '0'), WORDS[name - NAMES]};
}

static void argument(struct litmus_statement *s, char kind, const char *text) {
  if (text == NULL) wrong("too few arguments", VERBS[s->verb].name);
  if (kind == 'l') {
    s->place[s->n_places++] = litmus_parse_place(text);
  } else if (kind == 'r') {
    if (text[0] != 'r' || text[1] < '0' || text[1] >= '0' + (int)LITMUS_REGISTERS)
      wrong("no register", text);
    s->reg[s->n_regs++] = (uint32_t)(text[1] - '0');
  } else {
    if (text[0] < '0' || text[0] > '9') wrong("no number", text);
    uint64_t v = strtoull(text, NULL, 10);
    if (kind == 'u') s->unit = (uint32_t)v;
    if (kind == 's' && v >= LITMUS_SETS) wrong("no set", text);
    if (kind == 's') s->set = (uint32_t)v;
    if (kind == 'v') s->value[s->n_values++] = v;
  }
}

static struct litmus_statement statement(char *text) {
  struct litmus_statement s = {0};
  char *rest, *word = strtok_r(text, " ", &rest);
  if (word == NULL) wrong("an empty statement", text);
  size_t i = 0;
  while (i < sizeof VERBS / sizeof *VERBS && strcmp(VERBS[i].name, word) != 0) i++;
  if (i == sizeof VERBS / sizeof *VERBS) wrong("no verb", word);
  s.verb = (enum litmus_verb)i;
  for (const char *a = VERBS[i].arguments; *a != '\0'; a++)
    argument(&s, *a, strtok_r(NULL, " ", &rest));
  if (strtok_r(NULL, " ", &rest) != NULL) wrong("too many arguments", VERBS[i].name);
  return s;
}

void litmus_parse(const struct litmus *t, uint32_t unit, struct litmus_code *out) {
  char text[CODE_BYTES], *rest;
  *out = (struct litmus_code){0};
  snprintf(text, sizeof text, "%s", t->code[unit]);
  for (char *one = strtok_r(text, ";", &rest); one != NULL; one = strtok_r(NULL, ";", &rest)) {
    if (out->n == LITMUS_STATEMENTS) wrong("too many statements", t->code[unit]);
    out->at[out->n++] = statement(one);
  }
}

uint32_t litmus_units(const struct litmus *t) {
  uint32_t n = 0;
  while (n < LITMUS_UNITS && t->code[n] != NULL) n++;
  return n;
}

const char *litmus_allowed(const struct litmus *t, enum litmus_model model) {
  if (model == LITMUS_TSO && t->tso != NULL) return t->tso;
  if (model >= LITMUS_RDMA && t->rdma != NULL) return t->rdma;
  return t->strict;
}
