/* SPDX-License-Identifier: BSD-3-Clause */
/* conf.h - configuration: reads and sets the options of options.def; holds the only getenv of the
 * library.
 *
 * Every option is an environment variable EYOT_<NAME>; eyotrun sets it from --name VALUE, and
 * eyot-info prints the table. Values are parsed at each read (at start only), so nothing is stored.
 * eyoti_conf_check_env warns of an unknown EYOT_* variable with the nearest known name. */
#ifndef EYOT_BASE_CONF_H
#define EYOT_BASE_CONF_H

#include <eyot/types.h>

#include "base/conf_enums.h"

enum eyoti_conf_type {
  EYOTI_CONF_U64,
  EYOTI_CONF_BYTES,
  EYOTI_CONF_TIME_NS,
  EYOTI_CONF_SECONDS, /* in ns; a number without a unit is one of seconds */
  EYOTI_CONF_BOOL,
  EYOTI_CONF_STRING,
  EYOTI_CONF_ENUM
};

/* The fabric that reads an option. */
enum eyoti_conf_fabric { EYOTI_CONF_FOR_ALL, EYOTI_CONF_FOR_SIM, EYOTI_CONF_FOR_MPI };

/* The heading of an option in the help. */
enum eyoti_conf_group {
  EYOTI_CONF_IN_COMMON,
  EYOTI_CONF_IN_SIMULATOR,
  EYOTI_CONF_IN_MPI,
  EYOTI_CONF_IN_TUNING,
  EYOTI_CONF_GROUPS
};

struct eyoti_conf_entry {
  const char *env;  /* "EYOT_HEAP_SIZE" */
  const char *flag; /* eyotrun's option without dashes, "heap-size" */
  char short_flag;  /* 'n' or 0 */
  enum eyoti_conf_type type;
  const char *def; /* default as text */
  /* "a|b|c" for ENUM; words that a U64 may be beside numbers: max + 1, max + 2, ...; else NULL */
  const char *choices;
  uint64_t min, max; /* for numbers */
  enum eyoti_conf_fabric fabric;
  enum eyoti_conf_group group;
  const char *help; /* without line breaks */
};

/* EYOTI_CONF_UNITS, ...: one for each row of options.def. */
enum eyoti_conf {
#define OPTION(key, env, flag, type, def, values, fabric, group, help) EYOTI_CONF_##key,
#include "base/options.def"
  EYOTI_CONF_COUNT
};

EYOT_API const struct eyoti_conf_entry *eyoti_conf_entry(enum eyoti_conf key);

/* The value now: the environment's or the default. Errors: EINVAL (logged with what was given and
 * what is accepted). BOOL as 0 or 1, ENUM as the enumerator of conf_enums.h. */
EYOT_API int eyoti_conf_u64(enum eyoti_conf key, uint64_t *value);
/* The same without a log line: for the log itself. */
EYOT_API int eyoti_conf_u64_quiet(enum eyoti_conf key, uint64_t *value);
EYOT_API int eyoti_conf_string(enum eyoti_conf key, const char **value);
/* Whether the environment gives the option; otherwise its default counts. */
EYOT_API bool eyoti_conf_is_set(enum eyoti_conf key);
/* Checks and sets (setenv) an option from text. Errors: EINVAL. */
EYOT_API int eyoti_conf_set(enum eyoti_conf key, const char *text);
/* Finds an option by eyotrun flag name; or the nearest known name to an unknown one (never
 * NULL). */
EYOT_API const struct eyoti_conf_entry *eyoti_conf_by_flag(const char *flag, enum eyoti_conf *key);
EYOT_API const char *eyoti_conf_nearest_flag(const char *flag);
EYOT_API const char *eyoti_conf_nearest_env(const char *env);
/* Warns of every unknown EYOT_* variable in the environment; returns how many. Also validates all
 * known ones: EINVAL if one is malformed. */
EYOT_API int eyoti_conf_check_env(uint32_t *unknown);
/* Whether a run on `fabric` (FOR_SIM or FOR_MPI) reads the option. */
EYOT_API bool eyoti_conf_is_for(enum eyoti_conf key, enum eyoti_conf_fabric fabric);
/* Warns, in one line, of the options in the environment that a run on `fabric` does not read. */
EYOT_API void eyoti_conf_warn_fabric(enum eyoti_conf_fabric fabric);
/* Not an option: the environment variable `name` of another system (MPI launchers, TMPDIR), or
 * NULL. Kept here so that getenv has one home. */
EYOT_API const char *eyoti_conf_foreign_env(const char *name);
/* Sets such a variable unless it is set already, also to nothing. Errors: ENOMEM. */
EYOT_API int eyoti_conf_foreign_default(const char *name, const char *value);
/* Sets such a variable. Errors: ENOMEM. */
EYOT_API int eyoti_conf_foreign_set(const char *name, const char *value);
#endif
