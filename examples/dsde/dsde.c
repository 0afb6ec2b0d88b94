/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde.c - dynamic sparse data exchange (the second motif of seed 002, section 4.2): each unit
 * sends 8 bytes to each of a few random units, and nobody knows from whom it will receive, or how
 * much. Three protocols, compared in time and checked item by item.
 *
 * The proof: every item that a unit received names this unit and this exchange as its destination,
 * none came twice, and all units together received as many as were sent. Phases in the summary: the
 * names of the protocols, and check. */
#include "dsde.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int dsde_fail(const char *what, int code) {
  fprintf(stderr, "dsde: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* Sums over the rounds of a protocol, and over units. */
struct totals {
  uint64_t received, bad;
};

static int (*const EXCHANGE[DSDE_PROTOCOLS])(struct dsde_unit *, uint32_t) = {
    dsde_accumulate, dsde_notify, dsde_alltoall};

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The rounds of one protocol: ns[i] is the time of exchange i on this unit. */
static int run_rounds(struct dsde_unit *u, int protocol, uint64_t *ns, struct totals *t,
                      uint64_t *needed) {
  for (uint32_t round = 0; round < u->opts->rounds; round++) {
    dsde_fill(u, round);
    if (u->opts->meet) DSDE_TRY(eyot_barrier(EYOT_TEAM_ALL));
    DSDE_TRY(eyot_phase(dsde_protocol_name(protocol)));
    uint64_t begin = eyot_now_ns();
    int code = EXCHANGE[protocol](u, round);
    if (code != EYOT_OK) return code;
    ns[round] = eyot_now_ns() - begin;
    DSDE_TRY(eyot_phase("check"));
    t->received += u->received;
    code = dsde_check(u, round, &t->bad);
    if (code != EYOT_OK) return code;
    if (u->needed > *needed) *needed = u->needed;
  }
  return EYOT_OK;
}

static void print_time(const struct dsde_unit *u, int protocol, uint64_t *ns) {
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  uint32_t rounds = u->opts->rounds;
  qsort(ns, rounds, sizeof ns[0], ascending);
  uint64_t median = rounds % 2 == 1 ? ns[rounds / 2] : (ns[rounds / 2 - 1] + ns[rounds / 2]) / 2;
  double messages = (double)u->n * u->opts->targets;
  printf("dsde: %s: %.3f us an exchange in %s time (median of %u, %.3f..%.3f), %.0f messages/s\n",
         dsde_protocol_name(protocol), (double)median / 1e3, clock, rounds, (double)ns[0] / 1e3,
         (double)ns[rounds - 1] / 1e3, median > 0 ? messages * 1e9 / (double)median : 0.0);
  fflush(stdout);
}

/* Unit 0 says what is wrong, if anything is. */
static bool judge(const struct dsde_unit *u, int protocol, const struct totals *t,
                  uint64_t needed) {
  uint64_t sent = (uint64_t)u->n * u->opts->targets * u->opts->rounds;
  bool room = protocol == DSDE_ALLTOALL || needed <= u->opts->room;
  if (room && t->bad == 0 && t->received == sent) return true;
  if (u->me != 0) return false;
  if (!room)
    fprintf(stderr,
            "dsde: %s: %llu of %llu items were not sent: a unit had room for %u in an exchange; "
            "give --room %llu or more\n",
            dsde_protocol_name(protocol), (unsigned long long)(sent - t->received),
            (unsigned long long)sent, u->opts->room, (unsigned long long)needed);
  else
    printf("dsde: WRONG: %s: %llu items sent, %llu received, %llu of them bad\n",
           dsde_protocol_name(protocol), (unsigned long long)sent, (unsigned long long)t->received,
           (unsigned long long)t->bad);
  fflush(stdout);
  return false;
}

/* ns, slowest: a number for each round. */
static int run(struct dsde_unit *u, uint64_t *ns, uint64_t *slowest, bool *right) {
  for (int protocol = 0; protocol < DSDE_PROTOCOLS; protocol++) {
    if (!u->opts->use[protocol]) continue;
    struct totals mine = {0, 0}, all;
    uint64_t needed = 0, most;
    int code = run_rounds(u, protocol, ns, &mine, &needed);
    if (code != EYOT_OK) return code;
    /* Also what keeps the protocols apart: all units have ended this one when a reduction
     * returns. */
    DSDE_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &all,
                            sizeof all / sizeof(uint64_t)));
    DSDE_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &needed, &most, 1));
    DSDE_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, ns, slowest, u->opts->rounds));
    bool good = judge(u, protocol, &all, most);
    if (good && u->me == 0) print_time(u, protocol, slowest);
    *right = *right && good;
  }
  DSDE_TRY(eyot_phase(NULL));
  if (*right && u->me == 0)
    printf("dsde: verified: each of the %llu items of a protocol came once, and to its target\n",
           (unsigned long long)u->n * u->opts->targets * u->opts->rounds);
  fflush(stdout);
  return EYOT_OK;
}

/* Collective. EYOT_ENOMEM comes to all units alike. */
static int open_inbox(struct dsde_unit *u) {
  void *address;
  DSDE_TRY(eyot_team_alloc(EYOT_TEAM_ALL, dsde_part_bytes(u->opts->room), &u->g));
  DSDE_TRY(eyot_gptr_addr(eyot_gptr_at(u->g, eyot_me()), &address));
  u->part = address;
  for (int half = 0; half < 2; half++)
    DSDE_TRY(eyot_counter_create(EYOT_TEAM_ALL, 1, &u->arrived[half]));
  return EYOT_OK;
}

static int close_inbox(struct dsde_unit *u) {
  for (int half = 0; half < 2; half++) DSDE_TRY(eyot_counter_destroy(&u->arrived[half]));
  DSDE_TRY(eyot_team_free(u->g));
  return EYOT_OK;
}

static int run_with_memory(struct dsde_unit *u, bool *right) {
  uint64_t *ns = calloc(2 * (size_t)u->opts->rounds, sizeof *ns);
  u->item = calloc(u->opts->targets, sizeof *u->item);
  u->target = calloc(u->opts->targets, sizeof *u->target);
  u->count_out =
      u->opts->use[DSDE_ALLTOALL] ? calloc(2 * (size_t)u->n, sizeof *u->count_out) : NULL;
  u->count_in = u->count_out != NULL ? u->count_out + u->n : NULL;
  bool enough = ns != NULL && u->item != NULL && u->target != NULL &&
                (u->count_out != NULL || !u->opts->use[DSDE_ALLTOALL]);
  int code =
      enough ? run(u, ns, ns + u->opts->rounds, right) : dsde_fail("private memory", EYOT_ENOMEM);
  free(ns);
  free(u->item);
  free(u->target);
  free(u->count_out);
  free(u->block_out);
  free(u->block_in);
  return code;
}

/* Returns the exit code. Errors that all units see alike end the run in order, others at once. */
static int work(const struct dsde_opts *opts) {
  struct dsde_unit u = {.opts = opts, .me = eyot_me().id, .n = eyot_size()};
  bool right = true;
  int code = open_inbox(&u);
  if (code == EYOT_ENOMEM) {
    if (u.me == 0)
      fprintf(stderr,
              "dsde: the inbox takes %llu bytes of a unit's symmetric heap; raise EYOT_HEAP_MAX, "
              "or take a smaller --room\n",
              (unsigned long long)dsde_part_bytes(opts->room));
    return 1;
  }
  if (code != EYOT_OK) eyot_abort(1, "dsde cannot go on");
  if (u.me == 0)
    printf("dsde: %u units (%s), each sends 8 bytes to %u random units, %u times, seed %u\n", u.n,
           eyot_fabric_name(), opts->targets, opts->rounds, opts->seed);
  if (run_with_memory(&u, &right) != EYOT_OK || close_inbox(&u) != EYOT_OK)
    eyot_abort(1, "dsde cannot go on");
  return right ? 0 : 1;
}

int main(int argc, char **argv) {
  struct dsde_opts opts;
  char message[160];
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "dsde: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  bool speaks = eyot_me().id == 0;
  int parsed = dsde_args_parse(argc, argv, &opts, message, sizeof message),
      leave = parsed < 0 ? 2 : 0;
  if (parsed > 0 && speaks) printf("%s", dsde_args_usage());
  if (parsed < 0 && speaks) fprintf(stderr, "dsde: %s\n%s", message, dsde_args_usage());
  if (parsed == 0) leave = work(&opts);
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
