/* SPDX-License-Identifier: BSD-3-Clause */
/* api_check.h - helpers of the test programs that use the public API only: checks that end the
 * whole run, and a small random generator. */
#ifndef API_CHECK_H
#define API_CHECK_H

#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/draw.h"

/* A unit that fails must not leave the others waiting: the run ends at once with a non-zero exit
 * code. */
#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "unit %u: %s:%d: not true: %s\n", eyot_me().id, __FILE__, __LINE__, \
              #condition);                                                                \
      eyot_abort(1, "a check failed");                                                    \
    }                                                                                     \
  } while (0)
#define OK(call)                                                                           \
  do {                                                                                     \
    int code_ = (call);                                                                    \
    if (code_ != 0) {                                                                      \
      fprintf(stderr, "unit %u: %s:%d: %s: %s\n", eyot_me().id, __FILE__, __LINE__, #call, \
              eyot_strerror(code_));                                                       \
      eyot_abort(1, "a call failed");                                                      \
    }                                                                                      \
  } while (0)

/* Of programs for eyotcheck: the run has failed, and its schedule is kept. */
#define EXPECT(cond)                                                                \
  do {                                                                              \
    if (!(cond)) eyot_check_fail("%s:%d: not true: %s", __func__, __LINE__, #cond); \
  } while (0)

/* Unit 0 prints ok after all units have come this far. The codes of mistakes that a test makes were
 * checked where they were returned. */
static inline int finish(void) {
  OK(eyot_barrier(EYOT_TEAM_ALL));
  (void)eyot_errors_clear();
  if (eyot_me().id == 0) {
    puts("ok");
    fflush(stdout);
  }
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
#endif
