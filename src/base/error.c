/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - the names and meanings of the error codes, in one table (eyot/init.h), and the
 * version. */
#include "base/error.h"

#include <eyot/init.h>

struct error_text {
  const char *name;
  const char *meaning;
  /* a mistake of the program, which ends the run with EYOT_ERRORS=abort; the others depend on the
   * machine, on time or on other units, and the program must expect them */
  bool misuse;
};

static const struct error_text TEXTS[] = {
    {"EYOT_OK", "success", false},
    {"EYOT_EINVAL", "invalid argument", true},
    {"EYOT_ENOMEM", "out of memory", false},
    {"EYOT_ERANGE", "out of range", true},
    {"EYOT_EUNIT", "no such unit, or not a member", true},
    {"EYOT_ETEAM", "null, destroyed or foreign team", true},
    {"EYOT_ESEG", "null, freed or foreign global pointer", true},
    {"EYOT_EMISMATCH", "members called a collective with different arguments", true},
    {"EYOT_ESTATE", "not possible in this state", true},
    {"EYOT_ETHREAD", "called by a thread other than the unit's own", true},
    {"EYOT_EPEERDOWN", "the target unit has left or failed, or cannot be reached", false},
    {"EYOT_ETIMEOUT", "timed out", false},
    {"EYOT_ENOTSUP", "not supported by this fabric", false},
    {"EYOT_ESYS", "the operating system or MPI refused", false},
    {"EYOT_EFABRIC", "the fabric cannot be loaded", false},
    {"EYOT_EALIGN", "not aligned", true},
    {"EYOT_EBUSY", "a bounded resource is in use", false},
};

_Static_assert(sizeof(TEXTS) / sizeof(TEXTS[0]) == 1 - EYOT_ELAST, "one text for each error code");

static const struct error_text UNKNOWN = {"EYOT_E?", "unknown error code", false};

static const struct error_text *error_text_of(int code) {
  return code > 0 || code < EYOT_ELAST ? &UNKNOWN : &TEXTS[-code];
}

const char *eyot_strerror(int code) {
  return error_text_of(code)->meaning;
}

const char *eyot_errname(int code) {
  return error_text_of(code)->name;
}

bool eyoti_error_is_misuse(int code) {
  return error_text_of(code)->misuse;
}

const char *eyot_version(void) {
  return EYOT_VERSION_STRING;
}
