/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.c - errors that an interface on top of eyot has found (eyot/caller.h), logged and counted
 * as eyot's own. */
#include <eyot/caller.h>
#include <stdarg.h>

#include "base/log.h"
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
