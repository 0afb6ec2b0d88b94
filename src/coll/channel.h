/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.h - the memory through which the members of a team exchange the messages of collectives,
 * and the rule by which it is used again without a barrier. For the files of src/coll; generators
 * need plan.h only.
 *
 * A channel carries operations one after the other. Operation n (1, 2, ...; one a round of a call,
 * the same on all members) uses one epoch of a board, n modulo their number. Boards come in size
 * classes: the first takes 2 KiB a member (5 where units are processes) and holds the messages
 * of up to EYOTI_PLAN_SMALL bytes of most plans, a larger one is made at its first use. channel.c
 * has the proof. */
#ifndef EYOT_COLL_CHANNEL_H
#define EYOT_COLL_CHANNEL_H

#include <eyot/mem.h>

#include "coll/plan.h"

#define EYOTI_EPOCHS 6u     /* of a board */
#define EYOTI_EPOCHS_FEW 4u /* of boards with a cold part (plan.h) */
/* Where units are processes: an opening is a way there and back, between nodes by messages, and the
 * memory of a process is not short. */
#define EYOTI_EPOCHS_MANY 16u
/* Epochs of some 300 bytes; of 1.25 and 2.5 KiB, half of them words, for plans of many short
 * messages; of 2.5, 10, 40, 160 ... KiB, a quarter of them words. */
#define EYOTI_CLASSES 18u
/* When an operation begins, those so many before it are complete. */
#define EYOTI_RETIRED 2u
/* Members of a team in which the one that finds a failure tells all others itself. */
#define EYOTI_POISON_DIRECT 1024u
#define EYOTI_NUMBER_LAST (UINT32_MAX - 64u) /* numbers begin anew after it */

/* Where an epoch lies in its board: its words and its bytes, and how much farther the cold ones of
 * both are; 0 without a cold part. */
struct eyoti_epoch {
  uint64_t words, data;
  uint32_t hot_bytes; /* of its words, and of its bytes */
  uint32_t cold_words, cold_data;
};
static inline uint64_t eyoti_epoch_word(const struct eyoti_epoch *e, uint64_t word) {
  return e->words + word * 8 + (word * 8 >= e->hot_bytes ? e->cold_words : 0);
}
static inline uint64_t eyoti_epoch_data(const struct eyoti_epoch *e, uint64_t off) {
  return e->data + off + (off >= e->hot_bytes ? e->cold_data : 0);
}

/* A board of one class, at the same place of the allocation on all members. */
struct eyoti_board {
  eyot_gptr_t memory; /* null: agreed on in steps (gmem/common.h) */
  uint64_t common;    /* the offset of such memory that is this board's alone; else 0 */
  struct fab_addr own;
  char *base;   /* of the caller's part; NULL: the board is not made yet */
  bool aligned; /* all members have it at the same offset */
};

/* The puts of an epoch, which are retired before it is used again. */
struct eyoti_sent {
  fab_req_t *req; /* NULL: none yet */
  uint32_t n, cap;
  uint32_t drained; /* requests before this one are locally complete */
  bool flush;       /* others have no request */
};

struct eyoti_channel {
  struct eyot_rt *rt;
  struct eyoti_team *t;
  uint32_t levels;   /* ceil(log2 size) */
  uint32_t epochs;   /* of each board */
  uint32_t number;   /* operations begun */
  uint32_t together; /* the last one that has shown that all members had begun it; 0: none */
  uint32_t retired;  /* operations whose puts are retired */
  uint32_t epoch_words, epoch_bytes; /* bytes of words, and all bytes, of an epoch of `first` */
  uint64_t hot_bytes;                /* of its words, and of its other bytes */
  bool second;                       /* which set of words the next opening uses */
  bool inside;                       /* its calls go on inside others */
  bool exchanges;                   /* some openings are the control plane's exchange (opening.h) */
  uint32_t hash[EYOTI_EPOCHS_MANY]; /* of the last operations, by number */
  struct eyoti_board first;
  char **mapped; /* quick.c's own: the first board of each member; NULL: not looked for */
  struct eyoti_board *larger; /* of the classes from 1 on; NULL: none has been made */
  struct eyoti_sent sent[EYOTI_RETIRED + 1];
};

void eyoti_channel_init(struct eyoti_channel *ch, struct eyot_rt *rt, struct eyoti_team *t);
/* The class whose epochs hold the words and bytes of a plan. */
uint32_t eyoti_channel_class(const struct eyoti_channel *ch, const struct eyoti_plan *p);
/* The bytes of an epoch that are words, whatever plan uses it. */
uint64_t eyoti_channel_words_bytes(const struct eyoti_channel *ch, uint32_t class);
/* A board that has been made. */
static inline struct eyoti_board *eyoti_channel_board(struct eyoti_channel *ch, uint32_t class) {
  return class == 0 ? &ch->first : &ch->larger[class - 1];
}
static inline bool eyoti_channel_has(const struct eyoti_channel *ch, uint32_t class) {
  if (class == 0) return ch->first.base != NULL;
  return ch->larger != NULL && ch->larger[class - 1].base != NULL;
}
/* Makes the board of a class. Collective, blocking. Errors: ENOMEM, on all members. */
int eyoti_channel_make(struct eyoti_channel *ch, uint32_t class);
/* What a member calls instead that cannot have a board of so many bytes: returns `error`, or that
 * of another member, on all. */
int eyoti_channel_refuse(const struct eyoti_team *t, uint64_t bytes, int error);
/* For boards in memory on which the members agree themselves: its bytes, and the board there. Of a
 * class from 1 on `eyoti_channel_reserve` goes before. Local. Errors: ENOMEM. */
uint64_t eyoti_channel_board_bytes(const struct eyoti_channel *ch, uint32_t class);
int eyoti_channel_reserve(struct eyoti_channel *ch);
void eyoti_channel_set_board(struct eyoti_channel *ch, uint32_t class, uint64_t off);
/* Frees the boards that eyoti_channel_make has made. Collective. */
int eyoti_channel_drop(struct eyoti_channel *ch);
/* Frees the caller's part of them at the end of the run, once all members have retired all and have
 * met. Local. */
void eyoti_channel_release(struct eyoti_channel *ch);
/* Frees the memory of boards that is their own, once nothing is on its way to any member's.
 * Local. */
void eyoti_channel_drop_common(struct eyoti_channel *ch);
/* Frees what is the caller's own. Local. */
void eyoti_channel_fini(struct eyoti_channel *ch);

/* Where the epoch of operation `number` lies in the board. */
struct eyoti_epoch eyoti_channel_epoch(const struct eyoti_channel *ch, uint32_t class,
                                       uint32_t number);
/* Whether operation `number` must begin with a barrier. The same on all members, whatever they
 * call. */
bool eyoti_channel_unsafe(const struct eyoti_channel *ch, uint32_t number);
/* Begins operation number + 1. Errors: the fabric's; it has begun all the same. */
int eyoti_channel_next(struct eyoti_channel *ch);
/* Completes the puts of the operations up to `number` at their targets, at most the present one;
 * messages (fab_ops.message) only where they are sent. Errors: the fabric's; they are retired all
 * the same. */
int eyoti_channel_retire(struct eyoti_channel *ch, uint32_t number);
/* The puts of operation `number`, one of the last EYOTI_RETIRED + 1. */
static inline struct eyoti_sent *eyoti_channel_sent(struct eyoti_channel *ch, uint32_t number) {
  return &ch->sent[number % (EYOTI_RETIRED + 1)];
}
/* If so many numbers are used up: a barrier, after which they begin anew. The channel is idle on
 * all members. Collective. */
int eyoti_channel_renew(struct eyoti_channel *ch, uint32_t most);

/* The address of byte `off` of a member's board. */
int eyoti_channel_at(struct eyoti_channel *ch, uint32_t class, fab_unit_t unit, uint64_t off,
                     uint64_t len, struct fab_addr *out);
/* Puts len bytes (0: none) at `off` of the unit's board, and sets the word at `word_off`, both in
 * the epoch of the present operation, whose number begins the value. */
int eyoti_channel_send(struct eyoti_channel *ch, uint32_t class, fab_unit_t unit, uint64_t off,
                       const void *from, uint64_t len, uint64_t word_off, uint64_t value);
/* Sets a word of the first board that is in no epoch. raise: a greater value stays. */
int eyoti_channel_raise(struct eyoti_channel *ch, fab_unit_t unit, uint64_t word_off,
                        uint64_t value);
int eyoti_channel_set(struct eyoti_channel *ch, fab_unit_t unit, uint64_t word_off, uint64_t value);
/* Sends len bytes to where the unit expects them, and sets that word; of fab_ops.send. */
int eyoti_channel_send_apart(struct eyoti_channel *ch, uint32_t class, fab_unit_t unit,
                             const void *from, uint64_t len, uint64_t word_off, uint64_t value);
/* Waits until the bytes of the present operation's puts may be changed. */
int eyoti_channel_drain(struct eyoti_channel *ch);

/* Offsets in the first board. Two words for each epoch: last << 32 | first, the range of numbers
 * that have failed at a member, and those whose openings it does not complete. */
enum eyoti_poison { EYOTI_POISON_FAILED = 0, EYOTI_POISON_SKIPPED, EYOTI_POISONS };
/* Two sets of a word for each level: openings that all members pass use them in turn. */
static inline uint64_t eyoti_channel_opening_off(const struct eyoti_channel *ch, bool second) {
  return (EYOTI_POISONS * ch->epochs + (second ? ch->levels : 0)) * 8u;
}
/* After them: the calls in which other members wait long, outside of openings. */
#define EYOTI_ANNOUNCES 8u /* words; a sender takes one by three bits of its hash */
static inline uint64_t eyoti_channel_announce_off(const struct eyoti_channel *ch) {
  return (EYOTI_POISONS * ch->epochs + 2 * ch->levels) * 8u;
}
/* After them, where the fabric has messages: the number of the member's present operation, which is
 * `least` of fab_ops.message. */
static inline uint64_t eyoti_channel_least_off(const struct eyoti_channel *ch) {
  return eyoti_channel_announce_off(ch) + EYOTI_ANNOUNCES * 8u;
}
static inline uint64_t eyoti_channel_poison_off(const struct eyoti_channel *ch,
                                                enum eyoti_poison kind, uint32_t number) {
  return (kind * ch->epochs + number % ch->epochs) * 8u;
}
/* Tells the other members that the operations number..last of the channel have failed; skipped: and
 * that the caller has not passed the opening of the first, if there is one, nor of later ones.
 * Errors: the fabric's. */
int eyoti_channel_poison(struct eyoti_channel *ch, uint32_t number, uint32_t last, bool skipped);
#endif
