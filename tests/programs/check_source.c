/* SPDX-License-Identifier: BSD-3-Clause */
/* check_source.c - buffers of messages and collectives that go on inside other calls: the program
 * changes one before it has completed what reads it, which eyotcheck finds in its first run; and
 * programs that may change what they change.
 *
 * check_source CASE     those that are right end in _ok */
#include <string.h>

#include "programs/api_check.h"

#define LONG (1u << 18) /* bytes of a send that waits for its receiver */

static uint64_t in[8], out[64];
static char message[LONG];

static void change(uint64_t *word, bool early, eyot_coll_t *op) {
  if (early) *word = 100;
  OK(eyot_coll_wait(op));
  *word = 100;
}

static void collective(bool early) {
  eyot_coll_t op;
  OK(eyot_allreduce_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, in, out, 8, &op));
  change(&in[3], early, &op);
}
static void coll(void) {
  collective(true);
}
static void coll_ok(void) {
  collective(false);
}

/* The second start reads what the program has written after the first. */
static void persistent(bool early) {
  eyot_coll_t op;
  OK(eyot_gather_plan(EYOT_TEAM_ALL, (eyot_tunit_t){1}, in, out, 8, &op));
  for (uint64_t step = 0; step < 2; step++) {
    in[0] = step;
    OK(eyot_coll_start(op));
    if (early && step == 1) in[0] = 100;
    OK(eyot_coll_wait(&op));
  }
  OK(eyot_coll_free(&op));
}
static void plan(void) {
  persistent(true);
}
static void plan_ok(void) {
  persistent(false);
}

/* The collective itself writes what it reads; and gaps belong to the program. */
static void in_place_ok(void) {
  eyot_coll_t op;
  for (uint64_t i = 0; i < 8; i++) in[i] = i + 1;
  OK(eyot_scan_nb(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, in, in, 8, &op));
  OK(eyot_coll_wait(&op));
  const uint64_t sizes[3] = {8, 8, 8}, at[3] = {0, 16, 32};
  OK(eyot_alltoallv_nb(EYOT_TEAM_ALL, in, sizes, at, out, sizes, at, &op));
  in[1] = 7;
  OK(eyot_coll_wait(&op));
}

static void send(bool early, bool sync) {
  const uint32_t me = eyot_me().id;
  eyot_msg_t op;
  if (me == 0) {
    OK((sync ? eyot_ssend_nb : eyot_send_nb)(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 5, message, LONG,
                                             &op));
    if (early) message[LONG - 1] = 1;
    OK(eyot_msg_wait(&op, NULL));
    message[LONG - 1] = 1;
  } else if (me == 1)
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 5, message, LONG, NULL));
}
static void message_sent(void) {
  send(true, false);
}
static void message_synchronous(void) {
  send(true, true);
}
static void message_ok(void) {
  send(false, false);
}

/* Who takes a buffer of its node writes it, before the giver has completed the give. */
static void given_ok(void) {
  const uint32_t me = eyot_me().id;
  void *p;
  eyot_msg_t op;
  if (me == 0) {
    OK(eyot_own_alloc(64, &p));
    memset(p, 1, 64);
    OK(eyot_own_give_nb(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 5, &p, 64, &op));
    OK(eyot_recv(EYOT_TEAM_ALL, (eyot_tunit_t){1}, 6, NULL, 0, NULL));
    OK(eyot_msg_wait(&op, NULL));
  } else if (me == 1) {
    OK(eyot_own_take(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 5, &p, NULL));
    memset(p, 2, 64);
    OK(eyot_send(EYOT_TEAM_ALL, (eyot_tunit_t){0}, 6, NULL, 0));
    OK(eyot_own_free(&p));
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } CASES[] = {{"coll", coll},
               {"coll_ok", coll_ok},
               {"plan", plan},
               {"plan_ok", plan_ok},
               {"in_place_ok", in_place_ok},
               {"message", message_sent},
               {"message_synchronous", message_synchronous},
               {"message_ok", message_ok},
               {"given_ok", given_ok}};
  OK(eyot_init(&argc, &argv));
  CHECK(argc == 2);
  bool known = false;
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    if (strcmp(argv[1], CASES[i].name) != 0) continue;
    known = true;
    CASES[i].run();
  }
  CHECK(known);
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
