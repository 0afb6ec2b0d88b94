/* SPDX-License-Identifier: BSD-3-Clause */
/* data.c - the program's data as a segment (eyot/data.h): objects of each kind keep their values
 * and addresses when they become shared, take operations from other units, and what is not
 * symmetric data is refused with its name. data [off|race|late|wrong]: with EYOT_DATA=off; a data
 * race; a wait that never ends; a fault that only some orders show. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_check.h"

#define BIG_BYTES (100u << 20)
#define SMALL_RSS_KIB (64 << 10)

uint64_t exported = 7;
static uint64_t file_local;
static uint64_t *const fixed_pointer = &file_local; /* constant: read-only after the loader */
static uint64_t *pointer = &file_local;
static uint64_t flag, counter, lock_word;
static char big[BIG_BYTES];
static const uint64_t constant = 5;
static _Thread_local uint64_t of_thread;
_Alignas(64) static uint64_t aligned[8];

/* data_cxx.cpp: made by a constructor, before main. */
uint64_t *data_cxx_value(void);
uint64_t data_cxx_sum(void);

static uint64_t *in_function(void) {
  static uint64_t value = 99;
  return &value;
}

static eyot_gptr_t at(const void *object, uint64_t len, uint32_t id) {
  eyot_gptr_t g = EYOT_GPTR_NULL;
  CHECK(eyot_data_gptr(object, len, (eyot_unit_t){id}, &g) == EYOT_OK);
  return g;
}

static void barrier(void) {
  CHECK(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK);
}

static uint64_t got(const void *object, uint32_t id) {
  uint64_t v = 0;
  CHECK(eyot_get(&v, at(object, 8, id), 8) == EYOT_OK);
  return v;
}

/* Values from before eyot_init, addresses, constructors. */
static void kept(uint32_t me, uint32_t next, const void *const *before) {
  void *p = NULL;
  CHECK(before[0] == &exported && before[1] == in_function() && pointer == &file_local);
  CHECK(fixed_pointer == pointer);
  CHECK(got(&exported, next) == 70 && got(in_function(), next) == 99);
  CHECK(got(data_cxx_value(), next) == 4711 && data_cxx_sum() == 10);
  CHECK(got(big + BIG_BYTES / 2, next) == 12 && got(big, next) == 0);
  CHECK(eyot_gptr_addr(at(&file_local, 8, me), &p) == EYOT_OK && p == &file_local);
  CHECK(eyot_gptr_equal(eyot_gptr_at(at(&flag, 8, me), (eyot_unit_t){next}), at(&flag, 8, next)));
  CHECK(((uintptr_t)aligned & 63) == 0 && (at(aligned, 64, me).offset & 63) == 0);
}

static void operations(uint32_t me, uint32_t n, uint32_t next, uint32_t before) {
  uint64_t mark = me + 1, old;
  CHECK(eyot_put(at(&exported, 8, next), &mark, 8) == EYOT_OK);
  CHECK(eyot_put(at(big + BIG_BYTES - 8, 8, next), &mark, 8) == EYOT_OK);
  CHECK(eyot_put(at(data_cxx_value(), 8, next), &mark, 8) == EYOT_OK);
  CHECK(eyot_put_signal(at(&file_local, 8, next), &mark, 8, at(&flag, 8, next), EYOT_SIGNAL_SET,
                        3) == EYOT_OK);
  CHECK(eyot_fetch_add_u64(at(&counter, 8, 0), 1, &old) == EYOT_OK && old < n);
  for (old = 1; old != 0;) {
    CHECK(eyot_cas_u64(at(&lock_word, 8, n - 1), 0, mark, &old) == EYOT_OK);
    CHECK(eyot_progress() == EYOT_OK); /* serves the put of the one that has the lock */
  }
  CHECK(eyot_put(at(in_function(), 8, n - 1), &mark, 8) == EYOT_OK);
  CHECK(got(in_function(), n - 1) == mark);
  CHECK(eyot_swap_u64(at(&lock_word, 8, n - 1), 0, &old) == EYOT_OK && old == mark);
  CHECK(eyot_wait_until(at(&flag, 8, me), EYOT_CMP_EQ, 3, NULL) == EYOT_OK);
  CHECK(*pointer == before + 1);
  barrier();
  CHECK(exported == before + 1 && *data_cxx_value() == before + 1);
  memcpy(&mark, big + BIG_BYTES - 8, 8);
  CHECK(mark == before + 1);
  CHECK(me != 0 || counter == n);
  barrier();
}

static void refused(uint32_t me) {
  eyot_gptr_t g;
  uint64_t on_stack = 1;
  eyot_unit_t unit = {me};
  void *from_heap = malloc(8);
  const void *const none[] = {&on_stack,      from_heap, &constant,     &of_thread,
                              &fixed_pointer, &stdout,   &eyot_current, &eyoti_fast_parts};
  CHECK(eyot_data_contains(&exported, 8) && eyot_data_contains(big, sizeof big));
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    CHECK(!eyot_data_contains(none[i], 8));
    CHECK(eyot_data_gptr(none[i], 8, unit, &g) == EYOT_ERANGE);
  }
  CHECK(eyot_data_gptr(big, UINT64_C(1) << 40, unit, &g) == EYOT_ERANGE);
  CHECK(eyot_data_gptr(NULL, 8, unit, &g) == EYOT_EINVAL);
  CHECK(eyot_data_gptr(big, 8, unit, NULL) == EYOT_EINVAL);
  CHECK(eyot_data_gptr(big, 8, (eyot_unit_t){eyot_size()}, &g) == EYOT_EUNIT);
  CHECK(eyot_put(eyot_gptr_add(at(big, 8, me), INT64_C(1) << 40), &on_stack, 8) == EYOT_ERANGE);
  CHECK(eyot_put(eyot_gptr_add(at(big, 8, me), -(INT64_C(1) << 40)), &on_stack, 8) == EYOT_ERANGE);
  CHECK(eyot_name(at(big, 8, me), "big") == EYOT_ESEG);
  CHECK(eyot_team_free(at(big, 8, me)) == EYOT_ESEG);
  (void)eyot_errors_clear();
  free(from_heap);
}

/* What is never touched costs no memory; only of a process of its own, without a sanitizer's. */
static void untouched_is_free(void) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  long kib = 0;
  char line[200];
  FILE *f = fopen("/proc/self/status", "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0) kib = atol(line + 6);
  if (f != NULL) fclose(f);
  CHECK(kib > 0 && kib < SMALL_RSS_KIB);
#endif
}

static int other_case(const char *name, uint32_t me, uint32_t n) {
  eyot_gptr_t g;
  uint64_t mark = me + 1;
  if (strcmp(name, "off") == 0) {
    CHECK(!eyot_data_contains(&exported, 8));
    CHECK(eyot_data_gptr(&exported, 8, (eyot_unit_t){me}, &g) == EYOT_ENOTSUP);
    (void)eyot_errors_clear();
  } else if (strcmp(name, "race") == 0) { /* all units put to one object, unordered */
    CHECK(eyot_put(at(&exported, 8, 0), &mark, 8) == EYOT_OK);
  } else if (strcmp(name, "late") == 0) { /* the last unit signals another object */
    if (me == 0) CHECK(eyot_wait_until(at(&flag, 8, 0), EYOT_CMP_EQ, 1, NULL) == EYOT_OK);
    if (me + 1 == n)
      CHECK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, at(&counter, 8, 0), EYOT_SIGNAL_SET, 1) ==
            EYOT_OK);
  } else { /* the signal does not cover the put before it */
    if (me == 1) {
      CHECK(eyot_put_nbi(at(&file_local, 8, 0), &mark, 8) == EYOT_OK);
      CHECK(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, at(&flag, 8, 0), EYOT_SIGNAL_SET, 1) ==
            EYOT_OK);
      CHECK(eyot_flush_all(EYOT_REMOTE) == EYOT_OK);
    }
    if (me == 0) {
      CHECK(eyot_wait_until(at(&flag, 8, 0), EYOT_CMP_EQ, 1, NULL) == EYOT_OK);
      if (file_local != 2) eyot_abort(3, "the bytes came after the signal");
    }
  }
  barrier();
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  const void *const before[] = {&exported, in_function()};
  exported = 70;
  big[BIG_BYTES / 2] = 12;
  CHECK(eyot_init(&argc, &argv) == EYOT_OK);
  uint32_t me = eyot_me().id, n = eyot_size();
  if (argc > 1) return other_case(argv[1], me, n);
  kept(me, (me + 1) % n, before);
  if (strcmp(eyot_fabric_name(), "mpi") == 0) untouched_is_free();
  barrier();
  operations(me, n, (me + 1) % n, (me + n - 1) % n);
  refused(me);
  CHECK(eyot_finalize() == EYOT_OK);
  CHECK(exported == (me + n - 1) % n + 1); /* it stays after the end */
  if (me == 0) puts("ok");
  return 0;
}
