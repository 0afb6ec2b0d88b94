/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_lengths.c CALLS - calls whose blocks have lengths and places of their own, one after another
 * with the same lengths in another order, the last one kept, and with the same lengths elsewhere:
 * a plan that is kept must not be taken for those of another call. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_check.h"

enum { MEMBERS = 4, MOST = 24, SPACE = 256 };

static uint32_t n, me;

/* The byte k of what member `from` sends to member `to` in call c. */
static char byte_of(uint32_t c, uint32_t from, uint32_t to, uint64_t k) {
  return (char)(1 + (c * 31 + from * 7 + to * 3 + k) % 120);
}

/* 8, 16 or 24 bytes for each member, turned by the call; the last one's are always 16. */
static void lengths_of(uint32_t c, uint64_t *bytes) {
  for (uint32_t i = 0; i < n; i++) bytes[i] = 8 + 8 * ((i + c) % 3);
  bytes[n - 1] = 16;
}

/* Blocks one after another, or from the end. */
static void places_of(uint32_t c, const uint64_t *bytes, uint64_t *at) {
  uint64_t next = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = c % 2 == 0 ? k : n - 1 - k;
    at[i] = next;
    next += bytes[i] + 8 * (c / 3 % 2);
  }
}

static void fill(char *p, uint32_t c, uint32_t from, uint32_t to, uint64_t bytes) {
  for (uint64_t k = 0; k < bytes; k++) p[k] = byte_of(c, from, to, k);
}

static void verify(const char *p, uint32_t c, uint32_t from, uint32_t to, uint64_t bytes) {
  for (uint64_t k = 0; k < bytes; k++) CHECK(p[k] == byte_of(c, from, to, k));
}

static void gathers(uint32_t c, const uint64_t *bytes, const uint64_t *at) {
  char own[MOST], all[SPACE] = {0};
  fill(own, c, me, 0, bytes[me]);
  OK(eyot_gatherv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, own, bytes[me], all, bytes, at));
  for (uint32_t i = 0; i < n && me == 0; i++) verify(all + at[i], c, i, 0, bytes[i]);
  memset(all, 0, sizeof all);
  OK(eyot_allgatherv(EYOT_TEAM_ALL, own, all, bytes, at));
  for (uint32_t i = 0; i < n; i++) verify(all + at[i], c, i, 0, bytes[i]);
}

static void scatters(uint32_t c, const uint64_t *bytes, const uint64_t *at) {
  char own[MOST] = {0}, all[SPACE];
  for (uint32_t i = 0; i < n && me == 0; i++) fill(all + at[i], c, 0, i, bytes[i]);
  OK(eyot_scatterv(EYOT_TEAM_ALL, (eyot_tunit_t){0}, all, bytes, at, own, bytes[me]));
  verify(own, c, 0, me, bytes[me]);
}

/* Member i sends as many bytes to member j as j to i. */
static void exchanges(uint32_t c) {
  char send[SPACE], recv[SPACE] = {0};
  uint64_t bytes[MEMBERS], at[MEMBERS];
  for (uint32_t i = 0; i < n; i++)
    bytes[i] = i == n - 1 || me == n - 1 ? 16 : 8 + 8 * ((i + me + c) % 3);
  places_of(c, bytes, at);
  for (uint32_t i = 0; i < n; i++) fill(send + at[i], c, me, i, bytes[i]);
  OK(eyot_alltoallv(EYOT_TEAM_ALL, send, bytes, at, recv, bytes, at));
  for (uint32_t i = 0; i < n; i++) verify(recv + at[i], c, i, me, bytes[i]);
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t calls = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
  n = (uint32_t)eyot_size();
  me = eyot_me().id;
  CHECK(calls > 0 && n <= MEMBERS);
  for (uint32_t c = 0; c < calls; c++) {
    uint64_t bytes[MEMBERS], at[MEMBERS];
    lengths_of(c, bytes);
    places_of(c, bytes, at);
    gathers(c, bytes, at);
    scatters(c, bytes, at);
    exchanges(c);
  }
  if (me == 0) puts("ok");
  return eyot_finalize() != EYOT_OK;
}
