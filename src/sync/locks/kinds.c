/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.c - implements kinds.h: the table of lock kinds, and messages that name kinds. */
#include "sync/locks/kinds.h"

#include <stdio.h>

#include "sync/locks/locks.h"

#define KIND_OPS(KIND, name) [EYOT_LOCK_##KIND] = &eyoti_lock_##name,
static const struct eyoti_lock_ops *const KINDS[] = {EYOTI_LOCK_KINDS(KIND_OPS)};

#define KIND_CONSTANT(KIND, name) [EYOT_LOCK_##KIND] = "EYOT_LOCK_" #KIND,
static const char *const CONSTANTS[] = {EYOTI_LOCK_KINDS(KIND_CONSTANT)};

#define KIND_COUNTED(KIND, name) +1
_Static_assert(EYOTI_LOCK_KINDS(KIND_COUNTED) == EYOT_LOCK_KIND_COUNT &&
                   sizeof KINDS / sizeof KINDS[0] == EYOT_LOCK_KIND_COUNT,
               "an entry for each value of eyot_lock_kind_t");

const struct eyoti_lock_ops *eyoti_lock_kind(eyot_lock_kind_t kind) {
  return (uint32_t)kind < EYOT_LOCK_KIND_COUNT ? KINDS[kind] : NULL;
}

const char *eyot_lock_kind_name(eyot_lock_kind_t kind) {
  const struct eyoti_lock_ops *ops = eyoti_lock_kind(kind);
  return ops != NULL ? ops->name : "?";
}

int eyoti_lock_check_attr(struct eyot_rt *rt, const eyot_lock_attr_t *attr) {
  const struct eyoti_lock_ops *ops = eyoti_lock_kind(attr->kind);
  if (ops == NULL)
    return EYOTI_LOCK_FAIL(rt, EYOT_EINVAL, "there is no lock kind %d, expected %s..%s",
                           (int)attr->kind, CONSTANTS[0], CONSTANTS[EYOT_LOCK_KIND_COUNT - 1]);
  return ops->check_attr != NULL ? ops->check_attr(rt, attr) : EYOT_OK;
}

const char *eyoti_lock_kind_names(bool (*has)(const struct eyoti_lock_ops *ops),
                                  char text[EYOTI_LOCK_NAMES_BYTES]) {
  uint32_t left = 0;
  size_t at = 0;
  text[0] = '\0';
  for (uint32_t k = 0; k < EYOT_LOCK_KIND_COUNT; k++) left += has(KINDS[k]);
  for (uint32_t k = 0; k < EYOT_LOCK_KIND_COUNT; k++) {
    if (!has(KINDS[k])) continue;
    const char *before = at == 0 ? "" : left == 1 ? " and " : ", ";
    int n = snprintf(text + at, EYOTI_LOCK_NAMES_BYTES - at, "%s%s", before, KINDS[k]->name);
    EYOTI_ASSERT(n > 0 && (size_t)n < EYOTI_LOCK_NAMES_BYTES - at);
    at += (size_t)n;
    left--;
  }
  return text;
}
