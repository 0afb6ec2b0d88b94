/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.c - private memory that operations under way read or write, for the race detector: the
 * source of a put, the result of a get or of an atomic, from the post until the unit has seen the
 * operation complete at its own side.
 *
 * Why it exists: no other unit can access private memory, so it needs no history. A load or store
 * of the unit conflicts only with its own operations under way, whatever was before. Each unit has
 * two treaps of byte ranges (R. Seidel, C. Aragon, "Randomized Search Trees", Algorithmica 16,
 * 1996) that also store the highest end in each subtree: one of the ranges that are written, one of
 * those that are read. All costs are logarithmic in the ranges of the unit. */
#include "base/check.h"
#include "base/hash.h"
#include "check/race/state.h"

/* A range of the operation: of both trees, and of the operation's own list. */
struct chk_buffer {
  struct chk_buffer *left, *right;
  struct chk_buffer *next; /* of the same operation */
  struct chk_race_op *op;
  uint64_t lo, hi, most; /* [lo, hi); most: the highest end in this subtree */
  uint64_t start, len;   /* of the whole buffer of the operation, for reports */
  uint32_t priority;
  bool writes;
  bool heard; /* in no tree: see buffer_conflict */
};

_Static_assert(sizeof(struct chk_buffer) <= CHK_BUFFER_BYTES, "the pool's objects have room");

static void buffer_renew(struct chk_buffer *b) {
  b->most = b->hi;
  if (b->left != NULL && b->left->most > b->most) b->most = b->left->most;
  if (b->right != NULL && b->right->most > b->most) b->most = b->right->most;
}

/* Ranges may be equal: their addresses distinguish them. */
static bool buffer_less(const struct chk_buffer *a, const struct chk_buffer *b) {
  return a->lo != b->lo ? a->lo < b->lo : (uintptr_t)a < (uintptr_t)b;
}

/* Divides the tree into the ranges less than b and the others. */
static void buffer_split(struct chk_buffer *t, const struct chk_buffer *b, struct chk_buffer **less,
                         struct chk_buffer **rest) {
  if (t == NULL) {
    *less = *rest = NULL;
  } else if (buffer_less(t, b)) {
    buffer_split(t->right, b, &t->right, rest);
    buffer_renew(t);
    *less = t;
  } else {
    buffer_split(t->left, b, less, &t->left);
    buffer_renew(t);
    *rest = t;
  }
}

static struct chk_buffer *buffer_join(struct chk_buffer *less, struct chk_buffer *rest) {
  if (less == NULL) return rest;
  if (rest == NULL) return less;
  struct chk_buffer *top = less->priority >= rest->priority ? less : rest;
  if (top == less)
    less->right = buffer_join(less->right, rest);
  else
    rest->left = buffer_join(less, rest->left);
  buffer_renew(top);
  return top;
}

static void buffer_insert(struct chk_buffer **t, struct chk_buffer *b) {
  if (*t == NULL || b->priority > (*t)->priority) {
    buffer_split(*t, b, &b->left, &b->right);
    *t = b;
  } else {
    buffer_insert(buffer_less(b, *t) ? &(*t)->left : &(*t)->right, b);
  }
  buffer_renew(*t);
}

static void buffer_remove(struct chk_buffer **t, const struct chk_buffer *b) {
  EYOTI_ASSERT(*t != NULL);
  if (*t == b) {
    *t = buffer_join(b->left, b->right);
  } else {
    buffer_remove(buffer_less(b, *t) ? &(*t)->left : &(*t)->right, b);
    buffer_renew(*t);
  }
}

/* The first range that overlaps [lo, hi), or NULL. */
static struct chk_buffer *buffer_overlap(struct chk_buffer *t, uint64_t lo, uint64_t hi) {
  while (t != NULL && t->most > lo) {
    if (t->left != NULL && t->left->most > lo)
      t = t->left; /* if none there overlaps, all on the right begin at hi or later */
    else if (t->lo < hi && t->hi > lo)
      return t;
    else if (t->lo >= hi)
      return NULL;
    else
      t = t->right;
  }
  return NULL;
}

/* Whether the unit has heard from another one that the bytes of the put have arrived. */
static bool buffer_heard(const struct chk_race *r, const struct chk_buffer *b) {
  const struct chk_unit *u = &r->units[b->op->at.unit];
  struct chk_rec rec = chk_race_own_side(b->op, b->len);
  struct chk_stamp now = {.unit = rec.unit,
                          .events = u->events,
                          .target = CHK_NOBODY,
                          .clock = u->clock,
                          .early = u->early};
  return chk_race_knows(r, &now, &rec);
}

/* A range that an access of the unit to [lo, hi) conflicts with, or NULL. A source that is free
 * stays so, and leaves the tree for good. */
static const struct chk_buffer *buffer_conflict(const struct chk_race *r, struct chk_unit *u,
                                                uint64_t lo, uint64_t hi, bool writes) {
  struct chk_buffer *b = buffer_overlap(u->results, lo, hi);
  if (b != NULL || !writes) return b;
  while ((b = buffer_overlap(u->sources, lo, hi)) != NULL && buffer_heard(r, b)) {
    buffer_remove(&u->sources, b);
    b->heard = true;
  }
  return b;
}

static void buffer_report(struct chk_race *r, const struct chk_buffer *b, const struct chk_rec *by,
                          uint64_t lo, uint64_t hi, bool writes) {
  struct chk_rec first = chk_race_own_side(b->op, b->len);
  uint64_t from = lo > b->lo ? lo : b->lo, to = hi < b->hi ? hi : b->hi;
  chk_race_report(
      r, &(struct chk_clash){.first = &first,
                             .second = by,
                             .first_class = b->writes ? CHK_PLAIN_WRITE : CHK_PLAIN_READ,
                             .second_class = writes ? CHK_PLAIN_WRITE : CHK_PLAIN_READ,
                             .bytes = {by->unit, CHK_RACE_SEG_PRIVATE, from - b->start, to - from},
                             .address = from,
                             .known = r->units[by->unit].events});
}

void chk_race_private(struct chk_race *r, struct chk_race_op *op, uint64_t address, uint64_t len) {
  struct chk_unit *u = &r->units[op->at.unit];
  bool writes = op->kind == CHK_RACE_GET || op->kind == CHK_RACE_AMO;
  if (len == 0) return;
  const struct chk_buffer *other = buffer_conflict(r, u, address, address + len, writes);
  if (other != NULL && other->op != op) {
    struct chk_rec mine = chk_race_own_side(op, len);
    buffer_report(r, other, &mine, address, address + len, writes);
  }
  struct chk_buffer *b = chk_pool_get(&r->buffers), **tree = writes ? &u->results : &u->sources;
  *b = (struct chk_buffer){.next = op->buffers,
                           .op = op,
                           .lo = address,
                           .hi = address + len,
                           .most = address + len,
                           .start = address,
                           .len = len,
                           .priority = (uint32_t)eyoti_hash_mix(0, ++r->n_buffers),
                           .writes = writes};
  op->buffers = b;
  buffer_insert(tree, b);
}

void chk_race_buffers_done(struct chk_race *r, struct chk_race_op *op) {
  struct chk_unit *u = &r->units[op->at.unit];
  for (struct chk_buffer *b = op->buffers, *next; b != NULL; b = next) {
    next = b->next;
    if (!b->heard) buffer_remove(b->writes ? &u->results : &u->sources, b);
    chk_pool_put(&r->buffers, b);
  }
  op->buffers = NULL;
}

bool chk_race_lent(const struct chk_race *r, uint32_t unit, uint64_t address, uint64_t len,
                   bool writes) {
  struct chk_unit *u = &r->units[unit];
  if (u->results == NULL && (u->sources == NULL || !writes)) return false;
  return buffer_conflict(r, u, address, address + len, writes) != NULL;
}

void chk_race_private_access(struct chk_race *r, struct chk_at at, uint64_t address, uint64_t len,
                             bool writes) {
  const struct chk_buffer *b =
      len == 0 ? NULL : buffer_conflict(r, &r->units[at.unit], address, address + len, writes);
  if (b == NULL) return;
  struct chk_rec by = {.unit = at.unit,
                       .target = at.unit,
                       .kind = writes ? CHK_RACE_STORE : CHK_RACE_LOAD,
                       .site = at.site,
                       .when = at.when,
                       .len = len};
  by.number = by.released = r->units[at.unit].events;
  buffer_report(r, b, &by, address, address + len, writes);
}
