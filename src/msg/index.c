/* SPDX-License-Identifier: BSD-3-Clause */
/* index.c - the hash of queues of index.h. A bucket chains the first entries of its keys. The first
 * one of a key knows the last, so that one is added at the end, and any taken out, without a walk
 * over the others of its key. */
#include "msg/index.h"

#include <stdlib.h>

#define BITS_MOST 24u

void eyoti_msg_index_init(struct eyoti_msg_index *ix) {
  *ix = (struct eyoti_msg_index){.bits = EYOTI_MSG_BUCKETS_BITS};
  ix->bucket = ix->few;
}

void eyoti_msg_index_fini(struct eyoti_msg_index *ix) {
  if (ix->bucket != ix->few) free(ix->bucket);
  eyoti_msg_index_init(ix);
}

/* Four times as many; without memory the chains only get longer. */
void eyoti_msg_index_grow(struct eyoti_msg_index *ix) {
  const uint32_t n = 1u << ix->bits;
  struct eyoti_msg_entry **old = ix->bucket, **bucket;
  if (ix->bits == BITS_MOST) return;
  bucket = calloc(4 * (size_t)n, sizeof(struct eyoti_msg_entry *));
  if (bucket == NULL) return;
  ix->bucket = bucket;
  ix->bits += 2;
  for (uint32_t i = 0; i < n; i++)
    for (struct eyoti_msg_entry *e = old[i], *next; e != NULL; e = next) {
      struct eyoti_msg_entry **at = eyoti_msg_index_bucket(ix, e->hash);
      next = e->chain;
      e->chain = *at;
      *at = e;
    }
  if (old != ix->few) free(old);
}

void eyoti_msg_index_remove_later(struct eyoti_msg_index *ix, struct eyoti_msg_entry *e) {
  e->before->next = e->next;
  if (e->next != NULL)
    e->next->before = e->before;
  else
    eyoti_msg_index_find(ix, &e->key)->before = e->before;
}
