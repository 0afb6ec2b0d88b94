/* SPDX-License-Identifier: BSD-3-Clause */
/* give.c - messages that pass a buffer (eyot/own.h): sends and receives as all others (send.c,
 * recv.c), whose envelope has the buffer's address within a node. Between nodes a give is a send
 * from the buffer, which is freed when it was read, and a take a receive into a new one. */
#include <inttypes.h>

#include "msg/call.h"

int eyoti_msg_give_check(struct eyot_rt *rt, void *const *p, uint64_t bytes,
                         struct eyoti_owned **out) {
  struct eyoti_owned *o;
  if (p == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "p is NULL, expected the address of the pointer to the buffer");
  EYOTI_TRY(eyoti_owned_find(rt, *p, &o));
  if (bytes > o->capacity)
    return EYOTI_MSG_FAIL(rt, EYOT_ERANGE,
                          "the buffer has %" PRIu64 " bytes, less than the %" PRIu64
                          " of the message",
                          o->capacity, bytes);
  *out = o;
  return EYOT_OK;
}

/* Before a message has left, its buffer is the caller's again after an error. */
static bool has_left(int rc) {
  return rc != EYOT_ENOMEM && rc != EYOT_EINVAL && rc != EYOT_ETEAM && rc != EYOT_EUNIT &&
         rc != EYOT_EBUSY;
}

int eyoti_msg_give(struct eyot_rt *rt, const struct eyoti_msg_args *args, void **p,
                   eyot_msg_t *handle) {
  struct eyoti_msg_args a = *args;
  EYOTI_TRY(eyoti_msg_give_check(rt, p, a.record != NULL ? 0 : a.bytes, &a.given));
  a.buf = *p;
  eyoti_owned_give(rt, a.given);
  int rc =
      handle != NULL ? eyoti_msg_send_nb(rt, &a, false, handle) : eyoti_msg_send(rt, &a, false);
  if (has_left(rc))
    *p = NULL;
  else
    eyoti_owned_adopt(rt, a.given);
  return rc;
}

int eyot_own_give(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p, uint64_t bytes) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = to, .tag = tag, .bytes = bytes};
  return eyoti_msg_give(rt, &a, p, NULL);
}

int eyot_own_give_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p, uint64_t bytes,
                     eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = to, .tag = tag, .bytes = bytes};
  if (handle == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "handle is NULL, expected a place for it");
  return eyoti_msg_give(rt, &a, p, handle);
}

static int take_null(struct eyot_rt *rt) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "p is NULL, expected a place for the pointer");
}

int eyot_own_take(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                  eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = from, .tag = tag, .place = p};
  return p == NULL ? take_null(rt) : eyoti_msg_recv(rt, &a, status);
}

int eyot_own_take_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                     eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = from, .tag = tag, .place = p};
  return p == NULL ? take_null(rt) : eyoti_msg_recv_nb(rt, &a, handle);
}

int eyot_own_mtake(eyot_msg_t *message, void **p, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.place = p};
  return p == NULL ? take_null(rt) : eyoti_msg_mrecv(rt, message, &a, status);
}
