/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_model.c - random messages against a serial model of matching.
 *
 *   msg_model SEED ROUNDS [MESSAGES]
 *
 * Each round every unit sends messages of random tags, sizes, teams and kinds to random units, and
 * receives those to it in one of several ways, exact and wild, posted early and late, and by
 * probes. Every unit can compute all messages of the round, so it knows what each sender has sent
 * it, in order. The model takes the receives in the order in which they were posted: each must have
 * got, of the messages of its sender in its team that no earlier receive has got, the first one
 * that it matches. That is all that matching promises, and all of it. */
#include <string.h>

#include "programs/api_check.h"

#define MOST 64u /* messages of a unit and round */
#define TAGS 3
#define BYTES 100000u

struct message {
  uint32_t from, to, team; /* from: a global id */
  int32_t tag;
  uint64_t bytes, number; /* of those of its sender, in the round */
  bool sync, taken;
};
struct receive {
  uint32_t team;
  uint32_t from; /* UINT32_MAX: any; else a global id */
  int32_t tag;
  eyot_msg_t h;
  eyot_msg_status_t got;
  unsigned char *buf;
};

static uint32_t me, n, most;
static eyot_team_t teams[2];
static struct message *all;
static uint32_t n_all;
static struct receive *recvs;
static uint32_t n_recvs;

static eyot_tunit_t rel(uint32_t team, uint32_t u) {
  return (eyot_tunit_t){team == 0 ? u : u / 2};
}
static uint32_t global(uint32_t team, uint32_t r) {
  return team == 0 ? r : 2 * r + me % 2;
}
static unsigned char byte_of(const struct message *m, uint64_t i) {
  return (unsigned char)(m->from * 37u + m->number * 11u + i * (1 + m->number % 3));
}

static uint64_t size_of(uint64_t *s) {
  switch (draw(s) % 8) {
    case 0:
      return 0;
    case 1:
      return 250 + draw(s) % 12;
    case 2:
      return draw(s) % 5000;
    case 3:
      return draw(s) % 4 == 0 ? draw(s) % BYTES : 300;
    default:
      return draw(s) % 64;
  }
}

/* The messages of a unit in a round. */
static void messages_of(uint64_t seed, uint64_t round, uint32_t from) {
  uint64_t s = seed * 1000003 + round * 7919 + from;
  uint32_t count = (uint32_t)(draw(&s) % (most + 1)), hot = (uint32_t)(draw(&s) % n);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t to = (uint32_t)(draw(&s) % 3 == 0 ? hot : draw(&s) % n);
    bool half = draw(&s) % 4 == 0;
    struct message m = {.from = from, .to = to, .number = i};
    if (half) m.to = to - to % 2 + from % 2 < n ? to - to % 2 + from % 2 : from;
    m.team = half;
    m.tag = (int32_t)(draw(&s) % TAGS);
    m.bytes = size_of(&s);
    m.sync = draw(&s) % 5 == 0;
    all[n_all++] = m;
  }
}

/* -- receives ---------------------------------------------------------------------------------- */

static void want(uint32_t team, uint32_t from, int32_t tag) {
  recvs[n_recvs++] = (struct receive){.team = team, .from = from, .tag = tag};
}

/* Receives for all messages to this unit: a part exact, in random order, then wild ones for what
 * they leave, of one kind, so that every choice of senders ends. */
static void plan(uint64_t *s) {
  n_recvs = 0;
  for (uint32_t team = 0; team < 2; team++) {
    uint32_t first = n_recvs, kind = (uint32_t)(draw(s) % 4), part = (uint32_t)(draw(s) % 4);
    for (uint32_t i = 0; i < n_all; i++)
      if (all[i].to == me && all[i].team == team && draw(s) % 4 < part)
        want(team, all[i].from, all[i].tag);
    for (uint32_t i = n_recvs; i-- > first + 1;) {
      uint32_t k = first + (uint32_t)(draw(s) % (i - first + 1));
      struct receive r = recvs[i];
      recvs[i] = recvs[k];
      recvs[k] = r;
    }
    uint32_t exact = n_recvs;
    bool *used = calloc(n_all + 1, sizeof *used);
    CHECK(used != NULL);
    for (uint32_t r = first; r < exact; r++)
      for (uint32_t i = 0; i < n_all; i++) {
        const struct message *m = &all[i];
        if (used[i] || m->to != me || m->team != team || m->from != recvs[r].from ||
            m->tag != recvs[r].tag)
          continue;
        used[i] = true;
        break;
      }
    for (uint32_t i = 0; i < n_all; i++) {
      if (all[i].to != me || all[i].team != team || used[i]) continue;
      if (kind == 0) want(team, UINT32_MAX, EYOT_ANY_TAG);
      if (kind == 1) want(team, all[i].from, EYOT_ANY_TAG);
      if (kind == 2) want(team, UINT32_MAX, all[i].tag);
      if (kind == 3) want(team, all[i].from, all[i].tag);
    }
    free(used);
  }
}

static eyot_tunit_t from_of(const struct receive *r) {
  return r->from == UINT32_MAX ? EYOT_ANY_UNIT : rel(r->team, r->from);
}

static void post(struct receive *r) {
  r->buf = malloc(BYTES);
  CHECK(r->buf != NULL);
  OK(eyot_recv_nb(teams[r->team], from_of(r), r->tag, r->buf, BYTES, &r->h));
}

/* A receive that blocks, in one of its ways. Receives before it are posted. */
static void receive_now(struct receive *r, uint64_t way) {
  eyot_msg_status_t seen;
  eyot_msg_t message;
  r->buf = malloc(BYTES);
  CHECK(r->buf != NULL);
  r->h = EYOT_MSG_DONE;
  if (way % 3 == 0) {
    OK(eyot_recv(teams[r->team], from_of(r), r->tag, r->buf, BYTES, &r->got));
    return;
  }
  if (way % 3 == 1) {
    OK(eyot_mprobe(teams[r->team], from_of(r), r->tag, &message, &seen));
  } else {
    for (bool found = false; !found;)
      OK(eyot_improbe(teams[r->team], from_of(r), r->tag, &found, &message, &seen));
  }
  OK(eyot_mrecv(&message, r->buf, seen.bytes, &r->got));
  CHECK(seen.from.id == r->got.from.id && seen.tag == r->got.tag && seen.bytes == r->got.bytes);
}

/* -- the model --------------------------------------------------------------------------------- */

static void judge(void) {
  for (uint32_t i = 0; i < n_recvs; i++) {
    struct receive *r = &recvs[i];
    uint32_t from = global(r->team, r->got.from.id), k = 0;
    CHECK(r->got.dropped == 0 && (r->from == UINT32_MAX || r->from == from));
    while (k < n_all && (all[k].to != me || all[k].team != r->team || all[k].from != from ||
                         all[k].taken || (r->tag != EYOT_ANY_TAG && all[k].tag != r->tag)))
      k++;
    CHECK(k < n_all);
    CHECK(r->got.tag == all[k].tag && r->got.bytes == all[k].bytes);
    for (uint64_t b = 0; b < all[k].bytes; b++) CHECK(r->buf[b] == byte_of(&all[k], b));
    all[k].taken = true;
    free(r->buf);
  }
}

/* -- a round ----------------------------------------------------------------------------------- */

static void send_one(const struct message *m, eyot_msg_t *h, unsigned char **buf) {
  *buf = malloc(m->bytes + 1);
  CHECK(*buf != NULL);
  for (uint64_t i = 0; i < m->bytes; i++) (*buf)[i] = byte_of(m, i);
  if (m->sync)
    OK(eyot_ssend_nb(teams[m->team], rel(m->team, m->to), m->tag, *buf, m->bytes, h));
  else
    OK(eyot_send_nb(teams[m->team], rel(m->team, m->to), m->tag, *buf, m->bytes, h));
}

static void round_run(uint64_t seed, uint64_t round) {
  uint64_t s = seed * 31 + round * 17 + me * 1009;
  eyot_msg_t *sent = calloc(most + 1, sizeof *sent);
  unsigned char **bufs = calloc(most + 1, sizeof *bufs);
  CHECK(sent != NULL && bufs != NULL);
  n_all = 0;
  for (uint32_t u = 0; u < n; u++) messages_of(seed, round, u);
  plan(&s);
  /* receives of one unit are posted in order; its own sends come in between */
  uint32_t posted = 0, n_sent = 0, early = (uint32_t)(draw(&s) % (n_recvs + 1));
  for (uint32_t i = 0; i < n_all; i++) {
    while (posted < early && draw(&s) % 2 == 0) post(&recvs[posted++]);
    if (all[i].from != me) continue;
    send_one(&all[i], &sent[n_sent], &bufs[n_sent]);
    n_sent++;
  }
  bool probes = draw(&s) % 3 == 0;
  while (posted < n_recvs && !probes && draw(&s) % 8 != 0) post(&recvs[posted++]);
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* what is posted goes on in it */
  while (posted < n_recvs)
    if (probes)
      receive_now(&recvs[posted++], draw(&s));
    else
      post(&recvs[posted++]);
  uint64_t way = draw(&s);
  for (uint32_t i = 0; i < n_recvs; i++) {
    struct receive *r = &recvs[way % 2 == 0 ? i : n_recvs - 1 - i];
    if (r->h.id != 0) OK(eyot_msg_wait(&r->h, &r->got));
  }
  OK(eyot_msg_wait_all(sent, n_sent, NULL));
  for (uint32_t i = 0; i < n_sent; i++) free(bufs[i]);
  judge();
  for (uint32_t i = 0; i < n_all; i++) CHECK(all[i].to != me || all[i].taken);
  free(sent);
  free(bufs);
  OK(eyot_barrier(EYOT_TEAM_ALL)); /* no message of the next round comes into this one */
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
           rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 3;
  most = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 12;
  CHECK(most <= MOST);
  teams[0] = EYOT_TEAM_ALL;
  OK(eyot_team_split(EYOT_TEAM_ALL, me % 2, &teams[1]));
  all = calloc((size_t)n * (most + 1), sizeof *all);
  recvs = calloc((size_t)n * (most + 1), sizeof *recvs);
  CHECK(all != NULL && recvs != NULL);
  for (uint64_t r = 0; r < rounds; r++) round_run(seed, r);
  free(all);
  free(recvs);
  OK(eyot_team_destroy(&teams[1]));
  return finish();
}
