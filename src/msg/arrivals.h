/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.h - messages that have arrived, and no receive has matched: found by what a receive asks
 * for, kept, and taken out. Local. What few messages need is here, for the compiler; the rest is in
 * arrivals.c. */
#ifndef EYOT_MSG_ARRIVALS_H
#define EYOT_MSG_ARRIVALS_H

#include <stdlib.h>

#include "msg/state.h"

#define EYOTI_MSG_SPARE_BYTES 64u /* each has space for them */
#define EYOTI_MSG_SPARES 64u

/* What the key leaves open. */
static inline uint32_t eyoti_msg_kind(const struct eyoti_msg_key *k) {
  return (k->from == EYOTI_MSG_ANY_FROM ? EYOTI_MSG_OPEN_FROM : 0) |
         (k->tag == EYOT_ANY_TAG ? EYOTI_MSG_OPEN_TAG : 0);
}

/* Whether a receive that asks for `want` gets the message. */
static inline bool eyoti_msg_key_matches(const struct eyoti_msg_key *want,
                                         const struct eyoti_msg_key *is) {
  return want->team == is->team && (want->from == EYOTI_MSG_ANY_FROM || want->from == is->from) &&
         (want->tag == EYOT_ANY_TAG || want->tag == is->tag);
}

/* The key of receives of that kind which get messages with key k, in which nothing is open. */
static inline struct eyoti_msg_key eyoti_msg_key_open(const struct eyoti_msg_key *k,
                                                      uint32_t kind) {
  struct eyoti_msg_key open = *k;
  if ((kind & EYOTI_MSG_OPEN_FROM) != 0) open.from = EYOTI_MSG_ANY_FROM;
  if ((kind & EYOTI_MSG_OPEN_TAG) != 0) open.tag = EYOT_ANY_TAG;
  return open;
}

/* The earliest arrival that a receive with that key would get, or NULL. */
struct eyoti_msg_arrival *eyoti_msg_find_kept(struct eyoti_msgs *m,
                                              const struct eyoti_msg_key *key);
static inline struct eyoti_msg_arrival *eyoti_msg_find(struct eyoti_msgs *m,
                                                       const struct eyoti_msg_key *key) {
  return m->first != NULL ? eyoti_msg_find_kept(m, key) : NULL;
}

/* Into the hash, if there is memory; out of it. */
void eyoti_msg_hash_add(struct eyoti_msgs *m, struct eyoti_msg_arrival *a);
void eyoti_msg_hash_remove(struct eyoti_msgs *m, struct eyoti_msg_arrival *a);

/* One that has space for so many bytes, or NULL; a few are kept for the next. */
struct eyoti_msg_arrival *eyoti_msg_arrival_make(uint64_t bytes);
static inline struct eyoti_msg_arrival *eyoti_msg_arrival_new(struct eyoti_msgs *m,
                                                              uint64_t bytes) {
  struct eyoti_msg_arrival *a = m->spare_arrival;
  if (a == NULL || bytes > EYOTI_MSG_SPARE_BYTES) return eyoti_msg_arrival_make(bytes);
  m->spare_arrival = a->later;
  m->n_spare_arrivals--;
  return a;
}
static inline void eyoti_msg_arrival_free(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  if (a->head.len > EYOTI_MSG_SPARE_BYTES || m->n_spare_arrivals == EYOTI_MSG_SPARES) {
    free(a);
    return;
  }
  a->later = m->spare_arrival;
  m->spare_arrival = a;
  m->n_spare_arrivals++;
}

/* Adds it as the last one. */
static inline void eyoti_msg_keep(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  a->later = NULL;
  a->earlier = m->last;
  if (m->last != NULL)
    m->last->later = a;
  else
    m->first = a;
  m->last = a;
  a->open = NULL;
  if (m->hashed != 0) eyoti_msg_hash_add(m, a);
}

/* Takes it out of matching. */
static inline void eyoti_msg_take(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  if (m->hashed != 0) eyoti_msg_hash_remove(m, a);
  if (a->open != NULL) free(a->open);
  a->open = NULL;
  if (a->earlier != NULL)
    a->earlier->later = a->later;
  else
    m->first = a->later;
  if (a->later != NULL)
    a->later->earlier = a->earlier;
  else
    m->last = a->earlier;
  if (m->first == NULL) m->hashed = 0;
}

#endif
