/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_lock.c - a lock under load, and the oracles on its history: sync_lock KIND [NAME=NUMBER...];
 * struct options in sync_lock.h lists the names.
 *
 * Every unit acquires one of some locks `rounds` times, after a random time of thinking, in a
 * random way (blocking, with a timeout, by a try; exclusive or shared), and holds it for a random
 * time. Inside it modifies two words of global memory with ordinary puts and gets: a lock that
 * admits two, or admits one before the other's puts have arrived, makes the words differ or loses a
 * count, on any fabric. All holds are recorded; at the end unit 0 gives the history to the
 * oracles. */
#include "programs/sync_lock.h"

#include <inttypes.h>

enum { PLACE_BYTES = 64, PLACE_NS = 20000 }; /* keeps_memory */

static void setup_attr(const struct options *o, eyot_lock_attr_t *attr) {
  *attr = (eyot_lock_attr_t)EYOT_LOCK_ATTR_INIT;
  attr->kind = o->kind;
  if (o->home != UINT64_MAX) attr->home = (uint32_t)(o->home % eyot_size());
  attr->passes[EYOT_DOMAIN_NODE] = (uint32_t)o->node;
  attr->passes[EYOT_DOMAIN_GROUP] = (uint32_t)o->group;
  attr->units_per_counter = (uint32_t)o->per_counter;
  attr->readers_max = (uint32_t)o->readers_max;
  attr->writers_max = (uint32_t)o->writers_max;
  attr->backoff_min_ns = o->backoff_min;
  attr->backoff_max_ns = o->backoff_max;
}

/* Lock k lies at the unit that made it, which sends its address to the others. */
static void alloc_lock(struct test *t, const eyot_lock_attr_t *attr, uint32_t k) {
  uint32_t maker = (k * 5 + 1) % t->n;
  if (t->me == maker) OK(eyot_lock_alloc(attr, &t->lock[k]));
  OK(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){maker}, &t->lock[k], sizeof t->lock[k]));
}

/* Gives each unit's words attached memory of its own. */
static void attach_words(struct test *t) {
  uint64_t bytes = 2 * sizeof(uint64_t) * t->o.locks;
  eyot_gptr_t mine;
  t->attached = calloc(1, bytes);
  t->addresses = calloc(t->n, sizeof *t->addresses);
  CHECK(t->attached != NULL && t->addresses != NULL);
  OK(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &t->dynamic));
  OK(eyot_dynamic_attach(t->dynamic, t->attached, bytes, &mine));
  uint64_t address = (uint64_t)(uintptr_t)t->attached;
  OK(eyot_allgather(EYOT_TEAM_ALL, &address, t->addresses, sizeof address));
}

static void setup(struct test *t) {
  const struct options *o = &t->o;
  eyot_lock_attr_t attr;
  t->sim = strcmp(eyot_fabric_name(), "sim") == 0;
  t->members = o->members ? (o->targets < t->n ? (uint32_t)o->targets : t->n) : 1;
  t->shape = (struct oracle_shape){(uint32_t)o->locks * t->members, t->members};
  CHECK(o->locks >= 1 && o->locks <= LOCKS_MAX && o->targets >= 1 && o->rounds >= 1);
  setup_attr(o, &attr);
  for (uint32_t k = 0; k < o->locks; k++) {
    if (o->alloc != 0)
      alloc_lock(t, &attr, k);
    else
      OK(eyot_lock_create(EYOT_TEAM_ALL, &attr, &t->lock[k]));
  }
  t->max = (o->nest != 0 ? 2 : 1) * o->rounds;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, RECORDS_OFF + t->max * sizeof(struct oracle_hold), &t->log));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 2 * sizeof(uint64_t) * o->locks, &t->words));
  if (o->attached != 0) attach_words(t);
  void *own;
  OK(eyot_gptr_addr(eyot_gptr_at(t->log, eyot_me()), &own));
  t->head = own;
  *t->head = (struct head){0};
  t->record = (struct oracle_hold *)(void *)((char *)own + RECORDS_OFF);
  t->source = calloc(2 * t->max, sizeof *t->source);
  CHECK(t->source != NULL);
}

/* What gets a destroyed lock's memory keeps it: no message to the lock is on its way any more. */
static void keeps_memory(void) {
  unsigned char *own, full[PLACE_BYTES];
  eyot_gptr_t place;
  memset(full, 0xff, sizeof full);
  OK(eyot_team_alloc_raw(EYOT_TEAM_ALL, sizeof full, PLACE_BYTES, &place));
  OK(eyot_gptr_addr(eyot_gptr_at(place, eyot_me()), (void **)&own));
  memcpy(own, full, sizeof full);
  OK(eyot_compute(PLACE_NS));
  CHECK(memcmp(own, full, sizeof full) == 0);
  OK(eyot_team_free(place));
}

static void teardown(struct test *t) {
  for (uint32_t k = 0; k < t->o.locks; k++) {
    if (t->o.alloc == 0)
      OK(eyot_lock_destroy(&t->lock[k]));
    else if (t->me == (k * 5 + 1) % t->n)
      OK(eyot_lock_free(&t->lock[k]));
  }
  if (t->o.alloc == 0 && t->o.cycles > 1 && t->sim) keeps_memory();
  if (t->o.attached != 0) {
    OK(eyot_dynamic_detach(t->dynamic, t->attached));
    OK(eyot_dynamic_destroy(&t->dynamic));
    free(t->attached);
    free(t->addresses);
  }
  OK(eyot_team_free(t->words));
  OK(eyot_team_free(t->log));
  free(t->source);
}

/* The two words that target `target` protects: at two units; at the member itself where release
 * completes only the operations to it. */
static eyot_gptr_t word_of(const struct test *t, uint32_t target, uint32_t which) {
  uint32_t lock = target / t->members, unit = (lock * 7 + 1 + which * (t->n / 2)) % t->n;
  if (t->o.members) unit = target % t->members;
  int64_t byte = (int64_t)((2 * lock + which) * sizeof(uint64_t));
  if (t->o.attached == 0) return eyot_gptr_at(eyot_gptr_add(t->words, byte), (eyot_unit_t){unit});
  eyot_gptr_t at;
  OK(eyot_dynamic_gptr(t->dynamic, (eyot_unit_t){unit}, t->addresses[unit], &at));
  return eyot_gptr_add(at, byte);
}

uint64_t read_word(const struct test *t, uint32_t target, uint32_t which) {
  uint64_t v;
  OK(eyot_get(&v, word_of(t, target, which), sizeof v));
  return v;
}

static void same_words(const struct test *t, const struct oracle_hold *h, uint64_t a, uint64_t b) {
  if (a == b) return;
  fprintf(stderr,
          "unit %u: target %u, %s: the two words are %" PRIu64 " and %" PRIu64
          "; somebody else is inside, or his puts are late (held since %" PRIu64 " ns)\n",
          t->me, h->target, (h->flags & ORACLE_SHARED) != 0 ? "shared" : "exclusive", a, b,
          h->acquire_ns);
  eyot_abort(1, "the words under a lock differ");
}

static void pass_time(struct test *t, uint64_t most_ns) {
  if (most_ns > 0) OK(eyot_compute(draw(&t->random) % most_ns));
}

static void work_shared(struct test *t, const struct oracle_hold *h) {
  uint32_t target = h->target;
  if ((h->flags & ORACLE_WHOLE) != 0)
    target = target / t->members * t->members + (uint32_t)(draw(&t->random) % t->members);
  uint64_t a = read_word(t, target, 0);
  pass_time(t, t->o.hold);
  same_words(t, h, a, read_word(t, target, 1));
}

/* Leaves the puts for release to complete. */
static void work_exclusive(struct test *t, struct oracle_hold *h) {
  uint64_t *source = &t->source[2 * t->head->holds];
  h->ticket = read_word(t, h->target, 0);
  same_words(t, h, h->ticket, read_word(t, h->target, 1));
  pass_time(t, t->o.hold);
  source[0] = source[1] = h->ticket + 1;
  OK(eyot_put_nbi(word_of(t, h->target, 0), &source[0], sizeof source[0]));
  pass_time(t, t->o.hold / 4);
  OK(eyot_put_nbi(word_of(t, h->target, 1), &source[1], sizeof source[1]));
}

/* -- one acquire, in one of the ways ----------------------------------------------------------- */

static int call_acquire(const struct test *t, const struct oracle_hold *h, uint64_t timeout_ns,
                        bool *got) {
  eyot_lock_t lock = t->lock[h->target / t->members];
  eyot_lock_mode_t mode = (h->flags & ORACLE_SHARED) != 0 ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE;
  eyot_tunit_t at = {h->target % t->members};
  bool one = t->o.members && (h->flags & ORACLE_WHOLE) == 0;
  *got = true;
  if ((h->flags & ORACLE_TRIED) != 0)
    return one ? eyot_lock_try_at(lock, mode, at, got) : eyot_lock_try(lock, mode, got);
  if ((h->flags & ORACLE_TIMED) != 0)
    return one ? eyot_lock_acquire_at_timeout(lock, mode, at, timeout_ns)
               : eyot_lock_acquire_timeout(lock, mode, timeout_ns);
  return one ? eyot_lock_acquire_at(lock, mode, at) : eyot_lock_acquire(lock, mode);
}

static bool acquire(struct test *t, struct oracle_hold *h) {
  uint64_t timeout_ns = (h->flags & ORACLE_TIMED) != 0 ? draw(&t->random) % (t->o.timeout + 1) : 0;
  bool got, held;
  h->request_ns = eyot_now_ns();
  int rc = call_acquire(t, h, timeout_ns, &got);
  h->acquire_ns = eyot_now_ns();
  uint64_t took = h->acquire_ns - h->request_ns;
  if ((h->flags & ORACLE_TIMED) != 0 && rc == EYOT_ETIMEOUT) {
    if (t->sim && (took < timeout_ns || took - timeout_ns > t->o.late)) {
      fprintf(stderr,
              "unit %u: a timeout of %" PRIu64 " ns took %" PRIu64 " ns, allowed are %" PRIu64
              " more\n",
              t->me, timeout_ns, took, t->o.late);
      eyot_abort(1, "a timed acquire was not on time");
    }
    got = false;
  } else if (t->o.timed > 0 && rc == EYOT_EBUSY) {
    /* too many timed waits are being removed from the queue */
    got = false;
  } else {
    OK(rc);
  }
  if ((h->flags & ORACLE_TRIED) != 0 && t->sim) CHECK(took <= t->o.try_max);
  if (!t->o.members) {
    OK(eyot_lock_held(t->lock[h->target / t->members], &held));
    CHECK(held == got);
  }
  if (!got) t->head->refused++;
  return got;
}

static void release(struct test *t, struct oracle_hold *h) {
  eyot_lock_t lock = t->lock[h->target / t->members];
  bool one = t->o.members && (h->flags & ORACLE_WHOLE) == 0;
  h->unit = t->me;
  h->release_ns = eyot_now_ns();
  if (one)
    OK(eyot_lock_release_at(lock, (eyot_tunit_t){h->target % t->members}));
  else
    OK(eyot_lock_release(lock));
}

static void nested(struct test *t, uint32_t outer_lock) {
  const struct options *o = &t->o;
  uint32_t lock = outer_lock + 1 + (uint32_t)(draw(&t->random) % (o->locks - outer_lock - 1));
  struct oracle_hold h = {.target = lock * t->members + (uint32_t)(draw(&t->random) % t->members)};
  if (!acquire(t, &h)) return;
  work_exclusive(t, &h);
  release(t, &h);
  t->record[t->head->holds++] = h;
}

static void one_round(struct test *t) {
  const struct options *o = &t->o;
  uint32_t lock = (uint32_t)(draw(&t->random) % o->locks);
  struct oracle_hold h = {.target = lock * t->members + (uint32_t)(draw(&t->random) % t->members)};
  uint64_t way = draw(&t->random) % 100;
  if (draw(&t->random) % 100 < o->shared) h.flags = ORACLE_SHARED;
  if (h.flags != 0 && o->members && draw(&t->random) % 100 < o->whole) h.flags |= ORACLE_WHOLE;
  if (way < o->tries)
    h.flags |= ORACLE_TRIED;
  else if (way < o->tries + o->timed)
    h.flags |= ORACLE_TIMED;
  /* Long breaks now and then leave the lock without waiters. */
  pass_time(t, draw(&t->random) % 8 == 0 ? 16 * o->think : o->think);
  if (!acquire(t, &h)) return;
  if ((h.flags & ORACLE_SHARED) != 0)
    work_shared(t, &h);
  else
    work_exclusive(t, &h);
  if (draw(&t->random) % 100 < o->nest && lock + 1 < o->locks) {
    /* The inner hold takes the next source words, and so the next record. */
    struct oracle_hold *place = &t->record[t->head->holds++];
    nested(t, lock);
    release(t, &h);
    *place = h;
    return;
  }
  release(t, &h);
  t->record[t->head->holds++] = h;
}

/* Made, used, and destroyed: messages of one cycle that are still on their way would hit the next
 * one's memory. A check before that would give them time. */
static void cycle(struct test *t, bool checks) {
  setup(t);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  for (uint64_t r = 0; r < t->o.rounds; r++) one_round(t);
  /* A release that is one message may be on its way for long, and the check's try finds the lock
   * held. With several cycles it may, for the destruction of the lock has to wait for it. */
  if (t->o.cycles == 1) OK(eyot_flush_all(EYOT_REMOTE));
  if (checks) {
    OK(eyot_sync());
    OK(eyot_barrier(EYOT_TEAM_ALL));
    if (t->me == 0) history_check(t);
    OK(eyot_barrier(EYOT_TEAM_ALL));
  }
  teardown(t);
}

int main(int argc, char **argv) {
  struct test t = {0};
  options_read(argc, argv, &t.o);
  OK(eyot_init(&argc, &argv));
  const char *seed = getenv("EYOT_SEED");
  t.n = eyot_size();
  t.me = eyot_me().id;
  t.random = (seed != NULL ? strtoull(seed, NULL, 10) : 1) * 0x9e3779b97f4a7c15u + t.me;
  for (uint64_t c = 0; c < t.o.cycles; c++) cycle(&t, c % 2 == 0);
  return finish();
}
