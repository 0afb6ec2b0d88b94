/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_stored.c - short messages between two units that change, from phase to phase and while slots
 * of the ring are full, between stores of the processor and operations of the fabric: each unit
 * counts in some phases, has a split-phase barrier open in others, or a receive posted; the ring
 * fills, and becomes a wider one. Both units draw the same numbers, so that each knows what comes:
 * the n-th message of a unit has n in each byte, whatever its tag, and messages of one tag come in
 * order. Arguments: seed, phases. */
#include <string.h>

#include "programs/api_check.h"

enum { BYTES_MOST = 300, BURST_MOST = 40, TAGS = 2 };

static uint64_t drawn;
static uint32_t below(uint32_t n) {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(drawn >> 33) % n;
}

/* A message: what its sender draws for it, and its number. */
struct message {
  uint64_t number;
  uint32_t bytes;
  int32_t tag;
};

static uint32_t me;
static uint64_t sent[2]; /* by each unit */

static struct message message_next(uint32_t from) {
  static const uint32_t MOST[] = {9, 9, 65, BYTES_MOST};
  struct message m = {.number = ++sent[from]};
  m.bytes = below(MOST[below(4)]);
  m.tag = 1 + (int32_t)below(TAGS);
  return m;
}

static void message_send(const struct message *m) {
  char buf[BYTES_MOST];
  memset(buf, (int)(m->number % 251), sizeof buf);
  OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){1 - me}, m->tag, buf, m->bytes));
}

static void message_recv(const struct message *m) {
  char buf[BYTES_MOST + 1];
  eyot_msg_status_t got = {.dropped = 1};
  memset(buf, 0x7f, sizeof buf);
  const bool status = m->number % 2 == 0;
  OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){1 - me}, m->tag, buf, BYTES_MOST,
               status ? &got : NULL));
  for (uint32_t i = 0; i < m->bytes; i++) CHECK(buf[i] == (char)(m->number % 251));
  CHECK(buf[m->bytes] == 0x7f);
  if (status)
    CHECK(got.from.id == 1 - me && got.tag == m->tag && got.bytes == m->bytes && got.dropped == 0);
}

static void ping_pongs(void) {
  for (uint32_t i = 2 * below(30); i > 0; i--) {
    const struct message m = message_next(i % 2);
    if (me == i % 2)
      message_send(&m);
    else
      message_recv(&m);
  }
}

/* Many in one direction; the receiver takes those of one tag first, in some phases. */
static void burst(void) {
  struct message m[BURST_MOST];
  const uint32_t n = 1 + below(BURST_MOST), from = below(2), apart = below(2);
  for (uint32_t i = 0; i < n; i++) m[i] = message_next(from);
  for (uint32_t i = 0; i < n && me == from; i++) message_send(&m[i]);
  for (int32_t tag = 1; tag <= TAGS && me != from; tag++)
    for (uint32_t i = 0; i < n; i++)
      if (apart ? m[i].tag == tag : tag == 1) message_recv(&m[i]);
}

/* Both send more than a ring holds before either receives: no send waits for its receiver. */
static void crossing(void) {
  enum { N = 100 };
  struct message m[2][N];
  for (uint32_t i = 0; i < 2 * N; i++) m[i % 2][i / 2] = message_next(i % 2);
  for (uint32_t i = 0; i < N; i++) message_send(&m[me][i]);
  for (uint32_t i = 0; i < N; i++) message_recv(&m[1 - me][i]);
}

static void phase(void) {
  const uint32_t counts = below(4), splits = below(4) == 0, posts = below(4) == 0;
  const eyot_tunit_t other = {1 - me};
  uint64_t posted = 0, late = drawn;
  eyot_msg_t h;
  if (counts == me) OK(eyot_count_begin());
  if (splits) OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  if (posts) OK(eyot_recv_nb(EYOT_TEAM_ALL, other, TAGS + 1, &posted, sizeof posted, &h));
  if (below(2) == 0)
    ping_pongs();
  else
    burst();
  if (posts) {
    OK(eyot_send(EYOT_TEAM_ALL, other, TAGS + 1, &late, sizeof late));
    OK(eyot_msg_wait(&h, NULL));
    CHECK(posted == late);
  }
  if (splits) OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  if (counts == me) OK(eyot_count_end());
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  CHECK(eyot_size() == 2);
  drawn = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  for (uint64_t left = argc > 2 ? strtoull(argv[2], NULL, 10) : 20; left > 0; left--) phase();
  for (int i = 0; i < 3; i++) crossing();
  return finish();
}
