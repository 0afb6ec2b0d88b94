/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc.c - malloc under the control of a test (fake.h): unit tests are linked with --wrap=malloc,
 * calloc and realloc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/state.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);

/* Two counters: one set by the test itself, one by fake_run for allocations inside units. */
struct counter {
  uint64_t seen, fail_at;
};
static struct counter by_test, by_units;
static bool inside_unit;

static bool count(struct counter *c) {
  return ++c->seen == c->fail_at;
}

static bool refuse(void) {
  bool no = count(&by_test);
  if (inside_unit && count(&by_units)) no = true;
  return no;
}

void *__wrap_malloc(size_t bytes) {
  return refuse() ? NULL : __real_malloc(bytes);
}
void *__wrap_calloc(size_t n, size_t bytes) {
  return refuse() ? NULL : __real_calloc(n, bytes);
}
void *__wrap_realloc(void *p, size_t bytes) {
  return refuse() ? NULL : __real_realloc(p, bytes);
}

void fake_alloc_fail_after(uint64_t n) {
  by_test = (struct counter){.fail_at = n};
}
uint64_t fake_alloc_count(void) {
  return by_test.seen;
}

void fake_alloc_units(bool on, uint64_t fail_after, bool fresh) {
  if (fresh) by_units = (struct counter){.fail_at = fail_after};
  inside_unit = on;
}
uint64_t fake_alloc_units_count(void) {
  return by_units.seen;
}

static void *must(void *p) {
  if (p != NULL) return p;
  fputs("fake fabric: out of memory\n", stderr);
  abort();
}
void *fake_alloc(size_t bytes) {
  return must(__real_calloc(1, bytes == 0 ? 1 : bytes));
}
void *fake_grow(void *p, size_t bytes) {
  return must(__real_realloc(p, bytes));
}
