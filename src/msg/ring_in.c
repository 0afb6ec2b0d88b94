/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_in.c - the receiver's end of a ring and its area (ring.h). What it costs in memory is the
 * receiver's to decide: each peer gets a small ring, and the first that fill theirs, or send
 * messages longer than a slot, get more. */
#include <stdlib.h>
#include <string.h>

#include "msg/post.h"
#include "msg/ring.h"

/* Rings are read from the unit before this one backwards. Programs send to the units after
 * theirs in turn, so no two units then get from one at the same time. */
static uint32_t ringed_place(const struct eyoti_msgs *m, const struct eyoti_msg_peer *p) {
  return (m->me + m->n_units - p->unit) % m->n_units;
}
/* The first of the peers that does not come before p. */
static uint32_t first_from(const struct eyoti_msgs *m, struct eyoti_msg_peer *const *peers,
                           uint32_t n, const struct eyoti_msg_peer *p) {
  uint32_t low = 0, high = n;
  const uint32_t place = ringed_place(m, p);
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (ringed_place(m, peers[mid]) < place)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}
static void peers_insert(const struct eyoti_msgs *m, struct eyoti_msg_peer **peers, uint32_t *n,
                         struct eyoti_msg_peer *p) {
  uint32_t at = first_from(m, peers, *n, p);
  memmove(peers + at + 1, peers + at, (*n - at) * sizeof(struct eyoti_msg_peer *));
  peers[at] = p;
  ++*n;
}

/* What is read and waited for is so many rings as are posted for, however many there are. */
void eyoti_msg_wanted_add_more(struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  peers_insert(m, m->wanted, &m->n_wanted, p);
}
void eyoti_msg_wanted_remove_one(struct eyoti_msgs *m, const struct eyoti_msg_peer *p) {
  uint32_t at = first_from(m, m->wanted, m->n_wanted, p);
  EYOTI_ASSERT(at < m->n_wanted && m->wanted[at] == p);
  memmove(m->wanted + at, m->wanted + at + 1,
          (--m->n_wanted - at) * sizeof(struct eyoti_msg_peer *));
}

/* Space for another ring in both lists. */
static bool ringed_reserve(struct eyoti_msgs *m) {
  if (m->n_ringed < m->ringed_cap) return true;
  uint32_t cap = m->ringed_cap == 0 ? 8 : 2 * m->ringed_cap;
  struct eyoti_msg_peer **ringed = realloc(m->ringed, cap * sizeof(struct eyoti_msg_peer *));
  if (ringed != NULL) m->ringed = ringed;
  struct eyoti_msg_peer **wanted =
      ringed != NULL ? realloc(m->wanted, cap * sizeof(struct eyoti_msg_peer *)) : NULL;
  if (wanted == NULL) return false;
  m->wanted = wanted;
  m->ringed_cap = cap;
  return true;
}

/* Memory of the heap that a peer writes. False: there is none. */
static bool heap_take(struct eyot_rt *rt, uint64_t bytes, bool raw, uint64_t *off, char **at) {
  if (eyoti_gmem_own_take(rt, bytes, raw, off) != EYOT_OK) return false;
  *at = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, *off));
  return true;
}

static struct fab_addr reply_at(const struct eyot_rt *rt, const struct eyoti_msg_peer *p,
                                uint64_t off) {
  return eyoti_gmem_heap_at(rt, p->unit, p->theirs + off);
}

/* Writes into the peer's reply, once in a run, and does not wait for the peer. */
static int reply_put(struct eyot_rt *rt, const struct eyoti_msg_peer *p, uint64_t off,
                     const void *src, uint64_t len, const struct fab_sig *sig) {
  return eyoti_msg_put_word(rt, reply_at(rt, p, off), src, len, sig);
}

/* Each RINGS_EACH rings double the knocks that another one needs: a unit that exchanges with
 * thousands of others keeps rings for those that send it the most. */
static uint64_t knocks_needed(const struct eyoti_msgs *m) {
  uint32_t doublings = m->n_ringed / EYOTI_MSG_RINGS_EACH;
  return UINT64_C(2) << (doublings < 32 ? doublings : 32);
}

uint64_t eyoti_msg_ring_make(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                             uint64_t knocks) {
  if (knocks < knocks_needed(m)) return 0;
  if (!ringed_reserve(m)) return 0;
  if (!heap_take(rt, m->slots * EYOTI_MSG_SLOT_BYTES, false, &p->from_off, &p->from)) return 0;
  p->from_slots = (uint32_t)m->slots;
  p->credit_word = eyoti_gmem_mapped(rt, reply_at(rt, p, offsetof(struct eyoti_msg_reply, credit)));
  peers_insert(m, m->ringed, &m->n_ringed, p);
  m->new_wants -= p->posted;
  if (p->posted > 0) eyoti_msg_wanted_add(m, p);
  return p->from_off | m->slots;
}

/* -- the wider ring ---------------------------------------------------------------------------- */

/* Whether all slots that the peer has credit for are filled. */
static bool ring_is_full(const struct eyoti_msg_peer *p) {
  uint64_t last = p->credited + p->from_slots;
  const char *slot = p->from + (last - 1) % p->from_slots * EYOTI_MSG_SLOT_BYTES;
  return eyoti_msg_slot_number(eyoti_load_own(slot)) == last;
}

/* Offers the peer a wider ring, if there is memory for it. Messages that are under way come to the
 * former one. */
static int ring_widen(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  if (!heap_take(rt, m->slots_most * EYOTI_MSG_SLOT_BYTES, false, &p->wide_off, &p->wide)) {
    m->n_grown = EYOTI_MSG_GROWN_MOST;
    return EYOT_OK;
  }
  m->n_grown++;
  p->wide_slots = (uint32_t)m->slots_most;
  const uint64_t ring = p->wide_off | p->wide_slots;
  const struct fab_sig sig = {.at = reply_at(rt, p, offsetof(struct eyoti_msg_reply, grown)),
                              .op = FAB_SIG_SET,
                              .value = 1};
  return reply_put(rt, p, offsetof(struct eyoti_msg_reply, wider), &ring, sizeof ring, &sig);
}

/* From the message that has come to the wider ring on, all do. */
static void ring_change(struct eyoti_msg_peer *p) {
  p->from = p->wide;
  p->from_off = p->wide_off;
  p->from_slots = p->wide_slots;
  p->from_at = p->taken % p->from_slots * EYOTI_MSG_SLOT_BYTES;
  p->wide = NULL;
}

/* -- the area ---------------------------------------------------------------------------------- */

int eyoti_msg_area_offer(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  if (p->from_area != NULL || m->area_bytes == 0 || m->n_areas >= EYOTI_MSG_AREAS_MOST ||
      ++p->envelopes < 2)
    return EYOT_OK;
  m->n_areas++; /* also one for which there is no memory */
  uint64_t where[2] = {0, m->area_bytes};
  if (!heap_take(rt, m->area_bytes, true, &where[0], &p->from_area)) return EYOT_OK;
  const struct fab_sig sig = {.at = reply_at(rt, p, offsetof(struct eyoti_msg_reply, offered)),
                              .op = FAB_SIG_SET,
                              .value = 1};
  return reply_put(rt, p, offsetof(struct eyoti_msg_reply, area), where, sizeof where, &sig);
}

/* The bytes of the area that are free again when the image at `offset` was read. */
static uint64_t area_freed(struct eyoti_msgs *m, struct eyoti_msg_peer *p, uint64_t offset) {
  struct eyoti_msg_head head;
  memcpy(&head, p->from_area + offset, sizeof head);
  uint64_t len = eyoti_msg_area_len(head.len),
           skipped = offset >= p->area_next ? offset - p->area_next : m->area_bytes - p->area_next;
  p->area_next = offset + len;
  return skipped + len;
}

/* -- messages ---------------------------------------------------------------------------------- */

const char *eyoti_msg_ring_next(struct eyoti_msg_peer *p) {
  /* pairs with the sender's put with signal */
  if (__builtin_expect(p->wide != NULL, 0) &&
      eyoti_msg_slot_number(eyoti_load_own(eyoti_msg_wide_slot(p))) > p->taken)
    ring_change(p);
  const char *slot = eyoti_msg_next_slot(p);
  uint64_t word = eyoti_load_own(slot);
  if (eyoti_msg_slot_number(word) <= p->taken) return NULL;
  /* the slot is free for the next one by a credit only */
  EYOTI_ASSERT(eyoti_msg_slot_number(word) == p->taken + 1);
  return eyoti_msg_slot_beside(word) ? p->from_area + eyoti_msg_slot_offset(word) : slot + 8;
}

/* Where the fabric has messages, one sets the word: they come in order, and MPI's atomic takes
 * several times as long (adr/0122). Else a store, if nothing has been added by the fabric that may
 * come after it. */
static int credit_give(struct eyot_rt *rt, struct eyoti_msg_peer *p, uint64_t more) {
  const struct fab_addr at = reply_at(rt, p, offsetof(struct eyoti_msg_reply, credit));
  p->credited += more;
  if (rt->fab->ops->message != NULL) {
    const struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = p->credited};
    return eyoti_msg_put_word(rt, at, NULL, 0, &sig);
  }
  const struct fab *f = p->credit_word != NULL ? eyoti_msg_stored(rt, rt->msgs) : NULL;
  if (f != NULL && (!p->credit_added || f->quiet)) {
    p->credit_added = false;
    /* pairs with the load of peer_has_credit (ring_out.c) */
    __atomic_store_n(p->credit_word, p->credited, __ATOMIC_RELEASE);
    return EYOT_OK;
  }
  p->credit_added = true;
  return eyoti_msg_signal(rt, at, FAB_SIG_ADD, more);
}

int eyoti_msg_ring_took(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  uint64_t word = eyoti_load_own(eyoti_msg_next_slot(p));
  if (eyoti_msg_slot_beside(word)) p->area_owed += area_freed(m, p, eyoti_msg_slot_offset(word));
  uint64_t owed = ++p->taken - p->credited;
  p->from_at = eyoti_msg_slot_after(p->from_at, p->from_slots);
  if (m->ends || (2 * owed < p->from_slots && 2 * p->area_owed <= m->area_bytes)) return EYOT_OK;
  if (p->from_slots < m->slots_most && p->wide == NULL && m->n_grown < EYOTI_MSG_GROWN_MOST &&
      ring_is_full(p))
    EYOTI_TRY(ring_widen(rt, m, p));
  p->area_owed = 0;
  return credit_give(rt, p, owed);
}
