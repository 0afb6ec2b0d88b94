/* SPDX-License-Identifier: BSD-3-Clause */
/* take_ways.c - implements take_ways.h.
 *
 * What all need alike is got by those who need it, and what goes to one member is put there, which
 * takes the least time of programs that use their buffers between calls (docs/adr/0136). Of blocks
 * from or to a root both ends copy a part. Each member of a reduction has a part of the vector: it
 * gets the operands of that, some KiB at a time, which stay in its cache, combines them along the
 * tree over ranks that all reductions have (docs/adr/0067), and puts the result to who receives it.
 * In place a part is read and written by the same member alone. */
#include "coll/take_ways.h"

#include "coll/gen.h"

#define ALIGN 64u /* bytes, of parts of blocks */

static bool is_root(const struct eyoti_taking *x) {
  return x->c->args.root == x->t->me;
}

/* -- moves ------------------------------------------------------------------------------------- */

static int get(const struct eyoti_taking *x, uint32_t member, struct eyoti_take_place from,
               uint64_t at, void *to, uint64_t bytes) {
  struct fab_addr a = fab_at(eyoti_team_unit(x->t, member), (fab_seg_t)from.seg, from.off + at);
  return bytes == 0 ? EYOT_OK : fab_get(x->rt->fab, to, a, bytes, NULL);
}
static int put(const struct eyoti_taking *x, uint32_t member, struct eyoti_take_place to,
               uint64_t at, const void *from, uint64_t bytes) {
  struct fab_addr a = fab_at(eyoti_team_unit(x->t, member), (fab_seg_t)to.seg, to.off + at);
  return bytes == 0 ? EYOT_OK : fab_put(x->rt->fab, a, from, bytes, NULL);
}
static int flushed(const struct eyoti_taking *x, enum fab_level level, int rc) {
  int rc_flush = fab_flush_end(x->rt->fab, FAB_ALL, level);
  return rc != EYOT_OK ? rc : rc_flush;
}
/* Each begins with the member after it, so that no member is the first of all. */
static uint32_t member_after(const struct eyoti_taking *x, uint32_t i) {
  return (uint32_t)(((uint64_t)x->t->me + i) % x->t->size);
}
/* The caller's own block, unless it is there already, as in place. */
static void copy(void *to, const void *from, uint64_t bytes) {
  if (to != from) memcpy(to, from, bytes);
}

/* -- blocks ------------------------------------------------------------------------------------ */

/* `bytes` bytes of each member's IN, to its block of OUT; of the caller's own block all. */
static int take_each(const struct eyoti_taking *x, uint64_t bytes) {
  uint64_t block = x->c->args.bytes;
  char *out = x->c->out;
  int rc = EYOT_OK;
  copy(out + x->t->me * block, x->c->in, block);
  for (uint32_t i = 1; i < x->t->size && rc == EYOT_OK; i++) {
    uint32_t m = member_after(x, i);
    rc = get(x, m, x->all[m].in, 0, out + m * block, bytes);
  }
  return flushed(x, FAB_LOCAL, rc);
}
static int take_alltoall(const struct eyoti_taking *x) {
  uint64_t bytes = x->c->args.bytes, at = x->t->me * bytes;
  const char *in = x->c->in;
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < x->t->size && rc == EYOT_OK; i++) {
    uint32_t m = member_after(x, i);
    rc = put(x, m, x->all[m].out, at, in + m * bytes, bytes);
  }
  copy((char *)x->c->out + at, in + at, bytes);
  return flushed(x, FAB_REMOTE, rc);
}
static int take_allgather(const struct eyoti_taking *x) {
  return take_each(x, x->c->args.bytes);
}

/* Of a block that goes to or from the root, this many bytes are copied by the root, whose one
 * processor has a block of each member, and the rest by the member: all copy about as much. */
static uint64_t roots_part(const struct eyoti_taking *x) {
  return x->c->args.bytes / x->t->size / ALIGN * ALIGN;
}

static int take_gather(const struct eyoti_taking *x) {
  uint64_t bytes = x->c->args.bytes, part = roots_part(x), at = x->t->me * bytes + part;
  uint32_t root = x->c->args.root;
  if (is_root(x)) return take_each(x, part);
  int rc = put(x, root, x->all[root].out, at, (const char *)x->c->in + part, bytes - part);
  return flushed(x, FAB_REMOTE, rc);
}

/* The root's IN has `step` bytes from a member's block to the next one's. */
static int take_from_root(const struct eyoti_taking *x, uint64_t step) {
  uint64_t part = roots_part(x), rest = x->c->args.bytes - part;
  uint32_t root = x->c->args.root;
  const char *in = x->c->in;
  int rc = EYOT_OK;
  if (!is_root(x))
    return flushed(x, FAB_LOCAL, get(x, root, x->all[root].in, x->t->me * step, x->c->out, rest));
  for (uint32_t i = 1; i < x->t->size && rc == EYOT_OK; i++) {
    uint32_t m = member_after(x, i);
    rc = put(x, m, x->all[m].out, rest, in + m * step + rest, part);
  }
  copy(x->c->out, in + x->t->me * step, rest + part);
  return flushed(x, FAB_REMOTE, rc);
}
static int take_scatter(const struct eyoti_taking *x) {
  return take_from_root(x, x->c->args.bytes);
}
static int take_broadcast(const struct eyoti_taking *x) {
  return take_from_root(x, 0);
}

/* -- reductions -------------------------------------------------------------------------------- */

#define CACHED (128u * 1024u)    /* bytes of operands at a time */
#define CHUNK_MOST (16u * 1024u) /* the same of one operand */

/* A reduction of the operands that begin at byte `at` of each IN. */
struct combining {
  const struct eyoti_taking *x;
  uint64_t at, slot; /* slot: bytes of a chunk at most */
  char *slots;       /* one a member */
  const char **left; /* by member: the result of the block of ranks that begins with it */
};

static uint64_t slot_bytes(const struct eyoti_coll_args *a, uint64_t size) {
  uint64_t width = a->combiner.width,
           most = CACHED / size < CHUNK_MOST ? CACHED / size : CHUNK_MOST;
  return most < width ? width : most / width * width;
}

uint64_t eyoti_take_memory(const struct eyoti_take_way *w, const struct eyoti_coll_args *a,
                           uint32_t size) {
  return w->combines ? size * (sizeof(char *) + eyoti_gen_round8(slot_bytes(a, size))) : 0;
}

static struct combining combining_of(const struct eyoti_taking *x, uint64_t at) {
  return (struct combining){.x = x,
                            .at = at,
                            .slot = slot_bytes(&x->c->args, x->t->size),
                            .slots = x->memory + x->t->size * sizeof(char *),
                            .left = (const char **)(void *)x->memory};
}

static char *slot_of(const struct combining *k, uint32_t member) {
  return k->slots + member * eyoti_gen_round8(k->slot);
}

/* The operands of all; the caller's own are where they are. */
static int get_operands(const struct combining *k, uint64_t from, uint64_t len) {
  const struct eyoti_taking *x = k->x;
  int rc = EYOT_OK;
  k->left[x->t->me] = (const char *)x->c->in + k->at + from;
  for (uint32_t i = 1; i < x->t->size && rc == EYOT_OK; i++) {
    uint32_t m = member_after(x, i);
    k->left[m] = slot_of(k, m);
    rc = get(x, m, x->all[m].in, k->at + from, slot_of(k, m), len);
  }
  return flushed(x, FAB_LOCAL, rc);
}

/* Bytes from .. from + len of the operands, to `to`; the last combination writes there. */
static int combine_chunk(const struct combining *k, uint64_t from, uint64_t len, void *to) {
  const struct eyoti_combiner *by = &k->x->c->args.combiner;
  uint64_t size = k->x->t->size, n = len / by->width;
  EYOTI_TRY(get_operands(k, from, len));
  for (uint64_t ranks = 1; ranks < size; ranks *= 2)
    for (uint64_t low = 0; low + ranks < size; low += 2 * ranks) {
      void *result = 2 * ranks >= size ? to : slot_of(k, (uint32_t)low);
      eyoti_combiner_run(by, result, k->left[low], k->left[low + ranks], n);
      k->left[low] = result;
    }
  return EYOT_OK;
}

/* A chunk of a result, to the others that receive it. */
static int give(const struct eyoti_taking *x, enum eyoti_take_whose whose, uint64_t at,
                const void *from, uint64_t bytes) {
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < x->t->size && rc == EYOT_OK; i++) {
    uint32_t m = member_after(x, i);
    if (eyoti_take_is_of(x->c, whose, m)) rc = put(x, m, x->all[m].out, at, from, bytes);
  }
  return rc;
}

/* The caller's part of the vector, to the members that receive it. */
static int combine_part(const struct eyoti_taking *x, enum eyoti_take_whose whose) {
  const struct eyoti_coll_args *a = &x->c->args;
  struct eyoti_gen_block own = eyoti_gen_part(a->bytes, a->combiner.width, x->t->me, x->t->size);
  bool mine = eyoti_take_is_of(x->c, whose, x->t->me);
  struct combining k = combining_of(x, own.at);
  int rc = EYOT_OK;
  for (uint64_t done = 0; done < own.len && rc == EYOT_OK; done += k.slot) {
    uint64_t n = own.len - done < k.slot ? own.len - done : k.slot, at = own.at + done;
    char *result = mine ? (char *)x->c->out + at : slot_of(&k, 0);
    rc = combine_chunk(&k, done, n, result);
    if (rc == EYOT_OK) rc = flushed(x, FAB_LOCAL, give(x, whose, at, result, n));
  }
  return flushed(x, FAB_REMOTE, rc);
}
static int take_reduce(const struct eyoti_taking *x) {
  return combine_part(x, EYOTI_TAKE_ROOT);
}
static int take_allreduce(const struct eyoti_taking *x) {
  return combine_part(x, EYOTI_TAKE_ALL);
}

static int take_reduce_scatter(const struct eyoti_taking *x) {
  uint64_t bytes = x->c->args.bytes;
  struct combining k = combining_of(x, x->t->me * bytes);
  int rc = EYOT_OK;
  for (uint64_t done = 0; done < bytes && rc == EYOT_OK; done += k.slot)
    rc = combine_chunk(&k, done, bytes - done < k.slot ? bytes - done : k.slot,
                       (char *)x->c->out + done);
  return rc;
}

const struct eyoti_take_way *eyoti_take_way(enum eyoti_coll_function function) {
  static const struct eyoti_take_way WAYS[] = {
      [EYOTI_COLL_BROADCAST] = {EYOTI_TAKE_ROOT, EYOTI_TAKE_OTHERS, false, false, take_broadcast,
                                false},
      [EYOTI_COLL_REDUCE] = {EYOTI_TAKE_ALL, EYOTI_TAKE_ROOT, false, false, take_reduce, true},
      [EYOTI_COLL_ALLREDUCE] = {EYOTI_TAKE_ALL, EYOTI_TAKE_ALL, false, false, take_allreduce, true},
      [EYOTI_COLL_GATHER] = {EYOTI_TAKE_OTHERS, EYOTI_TAKE_ROOT, false, true, take_gather, false},
      [EYOTI_COLL_ALLGATHER] = {EYOTI_TAKE_ALL, EYOTI_TAKE_NONE, false, true, take_allgather,
                                false},
      [EYOTI_COLL_ALLTOALL] = {EYOTI_TAKE_NONE, EYOTI_TAKE_ALL, true, true, take_alltoall, false},
      [EYOTI_COLL_REDUCE_SCATTER_BLOCK] = {EYOTI_TAKE_ALL, EYOTI_TAKE_NONE, true, false,
                                           take_reduce_scatter, true},
      [EYOTI_COLL_SCATTER] = {EYOTI_TAKE_ROOT, EYOTI_TAKE_OTHERS, true, false, take_scatter,
                              false}};
  bool known = (unsigned)function < sizeof WAYS / sizeof WAYS[0] && WAYS[function].copy != NULL;
  return known ? &WAYS[function] : NULL;
}
