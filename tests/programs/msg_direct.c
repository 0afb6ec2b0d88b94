/* SPDX-License-Identifier: BSD-3-Clause */
/* msg_direct.c - long messages whose bytes the fabric sends: received whole, in part, not at all,
 * and never; out of their order; and flushed by their sender before anybody receives them. Two
 * units.
 *
 *   eyotrun --fabric mpi -n 2 --node-size 1 msg_direct */
#include <string.h>

#include "programs/api_check.h"

#define MOST (UINT64_C(3) << 20)
#define MANY 24

static unsigned char *bytes, *private_bytes;
static eyot_tunit_t other;

static unsigned char byte_of(uint64_t i, int32_t tag) {
  return (unsigned char)(i * 7 + i / 4096 + (uint64_t)tag);
}
static void fill(unsigned char *at, uint64_t n, int32_t tag) {
  for (uint64_t i = 0; i < n; i++) at[i] = byte_of(i, tag);
}
static bool is_filled(const unsigned char *at, uint64_t n, int32_t tag) {
  for (uint64_t i = 0; i < n; i++)
    if (at[i] != byte_of(i, tag)) return false;
  return true;
}

/* A receive of n of `sent` bytes; the byte behind them stays. */
static void in_part(unsigned char *at, uint64_t sent, uint64_t n, int32_t tag) {
  if (eyot_me().id == 0) {
    fill(at, sent, tag);
    eyot_msg_t handle;
    OK(eyot_send_nb(EYOT_TEAM_ALL, other, tag, at, sent, &handle));
    OK(eyot_msg_wait(&handle, NULL));
    memset(at, 0, sent); /* the buffer is the caller's again */
  } else {
    eyot_msg_status_t got;
    memset(at, 0xee, MOST);
    int rc = eyot_recv(EYOT_TEAM_ALL, other, tag, at, n, &got);
    CHECK(rc == (n < sent ? EYOT_ERANGE : EYOT_OK));
    CHECK(got.bytes == n && got.dropped == sent - n && is_filled(at, n, tag) && at[n] == 0xee);
  }
}

/* Posted from the last tag to the first, each of its own length. */
static void backwards(unsigned char *at) {
  eyot_msg_t handle[MANY];
  const uint64_t room = MOST / MANY;
  for (int32_t i = 0; i < MANY; i++) {
    unsigned char *part = at + (uint64_t)i * room;
    if (eyot_me().id == 0) {
      fill(part, room - (uint64_t)i, i);
      OK(eyot_send_nb(EYOT_TEAM_ALL, other, i, part, room - (uint64_t)i, &handle[i]));
    } else {
      int32_t tag = MANY - 1 - i;
      OK(eyot_recv_nb(EYOT_TEAM_ALL, other, tag, at + (uint64_t)tag * room, room, &handle[i]));
    }
  }
  /* a receive that is posted goes on in other calls, and a flush does not wait for receivers */
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_msg_wait_all(handle, MANY, NULL));
  for (int32_t i = 0; eyot_me().id == 1 && i < MANY; i++)
    CHECK(is_filled(at + (uint64_t)i * room, room - (uint64_t)i, i));
}

/* The sender's flush comes before the receiver posts anything. */
static void flushed(unsigned char *at) {
  eyot_msg_t handle;
  if (eyot_me().id == 0) {
    fill(at, MOST, 3);
    OK(eyot_send_nb(EYOT_TEAM_ALL, other, 3, at, MOST, &handle));
    OK(eyot_flush_all(EYOT_REMOTE));
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_msg_wait(&handle, NULL));
  } else {
    OK(eyot_barrier(EYOT_TEAM_ALL));
    OK(eyot_recv(EYOT_TEAM_ALL, other, 3, at, MOST, NULL));
    CHECK(is_filled(at, MOST, 3));
  }
}

/* What a probe finds lands where its receive says; the sender waits for the match. */
static void found(unsigned char *at) {
  if (eyot_me().id == 0) {
    fill(at, 100000, 4);
    OK(eyot_ssend(EYOT_TEAM_ALL, other, 4, at, 100000));
  } else {
    eyot_msg_t message;
    eyot_msg_status_t got;
    OK(eyot_mprobe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, EYOT_ANY_TAG, &message, &got));
    CHECK(got.bytes == 100000 && got.tag == 4);
    OK(eyot_mrecv_nb(&message, at, MOST));
    OK(eyot_msg_wait(&message, &got));
    CHECK(got.bytes == 100000 && is_filled(at, 100000, 4));
  }
}

int main(int argc, char **argv) {
  eyot_gptr_t mem;
  void *mine;
  OK(eyot_init(&argc, &argv));
  CHECK(eyot_size() == 2);
  other = (eyot_tunit_t){1 - eyot_me().id};
  OK(eyot_team_alloc(EYOT_TEAM_ALL, MOST + 1, &mem));
  OK(eyot_gptr_addr(eyot_gptr_at(mem, eyot_me()), &mine));
  private_bytes = malloc(MOST + 1);
  CHECK(private_bytes != NULL);
  for (int from = 0; from < 2; from++) {
    bytes = from == 0 ? mine : private_bytes;
    for (uint64_t sent = 300; sent <= MOST; sent *= 10)
      for (uint64_t n = sent; n > 0; n = n > 50 ? n / 7 : 0) in_part(bytes, sent, n, (int32_t)n);
    in_part(bytes, 30000, 0, 9);
    in_part(bytes, MOST - 1, 0, 9);
    backwards(bytes);
    flushed(bytes);
    found(bytes);
  }
  /* nobody receives these; eyot_finalize drops their bytes */
  if (eyot_me().id == 0) {
    eyot_msg_t handle;
    OK(eyot_send(EYOT_TEAM_ALL, other, 5, mine, 20000));
    OK(eyot_send_nb(EYOT_TEAM_ALL, other, 6, mine, MOST, &handle));
  }
  eyot_errors_clear();
  return finish();
}
