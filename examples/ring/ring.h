/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h - shared declarations of ring: options, streams, items. */
#ifndef RING_H
#define RING_H

#include <eyot/eyot.h>
#include <stdint.h>

/* Declared cost of making or checking an item. */
enum { RING_BYTES_A_NS = 4 };
enum {
  RING_MAX_ITEMS = 1 << 24,
  RING_MIN_BYTES = 16,
  RING_MAX_BYTES = 1 << 24,
  RING_MAX_SLOTS = 1024
};

enum ring_shape { RING_RING = 0, RING_FAN };
enum ring_by { RING_PUT = 0, RING_GET };

struct ring_opts {
  enum ring_shape shape; /* the pairs of producers and consumers */
  /* whether the producer puts the bytes, or the consumer gets them */
  enum ring_by by;
  uint32_t items;  /* of each stream */
  uint32_t bytes;  /* of an item */
  uint32_t slots;  /* of each stream */
  uint32_t window; /* slots that one notification covers; divides slots */
};

/* One end of a stream: items 0, 1, 2, ... from one unit to another, through slots that are reused,
 * a window of them at a time.
 *
 * Item k goes through slot k % slots, in window k / window % windows. Two notifications may
 * overtake each other, so each window has counters of its own: one at the consumer, which fires
 * when all of the window has arrived, and one at the producer, which fires when all of it may be
 * used again. */
struct ring_end {
  bool produces;
  uint32_t stream;
  eyot_unit_t peer;
  uint32_t done;          /* items produced or consumed so far; the next window begins there */
  eyot_counter_t *mine;   /* by window: fires when this end can continue */
  eyot_counter_t *theirs; /* by window: of the peer */
  /* of this end's slots, of which put uses the consumer's and get the producer's */
  eyot_gptr_t memory;
  /* the same, or where items are before they are put and after they are got */
  char *slots;
  eyot_gptr_t their_slots; /* null where they are not used */
  eyot_handle_t *handle;   /* by window, of the gets */
};

/* ring_end.c. All ends of the calling unit, ready on return; collective. */
struct ring_ends {
  struct ring_end *end;
  uint32_t n;
};
int ring_ends_open(const struct ring_opts *opts, struct ring_ends *ends);
/* Collective; all streams have ended. */
int ring_ends_close(const struct ring_opts *opts, struct ring_ends *ends);

/* ring_stream.c. Runs all streams of the calling unit to their end. *wrong: items that were not the
 * ones expected. */
int ring_run(const struct ring_opts *opts, struct ring_ends *ends, uint64_t *wrong);

/* ring_item.c. Every byte of an item depends on its stream and number. */
void ring_item_make(char *at, uint32_t bytes, uint32_t stream, uint32_t number);
bool ring_item_is(const char *at, uint32_t bytes, uint32_t stream, uint32_t number);

int ring_fail(const char *what, int code);
#define RING_TRY(call)                                    \
  do {                                                    \
    int code_ = (call);                                   \
    if (code_ != EYOT_OK) return ring_fail(#call, code_); \
  } while (0)
#endif
