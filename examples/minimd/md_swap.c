/* SPDX-License-Identifier: BSD-3-Clause */
/* md_swap.c - six swaps, two along each axis. A swap along an axis also copies ghosts of the axes
 * before it, so that a unit gets ghosts from all 26 units around it by six messages. Along an axis
 * with one part a unit is its own neighbor, and swaps without messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minimd.h"

static bool swap_is_own(const struct md_system *s, uint32_t i) {
  return s->box.parts[i / 2] == 1;
}

void md_swap_init(struct md_system *s) {
  for (uint32_t i = 0; i < MD_SWAPS; i++) {
    uint32_t axis = i / 2, side = i % 2;
    const struct md_box *box = &s->box;
    struct md_swap *swap = &s->swap[i];
    swap->to = box->neighbor[axis][side];
    swap->from = box->neighbor[axis][1 - side];
    swap->shift = 0;
    if (side == 0 && box->coord[axis] == 0) swap->shift = box->size;
    if (side == 1 && box->coord[axis] + 1 == box->parts[axis]) swap->shift = -box->size;
  }
}

static struct md_message message_of(const struct md_system *s, enum md_kind kind, uint32_t i) {
  const struct md_swap *swap = &s->swap[i];
  bool back = kind == MD_REVERSE;
  return (struct md_message){.slot = (uint32_t)kind * MD_SWAPS + i,
                             .to = back ? swap->from : swap->to,
                             .from = back ? swap->to : swap->from};
}

static int message_begin(struct md_system *s, struct md_message *m, uint64_t bytes, void **out) {
  m->out_bytes = bytes;
  if (bytes > md_slot_bytes(s, m->slot)) {
    fprintf(stderr,
            "minimd: unit %u: a message of %llu bytes, more than the %llu of its buffer: the "
            "density is far from even\n",
            s->me, (unsigned long long)bytes, (unsigned long long)md_slot_bytes(s, m->slot));
    return EYOT_ERANGE;
  }
  return s->variant->begin(s, m, out);
}

static int message_exchange(struct md_system *s, const struct md_message *m, const void **in) {
  s->messages++;
  return s->variant->exchange(s, m, in);
}

/* Tells the receiver how many atoms follow, and learns it of the sender. */
static int count_exchange(struct md_system *s, enum md_kind kind, uint32_t i, uint64_t mine,
                          uint64_t *theirs) {
  struct md_message m = message_of(s, kind, i);
  void *out = NULL;
  const void *in = NULL;
  int code = message_begin(s, &m, sizeof mine, &out);
  if (code != EYOT_OK) return code;
  memcpy(out, &mine, sizeof mine);
  m.in_bytes = sizeof *theirs;
  code = message_exchange(s, &m, &in);
  if (code != EYOT_OK) return code;
  memcpy(theirs, in, sizeof *theirs);
  return s->variant->end(s, &m, in);
}

int md_positions_pack(const struct md_system *s, uint32_t i, double *out) {
  const struct md_swap *swap = &s->swap[i];
  uint32_t axis = i / 2;
  for (uint32_t n = 0; n < swap->count; n++) {
    memcpy(out + MD_AXES * n, s->x + MD_AXES * swap->list[n], MD_AXES * sizeof(double));
    out[MD_AXES * n + axis] += swap->shift;
  }
  return md_spend(s, swap->count * MD_ATOM_NS);
}

/* Positions to the ghosts of swap i; `kind` is MD_FORWARD or MD_BORDER. */
static int positions_swap(struct md_system *s, enum md_kind kind, uint32_t i) {
  const uint64_t bytes = MD_AXES * sizeof(double);
  struct md_swap *swap = &s->swap[i];
  double *ghosts = s->x + MD_AXES * swap->first_ghost;
  if (swap_is_own(s, i)) return md_positions_pack(s, i, ghosts);
  if (kind == MD_FORWARD && s->variant->swap != NULL) {
    s->messages++;
    return s->variant->swap(s, kind, i);
  }
  struct md_message m = message_of(s, kind, i);
  void *out = NULL;
  const void *in = NULL;
  int code = message_begin(s, &m, swap->count * bytes, &out);
  if (code == EYOT_OK) code = md_positions_pack(s, i, out);
  if (code != EYOT_OK) return code;
  m.in_bytes = swap->ghosts * bytes;
  code = message_exchange(s, &m, &in);
  if (code != EYOT_OK) return code;
  memcpy(ghosts, in, m.in_bytes);
  MD_TRY(md_spend(s, swap->ghosts * MD_ATOM_NS));
  return s->variant->end(s, &m, in);
}

int md_forward(struct md_system *s) {
  uint64_t begin = eyot_now_ns();
  for (uint32_t i = 0; i < MD_SWAPS; i++) {
    int code = positions_swap(s, MD_FORWARD, i);
    if (code != EYOT_OK) return code;
  }
  s->communication_ns += eyot_now_ns() - begin;
  return EYOT_OK;
}

int md_forces_unpack(struct md_system *s, uint32_t i, const double *in) {
  const struct md_swap *swap = &s->swap[i];
  for (uint32_t n = 0; n < swap->count; n++)
    for (uint32_t a = 0; a < MD_AXES; a++) s->f[MD_AXES * swap->list[n] + a] += in[MD_AXES * n + a];
  return md_spend(s, swap->count * MD_ATOM_NS);
}

static int forces_swap(struct md_system *s, uint32_t i) {
  const uint64_t bytes = MD_AXES * sizeof(double);
  const struct md_swap *swap = &s->swap[i];
  const double *ghosts = s->f + MD_AXES * swap->first_ghost;
  if (swap_is_own(s, i)) return md_forces_unpack(s, i, ghosts);
  if (s->variant->swap != NULL) {
    s->messages++;
    return s->variant->swap(s, MD_REVERSE, i);
  }
  struct md_message m = message_of(s, MD_REVERSE, i);
  void *out = NULL;
  const void *in = NULL;
  int code = message_begin(s, &m, swap->ghosts * bytes, &out);
  if (code != EYOT_OK) return code;
  memcpy(out, ghosts, m.out_bytes);
  MD_TRY(md_spend(s, swap->ghosts * MD_ATOM_NS));
  m.in_bytes = swap->count * bytes;
  code = message_exchange(s, &m, &in);
  if (code == EYOT_OK) code = md_forces_unpack(s, i, in);
  return code != EYOT_OK ? code : s->variant->end(s, &m, in);
}

int md_reverse(struct md_system *s) {
  uint64_t begin = eyot_now_ns();
  for (uint32_t i = MD_SWAPS; i-- > 0;) {
    int code = forces_swap(s, i);
    if (code != EYOT_OK) return code;
  }
  s->communication_ns += eyot_now_ns() - begin;
  return EYOT_OK;
}

static int list_add(const struct md_system *s, struct md_swap *swap, uint32_t atom) {
  if (swap->count == swap->capacity) {
    uint32_t capacity = 2 * swap->capacity + 64;
    void *list = swap->list;
    int code = md_resize(s, &list, swap->count * sizeof *swap->list, capacity * sizeof *swap->list);
    if (code != EYOT_OK) return code;
    swap->list = list;
    swap->capacity = capacity;
  }
  swap->list[swap->count++] = atom;
  return EYOT_OK;
}

/* The atoms, and ghosts of the axes before, that are within MD_REACH of the side. `all`: their
 * number before the swaps of this axis. */
static int list_make(struct md_system *s, uint32_t i, uint32_t all) {
  struct md_swap *swap = &s->swap[i];
  uint32_t axis = i / 2;
  double low = s->box.lo[axis] + MD_REACH, high = s->box.hi[axis] - MD_REACH;
  swap->count = 0;
  for (uint32_t atom = 0; atom < all; atom++) {
    double x = s->x[MD_AXES * atom + axis];
    if (i % 2 == 0 ? x >= low : x < high) continue;
    int code = list_add(s, swap, atom);
    if (code != EYOT_OK) return code;
  }
  return md_spend(s, all);
}

static int border_swap(struct md_system *s, uint32_t i, uint32_t all) {
  struct md_swap *swap = &s->swap[i];
  uint64_t ghosts = 0;
  int code = list_make(s, i, all);
  if (code != EYOT_OK) return code;
  if (swap_is_own(s, i))
    ghosts = swap->count;
  else
    code = count_exchange(s, MD_BORDER_COUNT, i, swap->count, &ghosts);
  if (code == EYOT_OK) code = md_system_reserve(s, s->all + (uint32_t)ghosts);
  if (code != EYOT_OK) return code;
  swap->first_ghost = s->all;
  swap->ghosts = (uint32_t)ghosts;
  s->all += (uint32_t)ghosts;
  return positions_swap(s, MD_BORDER, i);
}

int md_borders(struct md_system *s) {
  uint64_t begin = eyot_now_ns();
  s->all = s->local;
  for (uint32_t axis = 0; axis < MD_AXES; axis++) {
    uint32_t all = s->all;
    for (uint32_t side = 0; side < 2; side++) {
      int code = border_swap(s, 2 * axis + side, all);
      if (code != EYOT_OK) return code;
    }
  }
  s->communication_ns += eyot_now_ns() - begin;
  return EYOT_OK;
}

enum { LEAVE_NUMBERS = 2 * MD_AXES };

static bool atom_is_inside(const struct md_system *s, uint32_t axis, double x) {
  return x >= s->box.lo[axis] && x < s->box.hi[axis];
}

/* Takes atoms that are outside along the axis out of the unit's own, into `out`. */
static int leave_take(struct md_system *s, uint32_t axis, double **out, uint32_t *n) {
  uint32_t capacity = 0, i = 0;
  *n = 0;
  while (i < s->local) {
    double *x = s->x + MD_AXES * i, *v = s->v + MD_AXES * i;
    if (atom_is_inside(s, axis, x[axis])) {
      i++;
      continue;
    }
    if (*n == capacity) {
      capacity = 2 * capacity + 16;
      double *grown = realloc(*out, capacity * LEAVE_NUMBERS * sizeof(double));
      if (grown == NULL) return md_fail("private memory for atoms that leave", EYOT_ENOMEM);
      *out = grown;
    }
    memcpy(*out + LEAVE_NUMBERS * *n, x, MD_AXES * sizeof(double));
    memcpy(*out + LEAVE_NUMBERS * *n + MD_AXES, v, MD_AXES * sizeof(double));
    ++*n;
    s->local--;
    memmove(x, s->x + MD_AXES * s->local, MD_AXES * sizeof(double));
    memmove(v, s->v + MD_AXES * s->local, MD_AXES * sizeof(double));
  }
  return md_spend(s, s->local);
}

/* Takes over, of n atoms that have left a neighbor, those that are inside. */
static int leave_keep(struct md_system *s, uint32_t axis, const double *in, uint64_t n) {
  int code = md_system_reserve(s, s->local + (uint32_t)n);
  if (code != EYOT_OK) return code;
  for (uint64_t i = 0; i < n; i++) {
    const double *atom = in + LEAVE_NUMBERS * i;
    if (!atom_is_inside(s, axis, atom[axis])) continue;
    memcpy(s->x + MD_AXES * s->local, atom, MD_AXES * sizeof(double));
    memcpy(s->v + MD_AXES * s->local, atom + MD_AXES, MD_AXES * sizeof(double));
    s->local++;
  }
  return md_spend(s, n * MD_ATOM_NS);
}

static int leave_swap(struct md_system *s, uint32_t i, const double *left, uint32_t n) {
  const uint64_t bytes = LEAVE_NUMBERS * sizeof(double);
  struct md_message m = message_of(s, MD_LEAVE, i);
  uint64_t theirs = 0;
  void *out = NULL;
  const void *in = NULL;
  int code = count_exchange(s, MD_LEAVE_COUNT, i, n, &theirs);
  if (code == EYOT_OK) code = message_begin(s, &m, n * bytes, &out);
  if (code != EYOT_OK) return code;
  if (n > 0) memcpy(out, left, m.out_bytes);
  m.in_bytes = theirs * bytes;
  code = message_exchange(s, &m, &in);
  if (code == EYOT_OK) code = leave_keep(s, i / 2, in, theirs);
  return code != EYOT_OK ? code : s->variant->end(s, &m, in);
}

static void positions_wrap(struct md_system *s) {
  for (uint32_t i = 0; i < MD_AXES * s->local; i++) {
    if (s->x[i] < 0) s->x[i] += s->box.size;
    if (s->x[i] >= s->box.size) s->x[i] -= s->box.size;
  }
}

/* All that leave along an axis go to both sides, and the unit inside whose part they are keeps
 * them; two parts are neighbors on both sides, and need one message. */
int md_leave(struct md_system *s) {
  uint64_t begin = eyot_now_ns();
  positions_wrap(s);
  for (uint32_t axis = 0; axis < MD_AXES; axis++) {
    double *left = NULL;
    uint32_t n = 0;
    if (s->box.parts[axis] == 1) continue;
    int code = leave_take(s, axis, &left, &n);
    if (code == EYOT_OK) code = leave_swap(s, 2 * axis, left, n);
    if (code == EYOT_OK && s->box.parts[axis] > 2) code = leave_swap(s, 2 * axis + 1, left, n);
    free(left);
    if (code != EYOT_OK) return code;
  }
  s->communication_ns += eyot_now_ns() - begin;
  return EYOT_OK;
}
