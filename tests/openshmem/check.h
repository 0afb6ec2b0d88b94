/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - the checks of the conformance programs of the OpenSHMEM interface. A check that fails
 * prints the file and line, the PE, the function under test, the value and the expected one; the
 * program goes on, and ends with 1 (finish). Each program is written from the specification alone,
 * and calls each function by its typed name, so that coverage.sh can tell which one is missing. */
#ifndef TESTS_OPENSHMEM_CHECK_H
#define TESTS_OPENSHMEM_CHECK_H

#include <complex.h>
#include <shmem.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n_pes, failures;

static inline void begin(void) {
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
}

/* The PE `by` places further round the ring. */
static inline int next_pe(int by) {
  return ((me + by) % n_pes + n_pes) % n_pes;
}

static inline void complain(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void complain(const char *file, int line, const char *format, ...) {
  char text[512];
  va_list ap;
  if (failures++ > 9) return;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  fprintf(stderr, "%s:%d: PE %d of %d: %s\n", file, line, me, n_pes, text);
}

static inline void complain_real(const char *file, int line, const char *what, long double seen,
                                 long double expected) {
  complain(file, line, "%s: %.20Lg, expected %.20Lg", what, seen, expected);
}

static inline void complain_complex(const char *file, int line, const char *what,
                                    double complex seen, double complex expected) {
  complain(file, line, "%s: %g%+gi, expected %g%+gi", what, creal(seen), cimag(seen),
           creal(expected), cimag(expected));
}

/* Values of one type. The last argument says which. */
#define SAME(T, what, seen, expected)                                                      \
  do {                                                                                     \
    T seen_ = (T)(seen), expected_ = (T)(expected);                                        \
    if (!(seen_ == expected_))                                                             \
      complain_real(__FILE__, __LINE__, what, (long double)seen_, (long double)expected_); \
  } while (0)
/* The same for types that may be complex. */
/* clang-format off */
#define SAME_ANY(T, what, seen, expected)                                                    \
  do {                                                                                       \
    T seen_ = (seen), expected_ = (expected);                                                \
    if (!(seen_ == expected_))                                                               \
      _Generic(seen_, float complex: complain_complex, double complex: complain_complex,     \
               default: complain_real)(__FILE__, __LINE__, what, seen_, expected_);          \
  } while (0)
/* clang-format on */
#define INT(seen, expected) SAME(long long, #seen, seen, expected)
#define TRUE(condition)                                                         \
  do {                                                                          \
    if (!(condition)) complain(__FILE__, __LINE__, "not true: %s", #condition); \
  } while (0)

/* A value of type T that depends on a PE and a place: at most 126 in size, negative (or, unsigned,
 * nearly the largest) every second time, so that other widths and signs show. */
#define MAGNITUDE(T, pe, place) ((T)((pe) % 6 * 21 + (place) % 20 + 1))
#define VALUE(T, pe, place) \
  ((T)((place) % 2 != 0 ? (T)((T)0 - MAGNITUDE(T, pe, place)) : MAGNITUDE(T, pe, place)))

/* Completes everything on all PEs. The result of main. */
static inline int finish(void) {
  shmem_finalize();
  return failures != 0;
}
#endif
