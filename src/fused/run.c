/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - one exchange: the calls that start, test and end it.
 *
 * On an edge whose ends share addresses, the end that does not run `fused` shows: it sends its
 * block of the program with the number k of the exchange, and waits for k. The other end waits for
 * that, runs `fused`, and sends k back. So a member's data is accessed by another one only between
 * its own start and the end of its wait, and numbers, unlike the flags of the source's figure 5.4,
 * cannot be those of an exchange before. On all other edges the sender packs into one of two slots
 * of the receiver's, which sends k back when it has unpacked: the sender of k waits for the answer
 * to k - 2. A member unpacks nothing before it has packed all, so what it gets may take the place
 * of what it sends; nobody waits for ever, as the answer to k needs messages up to k only. */
#include <stdlib.h>
#include <string.h>

#include "fused/state.h"
#include "teams/order.h"

#define CONDS_ON_STACK 24u

int eyoti_fused_sync(struct eyoti_fused *x) {
  /* Stores of the CPU are all that is in flight, and a message's word is one more, with release. A
   * full fence would have the processor get the lines of all that it has moved before it asks for
   * that of the word: twice the way between two processors. */
  if (x->rt->fab->quiet) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return EYOT_OK;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* as eyot_sync */
  return fab_flush(x->rt->fab, x->rt->fab->me, FAB_REMOTE);
}

int eyoti_fused_say(struct eyoti_fused *x, const struct eyoti_fused_end *e, const void *src,
                    uint64_t len, fab_req_t *req) {
  struct fab_addr at = e->far;
  at.off += x->number % EYOTI_FUSED_SLOTS * eyoti_fused_stride(x, e->role ^ 1, !e->out);
  struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = x->number};
  at.off += EYOTI_FUSED_BODY;
  fab_req_t own;
  EYOTI_TRY(fab_message(x->rt->fab, at, src, len, &sig, NULL, &own));
  if (req == NULL) return fab_req_release(x->rt->fab, at.unit, own);
  *req = own;
  return EYOT_OK;
}

/* -- the ends of edges ------------------------------------------------------------------------- */

static int end_show(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  uint32_t len = e->out ? x->ops.send_bytes : x->ops.recv_bytes;
  return eyoti_fused_say(x, e, eyoti_fused_block(x, e), len, NULL);
}

static int end_move(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  const void *mine = eyoti_fused_block(x, e), *other = eyoti_fused_body(x, e);
  struct eyoti_nest nest = eyoti_fused_enter(x);
  x->ops.fused(x->ops.context, e->out ? mine : other, e->out ? other : mine);
  eyoti_fused_leave(x, nest);
  EYOTI_TRY(eyoti_fused_sync(x)); /* what it has moved is there before the word */
  return eyoti_fused_say(x, e, NULL, 0, NULL);
}

/* What an end does when the word of its slot has the value that it waits for. */
static int end_step(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  const uint8_t was = e->phase;
  e->phase = EYOTI_FUSED_OVER;
  switch ((enum eyoti_fused_role)e->role) {
    case EYOTI_FUSED_SHOWS:
      return EYOT_OK;
    case EYOTI_FUSED_MOVES:
      return end_move(x, e);
    case EYOTI_FUSED_PACKS:
      if (was == EYOTI_FUSED_FETCH) return eyoti_fused_fetched(x, e);
      x->to_pack--;
      return eyoti_fused_pack(x, e);
    case EYOTI_FUSED_UNPACKS:
      break;
  }
  return eyoti_fused_unpack(x, e);
}

static void end_start(struct eyoti_fused *x, struct eyoti_fused_end *e) {
  e->phase = EYOTI_FUSED_TURN;
  e->awaited = x->number;
  if (e->role != EYOTI_FUSED_PACKS) return;
  x->to_pack++;
  e->awaited = x->number > EYOTI_FUSED_SLOTS ? x->number - EYOTI_FUSED_SLOTS : 0;
}

/* An error of one edge does not keep the others from their end. */
static void note(struct eyoti_fused *x, int rc) {
  if (x->failed == EYOT_OK) x->failed = rc;
}

/* Whether its next step is up to the word of its slot alone. */
static bool end_waits(const struct eyoti_fused *x, const struct eyoti_fused_end *e) {
  return e->phase != EYOTI_FUSED_OVER && (e->role != EYOTI_FUSED_UNPACKS || x->to_pack == 0);
}

static bool end_ready(const struct eyoti_fused *x, const struct eyoti_fused_end *e) {
  return end_waits(x, e) &&
         eyoti_load_own(x->base + eyoti_fused_own_slot(x, e, x->number)) >= e->awaited;
}

/* Continues all ends as far as words have come, those too that come while it does. Returns how many
 * are not over. */
static uint32_t ends_advance(struct eyoti_fused *x) {
  uint32_t left, stepped;
  do {
    left = stepped = 0;
    for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
      struct eyoti_fused_end *e = &x->end[i];
      if (end_ready(x, e)) {
        stepped++;
        note(x, end_step(x, e));
      }
      left += e->phase != EYOTI_FUSED_OVER;
    }
  } while (left > 0 && stepped > 0);
  return left;
}

/* Of a wait: it is for the members at the other ends that are not over. */
static bool awaits(const void *exchange, uint32_t unit, uint32_t notified) {
  const struct eyoti_fused *x = exchange;
  (void)notified;
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++)
    if (x->end[i].phase != EYOTI_FUSED_OVER && eyoti_team_unit(x->t, x->end[i].member) == unit)
      return true;
  return false;
}

/* The words that ends wait for; returns the first such end, and their number. */
static const struct eyoti_fused_end *words_collect(const struct eyoti_fused *x,
                                                   struct fab_cond *conds, uint32_t *many) {
  const struct eyoti_fused_end *first = NULL;
  *many = 0;
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) {
    const struct eyoti_fused_end *e = &x->end[i];
    if (!end_waits(x, e)) continue;
    if (first == NULL) first = e;
    conds[(*many)++] = (struct fab_cond){.seg = x->own.seg,
                                         .cmp = FAB_GE,
                                         .off = x->own.off + eyoti_fused_own_slot(x, e, x->number),
                                         .value = e->awaited};
  }
  return first;
}

/* Waits until one of the `left` ends that are not over can go on. ETIMEOUT (not logged). */
static int ends_await(struct eyoti_fused *x, uint32_t left, uint64_t timeout_ns) {
  struct eyot_rt *rt = x->rt;
  struct fab_cond few[CONDS_ON_STACK], *conds = few;
  uint32_t which;
  EYOTI_ASSERT(left > 0);
  if (left > CONDS_ON_STACK && (conds = malloc(left * sizeof *conds)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to wait for %u edges", left);
  const struct eyoti_fused_end *first = words_collect(x, conds, &left);
  eyoti_team_waits_aside(rt, x->t, awaits, x);
  rt->about_message = (struct eyoti_about_message){.call = rt->fab->note.what,
                                                   .unit = eyoti_team_unit(x->t, first->member),
                                                   .no_tag = true,
                                                   .to = first->out};
  int rc = fab_wait_any(rt->fab, conds, left, timeout_ns, &which);
  rt->about_message.call = NULL;
  if (conds != few) free(conds);
  return rc;
}

/* -- calls ------------------------------------------------------------------------------------- */

static int blocks_copy(struct eyoti_fused *x, const void *send, const void *recv) {
  uint64_t send_len = (uint64_t)x->destinations * x->ops.send_bytes;
  uint64_t recv_len = (uint64_t)x->sources * x->ops.recv_bytes;
  if ((send == NULL && send_len > 0) || (recv == NULL && recv_len > 0))
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected %u blocks of %u bytes",
                      send == NULL && send_len > 0 ? "send" : "recv",
                      send == NULL && send_len > 0 ? x->destinations : x->sources,
                      send == NULL && send_len > 0 ? x->ops.send_bytes : x->ops.recv_bytes);
  if (send_len > 0) memcpy(x->send, send, send_len);
  if (recv_len > 0) memcpy(x->recv, recv, recv_len);
  eyoti_observe_reads(x->rt, send, send_len);
  eyoti_observe_reads(x->rt, recv, recv_len);
  return EYOT_OK;
}

static int exchange_start(struct eyot_rt *rt, eyot_exchange_t name, const void *send,
                          const void *recv, struct eyoti_fused **out) {
  struct eyoti_fused *x;
  EYOTI_TRY(eyoti_fused_find(rt, name, &x));
  if (x->started)
    return EYOTI_FAIL(EYOT_EBUSY, "%s",
                      x->inside ? "a function of this exchange has called it"
                                : "the exchange is started already: call eyot_exchange_wait first");
  if (eyoti_team_is_apart(x->t)) return eyoti_team_refuse_apart(x->t);
  EYOTI_TRY(blocks_copy(x, send, recv));
  x->started = true;
  x->site = eyoti_rt_site(rt);
  x->number++;
  x->failed = EYOT_OK;
  x->to_pack = 0;
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++) end_start(x, &x->end[i]);
  note(x, eyoti_fused_lent_end(x, x->number));
  note(x, eyoti_fused_sync(x)); /* what the program has stored is there before the others look */
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++)
    if (x->end[i].role == EYOTI_FUSED_SHOWS) note(x, end_show(x, &x->end[i]));
  *out = x;
  return EYOT_OK;
}

static int exchange_wait(struct eyoti_fused *x) {
  for (uint32_t left; (left = ends_advance(x)) > 0;) {
    int rc = ends_await(x, left, FAB_FOREVER);
    if (rc == EYOT_OK) continue;
    note(x, rc);
    break;
  }
  x->started = false;
  return x->failed;
}

/* For the calls that continue one. */
static int exchange_find(struct eyot_rt *rt, eyot_exchange_t name, struct eyoti_fused **out) {
  EYOTI_TRY(eyoti_fused_find(rt, name, out));
  if ((*out)->inside) return EYOTI_FAIL(EYOT_EBUSY, "a function of this exchange has called it");
  if (!(*out)->started)
    return EYOTI_FAIL(EYOT_ESTATE, "the exchange is not started: call eyot_exchange_start first");
  return EYOT_OK;
}

int eyot_exchange(eyot_exchange_t exchange, const void *send, const void *recv) {
  EYOTI_ENTER(rt);
  struct eyoti_fused *x;
  EYOTI_TRY(exchange_start(rt, exchange, send, recv, &x));
  return exchange_wait(x);
}

int eyot_exchange_start(eyot_exchange_t exchange, const void *send, const void *recv) {
  EYOTI_ENTER(rt);
  struct eyoti_fused *x;
  EYOTI_TRY(exchange_start(rt, exchange, send, recv, &x));
  (void)ends_advance(x); /* its errors are those of eyot_exchange_wait */
  return EYOT_OK;
}

int eyot_exchange_test(eyot_exchange_t exchange, bool *done) {
  EYOTI_ENTER(rt);
  struct eyoti_fused *x;
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  EYOTI_TRY(exchange_find(rt, exchange, &x));
  const uint32_t left = ends_advance(x);
  if (left > 0) {
    int rc = ends_await(x, left, 0);
    if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
    if (rc == EYOT_ETIMEOUT || ends_advance(x) > 0) {
      *done = false;
      return eyoti_order_poll(rt);
    }
  }
  x->started = false;
  *done = true;
  return x->failed;
}

int eyot_exchange_wait(eyot_exchange_t exchange) {
  EYOTI_ENTER(rt);
  struct eyoti_fused *x;
  EYOTI_TRY(exchange_find(rt, exchange, &x));
  return exchange_wait(x);
}

int eyot_exchange_edges(eyot_exchange_t exchange, uint32_t *sent, uint32_t *received) {
  EYOTI_ENTER(rt);
  struct eyoti_fused *x;
  if (sent == NULL || received == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", sent == NULL ? "sent" : "received");
  EYOTI_TRY(eyoti_fused_find(rt, exchange, &x));
  uint32_t n[2] = {0, 0};
  for (uint32_t i = 0; i < eyoti_fused_ends(x); i++)
    n[x->end[i].out] += x->end[i].role <= EYOTI_FUSED_MOVES;
  *received = n[0];
  *sent = n[1];
  return EYOT_OK;
}
