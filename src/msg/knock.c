/* SPDX-License-Identifier: BSD-3-Clause */
/* knock.c - the sender's end of a knock (wire.h), and the memory of its heap for it.
 *
 * A sender keeps a reply of a line for each peer, which all later messages of the pair need, and a
 * record only while a knock is not answered. So many records are there as knocks were under way at
 * a time. Both are taken several at once, twice as many as before up to TAKEN_MOST. */
#include <stdlib.h>
#include <string.h>

#include "msg/ring.h"

#define TAKEN_MOST 64u
/* How many to take, when so many were taken. */
static uint32_t taken_next(uint32_t n) {
  return n == 0 ? 1 : n < TAKEN_MOST ? n : TAKEN_MOST;
}

/* -- replies ----------------------------------------------------------------------------------- */

int eyoti_msg_reply_make(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  if (p->mine != NULL) return EYOT_OK;
  if (m->replies_left == 0) {
    uint32_t n = taken_next(m->n_replies);
    if (eyoti_gmem_own_take(rt, n * sizeof *p->mine, false, &m->reply_next) != EYOT_OK)
      return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM,
                            "the heap has no place for messages to unit %u (%zu bytes); raise "
                            "EYOT_HEAP_MAX",
                            p->unit, n * sizeof *p->mine);
    m->n_replies += n;
    m->replies_left = n;
  }
  p->reply = m->reply_next;
  p->mine = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, p->reply));
  m->reply_next += sizeof *p->mine;
  m->replies_left--;
  return EYOT_OK;
}

/* -- records ----------------------------------------------------------------------------------- */

/* The receivers of knocks that were answered have read their records. */
static void records_regain(struct eyoti_msgs *m) {
  for (uint32_t i = 0; i < m->n_knocking;) {
    struct eyoti_msg_own_record *r = &m->record[i], free_one = *r;
    /* pairs with the release of the answer */
    if (eyoti_load_own(&r->peer->mine->answer) < r->number) {
      i++;
      continue;
    }
    *r = m->record[--m->n_knocking];
    m->record[m->n_knocking] = free_one;
  }
}

static int records_grow(struct eyot_rt *rt, struct eyoti_msgs *m) {
  uint32_t n = taken_next(m->n_records);
  uint64_t off;
  struct eyoti_msg_own_record *all = realloc(m->record, (m->n_records + n) * sizeof *all);
  if (all != NULL) m->record = all;
  if (all == NULL || eyoti_gmem_own_take(rt, n * EYOTI_MSG_RECORD_BYTES, false, &off) != EYOT_OK)
    return EYOT_ENOMEM;
  for (uint32_t i = 0; i < n; i++)
    all[m->n_records++] = (struct eyoti_msg_own_record){.off = off + i * EYOTI_MSG_RECORD_BYTES};
  return EYOT_OK;
}

/* Regaining looks at all that are under way, so it must find half of them free, or makes more. */
static int record_take(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                       uint64_t *off) {
  if (m->n_knocking == m->n_records) {
    records_regain(m);
    if (2 * m->n_knocking >= m->n_records && records_grow(rt, m) != EYOT_OK &&
        m->n_knocking == m->n_records)
      return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM,
                            "the heap has no place for another first message, to unit %u (%u "
                            "bytes); raise EYOT_HEAP_MAX",
                            p->unit, EYOTI_MSG_RECORD_BYTES);
  }
  struct eyoti_msg_own_record *r = &m->record[m->n_knocking++];
  r->peer = p;
  r->number = p->knocks + 1;
  *off = r->off;
  return EYOT_OK;
}

/* Writes the record, which is not linked; both are visible on return. */
static int record_write(struct eyot_rt *rt, uint64_t off, const struct eyoti_msg_knock *k,
                        uint64_t len) {
  const fab_unit_t me = rt->fab->me;
  struct fab_sig sig = {
      .at = eyoti_gmem_heap_at(rt, me, off), .op = FAB_SIG_SET, .value = EYOTI_MSG_LINK_NONE};
  return fab_put_signal_wait(rt->fab, eyoti_gmem_heap_at(rt, me, off + EYOTI_MSG_KNOCK_OFF), k, len,
                             &sig);
}

/* Sets `next` of the record; visible on return. */
static int record_link(struct eyot_rt *rt, uint64_t off, uint64_t next) {
  struct fab_addr at = eyoti_gmem_heap_at(rt, rt->fab->me, off);
  struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = next};
  return fab_put_signal_wait(rt->fab, at, NULL, 0, &sig);
}

/* Writes the record, swaps it in, links the one that was there, and says so: in this order, each
 * visible before the next. */
int eyoti_msg_knock(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                    const char *image, uint64_t image_len) {
  struct fab *f = rt->fab;
  struct eyoti_msg_knock k = {.number = p->knocks + 1, .reply = p->reply};
  uint64_t record, before, head = eyoti_msg_head_off(f->me % eyoti_msg_lists(f->n));
  EYOTI_TRY(record_take(rt, m, p, &record));
  memcpy(k.image, image, image_len);
  EYOTI_TRY(record_write(rt, record, &k, offsetof(struct eyoti_msg_knock, image) + image_len));
  struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = eyoti_msg_ref(f->me, record)};
  EYOTI_TRY(fab_amo_wait(f, eyoti_msg_word_at(rt, p->unit, head), &swap, &before));
  p->knocks++;
  EYOTI_TRY(record_link(rt, record, before != 0 ? before : EYOTI_MSG_LINK_END));
  return eyoti_msg_signal(rt, eyoti_msg_word_at(rt, p->unit, EYOTI_MSG_LINKED_OFF), FAB_SIG_ADD, 1);
}
