/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_pairs.c - blocks between pairs of members that agree on them alone (gen.h), where the fabric
 * has messages to private memory (fab_ops.send): no rounds, no exchange of lengths before.
 *
 * A greeting says how many bytes its sender will send to the receiver, and how many it expects from
 * there. A block of up to a slot travels with it; a longer one is sent to where the receiver
 * expects it, after the receiver's greeting has shown that it does. So nobody sends what another
 * member does not expect, whatever that has called, and lengths that differ are found by a message
 * that has to be sent anyway. It is the rendezvous of a message (J. Liu, J. Wu, D. K. Panda: High
 * performance RDMA-based MPI implementation over InfiniBand, IJPP 32(3), 2004, section 3), both
 * ways at once; docs/adr/0077. */

/* Who greets whom: the sender of a block always, its receiver if the block is longer than a slot;
 * in exchanges between all members each greets each. Lengths may differ between the two:
 * - The sender's is longer than a slot, the receiver's not: the sender waits for a greeting that
 *   does not come; the receiver has the sender's, fails, and poisons the operation.
 * - The receiver's alone is longer: it has the sender's greeting, and fails. Its own greeting is
 *   awaited by nobody; it is dropped or overwritten as messages of failed operations are.
 * A member that fails after its greeting withdraws what it expects (run.c), so that no sender waits
 * for it.
 *
 * Where lengths are known to the pair alone, members that agree with all others have not heard of
 * pairs that do not. Exchanges then end with signals along a dissemination barrier, which a member
 * begins when all its pairs agree. Of two members each knows all pairs.
 *
 * Long blocks go in pieces, each expected when the one before it is there. Those of blocks in runs
 * are packed, some MiB at a time in all; the receivers have taken them before the next ones are. No
 * pair waits in a circle: of all members the one that has come least far in its pieces waits for
 * pieces that their senders have sent, and for receivers that already expect what it has sent. */
#include "coll/gen.h"
#include "coll/runs.h"
#include "coll/several.h"

#define GREETING_BYTES 16u
#define SLOT_MOST 8192u /* bytes: what travels in one message (fab_ops.message) */
#define SLOT_LEAST (GREETING_BYTES + 8u)
#define PIECE_MOST (UINT64_C(1) << 30) /* bytes of a message to private memory */
#define PACKED_TEAM (4u << 20)         /* bytes of packed pieces of all members, each way, */
#define PACKED_LEAST (64u << 10)       /* but for the least */
#define OWN_PACKED (32u << 10)

struct pairs {
  struct eyoti_plan *p;
  const struct eyoti_coll_args *a;
  uint64_t slot;        /* bytes of a greeting with its block, at most */
  uint64_t piece;       /* bytes of a long block that are sent at once, at most */
  bool greets;          /* and nothing else: another operation brings long blocks */
  uint32_t greet, data; /* words, of greetings and of long blocks, by sender */
  struct eyoti_ref slots;
  /* For pieces of blocks in runs: so many bytes for each member. */
  uint64_t packed;
  struct eyoti_ref pack_go, pack_come;
  /* Of a reduction: the operands of the caller's block, so many bytes apart. */
  struct eyoti_ref operands;
  uint64_t stride, operand;
};

/* A block of the caller. */
struct block {
  struct eyoti_ref at;
  uint64_t len;
  const struct eyoti_runs *shape; /* NULL: its bytes lie together */
  bool there;                     /* false: there is none, not even an empty one */
};
static const struct block NONE = {{EYOTI_IN, 0}, 0, NULL, false};

/* The block that goes to member m, or comes from it; of the caller: its own one. */
typedef struct block (*block_fn)(const struct pairs *x, uint32_t m);

static uint64_t slot_bytes(const struct eyoti_team *t, enum eyoti_coll_form form) {
  uint64_t slot = eyoti_several_round(t, form);
  if (slot > SLOT_MOST) return SLOT_MOST;
  return slot > SLOT_LEAST ? slot : SLOT_LEAST;
}

static uint64_t packed_bytes(uint32_t size) {
  uint64_t most = PACKED_TEAM / size / 8 * 8;
  return most > PACKED_LEAST ? most : PACKED_LEAST;
}

static uint32_t levels_of(uint32_t size) {
  uint32_t levels = 0;
  while (((uint64_t)1 << levels) < size) levels++;
  return levels;
}

struct eyoti_coll_space eyoti_pairs_space(const struct eyoti_team *t, enum eyoti_coll_form form) {
  return (struct eyoti_coll_space){2 * t->size + levels_of(t->size), t->size * slot_bytes(t, form)};
}

static struct pairs pairs_of(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                             uint64_t piece) {
  struct pairs x = {.p = p, .a = a, .slot = slot_bytes(p->t, a->form), .piece = piece};
  x.greet = eyoti_plan_words(p, p->size);
  x.data = eyoti_plan_words(p, p->size);
  x.slots = eyoti_plan_board(p, p->size * x.slot);
  return x;
}

static bool is_long(const struct pairs *x, uint64_t len) {
  return len > x->slot - GREETING_BYTES;
}

bool eyoti_pairs_is_long(const struct eyoti_team *t, enum eyoti_coll_form form, uint64_t bytes) {
  return bytes > slot_bytes(t, form) - GREETING_BYTES;
}

/* -- blocks of the arguments ------------------------------------------------------------------- */

/* Member m's block of a buffer; b NULL: all have one length. */
static struct block block_of(const struct pairs *x, enum eyoti_base base,
                             const struct eyoti_coll_blocks *b, uint32_t m) {
  uint64_t bytes = x->a->bytes;
  if (b == NULL) return (struct block){eyoti_ref(base, m * bytes), bytes, NULL, true};
  bool whole = b->shape == NULL || eyoti_runs_is_whole(&b->shape[m]);
  const struct eyoti_runs *shape = whole ? NULL : &b->shape[m];
  return (struct block){eyoti_ref(base, b->at[m]), b->bytes[m], shape, true};
}
/* The only block of a buffer: the caller's, of the length that b has for it. */
static struct block only_of(const struct pairs *x, enum eyoti_base base,
                            const struct eyoti_coll_blocks *b) {
  uint64_t len = b == NULL ? x->a->bytes : b->bytes[x->p->me];
  return (struct block){eyoti_ref(base, 0), len, NULL, true};
}

static struct block go_to(const struct pairs *x, uint32_t m) {
  return block_of(x, EYOTI_IN, x->a->in, m);
}
static struct block come_from(const struct pairs *x, uint32_t m) {
  return block_of(x, EYOTI_OUT, x->a->out, m);
}
static struct block go_to_all(const struct pairs *x, uint32_t m) {
  (void)m;
  return only_of(x, EYOTI_IN, x->a->out);
}
static struct block go_to_root(const struct pairs *x, uint32_t m) {
  return m == x->a->root ? only_of(x, EYOTI_IN, x->a->in) : NONE;
}
static struct block come_to_root(const struct pairs *x, uint32_t m) {
  return x->p->me == x->a->root ? come_from(x, m) : NONE;
}
static struct block go_from_root(const struct pairs *x, uint32_t m) {
  return x->p->me == x->a->root ? go_to(x, m) : NONE;
}
static struct block come_from_root(const struct pairs *x, uint32_t m) {
  return m == x->a->root ? only_of(x, EYOTI_OUT, x->a->out) : NONE;
}
static struct block operand_from(const struct pairs *x, uint32_t m) {
  return (struct block){eyoti_ref_add(x->operands, m * x->stride), x->operand, NULL, true};
}

/* -- steps of a pair --------------------------------------------------------------------------- */

/* Tells a member what it will get, which a short block comes with, and what it has to send. */
static void greet(const struct pairs *x, uint32_t to, const struct block *go,
                  const struct block *come) {
  struct eyoti_plan *p = x->p;
  uint64_t inside = is_long(x, go->len) ? 0 : go->len;
  struct eyoti_ref text = eyoti_plan_temp(p, GREETING_BYTES + inside);
  struct eyoti_ref copy = eyoti_ref_add(text, GREETING_BYTES);
  eyoti_plan_note(p, text, go->len, come->len);
  if (go->shape == NULL)
    eyoti_plan_copy(p, copy, go->at, inside);
  else
    eyoti_plan_pack(p, copy, go->shape, go->at, 0, inside);
  eyoti_plan_put(p, to, eyoti_ref_add(x->slots, p->me * x->slot), text, GREETING_BYTES + inside,
                 x->greet + p->me, EYOTI_HEAD);
}

/* Awaits a member's greeting, and takes the block that it comes with. */
static void meet(const struct pairs *x, uint32_t from, const struct block *go,
                 const struct block *come) {
  struct eyoti_plan *p = x->p;
  struct eyoti_ref text = eyoti_ref_add(x->slots, from * x->slot);
  struct eyoti_ref inside = eyoti_ref_add(text, GREETING_BYTES);
  eyoti_plan_await(p, from, x->greet + from, EYOTI_HEAD);
  eyoti_plan_agree(p, from, text, come->len, go->len);
  if (is_long(x, come->len)) return;
  if (come->shape == NULL)
    eyoti_plan_copy(p, come->at, inside, come->len);
  else
    eyoti_plan_unpack(p, come->shape, come->at, inside, 0, come->len);
}

static uint64_t pieces_of(const struct pairs *x, const struct block *b) {
  return is_long(x, b->len) && !x->greets ? (b->len - 1) / x->piece + 1 : 0;
}
/* Piece k of a long block: where it is in the block, or packed, in the caller's memory for it. */
static struct block piece_of(const struct pairs *x, const struct block *b, uint64_t k,
                             struct eyoti_ref packed) {
  uint64_t at = k * x->piece, left = b->len - at;
  struct eyoti_ref ref = b->shape == NULL ? eyoti_ref_add(b->at, at) : packed;
  return (struct block){ref, left < x->piece ? left : x->piece, b->shape, true};
}

static void send_piece(const struct pairs *x, uint32_t to, const struct block *go, uint64_t k) {
  if (k >= pieces_of(x, go)) return;
  struct block b = piece_of(x, go, k, eyoti_ref_add(x->pack_go, to * x->packed));
  if (b.shape != NULL)
    eyoti_plan_pack(x->p, b.at, b.shape, eyoti_ref_add(go->at, k * x->piece), k * x->piece, b.len);
  eyoti_plan_send(x->p, to, b.at, b.len, x->data + x->p->me, (uint32_t)k + 1);
}
static void expect_piece(const struct pairs *x, uint32_t from, const struct block *come,
                         uint64_t k) {
  if (k >= pieces_of(x, come)) return;
  struct block b = piece_of(x, come, k, eyoti_ref_add(x->pack_come, from * x->packed));
  eyoti_plan_expect(x->p, from, b.at, b.len, x->data + from, (uint32_t)k + 1);
}
static void take_piece(const struct pairs *x, uint32_t from, const struct block *come, uint64_t k) {
  if (k >= pieces_of(x, come)) return;
  struct block b = piece_of(x, come, k, eyoti_ref_add(x->pack_come, from * x->packed));
  eyoti_plan_await(x->p, from, x->data + from, (uint32_t)k + 1);
  if (b.shape != NULL)
    eyoti_plan_unpack(x->p, b.shape, eyoti_ref_add(come->at, k * x->piece), b.at, k * x->piece,
                      b.len);
}

/* -- a member's pairs -------------------------------------------------------------------------- */

/* A member on the way round from the caller: others send to it at the same time as rarely. */
static uint32_t next_of(const struct pairs *x, uint32_t i) {
  return eyoti_plan_member(x->p, i);
}
static uint32_t before_of(const struct pairs *x, uint32_t i) {
  return eyoti_plan_member(x->p, -(int64_t)i);
}

/* Memory for pieces of blocks in runs. Returns the pieces of the longest block. */
static uint64_t count_pieces(struct pairs *x, block_fn go_fn, block_fn come_fn) {
  uint64_t most = 0;
  for (uint32_t i = 1; i < x->p->size; i++) {
    const struct block b[2] = {go_fn(x, next_of(x, i)), come_fn(x, next_of(x, i))};
    for (uint32_t k = 0; k < 2; k++) {
      uint64_t n = pieces_of(x, &b[k]), len = b[k].len < x->piece ? b[k].len : x->piece;
      if (n > most) most = n;
      if (n > 0 && b[k].shape != NULL && len > x->packed) x->packed = eyoti_gen_round8(len);
    }
  }
  x->pack_go = eyoti_plan_temp(x->p, x->packed * x->p->size);
  x->pack_come = eyoti_plan_temp(x->p, x->packed * x->p->size);
  return most;
}

/* The caller's own block: from runs to runs by pieces that a cache holds. */
static void copy_own(const struct pairs *x, const struct block *from, const struct block *to) {
  struct eyoti_plan *p = x->p;
  if (from->shape == NULL && to->shape == NULL) {
    eyoti_plan_copy(p, to->at, from->at, to->len);
  } else if (from->shape == NULL) {
    eyoti_plan_unpack(p, to->shape, to->at, from->at, 0, to->len);
  } else if (to->shape == NULL) {
    eyoti_plan_pack(p, to->at, from->shape, from->at, 0, to->len);
  } else {
    uint64_t most = to->len < OWN_PACKED ? to->len : OWN_PACKED;
    struct eyoti_ref packed = eyoti_plan_temp(p, most);
    for (uint64_t at = 0; at < to->len; at += most) {
      uint64_t len = to->len - at < most ? to->len - at : most;
      eyoti_plan_pack(p, packed, from->shape, eyoti_ref_add(from->at, at), at, len);
      eyoti_plan_unpack(p, to->shape, eyoti_ref_add(to->at, at), packed, at, len);
    }
  }
}

/* All members have found that their pairs agree. */
static void confirm(struct eyoti_plan *p, uint32_t word) {
  for (uint32_t level = 0, far = 1; far < p->size; level++, far *= 2) {
    eyoti_plan_signal(p, eyoti_plan_member(p, far), word + level, EYOTI_HEAD);
    eyoti_plan_await(p, eyoti_plan_member(p, -(int64_t)far), word + level, EYOTI_HEAD);
  }
}

/* Greets those that get a block of the caller, or send it a long one, and meets those that greet
 * it. */
static void begin(struct pairs *x, block_fn go_fn, block_fn come_fn) {
  for (uint32_t i = 1; i < x->p->size; i++) {
    uint32_t m = next_of(x, i);
    struct block go = go_fn(x, m), come = come_fn(x, m);
    expect_piece(x, m, &come, 0); /* so that who sends it waits for this member alone */
    if (go.there || is_long(x, come.len)) greet(x, m, &go, &come);
  }
  struct block from = go_fn(x, x->p->me), to = come_fn(x, x->p->me);
  if (from.there && to.there) copy_own(x, &from, &to);
  for (uint32_t i = 1; i < x->p->size; i++) {
    uint32_t m = before_of(x, i);
    struct block go = go_fn(x, m), come = come_fn(x, m);
    if (come.there || is_long(x, go.len)) meet(x, m, &go, &come);
    send_piece(x, m, &go, 0);
  }
}

static void move(struct pairs *x, block_fn go_fn, block_fn come_fn, bool confirms) {
  uint32_t word = eyoti_plan_words(x->p, levels_of(x->p->size));
  uint64_t most = count_pieces(x, go_fn, come_fn);
  begin(x, go_fn, come_fn);
  if (confirms && x->p->size > 2) confirm(x->p, word);
  for (uint64_t k = 0; k < most; k++) {
    for (uint32_t i = 1; i < x->p->size; i++) {
      uint32_t m = before_of(x, i);
      struct block come = come_fn(x, m);
      take_piece(x, m, &come, k);
    }
    if (x->packed > 0 && k + 1 < most) eyoti_plan_drain(x->p);
    for (uint32_t i = 1; i < x->p->size; i++) {
      uint32_t m = before_of(x, i);
      struct block go = go_fn(x, m), come = come_fn(x, m);
      expect_piece(x, m, &come, k + 1);
      send_piece(x, m, &go, k + 1);
    }
  }
}

/* -- generators -------------------------------------------------------------------------------- */

void eyoti_gen_gather_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  move(&x, go_to_root, come_to_root, false);
}

void eyoti_gen_scatter_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  move(&x, go_from_root, come_from_root, false);
}

void eyoti_gen_allgatherv_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  p->symmetric = true;
  move(&x, go_to_all, come_from, false);
}

void eyoti_gen_alltoallv_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  bool runs = a->function != EYOTI_COLL_ALLTOALLV; /* the same on both sides of a pair */
  struct pairs x = pairs_of(p, a, runs ? packed_bytes(p->size) : PIECE_MOST);
  p->symmetric = true;
  move(&x, go_to, come_from, a->function != EYOTI_COLL_ALLTOALL_STRIDED);
}

void eyoti_gen_gather_greet(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  x.greets = true;
  move(&x, go_to_root, come_to_root, false);
}

void eyoti_gen_scatter_greet(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  x.greets = true;
  move(&x, go_from_root, come_from_root, false);
}

void eyoti_gen_alltoallv_greet(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  EYOTI_ASSERT(p->size == 2); /* of more a pair that differs would be unknown to others */
  x.greets = p->symmetric = true;
  move(&x, go_to, come_from, false);
}

/* Operands of the caller's block come to the board, or long ones to private memory, one after the
 * other, and are combined there. */
void eyoti_gen_reduce_scatter_pairs(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  struct pairs x = pairs_of(p, a, PIECE_MOST);
  struct block own = go_to(&x, p->me);
  p->symmetric = true;
  x.operand = own.len;
  x.stride = is_long(&x, own.len) ? eyoti_gen_round8(own.len) : x.slot;
  x.operands = is_long(&x, own.len) ? eyoti_plan_temp(p, p->size * x.stride)
                                    : eyoti_ref_add(x.slots, GREETING_BYTES);
  move(&x, go_to, operand_from, false);
  eyoti_gen_combine_slots(p, x.operands, x.stride, own.len / a->combiner.width);
  eyoti_plan_copy(p, eyoti_ref(EYOTI_OUT, 0), x.operands, own.len);
}
