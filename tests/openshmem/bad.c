/* SPDX-License-Identifier: BSD-3-Clause */
/* bad.c - bad WAY: one mistake of each kind, by PE 0 unless all PEs make it. bad.sh has the
 * sentence that each one must give, and looks up the lines that are marked. */
#include <unistd.h>

#include "tests/openshmem/check.h"

static long word, array[4], lock;
static const long constant = 5;
static long value = 1;

/* A pointer that the compiler knows nothing of. */
static void *opaque(const void *p) {
  void *volatile q = (void *)(uintptr_t)p;
  return q;
}

static void null(void) {
  shmem_long_put(opaque(NULL), &value, 1, 1); /* null here */
}
static void stack(void) {
  long here = 0;
  shmem_long_put(opaque(&here), &value, 1, 1); /* stack here */
}
static void own(void) {
  long *p = calloc(1, sizeof *p);
  shmem_putmem_nbi(opaque(p), &value, sizeof value, 1); /* own here */
}
static void fixed(void) {
  shmem_long_p(opaque(&constant), 1, 1); /* fixed here */
}
static void source(void) {
  long here = 0;
  shmem_long_get(&value, opaque(&here), 1, 1); /* source here */
}
static void signal_word(void) {
  uint64_t here = 0;
  shmem_putmem_signal(&word, &value, 8, opaque(&here), 1, 0, 1); /* signal_word here */
}
static void waited(void) {
  long here = 0;
  shmem_long_wait_until(opaque(&here), SHMEM_CMP_EQ, 0); /* waited here */
}
static void negative(void) {
  shmem_long_p(&word, 1, -1); /* negative here */
}
static void beyond(void) {
  (void)shmem_long_g(&word, n_pes); /* beyond here */
}
static void beyond_atomic(void) {
  shmem_long_atomic_inc(&word, n_pes); /* beyond_atomic here */
}
static void no_context(void) {
  shmem_ctx_long_p(SHMEM_CTX_INVALID, &word, 1, 1); /* no_context here */
}
static void odd_word(void) {
  shmem_long_atomic_inc((long *)(uintptr_t)((char *)array + 4), 1); /* odd_word here */
}
static void comparison(void) {
  shmem_long_wait_until(&word, 9, 0); /* comparison here */
}
static void signal_op(void) {
  static uint64_t sig;
  shmem_long_put_signal(&word, &value, 1, &sig, 1, 7, 1); /* signal_op here */
}
static void stride(void) {
  shmem_long_iput(array, &value, 0, 1, 2, 1); /* stride here */
}
static void lock_twice(void) {
  shmem_set_lock(&lock);
  shmem_set_lock(&lock); /* lock_twice here */
}
static void lock_tried(void) {
  shmem_set_lock(&lock);
  (void)shmem_test_lock(&lock); /* lock_tried here */
}
static void lock_free(void) {
  shmem_clear_lock(&lock); /* lock_free here */
}
static void lock_other(void) {
  shmem_long_p(&lock, -1, 0);
  for (int pe = 0; pe < n_pes; pe++) shmem_long_p(&lock, 0x3fffffff, pe);
  shmem_quiet();
  shmem_set_lock(&lock); /* lock_other here */
}
static void set_outside(void) {
  static long sync_words[SHMEM_BARRIER_SYNC_SIZE];
  shmem_barrier(1, 0, 1, sync_words); /* set_outside here */
}
static void set_beyond(void) {
  static long sync_words[SHMEM_BARRIER_SYNC_SIZE];
  shmem_barrier(0, 1, n_pes, sync_words); /* set_beyond here */
}
static void team_predefined(void) {
  shmem_team_destroy(SHMEM_TEAM_WORLD); /* team_predefined here */
}
static void context_default(void) {
  shmem_ctx_destroy(SHMEM_CTX_DEFAULT); /* context_default here */
}
static shmem_ctx_t old_context(void) {
  shmem_ctx_t ctx;
  (void)shmem_ctx_create(0, &ctx);
  shmem_ctx_destroy(ctx);
  return ctx;
}
static void context_twice(void) {
  shmem_ctx_destroy(old_context()); /* context_twice here */
}
static void context_late(void) {
  shmem_ctx_long_p(old_context(), &word, 1, 1); /* context_late here */
}
static void context_quiet(void) {
  shmem_ctx_quiet(old_context()); /* context_quiet here */
}
static void level(void) {
  int provided;
  TRUE(shmem_init_thread(9, &provided) != 0); /* level here */
}
static void exit_early(void) {
  exit(0);
}

/* -- all PEs ----------------------------------------------------------------------------------- */

static void freed(void) {
  long *p = shmem_malloc(4 * sizeof *p);
  shmem_long_p(p + 1, 1, 1); /* is known as symmetric until it is released */
  shmem_free(p);
  if (me == 0) shmem_long_p(p + 1, 1, 1); /* freed here */
}
static void past(void) {
  long *p = shmem_malloc(4 * sizeof *p), from[5] = {0};
  if (me == 0) shmem_long_put(p, from, 5, 1); /* past here */
}
static volatile size_t many =
    SIZE_MAX / 4; /* times 8 is more than a number of bytes has bits for */
static void too_many(void) {
  long *p = shmem_malloc(sizeof *p), from = 0;
  if (me == 0) shmem_long_put(p, &from, many, 1); /* too_many here */
}
static void strided_too_many(void) {
  long *p = shmem_malloc(sizeof *p), from = 0;
  if (me == 0) shmem_long_iput(p, &from, PTRDIFF_MAX, 1, many, 1); /* strided_too_many here */
}
/* Times 3 PEs it is 2 more than 64 bits can count to. */
static volatile size_t wraps = 0x5555555555555556u;
static void strided_blocks(void) {
  long *p = shmem_malloc(2 * sizeof *p), *q = shmem_malloc(2 * sizeof *q);
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, p, q, 1, 1, wraps); /* strided_blocks here */
}
static void after_end(void) {
  long *p = shmem_malloc(4 * sizeof *p);
  if (me == 0) shmem_long_p(p + 6, 1, 1); /* after_end here */
}
static void long_data(void) {
  static char from[64];
  if (me == 0) shmem_putmem(array, from, (size_t)1 << 40, 1); /* long_data here */
}
static void free_inside(void) {
  char *p = shmem_malloc(64);
  shmem_free(p + 8); /* free_inside here */
}
static void free_twice(void) {
  char *p = shmem_malloc(64);
  shmem_free(p);
  shmem_free(opaque(p)); /* free_twice here */
}
static void free_own(void) {
  void *p = calloc(1, 64);
  shmem_free(opaque(p)); /* free_own here */
}
static void resize_own(void) {
  void *p = calloc(1, 64);
  p = shmem_realloc(opaque(p), 100); /* resize_own here */
}
static void alignment(void) {
  (void)!shmem_align(24, 64); /* alignment here */
}
/* Of an object of four: noticed with --check. */
static void past_object(void) {
  static long five[5];
  shmem_long_put(array + 1, five, 3, 1);
  shmem_long_put(five, five, 5, 1);
  shmem_long_put(array, five, 5, 1); /* past_object here */
}
static void past_result(void) {
  shmem_long_fcollect(SHMEM_TEAM_WORLD, array, &value, 2); /* past_result here */
}
static void product(void) {
  if (shmem_calloc(SIZE_MAX / 4, 8) != NULL) failures++; /* product here */
}
static void full(void) {
  void *p = shmem_malloc((size_t)1 << 45); /* full here */
  if (p != NULL) failures++;
  p = shmem_malloc(100);
  if (p == NULL) failures++;
  shmem_free(p);
}
static void sizes(void) {
  (void)!shmem_malloc((size_t)(64 * (me + 1))); /* sizes here */
}
static void counts(void) {
  (void)shmem_long_broadcast(SHMEM_TEAM_WORLD, array, array, me == 0 ? 1 : 2, 0); /* counts here */
}
static void roots(void) {
  (void)shmem_long_broadcast(SHMEM_TEAM_WORLD, array, array, 1, me); /* roots here */
}
static void root(void) {
  (void)shmem_long_broadcast(SHMEM_TEAM_WORLD, array, array, 1, n_pes); /* root here */
}
static void reduced(void) {
  (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, array, array, me == 0 ? 1 : 2); /* reduced here */
}
static void kinds(void) {
  if (me == 0)
    shmem_barrier_all(); /* kinds here */
  else
    (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, array, array, 1);
}
static void dest(void) {
  long here[4] = {0};
  (void)shmem_long_fcollect(SHMEM_TEAM_WORLD, opaque(here), array, 1); /* dest here */
}
static void no_team(void) {
  (void)shmem_team_sync(SHMEM_TEAM_INVALID); /* no_team here */
}
static void team_twice(void) {
  shmem_team_t team;
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team);
  shmem_team_destroy(team);
  shmem_team_destroy(team); /* team_twice here */
}

static void config_negative(void) {
  const shmem_team_config_t config = {.num_contexts = -4};
  shmem_team_t t, world = SHMEM_TEAM_WORLD;
  const long mask = SHMEM_TEAM_NUM_CONTEXTS;
  (void)shmem_team_split_strided(world, 0, 1, n_pes, &config, mask, &t); /* config_negative here */
}
static void config_null(void) {
  shmem_team_t t, world = SHMEM_TEAM_WORLD;
  const long mask = SHMEM_TEAM_NUM_CONTEXTS;
  (void)shmem_team_split_strided(world, 0, 1, n_pes, NULL, mask, &t); /* config_null here */
}
static void config_mask(void) {
  shmem_team_t x, y, world = SHMEM_TEAM_WORLD;
  const shmem_team_config_t one = {.num_contexts = 1};
  (void)shmem_team_split_2d(world, 2, NULL, 0, &x, &one, 6, &y); /* config_mask here */
}

static void team_late(void) {
  shmem_team_t team;
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, &team);
  shmem_team_destroy(team);
  TRUE(shmem_team_n_pes(team) == -1);
  (void)shmem_team_sync(team); /* team_late here */
}

/* Others waiting for a PE that will not come. */
static void hang(void) {
  if (me == 0)
    shmem_long_wait_until(&word, SHMEM_CMP_EQ, 7); /* hang here */
  else
    shmem_barrier_all();
}

static const struct {
  const char *name;
  void (*make)(void);
  bool all; /* all PEs make it */
} ways[] = {{"null", null, false},
            {"stack", stack, false},
            {"own", own, false},
            {"fixed", fixed, false},
            {"source", source, false},
            {"signal_word", signal_word, false},
            {"waited", waited, false},
            {"negative", negative, false},
            {"beyond", beyond, false},
            {"beyond_atomic", beyond_atomic, false},
            {"no_context", no_context, false},
            {"odd_word", odd_word, false},
            {"comparison", comparison, false},
            {"signal_op", signal_op, false},
            {"stride", stride, false},
            {"lock_twice", lock_twice, false},
            {"lock_tried", lock_tried, false},
            {"lock_free", lock_free, false},
            {"lock_other", lock_other, false},
            {"set_outside", set_outside, false},
            {"set_beyond", set_beyond, false},
            {"team_predefined", team_predefined, false},
            {"context_default", context_default, false},
            {"context_twice", context_twice, false},
            {"context_late", context_late, false},
            {"context_quiet", context_quiet, false},
            {"level", level, true},
            {"exit_early", exit_early, true},
            {"freed", freed, true},
            {"past", past, true},
            {"too_many", too_many, true},
            {"strided_too_many", strided_too_many, true},
            {"strided_blocks", strided_blocks, true},
            {"after_end", after_end, true},
            {"long_data", long_data, true},
            {"free_inside", free_inside, true},
            {"free_twice", free_twice, true},
            {"free_own", free_own, true},
            {"resize_own", resize_own, true},
            {"alignment", alignment, true},
            {"full", full, true},
            {"past_object", past_object, false},
            {"past_result", past_result, true},
            {"product", product, true},
            {"sizes", sizes, true},
            {"counts", counts, true},
            {"roots", roots, true},
            {"root", root, true},
            {"reduced", reduced, true},
            {"kinds", kinds, true},
            {"dest", dest, true},
            {"no_team", no_team, true},
            {"team_twice", team_twice, true},
            {"config_negative", config_negative, true},
            {"config_null", config_null, true},
            {"config_mask", config_mask, true},
            {"team_late", team_late, true},
            {"hang", hang, true}};

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  if (strcmp(way, "before") == 0) shmem_long_p(&word, 1, 0); /* before here */
  if (strcmp(way, "before_pe") == 0) return shmem_my_pe();   /* before_pe here */
  begin();
  if (strcmp(way, "after") == 0) {
    shmem_finalize();
    shmem_long_p(&word, 1, 0); /* after here */
  }
  if (strcmp(way, "none") == 0) return finish();
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (strcmp(way, ways[i].name) == 0) {
      if (ways[i].all || me == 0) ways[i].make();
      shmem_barrier_all();
      return finish();
    }
  return 99;
}
