/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - implements base/log.h, for all layers and fabrics: writes one line per event to stderr,
 * with the unit's number. Each line is a single write, so that lines of several processes do not
 * mix. */
#include "base/log.h"

#include <eyot/init.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/error.h"
#include "base/exit_codes.h"
#include "base/wording.h"
#include "rt/outside.h"
#include "rt/place.h"
#include "rt/proc.h"
#include "rt/rt.h"
#include "rt/said.h"

#define LINE_BYTES 1024
#define REASON_BYTES 320

static const char *const LEVEL_NAMES[] = {[EYOTI_LOG_SILENT] = "silent",
                                          [EYOTI_LOG_ERROR] = "error",
                                          [EYOTI_LOG_WARN] = "warning",
                                          [EYOTI_LOG_INFO] = "info",
                                          [EYOTI_LOG_DEBUG] = "debug"};

/* The level of the unit, or of the configuration before the unit's own is known; a malformed
 * configuration means "warn" here, and eyot_init reports it. "silent" silences units only: an error
 * before a unit has started, such as an option of the wrong form, is all that a user would see. */
uint32_t eyoti_log_level(void) {
  if (eyot_current->state != EYOTI_IDLE) return eyot_current->log_level;
  uint64_t level;
  if (eyoti_conf_u64_quiet(EYOTI_CONF_LOG, &level) != 0) return EYOTI_LOG_WARN;
  return level == EYOTI_LOG_SILENT ? EYOTI_LOG_ERROR : (uint32_t)level;
}

static size_t clip(int written, size_t cap) {
  if (written < 0) return 0;
  return (size_t)written < cap ? (size_t)written : cap - 1;
}

/* Who says it: the public function, or the interface's, that the program has called, and its call
 * site. */
struct speaker {
  const char *what; /* NULL: none */
  const void *site;
};

/* A function of the API, or a tool. */
static bool is_public(const char *name) {
  return name != NULL && strncmp(name, "eyot", sizeof "eyot" - 1) == 0 &&
         strncmp(name, "eyoti_", sizeof "eyoti_" - 1) != 0;
}

/* Whether this is the thread of the unit that may call now; a progress thread is not. */
static bool in_call(const struct eyot_rt *rt) {
  return rt->state != EYOTI_IDLE && rt->state != EYOTI_FINALIZED && eyoti_rt_owns(rt);
}

/* Whether another thread than the unit's says it. */
static bool is_elsewhere(const struct eyot_rt *rt) {
  return rt->state != EYOTI_IDLE && rt->state != EYOTI_FINALIZED && !in_call(rt) &&
         !eyoti_rt_in_operator(rt);
}

static struct speaker speaker_now(const char *function) {
  const struct eyot_rt *rt = eyot_current;
  if (in_call(rt) && (eyoti_rt_marked(rt) != NULL || is_public(eyoti_rt_what(rt))))
    return (struct speaker){eyoti_rt_shown(rt), eyoti_rt_site(rt)};
  return (struct speaker){is_public(function) ? function : NULL, NULL};
}

/* Appends where the function was called. */
static size_t add_place(const struct eyot_rt *rt, struct eyoti_place place, char *line, size_t n) {
  char text[EYOTI_CODE_LINE];
  if (place.file == NULL) return n;
  return n + clip(snprintf(line + n, LINE_BYTES - n, ", called at %s",
                           eyoti_place_text(rt, place, text)),
                  LINE_BYTES - n);
}

/* Whether mistakes end the run; before eyot_init and after eyot_finalize as configured. */
static bool errors_abort(const struct eyot_rt *rt) {
  uint64_t v;
  if (in_call(rt) || eyoti_rt_in_operator(rt)) return rt->errors_abort;
  return eyoti_conf_u64_quiet(EYOTI_CONF_ERRORS, &v) == 0 && eyoti_errors_abort(rt->fab, v);
}

bool eyoti_errors_abort(const struct fab *f, uint64_t option) {
  return option == EYOTI_ERRORS_ABORT ||
         (option == EYOTI_ERRORS_AUTO && f != NULL && strcmp(f->ops->name, "sim") == 0);
}

/* Counts a mistake in a process of its own, before eyot_init or after eyot_finalize. */
static void note_error_outside(int code, struct speaker by) {
  struct eyot_rt *rt = eyoti_outside_counts();
  if (rt == NULL) return;
  rt->errors++;
  if (!errors_abort(rt)) return;
  fprintf(stderr,
          "eyot: %s returned %s, and errors of the program end the run (EYOT_ERRORS=return returns "
          "them)\n",
          by.what, eyot_errname(code));
  (void)fflush(NULL);
  _exit(EYOTI_EXIT_MISUSE);
}

/* Counts a mistake of the program; does not return if the run ends. */
static void note_error(int code, struct speaker by) {
  struct eyot_rt *rt = eyot_current;
  struct fab *f = rt->fab;
  if (by.what == NULL || !eyoti_error_is_misuse(code) || is_elsewhere(rt)) return;
  if (f == NULL) {
    note_error_outside(code, by);
    return;
  }
  if (rt->state == EYOTI_FINALIZED && rt->proc != NULL) (void)eyoti_proc_errors(rt->proc, 1);
  if (rt->state == EYOTI_STARTING) return; /* wrong options are the user's mistake */
  rt->errors++;
  if (!errors_abort(rt)) return;
  char reason[REASON_BYTES], place[EYOTI_CODE_LINE];
  snprintf(
      reason, sizeof reason,
      "%s returned %s at %s, and errors of the program end the run (EYOT_ERRORS=return returns "
      "them)",
      by.what, eyot_errname(code), eyoti_place_text(rt, eyoti_place_of(rt, by.site), place));
  rt->ends_by = code;
  f->ops->abort(f, EYOTI_EXIT_MISUSE, reason);
}

__attribute__((format(printf, 4, 0))) static void say(enum eyoti_log_level level, struct speaker by,
                                                      int code, const char *fmt, va_list ap) {
  const struct eyot_rt *rt = eyot_current;
  const struct fab *f = rt->fab;
  char line[LINE_BYTES] = "eyot: ";
  size_t n = sizeof "eyot: " - 1;
  if (f != NULL)
    n += clip(eyoti_snprintf(line + n, sizeof line - n, "[unit %u] ", f->me), sizeof line - n);
  n += clip(snprintf(line + n, sizeof line - n, "%s: ", LEVEL_NAMES[level]), sizeof line - n);
  size_t text = n;
  if (by.what != NULL)
    n += clip(snprintf(line + n, sizeof line - n, "%s: ", by.what), sizeof line - n);
  n += clip(eyoti_vsnprintf(line + n, sizeof line - n, fmt, ap), sizeof line - n);
  if (code != 0)
    n += clip(snprintf(line + n, sizeof line - n, " (%s: %s)", eyot_errname(code),
                       EYOTI_WORDED(eyot_strerror(code))),
              sizeof line - n);
  struct eyoti_place place = {0};
  if (code != 0) place = eyoti_place_of(rt, by.site);
  /* with EYOT_LOG=info and debug each is printed */
  bool counted = f != NULL && rt->proc != NULL && level <= EYOTI_LOG_WARN &&
                 eyoti_log_level() <= EYOTI_LOG_WARN && !is_elsewhere(rt);
  if (counted &&
      !eyoti_said_first(rt->proc, &(struct eyoti_saying){LEVEL_NAMES[level], fmt, by.what,
                                                         line + text, place, f->me, f->n}))
    return;
  n = add_place(rt, place, line, n);
  line[n < sizeof line - 1 ? n : sizeof line - 2] = '\n';
  n = n < sizeof line - 1 ? n + 1 : sizeof line - 1;
  ssize_t ignored = write(STDERR_FILENO, line, n);
  (void)ignored;
}

void eyoti_log(enum eyoti_log_level level, const char *function, int code, const char *fmt, ...) {
  struct speaker by = speaker_now(function);
  if (level != EYOTI_LOG_SILENT && (uint32_t)level <= eyoti_log_level()) {
    va_list ap;
    va_start(ap, fmt);
    say(level, by, code, fmt, ap);
    va_end(ap);
  }
  if (level == EYOTI_LOG_ERROR && code != 0) note_error(code, by);
}

void eyoti_vlog_at(enum eyoti_log_level level, const char *function, const void *site, int code,
                   const char *fmt, va_list ap) {
  struct speaker by = {function, site};
  if ((uint32_t)level <= eyoti_log_level()) say(level, by, code, fmt, ap);
  if (level == EYOTI_LOG_ERROR && code != 0) note_error(code, by);
}

void eyoti_log_at(enum eyoti_log_level level, const char *function, const void *site, int code,
                  const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  eyoti_vlog_at(level, function, site, code, fmt, ap);
  va_end(ap);
}
