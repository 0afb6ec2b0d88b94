/* SPDX-License-Identifier: BSD-3-Clause */
/* check_msg.c - small programs for eyotcheck: two-sided messages. check_msg WHAT [count=N]
 *   order    N messages of one tag from unit 0 to unit 1, from knocks to the ring; wider: 3 N, to
 *            receives of each kind, while the ring gets wider; area: 5 N of 300 to 800 bytes
 *   turns    a receive is posted, and another one of the same message waits
 *   wild     the others send to unit 0, which receives from any unit; tags: any unit and tag
 *   mixed    unit 0 receives from any unit, then from unit 1; stamps: wild and exact ones in turn
 *   posted   the receive is posted before or after; cancel, cancels: it is taken back, or matched
 *   long     N long messages; ssend: N synchronous ones, each of which its receive precedes
 *   shared   N messages that both sides copy (--msg-block 64); later: posted ones
 *   inside   posted receives and queued sends go on in a barrier; settles: bytes of a posted one do
 *   both     two units exchange synchronous messages; probe: a message found is received
 *   last     the last sends before eyot_finalize; all: all to unit 0 at once, and it to all */
#include <string.h>

#include "programs/api_check.h"

static uint32_t me, n;
static uint64_t count = 1;
static uint64_t big[100];

static eyot_tunit_t unit(uint32_t id) {
  return (eyot_tunit_t){id};
}
static void send(uint32_t to, int32_t tag, uint64_t v) {
  OK(eyot_send(EYOT_TEAM_ALL, unit(to), tag, &v, sizeof v));
}
static uint64_t receive(eyot_tunit_t from, int32_t tag, eyot_msg_status_t *s) {
  uint64_t v = 0;
  eyot_msg_status_t own;
  if (s == NULL) s = &own;
  OK(eyot_recv(EYOT_TEAM_ALL, from, tag, &v, sizeof v, s));
  EXPECT(s->bytes == sizeof v && s->dropped == 0);
  EXPECT(from.id == EYOT_ANY_UNIT.id || s->from.id == from.id);
  EXPECT(tag == EYOT_ANY_TAG || s->tag == tag);
  return v;
}

static void order(void) {
  for (uint64_t i = 0; me == 0 && i < count; i++) send(1, 5, 100 + i);
  for (uint64_t i = 0; me == 1 && i < count; i++) EXPECT(receive(unit(0), 5, NULL) == 100 + i);
}

static void wider(void) {
  for (uint64_t i = 0; me == 0 && i < 3 * count; i++) send(1, 5, 100 + i);
  for (uint64_t i = 0; me == 1 && i < 3 * count; i++) {
    uint64_t v = 0;
    eyot_msg_t h;
    if (i % 3 == 0) v = receive(unit(0), 5, NULL);
    if (i % 3 == 1) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(0), 5, &v, sizeof v, &h));
    if (i % 3 == 1) OK(eyot_msg_wait(&h, NULL));
    if (i % 3 == 2) v = receive(EYOT_ANY_UNIT, 5, NULL);
    EXPECT(v == 100 + i);
  }
}

/* Every word of a message says which it is. */
static void area(void) {
  for (uint64_t i = 0; i < 5 * count; i++) {
    const uint64_t words = 40 + i * 37 % 60;
    eyot_msg_t h;
    for (uint64_t k = 0; k < words; k++) big[k] = me == 0 ? 100 + i : 0;
    if (me == 0) OK(eyot_send(EYOT_TEAM_ALL, unit(1), 5, big, 8 * words));
    if (me == 1 && i % 3 == 0) OK(eyot_recv(EYOT_TEAM_ALL, unit(0), 5, big, sizeof big, NULL));
    if (me == 1 && i % 3 == 1) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(0), 5, big, sizeof big, &h));
    if (me == 1 && i % 3 == 1) OK(eyot_msg_wait(&h, NULL));
    if (me == 1 && i % 3 == 2)
      OK(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, 5, big, sizeof big, NULL));
    for (uint64_t k = 0; me == 1 && k < words; k++) EXPECT(big[k] == 100 + i);
    if (i > 5 && i % 4 != 0) continue; /* else the sender waits, and learns of its area */
    if (me == 1) send(0, 6, i);
    if (me == 0) EXPECT(receive(unit(1), 6, NULL) == i);
  }
}

static void turns(void) {
  for (uint64_t i = 0; me == 0 && i < 3 + 2 * count; i++) send(1, 5, i);
  for (uint64_t i = 0; me == 1 && i < 3; i++) EXPECT(receive(unit(0), 5, NULL) == i);
  for (uint64_t i = 3; me == 1 && i < 3 + 2 * count; i += 2) {
    uint64_t v = 0;
    eyot_msg_t h;
    OK(eyot_recv_nb(EYOT_TEAM_ALL, i % 4 == 1 ? unit(0) : EYOT_ANY_UNIT, 5, &v, sizeof v, &h));
    EXPECT(receive(unit(0), 5, NULL) == i + 1);
    OK(eyot_msg_wait(&h, NULL));
    EXPECT(v == i);
  }
}

/* Of each sender in order; which senders in turn is the outcome. */
static void wild_of(bool any_tag) {
  char text[64] = "";
  uint64_t seen[8] = {0};
  for (uint64_t i = 0; me != 0 && i < count; i++)
    send(0, any_tag ? (int32_t)(i % 2) : 0, 10 * me + i);
  for (uint64_t i = 0; me == 0 && i < count * (n - 1); i++) {
    eyot_msg_status_t s;
    size_t len = strlen(text);
    uint64_t v = receive(EYOT_ANY_UNIT, any_tag ? EYOT_ANY_TAG : 0, &s);
    EXPECT(v == 10 * s.from.id + seen[s.from.id] &&
           s.tag == (any_tag ? (int32_t)(seen[s.from.id] % 2) : 0));
    seen[s.from.id]++;
    snprintf(text + len, sizeof text - len, "%u ", s.from.id);
  }
  if (me == 0) eyot_check_outcome("%s", text);
}
static void wild(void) {
  wild_of(false);
}
static void tags(void) {
  wild_of(true);
}

static void mixed(void) {
  uint64_t v;
  if (me != 0) {
    send(0, 1, 10 * me);
    v = 11;
    if (me == 1) OK(eyot_ssend(EYOT_TEAM_ALL, unit(0), 1, &v, sizeof v));
    return;
  }
  eyot_msg_status_t s;
  uint64_t first = receive(EYOT_ANY_UNIT, 1, &s), second = receive(unit(1), 1, NULL),
           third = receive(EYOT_ANY_UNIT, EYOT_ANY_TAG, NULL);
  if (s.from.id == 1)
    EXPECT(first == 10 && second == 11 && third == 20);
  else
    EXPECT(first == 20 && second == 10 && third == 11);
  eyot_check_outcome("%u", s.from.id);
}

static void posted(void) {
  uint64_t v = 0;
  bool found;
  eyot_msg_t h;
  if (me == 1) send(0, 3, 7);
  if (me != 0) return;
  OK(eyot_iprobe(EYOT_TEAM_ALL, unit(1), 3, &found, NULL));
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(1), 3, &v, sizeof v, &h));
  bool at_once = v == 7;
  OK(eyot_msg_wait(&h, NULL));
  EXPECT(v == 7 && (!found || at_once));
  eyot_check_outcome(found ? "unexpected" : at_once ? "between" : "posted");
}

static void cancel(void) {
  uint64_t v = 0;
  bool cancelled, done;
  eyot_msg_t h;
  if (me == 1) send(0, 3, 7);
  if (me != 0) return;
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(1), 3, &v, sizeof v, &h));
  OK(eyot_msg_test(&h, &done, NULL));
  OK(eyot_msg_cancel(&h, &cancelled));
  if (cancelled)
    EXPECT(v == 0 && !done && receive(EYOT_ANY_UNIT, 3, NULL) == 7);
  else
    OK(eyot_msg_wait(&h, NULL));
  EXPECT(cancelled || v == 7);
  eyot_check_outcome(cancelled ? "cancelled" : done ? "done" : "matched");
}

/* Exact receives after a wild one get what it leaves, also if it is taken back. */
static void cancels(void) {
  uint64_t v = 0, w = 0;
  bool cancelled;
  eyot_msg_t wild_one, exact;
  if (me != 0) {
    send(0, 3, 10 * me);
    return;
  }
  OK(eyot_recv_nb(EYOT_TEAM_ALL, EYOT_ANY_UNIT, 3, &v, sizeof v, &wild_one));
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(1), 3, &w, sizeof w, &exact));
  OK(eyot_msg_cancel(&wild_one, &cancelled));
  if (cancelled) {
    OK(eyot_msg_wait(&exact, NULL));
    EXPECT(w == 10 && receive(EYOT_ANY_UNIT, EYOT_ANY_TAG, NULL) == 20);
  } else {
    OK(eyot_msg_wait(&wild_one, NULL));
    if (v == 10) OK(eyot_msg_cancel(&exact, &cancelled));
    if (v == 10)
      EXPECT(cancelled && receive(unit(2), 3, NULL) == 20);
    else
      OK(eyot_msg_wait(&exact, NULL));
    EXPECT(v == 10 || (v == 20 && w == 10));
  }
  eyot_check_outcome("%s", cancelled ? v == 10 ? "1" : "none" : "2");
}

/* Receives that name the sender or the tag, or neither, get messages in the order of their posts.
 */
static void stamps(void) {
  uint64_t got[4] = {0};
  eyot_msg_t h[4];
  for (uint64_t i = 0; me == 1 && i < 4; i++) send(0, 3, 10 + i);
  if (me != 0) return;
  for (uint64_t i = 0; i < 4; i++)
    OK(eyot_recv_nb(EYOT_TEAM_ALL, i % 2 == 0 ? EYOT_ANY_UNIT : unit(1), i < 2 ? EYOT_ANY_TAG : 3,
                    &got[i], 8, &h[i]));
  for (uint64_t i = 4; i-- > 0;) OK(eyot_msg_wait(&h[i], NULL));
  for (uint64_t i = 0; i < 4; i++) EXPECT(got[i] == 10 + i);
}

static void longs(void) {
  for (uint64_t i = 0; me == 0 && i < count; i++) {
    big[0] = big[99] = i + 1;
    OK(eyot_send(EYOT_TEAM_ALL, unit(1), 2, big, sizeof big));
    big[0] = big[99] = 0; /* the buffer is the sender's again */
  }
  for (uint64_t i = 0; me == 1 && i < count; i++) {
    OK(eyot_recv(EYOT_TEAM_ALL, unit(0), 2, big, sizeof big, NULL));
    EXPECT(big[0] == i + 1 && big[99] == i + 1);
  }
}

/* Half of the messages is received while the receiver waits for something else. */
static void shared_of(bool posted) {
  eyot_gptr_t memory;
  void *at;
  eyot_msg_t h;
  OK(eyot_alloc(sizeof big, &memory));
  OK(eyot_gptr_addr(memory, &at));
  uint64_t *words = at, *end = words + sizeof big / 8;
  for (uint64_t i = 0; i < count; i++) {
    for (uint64_t *w = words; w < end; w++) *w = me == 0 ? 100 * i + (uint64_t)(w - words) : 0;
    if (me == 0) OK(eyot_ssend(EYOT_TEAM_ALL, unit(1), 2, words, sizeof big));
    if (me == 1 && posted) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(0), 2, words, sizeof big, &h));
    if (me == 1 && posted) OK(eyot_barrier(EYOT_TEAM_ALL));
    if (me == 1 && posted) OK(eyot_msg_wait(&h, NULL));
    if (me == 1 && !posted) OK(eyot_recv(EYOT_TEAM_ALL, unit(0), 2, words, sizeof big, NULL));
    for (uint64_t *w = words; me == 1 && w < end; w++)
      EXPECT(*w == 100 * i + (uint64_t)(w - words));
    if (me == 0 && posted) OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  OK(eyot_free(memory));
}
static void shared(void) {
  shared_of(false);
}
static void later(void) {
  shared_of(true);
}

/* The receiver says in `flag` of the sender which receive it is about to make. */
static void ssend(void) {
  eyot_gptr_t flag;
  uint64_t v;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &flag));
  eyot_gptr_t at = eyot_gptr_at(flag, (eyot_unit_t){0});
  for (uint64_t i = 0; me == 0 && i < count; i++) {
    OK(eyot_ssend(EYOT_TEAM_ALL, unit(1), 2, i % 2 == 0 ? &i : big,
                  i % 2 == 0 ? sizeof i : sizeof big));
    OK(eyot_read_u64(at, &v));
    EXPECT(v == i + 1);
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  for (uint64_t i = 0; me == 1 && i < count; i++) {
    OK(eyot_swap_u64(at, i + 1, &v));
    OK(eyot_recv(EYOT_TEAM_ALL, unit(0), 2, big, sizeof big, NULL));
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  OK(eyot_team_free(flag));
}

static void inside(void) {
  uint64_t got[4] = {0};
  eyot_msg_t h[4];
  for (uint64_t i = 0; me == 1 && i < count; i++)
    OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(0), (int32_t)i, &got[i], 8, &h[i]));
  if (me == 0) OK(eyot_ssend(EYOT_TEAM_ALL, unit(1), 0, &count, 8));
  for (uint64_t i = 1; me == 0 && i < count; i++) send(1, (int32_t)i, i);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  /* the receiver is still to come: what waits at the sender goes on in its barrier */
  for (uint64_t i = 0; me == 0 && i < count; i++) send(1, 9, 90 + i);
  for (uint64_t i = 0; me == 1 && i < count; i++) EXPECT(receive(unit(0), 9, NULL) == 90 + i);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) OK(eyot_msg_wait_all(h, count, NULL));
  for (uint64_t i = 0; me == 1 && i < count; i++) EXPECT(got[i] == (i == 0 ? count : i));
}

static void settles(void) {
  static uint64_t in[100];
  eyot_msg_t h = EYOT_MSG_DONE;
  if (me == 0) OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(1), 1, in, sizeof in, &h));
  big[99] = 7 + me;
  if (me == 1) OK(eyot_ssend(EYOT_TEAM_ALL, unit(0), 1, big, sizeof big));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_msg_wait(&h, NULL));
  EXPECT(me != 0 || in[99] == 8);
}

static void both(void) {
  uint64_t mine = me + 1, got = 0;
  eyot_msg_t h;
  if (me > 1) return;
  OK(eyot_recv_nb(EYOT_TEAM_ALL, unit(1 - me), 4, &got, 8, &h));
  OK(eyot_ssend(EYOT_TEAM_ALL, unit(1 - me), 4, &mine, 8));
  OK(eyot_msg_wait(&h, NULL));
  EXPECT(got == 2 - me);
}

static void probe(void) {
  eyot_msg_status_t s, again;
  eyot_msg_t message;
  uint64_t v = 0;
  for (uint64_t i = 0; me != 0 && i < count; i++) send(0, 6, 10 * me + i);
  for (uint64_t i = 0; me == 0 && i < count * (n - 1); i++) {
    OK(eyot_mprobe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, 6, &message, &s));
    OK(eyot_mrecv(&message, &v, sizeof v, &again));
    EXPECT(v / 10 == s.from.id && again.from.id == s.from.id && s.bytes == 8);
  }
}

static void last(void) {
  for (uint64_t i = 0; me == 0 && i < count; i++) send(1, 1, i);
  for (uint64_t i = 0; me == 1 && i < count; i++) EXPECT(receive(unit(0), 1, NULL) == i);
}

static void all_at_once(void) {
  for (uint64_t i = 0; i < count; i++)
    for (uint32_t u = me == 0 ? 1 : 0; u < (me == 0 ? n : 1); u++) send(u, (int32_t)i, me);
  for (uint64_t i = 0; i < count * (me == 0 ? n - 1 : 1); i++)
    (void)receive(EYOT_ANY_UNIT, EYOT_ANY_TAG, NULL);
}

static const struct {
  const char *name;
  void (*run)(void);
} TESTS[] = {{"order", order},   {"wild", wild},       {"tags", tags},       {"mixed", mixed},
             {"posted", posted}, {"cancel", cancel},   {"long", longs},      {"ssend", ssend},
             {"inside", inside}, {"settles", settles}, {"both", both},       {"probe", probe},
             {"last", last},     {"all", all_at_once}, {"cancels", cancels}, {"stamps", stamps},
             {"wider", wider},   {"turns", turns},     {"area", area},       {"shared", shared},
             {"later", later}};
#define COUNT (sizeof TESTS / sizeof TESTS[0])

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  if (argc > 2 && strncmp(argv[2], "count=", 6) == 0) count = strtoull(argv[2] + 6, NULL, 10);
  size_t i = 0;
  while (argc > 1 && i < COUNT && strcmp(argv[1], TESTS[i].name) != 0) i++;
  if (argc < 2 || i == COUNT || n < 2 || n > 8 || count > 4) {
    if (me == 0) fputs("usage: check_msg WHAT [count=N], N of at most 4, 2 to 8 units\n", stderr);
    (void)eyot_finalize();
    return 2;
  }
  bool to_the_end = TESTS[i].run == last; /* eyot_finalize is explored too */
  OK(eyot_check_begin());
  TESTS[i].run();
  /* what a send has left in a queue goes on in calls */
  if (!to_the_end && count > 1) OK(eyot_barrier(EYOT_TEAM_ALL));
  if (!to_the_end) OK(eyot_check_end());
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
