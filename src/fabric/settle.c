/* SPDX-License-Identifier: BSD-3-Clause */
/* settle.c - implements fab_settle (fabric_inline.h): after an error, waits until memory that was
 * given to operations is the caller's own again.
 *
 * Why it exists: a wait that fails does not show whether the operation will still land. A caller
 * that returned then would have the result written into a dead frame, or bytes sent from one. A
 * flush that succeeds shows that nothing refers to the caller's memory any more. It may itself
 * fail, once for a reason of its own, and once to report operations that it has completed; hence
 * some attempts. Those errors are not returned: the caller has an error to return already, and the
 * fabric has logged each. Those of other sets than the caller's remain for their own flushes. */
#include "base/log.h"
#include "fabric/fabric.h"

#define ATTEMPTS 8u

void fab_settle(struct fab *f, fab_unit_t unit) {
  int rc = EYOT_EFABRIC;
  for (uint32_t i = 0; i < ATTEMPTS && rc != EYOT_OK; i++) rc = fab_flush(f, unit, FAB_LOCAL);
  if (rc == EYOT_OK || rc == EYOT_EPEERDOWN) return; /* nothing lands from a unit that has left */
  eyoti_log(
      EYOTI_LOG_ERROR, f->note.what, rc,
      "operations to unit %d (-1: all) are in flight, and %u attempts to complete them have failed",
      (int)unit, ATTEMPTS);
  f->ops->abort(f, 1,
                "after an error operations are still in flight, which would write to memory that "
                "is in use for something else");
}

void fab_settle_set(struct fab *f, fab_unit_t unit) {
  const fab_set_t set = f->set;
  f->set = fab_set_now(f);
  fab_settle(f, unit);
  f->set = set;
}
