/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - what the public functions of messages share: the checks of arguments, and the end of an
 * operation. For send.c, recv.c, complete.c and probe.c. */
#ifndef EYOT_MSG_CALL_H
#define EYOT_MSG_CALL_H

#include "msg/state.h"

/* The arguments of a send, a receive or a probe. */
struct eyoti_msg_args {
  eyot_team_t team;
  eyot_tunit_t unit;
  int32_t tag;
  const void *buf;
  uint64_t bytes;
  struct eyoti_owned *given;       /* a send that passes this buffer; else NULL */
  void **place;                    /* a receive that takes a buffer, and puts its address there */
  struct eyoti_owned *record;      /* of a give's layout (layout.h), or NULL */
  const eyot_own_layout_t *layout; /* of a take, or NULL */
  bool borrows;                    /* it only borrows it */
  bool apart;                      /* matched only with others that are */
};

/* Checks the arguments of a send, and makes it. Errors: ETEAM, EUNIT, EINVAL, ENOMEM. */
int eyoti_msg_send_new(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                       struct eyoti_msg_op **out);
/* The same for a receive, which may name any unit and any tag. */
int eyoti_msg_recv_new(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                       struct eyoti_msg_op **out);
/* The bodies of eyot_send, eyot_send_nb, eyot_recv and eyot_recv_nb, for these and for gives and
 * takes. */
int eyoti_msg_send(struct eyot_rt *rt, const struct eyoti_msg_args *a, bool sync);
int eyoti_msg_send_nb(struct eyot_rt *rt, const struct eyoti_msg_args *a, bool sync,
                      eyot_msg_t *handle);
int eyoti_msg_recv(struct eyot_rt *rt, const struct eyoti_msg_args *a, eyot_msg_status_t *status);
int eyoti_msg_recv_nb(struct eyot_rt *rt, const struct eyoti_msg_args *a, eyot_msg_t *handle);
/* Makes a message that a probe has found an operation that receives it, as `a` says. Errors:
 * EINVAL. */
int eyoti_msg_found_receive(struct eyot_rt *rt, struct eyoti_msgs *m, eyot_msg_t *message,
                            const struct eyoti_msg_args *a, struct eyoti_msg_op **out);
/* give.c: checks the buffer of a give. Errors: EINVAL, ESEG, EBUSY, ERANGE. */
int eyoti_msg_give_check(struct eyot_rt *rt, void *const *p, uint64_t bytes,
                         struct eyoti_owned **out);
/* give.c: the body of gives; handle NULL: blocking. After an error *p is NULL if it is lost. */
int eyoti_msg_give(struct eyot_rt *rt, const struct eyoti_msg_args *a, void **p,
                   eyot_msg_t *handle);
/* The body of eyot_mrecv. */
int eyoti_msg_mrecv(struct eyot_rt *rt, eyot_msg_t *message, const struct eyoti_msg_args *a,
                    eyot_msg_status_t *status);
/* Gives a receive the message that is there, or posts it. Errors: ENOMEM. */
int eyoti_msg_recv_start(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op);
/* express.c: the plain cases of eyot_send and eyot_send_nb, eyot_recv and eyot_recv_nb, done at
 * once. False: this is none, and nothing was done. */
bool eyoti_msg_send_at_once(struct eyot_rt *rt, struct eyoti_msgs *m,
                            const struct eyoti_msg_args *a, int *rc);
bool eyoti_msg_recv_next(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                         eyot_msg_status_t *status, int *rc);
bool eyoti_msg_recv_nb_next(struct eyot_rt *rt, struct eyoti_msgs *m,
                            const struct eyoti_msg_args *a, eyot_msg_t *handle, int *rc);
/* stream.c: completes the first of n handles, as long as they are of receives that are over without
 * an error, or become so by what their peers' rings have, which are read for a while; returns how
 * many. *rc: the error of a peer's credit. statuses: NULL, or n of them. */
size_t eyoti_msg_wait_stored(struct eyot_rt *rt, eyot_msg_t *handles, size_t n,
                             eyot_msg_status_t *statuses, int *rc);
/* The operation of a handle; NULL: it is complete already. Errors: EINVAL. */
int eyoti_msg_handle_op(struct eyot_rt *rt, const eyot_msg_t *handle, struct eyoti_msg_op **op);
/* The status of what has none. */
static inline void eyoti_msg_status_clear(eyot_msg_status_t *status) {
  if (status != NULL) *status = (eyot_msg_status_t){.from = EYOT_ANY_UNIT, .tag = EYOT_ANY_TAG};
}
/* Completes an operation that is over, and frees it; returns its result. */
int eyoti_msg_complete(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                       eyot_msg_status_t *status);
/* Waits for an operation that has no handle, and completes it; one that cannot be waited for is
 * given up. */
int eyoti_msg_end(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                  eyot_msg_status_t *status);
#endif
