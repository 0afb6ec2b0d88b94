/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - what messages of a unit wait for (state.h): words of its own memory, all of which only
 * grow. A call of messages waits for those that it needs; other calls, through sync/watch.h, for
 * all that receives that are posted and sends in queues need. */
#include <stdlib.h>

#include "msg/ring.h"
#include "msg/share.h"

#define CONDS_ON_STACK 24u

/* After each long message it takes what has come meanwhile, so that as many are on their way at a
 * time as receives are posted. */
int eyoti_msg_advance(struct eyot_rt *rt, struct eyoti_msgs *m) {
  int rc = eyoti_msg_pull(rt, m);
  while (m->getting.head != NULL) {
    eyoti_msg_finish_oldest(rt, m);
    int rc_pull = eyoti_msg_pull(rt, m);
    if (rc == EYOT_OK) rc = rc_pull;
  }
  if (m->landing.head != NULL) eyoti_msg_landed(rt, m);
  eyoti_msg_push(rt, m);
  return rc;
}

int eyoti_msg_poll(struct eyot_rt *rt, struct eyoti_msgs *m) {
  int rc = eyoti_msg_pull(rt, m);
  eyoti_msg_finish_done(rt, m);
  if (m->landing.head != NULL) eyoti_msg_landed(rt, m);
  eyoti_msg_push(rt, m);
  return rc;
}

/* -- the words --------------------------------------------------------------------------------- */

/* Where they are written, if there is space; n counts all. */
struct awaited_words {
  struct fab_cond *conds;
  const uint64_t **words; /* NULL: the conditions alone */
  uint32_t n, cap;
};

static void words_add(struct awaited_words *w, struct fab_addr at, uint64_t least,
                      const uint64_t *word) {
  if (w->n < w->cap) {
    w->conds[w->n] = (struct fab_cond){.seg = at.seg, .cmp = FAB_GE, .off = at.off, .value = least};
    if (w->words != NULL) w->words[w->n] = word;
  }
  w->n++;
}

/* A slot of a ring that begins at `from`, and lies in the heap at `off`. */
static void words_add_slot(struct eyot_rt *rt, struct awaited_words *w, uint64_t off,
                           const char *from, uint64_t taken, const char *slot) {
  words_add(w, eyoti_gmem_heap_at(rt, rt->fab->me, off + (uint64_t)(slot - from)),
            eyoti_msg_slot_word(taken + 1, 0), (const uint64_t *)(const void *)slot);
}

static void words_of_arrivals(struct eyot_rt *rt, const struct eyoti_msgs *m,
                              struct awaited_words *w) {
  const fab_unit_t me = rt->fab->me;
  bool all = m->ends || m->wild_wants > 0;
  if (all || m->new_wants > 0)
    words_add(w, eyoti_msg_word_at(rt, me, EYOTI_MSG_LINKED_OFF), m->heard + 1, m->linked_word);
  struct eyoti_msg_peer *const *peers = all ? m->ringed : m->wanted;
  for (uint32_t i = 0; i < (all ? m->n_ringed : m->n_wanted); i++) {
    const struct eyoti_msg_peer *p = peers[i];
    words_add_slot(rt, w, p->from_off, p->from, p->taken, eyoti_msg_next_slot(p));
    if (p->wide != NULL)
      words_add_slot(rt, w, p->wide_off, p->wide, p->taken, eyoti_msg_wide_slot(p));
  }
}

static void words_of_sends(struct eyot_rt *rt, const struct eyoti_msgs *m,
                           struct awaited_words *w) {
  for (const struct eyoti_msg_peer *p = m->busy; p != NULL; p = p->next_busy) {
    uint64_t off, value;
    const uint64_t *word = eyoti_msg_push_word(p, &off, &value);
    words_add(w, eyoti_gmem_heap_at(rt, rt->fab->me, off), value, word);
  }
}

static void words_of_landings(struct eyot_rt *rt, const struct eyoti_msgs *m,
                              struct awaited_words *w) {
  for (const struct eyoti_msg_op *op = m->landing.head; op != NULL; op = op->next)
    words_add(w, eyoti_gmem_heap_at(rt, rt->fab->me, op->done), op->value,
              eyoti_msg_direct_word(rt, op));
}

static void words_of_ops(struct eyot_rt *rt, struct eyoti_msg_op *const *ops, size_t n,
                         struct awaited_words *w) {
  for (size_t i = 0; i < n; i++) {
    const struct eyoti_msg_op *op = ops[i];
    if (op == NULL || !op->handed || op->done == 0) continue;
    words_add(w, eyoti_gmem_heap_at(rt, rt->fab->me, op->done), op->value, NULL);
    uint64_t off;
    if (op->ledger == 0 || op->shared) continue;
    const uint64_t *word = eyoti_msg_share_word(rt, op, &off);
    words_add(w, eyoti_gmem_heap_at(rt, rt->fab->me, off), op->value, word);
  }
}

static uint32_t words_collect(struct eyot_rt *rt, const struct eyoti_msgs *m,
                              struct eyoti_msg_op *const *ops, size_t n, struct awaited_words *w) {
  w->n = 0;
  words_of_arrivals(rt, m, w);
  words_of_sends(rt, m, w);
  words_of_landings(rt, m, w);
  words_of_ops(rt, ops, n, w);
  return w->n;
}

void eyoti_msg_watch_renew(struct eyot_rt *rt, struct eyoti_msgs *m) {
  struct awaited_words w = {m->conds, m->words, 0, m->conds_cap};
  m->watch.n_more = 0;
  m->watch.unfinished = m->getting.head != NULL;
  while (words_collect(rt, m, NULL, 0, &w) > m->conds_cap) {
    uint32_t cap = 2 * w.n;
    struct fab_cond *conds = realloc(m->conds, cap * sizeof *conds);
    if (conds != NULL) m->conds = conds;
    const uint64_t **words = conds != NULL ? realloc(m->words, cap * sizeof *words) : NULL;
    if (words == NULL) return;
    m->words = words;
    m->conds_cap = cap;
    w = (struct awaited_words){conds, words, 0, cap};
  }
  m->watch.more = m->conds;
  m->watch.more_word = m->words;
  m->watch.n_more = w.n;
}

/* -- waiting ----------------------------------------------------------------------------------- */

static int words_wait(struct eyot_rt *rt, const struct awaited_words *w, uint64_t timeout_ns) {
  uint32_t which;
  EYOTI_ASSERT(w->n > 0); /* else nothing would end the wait */
  if (w->n == 1) return fab_wait_word(rt->fab, &w->conds[0], timeout_ns, NULL);
  return fab_wait_any(rt->fab, w->conds, w->n, timeout_ns, &which);
}

int eyoti_msg_await(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *const *ops,
                    size_t n, uint64_t timeout_ns) {
  struct fab_cond few[CONDS_ON_STACK];
  struct awaited_words w = {few, NULL, 0, CONDS_ON_STACK};
  if (words_collect(rt, m, ops, n, &w) <= CONDS_ON_STACK) return words_wait(rt, &w, timeout_ns);
  w.cap = w.n;
  w.conds = malloc(w.n * sizeof *w.conds);
  if (w.conds == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to wait for %u words", w.n);
  (void)words_collect(rt, m, ops, n, &w);
  int rc = words_wait(rt, &w, timeout_ns);
  free(w.conds);
  return rc;
}

bool eyoti_msg_is_over(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  return op->role == EYOTI_MSG_SEND ? eyoti_msg_is_sent(rt, m, op) : op->over;
}

static bool one_over(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *const *ops,
                     size_t n, size_t *index) {
  for (*index = 0; *index < n; ++*index)
    if (ops[*index] != NULL && eyoti_msg_is_over(rt, m, ops[*index])) return true;
  return false;
}

/* Copies the sender's blocks of those whose receivers copy too. */
static int share_all(struct eyot_rt *rt, struct eyoti_msg_op *const *ops, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (ops[i] != NULL && ops[i]->handed && ops[i]->ledger != 0)
      EYOTI_TRY(eyoti_msg_share_send(rt, ops[i]));
  return EYOT_OK;
}

/* What reports say of the wait. */
static void about(struct eyot_rt *rt, const struct eyoti_msgs *m, const struct eyoti_msg_op *op) {
  rt->about_message =
      (struct eyoti_about_message){.call = rt->fab->note.what,
                                   .unit = op->role == EYOTI_MSG_SEND ? op->to : op->key.from,
                                   .tag = op->key.tag,
                                   .to = op->role == EYOTI_MSG_SEND,
                                   .knocked = eyoti_msg_wants_new(m) ? eyoti_msg_knocked : NULL};
}

int eyoti_msg_wait_for(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *const *ops,
                       size_t n, uint64_t timeout_ns, size_t *index) {
  uint64_t end_ns = timeout_ns == 0 ? 0 : fab_deadline(rt->fab, timeout_ns);
  size_t first = 0;
  while (first < n && ops[first] == NULL) first++;
  EYOTI_ASSERT(first < n);
  for (;;) {
    EYOTI_TRY(eyoti_msg_advance(rt, m));
    EYOTI_TRY(share_all(rt, ops, n));
    if (one_over(rt, m, ops, n, index)) return EYOT_OK;
    about(rt, m, ops[first]);
    int rc = eyoti_msg_await(rt, m, ops, n, timeout_ns == 0 ? 0 : fab_left(rt->fab, end_ns));
    rt->about_message.call = NULL;
    EYOTI_TRY(rc);
  }
}

int eyoti_msg_wait_ready(struct eyot_rt *rt, struct eyoti_msgs *m,
                         const struct eyoti_msg_op *waits) {
  for (const uint64_t before = m->ready.added;;) {
    EYOTI_TRY(eyoti_msg_advance(rt, m));
    if (m->ready.added != before) return EYOT_OK;
    about(rt, m, waits);
    int rc = eyoti_msg_await(rt, m, NULL, 0, FAB_FOREVER);
    rt->about_message.call = NULL;
    EYOTI_TRY(rc);
  }
}
