/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - the names and meanings of the error codes, in one table (eyot/init.h), and the
 * version. */
#include <eyot/init.h>

struct error_text {
  const char *name;
  const char *meaning;
};

static const struct error_text TEXTS[] = {
    {"EYOT_OK", "success"},
    {"EYOT_EINVAL", "invalid argument"},
    {"EYOT_ENOMEM", "out of memory"},
    {"EYOT_ERANGE", "out of range"},
    {"EYOT_EUNIT", "no such unit, or not a member"},
    {"EYOT_ETEAM", "null, destroyed or foreign team"},
    {"EYOT_ESEG", "null, freed or foreign global pointer"},
    {"EYOT_EMISMATCH", "members called a collective with different arguments"},
    {"EYOT_ESTATE", "not possible in this state"},
    {"EYOT_ETHREAD", "called by a thread other than the unit's own"},
    {"EYOT_EPEERDOWN", "the target unit has left or failed, or cannot be reached"},
    {"EYOT_ETIMEOUT", "timed out"},
    {"EYOT_ENOTSUP", "not supported by this fabric"},
    {"EYOT_ESYS", "the operating system or MPI refused"},
    {"EYOT_EFABRIC", "the fabric cannot be loaded"},
    {"EYOT_EALIGN", "not aligned"},
    {"EYOT_EBUSY", "a bounded resource is in use"},
};

_Static_assert(sizeof(TEXTS) / sizeof(TEXTS[0]) == 1 - EYOT_ELAST, "one text for each error code");

static const struct error_text UNKNOWN = {"EYOT_E?", "unknown error code"};

static const struct error_text *error_text_of(int code) {
  return code > 0 || code < EYOT_ELAST ? &UNKNOWN : &TEXTS[-code];
}

const char *eyot_strerror(int code) {
  return error_text_of(code)->meaning;
}

const char *eyot_errname(int code) {
  return error_text_of(code)->name;
}

const char *eyot_version(void) {
  return EYOT_VERSION_STRING;
}
