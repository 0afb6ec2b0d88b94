/* SPDX-License-Identifier: BSD-3-Clause */
/* net_copies.c - long copies within a node, in pieces: they share the memory of their domains, no
 * copy is faster than its processor, short ones wait for a piece, and no byte is lost. */

#include "unit/sim/net_test.h"

#define MIB (1ull << 20)
#define COPIES_MAX 16u
#define PIECE SIM_NET_PIECE_BYTES

/* xc40: a processor copies 12 GB/s; a domain's memory, which a copy reads and writes, has 55. */
#define COPY_PS(bytes) ((double)(bytes) / 12e9 * 1e12)
#define MEMORY_PS(bytes) (2 * (double)(bytes) / 55e9 * 1e12)

struct copy {
  enum sim_msg kind;
  uint32_t from, to;
  uint64_t bytes, begin_ps;
  uint64_t done, next_ps, end_ps; /* end_ps: out, since begin_ps */
};

static struct sim_net *open_shared(const char *platform, uint32_t n_units) {
  struct sim_net_opts opts = {.platform = platform, .n_units = n_units, .shared = true};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  return net;
}

/* The copy whose piece is the next one; NULL: all are over. */
static struct copy *next_of(struct copy *c, uint32_t n) {
  struct copy *next = NULL;
  for (uint32_t i = 0; i < n; i++)
    if (c[i].done < c[i].bytes && (next == NULL || c[i].next_ps < next->next_ps)) next = &c[i];
  return next;
}

static void copy_piece(struct sim_net *net, struct copy *c) {
  uint64_t left = c->bytes - c->done, bytes = left < PIECE ? left : PIECE,
           copy_ps = net_overhead_ps(net, c->kind, c->from, c->to, c->bytes) -
                     net_overhead_ps(net, c->kind, c->from, c->to, 0);
  struct sim_piece piece = {.kind = c->kind,
                            .src = c->from,
                            .dst = c->to,
                            .bytes = (uint32_t)bytes,
                            .first = c->done == 0,
                            .at_ps = c->next_ps,
                            .now_ps = c->next_ps};
  struct sim_piece_times times;
  copy_ps = copy_ps * bytes / c->bytes;
  sim_net_copy(net, &piece, copy_ps, &times);
  assert_true(times.arrive_ps >= c->next_ps + copy_ps && times.next_ps > c->next_ps);
  assert_int_equal(times.sent_ps, times.arrive_ps);
  c->next_ps = times.next_ps;
  c->end_ps = times.arrive_ps - c->begin_ps;
  c->done += bytes;
}

static void copies_begin(struct copy *c, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) c[i].next_ps = c[i].begin_ps;
}

static void copies_run(struct sim_net *net, struct copy *c, uint32_t n) {
  copies_begin(c, n);
  for (struct copy *next; (next = next_of(c, n)) != NULL;) copy_piece(net, next);
}

static void copies_end_when_memory_allows(void **state) {
  (void)state;
  static const uint32_t MANY[] = {1, 2, 3, 4, 8, 12};
  for (uint32_t kind = SIM_MSG_PUT; kind <= SIM_MSG_GET; kind++) {
    struct sim_net *net = open_shared("xc40", 24);
    for (uint32_t k = 0; k < sizeof MANY / sizeof *MANY; k++) {
      struct copy c[COPIES_MAX];
      uint32_t n = MANY[k];
      double us = COPY_PS(MIB) > n * MEMORY_PS(MIB) ? COPY_PS(MIB) : n * MEMORY_PS(MIB);
      for (uint32_t i = 0; i < n; i++)
        c[i] = (struct copy){(enum sim_msg)kind, i, (i + 1) % 12, MIB, (k + 1) * QUIET_PS, 0, 0, 0};
      copies_run(net, c, n);
      printf("%2u copies of 1 MiB: %.1f us, expected %.1f\n", n, (double)c[0].end_ps / 1e6,
             us / 1e6);
      for (uint32_t i = 0; i < n; i++) net_near("a copy's end", (double)c[i].end_ps, us, 0.01);
    }
    sim_net_close(net);
  }
}

/* Of the other domain's memory each takes half as much; they have the share of those within. */
static void copies_between_domains_share_the_fuller_memory(void **state) {
  (void)state;
  struct sim_net *net = open_shared("xc40", 24);
  struct copy c[9];
  for (uint32_t i = 0; i < 8; i++)
    c[i] = (struct copy){SIM_MSG_PUT, i, i < 4 ? i + 1 : i + 8, MIB, QUIET_PS, 0, 0, 0};
  c[8] = (struct copy){SIM_MSG_PUT, 20, 21, MIB, QUIET_PS, 0, 0, 0}; /* in the other domain */
  copies_run(net, c, 9);
  for (uint32_t i = 0; i < 8; i++)
    net_near("a copy's end", (double)c[i].end_ps, 6 * MEMORY_PS(MIB), 0.01);
  net_near("the end of a copy that has enough", (double)c[8].end_ps, COPY_PS(MIB), 0.01);
  sim_net_close(net);
}

/* A later copy has its share at once, and what it leaves is the others' again. */
static void a_later_copy_has_its_share_at_once(void **state) {
  (void)state;
  struct sim_net *net = open_shared("xc40", 24);
  struct copy c[5];
  for (uint32_t i = 0; i < 4; i++)
    c[i] = (struct copy){SIM_MSG_PUT, i, i + 1, 4 * MIB, QUIET_PS, 0, 0, 0};
  c[4] = (struct copy){SIM_MSG_PUT, 4, 5, MIB, QUIET_PS + 100000000, 0, 0, 0};
  copies_run(net, c, 5);
  net_near("the later copy's end", (double)c[4].end_ps, 5 * MEMORY_PS(MIB), 0.01);
  for (uint32_t i = 0; i < 4; i++)
    net_near("an earlier copy's end", (double)c[i].end_ps, 17 * MEMORY_PS(MIB), 0.01);
  sim_net_close(net);
}

static void slow_memory_is_waited_for(void **state) {
  (void)state;
  struct sim_net *net = open_shared("xc40:bw_memory=6", 24);
  for (uint32_t n = 1; n <= 2; n++) {
    struct copy c[2];
    for (uint32_t i = 0; i < n; i++)
      c[i] = (struct copy){SIM_MSG_PUT, i, i + 1, MIB, n * QUIET_PS, 0, 0, 0};
    copies_run(net, c, n);
    for (uint32_t i = 0; i < n; i++)
      net_near("a copy's end", (double)c[i].end_ps, n * 349.5e6, 0.01);
  }
  sim_net_close(net);
}

/* However many long copies there are: beyond what it takes alone it waits for a piece. */
static void a_short_copy_waits_for_a_piece(void **state) {
  (void)state;
  for (uint32_t n = 3; n <= 12; n += 3) {
    struct sim_net *net = open_shared("xc40", 24);
    struct copy c[COPIES_MAX];
    struct sim_timing idle, beside, apart;
    uint64_t at_ps = 2 * QUIET_PS + 50000000;
    sim_net_reserve(net, SIM_MSG_PUT, 11, 10, 4096, QUIET_PS, &idle);
    for (uint32_t i = 0; i < n; i++)
      c[i] = (struct copy){SIM_MSG_PUT, i, (i + 1) % 12, MIB, 2 * QUIET_PS, 0, 0, 0};
    copies_begin(c, n);
    for (struct copy *next; (next = next_of(c, n))->next_ps < at_ps;) copy_piece(net, next);
    sim_net_reserve(net, SIM_MSG_PUT, 11, 10, 4096, at_ps, &beside);
    sim_net_reserve(net, SIM_MSG_PUT, 13, 14, 4096, at_ps, &apart);
    uint64_t wait_ps = (beside.done_at - at_ps) - (idle.done_at - QUIET_PS);
    assert_true(wait_ps > 0 && (double)wait_ps <= MEMORY_PS(PIECE));
    assert_int_equal(apart.done_at - at_ps, idle.done_at - QUIET_PS);
    sim_net_close(net);
  }
}

/* Long and short copies at random, more than memory carries: it is never idle, and its time is that
 * of all bytes. */
static void bytes_are_conserved(void **state) {
  (void)state;
  struct sim_net *net = open_shared("xc40", 24);
  struct copy c[8];
  uint64_t begin_ps = QUIET_PS, short_ps = begin_ps, last_ps = 0, bytes = 8 * MIB;
  srand(3);
  for (uint32_t i = 0; i < 8; i++)
    c[i] = (struct copy){SIM_MSG_GET, i, (i + 1) % 12, MIB, begin_ps, 0, 0, 0};
  copies_begin(c, 8);
  for (struct copy *next; (next = next_of(c, 8)) != NULL;) {
    while (short_ps <= next->next_ps) {
      struct sim_timing t;
      uint64_t some = 65 + (uint64_t)rand() % (PIECE - 65);
      sim_net_reserve(net, SIM_MSG_PUT, 9, 10, some, short_ps, &t);
      bytes += some;
      short_ps += 500000 + (uint64_t)rand() % 500000;
    }
    copy_piece(net, next);
  }
  for (uint32_t i = 0; i < 8; i++)
    if (c[i].end_ps > last_ps) last_ps = c[i].end_ps;
  printf("carried %.0f us of copies in %.0f us\n", MEMORY_PS(bytes) / 1e6, (double)last_ps / 1e6);
  net_near("time of all copies", (double)last_ps, MEMORY_PS(bytes), 0.02);
  sim_net_close(net);
}

static void only_copies_of_more_than_a_piece_are_long(void **state) {
  (void)state;
  struct sim_net *shared = open_shared("xc40", 24), *booked = net_open("xc40", 24, 0);
  assert_true(sim_net_is_long(shared, SIM_MSG_PUT, true, PIECE + 1));
  assert_true(sim_net_is_long(shared, SIM_MSG_GET, true, PIECE + 1));
  assert_false(sim_net_is_long(shared, SIM_MSG_PUT, true, PIECE));
  assert_false(sim_net_is_long(booked, SIM_MSG_PUT, true, PIECE + 1));
  sim_net_close(booked);
  sim_net_close(shared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_end_when_memory_allows),
      cmocka_unit_test(copies_between_domains_share_the_fuller_memory),
      cmocka_unit_test(a_later_copy_has_its_share_at_once),
      cmocka_unit_test(slow_memory_is_waited_for),
      cmocka_unit_test(a_short_copy_waits_for_a_piece),
      cmocka_unit_test(bytes_are_conserved),
      cmocka_unit_test(only_copies_of_more_than_a_piece_are_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
