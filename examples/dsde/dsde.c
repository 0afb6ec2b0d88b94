/* SPDX-License-Identifier: BSD-3-Clause */
/* dsde.c - dynamic sparse data exchange: each unit sends 8 bytes to each of a few random units, and
 * no unit knows from which units it will receive, or how much. The program compares the time of
 * five protocols and checks every item.
 *
 * The check: every received item names the receiving unit and the exchange, no item arrives twice,
 * and all units together receive as many items as were sent. Phases in the summary: the names of
 * the protocols, and check. */
#include "dsde.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"

int dsde_fail(const char *what, int code) {
  fprintf(stderr, "dsde: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* Sums over the rounds of a protocol, and over units. */
struct totals {
  uint64_t received, bad;
};

static const char *const NAME[DSDE_PROTOCOLS] = {"accumulate", "notify", "alltoall",
                                                 "reduce_scatter", "nbx"};
static int (*const EXCHANGE[DSDE_PROTOCOLS])(struct dsde_unit *, uint32_t) = {
    dsde_accumulate, dsde_notify, dsde_alltoall, dsde_reduce_scatter, dsde_nbx};

static bool uses(const struct dsde_opts *opts, uint32_t protocol) {
  return opts->protocol == DSDE_ALL || opts->protocol == protocol;
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The rounds of one protocol: ns[i] is the time of exchange i on this unit. */
static int run_rounds(struct dsde_unit *u, uint32_t protocol, uint64_t *ns, struct totals *t,
                      uint64_t *needed) {
  for (uint32_t round = 0; round < u->opts->rounds; round++) {
    dsde_fill(u, round);
    if (u->opts->separate) DSDE_TRY(eyot_barrier(EYOT_TEAM_ALL));
    DSDE_TRY(eyot_phase(NAME[protocol]));
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

static void print_time(const struct dsde_unit *u, uint32_t protocol, uint64_t *ns) {
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  uint32_t rounds = u->opts->rounds;
  qsort(ns, rounds, sizeof ns[0], ascending);
  uint64_t median = rounds % 2 == 1 ? ns[rounds / 2] : (ns[rounds / 2 - 1] + ns[rounds / 2]) / 2;
  double messages = (double)u->n * u->opts->targets;
  printf("dsde: %s: %.3f us an exchange in %s time (median of %u, %.3f..%.3f), %.0f messages/s\n",
         NAME[protocol], (double)median / 1e3, clock, rounds, (double)ns[0] / 1e3,
         (double)ns[rounds - 1] / 1e3, median > 0 ? messages * 1e9 / (double)median : 0.0);
  fflush(stdout);
}

/* Is the protocol's result right? If not, unit 0 prints the reason. */
static bool judge(const struct dsde_unit *u, uint32_t protocol, const struct totals *t,
                  uint64_t needed) {
  uint64_t sent = (uint64_t)u->n * u->opts->targets * u->opts->rounds;
  bool fits = protocol == DSDE_ALLTOALL || needed <= u->opts->reserve;
  if (fits && t->bad == 0 && t->received == sent) return true;
  if (u->me != 0) return false;
  if (!fits)
    fprintf(stderr,
            "dsde: %s: %llu of %llu items were not sent: an inbox holds %u items of an exchange; "
            "give --reserve %llu or more\n",
            NAME[protocol], (unsigned long long)(sent - t->received), (unsigned long long)sent,
            u->opts->reserve, (unsigned long long)needed);
  else
    printf("dsde: WRONG: %s: %llu items sent, %llu received, %llu of them bad\n", NAME[protocol],
           (unsigned long long)sent, (unsigned long long)t->received, (unsigned long long)t->bad);
  fflush(stdout);
  return false;
}

/* ns, slowest: a number for each round. */
static int run(struct dsde_unit *u, uint64_t *ns, uint64_t *slowest, bool *right) {
  for (uint32_t protocol = 0; protocol < DSDE_PROTOCOLS; protocol++) {
    if (!uses(u->opts, protocol)) continue;
    struct totals mine = {0, 0}, all;
    uint64_t needed = 0, most;
    int code = run_rounds(u, protocol, ns, &mine, &needed);
    if (code != EYOT_OK) return code;
    /* A reduction returns when all units have ended this protocol, so it also separates the
     * protocols. */
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

/* Collective. All units receive the same EYOT_ENOMEM. */
static int open_inbox(struct dsde_unit *u) {
  void *address;
  DSDE_TRY(eyot_team_alloc(EYOT_TEAM_ALL, dsde_part_bytes(u->opts->reserve), &u->g));
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

/* Private memory. Returns whether there is enough; give_memory frees what there is. */
static bool take_memory(struct dsde_unit *u, uint64_t **ns) {
  size_t targets = u->opts->targets;
  bool enough = (*ns = calloc(2 * (size_t)u->opts->rounds, sizeof **ns)) != NULL;
  enough = enough && (u->item = calloc(targets, sizeof *u->item)) != NULL;
  enough = enough && (u->target = calloc(targets, sizeof *u->target)) != NULL;
  if (uses(u->opts, DSDE_ALLTOALL)) {
    enough = enough && (u->count_out = calloc(2 * (size_t)u->n, sizeof *u->count_out)) != NULL;
    u->count_in = enough ? u->count_out + u->n : NULL;
  }
  if (uses(u->opts, DSDE_REDUCE_SCATTER)) {
    enough = enough && (u->by_target = calloc(targets, sizeof *u->by_target)) != NULL;
    enough = enough && (u->packed = calloc(targets, sizeof *u->packed)) != NULL;
    enough = enough && (u->sends = calloc(u->n, sizeof *u->sends)) != NULL;
  }
  if (uses(u->opts, DSDE_NBX))
    enough = enough && (u->put = calloc(targets, sizeof *u->put)) != NULL;
  return enough;
}
static void give_memory(struct dsde_unit *u, uint64_t *ns) {
  free(ns);
  free(u->item);
  free(u->target);
  free(u->count_out);
  free(u->block_out);
  free(u->block_in);
  free(u->by_target);
  free(u->packed);
  free(u->sends);
  free(u->put);
}

static int run_with_memory(struct dsde_unit *u, bool *right) {
  uint64_t *ns = NULL;
  int code = take_memory(u, &ns) ? run(u, ns, ns + u->opts->rounds, right)
                                 : dsde_fail("private memory", EYOT_ENOMEM);
  give_memory(u, ns);
  return code;
}

/* Returns the exit code. Errors that all units receive end the run in order, others at once. */
static int work(const struct dsde_opts *opts) {
  struct dsde_unit u = {.opts = opts, .me = eyot_me().id, .n = eyot_size()};
  bool right = true;
  int code = open_inbox(&u);
  if (code == EYOT_ENOMEM) {
    if (u.me == 0)
      fprintf(stderr,
              "dsde: the inbox takes %llu bytes of a unit's symmetric heap; raise EYOT_HEAP_MAX, "
              "or take a smaller --reserve\n",
              (unsigned long long)dsde_part_bytes(opts->reserve));
    return 1;
  }
  if (code != EYOT_OK) eyot_abort(1, "dsde cannot continue");
  if (u.me == 0)
    printf("dsde: %u units (%s), each sends 8 bytes to %u random units, %u times, seed %u\n", u.n,
           eyot_fabric_name(), opts->targets, opts->rounds, opts->seed);
  if (run_with_memory(&u, &right) != EYOT_OK || close_inbox(&u) != EYOT_OK)
    eyot_abort(1, "dsde cannot continue");
  return right ? 0 : 1;
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct dsde_opts *opts) {
  bool back_to_back = false;
  const struct args_option table[] = {
      {"protocol", "accumulate|notify|alltoall|reduce_scatter|nbx|all", ARGS_WORD(&opts->protocol),
       .initial = DSDE_ALL,
       .help = "accumulate: slots taken by atomics, puts, a fence; notify: notified puts and a "
               "split-phase barrier; alltoall: counts, then data; reduce_scatter: the "
               "number of messages by a reduction, notified puts; nbx: acknowledged puts and a "
               "non-blocking barrier; all (default): one after the other"},
      {"targets", "K", ARGS_FIELD(&opts->targets), 1, DSDE_MAX_TARGETS, 6,
       .help = "random units to which each unit sends 8 bytes"},
      {"rounds", "N", ARGS_FIELD(&opts->rounds), 1, DSDE_MAX_ROUNDS, 5,
       .help = "exchanges by each protocol"},
      {"reserve", "N", ARGS_FIELD(&opts->reserve), 1, DSDE_MAX_RESERVE,
       .help = "items that a unit can receive in an exchange; by default four times the targets, "
               "and 32"},
      {"seed", "N", ARGS_FIELD(&opts->seed), 0, UINT32_MAX, 1, .help = "seed of the targets"},
      {"back-to-back", .flag = &back_to_back, .set = true,
       .help = "no barrier before each exchange: shows that exchanges do not disturb each other; "
               "times are not those of one exchange"},
  };
  int leave = args_parse("dsde", table, ARGS_COUNT(table), argc, argv);
  opts->separate = !back_to_back;
  if (opts->reserve == 0) opts->reserve = 4 * opts->targets + 32;
  return leave;
}

int main(int argc, char **argv) {
  struct dsde_opts opts = {0};
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "dsde: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = parse(argc, argv, &opts);
  if (leave == ARGS_RUN) leave = work(&opts);
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
