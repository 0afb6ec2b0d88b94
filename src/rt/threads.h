/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.h - which threads of a unit may call eyot (eyot/init.h), and the unit's lock at
 * EYOT_THREAD_MULTIPLE. For rt.h, init, and layers that keep state while they wait.
 *
 * rt->owner is the thread that may call now, so that the check at the beginning of each public
 * function is one comparison at every level. FUNNELED: the owner never changes. SERIALIZED: it
 * becomes whoever calls. MULTIPLE: it is the thread that has the lock, or NULL; a call of another
 * thread takes the lock, and gives it back when it returns (EYOTI_ENTER) and while it waits for a
 * word (threads.c). docs/adr/0046. */
#ifndef EYOT_RT_THREADS_H
#define EYOT_RT_THREADS_H

#include <stdbool.h>

#include "fabric/fabric.h"

struct eyot_rt;
struct eyoti_threads; /* the lock */

/* A public function is called by a thread that is not the owner. EYOT_OK: the call goes on, and
 * *entered is the runtime if the lock was taken for it (else as it was). Else the code of
 * eyoti_rt_refuse, which has logged. */
int eyoti_threads_admit(struct eyot_rt *rt, const char *function, const void *site,
                        struct eyot_rt **entered);
/* The same for a function that may be called at any time: takes the lock where there is one. False:
 * the caller is not admitted, and nothing is logged. */
bool eyoti_threads_pass(struct eyot_rt *rt, struct eyot_rt **entered);
/* Gives the lock back at the end of such a call. */
void eyoti_threads_leave(struct eyot_rt *rt);

/* Called by eyot_init, after the fabric is open and before the layers start: sets rt->thread_level,
 * and makes the lock and its endpoint. The caller has the lock until eyoti_threads_started. Errors:
 * ENOMEM, ESYS. */
int eyoti_threads_start(struct eyot_rt *rt, uint32_t asked);
void eyoti_threads_started(struct eyot_rt *rt);
/* Called after the layers have stopped, with the lock: from then on only the caller may call. */
void eyoti_threads_stop(struct eyot_rt *rt);
/* The level that the user (EYOT_THREADS) or the program asks for. Errors: EINVAL. */
EYOT_API int eyoti_threads_wanted(uint32_t asked, uint32_t *level);

/* Waits for an operation that may need a call of another thread of its target, and lets the other
 * threads of the unit call meanwhile. Errors: the operation's. */
int eyoti_threads_req_wait(struct eyot_rt *rt, fab_req_t req, enum fab_level level);

/* Between the two, no other thread of the unit is between its two, even while the caller waits: for
 * what a unit has one of. Without the lock they do nothing. */
void eyoti_threads_alone_begin(struct eyot_rt *rt);
void eyoti_threads_alone_end(struct eyot_rt *rt);
#endif
