/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c - blocks whose bytes lie in runs (runs.h). */
#include "coll/runs.h"

#include <inttypes.h>
#include <string.h>

#include "coll/coll.h"
#include "rt/rt.h"

/* -- checks ------------------------------------------------------------------------------------ */

/* How far a block reaches from the buffer's first byte on. */
struct reach {
  int64_t low, high;
};

/* The bytes of a block, and its reach; false: more than memory can hold. */
static bool measure(const eyot_block_t *b, uint64_t *bytes, struct reach *r) {
  int64_t step;
  *bytes = b->run_bytes;
  *r = (struct reach){0, 0};
  if (b->run_bytes == 0) return true;
  if (b->at > INT64_MAX) return false;
  r->low = (int64_t)b->at;
  if (__builtin_add_overflow(b->at, b->run_bytes, &r->high)) return false;
  for (uint32_t d = 0; d < EYOT_BLOCK_DIMS; d++) {
    uint64_t n = b->count[d] > 0 ? b->count[d] : 1;
    if (__builtin_mul_overflow(*bytes, n, bytes)) return false;
    if (__builtin_mul_overflow(b->stride[d], n - 1, &step)) return false;
    if (__builtin_add_overflow(step < 0 ? r->low : r->high, step, step < 0 ? &r->low : &r->high))
      return false;
  }
  return *bytes <= EYOTI_COLL_BYTES_MOST && r->high <= EYOTI_COLL_BYTES_MOST;
}

static uint64_t magnitude(int64_t v) {
  return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Whether each stride steps over all that is repeated by shorter ones. Products are those that
 * `measure` has found to fit. */
static bool runs_apart(const struct eyoti_runs *s) {
  bool used[EYOT_BLOCK_DIMS] = {false};
  uint64_t over = s->run;
  for (uint32_t k = 0; k < EYOT_BLOCK_DIMS; k++) {
    uint32_t least = EYOT_BLOCK_DIMS;
    for (uint32_t d = 0; d < EYOT_BLOCK_DIMS; d++) {
      if (used[d] || s->count[d] == 1) continue;
      if (least == EYOT_BLOCK_DIMS || magnitude(s->stride[d]) < magnitude(s->stride[least]))
        least = d;
    }
    if (least == EYOT_BLOCK_DIMS) return true;
    if (magnitude(s->stride[least]) < over) return false;
    used[least] = true;
    over += magnitude(s->stride[least]) * (s->count[least] - 1);
  }
  return true;
}

/* Takes out a dimension, whose runs have become a part of others. */
static void drop(struct eyoti_runs *s, uint32_t d) {
  for (; d + 1 < EYOT_BLOCK_DIMS; d++) {
    s->count[d] = s->count[d + 1];
    s->stride[d] = s->stride[d + 1];
  }
  s->count[d] = 1;
  s->stride[d] = 0;
}

/* As few runs as there can be without another order of bytes. */
static struct eyoti_runs simplify(const eyot_block_t *b) {
  struct eyoti_runs s = {.run = b->run_bytes};
  uint32_t dims = 0;
  for (uint32_t d = 0; d < EYOT_BLOCK_DIMS; d++) s.count[d] = 1;
  for (uint32_t d = 0; d < EYOT_BLOCK_DIMS && s.run > 0; d++) {
    if (b->count[d] <= 1) continue;
    s.count[dims] = b->count[d];
    s.stride[dims++] = b->stride[d];
  }
  while (s.count[0] > 1 && s.stride[0] >= 0 && (uint64_t)s.stride[0] == s.run) {
    s.run *= s.count[0];
    drop(&s, 0);
  }
  for (uint32_t d = 0; d + 1 < EYOT_BLOCK_DIMS;) {
    int64_t row;
    bool follows = s.count[d + 1] > 1 && !__builtin_mul_overflow(s.stride[d], s.count[d], &row) &&
                   s.stride[d + 1] == row;
    if (!follows) {
      d++;
      continue;
    }
    s.count[d] *= s.count[d + 1];
    drop(&s, d + 1);
  }
  return s;
}

int eyoti_runs_make(struct eyoti_runs *s, const eyot_block_t *b, bool apart, const char *name,
                    uint32_t m, uint64_t *bytes, uint64_t *end) {
  struct reach r;
  if (!measure(b, bytes, &r))
    return EYOTI_FAIL(EYOT_EINVAL, "%s[%u] is more than memory can hold", name, m);
  if (r.low < 0)
    return EYOTI_FAIL(EYOT_EINVAL, "%s[%u] begins at byte %" PRId64 ", expected none before byte 0",
                      name, m, r.low);
  *s = simplify(b);
  *end = (uint64_t)r.high;
  if (!apart || runs_apart(s)) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "runs of %s[%u] overlap: each stride must step over what lies within it", name,
                    m);
}

/* -- copies ------------------------------------------------------------------------------------ */

/* A place in a block: run `i` of row `j` of plane `k`. */
struct at {
  uint64_t i, j, k;
};

static int64_t at_off(const struct eyoti_runs *s, const struct at *at) {
  return (int64_t)at->i * s->stride[0] + (int64_t)at->j * s->stride[1] +
         (int64_t)at->k * s->stride[2];
}

static void at_next(const struct eyoti_runs *s, struct at *at) {
  if (++at->i < s->count[0]) return;
  at->i = 0;
  if (++at->j < s->count[1]) return;
  at->j = 0;
  at->k++;
}

/* Most runs are an element: the compiler knows the length of that copy. */
static inline void copy_run(char *to, const char *from, uint64_t bytes) {
  if (bytes == 8)
    memcpy(to, from, 8);
  else
    memcpy(to, from, bytes);
}

static void copy(const struct eyoti_runs *s, char *block, char *packed, uint64_t from, uint64_t len,
                 bool packs) {
  if (len == 0) return;
  uint64_t number = from / s->run, skip = from % s->run;
  struct at at = {number % s->count[0], number / s->count[0] % s->count[1],
                  number / s->count[0] / s->count[1]};
  while (len > 0) {
    uint64_t n = s->run - skip < len ? s->run - skip : len;
    char *run = block + at_off(s, &at) + skip;
    copy_run(packs ? packed : run, packs ? run : packed, n);
    packed += n;
    len -= n;
    skip = 0;
    at_next(s, &at);
  }
}

void eyoti_runs_pack(const struct eyoti_runs *s, const char *block, char *packed, uint64_t from,
                     uint64_t len) {
  copy(s, (char *)(uintptr_t)block, packed, from, len, true);
}
void eyoti_runs_unpack(const struct eyoti_runs *s, char *block, const char *packed, uint64_t from,
                       uint64_t len) {
  copy(s, block, (char *)(uintptr_t)packed, from, len, false);
}

/* Run by run of the one block. */
struct moving {
  const struct eyoti_runs *to;
  char *out;
  uint64_t done;
};
static void move_run(void *arg, const char *run, uint64_t bytes) {
  struct moving *m = arg;
  eyoti_runs_unpack(m->to, m->out, run, m->done, bytes);
  m->done += bytes;
}

void eyoti_runs_move(const struct eyoti_runs *from, const char *in, const struct eyoti_runs *to,
                     char *out, uint64_t len) {
  struct moving m = {.to = to, .out = out};
  if (to == NULL && from == NULL)
    memmove(out, in, len);
  else if (to == NULL)
    eyoti_runs_pack(from, in, out, 0, len);
  else if (from == NULL)
    eyoti_runs_unpack(to, out, in, 0, len);
  else
    eyoti_runs_each(from, in, move_run, &m);
}

void eyoti_runs_each(const struct eyoti_runs *s, const char *block,
                     void (*each)(void *arg, const char *run, uint64_t bytes), void *arg) {
  struct at at = {0, 0, 0};
  if (s->run == 0) return;
  for (uint64_t n = s->count[0] * s->count[1] * s->count[2]; n > 0; n--) {
    each(arg, block + at_off(s, &at), s->run);
    at_next(s, &at);
  }
}
