/* SPDX-License-Identifier: BSD-3-Clause */
/* notify.c - put and get that notify the target's owner through a counter (eyot/notify.h).
 *
 * A put's notification is a signal that adds, in the same message. A get's is a signal of its own,
 * sent when the bytes have arrived: only then may the owner overwrite them. Sources: Belli,
 * Hoefler: Notified Access: Extending Remote Memory Access Programming Models for Producer-Consumer
 * Synchronization, IPDPS 2015; Zhou: Communication Methods for Hierarchical Global Address Space
 * Models in HPC, dissertation, University of Stuttgart, 2016, section 9.2. */
#include "sync/notify/counter.h"

/* The accessed bytes and the counter must be at one unit, else nothing would order the notification
 * after the access. */
static int notify_check(struct eyot_rt *rt, eyot_gptr_t place, uint64_t len,
                        eyot_counter_t counter) {
  if (eyot_gptr_is_null(counter.at))
    return EYOTI_COUNTER_FAIL(rt, EYOT_ESEG,
                              "the counter is null: it was not made yet, or has been destroyed");
  if (len > 0 && !eyot_gptr_is_null(place) && place.unit != counter.at.unit)
    return EYOTI_COUNTER_FAIL(rt, EYOT_EUNIT,
                              "the bytes are at unit %u but the counter at unit %u; both must be "
                              "at one unit, see eyot_counter_at",
                              place.unit, counter.at.unit);
  return EYOT_OK;
}

static int notify_put(struct eyot_rt *rt, const struct eyoti_message *m, fab_req_t *req) {
  EYOTI_TRY(notify_check(rt, m->dst, m->len, (eyot_counter_t){m->sig}));
  return eyoti_rma_signal(rt, m, req);
}

int eyot_put_notify(eyot_gptr_t dst, const void *src, uint64_t len, eyot_counter_t counter,
                    uint64_t amount) {
  EYOTI_ENTER(rt);
  fab_req_t req = 0;
  EYOTI_TRY(notify_put(
      rt, &(struct eyoti_message){dst, src, len, counter.at, EYOT_SIGNAL_ADD, amount}, &req));
  return fab_req_end(rt->fab, counter.at.unit, req);
}

int eyot_put_notify_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_counter_t counter,
                       uint64_t amount, eyot_handle_t *handle) {
  EYOTI_ENTER(rt);
  if (handle == NULL)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "handle is NULL; use eyot_put_notify_nbi for an operation that is completed by flush");
  fab_req_t req = 0;
  EYOTI_TRY(notify_put(
      rt, &(struct eyoti_message){dst, src, len, counter.at, EYOT_SIGNAL_ADD, amount}, &req));
  eyoti_handle_give(rt, req, handle);
  return EYOT_OK;
}

int eyot_put_notify_nbi(eyot_gptr_t dst, const void *src, uint64_t len, eyot_counter_t counter,
                        uint64_t amount) {
  EYOTI_ENTER(rt);
  return notify_put(rt, &(struct eyoti_message){dst, src, len, counter.at, EYOT_SIGNAL_ADD, amount},
                    NULL);
}

/* Posts the get after all checks; *then is the signal to send when it is complete. */
static int notify_get(struct eyot_rt *rt, void *dst, eyot_gptr_t src, uint64_t len,
                      eyot_counter_t counter, uint64_t amount, struct fab_sig *then,
                      fab_req_t *req) {
  EYOTI_TRY(notify_check(rt, src, len, counter));
  *then = (struct fab_sig){.op = FAB_SIG_ADD, .value = amount};
  EYOTI_TRY(eyoti_rma_word_at(rt, counter.at, 8, "signal word", &then->at));
  *req = 0;
  return len == 0 ? EYOT_OK : eyoti_rma_get(rt, dst, src, len, req);
}

int eyot_get_notify(void *dst, eyot_gptr_t src, uint64_t len, eyot_counter_t counter,
                    uint64_t amount) {
  EYOTI_ENTER(rt);
  struct fab_sig then;
  fab_req_t req;
  EYOTI_TRY(notify_get(rt, dst, src, len, counter, amount, &then, &req));
  EYOTI_TRY(fab_req_end(rt->fab, then.at.unit, req));
  return fab_put_signal(rt->fab, then.at, NULL, 0, &then, NULL);
}

int eyot_get_notify_nb(void *dst, eyot_gptr_t src, uint64_t len, eyot_counter_t counter,
                       uint64_t amount, eyot_handle_t *handle) {
  EYOTI_ENTER(rt);
  if (handle == NULL) return EYOTI_FAIL(EYOT_EINVAL, "handle is NULL");
  struct fab_sig then;
  fab_req_t req;
  EYOTI_TRY(notify_get(rt, dst, src, len, counter, amount, &then, &req));
  return eyoti_follow(rt, req, &then, handle);
}
