/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.c - messages that have arrived, and no receive has matched (state.h).
 *
 * They are in one list in the order of their coming, which receives and probes read. One that has
 * read LOOK_MOST of them in vain has all put into a hash too, by the keys of receives of its kind,
 * and so are those that come, until none is left. So a few messages cost a list, and each of many
 * is put into the hash at most once for each kind. Without memory for that, the list is read to its
 * end. */
#include "msg/arrivals.h"

#define LOOK_MOST 8u       /* in vain, by one that leaves nothing open, */
#define LOOK_MOST_OPEN 16u /* and by others, for which the hash needs more memory */

struct eyoti_msg_arrival *eyoti_msg_arrival_make(uint64_t bytes) {
  uint64_t space = bytes > EYOTI_MSG_SPARE_BYTES ? bytes : EYOTI_MSG_SPARE_BYTES;
  return malloc(sizeof(struct eyoti_msg_arrival) + space);
}

static struct eyoti_msg_hashed *hashed_at(struct eyoti_msg_arrival *a, uint32_t kind) {
  return kind == 0 ? &a->exact : &a->open[kind - 1];
}

/* Memory for the keys of that kind. */
static bool hashed_make(struct eyoti_msg_arrival *a, uint32_t kind) {
  if (kind == 0 || a->open != NULL) return true;
  a->open = malloc((EYOTI_MSG_KINDS - 1) * sizeof *a->open);
  return a->open != NULL;
}

static void hashed_add(struct eyoti_msgs *m, struct eyoti_msg_arrival *a, uint32_t kind) {
  const struct eyoti_msg_key key = eyoti_msg_key_open(&a->key, kind);
  struct eyoti_msg_hashed *h = hashed_at(a, kind);
  h->arrival = a;
  eyoti_msg_index_add(&m->arrived, &h->entry, &key);
}

/* Puts all into the hash, by the keys of that kind. False: no memory. */
static bool hash_all(struct eyoti_msgs *m, uint32_t kind) {
  for (struct eyoti_msg_arrival *a = m->first; a != NULL; a = a->later)
    if (!hashed_make(a, kind)) return false;
  for (struct eyoti_msg_arrival *a = m->first; a != NULL; a = a->later) hashed_add(m, a, kind);
  m->hashed |= 1u << kind;
  return true;
}

struct eyoti_msg_arrival *eyoti_msg_find_kept(struct eyoti_msgs *m,
                                              const struct eyoti_msg_key *key) {
  const uint32_t kind = eyoti_msg_kind(key);
  struct eyoti_msg_arrival *a = m->first;
  if ((m->hashed & 1u << kind) == 0) {
    const uint32_t most = kind == 0 ? LOOK_MOST : LOOK_MOST_OPEN;
    for (uint32_t n = 0; n < most && a != NULL; n++, a = a->later)
      if (eyoti_msg_key_matches(key, &a->key)) return a;
    if (a == NULL) return NULL;
    if (!hash_all(m, kind)) {
      while (a != NULL && !eyoti_msg_key_matches(key, &a->key)) a = a->later;
      return a;
    }
  }
  struct eyoti_msg_entry *e = eyoti_msg_index_find(&m->arrived, key);
  return e != NULL ? ((struct eyoti_msg_hashed *)(void *)e)->arrival : NULL;
}

void eyoti_msg_hash_add(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  bool made = true;
  for (uint32_t kind = 0; made && kind < EYOTI_MSG_KINDS; kind++) {
    if ((m->hashed & 1u << kind) == 0) continue;
    made = hashed_make(a, kind);
    if (made) hashed_add(m, a, kind);
  }
  if (made) return;
  m->hashed = 0; /* the list is read again */
  eyoti_msg_index_fini(&m->arrived);
}

void eyoti_msg_hash_remove(struct eyoti_msgs *m, struct eyoti_msg_arrival *a) {
  for (uint32_t kind = 0; kind < EYOTI_MSG_KINDS; kind++)
    if ((m->hashed & 1u << kind) != 0)
      eyoti_msg_index_remove(&m->arrived, &hashed_at(a, kind)->entry);
}

void eyoti_msg_arrivals_free(struct eyoti_msgs *m) {
  while (m->first != NULL) {
    struct eyoti_msg_arrival *a = m->first;
    m->first = a->later;
    free(a->open);
    free(a);
  }
  while (m->spare_arrival != NULL) {
    struct eyoti_msg_arrival *a = m->spare_arrival;
    m->spare_arrival = a->later;
    free(a);
  }
  eyoti_msg_index_fini(&m->arrived);
}
