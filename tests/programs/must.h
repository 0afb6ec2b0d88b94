/* SPDX-License-Identifier: BSD-3-Clause */
/* must.h - MUST, for programs under eyotcheck and the race detector, in which a call that fails
 * ends the run with its line. */
#ifndef TESTS_PROGRAMS_MUST_H
#define TESTS_PROGRAMS_MUST_H

#include <eyot/eyot.h>

#define MUST(call)                                                                 \
  do {                                                                             \
    int must_rc = (call);                                                          \
    if (must_rc != EYOT_OK) eyot_abort(9, "line " MUST_TEXT(__LINE__) ": " #call); \
  } while (0)
#define MUST_TEXT(x) MUST_TEXT_OF(x)
#define MUST_TEXT_OF(x) #x

#endif
