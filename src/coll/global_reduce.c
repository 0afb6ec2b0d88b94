/* SPDX-License-Identifier: BSD-3-Clause */
/* global_reduce.c - eyot_global_reduce and eyot_global_prefix_reduce: reductions of block-cyclic
 * arrays (eyot/coll_global.h).
 *
 * A row is what lies at one block of every member's part: a block of each member, in the order of
 * ranks. The first row lacks the members below src's, the last one those after the end of the
 * array; others are whole. Each member combines its block of every row. Those of whole rows are
 * combined along the tree over ranks (docs/adr/0067), all rows at once, as elements of one vector;
 * those of the two others all members get, and combine those that are there. Then each knows what
 * comes before its block in the row, and before the row.
 *
 * Where elements commute, a reduction first combines all of a member's elements to one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "coll/combine.h"
#include "coll/global.h"
#include "rt/observe.h"

#define ENDS 2u /* rows that may not be whole: the first and the last */

/* The array, and what the caller has of it. */
struct rows {
  uint64_t n, block, blocks; /* elements, of a block, blocks */
  uint64_t rows;             /* rows from `whole` to before `whole_end` are whole */
  uint64_t whole, whole_end;
  uint32_t start, size, me;
  struct eyoti_combiner with;
  uint64_t width;
};

/* The memory of a call: of each whole row, an element; of the two others, one of each member. */
struct work {
  char *own, *before, *total;
  char *end_own, *ends; /* ENDS elements; ENDS elements a member */
  char *acc;
};

/* -- where elements are ------------------------------------------------------------------------ */

static void lay_out(struct rows *r, uint64_t n, uint64_t block, uint32_t start) {
  r->n = n;
  r->block = block > 0 && block < n ? block : n;
  r->blocks = n > 0 ? (n - 1) / r->block + 1 : 0;
  r->start = start;
  uint64_t end = start + r->blocks; /* in blocks from the first member's first on */
  r->rows = r->blocks > 0 ? (end + r->size - 1) / r->size : 0;
  r->whole = start > 0 ? 1 : 0;
  r->whole_end = end / r->size;
  if (r->whole_end < r->whole) r->whole_end = r->whole;
}

/* The elements of a member's block of a row; 0: it has none there. */
static uint64_t elements(const struct rows *r, uint32_t member, uint64_t row) {
  uint64_t at = row * r->size + member;
  if (at < r->start || at - r->start >= r->blocks) return 0;
  uint64_t b = at - r->start;
  return b + 1 < r->blocks ? r->block : r->n - b * r->block;
}

/* Rows that the caller has a block of are consecutive. The bytes of its part up to their end. */
static uint64_t part_bytes(const struct rows *r) {
  uint64_t last = r->rows;
  while (last > 0 && elements(r, r->me, last - 1) == 0) last--;
  return last == 0 ? 0 : ((last - 1) * r->block + elements(r, r->me, last - 1)) * r->width;
}

static uint64_t row_at(const struct rows *r, uint64_t row) {
  return row * r->block * r->width;
}
/* Where the caller's blocks begin, of which there is none between others. */
static uint64_t part_from(const struct rows *r) {
  return r->rows > 0 && elements(r, r->me, 0) == 0 ? row_at(r, 1) : 0;
}
static bool is_whole(const struct rows *r, uint64_t row) {
  return row >= r->whole && row < r->whole_end;
}
/* Of a row that is not whole: its place among the ends. */
static uint32_t end_of(const struct rows *r, uint64_t row) {
  return row == 0 && r->start > 0 ? 0 : 1;
}

/* -- combining --------------------------------------------------------------------------------- */

static bool work_new(struct work *w, const struct rows *r) {
  uint64_t whole = r->whole_end - r->whole, each = r->width;
  *w = (struct work){.own = malloc((3 * whole + ENDS + ENDS * (uint64_t)r->size + 1) * each)};
  if (w->own == NULL) return false;
  w->before = w->own + whole * each;
  w->total = w->before + whole * each;
  w->end_own = w->total + whole * each;
  w->ends = w->end_own + ENDS * each;
  w->acc = w->ends + ENDS * each * r->size;
  return true;
}

/* The caller's block of every row, combined. */
static void combine_own(struct eyot_rt *rt, const struct rows *r, struct work *w,
                        const char *part) {
  memset(w->end_own, 0, ENDS * r->width);
  for (uint64_t row = 0; row < r->rows; row++) {
    bool has = false;
    char *to = is_whole(r, row) ? w->own + (row - r->whole) * r->width
                                : w->end_own + end_of(r, row) * r->width;
    eyoti_combine_to_one(rt, &r->with, to, &has, part + row_at(r, row), elements(r, r->me, row));
  }
}

/* The blocks of a row that is not whole, of the members from..before, after what `acc` has. */
static void fold_end(const struct rows *r, const struct work *w, uint64_t row, uint32_t before,
                     char *acc, bool *has) {
  for (uint32_t m = 0; m < before; m++)
    if (elements(r, m, row) > 0)
      eyoti_combine_one(&r->with, acc, has, w->ends + (m * ENDS + end_of(r, row)) * r->width);
}

/* -- calls ------------------------------------------------------------------------------------- */

static int array_open(struct eyoti_global *g, struct rows *r, eyot_gptr_t src, uint64_t n,
                      uint64_t block) {
  struct eyoti_coll_args *a = &g->args;
  uint32_t start = eyoti_global_rank(g, src, "src");
  int rc = eyoti_combiner_find(g->rt, a->type, a->op, &a->combiner);
  if (rc == EYOT_OK && a->combiner.wire != NULL)
    rc = EYOTI_FAIL(EYOT_EINVAL, "EYOT_SUM_EXACT is of eyot_reduce, eyot_allreduce and scans");
  if (rc == EYOT_OK && n > UINT64_MAX / a->combiner.width)
    rc = EYOTI_FAIL(EYOT_EINVAL, "%" PRIu64 " elements of %u bytes overflow 64 bits", n,
                    a->combiner.width);
  if (g->refused == EYOT_OK) g->refused = rc;
  *r = (struct rows){.size = g->t->size, .me = g->t->me, .with = a->combiner, .width = 1};
  if (rc == EYOT_OK) r->width = a->combiner.width;
  lay_out(r, g->refused == EYOT_OK ? n : 0, block, start);
  a->count = eyoti_hash_mix(n, block);
  a->root = start;
  return g->refused;
}

/* All members get the caller's combined blocks of the rows at the ends. */
static int share_ends(struct eyoti_global *g, const struct rows *r, struct work *w) {
  return eyoti_coll_do_allgather(g->rt, g->team, w->end_own, w->ends, ENDS * r->width,
                                 eyoti_global_how(g));
}

static int refuse_rows(struct eyoti_global *g, const struct rows *r) {
  g->refused = EYOTI_FAIL(EYOT_ENOMEM, "no memory for %" PRIu64 " rows", r->rows);
  return eyoti_global_refuse(g);
}

/* -- one element ------------------------------------------------------------------------------- */

/* All of a member's elements in one, of members that have some: `count` of them from `start` on. */
static int reduce_commuting(struct eyoti_global *g, const struct rows *r, const char *part,
                            uint32_t root, char *result) {
  uint32_t count = r->blocks < r->size ? (uint32_t)r->blocks : r->size;
  char *own = calloc((uint64_t)r->size + 1, r->width), *all;
  bool has = false;
  if (own == NULL) {
    g->refused = EYOTI_FAIL(EYOT_ENOMEM, "no memory for elements of %u members", r->size);
    return eyoti_global_refuse(g);
  }
  uint64_t from = part_from(r), bytes = part_bytes(r);
  if (bytes > from)
    eyoti_combine_to_one(g->rt, &r->with, own, &has, part + from, (bytes - from) / r->width);
  eyot_tunit_t to = {root};
  if (count == r->size) {
    int rc = eyoti_coll_do_reduce(g->rt, g->team, to, g->args.type, g->args.op, own, result, 1,
                                  eyoti_global_how(g));
    free(own);
    return rc;
  }
  all = own + r->width;
  int rc = eyoti_coll_do_gather(g->rt, g->team, to, own, all, r->width, eyoti_global_how(g));
  has = false;
  for (uint32_t i = 0; rc == EYOT_OK && r->me == root && i < count; i++)
    eyoti_combine_one(&r->with, result, &has, all + ((uint64_t)r->start + i) % r->size * r->width);
  free(own);
  return rc;
}

static int reduce_in_order(struct eyoti_global *g, const struct rows *r, const char *part,
                           uint32_t root, char *result) {
  uint64_t whole = r->whole_end - r->whole;
  struct work w;
  bool has = false;
  if (!work_new(&w, r)) return refuse_rows(g, r);
  combine_own(g->rt, r, &w, part);
  int rc = share_ends(g, r, &w);
  if (rc == EYOT_OK)
    rc = eyoti_coll_do_reduce(g->rt, g->team, (eyot_tunit_t){root}, g->args.type, g->args.op, w.own,
                              w.total, whole, eyoti_global_how(g));
  for (uint64_t row = 0; rc == EYOT_OK && r->me == root && row < r->rows; row++) {
    if (is_whole(r, row))
      eyoti_combine_one(&r->with, result, &has, w.total + (row - r->whole) * r->width);
    else
      fold_end(r, &w, row, r->size, result, &has);
  }
  free(w.own);
  return rc;
}

static int reduce(struct eyoti_global *g, const struct rows *r, const char *part, uint32_t root,
                  char *result) {
  char *own = malloc(r->width); /* others' results go nowhere */
  if (own == NULL && g->refused == EYOT_OK)
    g->refused = EYOTI_FAIL(EYOT_ENOMEM, "no memory for an element");
  if (!eyoti_global_enter(g)) {
    free(own);
    return eyoti_global_refuse(g);
  }
  int rc = r->with.commutative ? reduce_commuting(g, r, part, root, own)
                               : reduce_in_order(g, r, part, root, own);
  if (rc == EYOT_OK && r->me == root) {
    memcpy(result, own, r->width);
    eyoti_observe_writes(g->rt, result, r->width);
  }
  free(own);
  return rc;
}

int eyot_global_reduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, eyot_gptr_t dst,
                       eyot_gptr_t src, uint64_t n, uint64_t block, eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  struct rows r;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_REDUCE, sync));
  g.args.type = type;
  g.args.op = op;
  uint32_t root = eyoti_global_rank(&g, dst, "dst");
  (void)array_open(&g, &r, src, n, block);
  if (g.refused == EYOT_OK && n == 0) g.refused = EYOTI_FAIL(EYOT_EINVAL, "no elements to combine");
  bool is_root = r.me == root;
  const char *part = eyoti_global_part(&g, src, 1, part_bytes(&r));
  char *result = eyoti_global_part(&g, is_root ? dst : src, 1, is_root ? r.width : 0);
  g.args.count = eyoti_hash_mix(g.args.count, root);
  return eyoti_global_leave(&g, reduce(&g, &r, part, root, result));
}

/* -- prefixes ---------------------------------------------------------------------------------- */

/* What comes before the caller's block of the row: acc has what comes before the row. */
static void fold_before(const struct rows *r, const struct work *w, uint64_t row, char *acc,
                        bool *has) {
  if (!is_whole(r, row))
    fold_end(r, w, row, r->me, acc, has);
  else if (r->me > 0)
    eyoti_combine_one(&r->with, acc, has, w->before + (row - r->whole) * r->width);
}

static void set_block(const struct rows *r, char *to, const char *from, uint64_t n, char *acc,
                      bool has) {
  for (uint64_t i = 0; i < n; i++) {
    eyoti_combine_one(&r->with, acc, &has, from + i * r->width);
    memcpy(to + i * r->width, acc, r->width);
  }
}

static void set_prefixes(const struct rows *r, const struct work *w, char *to, const char *from,
                         char *rows_acc) {
  bool has = false;
  for (uint64_t row = 0; row < r->rows; row++) {
    bool some = has;
    memcpy(w->acc, rows_acc, r->width);
    fold_before(r, w, row, w->acc, &some);
    set_block(r, to + row_at(r, row), from + row_at(r, row), elements(r, r->me, row), w->acc, some);
    if (is_whole(r, row))
      eyoti_combine_one(&r->with, rows_acc, &has, w->total + (row - r->whole) * r->width);
    else
      fold_end(r, w, row, r->size, rows_acc, &has);
  }
}

static int prefixes(struct eyoti_global *g, const struct rows *r, char *to, const char *from) {
  uint64_t whole = r->whole_end - r->whole;
  struct work w;
  if (!eyoti_global_enter(g)) return eyoti_global_refuse(g);
  if (!work_new(&w, r)) return refuse_rows(g, r);
  combine_own(g->rt, r, &w, from);
  int rc = share_ends(g, r, &w);
  if (rc == EYOT_OK && whole > 0)
    rc = eyoti_coll_do_exscan(g->rt, g->team, g->args.type, g->args.op, w.own, w.before, whole,
                              eyoti_global_how(g));
  if (rc == EYOT_OK && whole > 0)
    rc = eyoti_coll_do_allreduce(g->rt, g->team, g->args.type, g->args.op, w.own, w.total, whole,
                                 eyoti_global_how(g));
  if (rc == EYOT_OK) {
    set_prefixes(r, &w, to, from, w.end_own);
    eyoti_observe_writes(g->rt, to, part_bytes(r));
  }
  free(w.own);
  return rc;
}

int eyot_global_prefix_reduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, eyot_gptr_t dst,
                              eyot_gptr_t src, uint64_t n, uint64_t block, eyot_sync_t sync) {
  EYOTI_ENTER(rt);
  struct eyoti_global g;
  struct rows r;
  EYOTI_TRY(eyoti_global_open(&g, rt, team, EYOTI_COLL_GLOBAL_PREFIX_REDUCE, sync));
  g.args.type = type;
  g.args.op = op;
  uint32_t first = eyoti_global_rank(&g, dst, "dst");
  (void)array_open(&g, &r, src, n, block);
  if (g.refused == EYOT_OK && first != r.start)
    g.refused =
        EYOTI_FAIL(EYOT_EINVAL, "dst begins at unit %u, src at unit %u", dst.unit, src.unit);
  uint64_t bytes = part_bytes(&r);
  const char *from = eyoti_global_part(&g, src, 1, bytes);
  char *to = eyoti_global_part(&g, dst, 1, bytes);
  eyoti_global_apart(&g, to, bytes, from, bytes, true);
  return eyoti_global_leave(&g, prefixes(&g, &r, to, from));
}
