/* fs_wait.h - how a unit waits: for a request, for all it has in flight, for a word.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FS_WAIT_H
#define EYOT_FS_WAIT_H

#include "fs_world.h"

/* The unit spends `ps` (at least 1, so that polling always gets on) and everything up to then happens. */
void fs_wait_spend(struct fs_unit *u, uint64_t ps);
/* The contract's operations. */
int fs_wait_req(struct fs_unit *u, fab_req_t req, enum fab_level level);
int fs_wait_test(struct fs_unit *u, fab_req_t req, enum fab_level level, bool *done);
int fs_wait_flush(struct fs_unit *u, fab_unit_t unit, enum fab_level level);
int fs_wait_order(struct fs_unit *u, fab_unit_t unit);
int fs_wait_word(struct fs_unit *u, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value, uint64_t timeout_ns, uint64_t *seen);
#endif
