/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c - the probes of eyot/msg.h: they look for a message that has arrived, and wait as a
 * receive does, without being one. */
#include <stdlib.h>

#include "msg/arrivals.h"
#include "msg/call.h"
#include "msg/post.h"

/* An operation that is only the arguments of a probe. */
static int probe_new(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                     struct eyoti_msg_op **out) {
  EYOTI_TRY(eyoti_msg_recv_new(rt, m, a, out));
  int rc = eyoti_msg_want(rt, m, &(*out)->key, &(*out)->from);
  if (rc != EYOT_OK) eyoti_msg_op_free(rt, m, *out);
  return rc;
}

static void probe_status(const struct eyoti_msg_op *op, const struct eyoti_msg_arrival *a,
                         eyot_msg_status_t *status) {
  uint32_t from;
  bool member = eyoti_team_index(op->team, a->key.from, &from);
  EYOTI_ASSERT(member);
  if (status != NULL)
    *status = (eyot_msg_status_t){
        .from = {from}, .tag = a->key.tag, .bytes = eyoti_msg_bytes(&a->head, &a->ends)};
}

/* *found: the message, or NULL; it waits unless now. */
static int probe_look(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op, bool now,
                      struct eyoti_msg_arrival **found) {
  if (now) EYOTI_TRY(rt->fab->ops->progress(rt->fab));
  for (;;) {
    EYOTI_TRY(eyoti_msg_advance(rt, m));
    *found = eyoti_msg_find(m, &op->key);
    if (now || *found != NULL) return EYOT_OK;
    rt->about_message =
        (struct eyoti_about_message){.call = rt->fab->note.what,
                                     .unit = op->key.from,
                                     .tag = op->key.tag,
                                     .knocked = eyoti_msg_wants_new(m) ? eyoti_msg_knocked : NULL};
    int rc = eyoti_msg_await(rt, m, NULL, 0, FAB_FOREVER);
    rt->about_message.call = NULL;
    EYOTI_TRY(rc);
  }
}

/* message not NULL: takes the message out of matching, and gives it a handle. */
static int probe(struct eyot_rt *rt, const struct eyoti_msg_args *args, bool now, bool *found,
                 eyot_msg_t *message, eyot_msg_status_t *status) {
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  struct eyoti_msg_arrival *a = NULL;
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  int rc = probe_new(rt, m, args, &op);
  if (rc != EYOT_OK) return eyoti_msg_leave(rt, m, rc);
  rc = probe_look(rt, m, op, now, &a);
  eyoti_msg_unwant(m, op->from);
  if (rc == EYOT_OK && a != NULL && message != NULL) rc = eyoti_msg_op_name(rt, m, op);
  if (rc == EYOT_OK && a != NULL) probe_status(op, a, status);
  if (rc == EYOT_OK) *found = a != NULL;
  if (rc != EYOT_OK || a == NULL || message == NULL) {
    eyoti_msg_op_free(rt, m, op);
    return eyoti_msg_leave(rt, m, rc);
  }
  eyoti_msg_take(m, a);
  op->role = EYOTI_MSG_FOUND;
  op->found = a;
  *message = op->handle;
  return eyoti_msg_leave(rt, m, EYOT_OK);
}

static int probe_null(struct eyot_rt *rt, const char *name) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%s is NULL", name);
}

int eyot_probe(eyot_team_t team, eyot_tunit_t from, int32_t tag, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  bool found;
  return probe(rt, &(struct eyoti_msg_args){.team = team, .unit = from, .tag = tag}, false, &found,
               NULL, status);
}

int eyot_iprobe(eyot_team_t team, eyot_tunit_t from, int32_t tag, bool *found,
                eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  if (found == NULL) return probe_null(rt, "found");
  return probe(rt, &(struct eyoti_msg_args){.team = team, .unit = from, .tag = tag}, true, found,
               NULL, status);
}

int eyot_mprobe(eyot_team_t team, eyot_tunit_t from, int32_t tag, eyot_msg_t *message,
                eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  bool found;
  if (message == NULL) return probe_null(rt, "message");
  return probe(rt, &(struct eyoti_msg_args){.team = team, .unit = from, .tag = tag}, false, &found,
               message, status);
}

int eyot_improbe(eyot_team_t team, eyot_tunit_t from, int32_t tag, bool *found, eyot_msg_t *message,
                 eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  if (found == NULL || message == NULL) return probe_null(rt, found == NULL ? "found" : "message");
  return probe(rt, &(struct eyoti_msg_args){.team = team, .unit = from, .tag = tag}, true, found,
               message, status);
}
