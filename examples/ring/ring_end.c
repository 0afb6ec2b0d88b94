/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_end.c - the ends of streams: slots, counters, and how each end learns those of the other.
 *
 * Each unit consumes at most one stream, so one record of its symmetric memory serves both ends:
 * the producer writes its side of the consumer's record and reads the other side. Counters and
 * global pointers are values that can be copied. */
#include <stdlib.h>

#include "ring.h"

/* A record holds the producer's side, then the consumer's. A side holds the address of the slots,
 * then a counter for each window. */
static uint64_t side_bytes(const struct ring_opts *opts) {
  return sizeof(eyot_gptr_t) + opts->slots / opts->window * sizeof(eyot_counter_t);
}

static eyot_gptr_t side_at(const struct ring_opts *opts, eyot_gptr_t cards, eyot_unit_t consumer,
                           bool of_producer) {
  return eyot_gptr_add(eyot_gptr_at(cards, consumer), of_producer ? 0 : (int64_t)side_bytes(opts));
}

/* Slots lie in global memory where the peer accesses them: at the consumer of a put, at the
 * producer of a get. */
static int open_slots(const struct ring_opts *opts, struct ring_end *e) {
  uint64_t bytes = (uint64_t)opts->slots * opts->bytes;
  void *address;
  if (e->produces == (opts->by == RING_GET)) {
    RING_TRY(eyot_alloc(bytes, &e->memory));
    RING_TRY(eyot_gptr_addr(e->memory, &address));
    e->slots = address;
  } else {
    e->memory = EYOT_GPTR_NULL;
    e->slots = malloc(bytes);
    if (e->slots == NULL) return ring_fail("memory for slots", EYOT_ENOMEM);
  }
  return EYOT_OK;
}

static int open_end(const struct ring_opts *opts, struct ring_end *e) {
  uint32_t windows = opts->slots / opts->window;
  e->mine = calloc(windows, sizeof *e->mine);
  e->theirs = calloc(windows, sizeof *e->theirs);
  e->handle = calloc(windows, sizeof *e->handle);
  if (e->mine == NULL || e->theirs == NULL || e->handle == NULL)
    return ring_fail("memory for a stream", EYOT_ENOMEM);
  for (uint32_t w = 0; w < windows; w++) RING_TRY(eyot_counter_alloc(opts->window, &e->mine[w]));
  /* All slots are free at first: the producer notifies its own counters. */
  for (uint32_t w = 0; w < windows && e->produces; w++)
    RING_TRY(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, e->mine[w], opts->window));
  return open_slots(opts, e);
}

static int write_card(const struct ring_opts *opts, eyot_gptr_t cards, const struct ring_end *e) {
  uint64_t counters = opts->slots / opts->window * sizeof(eyot_counter_t);
  eyot_gptr_t at = side_at(opts, cards, e->produces ? e->peer : eyot_me(), e->produces);
  RING_TRY(eyot_put(at, &e->memory, sizeof e->memory));
  RING_TRY(eyot_put(eyot_gptr_add(at, sizeof e->memory), e->mine, counters));
  return EYOT_OK;
}

static int read_card(const struct ring_opts *opts, eyot_gptr_t cards, struct ring_end *e) {
  uint64_t counters = opts->slots / opts->window * sizeof(eyot_counter_t);
  eyot_gptr_t at = side_at(opts, cards, e->produces ? e->peer : eyot_me(), !e->produces);
  RING_TRY(eyot_get(&e->their_slots, at, sizeof e->their_slots));
  RING_TRY(eyot_get(e->theirs, eyot_gptr_add(at, sizeof e->their_slots), counters));
  return EYOT_OK;
}

/* Pairs producers and consumers. A stream has the number of its consumer. */
static void name_ends(const struct ring_opts *opts, struct ring_ends *ends) {
  uint32_t me = eyot_me().id, n = eyot_size(), k = 0;
  if (opts->shape == RING_RING) {
    ends->end[k++] =
        (struct ring_end){.produces = true, .stream = (me + 1) % n, .peer = {(me + 1) % n}};
    ends->end[k++] = (struct ring_end){.produces = false, .stream = me, .peer = {(me + n - 1) % n}};
  } else if (me == 0) {
    for (uint32_t u = 1; u < n; u++)
      ends->end[k++] = (struct ring_end){.produces = true, .stream = u, .peer = {u}};
  } else {
    ends->end[k++] = (struct ring_end){.produces = false, .stream = me, .peer = {0}};
  }
  ends->n = k;
}

int ring_ends_open(const struct ring_opts *opts, struct ring_ends *ends) {
  eyot_gptr_t cards;
  ends->end =
      calloc(opts->shape == RING_FAN && eyot_me().id == 0 ? eyot_size() : 2, sizeof *ends->end);
  if (ends->end == NULL) return ring_fail("memory for streams", EYOT_ENOMEM);
  name_ends(opts, ends);
  RING_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * side_bytes(opts), &cards));
  for (uint32_t i = 0; i < ends->n; i++) {
    RING_TRY(open_end(opts, &ends->end[i]));
    RING_TRY(write_card(opts, cards, &ends->end[i]));
  }
  RING_TRY(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < ends->n; i++) RING_TRY(read_card(opts, cards, &ends->end[i]));
  RING_TRY(eyot_barrier(EYOT_TEAM_ALL));
  RING_TRY(eyot_team_free(cards));
  return EYOT_OK;
}

int ring_ends_close(const struct ring_opts *opts, struct ring_ends *ends) {
  /* The last returned slots are in flight to producers that no longer need them. */
  RING_TRY(eyot_flush_all(EYOT_REMOTE));
  RING_TRY(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < ends->n; i++) {
    struct ring_end *e = &ends->end[i];
    for (uint32_t w = 0; w < opts->slots / opts->window; w++)
      RING_TRY(eyot_counter_destroy(&e->mine[w]));
    if (eyot_gptr_is_null(e->memory))
      free(e->slots);
    else
      RING_TRY(eyot_free(e->memory));
    free(e->mine);
    free(e->theirs);
    free(e->handle);
  }
  free(ends->end);
  return EYOT_OK;
}
