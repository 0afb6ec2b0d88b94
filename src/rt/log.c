/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - implements base/log.h, for all layers and fabrics: writes one line per event to stderr,
 * with the unit's number. Each line is a single write, so that lines of several processes do not
 * mix. */
#include "base/log.h"

#include <eyot/init.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/conf.h"
#include "rt/rt.h"

#define LINE_BYTES 1024

static const char *const LEVEL_NAMES[] = {[EYOTI_LOG_SILENT] = "silent",
                                          [EYOTI_LOG_ERROR] = "error",
                                          [EYOTI_LOG_WARN] = "warning",
                                          [EYOTI_LOG_INFO] = "info",
                                          [EYOTI_LOG_DEBUG] = "debug"};

/* The level of the unit, or of the configuration before the unit's own is known; a malformed
 * configuration means "warn" here, and eyot_init reports it. "silent" silences units only: an error
 * before a unit has started, such as an option of the wrong form, is all that a user would see. */
static uint32_t level_now(void) {
  if (eyot_current->state != EYOTI_IDLE) return eyot_current->log_level;
  uint64_t level;
  if (eyoti_conf_u64_quiet(EYOTI_CONF_LOG, &level) != 0) return EYOTI_LOG_WARN;
  return level == EYOTI_LOG_SILENT ? EYOTI_LOG_ERROR : (uint32_t)level;
}

static size_t clip(int written, size_t cap) {
  if (written < 0) return 0;
  return (size_t)written < cap ? (size_t)written : cap - 1;
}

void eyoti_log(enum eyoti_log_level level, const char *function, int code, const char *fmt, ...) {
  if (level == EYOTI_LOG_SILENT || (uint32_t)level > level_now()) return;
  char line[LINE_BYTES];
  size_t n;
  const struct fab *f = eyot_current->fab;
  if (f != NULL)
    n = clip(snprintf(line, sizeof line, "eyot: [unit %u] %s: %s: ", f->me, LEVEL_NAMES[level],
                      function),
             sizeof line);
  else
    n = clip(snprintf(line, sizeof line, "eyot: %s: %s: ", LEVEL_NAMES[level], function),
             sizeof line);
  va_list ap;
  va_start(ap, fmt);
  n += clip(vsnprintf(line + n, sizeof line - n, fmt, ap), sizeof line - n);
  va_end(ap);
  if (code != 0)
    n += clip(
        snprintf(line + n, sizeof line - n, " (%s: %s)", eyot_errname(code), eyot_strerror(code)),
        sizeof line - n);
  line[n < sizeof line - 1 ? n : sizeof line - 2] = '\n';
  n = n < sizeof line - 1 ? n + 1 : sizeof line - 1;
  ssize_t ignored = write(STDERR_FILENO, line, n);
  (void)ignored;
}
