/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_file.c - reads the file of a failing run for --replay and --shrink, and compares it
 * with the command line (eyotcheck_job.h).
 *
 * Why it exists: a replay with another program, other units or other options makes another run. It
 * may pass although the bug is still there, so each difference is noted. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "eyotcheck_job.h"

#define DEFAULT_BYTES 128 /* of the default of an option of eyotcheck's own */

static void differ(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void differ(struct job *job, const char *format, ...) {
  size_t used = strlen(job->differs);
  if (used > 0 && used + 2 < sizeof job->differs)
    used += (size_t)snprintf(job->differs + used, sizeof job->differs - used, "; ");
  va_list ap;
  va_start(ap, format);
  vsnprintf(job->differs + used, sizeof job->differs - used, format, ap);
  va_end(ap);
}

/* An option of eyotcheck's own. */
static int take_own(struct job *job, const struct own *own, char *value) {
  struct job of_file = *job;
  int code = own_set(&of_file, own, value);
  if (code != 0) return code;
  const char *now = (const char *)job + own->at, *then = (const char *)&of_file + own->at;
  bool same = own->kind == OWN_STRATEGY ? strcmp(job->what.strategy, of_file.what.strategy) == 0
                                        : memcmp(now, then, own->bytes) == 0;
  if (!own_is_given(job, own))
    *job = of_file;
  else if (!same)
    differ(job, "--%s is %s in the file", own->name, value);
  return 0;
}

/* Whether two texts are the same value of an option: 64M is 65536K. On return the option has the
 * second. */
static int same_value(enum eyoti_conf key, const char *file, const char *given, bool *same) {
  uint64_t a, b;
  bool text = eyoti_conf_entry(key)->type == EYOTI_CONF_STRING;
  if (eyoti_conf_set(key, file) != 0 || (!text && eyoti_conf_u64(key, &a) != 0) ||
      eyoti_conf_set(key, given) != 0 || (!text && eyoti_conf_u64(key, &b) != 0))
    return EYOTI_EXIT_USAGE;
  *same = text ? strcmp(file, given) == 0 : a == b;
  return 0;
}

/* An option of the configuration, with the value that the run of the file had. */
static int take_conf(struct job *job, enum eyoti_conf key, const char *value) {
  const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
  if (!job->given[key]) {
    if (eyoti_conf_is_set(key) || strcmp(value, e->def) != 0)
      return eyoti_conf_set(key, value) == 0 ? 0 : EYOTI_EXIT_USAGE;
    return 0;
  }
  const char *now;
  bool same;
  if (eyoti_conf_string(key, &now) != 0) return EYOTI_EXIT_USAGE;
  char *given = strdup(now);
  if (given == NULL) eyoti_no_memory(0, "an option");
  int code = same_value(key, value, given, &same);
  free(given);
  if (code == 0 && !same && key != EYOTI_CONF_WATCHDOG)
    differ(job, "--%s is '%.100s' in the file", e->flag, value);
  return code;
}

/* One line `option "name=value"`. `taken` marks the options of the configuration. */
static int take_option(struct job *job, const char *path, char *name, char *value, bool *taken) {
  enum eyoti_conf key;
  const struct own *own = own_find(name);
  if (own != NULL && own->kept != NULL) return take_own(job, own, value);
  if (eyoti_conf_by_flag(name, &key) == NULL) {
    fprintf(stderr, "eyotcheck: %s: '%.100s' is not an option\n", path, name);
    return EYOTI_EXIT_USAGE;
  }
  if (!tool_option_matters(key)) return 0; /* files of format 1 have all */
  taken[key] = true;
  return take_conf(job, key, value);
}

static bool file_has(const struct chk_file *f, const char *name) {
  size_t n = strlen(name);
  for (uint32_t i = 0; i < f->n_options; i++)
    if (strncmp(f->options[i], name, n) == 0 && f->options[i][n] == '=') return true;
  return false;
}

/* Files of format 1 do not say all of eyotcheck's own options: the others are as the command line
 * has them. */
static int take_options(struct job *job, const char *path) {
  struct chk_file *f = &job->file;
  bool taken[EYOTI_CONF_COUNT] = {false};
  int code = 0;
  for (uint32_t i = 0; code == 0 && i < f->n_options; i++) {
    char *name = strdup(f->options[i]);
    if (name == NULL) eyoti_no_memory(0, "an option");
    char *equals = strchr(name, '='); /* the reader has seen it */
    *equals = '\0';
    code = take_option(job, path, name, equals + 1, taken);
    free(name);
  }
  for (size_t i = 0; code == 0 && f->version != NULL && own_at(i) != NULL; i++) {
    const struct own *own = own_at(i);
    char value[DEFAULT_BYTES];
    if (own->kept == NULL || file_has(f, own->name)) continue;
    snprintf(value, sizeof value, "%s", own->kept);
    code = take_own(job, own, value);
  }
  for (uint32_t k = 0; code == 0 && k < EYOTI_CONF_COUNT; k++) {
    enum eyoti_conf key = (enum eyoti_conf)k;
    if (!taken[k] && tool_option_matters(key))
      code = take_conf(job, key, eyoti_conf_entry(key)->def);
  }
  return code;
}

static int take_units(struct job *job) {
  char units[16];
  uint64_t now = job->file.units;
  if (job->given[EYOTI_CONF_UNITS] && eyoti_conf_u64(EYOTI_CONF_UNITS, &now) != 0)
    return EYOTI_EXIT_USAGE;
  if (now != job->file.units) {
    differ(job, "it is a run of %u units, not of %" PRIu64, job->file.units, now);
    return 0;
  }
  snprintf(units, sizeof units, "%u", job->file.units);
  return eyoti_conf_set(EYOTI_CONF_UNITS, units) == 0 ? 0 : EYOTI_EXIT_USAGE;
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static int take_program(struct job *job) {
  const struct chk_file *f = &job->file;
  if (job->n_program > 0) {
    bool same = (uint32_t)job->n_program == f->n_arguments + 1;
    for (uint32_t i = 0; same && i < f->n_arguments; i++)
      same = strcmp(job->program[i + 1], f->arguments[i]) == 0;
    if (strcmp(last_part(job->program[0]), last_part(f->program)) != 0)
      differ(job, "it is a run of the program %.100s", f->program);
    else if (!same)
      differ(job, "it is a run with other arguments of the program");
    return 0;
  }
  job->program = calloc(f->n_arguments + 2, sizeof *job->program);
  if (job->program == NULL) eyoti_no_memory(0, "arguments");
  job->program[job->n_program++] = f->program;
  for (uint32_t i = 0; i < f->n_arguments; i++) job->program[job->n_program++] = f->arguments[i];
  return 0;
}

int eyotcheck_read_file(struct job *job, const char *path) {
  FILE *in = fopen(path, "re");
  if (in == NULL) {
    fprintf(stderr, "eyotcheck: cannot read %s: %s\n", path, strerror(errno));
    return EYOTI_EXIT_USAGE;
  }
  int rc = chk_file_read(&job->file, in, path, NULL);
  fclose(in);
  if (rc != 0) return EYOTI_EXIT_USAGE;
  int code = take_units(job);
  if (code == 0) code = take_options(job, path);
  if (code == 0) code = take_program(job);
  if (job->differs[0] != '\0') job->what.differs = job->differs;
  return code;
}
