/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/msg.h - two-sided messages: sends and receives that are matched by team, unit and tag.
 *
 * A receive gets the earliest message that matches it: of those of one sender in one team that
 * match, the one that was sent first (messages do not overtake each other). A message goes to the
 * earliest posted receive that matches it. Semantics, names and statuses follow MPI, so that an
 * interface of MPI's calls needs no matching of its own. Called by one unit. Sources: A. Friedley,
 * "Shared Memory Optimizations for Distributed Memory Programming Models", 2013, sections 3.1-3.2;
 * MPI 3.1, section 3. docs/two-sided.md has protocols, costs and what makes progress when. Thread
 * rule: that of eyot/init.h. */
#ifndef EYOT_MSG_H
#define EYOT_MSG_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any sender, any tag: for receives and probes. */
#define EYOT_ANY_UNIT ((eyot_tunit_t){UINT32_MAX})
#define EYOT_ANY_TAG (-1)

/* A message: a send or a receive that was started, or a message that eyot_mprobe has found. A
 * value; 0 is "complete already" and may be waited for. */
typedef struct eyot_msg {
  uint64_t id;
} eyot_msg_t;
#define EYOT_MSG_DONE ((eyot_msg_t){0})

/* What a receive has got, or a probe has found. */
typedef struct eyot_msg_status {
  eyot_tunit_t from; /* in the team of the call */
  int32_t tag;
  uint64_t bytes;   /* received; of a probe, the bytes of the message */
  uint64_t dropped; /* the bytes of the message that the buffer had no space for (ERANGE) */
} eyot_msg_status_t;

/* Common errors: ESTATE, ETEAM, EUNIT (not a member of the team), EINVAL (tag below 0, other than
 * EYOT_ANY_TAG in a receive; NULL buffer of more than 0 bytes; a send of more than 2^57), ENOMEM.
 * Sends to a unit that has crashed return EPEERDOWN where the fabric notices (docs/fabrics.md). */

/* eyot_send sends `bytes` bytes of buf to unit `to` of the team, with a tag of 0 or more. Blocking:
 * buf may be reused on return. Up to EYOT_MSG_EAGER bytes it returns without waiting for the
 * receiver, unless the caller has more than EYOT_MSG_BUFFER bytes in such messages that were not
 * received; else when the message was received. With EYOT_MSG_EAGER=0 every send is an eyot_ssend.
 * eyot_ssend returns when the message was matched by a receive, and buf may be reused. */
EYOT_RET int eyot_send(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf,
                       uint64_t bytes);
EYOT_RET int eyot_ssend(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf,
                        uint64_t bytes);
/* eyot_recv receives a message of at most `bytes` bytes into buf. Blocking. from may be
 * EYOT_ANY_UNIT, tag EYOT_ANY_TAG. status may be NULL. Errors: ERANGE (the message is longer: its
 * first `bytes` bytes are received, the others dropped; *status is written). */
EYOT_RET int eyot_recv(eyot_team_t team, eyot_tunit_t from, int32_t tag, void *buf, uint64_t bytes,
                       eyot_msg_status_t *status);
/* eyot_sendrecv is a send and a receive at the same time; the buffers must not overlap (EINVAL). */
EYOT_RET int eyot_sendrecv(eyot_team_t team, eyot_tunit_t to, int32_t send_tag, const void *send,
                           uint64_t send_bytes, eyot_tunit_t from, int32_t recv_tag, void *recv,
                           uint64_t recv_bytes, eyot_msg_status_t *status);

/* The _nb forms start a send or a receive; *handle stands for it until it is complete, and the
 * buffer is the message's until then. They do not wait for other units' calls. What was started
 * goes on in every call of eyot of the unit. Errors: also EINVAL (handle is NULL), EBUSY (no handle
 * is left). */
EYOT_RET int eyot_send_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf,
                          uint64_t bytes, eyot_msg_t *handle);
EYOT_RET int eyot_ssend_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf,
                           uint64_t bytes, eyot_msg_t *handle);
EYOT_RET int eyot_recv_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void *buf,
                          uint64_t bytes, eyot_msg_t *handle);

/* These complete what was started. A handle that is complete is EYOT_MSG_DONE on return, also after
 * an error of the message, which they return. status may be NULL; it is written for receives.
 * eyot_msg_wait blocks; eyot_msg_wait_timeout returns ETIMEOUT after timeout_ns, and the handle
 * stays; eyot_msg_test does not block, and writes *done. eyot_msg_wait_all waits for n; statuses is
 * NULL or has n; it returns the first error. eyot_msg_wait_any waits for one of n that are not
 * EYOT_MSG_DONE, and writes its index; n if there is none. Errors: those of the message; EINVAL (no
 * handle of this unit, a message of eyot_mprobe, or NULL). */
EYOT_RET int eyot_msg_wait(eyot_msg_t *handle, eyot_msg_status_t *status);
EYOT_RET int eyot_msg_wait_timeout(eyot_msg_t *handle, uint64_t timeout_ns,
                                   eyot_msg_status_t *status);
EYOT_RET int eyot_msg_test(eyot_msg_t *handle, bool *done, eyot_msg_status_t *status);
EYOT_RET int eyot_msg_wait_all(eyot_msg_t *handles, size_t n, eyot_msg_status_t *statuses);
EYOT_RET int eyot_msg_wait_any(eyot_msg_t *handles, size_t n, size_t *index,
                               eyot_msg_status_t *status);
/* For interfaces whose requests are structures that have a handle among others: at[i] is NULL, or
 * points to one, whose handle begins `offset` bytes after its begin. eyot_msg_wait_any_in is
 * eyot_msg_wait_any for these. eyot_msg_test_any_in does not block: *done with an index below n:
 * that one is complete; *done with n: there is none to wait for; else none is over yet. Errors: as
 * above. */
EYOT_RET int eyot_msg_wait_any_in(void *const *at, size_t n, size_t offset, size_t *index,
                                  eyot_msg_status_t *status);
EYOT_RET int eyot_msg_test_any_in(void *const *at, size_t n, size_t offset, size_t *index,
                                  bool *done, eyot_msg_status_t *status);
/* eyot_msg_cancel takes a receive back unless a message has matched it: *cancelled, and then the
 * handle is EYOT_MSG_DONE; else it is to be completed as ever. Local. Errors: EINVAL (no handle of
 * a receive of this unit, or NULL). */
EYOT_RET int eyot_msg_cancel(eyot_msg_t *handle, bool *cancelled);

/* eyot_probe blocks until a message is there that a receive with these arguments would get, and
 * describes it; eyot_iprobe does not block, and writes *found. The message stays. */
EYOT_RET int eyot_probe(eyot_team_t team, eyot_tunit_t from, int32_t tag,
                        eyot_msg_status_t *status);
EYOT_RET int eyot_iprobe(eyot_team_t team, eyot_tunit_t from, int32_t tag, bool *found,
                         eyot_msg_status_t *status);
/* eyot_mprobe and eyot_improbe find a message in the same way and take it out of matching: *message
 * stands for it, until eyot_mrecv or eyot_mrecv_nb receives it. eyot_improbe writes *message only
 * if it has found one. eyot_mrecv sets *message to EYOT_MSG_DONE; eyot_mrecv_nb makes it a handle
 * of a receive. Errors: as eyot_recv; EINVAL (no message of eyot_mprobe, or NULL); EBUSY. */
EYOT_RET int eyot_mprobe(eyot_team_t team, eyot_tunit_t from, int32_t tag, eyot_msg_t *message,
                         eyot_msg_status_t *status);
EYOT_RET int eyot_improbe(eyot_team_t team, eyot_tunit_t from, int32_t tag, bool *found,
                          eyot_msg_t *message, eyot_msg_status_t *status);
EYOT_RET int eyot_mrecv(eyot_msg_t *message, void *buf, uint64_t bytes, eyot_msg_status_t *status);
EYOT_RET int eyot_mrecv_nb(eyot_msg_t *message, void *buf, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
