/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c - eyot/check.h: passes its calls to the fabric, if it explores or watches the run;
 * otherwise they do little or nothing. Unlike the detectors' reports (rt/observe.h), these calls
 * come from the program. */
#include <eyot/check.h>
#include <stdarg.h>
#include <stdio.h>

#include "rt/observe.h"

#define TEXT_BYTES 400

/* For functions that cannot fail, and may be called before eyot_init or after eyot_finalize. */
static struct fab *explored_now(void) {
  struct eyot_rt *rt = eyot_current;
  return rt->fab != NULL && rt->state == EYOTI_RUNNING ? eyoti_observe_explored(rt) : NULL;
}

static struct fab *watched_now(void) {
  struct eyot_rt *rt = eyot_current;
  return rt->fab != NULL && rt->state == EYOTI_RUNNING ? eyoti_observe_watched(rt) : NULL;
}

/* The same for a function that reports show, called at `site`. */
static struct fab *watched_in(const char *function, const void *site) {
  struct fab *f = watched_now();
  if (f == NULL) return NULL;
  eyot_current->fab->note.what = function;
  eyot_current->site = site;
  return f;
}
#define WATCHED_HERE() watched_in(__func__, __builtin_return_address(0))

int eyot_check_active(void) {
  return explored_now() != NULL;
}

int eyot_check_begin(void) {
  EYOTI_ENTER(rt);
  struct fab *f = eyoti_observe_explored(rt);
  return f != NULL ? f->ops->check->begin(f, true) : EYOT_OK;
}

int eyot_check_end(void) {
  EYOTI_ENTER(rt);
  struct fab *f = eyoti_observe_explored(rt);
  return f != NULL ? f->ops->check->end(f) : EYOT_OK;
}

int eyot_check_point(const char *name) {
  EYOTI_ENTER(rt);
  if (name == NULL) return EYOTI_FAIL(EYOT_EINVAL, "the name of the point is NULL");
  struct fab *f = eyoti_observe_explored(rt);
  return f != NULL ? f->ops->check->point(f, name) : EYOT_OK;
}

int eyot_check_invariant(int (*fn)(void *arg), void *arg, const char *name) {
  EYOTI_ENTER(rt);
  if (fn == NULL || name == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the %s of the invariant is NULL",
                      fn == NULL ? "function" : "name");
  struct fab *f = eyoti_observe_explored(rt);
  return f != NULL ? f->ops->check->invariant(f, fn, arg, name) : EYOT_OK;
}

void eyot_check_fail(const char *format, ...) {
  char text[TEXT_BYTES];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  struct eyot_rt *rt = eyot_current;
  struct fab *f = explored_now();
  fprintf(stderr, "eyot: check failed: %s\n", text);
  if (f != NULL) f->ops->check->fail(f, text);
  if (rt->fab != NULL && rt->state == EYOTI_RUNNING) rt->fab->ops->abort(rt->fab, 1, text);
  eyoti_mistake(__builtin_return_address(0),
                "eyot_check_fail ends the process, because it is outside of eyot_init and "
                "eyot_finalize");
}

void eyot_check_outcome(const char *format, ...) {
  struct fab *f = explored_now();
  if (f == NULL) return;
  char text[TEXT_BYTES];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  f->ops->check->outcome(f, text);
}

int eyot_check_object(const char *model, const char *name, uint64_t param, uint32_t *object) {
  EYOTI_ENTER(rt);
  if (model == NULL || name == NULL || object == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the %s of the object is NULL",
                      model == NULL  ? "model"
                      : name == NULL ? "name"
                                     : "result");
  struct fab *f = eyoti_observe_explored(rt);
  if (f != NULL) return f->ops->check->object(f, model, name, param, object);
  *object = 0;
  return EYOT_OK;
}

int eyot_check_call(uint32_t object, const char *op, const uint64_t *args, uint64_t *id) {
  EYOTI_ENTER(rt);
  if (op == NULL || id == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "the %s of the operation is NULL", op == NULL ? "name" : "id");
  struct fab *f = eyoti_observe_explored(rt);
  if (f != NULL) return f->ops->check->called(f, object, op, args, id);
  *id = 0;
  return EYOT_OK;
}

int eyot_check_return(uint64_t id, int ok, uint64_t result) {
  EYOTI_ENTER(rt);
  struct fab *f = eyoti_observe_explored(rt);
  return f != NULL ? f->ops->check->returned(f, id, ok != 0, result) : EYOT_OK;
}

uint64_t eyot_cpu_load(const uint64_t *p) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL) return f->ops->check->cpu(f, FAB_CPU_LOAD, (uint64_t *)(uintptr_t)p, 0, 0);
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

void eyot_cpu_store(uint64_t *p, uint64_t value) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL)
    (void)f->ops->check->cpu(f, FAB_CPU_STORE, p, value, 0);
  else
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

uint64_t eyot_cpu_add(uint64_t *p, uint64_t value) {
  struct fab *f = WATCHED_HERE();
  return f != NULL ? f->ops->check->cpu(f, FAB_CPU_ADD, p, value, 0)
                   : __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}

uint64_t eyot_cpu_swap(uint64_t *p, uint64_t value) {
  struct fab *f = WATCHED_HERE();
  return f != NULL ? f->ops->check->cpu(f, FAB_CPU_SWAP, p, value, 0)
                   : __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);
}

uint64_t eyot_cpu_cas(uint64_t *p, uint64_t expected, uint64_t desired) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL) return f->ops->check->cpu(f, FAB_CPU_CAS, p, expected, desired);
  (void)__atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
  return expected;
}

void eyot_cpu_fence(void) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL)
    (void)f->ops->check->cpu(f, FAB_CPU_FENCE, NULL, 0, 0);
  else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void eyot_check_reads(const void *p, size_t bytes) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL && bytes > 0) f->ops->check->touches(f, p, bytes, FAB_TOUCH_LOAD);
}

void eyot_check_writes(const void *p, size_t bytes) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL && bytes > 0) f->ops->check->touches(f, p, bytes, FAB_TOUCH_STORE);
}

void eyot_check_racy(const void *p, size_t bytes) {
  struct fab *f = WATCHED_HERE();
  if (f != NULL && bytes > 0) f->ops->check->touches(f, p, bytes, FAB_TOUCH_RACY);
}
