/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_keys.c - the table of the keys that follow a platform's name, and the checks that
 * involve several of them. See platform_keys.h. */
#include "fabric_sim/machine/platform_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/machine_file.h"

#define KEY_TEXT_MAX 32 /* characters of one value; a longer one is malformed */
#define FIELDS_MAX 4u

enum key_type { KEY_COUNT, KEY_GBPS, KEY_NS, KEY_WORD };

/* Machines, by bits of their kinds. */
enum {
  SIM_ON_DRAGONFLY = 1 << SIM_PLAT_DRAGONFLY,
  SIM_ON_TORUS = 1 << SIM_PLAT_TORUS,
  SIM_ON_TREE = 1 << SIM_PLAT_TREE,
  SIM_ON_FILE = 1 << SIM_PLAT_XML,
  SIM_ON_PRESETS = SIM_ON_DRAGONFLY | SIM_ON_TORUS | SIM_ON_TREE,
  SIM_ON_ALL = SIM_ON_PRESETS | SIM_ON_FILE
};

struct plat_key {
  const char *name;
  enum key_type type;
  unsigned machines;
  double min, max;
  bool size;
  uint32_t level; /* of a fat tree; 0: of the machine */
  const char *meaning;
  size_t at[FIELDS_MAX]; /* offsets in struct sim_plat plus 1; 0: no field */
  size_t as;             /* likewise: whose figure it has unless given */
  uint64_t or_ps;        /* or this one; 0: the preset's */
  const char *words;     /* WORDS: separated by spaces */
};

#define AT(field) (offsetof(struct sim_plat, field) + 1)
#define FIELDS(a, b, c, d, ...) \
  { a, b, c, d }
#define AT_1(a) FIELDS(AT(a), 0, 0, 0)
#define AT_2(a, b) FIELDS(AT(a), AT(b), 0, 0)
#define AT_3(a, b, c) FIELDS(AT(a), AT(b), AT(c), 0)
#define AT_4(a, b, c, d) FIELDS(AT(a), AT(b), AT(c), AT(d))
#define CHOOSE(a, b, c, d, macro, ...) macro
#define AT_ALL(...) CHOOSE(__VA_ARGS__, AT_4, AT_3, AT_2, AT_1, )(__VA_ARGS__)

static const struct plat_key KEYS[] = {
#define ROW(key, type_, machines_, min_, max_, meaning_) \
  .name = #key, .type = type_, .machines = machines_, .min = min_, .max = max_, .meaning = meaning_
#define COUNT(key, machines, min, max, meaning, field) \
  {ROW(key, KEY_COUNT, machines, min, max, meaning), .at = AT_1(field)},
#define SIZE(key, machines, min, max, meaning, field) \
  {ROW(key, KEY_COUNT, machines, min, max, meaning), .size = true, .at = AT_1(field)},
#define LEVEL_COUNT(level_, key, min, max, meaning, field) \
  {ROW(key, KEY_COUNT, SIM_ON_TREE, min, max, meaning), .level = level_, .at = AT_1(field)},
#define LEVEL_SIZE(level_, key, min, max, meaning, field)                              \
  {ROW(key, KEY_COUNT, SIM_ON_TREE, min, max, meaning), .size = true, .level = level_, \
   .at = AT_1(field)},
#define LEVEL_RATE(level_, key, meaning, field) \
  {ROW(key, KEY_GBPS, SIM_ON_TREE, 0.001, 100000, meaning), .level = level_, .at = AT_1(field)},
#define LEVEL_TIME(level_, key, meaning, field) \
  {ROW(key, KEY_NS, SIM_ON_TREE, 0, 1000000, meaning), .level = level_, .at = AT_1(field)},
#define WORDS(key, machines, list, meaning, field) \
  {ROW(key, KEY_WORD, machines, 0, 0, meaning), .at = AT_1(field), .words = list},
#define RATE(key, machines, meaning, ...) \
  {ROW(key, KEY_GBPS, machines, 0.001, 100000, meaning), .at = AT_ALL(__VA_ARGS__)},
#define TIME(key, machines, meaning, ...) \
  {ROW(key, KEY_NS, machines, 0, 1000000, meaning), .at = AT_ALL(__VA_ARGS__)},
#define TIME_ONCE(key, machines, meaning, field) \
  {ROW(key, KEY_NS, machines, 0, 1000000000, meaning), .at = AT_1(field)},
#define RATE_AS(key, machines, meaning, field, like) \
  {ROW(key, KEY_GBPS, machines, 0.001, 100000, meaning), .at = AT_1(field), .as = AT(like)},
#define TIME_AS(key, machines, meaning, field, like) \
  {ROW(key, KEY_NS, machines, 0, 1000000, meaning), .at = AT_1(field), .as = AT(like)},
#define TIME_OR(key, machines, meaning, field, ns) \
  {ROW(key, KEY_NS, machines, 0, 1000000, meaning), .at = AT_1(field), .or_ps = SIM_NS(ns)},
#include "fabric_sim/machine/platform_keys.def"
};
#define N_KEYS (sizeof KEYS / sizeof *KEYS)
_Static_assert(N_KEYS <= 64 * SIM_GIVEN_WORDS, "sim_plat.given has a bit for each key");

static bool key_is_given(const struct sim_plat *p, size_t i) {
  return (p->given[i / 64] >> i % 64 & 1) != 0;
}

/* Whether the machine has the figure of the key. */
static bool key_is_of(const struct sim_plat *p, const struct plat_key *k) {
  return (k->machines >> p->kind & 1) != 0 && k->level <= p->levels;
}

static const char *type_text(enum key_type type) {
  return type == KEY_COUNT ? "a whole number" : type == KEY_GBPS ? "GB/s" : "nanoseconds";
}

static const struct plat_key *find_key(const struct sim_plat *p, const char *text, size_t len) {
  for (size_t i = 0; i < N_KEYS; i++)
    if ((KEYS[i].machines >> p->kind & 1) != 0 && strlen(KEYS[i].name) == len &&
        strncmp(KEYS[i].name, text, len) == 0)
      return &KEYS[i];
  return NULL;
}

static int unknown_key(const struct sim_plat *p, const char *text, size_t len) {
  char list[2048] = "";
  size_t used = 0;
  for (size_t i = 0; i < N_KEYS; i++)
    if ((KEYS[i].machines >> p->kind & 1) != 0)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                               KEYS[i].name);
  EYOTI_ASSERT(used < sizeof list);
  return EYOTI_FAIL(EYOT_EINVAL, "%s: unknown key '%.*s'; known are %s", p->name, (int)len, text,
                    list);
}

/* Reads a decimal number and nothing else; an integer if the type requires it. */
static int read_number(const char *text, size_t len, enum key_type type, double *out) {
  char buf[KEY_TEXT_MAX];
  if (len == 0 || len >= sizeof buf ||
      strspn(text, type == KEY_COUNT ? "0123456789" : "0123456789.eE+-") < len)
    return EYOT_EINVAL;
  memcpy(buf, text, len);
  buf[len] = '\0';
  char *end;
  errno = 0;
  double value = strtod(buf, &end);
  if (errno != 0 || *end != '\0') return EYOT_EINVAL;
  *out = value;
  return 0;
}

/* Returns word `number` of a list, and its length; NULL: there is none. */
static const char *nth_word(const char *words, uint32_t number, size_t *len) {
  for (; number > 0 && *words != '\0'; number--) {
    words += strcspn(words, " ");
    words += strspn(words, " ");
  }
  *len = strcspn(words, " ");
  return *len > 0 ? words : NULL;
}

static bool read_word(const char *text, size_t len, const char *words, double *out) {
  const char *word;
  size_t word_len;
  for (uint32_t i = 0; (word = nth_word(words, i, &word_len)) != NULL; i++)
    if (word_len == len && strncmp(word, text, len) == 0) {
      *out = i;
      return true;
    }
  return false;
}

/* Reads a value; logs what is expected. */
static int read_value(const struct sim_plat *p, const struct plat_key *k, const char *value,
                      size_t len, double *out) {
  if (k->type == KEY_WORD) {
    if (read_word(value, len, k->words, out)) return 0;
    return EYOTI_FAIL(EYOT_EINVAL, "%s: %s=%.*s; expected one of: %s", p->name, k->name, (int)len,
                      value, k->words);
  }
  if (read_number(value, len, k->type, out) == 0 && *out >= k->min && *out <= k->max) return 0;
  return EYOTI_FAIL(EYOT_EINVAL, "%s: %s=%.*s; expected %s from %.10g to %.10g", p->name, k->name,
                    (int)len, value, type_text(k->type), k->min, k->max);
}

static void keys_store(struct sim_plat *p, const struct plat_key *k, double value) {
  for (size_t i = 0; i < FIELDS_MAX && k->at[i] != 0; i++) {
    char *field = (char *)p + k->at[i] - 1;
    uint32_t count = (uint32_t)value;
    uint64_t wide =
        k->type == KEY_GBPS ? (uint64_t)(value * 1e9 + 0.5) : (uint64_t)(value * 1000 + 0.5);
    if (k->type == KEY_COUNT || k->type == KEY_WORD)
      memcpy(field, &count, sizeof count);
    else
      memcpy(field, &wide, sizeof wide);
  }
  size_t i = (size_t)(k - KEYS);
  p->given[i / 64] |= (uint64_t)1 << i % 64;
  p->fixed |= k->size;
}

static double value_of(const struct sim_plat *p, const struct plat_key *k) {
  const char *field = (const char *)p + k->at[0] - 1;
  uint32_t count;
  uint64_t wide;
  memcpy(&count, field, sizeof count);
  memcpy(&wide, field, sizeof wide);
  return k->type == KEY_COUNT || k->type == KEY_WORD
             ? count
             : (double)wide / (k->type == KEY_GBPS ? 1e9 : 1000);
}

/* The lines of a machine file, for messages. */
struct keys_lines {
  const char *path;
  const struct eyoti_machine *m;
};

static uint32_t line_of(const struct keys_lines *from, const char *key) {
  const struct eyoti_machine_entry *e = eyoti_machine_find(from->m, "platform", key);
  return e != NULL ? e->line : 0;
}

/* Refuses what `key` has to do with: of a platform, or (from) of a machine file. */
#define KEYS_FAIL(p, from, key, fmt, ...)                                                      \
  ((from) != NULL                                                                              \
       ? EYOTI_FAIL(EYOT_EINVAL, "%s:%u: " fmt, (from)->path, line_of(from, key), __VA_ARGS__) \
       : EYOTI_FAIL(EYOT_EINVAL, "%s: " fmt, (p)->name, __VA_ARGS__))

/* The keys of a fat tree are those of its levels. */
static int check_levels(const struct sim_plat *p, const struct keys_lines *from) {
  for (size_t i = 0; i < N_KEYS; i++) {
    if (KEYS[i].level == 0) continue;
    if (KEYS[i].level > p->levels && key_is_given(p, i))
      return KEYS_FAIL(p, from, KEYS[i].name, "%s with levels=%u; expected keys of levels 1 to %u",
                       KEYS[i].name, p->levels, p->levels);
    if (KEYS[i].level <= p->levels && KEYS[i].type != KEY_NS && value_of(p, &KEYS[i]) <= 0)
      return KEYS_FAIL(p, from, "levels", "levels=%u without %s; expected it too", p->levels,
                       KEYS[i].name);
  }
  return 0;
}

/* Checks the keys that depend on each other. from NULL: they were given after a platform's name. */
static int keys_check_whole(const struct sim_plat *p, const struct keys_lines *from) {
  if (p->kind == SIM_PLAT_TREE) EYOTI_TRY(check_levels(p, from));
  uint32_t routers = p->chassis * p->blades;
  /* hosts of a file have cores of their own */
  if (p->kind != SIM_PLAT_XML && p->cores % p->numa != 0)
    return KEYS_FAIL(p, from, "numa",
                     "numa=%u does not divide cores=%u; expected NUMA domains of as many cores "
                     "each, as with numa=1",
                     p->numa, p->cores);
  if (p->blue > routers)
    return KEYS_FAIL(p, from, "links",
                     "links=%u between two groups; expected at most one a router, "
                     "chassis * blades = %u",
                     p->blue, routers);
  if (p->groups > 1 &&
      (uint64_t)(p->groups - 1) * (p->blue != 0 ? p->blue : 1) > (uint64_t)routers * p->ports)
    return KEYS_FAIL(p, from, "groups",
                     "groups=%u with links=%u need %" PRIu64
                     " blue ports a group; chassis * blades * ports = %" PRIu64,
                     p->groups, p->blue, (uint64_t)(p->groups - 1) * (p->blue != 0 ? p->blue : 1),
                     (uint64_t)routers * p->ports);
  return 0;
}

int sim_plat_keys(const char *text, struct sim_plat *p) {
  if (*text == '\0')
    return EYOTI_FAIL(EYOT_EINVAL, "%s: expected key=value after the colon", p->name);
  while (*text != '\0') {
    size_t len = strcspn(text, ","), key_len = strcspn(text, "=,");
    const struct plat_key *k = find_key(p, text, key_len);
    if (k == NULL) return unknown_key(p, text, key_len);
    if (text[key_len] != '=')
      return EYOTI_FAIL(EYOT_EINVAL, "%s: %s has no value; expected %s=VALUE", p->name, k->name,
                        k->name);
    if (key_is_given(p, (size_t)(k - KEYS)))
      return EYOTI_FAIL(EYOT_EINVAL, "%s: %s is given twice; expected once", p->name, k->name);
    const char *value = text + key_len + 1;
    double number;
    EYOTI_TRY(read_value(p, k, value, len - key_len - 1, &number));
    keys_store(p, k, number);
    text += len;
    if (*text == ',' && *++text == '\0')
      return EYOTI_FAIL(EYOT_EINVAL, "%s: key=value expected after the last comma", p->name);
  }
  return p->kind == SIM_PLAT_XML ? 0 : keys_check_whole(p, NULL);
}

/* -- from a machine file ----------------------------------------------------------------------- */

/* Returns how many of the key's units a unit is: 0, it is not one. */
static double unit_factor(enum key_type type, const char *unit) {
  static const struct {
    const char *name;
    enum key_type type;
    double factor;
  } UNITS[] = {{"", KEY_COUNT, 1},
               {"GB/s", KEY_GBPS, 1},
               {"MB/s", KEY_GBPS, 1e-3},
               {"ns", KEY_NS, 1},
               {"us", KEY_NS, 1e3}};
  for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
    if (UNITS[i].type == type && strcmp(UNITS[i].name, unit) == 0) return UNITS[i].factor;
  return 0;
}

int sim_plat_key(const char *path, uint32_t line, const char *key, const char *value,
                 const char *unit, struct sim_plat *p) {
  static const char *const UNITS[] = {"no unit", "GB/s or MB/s", "ns or us"};
  const struct plat_key *k = find_key(p, key, strlen(key));
  if (k == NULL || k->at[1] != 0)
    return EYOTI_FAIL(
        EYOT_EINVAL, "%s:%u: unknown key '%s'; eyot-info --platform %s prints those that there are",
        path, line, key, p->name);
  if (k->type == KEY_WORD)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s:%u: %s is no figure; give it after the file's name: %s:%s=%s", path, line,
                      key, path, key, value);
  double factor = unit_factor(k->type, unit), number;
  if (factor == 0)
    return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: %s has unit '%s'; expected %s", path, line, key, unit,
                      UNITS[k->type]);
  if (read_number(value, strlen(value), k->type, &number) != 0 ||
      !(number * factor >= k->min && number * factor <= k->max))
    return EYOTI_FAIL(EYOT_EINVAL, "%s:%u: %s = %s%s%s; expected %s from %.10g to %.10g", path,
                      line, key, value, *unit != '\0' ? " " : "", unit, type_text(k->type), k->min,
                      k->max);
  keys_store(p, k, number * factor);
  return 0;
}

int sim_plat_complete(const char *path, const struct eyoti_machine *m, struct sim_plat *p) {
  const struct keys_lines from = {path, m};
  char list[2048] = "";
  size_t used = 0;
  for (size_t i = 0; i < N_KEYS; i++)
    if (key_is_of(p, &KEYS[i]) && KEYS[i].at[1] == 0 && KEYS[i].type != KEY_WORD &&
        !key_is_given(p, i))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                               KEYS[i].name);
  EYOTI_ASSERT(used < sizeof list);
  if (used > 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s: no value for %s; expected every figure of the machine (eyot-calibrate "
                      "writes them all)",
                      path, list);
  EYOTI_TRY(keys_check_whole(p, &from));
  memset(p->given, 0, sizeof p->given);
  return 0;
}

void sim_plat_resolve(struct sim_plat *p) {
  for (size_t i = 0; i < N_KEYS; i++) {
    if (key_is_given(p, i) || (KEYS[i].as == 0 && KEYS[i].or_ps == 0)) continue;
    if (value_of(p, &KEYS[i]) > 0) continue; /* the preset has one */
    uint64_t wide = KEYS[i].or_ps;
    if (KEYS[i].as != 0) memcpy(&wide, (const char *)p + KEYS[i].as - 1, sizeof wide);
    memcpy((char *)p + KEYS[i].at[0] - 1, &wide, sizeof wide);
  }
}

/* -- the list ---------------------------------------------------------------------------------- */

uint32_t sim_plat_rows(void) {
  return (uint32_t)N_KEYS;
}

static bool is_word_of(const char *word, const char *words) {
  size_t len = strlen(word);
  for (const char *at = words; (at = strstr(at, word)) != NULL; at += len)
    if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0')) return true;
  return false;
}

static const char *source_of(const struct sim_plat *p, const char *key) {
  for (const struct sim_source *s = p->sources; s != NULL && s->keys != NULL; s++)
    if (is_word_of(key, s->keys)) return s->text;
  return p->measured ? "the machine file says how it was measured" : NULL;
}

/* Whether the user has set the field of key i, by this key or by a short form of several fields. */
static bool is_given(const struct sim_plat *p, uint32_t i) {
  for (uint32_t k = 0; k < N_KEYS; k++)
    for (uint32_t f = 0; f < FIELDS_MAX; f++)
      if (key_is_given(p, k) && KEYS[k].at[f] == KEYS[i].at[0]) return true;
  return false;
}

bool sim_plat_figure(const struct sim_plat *p, uint32_t i, struct sim_figure *out) {
  const struct plat_key *k = &KEYS[i];
  if (!key_is_of(p, k) || k->at[1] != 0) return false;
  double value = value_of(p, k);
  *out = (struct sim_figure){
      .key = k->name,
      .unit = k->type == KEY_COUNT  ? ""
              : k->type == KEY_WORD ? ""
              : k->type == KEY_GBPS ? "GB/s"
                                    : "ns",
      .meaning = k->meaning,
      .source = source_of(p, k->name),
      .value = value,
      .given = is_given(p, i),
      .no_limit = k->type == KEY_GBPS && value == 0,
  };
  size_t len;
  const char *word = k->type == KEY_WORD ? nth_word(k->words, (uint32_t)value, &len) : NULL;
  if (word != NULL && len < sizeof out->word) memcpy(out->word, word, len);
  return true;
}

bool sim_plat_has_given(const struct sim_plat *p, const char *key) {
  struct sim_figure f;
  for (uint32_t i = 0; i < N_KEYS; i++)
    if (sim_plat_figure(p, i, &f) && f.given && strcmp(f.key, key) == 0) return true;
  return false;
}
