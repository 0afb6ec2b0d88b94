/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_many.c - many receives and many messages that wait for each other.
 *
 *   msg_many [N]
 *
 * Unit 1 sends, unit 0 receives, in the orders that make searches long: N receives that are posted
 * get their messages in the reverse order, and are completed by one wait or by N waits for any; and
 * N messages that have come are received in it, by unit and tag, by any unit, and by any tag;
 * receives are taken back; probes find the last message first. Of N receives of any unit and one of
 * each tag, the earlier one gets the message. */
#include "programs/api_check.h"

#define ALL EYOT_TEAM_ALL

static uint32_t me;
static int n = 40000;
static int32_t *got;
static eyot_msg_t *handle;

static const eyot_tunit_t zero = {0}, one = {1};

static void meet(void) {
  OK(eyot_barrier(ALL));
}

/* The value is the tag's. */
static void send_all(bool backwards) {
  for (int i = 0; i < n; i++) {
    int32_t tag = backwards ? n - 1 - i : i;
    OK(eyot_send(ALL, zero, tag, &tag, sizeof tag));
  }
}

static void post_all(eyot_tunit_t from) {
  for (int i = 0; i < n; i++) OK(eyot_recv_nb(ALL, from, i, &got[i], sizeof got[i], &handle[i]));
}

static void posted(eyot_tunit_t from) {
  if (me == 0) post_all(from);
  meet();
  if (me == 1) send_all(true);
  if (me != 0) return;
  OK(eyot_msg_wait_all(handle, (size_t)n, NULL));
  for (int i = 0; i < n; i++) CHECK(got[i] == i);
}

static void any(void) {
  eyot_msg_status_t status;
  size_t which;
  if (me == 0) post_all(one);
  meet();
  if (me == 1) send_all(true);
  for (int i = 0; me == 0 && i < n; i++) {
    OK(eyot_msg_wait_any(handle, (size_t)n, &which, &status));
    CHECK(which < (size_t)n && status.tag == (int32_t)which && got[which] == status.tag);
  }
}

/* All have come when the last one has. */
static void come(void) {
  int32_t last;
  if (me == 1) {
    send_all(false);
    OK(eyot_send(ALL, zero, n, &n, sizeof n));
  } else if (me == 0) {
    OK(eyot_recv(ALL, one, n, &last, sizeof last, NULL));
  }
}

static void unexpected(eyot_tunit_t from, bool probes) {
  eyot_msg_status_t status;
  eyot_msg_t message;
  come();
  for (int i = n; me == 0 && i-- > 0;) {
    int32_t value = -1;
    if (probes) {
      OK(eyot_mprobe(ALL, from, i, &message, NULL));
      OK(eyot_mrecv(&message, &value, sizeof value, &status));
    } else {
      OK(eyot_recv(ALL, from, i, &value, sizeof value, &status));
    }
    CHECK(value == i && status.tag == i && status.from.id == 1);
  }
  meet();
}

/* By any tag they come as they were sent. */
static void in_order(void) {
  come();
  for (int i = 0; me == 0 && i < n; i++) {
    int32_t value = -1;
    OK(eyot_recv(ALL, one, EYOT_ANY_TAG, &value, sizeof value, NULL));
    CHECK(value == i);
  }
  meet();
}

static void cancelled(void) {
  if (me != 0) return;
  for (int i = 0; i < n; i++) OK(eyot_recv_nb(ALL, one, 3, &got[i], sizeof got[i], &handle[i]));
  for (int i = n; i-- > 0;) {
    bool gone = false;
    OK(eyot_msg_cancel(&handle[i], &gone));
    CHECK(gone);
  }
}

/* The receive with an even number is of any unit, the odd one after it of unit 1, of one tag. */
static void earlier_ones_first(void) {
  for (int i = 0; me == 0 && i < n; i++)
    OK(eyot_recv_nb(ALL, i % 2 == 0 ? EYOT_ANY_UNIT : one, i / 2, &got[i], sizeof got[i],
                    &handle[i]));
  meet();
  for (int i = n; me == 1 && i-- > 0;) {
    int32_t value = i;
    OK(eyot_send(ALL, zero, i / 2, &value, sizeof value));
  }
  if (me != 0) return;
  OK(eyot_msg_wait_all(handle, (size_t)n, NULL));
  for (int i = 0; i < n; i++) CHECK(got[i] == (i ^ 1)); /* of two the odd one was sent first */
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  if (argc > 1) n = atoi(argv[1]) / 2 * 2;
  me = eyot_me().id;
  got = calloc((size_t)n, sizeof *got);
  handle = calloc((size_t)n, sizeof *handle);
  CHECK(got != NULL && handle != NULL);
  posted(one);
  posted(EYOT_ANY_UNIT);
  any();
  unexpected(one, false);
  unexpected(EYOT_ANY_UNIT, false);
  unexpected(EYOT_ANY_UNIT, true);
  in_order();
  cancelled();
  earlier_ones_first();
  free(got);
  free(handle);
  return finish();
}
