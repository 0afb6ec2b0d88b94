/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_stream.c - produces and consumes a window at a time, for each of the unit's streams that can
 * continue.
 *
 * In a ring each unit is a producer and a consumer. If it waited for one role only, all units could
 * wait for free slots while none consumes. So it waits for any of its counters. */
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"

static eyot_gptr_t slot_of(const struct ring_opts *opts, eyot_gptr_t slots, uint32_t slot) {
  return eyot_gptr_add(slots, (int64_t)slot * opts->bytes);
}

static uint32_t window_of(const struct ring_opts *opts, const struct ring_end *e) {
  return e->done / opts->window % (opts->slots / opts->window);
}

/* The number of items of a window; only the last window may have fewer. */
static uint32_t items_now(const struct ring_opts *opts, const struct ring_end *e) {
  uint32_t left = opts->items - e->done;
  return left < opts->window ? left : opts->window;
}

static int spend(const struct ring_opts *opts, uint32_t items) {
  return eyot_compute((uint64_t)items * opts->bytes / RING_BYTES_A_NS);
}

/* The window's slots are free at both ends. The last item of a window that is not full counts for
 * the missing ones too. */
static int produce(const struct ring_opts *opts, struct ring_end *e) {
  uint32_t w = window_of(opts, e), n = items_now(opts, e), first = w * opts->window;
  RING_TRY(eyot_flush(e->peer, EYOT_LOCAL)); /* the earlier puts from these slots */
  for (uint32_t i = 0; i < n; i++)
    ring_item_make(e->slots + (uint64_t)(first + i) * opts->bytes, opts->bytes, e->stream,
                   e->done + i);
  RING_TRY(spend(opts, n));
  if (opts->by == RING_GET) {
    RING_TRY(eyot_sync()); /* the stores before the notification */
    RING_TRY(eyot_put_notify_nbi(EYOT_GPTR_NULL, NULL, 0, e->theirs[w], opts->window));
  } else {
    for (uint32_t i = 0; i < n; i++)
      RING_TRY(eyot_put_notify_nbi(slot_of(opts, e->their_slots, first + i),
                                   e->slots + (uint64_t)(first + i) * opts->bytes, opts->bytes,
                                   e->theirs[w], i + 1 < n ? 1 : opts->window - i));
  }
  e->done += n;
  return EYOT_OK;
}

/* The window has arrived, or may be fetched. */
static int consume(const struct ring_opts *opts, struct ring_end *e, uint64_t *wrong) {
  uint32_t w = window_of(opts, e), n = items_now(opts, e), first = w * opts->window;
  if (opts->by == RING_GET) {
    char *to = e->slots + (uint64_t)first * opts->bytes;
    RING_TRY(eyot_wait(&e->handle[w], EYOT_REMOTE));
    RING_TRY(eyot_get_notify_nb(to, slot_of(opts, e->their_slots, first), (uint64_t)n * opts->bytes,
                                e->theirs[w], opts->window, &e->handle[w]));
    /* the bytes have arrived, and the slots are being returned */
    RING_TRY(eyot_wait(&e->handle[w], EYOT_LOCAL));
  }
  for (uint32_t i = 0; i < n; i++) {
    if (ring_item_is(e->slots + (uint64_t)(first + i) * opts->bytes, opts->bytes, e->stream,
                     e->done + i))
      continue;
    if ((*wrong)++ == 0)
      fprintf(stderr, "ring: unit %u: slot %u does not hold item %u of stream %u\n", eyot_me().id,
              first + i, e->done + i, e->stream);
  }
  RING_TRY(spend(opts, n));
  if (opts->by == RING_PUT)
    RING_TRY(eyot_put_notify_nbi(EYOT_GPTR_NULL, NULL, 0, e->theirs[w], opts->window));
  e->done += n;
  return EYOT_OK;
}

int ring_run(const struct ring_opts *opts, struct ring_ends *ends, uint64_t *wrong) {
  /* the counters that the unfinished streams wait for */
  eyot_counter_t *next = calloc(ends->n, sizeof *next);
  struct ring_end **of = calloc(ends->n, sizeof(struct ring_end *));
  uint32_t n = ends->n;
  if (next == NULL || of == NULL) return ring_fail("memory for the list of streams", EYOT_ENOMEM);
  for (uint32_t i = 0; i < n; i++) {
    of[i] = &ends->end[i];
    next[i] = of[i]->mine[0];
  }
  while (n > 0) {
    size_t i;
    RING_TRY(eyot_counter_wait_any(next, n, &i));
    struct ring_end *e = of[i];
    int code = e->produces ? produce(opts, e) : consume(opts, e, wrong);
    if (code != EYOT_OK) return code;
    next[i] = e->mine[window_of(opts, e)];
    if (e->done < opts->items) continue;
    n--;
    of[i] = of[n];
    next[i] = next[n];
  }
  for (uint32_t i = 0; i < ends->n; i++)
    RING_TRY(eyot_wait_all(ends->end[i].handle, opts->slots / opts->window, EYOT_REMOTE));
  free(next);
  free(of);
  return EYOT_OK;
}
