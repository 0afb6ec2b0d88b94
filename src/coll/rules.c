/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c - reads rules: those of EYOT_COLL, and lines of a machine file (choose.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "coll/choose.h"

#define FORM "FUNCTION:FROM-TO:ALGORITHM, as in allreduce:0-4k:multi(k=53)"
enum { WORD_MOST = 32 };

/* Where a rule is from, for messages. */
struct source {
  const char *path; /* NULL: EYOT_COLL */
  uint32_t line;
};

/* Reads up to one of the characters in `ends`, or the end of the text. */
static bool read_word(const char **at, const char *ends, char word[WORD_MOST]) {
  size_t n = strcspn(*at, ends);
  if (n == 0 || n >= WORD_MOST) return false;
  memcpy(word, *at, n);
  word[n] = '\0';
  *at += n;
  return true;
}

bool eyoti_chosen_find(const char *name, enum eyoti_chosen *out) {
  for (unsigned f = 0; f < EYOTI_CHOSEN_COUNT; f++)
    if (strcmp(name, eyoti_chosen_name((enum eyoti_chosen)f)) == 0) {
      *out = (enum eyoti_chosen)f;
      return true;
    }
  return false;
}

static bool find_algorithm(const char *name, enum eyoti_algorithm *out) {
  for (unsigned a = 0; a < EYOTI_ALGORITHM_COUNT; a++)
    if (strcmp(name, eyoti_algorithm_name((enum eyoti_algorithm)a)) == 0) {
      *out = (enum eyoti_algorithm)a;
      return true;
    }
  return false;
}

static bool read_bytes(const char **at, uint64_t *out) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  errno = 0;
  uint64_t value = strtoull(*at, &end, 10), unit = 1;
  if (errno == ERANGE) return false;
  if (*end == 'k' || *end == 'K') unit = 1024, end++;
  if (unit == 1 && (*end == 'm' || *end == 'M')) unit = 1048576, end++;
  *at = end;
  return !__builtin_mul_overflow(value, unit, out);
}

static bool read_range(const char **at, struct eyoti_rule *r) {
  if (!read_bytes(at, &r->from) || **at != '-') return false;
  ++*at;
  r->to = UINT64_MAX;
  if (**at == ':') return true;
  return read_bytes(at, &r->to) && r->from <= r->to;
}

static bool read_radix(const char **at, struct eyoti_rule *r) {
  char *end;
  if (**at != '(') return true;
  if (r->algorithm != EYOTI_MULTI || strncmp(*at, "(k=", 3) != 0) return false;
  uint64_t k = strtoull(*at + 3, &end, 10);
  if (k < 2 || k > 1024 || *end != ')') return false;
  r->radix = (uint32_t)k;
  *at = end + 1;
  return true;
}

static int refuse(const struct source *from, const char *rule, const char *why) {
  int len = (int)strcspn(rule, "#");
  if (from->path == NULL) return EYOTI_FAIL(EYOT_EINVAL, "EYOT_COLL: %s in '%.*s'", why, len, rule);
  return EYOTI_FAIL(EYOT_EINVAL, "%s:%" PRIu32 ": %s in '%.*s'", from->path, from->line, why, len,
                    rule);
}

static int refuse_algorithm(const struct source *from, const char *rule,
                            enum eyoti_chosen function) {
  char why[160] = "no such algorithm of the function; expected";
  for (unsigned a = 0; a < EYOTI_ALGORITHM_COUNT; a++) {
    size_t used = strlen(why);
    if (eyoti_chosen_has(function, (enum eyoti_algorithm)a))
      snprintf(why + used, sizeof why - used, " %s", eyoti_algorithm_name((enum eyoti_algorithm)a));
  }
  return refuse(from, rule, why);
}

static int refuse_function(const struct source *from, const char *rule) {
  char why[384] = "no such function; expected";
  for (unsigned f = 0; f < EYOTI_CHOSEN_COUNT; f++) {
    size_t used = strlen(why);
    const char *before = f == 0 ? "" : f + 1 < EYOTI_CHOSEN_COUNT ? "," : " or";
    snprintf(why + used, sizeof why - used, "%s %s", before,
             eyoti_chosen_name((enum eyoti_chosen)f));
  }
  return refuse(from, rule, why);
}

static int read_rule(const struct source *from, const char **at, struct eyoti_rule *r) {
  const char *rule = *at;
  char word[WORD_MOST];
  *r = (struct eyoti_rule){0};
  if (!read_word(at, ":#", word) || **at != ':') return refuse(from, rule, "expected " FORM);
  if (!eyoti_chosen_find(word, &r->function)) return refuse_function(from, rule);
  ++*at;
  if (!read_range(at, r) || **at != ':')
    return refuse(from, rule, "expected bytes FROM-TO, as in 0-4k or 64-,");
  if (!eyoti_chosen_knows_lengths(r->function) && (r->from > 0 || r->to < UINT64_MAX))
    return refuse(from, rule, "members do not know all lengths of this function: expected 0-");
  ++*at;
  if (!read_word(at, "(#", word) || !find_algorithm(word, &r->algorithm) ||
      !eyoti_chosen_has(r->function, r->algorithm))
    return refuse_algorithm(from, rule, r->function);
  if (!read_radix(at, r) || (**at != '\0' && **at != '#'))
    return refuse(from, rule,
                  "expected nothing after the algorithm, or (k=2) to (k=1024) after multi,");
  return EYOT_OK;
}

int eyoti_rules_parse(const char *text, struct eyoti_rules *out) {
  const struct source from = {NULL, 0};
  struct eyoti_rules rules = {.n = 0};
  const char *at = text;
  while (*at != '\0') {
    if (rules.n == EYOTI_RULES_MOST) return refuse(&from, at, "more than 32 rules");
    EYOTI_TRY(read_rule(&from, &at, &rules.rule[rules.n++]));
    if (*at != '#') break;
    if (*++at == '\0') return refuse(&from, at, "expected " FORM " after the last '#'");
  }
  rules.given = rules.n;
  *out = rules;
  return EYOT_OK;
}

int eyoti_rules_add(const char *path, uint32_t line, const char *text, struct eyoti_rules *rules) {
  const struct source from = {path, line};
  const char *at = text;
  struct eyoti_rule rule;
  if (rules->n - rules->given == EYOTI_RULES_MOST) return refuse(&from, text, "more than 32 rules");
  EYOTI_TRY(read_rule(&from, &at, &rule));
  rules->rule[rules->n++] = rule;
  return EYOT_OK;
}
