/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - detects, logs and returns errors; asserts invariants. For all files of the library and
 * the fabrics.
 *
 * The first function that detects an error logs it with unit, function and values and returns the
 * code (EYOTI_FAIL); callers return codes unchanged (EYOTI_TRY). Invariants of eyot itself are
 * asserted (EYOTI_ASSERT), in release builds too, except on the inline path. Only rt/panic.c
 * aborts. */
#ifndef EYOT_BASE_CHECK_H
#define EYOT_BASE_CHECK_H

#include <eyot/types.h>

#include "base/log.h"

/* Logs an error and evaluates to `code`. */
#define EYOTI_FAIL(code, ...) (eyoti_log(EYOTI_LOG_ERROR, __func__, (code), __VA_ARGS__), (code))

/* Returns from the enclosing function with the code of a call that failed (and has logged). */
#define EYOTI_TRY(call)                   \
  do {                                    \
    int eyoti_rc_ = (call);               \
    if (eyoti_rc_ != 0) return eyoti_rc_; \
  } while (0)

/* Prints file, line and text, and ends the process. The only abort of the library. */
EYOT_API void eyoti_panic(const char *file, int line, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* Prints what there is no memory for and how many bytes (0: not known), and ends the process with
 * EYOTI_EXIT_NO_MEMORY: for a failed allocation that no caller can be told of. */
EYOT_API void eyoti_no_memory(uint64_t bytes, const char *what, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
/* From here on, until another handler of SIGABRT is set, an abort of a library whose allocation has
 * failed (errno is ENOMEM) ends the process as eyoti_no_memory does. */
EYOT_API void eyoti_no_memory_aborts(void);
/* Prints a mistake of the program that no call can return, with the call that runs, and ends the
 * process by SIGABRT: not a defect of eyot. */
EYOT_API void eyoti_mistake(const void *site, const char *fmt, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
#define EYOTI_PANIC(...) eyoti_panic(__FILE__, __LINE__, __VA_ARGS__)
#define EYOTI_ASSERT(cond)                                                               \
  do {                                                                                   \
    if (__builtin_expect(!(cond), 0)) EYOTI_PANIC("invariant does not hold: %s", #cond); \
  } while (0)
#endif
