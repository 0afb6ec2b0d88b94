/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.h - the one list of lock kinds, for lock.c, lock_make.c and lock_table.c.
 *
 * To add a kind: its value in include/eyot/lock.h, a file that defines its eyoti_lock_<name>, and
 * an entry here; its tests begin in tests/support/lock_kinds.def. All other files read struct
 * eyoti_lock_ops to learn a kind's properties and needs. */
#ifndef EYOT_SYNC_LOCKS_KINDS_H
#define EYOT_SYNC_LOCKS_KINDS_H

#include "sync/locks/lock.h"

/* X(of EYOT_LOCK_<KIND>, of eyoti_lock_<name>), in the order of eyot_lock_kind_t. */
#define EYOTI_LOCK_KINDS(X) \
  X(MCS, mcs)               \
  X(HIER, hier)             \
  X(RW, rw)                 \
  X(EPOCH, epoch)           \
  X(TAS, tas)               \
  X(TICKET, ticket)

#define EYOTI_LOCK_KIND_DECLARE(KIND, name) extern const struct eyoti_lock_ops eyoti_lock_##name;
EYOTI_LOCK_KINDS(EYOTI_LOCK_KIND_DECLARE)
#undef EYOTI_LOCK_KIND_DECLARE

/* The operations of a kind; NULL if there is no such kind. */
const struct eyoti_lock_ops *eyoti_lock_kind(eyot_lock_kind_t kind);

/* Checks the attributes that the kind uses. Errors: EINVAL (logged). */
int eyoti_lock_check_attr(struct eyot_rt *rt, const eyot_lock_attr_t *attr);

/* For messages: the names of the kinds that `has` selects, as in "mcs, tas and ticket". */
#define EYOTI_LOCK_NAMES_BYTES 96u
const char *eyoti_lock_kind_names(bool (*has)(const struct eyoti_lock_ops *ops),
                                  char text[EYOTI_LOCK_NAMES_BYTES]);
#endif
