/* SPDX-License-Identifier: BSD-3-Clause */
/* stop.c - the end of messages (msg.h): names what was not completed, received or handed over, and
 * frees the state. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wording.h"
#include "msg/msg.h"
#include "msg/state.h"
#include "rt/place.h"

#define NAMED_MOST 8u /* of each kind; the others are counted */

/* -- handles ----------------------------------------------------------------------------------- */

/* "a receive from unit 1, tag 7" */
static const char *handle_words(const struct eyoti_msg_op *op, char text[EYOTI_MSG_WORDS]) {
  const bool sent = op->role == EYOTI_MSG_SEND;
  const uint32_t unit = sent ? op->to : op->key.from;
  char who[24], tag[24] = "any tag";
  if (op->lent != NULL) {
    snprintf(text, EYOTI_MSG_WORDS, "a loan, tag %d", (int)op->key.tag);
    return text;
  }
  if (unit != EYOTI_MSG_ANY_FROM)
    eyoti_snprintf(who, sizeof who, "unit %u", unit);
  else
    eyoti_snprintf(who, sizeof who, "any unit");
  if (op->key.tag != EYOT_ANY_TAG) snprintf(tag, sizeof tag, "tag %d", (int)op->key.tag);
  if (sent)
    snprintf(text, EYOTI_MSG_WORDS, "a send of %" PRIu64 " bytes to %s, %s", op->bytes, who, tag);
  else
    snprintf(text, EYOTI_MSG_WORDS, "%s from %s, %s",
             op->role == EYOTI_MSG_FOUND ? "a message that was found" : "a receive", who, tag);
  return text;
}

static void handle_left(struct eyot_rt *rt, const struct eyoti_msg_op *op, uint32_t n) {
  char text[EYOTI_MSG_WORDS], place[EYOTI_CODE_LINE];
  if (n >= NAMED_MOST) return;
  eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not completed before: %s (%s at %s)",
            handle_words(op, text), op->what,
            eyoti_place_text(rt, eyoti_place_of(rt, op->site), place));
}

/* Receives are taken back, sends go on, so that right programs whose last sends have returned get
 * all of their messages. */
void eyoti_msg_ending(struct eyot_rt *rt) {
  struct eyoti_msgs *m = rt->msgs;
  uint32_t n = 0;
  if (m == NULL) return;
  eyoti_msg_enter(m);
  eyoti_msg_finish(rt, m); /* buffers may be freed from now on */
  for (uint32_t i = 0; i < eyoti_idtab_top(&m->ops); i++) {
    struct eyoti_msg_op *op = eyoti_idtab_at(&m->ops, i);
    if (op == NULL) continue;
    if (eyoti_log_level() >= EYOTI_LOG_WARN) handle_left(rt, op, n);
    n++;
    if (op->posted) eyoti_msg_unpost(m, op);
  }
  if (n > NAMED_MOST)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not completed before: %u messages in all", n);
  eyoti_msg_loans_left(rt, m);
  (void)eyoti_msg_leave(rt, m, EYOT_OK);
}

/* -- messages ---------------------------------------------------------------------------------- */

static void arrivals_left(struct eyot_rt *rt, struct eyoti_msgs *m) {
  uint64_t n = 0;
  char text[EYOTI_MSG_WORDS], place[EYOTI_CODE_LINE];
  for (const struct eyoti_msg_arrival *a = m->first; a != NULL; a = a->later) {
    if (n++ >= NAMED_MOST || eyoti_log_level() < EYOTI_LOG_WARN) continue;
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "never received: a message %s (sent at %s)",
              eyoti_msg_words(&a->key, eyoti_msg_bytes(&a->head, &a->ends), text),
              eyoti_place_word_text(rt, a->key.from, a->head.made, place));
  }
  if (n > NAMED_MOST)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "never received: %" PRIu64 " messages in all", n);
}

static void sends_left(struct eyot_rt *rt, const struct eyoti_msgs *m) {
  uint64_t n = 0;
  char place[EYOTI_CODE_LINE];
  for (const struct eyoti_msg_peer *p = m->busy; p != NULL; p = p->next_busy)
    for (const struct eyoti_msg_op *op = p->waiting.head; op != NULL; op = op->next)
      if (n++ < NAMED_MOST && eyoti_log_level() >= EYOTI_LOG_WARN)
        eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
                  "never received: a message of %" PRIu64 " bytes to unit %u, tag %d (%s at %s)",
                  op->bytes, op->to, (int)op->key.tag, op->what,
                  eyoti_place_text(rt, eyoti_place_of(rt, op->site), place));
  if (n > NAMED_MOST)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "never received: %" PRIu64 " messages of this unit in all", n);
}

/* -- memory ------------------------------------------------------------------------------------ */

static void ops_free(struct eyoti_msg_op *op) {
  while (op != NULL) {
    struct eyoti_msg_op *next = op->next;
    free(op->found);
    free(op);
    op = next;
  }
}

static void peers_free(struct eyoti_msgs *m) {
  for (uint32_t i = 0; i < m->n_buckets; i++)
    while (m->bucket[i] != NULL) {
      struct eyoti_msg_peer *p = m->bucket[i];
      m->bucket[i] = p->chain;
      /* those with a handle are freed with it */
      for (struct eyoti_msg_op *op = p->waiting.head; op != NULL;) {
        struct eyoti_msg_op *next = op->next;
        if (op->background) free(op);
        op = next;
      }
      free(p->area);
      free(p);
    }
}

static void msgs_free(struct eyoti_msgs *m) {
  peers_free(m);
  eyoti_msg_loans_free(m);
  for (uint32_t i = 0; i < eyoti_idtab_top(&m->ops); i++) {
    struct eyoti_msg_op *op = eyoti_idtab_at(&m->ops, i);
    if (op == NULL) continue;
    free(op->found);
    free(op);
  }
  eyoti_idtab_fini(&m->ops);
  ops_free(m->sent.head);
  ops_free(m->spare);
  eyoti_msg_arrivals_free(m);
  eyoti_msg_index_fini(&m->posted);
  free(m->free_done);
  free(m->free_ledger);
  free(m->record);
  free(m->ringed);
  free(m->wanted);
  free(m->bucket);
  free(m->conds);
  free(m->words);
  free(m->image);
  free(m);
}

/* Whether another unit has sent to this one, which has used no messages itself. */
static bool was_sent_to(struct eyot_rt *rt) {
  const uint64_t *linked =
      eyoti_gmem_mapped(rt, eyoti_msg_word_at(rt, rt->fab->me, EYOTI_MSG_LINKED_OFF));
  return linked != NULL && eyoti_load_own(linked) != 0;
}

/* All units drop what no receive has matched, so the bytes of each send are let go. */
static void sends_end(struct eyot_rt *rt, const struct eyoti_msgs *m) {
  for (const struct eyoti_msg_op *op = m->sent.head; op != NULL; op = op->next)
    if (op->req != 0) (void)fab_req_end(rt->fab, op->to, op->req);
  for (uint32_t i = 0; i < eyoti_idtab_top(&m->ops); i++) {
    const struct eyoti_msg_op *op = eyoti_idtab_at(&m->ops, i);
    if (op != NULL && op->role == EYOTI_MSG_SEND && op->req != 0)
      (void)fab_req_end(rt->fab, op->to, op->req);
  }
}

int eyoti_msg_stop(struct eyot_rt *rt) {
  struct eyoti_msgs *m = rt->msgs;
  (void)eyoti_msg_direct_refuse(rt); /* its senders wait, and nobody else */
  if (m == NULL && (!was_sent_to(rt) || eyoti_msg_get(rt, &m) != EYOT_OK)) return EYOT_OK;
  m->watch.held = true;
  if (m->watched) eyoti_watch_remove(rt, &m->watch);
  m->ends = true;
  (void)eyoti_msg_pull(rt, m); /* what cannot be read is not named */
  arrivals_left(rt, m);
  sends_left(rt, m);
  sends_end(rt, m);
  int rc = m->failed;
  rt->msgs = NULL;
  msgs_free(m);
  return rc;
}
