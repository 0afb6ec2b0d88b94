/* lock.c - the public operations on locks. SPDX-License-Identifier: BSD-3-Clause */
#include "locks.h"

const char *eyot_lock_kind_name(eyot_lock_kind_t kind) {
  static const char *const NAMES[EYOT_LOCK_KINDS] = {"mcs", "hier", "rw", "epoch", "tas"};
  return (uint32_t)kind < EYOT_LOCK_KINDS ? NAMES[kind] : "?";
}
