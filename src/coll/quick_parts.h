/* SPDX-License-Identifier: BSD-3-Clause */
/* quick_parts.h - what quick.c and quick_message.c share: what is known of a plan, where an
 * operation stands, and steps that stay within the member. */
#ifndef EYOT_COLL_QUICK_PARTS_H
#define EYOT_COLL_QUICK_PARTS_H

#include <string.h>

#include "coll/quick.h"
#include "rma/op.h"

/* What does not change from call to call. */
struct eyoti_quick {
  char *own;             /* the first epoch of the plan's board in the caller's memory */
  int64_t board;         /* where that is from the beginning of a member's first board, */
  uint64_t first;        /* and from that of its own one */
  uint64_t epoch, words; /* bytes of an epoch, of which so many are words at its start */
  uint32_t class;        /* of the board */
  uint32_t at, at_of;    /* operation at_of has that epoch */
  bool messages;         /* by the fabric's messages, and without `step`; else by stores */
  bool wakes;            /* stores: units share processors */
  char *to, *word;       /* stores: of its first message, in the first epoch, if it begins so */
  struct eyoti_quick_step {
    char *to;    /* PUT: the first epoch of the peer */
    bool staged; /* COPY: the next step alone sends the copy; it takes it from where it was */
  } step[];
};

/* Where an operation stands, for run.c. */
struct eyoti_quick_point {
  uint32_t pc, each, level;
  bool opens, opened; /* as in struct eyoti_coll_op, and so are */
  bool sent, lends;
  bool sends; /* it has sent a message of the fabric's */
};
/* run.c goes on with the channel's present operation. rc: an error that ends it. */
int eyoti_quick_go_on(struct eyoti_channel *ch, const struct eyoti_plan *p,
                      char *const base[EYOTI_BASES], const struct eyoti_combiner *by,
                      struct eyoti_quick_point at, int rc);

/* Waits by the fabric as run.c does at first, until it would look for members in other calls. The
 * value of the word of the caller's board, at `off`; less than `least`: it has not come. */
uint64_t eyoti_quick_await(struct eyoti_channel *ch, uint32_t class, uint64_t off, uint64_t least);
/* quick_message.c: the operation, which has begun with rc; its epoch is `at` after the first. */
int eyoti_quick_messages(struct eyoti_channel *ch, const struct eyoti_plan *p,
                         char *const base[EYOTI_BASES], const struct eyoti_combiner *by,
                         uint64_t at, uint32_t hash, int rc);

/* As eyoti_channel_retire when an operation begins; mostly there is nothing to complete. */
static inline int eyoti_quick_retire(struct eyoti_channel *ch) {
  if (ch->number <= EYOTI_RETIRED) return EYOT_OK;
  uint32_t until = ch->number - EYOTI_RETIRED;
  for (; ch->retired < until; ch->retired++) {
    const struct eyoti_sent *s = eyoti_channel_sent(ch, ch->retired + 1);
    if (__builtin_expect(s->n > 0 || s->flush, 0)) return eyoti_channel_retire(ch, until);
  }
  return EYOT_OK;
}

/* What a message's word is set to, in an operation with this head. */
static inline uint64_t eyoti_quick_value(uint64_t head, uint32_t chunk) {
  return chunk == EYOTI_HEAD ? head : head >> 32 << 32 | chunk;
}

static inline void eyoti_quick_copy(char *to, const char *from, uint64_t len) {
  if (len == 8) /* of most calls that are repeated: memcpy takes as long as the rest */
    memcpy(to, from, 8);
  else
    memcpy(to, from, len);
}
static inline void eyoti_quick_copies(char *const base[EYOTI_BASES], const struct eyoti_step *s) {
  char *to = base[s->to_in] + s->to;
  const char *from = base[s->from_in] + s->from;
  if (to == from) return;
  for (uint64_t i = 0; i < s->count; i++)
    eyoti_quick_copy(to + i * s->to_stride, from + i * s->from_stride, s->len);
}
static inline void eyoti_quick_combine(char *const base[EYOTI_BASES],
                                       const struct eyoti_combiner *by,
                                       const struct eyoti_step *s) {
  char *acc = base[s->to_in] + s->to, *operand = base[s->from_in] + s->from;
  eyoti_combiner_run(by, acc, s->before ? operand : acc, s->before ? acc : operand, s->len);
}
#endif
