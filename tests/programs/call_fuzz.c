/* SPDX-License-Identifier: BSD-3-Clause */
/* call_fuzz.c - random calls of the public API with arguments of which some are wrong. Usage:
 * call_fuzz [seed [calls]].
 *
 * Each unit draws its own calls. An argument is either right or wrong beyond doubt: a call with
 * right arguments only must succeed, one with a wrong argument must return an error of types.h and
 * change no output. Each unit has a region of every unit's part for itself and keeps a model of it,
 * which it reads back; no call may change the guards around them. Run it with --log silent. */
#include <string.h>

#include "programs/api_check.h"

#define REGION 256u /* bytes that one unit may change in each part */
#define FILL 0xa5
#define SLOTS 8u
#define SETS 5u
#define PHASE 200u /* calls between two checks of all memory */

struct fuzz {
  uint32_t me, n;
  uint64_t rng, part;
  eyot_gptr_t seg, freed, again, own[SLOTS];
  uint8_t *model; /* the caller's region of each unit */
  eyot_lock_t lock;
  eyot_counter_t counter;
  eyot_set_t set[SETS], gone; /* set[0]: the default set; others: EYOT_SET_NULL if not made */
  bool wrong;                 /* an argument of the call being drawn is wrong */
  uint8_t in[REGION], out[REGION];
  uint64_t failed, done;
};

static uint64_t below(struct fuzz *f, uint64_t n) {
  return draw(&f->rng) % n;
}
/* One argument of eight is wrong. */
static bool spoil(struct fuzz *f) {
  bool bad = below(f, 8) == 0;
  f->wrong |= bad;
  return bad;
}

/* A place for [0, len) in the caller's region of *unit; or a wrong global pointer. */
static eyot_gptr_t place(struct fuzz *f, uint64_t len, uint64_t align, uint32_t *unit,
                         uint64_t *off) {
  *unit = (uint32_t)below(f, f->n);
  *off = below(f, (REGION - len) / align + 1) * align;
  eyot_gptr_t g = eyot_gptr_at(eyot_gptr_add(f->seg, (int64_t)(f->me * (uint64_t)REGION + *off)),
                               (eyot_unit_t){*unit});
  if (!spoil(f)) return g;
  eyot_gptr_t wrong = g;
  switch (below(f, 6)) {
    case 0:
      return EYOT_GPTR_NULL;
    case 1:
      return eyot_gptr_at(eyot_gptr_add(f->freed, (int64_t)*off), (eyot_unit_t){*unit});
    case 2:
      wrong.offset = UINT64_MAX - below(f, 64);
      return wrong;
    case 3:
      wrong.unit = f->n + (uint32_t)below(f, UINT32_MAX - f->n);
      return wrong;
    case 4:
      wrong.gen ^= (uint16_t)(1 + below(f, 65535));
      return wrong;
    default:
      wrong.offset += f->part + (1u << 20) + below(f, UINT32_MAX);
      return wrong;
  }
}
static uint8_t *buffer(struct fuzz *f, uint8_t *right) {
  return spoil(f) ? NULL : right;
}
static int number(struct fuzz *f, uint64_t n) {
  return spoil(f) ? (int)(n + 10 + below(f, 1u << 20)) : (int)below(f, n);
}
static eyot_unit_t unit_arg(struct fuzz *f) {
  uint32_t right = (uint32_t)below(f, f->n);
  return (eyot_unit_t){spoil(f) ? f->n + (uint32_t)below(f, 1000) : right};
}
static eyot_team_t team_arg(struct fuzz *f) {
  return spoil(f) ? (eyot_team_t){(uint32_t)(below(f, 2) == 0 ? 0 : 1000 + below(f, 1u << 30))}
                  : EYOT_TEAM_ALL;
}
/* A set; or what is none: destroyed, of another unit, or nothing like one. */
static eyot_set_t set_arg(struct fuzz *f) {
  eyot_set_t right = f->set[below(f, SETS)], wrong = right;
  if (right.id == EYOT_SET_NULL.id) right = EYOT_SET_DEFAULT;
  if (!spoil(f)) return right;
  switch (below(f, 4)) {
    case 0:
      return EYOT_SET_NULL;
    case 1:
      return f->gone;
    case 2:
      wrong.id ^= (1 + below(f, UINT32_MAX)) << 32; /* another generation */
      return wrong.id == 0 ? EYOT_SET_NULL : wrong;
    default:
      wrong.id = 1 + EYOT_SET_MAX + below(f, EYOT_SET_MAX - 1); /* no such slot */
      return wrong;
  }
}
static uint8_t *model_at(const struct fuzz *f, uint32_t unit, uint64_t off) {
  return f->model + unit * (uint64_t)REGION + off;
}

/* Judges the result of a call that returns 0 or an error. */
static bool result(struct fuzz *f, int rc, const char *call) {
  if (rc > 0 || rc < EYOT_ELAST || f->wrong == (rc == EYOT_OK)) {
    fprintf(stderr, "unit %u, call %llu: %s returned %d (%s); expected %s\n", f->me,
            (unsigned long long)f->done, call, rc, eyot_strerror(rc),
            f->wrong ? "an error" : "success");
    eyot_abort(1, "a result is wrong");
  }
  f->failed += rc != EYOT_OK;
  return rc == EYOT_OK;
}
#define RESULT(call) result(f, (call), #call)

static void untouched(const struct fuzz *f) {
  for (uint32_t i = 0; i < REGION; i++) CHECK(f->out[i] == FILL);
}

static void put_some(struct fuzz *f) {
  uint32_t unit;
  uint64_t len = 1 + below(f, 64), off;
  for (uint64_t i = 0; i < len; i++) f->in[i] = (uint8_t)draw(&f->rng);
  eyot_gptr_t dst = place(f, len, 1, &unit, &off);
  const uint8_t *src = buffer(f, f->in);
  bool ok = false;
  eyot_handle_t h = {1}, before = h;
  switch (below(f, 4)) {
    case 0:
      ok = RESULT(eyot_put(dst, src, len));
      break;
    case 1:
      ok = RESULT(eyot_put_nbi(dst, src, len));
      if (ok) OK(eyot_flush((eyot_unit_t){unit}, EYOT_REMOTE));
      break;
    case 2:
      ok = RESULT(eyot_put_nb(dst, src, len, &h));
      if (ok) OK(eyot_wait(&h, EYOT_REMOTE));
      CHECK(ok || h.id == before.id);
      break;
    default: {
      uint64_t lens[2] = {len / 2, len - len / 2}, from[2] = {0, len / 2};
      ok = RESULT(eyot_put_indexed(dst, src, &(eyot_indexed_t){2, lens, from, from}));
    }
  }
  if (ok) memcpy(model_at(f, unit, off), f->in, len);
}

static void get_some(struct fuzz *f) {
  uint32_t unit;
  uint64_t len = 1 + below(f, 64), off;
  eyot_gptr_t src = place(f, len, 1, &unit, &off);
  uint8_t *dst = buffer(f, f->out);
  memset(f->out, FILL, sizeof f->out);
  bool ok = false;
  switch (below(f, 3)) {
    case 0:
      ok = RESULT(eyot_get(dst, src, len));
      break;
    case 1:
      ok = RESULT(eyot_get_nbi(dst, src, len));
      if (ok) OK(eyot_flush_all(EYOT_LOCAL));
      break;
    default:
      ok = RESULT(eyot_get_strided(dst, src, &(eyot_strided_t){1, len, 1, 1}));
  }
  if (ok) CHECK(memcmp(f->out, model_at(f, unit, off), len) == 0);
  if (ok) memset(f->out, FILL, len);
  untouched(f);
}

static void atomic(struct fuzz *f) {
  uint32_t unit;
  uint64_t off, add = draw(&f->rng), old = 7, mine;
  eyot_gptr_t dst = place(f, 8, 8, &unit, &off);
  memcpy(&mine, model_at(f, unit, off), 8);
  uint64_t next = mine + add;
  bool ok;
  switch (below(f, 5)) {
    case 0:
      ok = RESULT(eyot_fetch_add_u64(dst, add, spoil(f) ? NULL : &old));
      break;
    case 1:
      ok = RESULT(eyot_swap_u64(dst, add, spoil(f) ? NULL : &old));
      next = add;
      break;
    case 2:
      ok = RESULT(eyot_cas_u64(dst, mine + (add & 1), add, spoil(f) ? NULL : &old));
      next = (add & 1) != 0 ? mine : add;
      break;
    case 3: {
      bool wrong_type = spoil(f);
      ok = RESULT(eyot_fetch_op(dst, wrong_type ? (eyot_type_t)(100 + below(f, 100)) : EYOT_UINT64,
                                (eyot_op_t)(spoil(f) ? 50 : EYOT_SUM), spoil(f) ? NULL : &add,
                                spoil(f) ? NULL : &old));
      break;
    }
    default:
      if (below(f, 4) == 0) dst.offset ^= 1, f->wrong = true; /* not aligned */
      ok = RESULT(eyot_accumulate(dst, EYOT_UINT64, EYOT_SUM, spoil(f) ? NULL : &add));
      old = ok ? mine : 7;
  }
  CHECK(old == (ok ? mine : 7));
  if (ok) memcpy(model_at(f, unit, off), &next, 8);
}

static void signals(struct fuzz *f) {
  uint32_t unit;
  uint64_t off, value = draw(&f->rng), seen = 7;
  bool done = true;
  eyot_gptr_t sig = place(f, 8, 8, &unit, &off);
  if (below(f, 2) == 0) {
    int op = number(f, 1); /* SET */
    if (!RESULT(eyot_put_signal(sig, NULL, 0, sig, (eyot_signal_op_t)op, value))) return;
    memcpy(model_at(f, unit, off), &value, 8);
    return;
  }
  if (!f->wrong && unit != f->me) f->wrong = true; /* only own words can be waited for */
  int cmp = number(f, 6);
  bool ok = RESULT(eyot_test_until(sig, (eyot_cmp_t)cmp, value, &seen, &done));
  CHECK(ok || (seen == 7 && done));
}

static void set_life(struct fuzz *f) {
  uint32_t i = 1 + (uint32_t)below(f, SETS - 1);
  eyot_set_t made = {77};
  if (f->set[i].id == EYOT_SET_NULL.id) {
    if (RESULT(eyot_set_create(spoil(f) ? NULL : &made))) f->set[i] = made;
    CHECK(f->wrong == (made.id == 77));
    return;
  }
  made = spoil(f) ? EYOT_SET_DEFAULT : f->set[i];
  if (!RESULT(eyot_set_destroy(&made))) return;
  CHECK(made.id == EYOT_SET_NULL.id);
  f->gone = f->set[i];
  f->set[i] = EYOT_SET_NULL;
}

static void set_posts(struct fuzz *f) {
  uint32_t unit;
  uint64_t len = 1 + below(f, 64), off, add = draw(&f->rng), mine;
  bool put = below(f, 2) == 0, ok = false;
  eyot_set_t set = set_arg(f);
  eyot_gptr_t dst = place(f, put ? len : 8, put ? 1 : 8, &unit, &off);
  for (uint64_t i = 0; i < len; i++) f->in[i] = (uint8_t)draw(&f->rng);
  switch (put ? below(f, 3) : 3) {
    case 0:
      ok = RESULT(eyot_set_put(set, dst, buffer(f, f->in), len));
      break;
    case 1:
      ok = RESULT(eyot_set_put_local(set, dst, buffer(f, f->in), len));
      break;
    case 2:
      ok =
          RESULT(eyot_set_put_strided(set, dst, buffer(f, f->in), &(eyot_strided_t){1, len, 1, 1}));
      break;
    default:
      ok = RESULT(eyot_set_accumulate(set, dst, EYOT_UINT64, EYOT_SUM, spoil(f) ? NULL : &add));
  }
  if (!ok) return;
  OK(below(f, 2) == 0 ? eyot_set_flush(set, (eyot_unit_t){unit}, EYOT_REMOTE)
                      : eyot_set_flush_all(set, EYOT_REMOTE));
  if (put) {
    memcpy(model_at(f, unit, off), f->in, len);
    return;
  }
  memcpy(&mine, model_at(f, unit, off), 8);
  mine += add;
  memcpy(model_at(f, unit, off), &mine, 8);
}

static void set_results(struct fuzz *f) {
  uint32_t unit;
  uint64_t off, add = draw(&f->rng), mine, *old = (uint64_t *)(void *)f->out;
  eyot_set_t set = set_arg(f);
  if (below(f, 3) == 0) {
    (void)(add % 2 == 0 ? RESULT(eyot_set_order(set, unit_arg(f)))
                        : RESULT(eyot_set_flush(set, unit_arg(f), (eyot_level_t)number(f, 2))));
    return;
  }
  eyot_gptr_t at = place(f, 8, 8, &unit, &off);
  memcpy(&mine, model_at(f, unit, off), 8);
  memset(f->out, FILL, sizeof f->out);
  uint64_t next = mine;
  bool ok;
  switch (below(f, 3)) {
    case 0:
      ok = RESULT(eyot_set_get(set, buffer(f, f->out), at, 8));
      break;
    case 1:
      ok = RESULT(eyot_set_fetch_op(set, at, EYOT_UINT64, EYOT_SUM, spoil(f) ? NULL : &add,
                                    spoil(f) ? NULL : old));
      next = mine + add;
      break;
    default:
      ok = RESULT(eyot_set_compare_swap(set, at, EYOT_UINT64, spoil(f) ? NULL : &mine, &add,
                                        spoil(f) ? NULL : old));
      next = add;
      break;
  }
  if (ok) {
    OK(eyot_set_flush_all(set, EYOT_LOCAL));
    CHECK(memcmp(old, &mine, 8) == 0);
    OK(eyot_set_flush_all(set, EYOT_REMOTE));
    memcpy(model_at(f, unit, off), &next, 8);
    memset(f->out, FILL, 8);
  }
  untouched(f);
}

static void memory(struct fuzz *f) {
  uint32_t i = (uint32_t)below(f, SLOTS);
  eyot_gptr_t g = EYOT_GPTR_NULL;
  if (!eyot_gptr_is_null(f->own[i])) {
    eyot_gptr_t gone = f->own[i];
    if (spoil(f)) gone.offset += 8, gone.gen ^= 1;
    if (!RESULT(eyot_free(gone))) return;
    f->own[i] = EYOT_GPTR_NULL;
    CHECK(eyot_free(gone) != EYOT_OK);
    CHECK(eyot_put(gone, f->in, 1) != EYOT_OK);
  } else if (below(f, 2) == 0) {
    uint64_t bytes = spoil(f) ? UINT64_MAX - below(f, 4096) : 8 + below(f, 1000);
    if (RESULT(eyot_alloc(bytes, &g))) {
      f->own[i] = g;
      OK(eyot_put(eyot_gptr_add(g, (int64_t)bytes - 1), f->in, 1));
      CHECK(eyot_put(eyot_gptr_add(g, (int64_t)bytes), f->in, 1) == EYOT_ERANGE);
    }
    CHECK(f->wrong == eyot_gptr_is_null(g));
  } else {
    static uint64_t words[4];
    if (!RESULT(eyot_register(spoil(f) ? NULL : words, sizeof words, &g))) return;
    OK(eyot_unregister(g));
    CHECK(eyot_unregister(g) != EYOT_OK);
  }
}

static void locks(struct fuzz *f) {
  bool got = false, held = false;
  eyot_lock_t l = f->lock;
  if (spoil(f)) l.at = below(f, 2) == 0 ? EYOT_GPTR_NULL : f->freed;
  if (!RESULT(eyot_lock_try(l, EYOT_LOCK_EXCLUSIVE, &got))) return;
  CHECK(got);
  OK(eyot_lock_held(l, &held));
  CHECK(held);
  OK(eyot_lock_release(l));
  CHECK(eyot_lock_release(l) != EYOT_OK);
}

static void counters(struct fuzz *f) {
  uint64_t value = 7;
  bool fired = true;
  eyot_counter_t c = f->counter;
  if (spoil(f)) c.at = below(f, 2) == 0 ? EYOT_GPTR_NULL : f->freed;
  if (below(f, 2) == 0) {
    bool ok = RESULT(eyot_counter_value(c, spoil(f) ? NULL : &value));
    CHECK(value == (ok ? 0 : 7));
  } else {
    bool ok = RESULT(eyot_counter_test(c, spoil(f) ? NULL : &fired));
    CHECK(fired == !ok);
  }
}

static void queries(struct fuzz *f) {
  eyot_place_t where;
  eyot_domain_t level = EYOT_DOMAIN_COUNT;
  eyot_tunit_t me = {7777};
  uint32_t size = 7777;
  void *addr = f;
  uint64_t off;
  uint32_t unit;
  switch (below(f, 7)) {
    case 0:
      (void)RESULT(eyot_locate(unit_arg(f), &where));
      break;
    case 1:
      CHECK(RESULT(eyot_distance(unit_arg(f), unit_arg(f), &level)) ==
            (level != EYOT_DOMAIN_COUNT));
      break;
    case 2:
      CHECK((RESULT(eyot_team_me(team_arg(f), &me)) ? f->me : 7777) == me.id);
      break;
    case 3:
      CHECK((RESULT(eyot_team_size(team_arg(f), &size)) ? f->n : 7777) == size);
      break;
    case 4:
      (void)RESULT(eyot_flush(unit_arg(f), (eyot_level_t)number(f, 2)));
      break;
    case 5:
      (void)RESULT(eyot_order(unit_arg(f)));
      break;
    default: {
      eyot_gptr_t g = place(f, 8, 1, &unit, &off);
      f->wrong |= unit != f->me;
      CHECK(RESULT(eyot_gptr_addr(g, &addr)) == (addr != f));
    }
  }
}

/* Collective calls that fail before they communicate. */
static void collectives(struct fuzz *f) {
  eyot_team_t team = {1000 + (uint32_t)below(f, 1u << 30)};
  eyot_gptr_t g = f->seg;
  f->wrong = true;
  switch (below(f, 4)) {
    case 0:
      (void)RESULT(eyot_barrier(team));
      break;
    case 1:
      (void)RESULT(eyot_team_alloc(team, 8, &g));
      CHECK(eyot_gptr_equal(g, f->seg));
      break;
    case 2:
      (void)RESULT(eyot_broadcast(team, (eyot_tunit_t){0}, f->in, 8));
      break;
    default:
      (void)RESULT(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, f->in, f->out, 1));
  }
}

/* Reads every region that the caller has back, and looks at the gaps of its own part. */
static void check_all(struct fuzz *f) {
  OK(eyot_flush_all(EYOT_REMOTE));
  for (uint32_t u = 0; u < f->n; u++) {
    OK(eyot_get(
        f->out,
        eyot_gptr_at(eyot_gptr_add(f->seg, (int64_t)(f->me * (uint64_t)REGION)), (eyot_unit_t){u}),
        REGION));
    CHECK(memcmp(f->out, model_at(f, u, 0), REGION) == 0);
  }
  void *own;
  OK(eyot_gptr_addr(eyot_gptr_at(f->seg, (eyot_unit_t){f->me}), &own));
  for (uint32_t i = 0; i < REGION; i++) CHECK(((uint8_t *)own)[f->n * REGION + i] == FILL);
}

static void start(struct fuzz *f) {
  f->part = ((uint64_t)f->n + 1) * REGION; /* the last region is a guard */
  f->model = calloc(f->n, REGION);
  CHECK(f->model != NULL);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, f->part, &f->seg));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, REGION, &f->freed));
  OK(eyot_team_free(f->freed));
  /* takes the id of the memory that was freed, with another generation */
  OK(eyot_team_alloc(EYOT_TEAM_ALL, REGION, &f->again));
  OK(eyot_lock_alloc(NULL, &f->lock));
  OK(eyot_counter_alloc(1, &f->counter));
  for (uint32_t i = 1; i < SETS; i++) f->set[i] = EYOT_SET_NULL;
  f->gone = EYOT_SET_NULL;
  void *own;
  OK(eyot_gptr_addr(eyot_gptr_at(f->seg, (eyot_unit_t){f->me}), &own));
  memset(own, 0, f->n * (uint64_t)REGION);
  memset((uint8_t *)own + f->n * (uint64_t)REGION, FILL, REGION);
  OK(eyot_sync());
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void stop(struct fuzz *f) {
  for (uint32_t i = 0; i < SLOTS; i++)
    if (!eyot_gptr_is_null(f->own[i])) OK(eyot_free(f->own[i]));
  for (uint32_t i = 1; i < SETS; i++)
    if (f->set[i].id != EYOT_SET_NULL.id) OK(eyot_set_destroy(&f->set[i]));
  OK(eyot_counter_destroy(&f->counter));
  OK(eyot_lock_free(&f->lock));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(f->again));
  OK(eyot_team_free(f->seg));
  free(f->model);
}

int main(int argc, char **argv) {
  static void (*const CALLS[])(struct fuzz *) = {put_some,  get_some,    atomic,   signals,
                                                 memory,    locks,       counters, queries,
                                                 set_posts, set_results, set_life, collectives};
  OK(eyot_init(&argc, &argv));
  static struct fuzz f;
  f.me = eyot_me().id;
  f.n = eyot_size();
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
  uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 0) : 2000;
  f.rng = seed * 0x10001 + f.me;
  start(&f);
  for (f.done = 1; f.done <= calls; f.done++) {
    f.wrong = false;
    CALLS[below(&f, sizeof CALLS / sizeof *CALLS)](&f);
    if (f.done % PHASE == 0 || f.done == calls) check_all(&f);
  }
  CHECK(calls < 100 || (f.failed > calls / 20 && f.failed < calls));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  stop(&f);
  return finish();
}
