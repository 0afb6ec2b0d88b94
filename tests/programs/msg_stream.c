/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_stream.c - streams of messages between two units whose receives are posted before they come,
 * after, or meanwhile, and completed in several ways, while each of the things that take a message
 * off the straight way is drawn too: a tag that is left open, a sender, a message that is long,
 * synchronous, or longer than its receive, another tag or team, a receive that is cancelled, probes
 * and receives that block between, a barrier that is open, and counting. Both units draw the same
 * numbers, so that the receiver knows what each receive gets: the earliest message that is left and
 * matches it. Arguments: seed, phases. */
#include <string.h>

#include "programs/api_check.h"

enum { N_MOST = 48, BYTES_MOST = 5000, TAGS = 2, NEVER = 9, ANSWER = 5 };

static uint64_t drawn;
static uint32_t below(uint32_t n) {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(drawn >> 33) % n;
}

struct message {
  uint32_t number, bytes, team;
  int32_t tag;
  bool sync, taken;
};
struct receive {
  struct message *gets;
  uint32_t bytes; /* the space for it */
  bool open_from, open_tag;
};

static uint32_t me;
static eyot_team_t teams[2];
static struct message message[N_MOST];
static struct receive receive[N_MOST];
static eyot_msg_t handle[N_MOST];
static char in[N_MOST][BYTES_MOST + 1], out[N_MOST][BYTES_MOST];

/* -- what is drawn ----------------------------------------------------------------------------- */

/* odd: so many of 64 messages, or receives, are no plain ones. */
static void messages_draw(uint32_t n, uint32_t odd) {
  static const uint32_t MOST[] = {9, 9, 65, 257}, LONG[] = {301, 4097, BYTES_MOST};
  for (uint32_t i = 0; i < n; i++) {
    message[i] = (struct message){.number = i, .tag = 1 + (int32_t)below(TAGS)};
    message[i].bytes = below(MOST[below(4)]);
    if (below(64) < odd) message[i].bytes = below(LONG[below(3)]);
    message[i].sync = below(64) < odd;
    message[i].team = below(64) < odd;
  }
}

static struct message *earliest(uint32_t n, uint32_t team, int32_t tag) {
  for (uint32_t i = 0; i < n; i++)
    if (!message[i].taken && message[i].team == team && (tag == 0 || message[i].tag == tag))
      return &message[i];
  return NULL;
}

/* Each names what one of the messages that are left has, and gets the earliest that has it too. */
static void receives_draw(uint32_t n, uint32_t odd) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = below(4) == 0 ? below(n) : 0;
    while (message[k].taken) k = (k + 1) % n;
    struct receive *r = &receive[i];
    *r = (struct receive){.open_from = below(64) < odd, .open_tag = below(64) < odd};
    r->gets = earliest(n, message[k].team, r->open_tag ? 0 : message[k].tag);
    r->gets->taken = true;
    r->bytes = below(64) < odd ? r->gets->bytes / 2 : r->gets->bytes + below(2);
  }
}

/* -- messages ---------------------------------------------------------------------------------- */

static void messages_send(uint32_t n, bool blocking) {
  const eyot_tunit_t other = {1 - me};
  for (uint32_t i = 0; i < n; i++) {
    const struct message *m = &message[i];
    handle[i] = EYOT_MSG_DONE;
    memset(out[i], (int)(1 + i), m->bytes);
    if (m->sync)
      OK(eyot_ssend_nb(teams[m->team], other, m->tag, out[i], m->bytes, &handle[i]));
    else if (blocking)
      OK(eyot_send(teams[m->team], other, m->tag, out[i], m->bytes));
    else
      OK(eyot_send_nb(teams[m->team], other, m->tag, out[i], m->bytes, &handle[i]));
  }
  OK(eyot_msg_wait_all(handle, n, NULL));
}

static void post(uint32_t i) {
  const struct receive *r = &receive[i];
  memset(in[i], 0x7f, BYTES_MOST + 1);
  OK(eyot_recv_nb(teams[r->gets->team], r->open_from ? EYOT_ANY_UNIT : (eyot_tunit_t){1 - me},
                  r->open_tag ? EYOT_ANY_TAG : r->gets->tag, in[i], r->bytes, &handle[i]));
}

/* rc: what its completion has returned; got: NULL, it was not asked for. */
static void check_one(uint32_t i, int rc, const eyot_msg_status_t *got) {
  const struct receive *r = &receive[i];
  const struct message *m = r->gets;
  const uint32_t fits = m->bytes < r->bytes ? m->bytes : r->bytes;
  CHECK(handle[i].id == EYOT_MSG_DONE.id);
  CHECK(rc == (fits < m->bytes ? EYOT_ERANGE : EYOT_OK));
  for (uint32_t k = 0; k < fits; k++) CHECK(in[i][k] == (char)(1 + m->number));
  CHECK(in[i][fits] == 0x7f);
  if (got != NULL)
    CHECK(got->from.id == 1 - me && got->tag == m->tag && got->bytes == fits &&
          got->dropped == m->bytes - fits);
}

/* -- ways to complete those of first..end-1 ---------------------------------------------------- */

static void by_wait_all(uint32_t first, uint32_t end, bool asks) {
  eyot_msg_status_t got[N_MOST];
  int want = EYOT_OK;
  for (uint32_t i = first; i < end; i++)
    if (receive[i].bytes < receive[i].gets->bytes) want = EYOT_ERANGE;
  CHECK(eyot_msg_wait_all(handle + first, end - first, asks ? got : NULL) == want);
  for (uint32_t i = first; i < end; i++) {
    const bool cut = receive[i].bytes < receive[i].gets->bytes;
    check_one(i, cut ? EYOT_ERANGE : EYOT_OK, asks ? &got[i - first] : NULL);
  }
}

static void by_any(uint32_t first, uint32_t end) {
  for (uint32_t left = end - first; left > 0; left--) {
    size_t which;
    eyot_msg_status_t got;
    int rc = eyot_msg_wait_any(handle + first, end - first, &which, &got);
    CHECK(which < end - first);
    check_one(first + (uint32_t)which, rc, &got);
  }
}

static void one_by(uint32_t i, uint32_t how) {
  eyot_msg_status_t got;
  bool done = false;
  int rc = EYOT_OK;
  if (how == 0) rc = eyot_msg_wait(&handle[i], &got);
  while (how == 1 && !done) rc = eyot_msg_test(&handle[i], &done, &got);
  if (how == 2)
    while ((rc = eyot_msg_wait_timeout(&handle[i], 1000, &got)) == EYOT_ETIMEOUT) {
    }
  check_one(i, rc, &got);
}

static void complete(uint32_t first, uint32_t end) {
  const uint32_t way = below(8), how = below(3);
  if (way < 3) {
    by_wait_all(first, end, way == 0);
  } else if (way == 3) {
    by_any(first, end);
  } else if (way == 4) {
    for (uint32_t i = end; i > first; i--) one_by(i - 1, how);
  } else {
    for (uint32_t i = first; i < end; i++) one_by(i, how);
  }
}

/* -- phases ------------------------------------------------------------------------------------ */

/* A receive that no message matches is posted, and taken back when others have come. */
static eyot_msg_t never;
static void never_post(void) {
  static uint64_t nothing;
  OK(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){1 - me}, NEVER, &nothing, 8, &never));
}
static void never_cancel(void) {
  bool cancelled;
  OK(eyot_msg_cancel(&never, &cancelled));
  CHECK(cancelled);
}

/* In the middle of receives that are posted: what the receiver may do meanwhile. */
static void meanwhile(uint32_t odd) {
  const eyot_tunit_t other = {1 - me};
  bool found;
  if (below(64) >= odd) return;
  if (below(2) == 0)
    OK(eyot_iprobe(EYOT_TEAM_ALL, other, NEVER, &found, NULL));
  else
    OK(eyot_iprobe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, NEVER, &found, NULL));
  CHECK(!found);
}

static void receive_all(uint32_t n, bool at_once, uint32_t odd) {
  const bool cancels = below(64) < odd;
  if (cancels) never_post();
  for (uint32_t first = 0; first < n;) {
    uint32_t end = at_once ? n : first + 1 + below(n - first);
    for (uint32_t i = first; i < end; i++) {
      post(i);
      meanwhile(odd);
    }
    if (at_once) OK(eyot_barrier(EYOT_TEAM_ALL));
    complete(first, end);
    first = end;
  }
  if (cancels) never_cancel();
}

static void phase(void) {
  static const uint32_t ODD[] = {0, 0, 2, 16};
  const uint32_t n = 1 + below(N_MOST), from = below(2), order = below(4), odd = ODD[below(4)],
                 counts = below(6), splits = below(6) == 0, more = below(2);
  const eyot_tunit_t other = {1 - me};
  uint64_t answer = 0, asked = drawn;
  messages_draw(n, odd);
  receives_draw(n, odd);
  if (counts == me) OK(eyot_count_begin());
  if (splits) OK(eyot_barrier_notify(EYOT_TEAM_ALL, NULL));
  if (me == from) {
    if (order == 1 && !splits) OK(eyot_barrier(EYOT_TEAM_ALL)); /* the receives are posted */
    messages_send(n, more == 0);
    OK(eyot_recv(EYOT_TEAM_ALL, other, ANSWER, &answer, sizeof answer, NULL));
    CHECK(answer == asked);
  } else {
    receive_all(n, order == 1 && !splits, odd);
    OK(eyot_send(EYOT_TEAM_ALL, other, ANSWER, &asked, sizeof asked));
  }
  if (splits) OK(eyot_barrier_wait(EYOT_TEAM_ALL, NULL));
  if (counts == me) OK(eyot_count_end());
  /* what the receiver has drawn meanwhile */
  drawn = asked + 1;
}

/* Each has a receive posted for all that the other one sends, and sends more than a ring holds.
 * turned: the last receive is waited for first. */
static void crossing(bool turned) {
  const eyot_tunit_t other = {1 - me};
  for (uint32_t i = 0; i < N_MOST; i++)
    OK(eyot_recv_nb(EYOT_TEAM_ALL, other, 1, in[i], 8, &handle[i]));
  for (uint32_t i = 0; i < N_MOST; i++) {
    const uint64_t value = i;
    OK(eyot_send(EYOT_TEAM_ALL, other, 1, &value, sizeof value));
  }
  for (uint32_t i = N_MOST; turned && i > 0; i--) OK(eyot_msg_wait(&handle[i - 1], NULL));
  OK(eyot_msg_wait_all(handle, N_MOST, NULL));
  for (uint64_t i = 0; i < N_MOST; i++) CHECK(memcmp(in[i], &i, sizeof i) == 0);
}

/* A handle stands twice among those that are waited for: the second time it is none. */
static void twice(void) {
  const eyot_tunit_t other = {1 - me};
  uint64_t value = 7, got = 0;
  eyot_msg_t h[2];
  OK(eyot_recv_nb(EYOT_TEAM_ALL, other, 1, &got, sizeof got, &h[0]));
  h[1] = h[0];
  OK(eyot_send(EYOT_TEAM_ALL, other, 1, &value, sizeof value));
  CHECK(eyot_msg_wait_all(h, 2, NULL) == EYOT_EINVAL);
  CHECK(got == value && h[0].id == EYOT_MSG_DONE.id && h[1].id != EYOT_MSG_DONE.id);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  CHECK(eyot_size() == 2);
  teams[0] = EYOT_TEAM_ALL;
  OK(eyot_team_split(EYOT_TEAM_ALL, 0, &teams[1]));
  drawn = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  for (uint64_t left = argc > 2 ? strtoull(argv[2], NULL, 10) : 20; left > 0; left--) phase();
  for (int i = 0; i < 20; i++) crossing(i % 2 == 1);
  twice();
  OK(eyot_team_destroy(&teams[1]));
  return finish();
}
