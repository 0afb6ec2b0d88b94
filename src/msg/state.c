/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c - makes the state of messages, and keeps the table of peers (state.h). */
#include "msg/state.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/conf.h"
#include "base/hash.h"

#define INDEX_LIMIT (1u << 20) /* handles of a unit; as INDEX_BITS of op.c */

/* The call that completes a message returns its error. */
static void msg_went_on(struct eyot_rt *rt, int rc) {
  struct eyoti_msgs *m = rt->msgs;
  if (m->failed == EYOT_OK) m->failed = rc;
  eyoti_msg_watch_renew(rt, m);
}

static void msg_go_on(struct eyot_rt *rt, struct eyoti_watch *w) {
  (void)w;
  msg_went_on(rt, eyoti_msg_poll(rt, rt->msgs));
}

static void msg_settle(struct eyot_rt *rt, struct eyoti_watch *w) {
  (void)w;
  msg_went_on(rt, eyoti_msg_advance(rt, rt->msgs));
}

static void msg_renew(struct eyot_rt *rt, struct eyoti_watch *w) {
  (void)w;
  eyoti_msg_watch_renew(rt, rt->msgs);
}

/* An option that is given goes before the machine's file, and that before the default. */
static int msg_thresholds(const struct fab_thresholds *t, struct eyoti_msgs *m) {
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MSG_EAGER, &m->eager));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MSG_BLOCK, &m->block));
  if (t->has_eager && !eyoti_conf_is_set(EYOTI_CONF_MSG_EAGER)) m->eager = t->eager;
  if (t->has_block && !eyoti_conf_is_set(EYOTI_CONF_MSG_BLOCK)) m->block = t->block;
  return EYOT_OK;
}

static int msg_options(const struct fab_thresholds *t, struct eyoti_msgs *m) {
  EYOTI_TRY(msg_thresholds(t, m));
  m->stored_end = m->eager == 0                 ? 0
                  : m->eager < EYOTI_MSG_INLINE ? m->eager + 1
                                                : EYOTI_MSG_INLINE + 1;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MSG_BUFFER, &m->most_buffered));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MSG_SLOTS_MOST, &m->slots_most));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MSG_AREA, &m->area_bytes));
  m->area_bytes -= m->area_bytes % 64;
  return eyoti_conf_u64(EYOTI_CONF_MSG_SLOTS, &m->slots);
}

static int msg_make(struct eyot_rt *rt, struct eyoti_msgs **out) {
  struct eyoti_msgs *m = calloc(1, sizeof *m);
  if (m == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for the messages of a unit (%zu bytes)",
                          sizeof *m);
  m->n_buckets = EYOTI_MSG_BUCKETS_FIRST;
  m->bucket = calloc(m->n_buckets, sizeof(struct eyoti_msg_peer *));
  int rc = m->bucket != NULL ? msg_options(&rt->thresholds, m)
                             : EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for the peers of a unit");
  if (rc != EYOT_OK) {
    free(m->bucket);
    free(m);
    return rc;
  }
  m->me = rt->fab->me;
  m->n_units = rt->fab->n;
  eyoti_idtab_init(&m->ops, 0, INDEX_LIMIT);
  eyoti_msg_index_init(&m->posted);
  eyoti_msg_index_init(&m->arrived);
  m->n_lists = eyoti_msg_lists(rt->fab->n);
  m->linked_word = eyoti_gmem_mapped(rt, eyoti_msg_word_at(rt, rt->fab->me, EYOTI_MSG_LINKED_OFF));
  m->watch = (struct eyoti_watch){
      .what = "eyot_recv_nb", .go_on = msg_go_on, .settle = msg_settle, .renew = msg_renew};
  *out = m;
  return EYOT_OK;
}

int eyoti_msg_get(struct eyot_rt *rt, struct eyoti_msgs **out) {
  if (__builtin_expect(rt->msgs == NULL, 0)) EYOTI_TRY(msg_make(rt, &rt->msgs));
  *out = rt->msgs;
  return EYOT_OK;
}

/* -- peers ------------------------------------------------------------------------------------- */

static struct eyoti_msg_peer **peer_bucket(const struct eyoti_msgs *m, fab_unit_t unit) {
  return &m->bucket[eyoti_hash_mix(0, unit) & (m->n_buckets - 1)];
}

/* Doubles the buckets; without memory the chains only get longer. */
static void peers_grow(struct eyoti_msgs *m) {
  uint32_t n = m->n_buckets;
  struct eyoti_msg_peer **old = m->bucket,
                        **bucket = calloc(2 * (size_t)n, sizeof(struct eyoti_msg_peer *));
  if (bucket == NULL) return;
  m->bucket = bucket;
  m->n_buckets = 2 * n;
  for (uint32_t i = 0; i < n; i++)
    while (old[i] != NULL) {
      struct eyoti_msg_peer *p = old[i], **b = peer_bucket(m, p->unit);
      old[i] = p->chain;
      p->chain = *b;
      *b = p;
    }
  free(old);
}

struct eyoti_msg_peer *eyoti_msg_peer_find(const struct eyoti_msgs *m, fab_unit_t unit) {
  struct eyoti_msg_peer *p = *peer_bucket(m, unit);
  while (p != NULL && p->unit != unit) p = p->chain;
  return p;
}

int eyoti_msg_peer(struct eyot_rt *rt, struct eyoti_msgs *m, fab_unit_t unit,
                   struct eyoti_msg_peer **out) {
  struct eyoti_msg_peer *p = eyoti_msg_peer_find(m, unit);
  if (p == NULL) {
    if (m->n_peers == m->n_buckets) peers_grow(m);
    if ((p = calloc(1, sizeof *p)) == NULL)
      return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for the messages with unit %u (%zu bytes)",
                            unit, sizeof *p);
    struct eyoti_msg_peer **b = peer_bucket(m, unit);
    p->unit = unit;
    p->chain = *b;
    *b = p;
    m->n_peers++;
  }
  *out = p;
  return EYOT_OK;
}

/* -- calls ------------------------------------------------------------------------------------- */

void eyoti_msg_enter(struct eyoti_msgs *m) {
  m->watch.held = true;
}

static bool is_pending(const struct eyoti_msgs *m) {
  return m->n_posted > 0 || m->busy != NULL || m->getting.head != NULL || m->landing.head != NULL;
}

void eyoti_msg_unwatch(struct eyot_rt *rt, struct eyoti_msgs *m) {
  if (!m->watched || is_pending(m)) return;
  eyoti_watch_remove(rt, &m->watch);
  m->watched = false;
}

int eyoti_msg_leave(struct eyot_rt *rt, struct eyoti_msgs *m, int rc) {
  bool pending = is_pending(m);
  if (pending && !m->watched && eyoti_watch_reserve(rt, 1) == EYOT_OK) {
    eyoti_watch_add(rt, &m->watch);
    m->watched = true;
  }
  m->watch.stale = pending;
  eyoti_msg_unwatch(rt, m);
  m->watch.held = false;
  return rc;
}
