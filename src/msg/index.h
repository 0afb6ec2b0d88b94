/* SPDX-License-Identifier: BSD-3-Clause */
/* index.h - messages, or receives, by team, unit and tag: those of one key are in a queue, and the
 * queues are in a hash. For match.c and arrivals.c.
 *
 * Why it exists: a unit may have tens of thousands of receives posted, or of messages that nobody
 * has asked for yet, and each is to be found in a number of steps that does not depend on them. An
 * entry lies in what it stands for, so nothing is allocated but more buckets. */
#ifndef EYOT_MSG_INDEX_H
#define EYOT_MSG_INDEX_H

#include <eyot/msg.h>
#include <stdint.h>
#include <string.h>

#include "fabric/fabric.h"

#define EYOTI_MSG_BUCKETS_BITS 6u /* of the hash, before it grows */
#define EYOTI_MSG_ANY_FROM UINT32_MAX

/* What a receive asks for, or a message is. */
struct eyoti_msg_key {
  uint64_t team;
  fab_unit_t from; /* or EYOTI_MSG_ANY_FROM */
  int32_t tag;     /* or EYOT_ANY_TAG */
};

struct eyoti_msg_entry {
  struct eyoti_msg_entry *chain;  /* of the first of its key: that of another key, or NULL */
  struct eyoti_msg_entry *next;   /* of its key, or NULL */
  struct eyoti_msg_entry *before; /* of the first: the last of its key */
  uint64_t hash;
  struct eyoti_msg_key key;
};

struct eyoti_msg_index {
  struct eyoti_msg_entry **bucket; /* by the high bits of the hash; few, until there are more */
  uint32_t bits, keys;
  struct eyoti_msg_entry *recent; /* the first of the key that was added to last, or NULL */
  struct eyoti_msg_entry *few[1u << EYOTI_MSG_BUCKETS_BITS];
};

void eyoti_msg_index_init(struct eyoti_msg_index *ix);
/* The entries stay what they are. */
void eyoti_msg_index_fini(struct eyoti_msg_index *ix);
/* Makes more buckets, if there is memory. */
void eyoti_msg_index_grow(struct eyoti_msg_index *ix);
/* Removes one that is not the first of its key. */
void eyoti_msg_index_remove_later(struct eyoti_msg_index *ix, struct eyoti_msg_entry *e);

/* A sum of products, which take the time of one multiplication. The factors are odd: the golden
 * ratio's 64 bits, and two of splitmix64. */
static inline uint64_t eyoti_msg_hash(const struct eyoti_msg_key *k) {
  return k->team * 0x9e3779b97f4a7c15u + k->from * 0xbf58476d1ce4e5b9u +
         (uint32_t)k->tag * 0x94d049bb133111ebu;
}

static inline struct eyoti_msg_entry **eyoti_msg_index_bucket(const struct eyoti_msg_index *ix,
                                                              uint64_t hash) {
  return &ix->bucket[hash >> (64 - ix->bits)];
}

_Static_assert(sizeof(struct eyoti_msg_key) == 16, "keys are compared as bytes");
static inline bool eyoti_msg_key_is(const struct eyoti_msg_key *a, const struct eyoti_msg_key *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

/* The first of that key, or NULL. */
static inline struct eyoti_msg_entry *eyoti_msg_index_find(const struct eyoti_msg_index *ix,
                                                           const struct eyoti_msg_key *key) {
  struct eyoti_msg_entry *e = ix->recent;
  if (e != NULL && eyoti_msg_key_is(&e->key, key)) return e;
  e = *eyoti_msg_index_bucket(ix, eyoti_msg_hash(key));
  while (e != NULL && !eyoti_msg_key_is(&e->key, key)) e = e->chain;
  return e;
}

static inline void eyoti_msg_index_append(struct eyoti_msg_entry *first,
                                          struct eyoti_msg_entry *e) {
  e->hash = first->hash;
  e->before = first->before;
  e->before->next = e;
  first->before = e;
}

/* Adds it as the last of its key. */
static inline void eyoti_msg_index_add(struct eyoti_msg_index *ix, struct eyoti_msg_entry *e,
                                       const struct eyoti_msg_key *key) {
  struct eyoti_msg_entry *first = ix->recent;
  e->key = *key;
  e->next = NULL;
  if (first != NULL && eyoti_msg_key_is(&first->key, key)) {
    eyoti_msg_index_append(first, e);
    return;
  }
  e->hash = eyoti_msg_hash(key);
  struct eyoti_msg_entry **at = eyoti_msg_index_bucket(ix, e->hash);
  for (first = *at; first != NULL; first = first->chain) {
    if (!eyoti_msg_key_is(&first->key, key)) continue;
    eyoti_msg_index_append(first, e);
    ix->recent = first;
    return;
  }
  e->chain = *at;
  e->before = e;
  *at = ix->recent = e;
  if (__builtin_expect(++ix->keys >> ix->bits != 0, 0)) eyoti_msg_index_grow(ix);
}

static inline bool eyoti_msg_index_is_first(const struct eyoti_msg_entry *e) {
  return e->before->next != e; /* nothing follows the last one, which the first has before it */
}

static inline void eyoti_msg_index_remove(struct eyoti_msg_index *ix, struct eyoti_msg_entry *e) {
  if (__builtin_expect(!eyoti_msg_index_is_first(e), 0)) {
    eyoti_msg_index_remove_later(ix, e);
    return;
  }
  struct eyoti_msg_entry **at = eyoti_msg_index_bucket(ix, e->hash), *next = e->next;
  while (*at != e) at = &(*at)->chain;
  if (ix->recent == e) ix->recent = next;
  if (next == NULL) {
    *at = e->chain;
    ix->keys--;
  } else {
    next->chain = e->chain;
    next->before = e->before;
    *at = next;
  }
}

#endif
