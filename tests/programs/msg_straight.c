/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_straight.c - receives of short messages of which it is fixed whether they are posted before
 * their messages come or after. Unit 1 sends a message whenever unit 0 has asked for it by a word
 * of memory, and both poll these words without a call of eyot's where memory is mapped, so that no
 * call takes a message in between: what receives and waits read in the ring (src/msg/stream.c) is
 * the same in each run. Argument: direct, memory must be mapped. */
#include <sched.h>
#include <string.h>

#include "programs/api_check.h"

enum { MOST = 8, BYTES_MOST = 5000, SYNC = 1 };

struct message {
  int32_t tag;
  uint32_t bytes, sync;
};
struct receive {
  int32_t tag; /* 0: open */
  uint32_t bytes;
  int gets; /* the number of the message */
  bool open_from;
};
/* does: s: the next message comes; l: the same, a little later; p: the next receive is posted; w0:
 * a wait for receive 0; A: a wait for all; Y: waits for any; t0: tests of it; c0: it is cancelled;
 * i: a probe for another tag; r: the next receive as a blocking one. */
struct script {
  const char *does;
  struct message m[MOST];
  struct receive r[MOST];
};

#define M8 \
  { 1, 8, 0 }
static const struct script SCRIPTS[] = {
    /* first, as its receives are the first in their memory: a sender that waits, which is told */
    {"ppppssssA",
     {{1, 8, SYNC}, M8, {1, 0, SYNC}, {1, 8, SYNC}},
     {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}, {1, 4, 3, 0}}},
    /* posted before: waits in order, in the reverse one, for any, tests, and one that comes late */
    {"pppsssA", {M8, M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 9, 2, 0}}},
    {"pppsssw2w1w0", {M8, {1, 3, 0}, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}}},
    {"pppsssw1A", {M8, {1, 0, 0}, M8}, {{1, 8, 0, 0}, {1, 0, 1, 0}, {1, 8, 2, 0}}},
    {"pppsssY", {M8, M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}}},
    {"pppsssw1Y", {M8, M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}}},
    {"ppsst1t0", {M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}}},
    {"plw0plw1pplsA", {M8, M8, M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}, {1, 8, 3, 0}}},
    /* there first; then in part, so that a receive finds those of earlier ones */
    {"ssspppA", {M8, {1, 200, 0}, M8}, {{1, 8, 0, 0}, {1, 200, 1, 0}, {1, 8, 2, 0}}},
    {"ssppw1w0", {M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}}},
    {"ppsspsA", {M8, M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}}},
    {"ppssspw2w0w1", {M8, M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}}},
    {"pspsw1w0", {M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}}},
    {"psw0sr", {M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}}},
    {"psspA", {M8, {2, 8, 0}}, {{1, 8, 0, 0}, {2, 8, 1, 0}}},
    /* one that was posted before leaves the tag open, or the sender, or both */
    {"ppssw1w0", {M8, M8}, {{0, 8, 0, 0}, {1, 8, 1, 0}}},
    {"ppssw1w0", {M8, M8}, {{1, 8, 0, 1}, {1, 8, 1, 0}}},
    {"pppsssw1A", {M8, M8, M8}, {{1, 8, 0, 0}, {0, 8, 1, 1}, {1, 8, 2, 0}}},
    {"pppsssw2w0w1", {M8, {2, 8, 0}, M8}, {{1, 8, 0, 0}, {0, 8, 1, 0}, {1, 8, 2, 0}}},
    {"psspA", {M8, M8}, {{0, 8, 0, 0}, {1, 8, 1, 0}}},
    /* other tags: to a later receive, and to none */
    {"ppssw0w1", {{2, 8, 0}, M8}, {{1, 8, 1, 0}, {2, 8, 0, 0}}},
    {"pssw0spw1pw2", {{2, 8, 0}, M8, {2, 8, 0}}, {{1, 8, 1, 0}, {2, 8, 0, 0}, {2, 8, 2, 0}}},
    {"pssw0pw1", {{2, 8, 0}, M8}, {{1, 8, 1, 0}, {2, 8, 0, 0}}},
    /* longer than its receive, in its slot, there first, or elsewhere */
    {"ppssw0w1", {M8, M8}, {{1, 4, 0, 0}, {1, 8, 1, 0}}},
    {"ppssw1w0", {M8, M8}, {{1, 4, 0, 0}, {1, 7, 1, 0}}},
    {"ppssA", {M8, {1, 300, 0}}, {{1, 0, 0, 0}, {1, 299, 1, 0}}},
    {"pspsA", {M8, M8}, {{1, 4, 0, 0}, {1, 8, 1, 0}}},
    {"ssprA", {M8, M8}, {{1, 4, 0, 0}, {1, 8, 1, 0}}},
    {"ssppA", {M8, {1, 256, 0}}, {{1, 4, 0, 0}, {1, 100, 1, 0}}},
    /* longer than a slot, and a sender that waits, among short ones */
    {"pppsssw2w1w0", {M8, {1, 300, 0}, M8}, {{1, 8, 0, 0}, {1, 300, 1, 0}, {1, 8, 2, 0}}},
    {"pppsssA", {M8, {1, 5000, 0}, M8}, {{1, 8, 0, 0}, {1, 5000, 1, 0}, {1, 8, 2, 0}}},
    {"pspspsA", {{1, 5000, 0}, {1, 8, SYNC}, M8}, {{1, 5000, 0, 0}, {1, 8, 1, 0}, {1, 8, 2, 0}}},
    /* cancelled, and a probe */
    {"ppc0sA", {M8}, {{1, 8, -1, 0}, {1, 8, 0, 0}}},
    {"pppc1ssA", {M8, M8}, {{1, 8, 0, 0}, {1, 8, -1, 0}, {1, 8, 1, 0}}},
    {"ppisisiA", {M8, M8}, {{1, 8, 0, 0}, {1, 8, 1, 0}}},
};
enum { N_SCRIPTS = sizeof SCRIPTS / sizeof SCRIPTS[0] };

static uint64_t *own, *others; /* others: NULL, it is not mapped */
static eyot_gptr_t own_at, others_at;
static uint64_t told;
static const struct script *script;
static eyot_msg_t handle[MOST];
static char in[MOST][BYTES_MOST + 1];

/* -- words of memory --------------------------------------------------------------------------- */

static void words_make(bool direct) {
  void *p;
  const eyot_tunit_t other = {1 - eyot_me().id};
  OK(eyot_alloc(64, &own_at));
  OK(eyot_gptr_addr(own_at, &p));
  own = p;
  for (int i = 0; i < 10; i++) { /* each gets a ring */
    OK(eyot_send(EYOT_TEAM_ALL, other, 1, &own_at, sizeof own_at));
    OK(eyot_recv(EYOT_TEAM_ALL, other, 1, &others_at, sizeof others_at, NULL));
  }
  const int rc = eyot_gptr_direct(others_at, &p);
  CHECK(rc == EYOT_OK || (rc == EYOT_ENOTSUP && !direct));
  others = rc == EYOT_OK ? p : NULL;
}

static void tell(void) {
  told++;
  if (others != NULL)
    __atomic_store_n(others, told, __ATOMIC_RELEASE);
  else
    OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, others_at, EYOT_SIGNAL_SET, told));
}

static void await(uint64_t n) {
  if (others == NULL) OK(eyot_wait_until(own_at, EYOT_CMP_GE, n, NULL));
  while (__atomic_load_n(own, __ATOMIC_ACQUIRE) < n) sched_yield();
}

/* -- the sender -------------------------------------------------------------------------------- */

static uint32_t count(const char *of) {
  uint32_t n = 0;
  for (const char *c = script->does; *c != 0; c++) n += strchr(of, *c) != NULL;
  return n;
}

static void sender(void) {
  static char out[MOST][BYTES_MOST];
  const uint32_t n = count("sl");
  for (uint32_t i = 0; i < n; i++) {
    const struct message *m = &script->m[i];
    memset(out[i], (int)(1 + i), m->bytes);
    handle[i] = EYOT_MSG_DONE;
    await(told + 1);
    if (m->sync == SYNC)
      OK(eyot_ssend_nb(EYOT_TEAM_ALL, (eyot_tunit_t){0}, m->tag, out[i], m->bytes, &handle[i]));
    else
      OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){0}, m->tag, out[i], m->bytes));
    tell();
  }
  OK(eyot_msg_wait_all(handle, n, NULL));
}

/* -- the receiver ------------------------------------------------------------------------------ */

static int rc_of(uint32_t i) {
  const struct receive *r = &script->r[i];
  return r->gets >= 0 && script->m[r->gets].bytes > r->bytes ? EYOT_ERANGE : EYOT_OK;
}

static void check(uint32_t i, int rc, const eyot_msg_status_t *got) {
  const struct receive *r = &script->r[i];
  if (r->gets < 0) return;
  const struct message *m = &script->m[r->gets];
  const uint32_t fits = m->bytes < r->bytes ? m->bytes : r->bytes;
  CHECK(handle[i].id == EYOT_MSG_DONE.id);
  CHECK(rc == rc_of(i));
  for (uint32_t k = 0; k < fits; k++) CHECK(in[i][k] == (char)(1 + r->gets));
  CHECK(in[i][fits] == 0x7f);
  CHECK(got->from.id == 1 && got->tag == m->tag && got->bytes == fits);
  CHECK(got->dropped == m->bytes - fits);
}

static void receive(uint32_t i, bool blocks) {
  const struct receive *r = &script->r[i];
  const eyot_tunit_t from = r->open_from ? EYOT_ANY_UNIT : (eyot_tunit_t){1};
  const int32_t tag = r->tag == 0 ? EYOT_ANY_TAG : r->tag;
  eyot_msg_status_t got;
  memset(in[i], 0x7f, sizeof in[i]);
  if (!blocks) {
    OK(eyot_recv_nb(EYOT_TEAM_ALL, from, tag, in[i], r->bytes, &handle[i]));
    return;
  }
  const int rc = eyot_recv(EYOT_TEAM_ALL, from, tag, in[i], r->bytes, &got);
  handle[i] = EYOT_MSG_DONE;
  check(i, rc, &got);
}

static void wait_all(uint32_t n) {
  eyot_msg_status_t got[MOST];
  bool was[MOST];
  int want = EYOT_OK;
  for (uint32_t i = 0; i < n; i++) {
    was[i] = handle[i].id != EYOT_MSG_DONE.id;
    if (was[i] && want == EYOT_OK) want = rc_of(i);
  }
  CHECK(eyot_msg_wait_all(handle, n, got) == want);
  for (uint32_t i = 0; i < n; i++)
    if (was[i]) check(i, rc_of(i), &got[i]);
}

static void wait_any(uint32_t n) {
  eyot_msg_status_t got;
  for (size_t i;;) {
    const int rc = eyot_msg_wait_any(handle, n, &i, &got);
    if (i == n) return;
    check((uint32_t)i, rc, &got);
  }
}

static void test(uint32_t i) {
  eyot_msg_status_t got;
  bool done = false;
  int rc = EYOT_OK;
  while (!done) rc = eyot_msg_test(&handle[i], &done, &got);
  check(i, rc, &got);
}

static void receiver(void) {
  uint32_t n = 0;
  const uint64_t before = told;
  eyot_msg_status_t got;
  bool found;
  for (const char *c = script->does; *c != 0; c++) {
    const uint32_t i = c[1] >= '0' && c[1] <= '9' ? (uint32_t)(c[1] - '0') : 0;
    if (*c == 's' || *c == 'l') tell();
    if (*c == 's') await(told);
    if (*c == 'p' || *c == 'r') receive(n++, *c == 'r');
    if (*c == 'A') wait_all(n);
    if (*c == 'Y') wait_any(n);
    if (*c == 't') test(i);
    if (*c == 'w') {
      const int rc = eyot_msg_wait(&handle[i], &got);
      check(i, rc, &got);
    }
    if (*c == 'c') OK(eyot_msg_cancel(&handle[i], &found));
    if (*c == 'c') CHECK(found);
    if (*c == 'i') OK(eyot_iprobe(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 3, &found, NULL));
    if (*c == 'i') CHECK(!found);
  }
  CHECK(told - before == count("sl") && n == count("pr"));
  for (uint32_t i = 0; i < n; i++) CHECK(handle[i].id == EYOT_MSG_DONE.id);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  CHECK(eyot_size() == 2);
  words_make(argc > 1 && strcmp(argv[1], "direct") == 0);
  for (uint32_t round = 0; round < 3; round++)
    for (uint32_t i = 0; i < N_SCRIPTS; i++) {
      script = &SCRIPTS[i];
      OK(eyot_barrier(EYOT_TEAM_ALL)); /* also what its sender has queued has left */
      if (eyot_me().id == 0)
        receiver();
      else
        sender();
    }
  return finish();
}
