/* SPDX-License-Identifier: BSD-3-Clause */
/* md_exchange.c - swaps of positions and forces by fused exchanges (Friedley 2013, section 5.2):
 * within a node one loop moves the numbers from where one unit has them to where another one needs
 * them. The loop runs where the list of atoms is: at the sender of positions, at the receiver of
 * forces. Other messages are those of md_msg.c. */
#include <stdlib.h>
#include <string.h>

#include "minimd.h"

/* The two ends of a swap: the numbers of the atoms in a list, and those of the ghosts. `shift` is
 * added to the positions along `axis`. */
struct listed {
  double *numbers;
  const uint32_t *list;
  uint32_t count, axis;
  double shift;
};
struct ghosts {
  double *first;
  uint32_t count;
};

/* One of each kind for each swap with messages. */
struct fused_swaps {
  struct fused_side {
    eyot_graph_t graph;
    eyot_exchange_t exchange;
  } side[2][MD_SWAPS]; /* 0: forward, 1: reverse */
  int code;            /* of the first call that failed inside an exchange */
};

static void spend_keep(void *context, uint32_t atoms) {
  const struct md_system *s = context;
  struct fused_swaps *f = s->fused;
  int code = md_spend(s, (uint64_t)atoms * MD_ATOM_NS);
  if (f->code == EYOT_OK) f->code = code;
}

static void listed_to_ghosts(const struct listed *from, double *to) {
  for (uint32_t n = 0; n < from->count; n++) {
    memcpy(to + MD_AXES * n, from->numbers + MD_AXES * from->list[n], MD_AXES * sizeof(double));
    to[MD_AXES * n + from->axis] += from->shift;
  }
}
static void ghosts_to_listed(const double *from, const struct listed *to) {
  for (uint32_t n = 0; n < to->count; n++)
    for (uint32_t a = 0; a < MD_AXES; a++)
      to->numbers[MD_AXES * to->list[n] + a] += from[MD_AXES * n + a];
}

static uint64_t forward_pack(void *context, const void *send, void *buf, uint64_t space) {
  const struct listed *from = send;
  uint64_t bytes = from->count * MD_AXES * sizeof(double);
  if (bytes > space) return bytes;
  listed_to_ghosts(from, buf);
  spend_keep(context, from->count);
  return bytes;
}
static void forward_unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  const struct ghosts *to = recv;
  if (bytes > 0) memcpy(to->first, buf, bytes);
  spend_keep(context, to->count);
}
static void forward_fused(void *context, const void *send, const void *recv) {
  const struct listed *from = send;
  const struct ghosts *to = recv;
  listed_to_ghosts(from, to->first);
  spend_keep(context, from->count);
}

static uint64_t reverse_pack(void *context, const void *send, void *buf, uint64_t space) {
  const struct ghosts *from = send;
  uint64_t bytes = from->count * MD_AXES * sizeof(double);
  if (bytes > space) return bytes;
  if (bytes > 0) memcpy(buf, from->first, bytes);
  spend_keep(context, from->count);
  return bytes;
}
static void reverse_unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  const struct listed *to = recv;
  (void)bytes;
  ghosts_to_listed(buf, to);
  spend_keep(context, to->count);
}
static void reverse_fused(void *context, const void *send, const void *recv) {
  const struct ghosts *from = send;
  const struct listed *to = recv;
  ghosts_to_listed(from->first, to);
  spend_keep(context, to->count);
}

static int side_open(struct md_system *s, struct fused_side *side, bool reverse, uint32_t i) {
  const struct md_swap *swap = &s->swap[i];
  eyot_tunit_t to = {reverse ? swap->from : swap->to}, from = {reverse ? swap->to : swap->from};
  const eyot_exchange_ops_t ops = {
      .pack = reverse ? reverse_pack : forward_pack,
      .unpack = reverse ? reverse_unpack : forward_unpack,
      .fused = reverse ? reverse_fused : forward_fused,
      .context = s,
      .where = reverse ? EYOT_EXCHANGE_AT_RECEIVER : EYOT_EXCHANGE_AT_SENDER,
      .send_bytes = reverse ? sizeof(struct ghosts) : sizeof(struct listed),
      .recv_bytes = reverse ? sizeof(struct listed) : sizeof(struct ghosts),
      .space_bytes = md_slot_bytes(s, MD_FORWARD * MD_SWAPS)};
  MD_TRY(eyot_graph_create(EYOT_TEAM_ALL, &from, 1, &to, 1, &side->graph));
  MD_TRY(eyot_exchange_create(side->graph, &ops, &side->exchange));
  return EYOT_OK;
}

static int exchange_open(struct md_system *s) {
  struct fused_swaps *f = calloc(1, sizeof *f);
  int code = MD_MSG.open(s);
  if (code != EYOT_OK) return code;
  if (f == NULL) return md_fail("private memory", EYOT_ENOMEM);
  s->fused = f;
  for (uint32_t i = 0; i < MD_SWAPS && code == EYOT_OK; i++) {
    if (s->box.parts[i / 2] == 1) continue;
    code = side_open(s, &f->side[0][i], false, i);
    if (code == EYOT_OK) code = side_open(s, &f->side[1][i], true, i);
  }
  return code;
}

static int exchange_swap(struct md_system *s, enum md_kind kind, uint32_t i) {
  struct fused_swaps *f = s->fused;
  const struct md_swap *swap = &s->swap[i];
  bool reverse = kind == MD_REVERSE;
  double *numbers = reverse ? s->f : s->x;
  const struct listed listed = {numbers, swap->list, swap->count, i / 2, reverse ? 0 : swap->shift};
  const struct ghosts ghosts = {numbers + MD_AXES * swap->first_ghost, swap->ghosts};
  if (reverse)
    MD_TRY(eyot_exchange(f->side[1][i].exchange, &ghosts, &listed));
  else
    MD_TRY(eyot_exchange(f->side[0][i].exchange, &listed, &ghosts));
  return f->code == EYOT_OK ? EYOT_OK : md_fail("a loop of an exchange", f->code);
}

static int exchange_close(struct md_system *s) {
  struct fused_swaps *f = s->fused;
  for (uint32_t i = 0; i < MD_SWAPS; i++)
    for (int reverse = 0; reverse < 2 && s->box.parts[i / 2] > 1; reverse++) {
      MD_TRY(eyot_exchange_destroy(&f->side[reverse][i].exchange));
      MD_TRY(eyot_graph_destroy(&f->side[reverse][i].graph));
    }
  free(f);
  return MD_MSG.close(s);
}

const struct md_variant MD_EXCHANGE = {.name = "exchange",
                                       .shared = true,
                                       .open = exchange_open,
                                       .begin = md_msg_begin,
                                       .exchange = md_msg_exchange,
                                       .end = md_msg_end,
                                       .close = exchange_close,
                                       .swap = exchange_swap};
