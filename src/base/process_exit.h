/* SPDX-License-Identifier: BSD-3-Clause */
/* process_exit.h - a handler that runs when the process exits, and gets the exit code where the C
 * library says it: on_exit of glibc does, atexit does not, and the code is 0 there. So with another
 * C library a handler also runs, with 0, when main returns another code. */
#ifndef EYOT_BASE_PROCESS_EXIT_H
#define EYOT_BASE_PROCESS_EXIT_H

#include <stdlib.h>

/* Defines `watch`, a static function that registers fn(code) for the process's exit, and returns 0,
 * or another number if that cannot be done. */
#ifdef __GLIBC__
#define EYOTI_WATCH_EXIT(watch, fn)             \
  static void watch##_runs(int code, void *p) { \
    (void)p;                                    \
    fn(code);                                   \
  }                                             \
  static int watch(void) {                      \
    return on_exit(watch##_runs, NULL);         \
  }
#else
#define EYOTI_WATCH_EXIT(watch, fn) \
  static void watch##_runs(void) {  \
    fn(0);                          \
  }                                 \
  static int watch(void) {          \
    return atexit(watch##_runs);    \
  }
#endif
#endif
