/* SPDX-License-Identifier: BSD-3-Clause */
/* msg.c - each call of eyot/msg.h between neighbours of a ring, with every byte checked.
 *
 *   msg [rounds]      all of them
 *   msg stuck         every unit receives a message that no unit sends: for the deadlock report
 *   msg left          messages that are never received, and handles that are not completed: for the
 *                     warnings of eyot_finalize
 *   msg crash         unit 0 sends to unit 1, which a fault ends
 *   msg incast N      every unit sends N messages to unit 0, which receives them from any unit
 *   msg over          tests of messages that are over take no virtual time */
#include <string.h>

#include "programs/api_check.h"

#define LONGEST 200000u
static const uint64_t SIZES[] = {0, 1, 8, 255, 256, 257, 4096, 65536, 65537, LONGEST};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)

static unsigned char out[LONGEST], in[LONGEST];
static uint32_t me, n;

static eyot_tunit_t unit(uint32_t id) {
  return (eyot_tunit_t){id % n};
}
static void fill(unsigned char *b, uint64_t bytes, uint32_t from, uint64_t round) {
  for (uint64_t i = 0; i < bytes; i++) b[i] = (unsigned char)(from * 131u + round * 7u + i);
}
static void verify(const unsigned char *b, uint64_t bytes, uint32_t from, uint64_t round) {
  for (uint64_t i = 0; i < bytes; i++) CHECK(b[i] == (unsigned char)(from * 131u + round * 7u + i));
}
static void is(const eyot_msg_status_t *s, uint32_t from, int32_t tag, uint64_t bytes) {
  CHECK(s->from.id == from && s->tag == tag && s->bytes == bytes && s->dropped == 0);
}

/* Blocking calls around the ring; even units send first, and a single unit to itself. */
static void blocking(uint64_t round, uint64_t bytes) {
  eyot_msg_status_t s;
  eyot_msg_t h = EYOT_MSG_DONE, sent = EYOT_MSG_DONE;
  uint32_t from = (me + n - 1) % n;
  fill(out, bytes, me, round);
  memset(in, 0xee, bytes);
  if (n == 1 || me % 2 != 0) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(from), 3, in, bytes, &h));
  if (round % 2 == 0)
    OK(eyot_send(EYOT_TEAM_ALL, unit(me + 1), 3, out, bytes));
  else if (n % 2 == 0 || n == 1)
    OK(eyot_ssend(EYOT_TEAM_ALL, unit(me + 1), 3, out, bytes));
  else
    OK(eyot_ssend_nb(EYOT_TEAM_ALL, unit(me + 1), 3, out, bytes, &sent));
  if (n == 1 || me % 2 != 0)
    OK(eyot_msg_wait(&h, &s));
  else
    OK(eyot_recv(EYOT_TEAM_ALL, unit(from), 3, in, bytes, &s));
  OK(eyot_msg_wait(&sent, NULL));
  CHECK(h.id == 0);
  is(&s, from, 3, bytes);
  verify(in, bytes, from, round);
}

static void both(uint64_t round, uint64_t bytes) {
  eyot_msg_status_t s;
  uint32_t from = (me + n - 1) % n;
  fill(out, bytes, me, round);
  memset(in, 0xee, bytes);
  OK(eyot_sendrecv(EYOT_TEAM_ALL, unit(me + 1), 5, out, bytes, unit(from), EYOT_ANY_TAG, in, bytes,
                   &s));
  is(&s, from, 5, bytes);
  verify(in, bytes, from, round);
}

/* Handles: posted before and after the messages, completed in every way. */
static void handles(uint64_t round) {
  enum { K = 6 };
  static uint64_t a[K][40], b[K][40];
  eyot_msg_t h[2 * K];
  eyot_msg_status_t s[2 * K];
  uint32_t from = (me + n - 1) % n;
  for (int k = 0; k < K; k++)
    for (int i = 0; i < 40; i++) a[k][i] = me * 1000u + round * 100 + (uint64_t)(k * 40 + i);
  for (int k = 0; k < K; k++) {
    uint64_t bytes = k % 2 == 0 ? 8 : sizeof a[k];
    int first = round % 2 == 0;
    if (first) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(from), k, b[k], sizeof b[k], &h[k]));
    if (k % 3 == 0)
      OK(eyot_ssend_nb(EYOT_TEAM_ALL, unit(me + 1), k, a[k], bytes, &h[K + k]));
    else
      OK(eyot_send_nb(EYOT_TEAM_ALL, unit(me + 1), k, a[k], bytes, &h[K + k]));
    if (!first) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(from), k, b[k], sizeof b[k], &h[k]));
  }
  if (round % 3 == 0) OK(eyot_barrier(EYOT_TEAM_ALL)); /* they go on in it */
  if (round % 4 == 0) {
    OK(eyot_msg_wait_all(h, 2 * K, s));
  } else if (round % 4 == 1) {
    for (int done = 0; done < 2 * K; done++) {
      size_t which;
      eyot_msg_status_t one;
      OK(eyot_msg_wait_any(h, 2 * K, &which, &one));
      if (which == 2 * K) break; /* the others were complete from the start */
      s[which] = one;
    }
  } else {
    for (int k = 2 * K; k-- > 0;)
      for (bool done = false; !done;) OK(eyot_msg_test(&h[k], &done, &s[k]));
  }
  for (int k = 0; k < K; k++) {
    uint64_t bytes = k % 2 == 0 ? 8 : sizeof a[k];
    CHECK(h[k].id == 0 && h[K + k].id == 0);
    is(&s[k], from, k, bytes);
    for (uint64_t i = 0; i < bytes / 8; i++)
      CHECK(b[k][i] == from * 1000u + round * 100 + (uint64_t)k * 40 + i);
  }
}

/* The tag is that of this message alone, since its sender may be ahead. */
static void probes(uint64_t round, uint64_t bytes, int32_t tag) {
  eyot_msg_status_t s;
  eyot_msg_t message;
  uint32_t from = (me + n - 1) % n;
  bool found = false;
  fill(out, bytes, me, round);
  memset(in, 0xee, bytes);
  OK(eyot_send_nb(EYOT_TEAM_ALL, unit(me + 1), tag, out, bytes, &message));
  eyot_msg_t sent = message;
  if (round % 3 == 0) {
    OK(eyot_probe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, tag, &s));
  } else {
    while (!found) OK(eyot_iprobe(EYOT_TEAM_ALL, unit(from), EYOT_ANY_TAG, &found, &s));
  }
  is(&s, from, tag, bytes);
  if (round % 2 == 0)
    OK(eyot_mprobe(EYOT_TEAM_ALL, unit(from), tag, &message, &s));
  else
    OK(eyot_improbe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, EYOT_ANY_TAG, &found, &message, &s));
  is(&s, from, tag, bytes);
  OK(eyot_iprobe(EYOT_TEAM_ALL, unit(from), tag, &found, &s));
  CHECK(!found); /* it is out of matching */
  if (round % 4 < 2) {
    OK(eyot_mrecv(&message, in, bytes, &s));
  } else {
    OK(eyot_mrecv_nb(&message, in, bytes));
    OK(eyot_msg_wait(&message, &s));
  }
  CHECK(message.id == 0);
  is(&s, from, tag, bytes);
  verify(in, bytes, from, round);
  OK(eyot_msg_wait(&sent, NULL));
}

static void cancels(void) {
  eyot_msg_t h;
  bool cancelled = false;
  uint32_t v = me, got = 0, from = (me + n - 1) % n;
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(from), 77, &got, sizeof got, &h));
  OK(eyot_msg_cancel(&h, &cancelled));
  CHECK(cancelled && h.id == 0);
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(from), 78, &got, sizeof got, &h));
  OK(eyot_send(EYOT_TEAM_ALL, unit(me + 1), 78, &v, sizeof v));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (bool found = true; found;) { /* until it has matched */
    eyot_msg_status_t s;
    OK(eyot_iprobe(EYOT_TEAM_ALL, unit(from), 79, &found, &s));
  }
  OK(eyot_msg_cancel(&h, &cancelled));
  if (!cancelled)
    OK(eyot_msg_wait(&h, NULL));
  else
    OK(eyot_recv(EYOT_TEAM_ALL, unit(from), 78, &got, sizeof got, NULL));
  CHECK(got == from);
  uint64_t unused;
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(from), 80, &unused, sizeof unused, &h));
  CHECK(eyot_msg_wait_timeout(&h, 1000, NULL) == EYOT_ETIMEOUT && h.id != 0);
  OK(eyot_msg_cancel(&h, &cancelled));
  CHECK(cancelled);
}

/* A message of a team does not match a receive of another one; units are relative. */
static void teams(void) {
  eyot_team_t half;
  OK(eyot_team_split(EYOT_TEAM_ALL, me % 2, &half));
  eyot_tunit_t mine;
  uint32_t size, a = me * 2, b = me * 2 + 1, got = 0;
  eyot_msg_status_t s;
  OK(eyot_team_me(half, &mine));
  OK(eyot_team_size(half, &size));
  eyot_tunit_t to = {(mine.id + 1) % size}, from = {(mine.id + size - 1) % size};
  eyot_unit_t to_all, from_all;
  OK(eyot_team_l2g(half, to, &to_all));
  OK(eyot_team_l2g(half, from, &from_all));
  OK(eyot_send(EYOT_TEAM_ALL, unit(to_all.id), 1, &a, sizeof a));
  OK(eyot_send(half, to, 1, &b, sizeof b));
  OK(eyot_recv(half, EYOT_ANY_UNIT, 1, &got, sizeof got, &s));
  CHECK(got == from_all.id * 2 + 1 && s.from.id == from.id);
  OK(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, 1, &got, sizeof got, &s));
  CHECK(got == from_all.id * 2 && s.from.id == from_all.id);
  OK(eyot_team_destroy(&half));
}

static void wrong(void) {
  eyot_msg_t h;
  bool flag;
  uint64_t v = 1, w[2] = {0};
  CHECK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){n}, 1, &v, 8) == EYOT_EUNIT);
  CHECK(eyot_send(EYOT_TEAM_ALL, EYOT_ANY_UNIT, 1, &v, 8) == EYOT_EUNIT);
  CHECK(eyot_send(EYOT_TEAM_ALL, unit(me), -1, &v, 8) == EYOT_EINVAL);
  CHECK(eyot_send(EYOT_TEAM_ALL, unit(me), 1, NULL, 8) == EYOT_EINVAL);
  CHECK(eyot_send(EYOT_TEAM_ALL, unit(me), 1, &v, UINT64_C(1) << 62) == EYOT_EINVAL);
  CHECK(eyot_ssend(EYOT_TEAM_ALL, unit(me), 1, &v, UINT64_MAX) == EYOT_EINVAL);
  CHECK(eyot_send_nb(EYOT_TEAM_ALL, unit(me), 1, &v, UINT64_C(1) << 62, &h) == EYOT_EINVAL);
  CHECK(eyot_send(EYOT_TEAM_NULL, unit(me), 1, &v, 8) == EYOT_ETEAM);
  CHECK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){n}, 1, &v, 8, NULL) == EYOT_EUNIT);
  CHECK(eyot_recv(EYOT_TEAM_ALL, unit(me), -2, &v, 8, NULL) == EYOT_EINVAL);
  CHECK(eyot_recv(EYOT_TEAM_ALL, unit(me), 1, NULL, 8, NULL) == EYOT_EINVAL);
  CHECK(eyot_recv_nb(EYOT_TEAM_ALL, unit(me), 1, &v, 8, NULL) == EYOT_EINVAL);
  CHECK(eyot_send_nb(EYOT_TEAM_ALL, unit(me), 1, &v, 8, NULL) == EYOT_EINVAL);
  CHECK(eyot_iprobe(EYOT_TEAM_ALL, unit(me), 1, NULL, NULL) == EYOT_EINVAL);
  CHECK(eyot_mprobe(EYOT_TEAM_ALL, unit(me), 1, NULL, NULL) == EYOT_EINVAL);
  CHECK(eyot_msg_wait(NULL, NULL) == EYOT_EINVAL);
  CHECK(eyot_msg_wait_all(NULL, 1, NULL) == EYOT_EINVAL);
  h.id = 12345;
  CHECK(eyot_msg_wait(&h, NULL) == EYOT_EINVAL && eyot_msg_cancel(&h, &flag) == EYOT_EINVAL);
  CHECK(eyot_mrecv(&h, &v, 8, NULL) == EYOT_EINVAL);
  /* truncated: short and long */
  eyot_msg_status_t s;
  static char text[1000], part[1000];
  for (uint64_t bytes = 100; bytes <= 1000; bytes += 900) {
    memset(text, 'a', bytes);
    memset(part, 0, sizeof part);
    OK(eyot_send(EYOT_TEAM_ALL, unit(me), 4, text, bytes));
    CHECK(eyot_recv(EYOT_TEAM_ALL, unit(me), 4, part, 60, &s) == EYOT_ERANGE);
    CHECK(s.bytes == 60 && s.dropped == bytes - 60 && part[59] == 'a' && part[60] == 0);
  }
  /* a message that was found is received by eyot_mrecv alone, and a team is needed until then */
  eyot_team_t team;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &team));
  OK(eyot_send(team, unit(me), 4, &v, 8));
  OK(eyot_mprobe(team, unit(me), 4, &h, NULL));
  CHECK(eyot_msg_wait(&h, NULL) == EYOT_EINVAL && h.id != 0);
  CHECK(eyot_team_destroy(&team) == EYOT_EBUSY);
  eyot_msg_t again = h;
  OK(eyot_mrecv(&h, w, sizeof w, NULL));
  CHECK(w[0] == 1 && eyot_mrecv(&again, w, sizeof w, NULL) == EYOT_EINVAL);
  OK(eyot_team_destroy(&team));
}

static void incast(uint64_t rounds) {
  uint64_t v[2], *seen = calloc(n, sizeof *seen);
  CHECK(seen != NULL);
  for (uint64_t i = 0; me != 0 && i < rounds; i++) {
    v[0] = me;
    v[1] = i;
    OK(eyot_send(EYOT_TEAM_ALL, unit(0), (int32_t)(i % 3), v, sizeof v));
  }
  for (uint64_t i = 0; me == 0 && i < rounds * (n - 1); i++) {
    eyot_msg_status_t s;
    OK(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, EYOT_ANY_TAG, v, sizeof v, &s));
    CHECK(v[0] == s.from.id && v[1] == seen[v[0]] && s.tag == (int32_t)(v[1] % 3));
    seen[v[0]]++;
  }
  free(seen);
}

/* Of one sender messages are over in its order. */
static void over(void) {
  enum { K = 5 };
  static uint64_t a[K], b[K];
  eyot_msg_t h[K];
  for (int k = 0; k < K; k++)
    OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(me + n - 1), 1, &b[k], sizeof b[k], &h[k]));
  for (int k = 0; k < K; k++) {
    a[k] = me * 10u + (uint64_t)k;
    OK(eyot_send(EYOT_TEAM_ALL, unit(me + 1), 1, &a[k], sizeof a[k]));
  }
  OK(eyot_msg_wait(&h[K - 1], NULL));
  uint64_t start_ns = eyot_now_ns(), now_takes_ns = eyot_now_ns() - start_ns;
  start_ns = eyot_now_ns();
  for (int k = 0; k < K - 1; k++) {
    bool done = false;
    OK(eyot_msg_test(&h[k], &done, NULL));
    CHECK(done && h[k].id == 0);
  }
  CHECK(eyot_now_ns() - start_ns == now_takes_ns);
  for (int k = 0; k < K; k++) CHECK(b[k] == (me + n - 1) % n * 10u + (uint64_t)k);
}

static int left(void) {
  eyot_msg_t h;
  static uint64_t v, big[600];
  OK(eyot_send(EYOT_TEAM_ALL, unit(me + 1), 11, &v, sizeof v));
  for (int i = 0; i < 3; i++) OK(eyot_send(EYOT_TEAM_ALL, unit(me + 1), 12, big, sizeof big));
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(me), 13, &v, sizeof v, &h));
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  const char *what = argc > 1 ? argv[1] : "4";
  if (strcmp(what, "stuck") == 0) OK(eyot_recv(EYOT_TEAM_ALL, unit(me + 1), 7, in, 8, NULL));
  if (strcmp(what, "left") == 0) return left();
  if (strcmp(what, "over") == 0) {
    over();
    return finish();
  }
  if (strcmp(what, "incast") == 0) {
    incast(argc > 2 ? strtoull(argv[2], NULL, 10) : 20);
    return finish();
  }
  if (strcmp(what, "crash") == 0) {
    int rc = EYOT_OK;
    for (int i = 0; me == 0 && rc == EYOT_OK && i < 100000; i++) {
      OK(eyot_compute(1000));
      rc = eyot_send(EYOT_TEAM_ALL, unit(1), 7, in, 8);
    }
    for (int i = 0; me == 1; i++) OK(eyot_recv(EYOT_TEAM_ALL, unit(0), 7, in, 8, NULL));
    CHECK(me != 0 || rc == EYOT_EPEERDOWN);
    return finish();
  }
  uint64_t rounds = strtoull(what, NULL, 10);
  for (uint64_t r = 0; r < rounds; r++) {
    for (size_t i = 0; i < N_SIZES; i++) {
      blocking(r, SIZES[i]);
      both(r, SIZES[i]);
      probes(r, SIZES[i], (int32_t)(100 + r * N_SIZES + i));
    }
    handles(r);
    cancels();
  }
  teams();
  wrong();
  return finish();
}
