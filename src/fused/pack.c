/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - messages of edges that pack and unpack (run.c). A message that is longer than the slots
 * is packed into the sender's heap, and the receiver gets it from there. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fused/state.h"

#define HEAD sizeof(struct eyoti_fused_head)
_Static_assert(HEAD == 16, "messages are aligned to 16 bytes");

static uint64_t pack_into(struct eyoti_fused *x, const struct eyoti_fused_end *e, void *buf,
                          uint64_t space) {
  struct eyoti_nest nest = eyoti_fused_enter(x);
  uint64_t bytes = x->ops.pack(x->ops.context, eyoti_fused_block(x, e), buf, space);
  eyoti_fused_leave(x, nest);
  return bytes;
}

/* The receiver is told, so that it does not wait for ever. Returns rc. */
static int pack_refuse(struct eyoti_fused *x, struct eyoti_fused_end *e, int rc) {
  struct eyoti_fused_head head = {.bytes = EYOTI_FUSED_REFUSED};
  (void)eyoti_fused_say(x, e, &head, HEAD, NULL);
  return rc;
}

static int pack_long(struct eyoti_fused *x, struct eyoti_fused_end *e, uint64_t bytes) {
  struct eyot_rt *rt = x->rt;
  struct eyoti_fused_head head;
  if (eyoti_gmem_own_take(rt, bytes, true, &head.source) != EYOT_OK)
    return pack_refuse(x, e,
                       EYOTI_FAIL(EYOT_ENOMEM,
                                  "the heap has no place for a packed message of %" PRIu64
                                  " bytes to unit %u; raise EYOT_HEAP_MAX",
                                  bytes, e->far.unit));
  char *to = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, head.source));
  head.bytes = pack_into(x, e, to, bytes);
  int rc = EYOT_OK;
  if (head.bytes > bytes)
    rc = EYOTI_FAIL(EYOT_EMISMATCH,
                    "pack has asked for %" PRIu64 " bytes for unit %u, and for %" PRIu64
                    " when it got them; expected at most as many",
                    bytes, e->far.unit, head.bytes);
  if (rc == EYOT_OK) rc = eyoti_fused_sync(x); /* the bytes are there before the message */
  if (rc == EYOT_OK) rc = eyoti_fused_say(x, e, &head, HEAD, NULL);
  if (rc != EYOT_OK) {
    eyoti_gmem_own_give(rt, head.source);
    return pack_refuse(x, e, rc);
  }
  e->copy = head.source;
  e->phase = EYOTI_FUSED_FETCH;
  e->awaited = x->number;
  return EYOT_OK;
}

/* -- stages ------------------------------------------------------------------------------------ */
/* A stage is written again in the exchange after the next. Requests are ended long before, as soon
 * as there are many younger ones, so that a unit with thousands of edges keeps few of them. */

static int lent_release(struct eyoti_fused *x, fab_req_t *req) {
  const fab_req_t old = *req;
  *req = 0;
  return fab_req_wait(x->rt->fab, old, FAB_RELEASE);
}

/* A place for the request of one more message. */
static int lent_add(struct eyoti_fused *x, fab_req_t **req) {
  struct eyoti_fused_lent *l = &x->lent[x->number % EYOTI_FUSED_SLOTS];
  *req = &l->req[l->n++ % EYOTI_FUSED_LENT];
  return lent_release(x, *req);
}

int eyoti_fused_lent_end(struct eyoti_fused *x, uint64_t number) {
  struct eyoti_fused_lent *l = &x->lent[number % EYOTI_FUSED_SLOTS];
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < l->n && i < EYOTI_FUSED_LENT; i++) {
    int rc_one = lent_release(x, &l->req[i]);
    if (rc == EYOT_OK) rc = rc_one;
  }
  l->n = 0;
  return rc;
}

/* -- messages ---------------------------------------------------------------------------------- */

int eyoti_fused_pack(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  uint32_t slot = (uint32_t)(x->number % EYOTI_FUSED_SLOTS);
  uint64_t space = x->ops.space_bytes;
  char *stage = x->base + e->slots + eyoti_fused_slots_bytes(x, e) + slot * x->message_bytes;
  fab_req_t *req;
  struct eyoti_fused_head head = {.bytes = pack_into(x, e, stage + HEAD, space)};
  if (head.bytes > space) return pack_long(x, e, head.bytes);
  memcpy(stage, &head, HEAD);
  int rc = lent_add(x, &req); /* an error of another edge's */
  int rc_say = eyoti_fused_say(x, e, stage, HEAD + head.bytes, req);
  return rc != EYOT_OK ? rc : rc_say;
}

int eyoti_fused_fetched(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  eyoti_gmem_own_give(x->rt, e->copy);
  e->copy = 0;
  return EYOT_OK;
}

static void unpack_from(struct eyoti_fused *x, const struct eyoti_fused_end *e, const void *buf,
                        uint64_t bytes) {
  struct eyoti_nest nest = eyoti_fused_enter(x);
  x->ops.unpack(x->ops.context, eyoti_fused_block(x, e), buf, bytes);
  eyoti_fused_leave(x, nest);
}

static int unpack_long(struct eyoti_fused *x, const struct eyoti_fused_end *e,
                       const struct eyoti_fused_head *head) {
  struct eyot_rt *rt = x->rt;
  char *buf = malloc(head->bytes + 1);
  if (buf == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a packed message of %" PRIu64 " bytes",
                      head->bytes);
  int rc =
      fab_get_wait(rt->fab, buf, eyoti_gmem_heap_at(rt, e->far.unit, head->source), head->bytes);
  if (rc == EYOT_OK) unpack_from(x, e, buf, head->bytes);
  free(buf);
  return rc;
}

int eyoti_fused_unpack(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  struct eyoti_fused_head head;
  const char *body = eyoti_fused_body(x, e);
  int rc = EYOT_OK;
  memcpy(&head, body, HEAD);
  if (head.bytes == EYOTI_FUSED_REFUSED)
    rc = EYOTI_FAIL(EYOT_EMISMATCH, "unit %u could not pack its message, and has said why",
                    e->far.unit);
  else if (head.source != 0)
    rc = unpack_long(x, e, &head);
  else
    unpack_from(x, e, body + HEAD, head.bytes);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* it was read before the slot is given back */
  int rc_say = eyoti_fused_say(x, e, NULL, 0, NULL);
  return rc != EYOT_OK ? rc : rc_say;
}

/* The answers to the last two messages. */
static int end_settle(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  uint64_t from = x->number > EYOTI_FUSED_SLOTS ? x->number - EYOTI_FUSED_SLOTS + 1 : 1;
  for (uint64_t k = from; k <= x->number; k++) {
    struct fab_cond cond = {.seg = x->own.seg,
                            .cmp = FAB_GE,
                            .off = x->own.off + eyoti_fused_own_slot(x, e, k),
                            .value = k};
    EYOTI_TRY(fab_wait_word(x->rt->fab, &cond, FAB_FOREVER, NULL));
  }
  return EYOT_OK;
}

int eyoti_fused_settle(struct eyoti_fused *x) {
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < EYOTI_FUSED_SLOTS; i++) {
    int rc_lent = eyoti_fused_lent_end(x, i);
    if (rc == EYOT_OK) rc = rc_lent;
  }
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    if (x->end[i].role != EYOTI_FUSED_PACKS) continue;
    int rc_end = end_settle(x, &x->end[i]);
    if (rc == EYOT_OK) rc = rc_end;
  }
  return rc;
}
