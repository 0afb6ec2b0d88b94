/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - one line per event on stderr, prefixed with the unit, for all files of the library and
 * the fabrics. rt/log.c implements it, because it knows the unit
 * (docs/adr/0028-base-declares-rt-logs.md). */
#ifndef EYOT_BASE_LOG_H
#define EYOT_BASE_LOG_H

#include <eyot/types.h>

#include "base/conf_enums.h"

/* Prints "eyot: [unit N] LEVEL function: text (EYOT_ECODE: meaning)" if `level` is enabled by
 * EYOT_LOG. code 0: no code is printed. */
EYOT_API void eyoti_log(enum eyoti_log_level level, const char *function, int code, const char *fmt,
                        ...) __attribute__((format(printf, 4, 5)));
#endif
