/* SPDX-License-Identifier: BSD-3-Clause */
/* conf.c - see conf.h. The only getenv and setenv of the library. */
#include "base/conf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf_text.h"

#define PREFIX "EYOT_"
#define EXPECTED_BYTES 160
#define NAMES_BYTES 512 /* of the options in one warning */

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define UNITS_MAX (UINT64_C(1) << 24)
#define DAY_NS (UINT64_C(86400) * 1000 * 1000 * 1000)

/* A row's values, as members of its entry. The words of choices are joined by bars: "|a|b"; the
 * first bar is left out. */
#define RANGE(least, most) .min = least, .max = most
#define LETTER(letter) , .short_flag = letter
#define SWITCH .max = 1
#define TEXT .choices = NULL
#define WORD(name, word) "|" word
#define CHOICES(tag, words) .choices = &(words)[1]
#define RANGE_OR(tag, last, most, words) .max = most, .choices = &(words)[1]

static const struct eyoti_conf_entry TABLE[EYOTI_CONF_COUNT] = {
#define OPTION(key, variable, option, kind, value, values, which, heading, text) \
  [EYOTI_CONF_##key] = {.env = variable,                                         \
                        .flag = option,                                          \
                        .type = EYOTI_CONF_##kind,                               \
                        .def = value,                                            \
                        .fabric = EYOTI_CONF_FOR_##which,                        \
                        .group = EYOTI_CONF_IN_##heading,                        \
                        .help = text,                                            \
                        values},
#include "base/options.def"
};

/* Variables of the tools and of the search for fabrics: known, but no options of a run. */
static const char *const COMPANIONS[] = {"EYOT_FABRIC_DIR", "EYOT_MPIEXEC",    "EYOT_CC",
                                         "EYOT_CXX",        "EYOT_FC",         "EYOT_BUILD_DIR",
                                         "EYOT_UPC2C",      "EYOT_UPC2C_FLAGS"};

const struct eyoti_conf_entry *eyoti_conf_entry(enum eyoti_conf key) {
  EYOTI_ASSERT((uint32_t)key < EYOTI_CONF_COUNT);
  return &TABLE[key];
}

const char *eyoti_conf_foreign_env(const char *name) {
  return getenv(name);
}

int eyoti_conf_foreign_set(const char *name, const char *value) {
  if (setenv(name, value, 1) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot set %s: the environment cannot grow", name);
  return EYOT_OK;
}

int eyoti_conf_foreign_default(const char *name, const char *value) {
  if (setenv(name, value, 0) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot set %s: the environment cannot grow", name);
  return EYOT_OK;
}

static bool in_range(const struct eyoti_conf_entry *e, uint64_t v) {
  return v >= e->min && v <= e->max;
}

static bool conf_parse(const struct eyoti_conf_entry *e, const char *text, uint64_t *value) {
  uint64_t v = 0;
  bool ok = true;
  switch (e->type) {
    case EYOTI_CONF_U64:
      if (e->choices != NULL && eyoti_text_choice(e->choices, text, &v))
        v += e->max + 1;
      else
        ok = eyoti_text_u64(text, &v) && in_range(e, v);
      break;
    case EYOTI_CONF_BYTES:
      ok = eyoti_text_bytes(text, &v) && in_range(e, v);
      break;
    case EYOTI_CONF_TIME_NS:
      ok = eyoti_text_time_ns(text, &v) && in_range(e, v);
      break;
    case EYOTI_CONF_SECONDS:
      ok = (eyoti_text_time_ns(text, &v) || eyoti_text_seconds_ns(text, &v)) && in_range(e, v);
      break;
    case EYOTI_CONF_BOOL:
      ok = eyoti_text_bool(text, &v);
      break;
    case EYOTI_CONF_ENUM:
      ok = eyoti_text_choice(e->choices, text, &v);
      break;
    case EYOTI_CONF_STRING:
      break;
  }
  if (ok) *value = v;
  return ok;
}

/* What the option accepts, for a message. */
static void conf_describe(const struct eyoti_conf_entry *e, char *out, size_t size) {
  switch (e->type) {
    case EYOTI_CONF_U64:
      snprintf(out, size, "a whole number from %" PRIu64 " to %" PRIu64 "%s%s", e->min, e->max,
               e->choices != NULL ? ", or " : "", e->choices != NULL ? e->choices : "");
      break;
    case EYOTI_CONF_BYTES:
      snprintf(out, size,
               "bytes from %" PRIu64 " to %" PRIu64
               ", with or without a suffix K, M or G, as in %s",
               e->min, e->max, e->def);
      break;
    case EYOTI_CONF_TIME_NS:
      snprintf(out, size, "0 or a time with its unit ns, us, ms or s, as in %s, of at most a day",
               e->def);
      break;
    case EYOTI_CONF_SECONDS:
      snprintf(out, size,
               "a number of seconds, or a time with its unit ns, us, ms or s, of at most a day");
      break;
    case EYOTI_CONF_BOOL:
      snprintf(out, size, "on or off (1, 0, true, false, yes, no)");
      break;
    case EYOTI_CONF_ENUM:
      snprintf(out, size, "one of %s", e->choices);
      break;
    case EYOTI_CONF_STRING:
      snprintf(out, size, "text");
      break;
  }
}

static int conf_refuse(const char *function, const struct eyoti_conf_entry *e, const char *text) {
  char expected[EXPECTED_BYTES];
  conf_describe(e, expected, sizeof expected);
  char letter[8] = "";
  if (e->short_flag != 0) snprintf(letter, sizeof letter, "-%c, ", e->short_flag);
  eyoti_log(EYOTI_LOG_ERROR, function, EYOT_EINVAL, "%s (eyotrun %s--%s) is '%s'; expected %s",
            e->env, letter, e->flag, text, expected);
  return EYOT_EINVAL;
}

/* An empty variable counts as not set. */
bool eyoti_conf_is_set(enum eyoti_conf key) {
  const char *text = getenv(eyoti_conf_entry(key)->env);
  return text != NULL && *text != '\0';
}

static const char *text_now(const struct eyoti_conf_entry *e) {
  const char *text = getenv(e->env);
  return text != NULL && *text != '\0' ? text : e->def;
}

int eyoti_conf_u64_quiet(enum eyoti_conf key, uint64_t *value) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  EYOTI_ASSERT(e->type != EYOTI_CONF_STRING);
  return conf_parse(e, text_now(e), value) ? EYOT_OK : EYOT_EINVAL;
}

int eyoti_conf_u64(enum eyoti_conf key, uint64_t *value) {
  if (eyoti_conf_u64_quiet(key, value) == 0) return EYOT_OK;
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  return conf_refuse(__func__, e, text_now(e));
}

int eyoti_conf_string(enum eyoti_conf key, const char **value) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  const char *text = text_now(e);
  uint64_t ignored;
  if (!conf_parse(e, text, &ignored)) return conf_refuse(__func__, e, text);
  *value = text;
  return EYOT_OK;
}

int eyoti_conf_set(enum eyoti_conf key, const char *text) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  uint64_t ignored;
  if (text == NULL || !conf_parse(e, text, &ignored))
    return conf_refuse(__func__, e, text != NULL ? text : "");
  if (setenv(e->env, text, 1) != 0)
    return EYOTI_FAIL(EYOT_ENOMEM, "cannot set %s: the environment cannot grow", e->env);
  return EYOT_OK;
}

const struct eyoti_conf_entry *eyoti_conf_by_flag(const char *flag, enum eyoti_conf *key) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    if (strcmp(TABLE[k].flag, flag) != 0) continue;
    *key = (enum eyoti_conf)k;
    return &TABLE[k];
  }
  return NULL;
}

const char *eyoti_conf_nearest_flag(const char *flag) {
  const char *best = NULL;
  uint32_t least = UINT32_MAX;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    uint32_t d = eyoti_text_distance(flag, TABLE[k].flag);
    if (d < least) best = TABLE[k].flag, least = d;
  }
  EYOTI_ASSERT(best != NULL);
  return best;
}

const char *eyoti_conf_nearest_env(const char *env) {
  const char *best = TABLE[0].env;
  uint32_t least = eyoti_text_distance(env, best);
  for (uint32_t k = 1; k < EYOTI_CONF_COUNT; k++) {
    uint32_t d = eyoti_text_distance(env, TABLE[k].env);
    if (d < least) best = TABLE[k].env, least = d;
  }
  return best;
}

static bool is_known(const char *name) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++)
    if (strcmp(TABLE[k].env, name) == 0) return true;
  for (size_t i = 0; i < sizeof COMPANIONS / sizeof COMPANIONS[0]; i++)
    if (strcmp(COMPANIONS[i], name) == 0) return true;
  return false;
}

bool eyoti_conf_is_for(enum eyoti_conf key, enum eyoti_conf_fabric fabric) {
  enum eyoti_conf_fabric reads = eyoti_conf_entry(key)->fabric;
  return reads == EYOTI_CONF_FOR_ALL || reads == fabric;
}

void eyoti_conf_warn_fabric(enum eyoti_conf_fabric fabric) {
  char names[NAMES_BYTES] = "";
  size_t n = 0;
  uint32_t unread = 0;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    if (eyoti_conf_is_for((enum eyoti_conf)k, fabric) || !eyoti_conf_is_set((enum eyoti_conf)k))
      continue;
    unread++;
    if (n + strlen(TABLE[k].env) + sizeof ", ..." > sizeof names) continue;
    n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "", TABLE[k].env);
  }
  bool sim = fabric == EYOTI_CONF_FOR_SIM;
  if (unread > 0)
    eyoti_log(EYOTI_LOG_WARN, __func__, 0,
              "%u variable%s in the environment (%s) %s no effect on --fabric %s: %s for --fabric "
              "%s only",
              unread, unread == 1 ? "" : "s", names, unread == 1 ? "has" : "have",
              sim ? "sim" : "mpi", unread == 1 ? "it is" : "they are", sim ? "mpi" : "sim");
}

/* What a name that is no option, but may be looked for, has instead; NULL: nothing. */
static const char *instead_of(const char *name) {
  static const struct {
    const char *name, *answer;
  } ANSWERS[] = {
      {"EYOT_REDUCE_FIXED",
       "all reductions and scans combine in one fixed order anyway, whatever "
       "the algorithm (docs/collectives.md, The order of combination)"},
      {"EYOT_SUM_EXACT", "it is an operator of reductions, in place of EYOT_SUM (eyot/op.h)"}};
  for (size_t i = 0; i < sizeof ANSWERS / sizeof ANSWERS[0]; i++)
    if (strcmp(ANSWERS[i].name, name) == 0) return ANSWERS[i].answer;
  return NULL;
}

int eyoti_conf_check_env(uint32_t *unknown) {
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    const char *ignored;
    EYOTI_TRY(eyoti_conf_string((enum eyoti_conf)k, &ignored));
  }
  uint32_t n = 0;
  for (char **e = environ; e != NULL && *e != NULL; e++) {
    if (strncmp(*e, PREFIX, sizeof PREFIX - 1) != 0) continue;
    char name[EYOTI_TEXT_NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
    if (is_known(name)) continue;
    n++;
    const char *answer = instead_of(name);
    if (answer != NULL)
      eyoti_log(EYOTI_LOG_WARN, __func__, 0, "%s is not an option of eyot and has no effect: %s",
                name, answer);
    else
      eyoti_log(
          EYOTI_LOG_WARN, __func__, 0,
          "%s is not an option of eyot and has no effect; did you mean %s? (eyot-info lists all)",
          name, eyoti_conf_nearest_env(name));
  }
  *unknown = n;
  return EYOT_OK;
}
