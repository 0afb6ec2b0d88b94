/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_lock_check.c - the arguments of sync_lock, and the final check: gives the history to the
 * oracles. */
#include <inttypes.h>

#include "programs/sync_lock.h"

void options_read(int argc, char **argv, struct options *o) {
  *o = (struct options){.cycles = 1,
                        .rounds = 8,
                        .locks = 1,
                        .targets = 2,
                        .think = 2000,
                        .hold = 1000,
                        .timeout = 5000,
                        .home = UINT64_MAX,
                        .node = 64,
                        .group = 16,
                        .readers_max = 512,
                        .writers_max = 16,
                        .backoff_min = 500,
                        .backoff_max = 50000,
                        .lag = UINT64_MAX,
                        .bypass = UINT64_MAX,
                        .wait = UINT64_MAX,
                        .late = UINT64_MAX,
                        .try_max = UINT64_MAX};
  struct sync_arg known[] = {{"cycles", &o->cycles},
                             {"rounds", &o->rounds},
                             {"locks", &o->locks},
                             {"targets", &o->targets},
                             {"think", &o->think},
                             {"hold", &o->hold},
                             {"shared", &o->shared},
                             {"whole", &o->whole},
                             {"tries", &o->tries},
                             {"timed", &o->timed},
                             {"timeout", &o->timeout},
                             {"nest", &o->nest},
                             {"alloc", &o->alloc},
                             {"home", &o->home},
                             {"attached", &o->attached},
                             {"node", &o->node},
                             {"group", &o->group},
                             {"per_counter", &o->per_counter},
                             {"readers_max", &o->readers_max},
                             {"writers_max", &o->writers_max},
                             {"backoff_min", &o->backoff_min},
                             {"backoff_max", &o->backoff_max},
                             {"lag", &o->lag},
                             {"bypass", &o->bypass},
                             {"wait", &o->wait},
                             {"units_node", &o->units_node},
                             {"units_group", &o->units_group},
                             {"readers", &o->readers},
                             {"late", &o->late},
                             {"try_max", &o->try_max}};
  const struct lock_kind *kind = argc > 1 ? lock_kind_named(argv[1], 0) : NULL;
  if (kind == NULL) {
    lock_kinds_usage("sync_lock", 0, "[NAME=NUMBER...]");
    exit(2);
  }
  o->kind = kind->kind;
  o->members = (kind->has & LOCK_MEMBERS) != 0;
  sync_args_read(argc, argv, 2, known, sizeof known / sizeof known[0]);
}

/* All holds of all units, sorted; refused: acquires that were not successful. */
static struct oracle_hold *collect(struct test *t, size_t *n, uint64_t *refused) {
  struct oracle_hold *all = calloc((size_t)t->n * t->max, sizeof *all);
  CHECK(all != NULL);
  *n = 0;
  *refused = 0;
  for (uint32_t u = 0; u < t->n; u++) {
    eyot_gptr_t part = eyot_gptr_at(t->log, (eyot_unit_t){u});
    struct head head;
    OK(eyot_get(&head, part, sizeof head));
    CHECK(head.holds <= t->max && head.holds + head.refused >= t->o.rounds);
    if (head.holds > 0)
      OK(eyot_get(&all[*n], eyot_gptr_add(part, RECORDS_OFF), head.holds * sizeof *all));
    *n += head.holds;
    *refused += head.refused;
  }
  oracle_sort(all, *n);
  return all;
}

/* Checks the final values of the words, and that no unit has left a lock held. */
static void check_words(struct test *t, const struct oracle_hold *all, size_t n) {
  uint64_t *finals = calloc(t->shape.targets, sizeof *finals);
  CHECK(finals != NULL);
  for (uint32_t target = 0; target < t->shape.targets; target++) {
    uint64_t other = read_word(t, target, 1);
    finals[target] = read_word(t, target, 0);
    CHECK(finals[target] == other);
  }
  CHECK(oracle_tickets(all, n, t->shape, finals, t->sim));
  free(finals);
  for (uint32_t k = 0; k < t->o.locks; k++) {
    eyot_lock_mode_t mode = t->o.members ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE;
    bool got;
    OK(eyot_lock_try(t->lock[k], mode, &got));
    CHECK(got || t->o.cycles > 1);
    /* the last release is on its way (cycle), or will never come */
    if (!got) OK(eyot_lock_acquire(t->lock[k], mode));
    OK(eyot_lock_release(t->lock[k]));
  }
}

/* The bounds of hier.c: `node` holders in a turn of a node, `group` such turns in one of a
 * group. */
static void check_turns(const struct options *o, const struct oracle_hold *all, size_t n) {
  uint64_t in_node, in_group;
  struct oracle_turn turn = {(uint32_t)o->units_node, (uint32_t)o->units_group, o->node,
                             3 * o->lag};
  CHECK(o->lag != UINT64_MAX && o->units_group % o->units_node == 0);
  CHECK(oracle_turns(all, n, turn, &in_node));
  turn.units = turn.outer;
  turn.most *= o->group;
  CHECK(oracle_turns(all, n, turn, &in_group));
  printf("sync_lock: with others waiting at most %" PRIu64 " in a row in a node, %" PRIu64
         " in a group\n",
         in_node, in_group);
}

void history_check(struct test *t) {
  const struct options *o = &t->o;
  size_t n;
  uint64_t refused, bypass = 0, longest = 0;
  uint32_t readers = 0;
  struct oracle_hold *all = collect(t, &n, &refused);
  check_words(t, all, n);
  if (t->sim) {
    CHECK(oracle_exclusion(all, n, t->shape));
    if (o->lag != UINT64_MAX) CHECK(oracle_bypass(all, n, o->lag, o->bypass, &bypass));
    CHECK(oracle_progress(all, n, o->wait, &longest));
    readers = oracle_readers(all, n);
    CHECK(readers >= o->readers);
    if (o->units_node != 0) check_turns(o, all, n);
  }
  free(all);
  printf("sync_lock: %s, %u units: %zu holds, %" PRIu64 " refused", eyot_lock_kind_name(o->kind),
         t->n, n, refused);
  if (t->sim)
    printf("; longest wait %" PRIu64 " ns, at most %" PRIu64 " overtook, %u readers together",
           longest, bypass, readers);
  printf("\n");
}
