/* SPDX-License-Identifier: BSD-3-Clause */
/* setup.c - start and end, thread levels, versions, contexts and their separation, and what does
 * nothing. Arguments: thread LEVEL PROVIDED, twice, exit CODE, or none. */
#include "tests/openshmem/check.h"

static int provided_by_query(void) {
  int level = -1;
  shmem_query_thread(&level);
  return level;
}

static int initialized(void) {
  int is = -1;
  shmem_query_initialized(&is);
  return is;
}

static void information(void) {
  int major = 0, minor = 0;
  char name[SHMEM_MAX_NAME_LEN], expected[] = SHMEM_VENDOR_STRING;
  memset(name, 'x', sizeof name);
  shmem_info_get_version(&major, &minor);
  INT(major, SHMEM_MAJOR_VERSION);
  INT(minor, SHMEM_MINOR_VERSION);
  INT(_SHMEM_MAJOR_VERSION, major);
  shmem_info_get_name(name);
  TRUE(memchr(name, '\0', sizeof name) != NULL && strcmp(name, expected) == 0);
  INT(_my_pe(), me);
  INT(_num_pes(), n_pes);
  TRUE(me >= 0 && me < n_pes);
}

/* Without an effect that a program could see, but callable. */
static void nothing(void) {
  static long word;
  word = 4;
  shmem_barrier_all();
  shmem_clear_cache_inv();
  shmem_clear_cache_line_inv(&word);
  shmem_set_cache_inv();
  shmem_set_cache_line_inv(&word);
  shmem_udcflush();
  shmem_udcflush_line(&word);
  shmem_pcontrol(0);
  shmem_pcontrol(2, 3, "text");
  INT(shmem_long_g(&word, next_pe(1)), 4);
  shmem_barrier_all();
}

/* Contexts complete their own operations; many of them exist at once, with each option. */
static void contexts(void) {
  enum { MANY = 12 };
  static long words[MANY], values[MANY];
  const long options[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE,
                          SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE};
  shmem_ctx_t ctx[MANY];
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_session_config_t ops = {.total_ops = 100};
  for (int i = 0; i < MANY; i++) {
    INT(shmem_ctx_create(options[i % 5], &ctx[i]), 0);
    TRUE(ctx[i] != SHMEM_CTX_INVALID && ctx[i] != SHMEM_CTX_DEFAULT);
    INT(shmem_ctx_get_team(ctx[i], &team), 0);
    TRUE(team == SHMEM_TEAM_WORLD);
    values[i] = 10 * me + i;
    words[i] = -1;
  }
  shmem_barrier_all();
  for (int i = 0; i < MANY; i++) {
    shmem_ctx_session_start(ctx[i], SHMEM_CTX_SESSION_BATCH, &ops, SHMEM_CTX_SESSION_TOTAL_OPS);
    shmem_ctx_long_put_nbi(ctx[i], &words[i], &values[i], 1, next_pe(1));
    shmem_ctx_session_stop(ctx[i]);
  }
  for (int i = 0; i < MANY; i++) {
    shmem_ctx_quiet(ctx[i]);
    INT(shmem_long_g(&words[i], next_pe(1)), values[i]);
  }
  shmem_barrier_all();
  for (int i = 0; i < MANY; i++) INT(words[i], 10 * next_pe(-1) + i);
  /* destroying completes */
  shmem_barrier_all();
  shmem_ctx_long_p(ctx[0], &words[0], 77 + me, next_pe(1));
  for (int i = 0; i < MANY; i++) shmem_ctx_destroy(ctx[i]);
  INT(shmem_long_g(&words[0], next_pe(1)), 77 + me);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  INT(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team), 0);
  TRUE(team == SHMEM_TEAM_WORLD);
  TRUE(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_DEFAULT);
  shmem_ctx_fence(SHMEM_CTX_DEFAULT);
  shmem_barrier_all();
}

static int with_level(int level, int expected) {
  int provided = -1;
  INT(shmem_init_thread(level, &provided), 0);
  INT(provided, expected);
  INT(provided_by_query(), expected);
  return finish();
}

/* Each init has a finalize of its own; the last one ends. */
static int twice(void) {
  static long word;
  begin();
  shmem_init();
  shmem_long_p(&word, me, next_pe(1));
  shmem_finalize(); /* completes, as a barrier does */
  INT(initialized(), 1);
  INT(word, next_pe(-1));
  INT(shmem_long_g(&word, me), next_pe(-1));
  int code = finish();
  return code != 0 || initialized() != 0;
}

int main(int argc, char **argv) {
  if (initialized() != 0) return 3;
  if (argc > 3 && strcmp(argv[1], "thread") == 0) return with_level(atoi(argv[2]), atoi(argv[3]));
  if (argc > 1 && strcmp(argv[1], "twice") == 0) return twice();
  begin();
  INT(initialized(), 1);
  if (argc > 2 && strcmp(argv[1], "exit") == 0) {
    if (me == n_pes - 1) shmem_global_exit(atoi(argv[2]));
    shmem_barrier_all(); /* is never complete */
    return 9;
  }
  information();
  nothing();
  contexts();
  TRUE(provided_by_query() >= SHMEM_THREAD_SINGLE);
  int code = finish();
  return code != 0 || initialized() != 0;
}
