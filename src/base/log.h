/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - one line per event on stderr, prefixed with the unit, for all files of the library and
 * the fabrics. rt/log.c implements it, because it knows the unit
 * (docs/adr/0028-base-declares-rt-logs.md). */
#ifndef EYOT_BASE_LOG_H
#define EYOT_BASE_LOG_H

#include <eyot/types.h>
#include <stdarg.h>

#include "base/conf_enums.h"

/* Prints "eyot: [unit N] LEVEL: eyot_function: text (EYOT_ECODE: meaning), called at FILE:LINE" if
 * `level` is enabled by EYOT_LOG. code 0: neither code nor place are printed. The function is the
 * public one that the program has called; `function` stands for it where none is known and its name
 * is public (eyot_...), and is not printed otherwise. */
EYOT_API void eyoti_log(enum eyoti_log_level level, const char *function, int code, const char *fmt,
                        ...) __attribute__((format(printf, 4, 5)));
/* The same for public function `function`, which was called at `site` but has not entered. */
void eyoti_log_at(enum eyoti_log_level level, const char *function, const void *site, int code,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void eyoti_vlog_at(enum eyoti_log_level level, const char *function, const void *site, int code,
                   const char *fmt, va_list ap) __attribute__((format(printf, 5, 0)));
/* The level that is enabled now; before eyot_init that of the environment. */
EYOT_API uint32_t eyoti_log_level(void);
#endif
