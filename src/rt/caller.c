/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.c - errors that an interface on top of eyot has found (eyot/caller.h), logged and counted
 * as eyot's own, and warnings of what a program has left. */
#include <eyot/caller.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "rt/place.h"
#include "rt/rt.h"

void eyot_caller_fail(const char *call, const void *site, int code, const char *format, ...) {
  EYOTI_PASS();
  const struct eyot_rt *rt = eyot_current;
  if (eyoti_rt_accepts(rt) && eyoti_rt_marked(rt) != NULL) {
    call = eyoti_rt_marked(rt);
    site = eyoti_rt_site(rt);
  }
  va_list ap;
  va_start(ap, format);
  eyoti_vlog_at(EYOTI_LOG_ERROR, call != NULL ? call : __func__, site, code, format, ap);
  va_end(ap);
}

void eyot_caller_warn(const char *call, const void *site, const char *format, ...) {
  EYOTI_PASS();
  struct eyot_rt *rt = eyot_current;
  char text[256], place[EYOTI_CODE_LINE];
  if (!eyoti_rt_accepts(rt) || eyoti_log_level() < EYOTI_LOG_WARN) return;
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  const char *marked = eyoti_rt_marked(rt), *what = marked != NULL ? marked : __func__;
  if (call == NULL)
    eyoti_log(EYOTI_LOG_WARN, what, 0, "%s", text);
  else
    eyoti_log(EYOTI_LOG_WARN, what, 0, "%s (%s at %s)", text, call,
              eyoti_place_text(rt, eyoti_place_of(rt, site), place));
}
