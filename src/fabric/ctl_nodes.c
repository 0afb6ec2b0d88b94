/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl_nodes.c - implements ctl_nodes.h: a member's list of messages, the layout of its memory, and
 * the exchange. */

/* Slots. A message has a slot at its receiver, with a flag and the words in each of two parities,
 * and one sender. The part of all members has the slots of what comes down on the node: one before
 * each round, and the result; and places that words leave from, one for each time that the words
 * change. The first member of a node has slots for the node's other members, and for the groups of
 * each round.
 *
 * Why slots can be reused: as in dissemination (ctl.c). A member leaves exchange k after all have
 * entered it, and after all that is sent to it in k has come. It enters k + 2 after it has left
 * k + 1, thus after all have entered k + 1, thus after all have left k: what it sent in k has
 * arrived, and has been taken.
 *
 * Why every member knows all words at the end: a first member has the words of its node after the
 * first messages, those of its group of level l + 1 after round l (base/groups.h), and so all after
 * the last. The operators are idempotent, so what comes down is combined like all else. */
#include "fabric/ctl_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric/ctl_parts.h"
#include "fabric/model.h"

#define SLOT_BYTES (8u + EYOTI_CTL_PAYLOAD_BYTES) /* of one parity */
#define ANY UINT32_MAX                            /* as `peer` of a step: a unit of another node */

/* A message that the caller sends to a member's slot, or awaits in one of its own. */
struct step {
  uint32_t peer; /* the unit at the other end */
  uint16_t slot;
  uint16_t awaits : 1;
  uint16_t stage : 15; /* how often the words have changed */
};

struct eyoti_ctl_nodes {
  struct eyoti_ctl_nodes_place all, first;
  uint32_t slots; /* of the part of all members: those before the first's */
  uint32_t steps;
  struct step step[];
};

/* -- nodes ------------------------------------------------------------------------------------- */
/* Positions count members node by node (base/placement.h); of a regular set they are members. */

static uint32_t nodes_of(const struct eyoti_ctl_nodes_shape *shape) {
  return shape->placed != NULL ? shape->placed->nodes : (shape->size - 1) / shape->per_node + 1;
}
static uint32_t position_of(const struct eyoti_ctl_nodes_shape *shape, uint32_t member) {
  return shape->placed != NULL ? eyoti_placement_position(shape->placed, member) : member;
}
static uint32_t member_at(const struct eyoti_ctl_nodes_shape *shape, uint32_t position) {
  return shape->placed != NULL ? eyoti_placement_member(shape->placed, position) : position;
}
static uint32_t node_at(const struct eyoti_ctl_nodes_shape *shape, uint32_t position) {
  return shape->placed != NULL ? eyoti_placement_node(shape->placed, position)
                               : position / shape->per_node;
}
/* The first position of a node; of the one after the last: the size. */
static uint32_t first_of(const struct eyoti_ctl_nodes_shape *shape, uint32_t node) {
  if (shape->placed != NULL) return eyoti_placement_first(shape->placed, node);
  uint64_t first = (uint64_t)node * shape->per_node;
  return first < shape->size ? (uint32_t)first : shape->size;
}

bool eyoti_ctl_nodes_is_first(const struct eyoti_ctl_nodes_shape *shape, uint32_t member) {
  uint32_t position = position_of(shape, member);
  return position == first_of(shape, node_at(shape, position));
}

/* -- the list ---------------------------------------------------------------------------------- */

struct listing {
  const struct eyoti_ctl_nodes_shape *shape;
  struct eyoti_groups groups;
  uint32_t node, first, core, cores, first_slot; /* first: the node's first position */
  uint8_t parent[EYOTI_POSTAL_MOST];
  struct step *step; /* NULL: counts */
  uint32_t steps;
  uint16_t stage;
  bool awaited;             /* the last step is an await */
  uint32_t round, messages; /* while it sends to other groups: */
  uint16_t to_slot;
};

static struct eyoti_groups groups_of(const struct eyoti_ctl_nodes_shape *shape) {
  return eyoti_groups_by(nodes_of(shape), shape->radix);
}

/* peer: a position, until all are known. */
static void add(struct listing *l, bool awaits, uint32_t peer, uint32_t slot) {
  if (!awaits && l->awaited) l->stage++;
  l->awaited = awaits;
  if (l->step != NULL)
    l->step[l->steps] = (struct step){peer, (uint16_t)slot, awaits, l->stage & 0x7fffu};
  l->steps++;
}

static uint32_t up_slot(const struct listing *l, uint32_t core) {
  return l->first_slot + core - 1;
}
static uint32_t part_slot(const struct listing *l, uint32_t round, uint32_t part) {
  return l->first_slot + l->shape->per_node - 1 + round * l->groups.radix + part;
}

static void add_up(struct listing *l) {
  if (l->core != 0) add(l, false, l->first, up_slot(l, l->core));
  for (uint32_t core = 1; core < l->cores && l->core == 0; core++)
    add(l, true, l->first + core, up_slot(l, core));
}

static void add_down(struct listing *l, uint32_t number) {
  if (l->core != 0) add(l, true, l->first + l->parent[l->core], number);
  for (uint32_t child = l->core + 1; child < l->cores; child++)
    if (l->parent[child] == l->core) add(l, false, l->first + child, number);
}

static bool add_post(void *arg, uint32_t target, uint32_t index) {
  struct listing *l = arg;
  if (eyoti_seat_poster(l->cores, l->messages, index) == l->core)
    add(l, false, first_of(l->shape, target), l->to_slot);
  return false;
}

static void add_round(struct listing *l, uint32_t round) {
  struct eyoti_seat x = eyoti_seat_of(&l->groups, round, l->node);
  l->messages = eyoti_seat_targets(&x, NULL, NULL);
  l->to_slot = (uint16_t)part_slot(l, round, x.part);
  if (l->messages > EYOTI_SEAT_ALONE) add_down(l, round);
  (void)eyoti_seat_targets(&x, add_post, l);
  for (uint32_t part = 0; part < x.n && l->core == 0; part++)
    if (part != x.part) add(l, true, ANY, part_slot(l, round, part));
}

static void add_all(struct listing *l) {
  l->steps = 0;
  l->stage = 0;
  l->awaited = false;
  add_up(l);
  for (uint32_t round = 0; round < l->groups.levels; round++) add_round(l, round);
  add_down(l, l->groups.levels);
}

struct eyoti_ctl_nodes *eyoti_ctl_nodes_make(const struct eyoti_ctl_nodes_shape *shape,
                                             const struct eyoti_ctl_set *set) {
  struct listing l = {.shape = shape, .groups = groups_of(shape)};
  uint32_t position = position_of(shape, set->my_index);
  l.node = node_at(shape, position);
  l.first = first_of(shape, l.node);
  l.core = position - l.first;
  l.cores = first_of(shape, l.node + 1) - l.first;
  l.first_slot = l.groups.levels + 1;
  eyoti_postal_tree(l.cores, EYOTI_POSTAL_LATENCY, l.parent);
  add_all(&l);
  struct eyoti_ctl_nodes *n = calloc(1, sizeof *n + l.steps * sizeof n->step[0]);
  if (n == NULL) return NULL;
  l.step = n->step;
  n->slots = l.first_slot;
  n->steps = l.steps;
  add_all(&l);
  for (uint32_t i = 0; i < n->steps; i++)
    if (n->step[i].peer != ANY)
      n->step[i].peer = set->unit_at(set->set, member_at(shape, n->step[i].peer));
  return n;
}

void eyoti_ctl_nodes_free(struct eyoti_ctl_nodes *n) {
  free(n);
}

/* -- memory ------------------------------------------------------------------------------------ */

uint64_t eyoti_ctl_nodes_bytes(const struct eyoti_ctl_nodes_shape *shape) {
  uint64_t levels = groups_of(shape).levels, stages = levels + 2;
  return EYOTI_CTL_PARITIES * ((levels + 1) * SLOT_BYTES + stages * EYOTI_CTL_PAYLOAD_BYTES);
}

uint64_t eyoti_ctl_nodes_first_bytes(const struct eyoti_ctl_nodes_shape *shape) {
  struct eyoti_groups g = groups_of(shape);
  uint64_t slots = shape->per_node - 1 + (uint64_t)g.levels * g.radix;
  return EYOTI_CTL_PARITIES * slots * SLOT_BYTES;
}

void eyoti_ctl_nodes_place(struct eyoti_ctl_nodes *n, struct eyoti_ctl_nodes_place all,
                           struct eyoti_ctl_nodes_place first) {
  n->all = all;
  n->first = first;
}

static const struct eyoti_ctl_nodes_place *place_of(const struct eyoti_ctl_nodes *n,
                                                    const struct step *s) {
  return s->slot < n->slots ? &n->all : &n->first;
}
/* The flags of a slot in its part, one for each parity; the words follow each. */
static uint64_t slot_first(const struct eyoti_ctl_nodes *n, const struct step *s) {
  uint32_t slot = s->slot < n->slots ? s->slot : s->slot - n->slots;
  return (uint64_t)slot * EYOTI_CTL_PARITIES * SLOT_BYTES;
}
static uint64_t slot_at(const struct eyoti_ctl_nodes *n, const struct eyoti_ctl *c,
                        const struct step *s) {
  return slot_first(n, s) + c->seq % EYOTI_CTL_PARITIES * SLOT_BYTES;
}
static char *leave_at(const struct eyoti_ctl_nodes *n, const struct eyoti_ctl *c,
                      const struct step *s) {
  uint64_t places = s->stage * EYOTI_CTL_PARITIES + c->seq % EYOTI_CTL_PARITIES;
  return n->all.own + n->slots * EYOTI_CTL_PARITIES * SLOT_BYTES + places * EYOTI_CTL_PAYLOAD_BYTES;
}

uint32_t eyoti_ctl_nodes_writer(const struct eyoti_ctl_nodes *n, fab_seg_t seg, uint64_t off) {
  for (uint32_t i = 0; i < n->steps; i++) {
    const struct step *s = &n->step[i];
    const struct eyoti_ctl_nodes_place *at = place_of(n, s);
    if (s->awaits && seg == at->seg && off - at->off - slot_first(n, s) <= SLOT_BYTES)
      return s->peer;
  }
  return UINT32_MAX;
}

/* -- the choice -------------------------------------------------------------------------------- */

/* cores: of nodes as dissemination finds them. */
static void choose(const struct fab *f, const struct fab_nodes *nodes, uint32_t cores,
                   struct eyoti_ctl_nodes_shape *best, bool *quicker) {
  static const struct fab_model DEFAULT = FAB_MODEL_DEFAULT;
  const struct fab_model *m = f->ops->model != NULL ? f->ops->model : &DEFAULT;
  uint64_t least = fab_model_by_nodes(m, nodes, EYOTI_CTL_NODES_RADIX_MOST, &best->radix);
  if (least < UINT64_MAX) best->per_node = nodes->most;
  *quicker = least < fab_model_doubling(m, best->size, cores, 0);
}

struct eyoti_ctl_nodes_shape eyoti_ctl_nodes_choose(const struct fab *f, uint32_t size,
                                                    bool *quicker) {
  struct eyoti_ctl_nodes_shape best = {.size = size};
  uint32_t cores = f->ops->per_node != NULL ? f->ops->per_node(f) : 0;
  *quicker = false;
  if (cores == 0 || cores >= size || cores > EYOTI_POSTAL_MOST) return best;
  struct fab_nodes nodes = fab_nodes_regular(size, cores);
  choose(f, &nodes, cores, &best, quicker);
  return best;
}

/* Dissemination finds scattered members each on a node of its own. */
struct eyoti_ctl_nodes_shape eyoti_ctl_nodes_choose_placed(const struct fab *f,
                                                           const struct eyoti_placement *placed,
                                                           bool *quicker) {
  struct eyoti_ctl_nodes_shape best = {.size = placed->size, .placed = placed};
  struct fab_nodes nodes = {placed->nodes, placed->most, placed->least};
  *quicker = false;
  if (nodes.n < 2 || nodes.most > EYOTI_POSTAL_MOST) return best;
  choose(f, &nodes, placed->scattered ? 1 : (placed->size - 1) / nodes.n + 1, &best, quicker);
  return best;
}

/* -- the exchange ------------------------------------------------------------------------------ */

static int send(struct fab *f, const struct eyoti_ctl *c, const struct eyoti_ctl_step *s) {
  const struct step *x = &c->nodes->step[s->round];
  const struct eyoti_ctl_nodes_place *at = place_of(c->nodes, x);
  uint64_t flag = at->off + slot_at(c->nodes, c, x);
  struct eyoti_ctl_message m = {.to = x->peer,
                                .seg = at->seg,
                                .flag = flag,
                                .land = flag + 8,
                                .leave = leave_at(c->nodes, c, x)};
  return eyoti_ctl_put(f, c, s, &m);
}

/* Sends until a message must have come. */
static int send_some(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s) {
  for (; s->round < c->nodes->steps && !c->nodes->step[s->round].awaits; s->round++)
    EYOTI_TRY(send(f, c, s));
  return EYOT_OK;
}

int eyoti_ctl_nodes_begin(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s) {
  if (c->nodes->step[0].awaits) return EYOT_OK;
  EYOTI_TRY(send(f, c, s));
  s->round++;
  return EYOT_OK;
}

static int hear(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s,
                uint64_t timeout_ns) {
  const struct step *x = &c->nodes->step[s->round];
  const struct eyoti_ctl_nodes_place *at = place_of(c->nodes, x);
  uint64_t slot = slot_at(c->nodes, c, x), flag;
  EYOTI_TRY(eyoti_ctl_wait(f, c, at->seg, at->off + slot, timeout_ns, &flag));
  eyoti_ctl_take(s, flag, at->own + slot + 8);
  s->round++;
  return EYOT_OK;
}

int eyoti_ctl_nodes_advance(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s,
                            uint64_t timeout_ns) {
  for (;;) {
    EYOTI_TRY(send_some(f, c, s));
    if (s->round == c->nodes->steps) return EYOT_OK;
    EYOTI_TRY(hear(f, c, s, timeout_ns));
  }
}

const uint64_t *eyoti_ctl_nodes_awaits(const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                                       struct fab_cond *cond) {
  if (s->round == c->nodes->steps) return NULL;
  const struct step *x = &c->nodes->step[s->round];
  const struct eyoti_ctl_nodes_place *at = place_of(c->nodes, x);
  uint64_t slot = slot_at(c->nodes, c, x);
  EYOTI_ASSERT(x->awaits);
  *cond = eyoti_ctl_cond(c, at->seg, at->off + slot);
  return (const uint64_t *)(const void *)(at->own + slot);
}
