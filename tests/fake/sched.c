/* SPDX-License-Identifier: BSD-3-Clause */
/* sched.c - units as coroutines, and the loop that decides the next event of the fake fabric: a
 * delivery, a unit's next steps, or the passing of time. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/state.h"

#if defined(__SANITIZE_ADDRESS__)
#define FAKE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FAKE_ASAN 1
#endif
#endif
#ifdef FAKE_ASAN
#include <sanitizer/common_interface_defs.h>
static void leaving(void **save, const void *low, size_t bytes) {
  __sanitizer_start_switch_fiber(save, low, bytes);
}
static void arrived(void *save, const void **low, size_t *bytes) {
  __sanitizer_finish_switch_fiber(save, low, bytes);
}
#else
static void leaving(void **save, const void *low, size_t bytes) {
  (void)save, (void)low, (void)bytes;
}
static void arrived(void *save, const void **low, size_t *bytes) {
  (void)save, (void)low, (void)bytes;
}
#endif

#define UNWIND_STEPS 100000u /* steps that units get to clean up after a deadlock or livelock */
#define MOOD_STEPS 64u
#define MESSAGE_BYTES 2048u

static char message[MESSAGE_BYTES];

const char *fake_message(void) {
  return message;
}

void fake_say(struct fake_world *w, const char *fmt, ...) {
  size_t at = strlen(message);
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(message + at, sizeof message - at, fmt, ap);
  va_end(ap);
  if (w != NULL && !w->o.quiet)
    fprintf(stderr, "fake fabric: %s\n", message + at + (message[at] == ';' ? 2 : 0));
  if (w == NULL) message[0] = '\0';
}

/* splitmix64 */
uint64_t fake_random(struct fake_world *w) {
  uint64_t z = w->rng += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void leave_to_main(struct fake_unit *u, bool for_ever) {
  struct fake_world *w = u->w;
  if (fake_thread_waits(u)) return;
  fake_alloc_units(false, 0, false);
  leaving(for_ever ? NULL : &u->asan, w->main_low, w->main_bytes);
  struct sim_transfer t = jump_fcontext(w->main_ctx, NULL);
  w->main_ctx = t.from;
  arrived(u->asan, &w->main_low, &w->main_bytes);
  fake_alloc_units(true, 0, false);
}

static void entry(struct sim_transfer t) {
  struct fake_unit *u = t.data;
  u->w->main_ctx = t.from;
  arrived(NULL, &u->w->main_low, &u->w->main_bytes);
  fake_alloc_units(true, 0, false);
  u->w->unit_main(&u->fab, u->w->arg);
  u->finished = true;
  leave_to_main(u, true);
  EYOTI_PANIC("a finished unit was resumed");
}

/* Stacks of units that are gone, for the next ones: new pages would take longer than most runs. A
 * sanitizer knows what is on a stack, so it gets new ones. */
static struct spare { struct spare *next; } * spares;

static char *stack_take(void) {
  struct spare *s = spares;
  if (s == NULL) return fake_grow(NULL, FAKE_STACK_BYTES);
  spares = s->next;
  return (char *)s;
}

void fake_stack_free(char *stack) {
  struct spare *s = (struct spare *)(void *)stack;
#ifdef FAKE_ASAN
  free(s);
#else
  if (s == NULL) return;
  s->next = spares;
  spares = s;
#endif
}

void fake_unit_start(struct fake_unit *u) {
  u->stack = stack_take();
  u->ctx = make_fcontext(u->stack + FAKE_STACK_BYTES, FAKE_STACK_BYTES, entry);
}

static void resume(struct fake_unit *u) {
  struct fake_world *w = u->w;
  u->ready = NULL;
  w->running = u;
  eyot_current = &u->rt;
  leaving(&w->main_asan, u->stack, FAKE_STACK_BYTES);
  u->ctx = jump_fcontext(u->ctx, u).from;
  arrived(w->main_asan, NULL, NULL);
  eyot_current = eyoti_rt_idle();
  w->running = NULL;
  if (u->finished) w->live--;
}

void fake_leave(struct fake_unit *u) {
  leave_to_main(u, false);
}

void fake_yield(struct fake_unit *u) {
  u->ready = NULL;
  u->deadline = 0;
  leave_to_main(u, false);
}

void fake_offer(struct fake_unit *u) {
  if (u->w->o.mode != FAKE_EAGER && fake_chance(u->w, 4)) fake_yield(u);
}

int fake_park(struct fake_unit *u, bool (*ready)(struct fake_unit *u), uint64_t deadline,
              const char *why) {
  u->why = why;
  u->deadline = deadline;
  u->ready = ready;
  leave_to_main(u, false);
  return u->w->down ? EYOT_EPEERDOWN : EYOT_OK;
}

static bool runnable(struct fake_unit *u) {
  if (u->finished) return false;
  return u->ready == NULL || u->w->down || u->deadline <= u->w->clock_ns || u->ready(u);
}

static struct fake_unit *pick(struct fake_world *w, uint32_t *last) {
  uint32_t from = w->o.mode == FAKE_EAGER ? *last + 1 : (uint32_t)fake_random(w);
  for (uint32_t k = 0; k < w->o.n; k++) {
    uint32_t i = (uint32_t)(((uint64_t)from + k) % w->o.n);
    if (runnable(&w->units[i])) {
      *last = i;
      return &w->units[i];
    }
  }
  return NULL;
}

static bool pass_time(struct fake_world *w) {
  uint64_t next = UINT64_MAX;
  for (uint32_t i = 0; i < w->o.n; i++)
    if (!w->units[i].finished && w->units[i].deadline < next) next = w->units[i].deadline;
  if (next == UINT64_MAX) return false;
  w->clock_ns = next;
  return true;
}

static void name_word(struct fake_world *w, const struct fake_unit *u) {
  const struct fab_cond *c = u->arg;
  const char *in = u->fab.note.what != NULL ? u->fab.note.what : "?",
             *at = fake_resolve(w, u->fab.me, c->seg, c->off, fab_word_bytes(c->type));
  fake_say(w, "; unit %u waits in %s for %s (type %u, cmp %u, value %llu, word now %lld)",
           u->fab.me, in, u->why, c->type, c->cmp, (unsigned long long)c->value,
           (long long)fab_word_load(c->type, at));
}

static void name_units(struct fake_world *w, const char *what) {
  fake_say(w, "%s: %u of %u units are left", what, w->live, w->o.n);
  for (uint32_t i = 0; i < w->o.n; i++) {
    const struct fake_unit *u = &w->units[i];
    if (u->finished) continue;
    const char *in = u->fab.note.what != NULL ? u->fab.note.what : "?";
    if (u->ready == NULL)
      fake_say(w, "; unit %u runs in %s", i, in);
    else if (u->arg_kind == FAKE_ARG_WORDS)
      name_word(w, u);
    else
      fake_say(w, "; unit %u waits in %s for %s", i, in, u->why);
  }
}

static bool deliver_now(struct fake_world *w) {
  if (w->n_pending == 0) return false;
  if (w->steps % MOOD_STEPS == 0) w->mood = (uint32_t)(fake_random(w) % 7 + 1);
  return fake_chance(w, w->mood) && fake_deliver_any(w, false);
}

/* Ends when every unit has finished, or with the reason why one cannot. */
int fake_schedule(struct fake_world *w) {
  int end = FAKE_DONE;
  uint64_t limit = w->o.max_steps;
  uint32_t last = w->o.n - 1;
  while (w->live > 0) {
    w->clock_ns += FAKE_STEP_NS;
    if (++w->steps > limit) {
      if (end != FAKE_DONE) break; /* units that do not end even when all calls fail: abandoned */
      name_units(w, "livelock");
      end = FAKE_STEPS;
      w->down = true;
      limit += UNWIND_STEPS;
    }
    if (deliver_now(w)) continue;
    struct fake_unit *u = pick(w, &last);
    if (u != NULL) {
      resume(u);
      if (w->over) return FAKE_ABORTED;
      continue;
    }
    if (fake_deliver_any(w, true) || pass_time(w)) continue;
    name_units(w, "deadlock");
    end = FAKE_DEADLOCK;
    w->down = true;
    limit = w->steps + UNWIND_STEPS;
  }
  return end;
}
