/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - merges, packs and posts the blocks of a strided or indexed transfer (blocks.h).
 *
 * Blocks that touch on both sides are merged. Consecutive small blocks without a gap at the remote
 * side are copied through one of two fixed buffers and sent as one transfer; the copying overlaps
 * the previous transfer. A get that returns before it is complete cannot unpack later, so it never
 * packs. */
#include "rma/blocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "rt/observe.h"

/* The maximal blocks of a shape in order; `head` is the next one while `some` is true. A copy of a
 * stream remembers a position in it. */
struct stream {
  const struct eyoti_shape *shape;
  uint64_t next; /* the first block after those merged into head */
  struct eyoti_block head;
  bool some;
};

static void stream_advance(struct stream *s) {
  s->some = false;
  for (; s->next < s->shape->n; s->next++) {
    struct eyoti_block b = s->shape->at(s->shape->arg, s->next);
    if (b.len == 0) continue;
    if (!s->some) {
      s->head = b;
      s->some = true;
    } else if (b.local == s->head.local + (int64_t)s->head.len &&
               b.remote == s->head.remote + (int64_t)s->head.len) {
      s->head.len += b.len;
    } else {
      return;
    }
  }
}

static struct stream stream_begin(const struct eyoti_shape *shape) {
  struct stream s = {.shape = shape};
  stream_advance(&s);
  return s;
}

static struct eyoti_block stream_pop(struct stream *s) {
  EYOTI_ASSERT(s->some);
  struct eyoti_block b = s->head;
  stream_advance(s);
  return b;
}

/* The two sides of one call. `base` is the resolved global pointer plus shape->lo. */
struct move {
  struct eyot_rt *rt;
  struct fab_addr base;
  int64_t lo;
  char *local; /* puts only read it */
};

static struct fab_addr remote_at(const struct move *m, int64_t remote) {
  return fab_at(m->base.unit, m->base.seg, m->base.off + (uint64_t)(remote - m->lo));
}

static bool is_small(const struct eyoti_block *b) {
  return b->len < EYOTI_PACK_BLOCK_MAX;
}

static bool pack_begins(const struct move *m, const struct eyoti_block *b, const struct stream *s) {
  return m->rt->rma->pack_bytes > 0 && is_small(b) && s->some && is_small(&s->head) &&
         s->head.remote == b->remote + (int64_t)b->len &&
         b->len + s->head.len <= m->rt->rma->pack_bytes;
}

/* Waits until the buffer's last put has read it, and gives the request back: the put goes on as one
 * without, whose error the flush of its own set returns. */
static int pack_release(struct eyot_rt *rt, uint32_t half) {
  int rc = fab_req_wait(rt->fab, rt->rma->pack_req[half], FAB_RELEASE);
  rt->rma->pack_req[half] = 0;
  if (__builtin_expect(rc == EYOT_OK, 1)) return EYOT_OK;
  const fab_set_t set = rt->fab->set; /* not always that of the put */
  rt->fab->set = FAB_SET_ALL;
  fab_settle(rt->fab, FAB_ALL);
  rt->fab->set = set;
  return rc;
}

int eyoti_blocks_release(struct eyot_rt *rt) {
  int first = EYOT_OK;
  for (uint32_t h = 0; h < EYOTI_PACK_HALVES; h++) {
    if (rt->rma->pack_req[h] == 0) continue;
    int rc = pack_release(rt, h);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

/* A buffer that may be filled. *half is EYOTI_PACK_HALVES when there is no memory for
 * it: packing is optional, so the blocks are then sent one by one. */
static int pack_take(struct eyot_rt *rt, uint32_t *half) {
  struct eyoti_rma *r = rt->rma;
  uint32_t h = r->pack_next;
  if (r->pack[h] == NULL) r->pack[h] = malloc(r->pack_bytes);
  if (r->pack[h] == NULL) {
    *half = EYOTI_PACK_HALVES;
    return EYOT_OK;
  }
  EYOTI_TRY(pack_release(rt, h));
  r->pack_next = (h + 1) % EYOTI_PACK_HALVES;
  *half = h;
  return EYOT_OK;
}

/* The bytes of the run of small blocks that starts with b, as far as they fit; consumes the run.
 * put: copies them into `buffer`. */
static uint64_t pack_run(const struct move *m, const struct eyoti_block *b, struct stream *s,
                         char *buffer) {
  uint64_t capacity = m->rt->rma->pack_bytes, used = b->len;
  if (buffer != NULL) memcpy(buffer, m->local + b->local, b->len);
  while (s->some && is_small(&s->head) && s->head.remote == b->remote + (int64_t)used &&
         s->head.len <= capacity - used) {
    struct eyoti_block next = stream_pop(s);
    if (buffer != NULL) memcpy(buffer + used, m->local + next.local, next.len);
    used += next.len;
  }
  return used;
}

/* The packed blocks belong to the put that was posted last, as if it had read them itself, unless
 * the call returns when the source is free. */
static void lend_run(const struct move *m, const struct stream *from, uint64_t bytes, bool free) {
  if (!m->rt->observed) return;
  struct stream s = *from;
  for (uint64_t done = 0; done < bytes;) {
    struct eyoti_block b = stream_pop(&s);
    if (free)
      eyoti_observe_reads(m->rt, m->local + b.local, b.len);
    else
      eyoti_observe_lent(m->rt, m->local + b.local, b.len);
    done += b.len;
  }
}

/* Puts of which the call waits until their source may be reused: some are in flight at a time. */
#define PENDING 32u
struct pending {
  bool waits; /* false: they are posted without request */
  uint32_t n;
  fab_req_t req[PENDING];
};

/* After an error the caller settles all that is in flight. */
static int release_pending(const struct move *m, struct pending *p) {
  int first = EYOT_OK;
  for (uint32_t i = 0; i < p->n; i++) {
    int rc = fab_req_wait(m->rt->fab, p->req[i], FAB_RELEASE);
    if (first == EYOT_OK) first = rc;
  }
  p->n = 0;
  return first;
}

static int put_block(const struct move *m, const struct eyoti_block *b, struct pending *p) {
  if (p->n == PENDING) EYOTI_TRY(release_pending(m, p));
  fab_req_t *req = p->waits ? &p->req[p->n] : NULL;
  EYOTI_TRY(fab_put(m->rt->fab, remote_at(m, b->remote), m->local + b->local, b->len, req));
  if (req != NULL && *req != 0) p->n++;
  return EYOT_OK;
}

static int blocks_put_post(const struct move *m, const struct eyoti_shape *shape,
                           struct pending *p) {
  struct eyoti_rma *r = m->rt->rma;
  struct stream s = stream_begin(shape);
  while (s.some) {
    struct stream from = s;
    struct eyoti_block b = stream_pop(&s);
    uint32_t half = EYOTI_PACK_HALVES;
    if (pack_begins(m, &b, &s)) EYOTI_TRY(pack_take(m->rt, &half));
    if (half == EYOTI_PACK_HALVES) {
      EYOTI_TRY(put_block(m, &b, p));
    } else {
      uint64_t used = pack_run(m, &b, &s, r->pack[half]);
      EYOTI_TRY(
          fab_put(m->rt->fab, remote_at(m, b.remote), r->pack[half], used, &r->pack_req[half]));
      lend_run(m, &from, used, p->waits);
    }
  }
  return EYOT_OK;
}

/* A packed get in flight: it has the blocks of `from` up to `bytes`. */
struct packed_get {
  struct stream from;
  uint64_t bytes; /* 0: none */
};

static int unpack(const struct move *m, struct packed_get *p, uint32_t half) {
  struct eyoti_rma *r = m->rt->rma;
  int rc = fab_req_end(m->rt->fab, m->base.unit, r->pack_req[half]);
  r->pack_req[half] = 0;
  for (uint64_t done = 0; rc == EYOT_OK && done < p->bytes;) {
    struct eyoti_block b = stream_pop(&p->from);
    memcpy(m->local + b.local, r->pack[half] + done, b.len);
    eyoti_observe_writes(m->rt, m->local + b.local, b.len);
    done += b.len;
  }
  p->bytes = 0;
  return rc;
}

static int blocks_get_post(const struct move *m, const struct eyoti_shape *shape, bool may_pack,
                           struct packed_get *flying) {
  struct eyoti_rma *r = m->rt->rma;
  struct stream s = stream_begin(shape);
  while (s.some) {
    struct stream here = s;
    struct eyoti_block b = stream_pop(&s);
    uint32_t half = EYOTI_PACK_HALVES;
    if (may_pack && pack_begins(m, &b, &s)) {
      uint32_t h = r->pack_next;
      if (flying[h].bytes > 0) EYOTI_TRY(unpack(m, &flying[h], h));
      EYOTI_TRY(pack_take(m->rt, &half));
    }
    if (half == EYOTI_PACK_HALVES) {
      EYOTI_TRY(fab_get(m->rt->fab, m->local + b.local, remote_at(m, b.remote), b.len, NULL));
    } else {
      uint64_t used = pack_run(m, &b, &s, NULL);
      EYOTI_TRY(
          fab_get(m->rt->fab, r->pack[half], remote_at(m, b.remote), used, &r->pack_req[half]));
      flying[half] = (struct packed_get){.from = here, .bytes = used};
    }
  }
  return EYOT_OK;
}

/* For memory that is mapped here: each block is one copy; packing would only add another. */
static void copy_mapped(char *remote, char *local, const struct eyoti_shape *shape, bool put) {
  struct stream s = stream_begin(shape);
  while (s.some) {
    struct eyoti_block b = stream_pop(&s);
    char *there = remote + (b.remote - shape->lo);
    eyoti_fast_copy(put ? there : local + b.local, put ? local + b.local : there, b.len);
  }
  if (put)
    EYOTI_FENCE_AFTER_PUT();
  else
    EYOTI_FENCE_AFTER_GET();
}

/* Resolves the whole span; *mapped is its address when it is mapped here. */
static int move_begin(struct eyot_rt *rt, eyot_gptr_t g, char *local,
                      const struct eyoti_shape *shape, struct move *m, char **mapped) {
  uint64_t span = (uint64_t)(shape->hi - shape->lo);
  if (shape->lo < 0 && shape->lo < -eyoti_gptr_byte(g))
    return EYOTI_FAIL(EYOT_ERANGE,
                      "the blocks begin %" PRId64 " bytes before %s, and so before its start",
                      -shape->lo, eyoti_gmem_byte_words(rt, g, (char[EYOTI_BYTE_WORDS]){0}));
  g.offset += (uint64_t)shape->lo;
  if (local == NULL && span > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "local buffer is NULL, the shape spans %" PRIu64 " bytes", span);
  struct fab_addr base;
  EYOTI_TRY(eyoti_gmem_resolve(rt, g, span, &base));
  *m = (struct move){rt, base, shape->lo, local};
  *mapped = eyoti_mapped_addr(&rt->mapped, g, span);
  return EYOT_OK;
}

/* rc: the result of the posting. Operations posted before an error still use the caller's
 * buffer. */
static int move_end(const struct move *m, int rc, bool flushed, enum fab_level level) {
  struct fab *f = m->rt->fab;
  if (flushed && rc == EYOT_OK) rc = eyoti_blocks_release(m->rt);
  int rc_flush = flushed ? fab_flush_end(f, m->base.unit, level) : EYOT_OK;
  if (rc != EYOT_OK && !flushed) fab_settle_set(f, m->base.unit);
  return rc != EYOT_OK ? rc : rc_flush;
}

int eyoti_blocks_put(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                     const struct eyoti_shape *shape, enum eyoti_until until) {
  struct move m;
  char *mapped;
  EYOTI_TRY(move_begin(rt, dst, (char *)(uintptr_t)src, shape, &m, &mapped));
  if (mapped != NULL) {
    copy_mapped(mapped, m.local, shape, true);
    return EYOT_OK;
  }
  struct pending p;
  p.waits = until == EYOTI_UNTIL_LOCAL;
  p.n = 0;
  int rc = blocks_put_post(&m, shape, &p);
  int rc_local = release_pending(&m, &p);
  return move_end(&m, rc != EYOT_OK ? rc : rc_local, until == EYOTI_UNTIL_REMOTE, FAB_REMOTE);
}

int eyoti_blocks_get(struct eyot_rt *rt, void *dst, eyot_gptr_t src,
                     const struct eyoti_shape *shape, bool flushed) {
  struct move m;
  char *mapped;
  EYOTI_TRY(move_begin(rt, src, dst, shape, &m, &mapped));
  if (mapped != NULL) {
    copy_mapped(mapped, m.local, shape, false);
    return EYOT_OK;
  }
  struct packed_get flying[EYOTI_PACK_HALVES] = {0};
  int rc = blocks_get_post(&m, shape, flushed, flying);
  for (uint32_t h = 0; h < EYOTI_PACK_HALVES; h++) {
    int rc_unpack = flying[h].bytes > 0 ? unpack(&m, &flying[h], h) : EYOT_OK;
    if (rc == EYOT_OK) rc = rc_unpack;
  }
  return move_end(&m, rc, flushed, FAB_LOCAL);
}
