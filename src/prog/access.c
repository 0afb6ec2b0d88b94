/* SPDX-License-Identifier: BSD-3-Clause */
/* access.c - the functions that a program calls at each load and store if it was compiled with
 * eyotcc --instrument=accesses, or =steps (then EYOTI_ACCESS_STEPS is EYOTI_STEPS). eyotcc links it
 * into programs.
 *
 * Why it exists: the compiler's pass for ThreadSanitizer inserts a call before each access that
 * other threads may see; from these calls eyotcheck sees plain accesses to global memory. The
 * sanitizer's own run-time library is not linked, this file replaces it. The compilers define the
 * functions' names and meaning (gcc/sanitizer.def; LLVM's ThreadSanitizer.cpp). Under a fabric that
 * observes no accesses a call is one test, and atomics are the CPU's, sequentially consistent
 * whatever order was given. Every unit has a copy, as of the program. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "init/instrument.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wpedantic"

/* By its name the simulator finds that this program reports its loads. */
extern const char eyoti_prog_reports;
__attribute__((visibility("default"))) const char eyoti_prog_reports = 1;

#define HERE __builtin_return_address(0)
#define READS (EYOTI_READS | EYOTI_ACCESS_STEPS)
#define WRITES (EYOTI_WRITES | EYOTI_ACCESS_STEPS)

static inline void access_report(const void *p, size_t bytes, int flags, const void *site) {
  if (eyoti_instrumented()) eyoti_check_access(p, bytes, flags, site);
}

/* -- loads and stores -------------------------------------------------------------------------- */

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) {
  (void)caller;
}
void __tsan_func_exit(void) {}

#define ONE(name, bytes, flags)           \
  void name(void *p);                     \
  void name(void *p) {                    \
    access_report(p, bytes, flags, HERE); \
  }
#define BOTH(name, bytes)                                        \
  void name(void *p);                                            \
  void name(void *p) {                                           \
    access_report(p, bytes, READS, HERE);                        \
    access_report(p, bytes, WRITES & ~EYOTI_ACCESS_STEPS, HERE); \
  }
#define SIZE(bytes)                                        \
  ONE(__tsan_read##bytes, bytes, READS)                    \
  ONE(__tsan_write##bytes, bytes, WRITES)                  \
  BOTH(__tsan_read_write##bytes, bytes)                    \
  ONE(__tsan_unaligned_read##bytes, bytes, READS)          \
  ONE(__tsan_unaligned_write##bytes, bytes, WRITES)        \
  BOTH(__tsan_unaligned_read_write##bytes, bytes)          \
  ONE(__tsan_volatile_read##bytes, bytes, READS)           \
  ONE(__tsan_volatile_write##bytes, bytes, WRITES)         \
  ONE(__tsan_unaligned_volatile_read##bytes, bytes, READS) \
  ONE(__tsan_unaligned_volatile_write##bytes, bytes, WRITES)
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)

void __tsan_read_range(void *p, size_t bytes);
void __tsan_write_range(void *p, size_t bytes);
void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_read(void **p);
void __tsan_read_range(void *p, size_t bytes) {
  access_report(p, bytes, READS, HERE);
}
void __tsan_write_range(void *p, size_t bytes) {
  access_report(p, bytes, WRITES, HERE);
}
void __tsan_vptr_read(void **p) {
  access_report(p, sizeof *p, READS, HERE);
}
void __tsan_vptr_update(void **p, void *value) {
  (void)value;
  access_report(p, sizeof *p, WRITES, HERE);
}

/* -- the functions that compilers call for copies (eyotcc links with --wrap) ------------------- */

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__real_memmove(void *to, const void *from, size_t bytes);
void *__real_memset(void *to, int byte, size_t bytes);

/* Reading and writing are two steps, and the bytes that are there at the second step are copied:
 * the read has the wider window. */
#define COPY(name, real)                                 \
  void *name(void *to, const void *from, size_t bytes);  \
  void *name(void *to, const void *from, size_t bytes) { \
    if (eyoti_instrumented()) {                          \
      eyoti_check_access(to, bytes, WRITES, HERE);       \
      eyoti_check_access(from, bytes, READS, HERE);      \
    }                                                    \
    return real(to, from, bytes);                        \
  }
COPY(__wrap_memcpy, __real_memcpy)
COPY(__wrap_memmove, __real_memmove)
COPY(__tsan_memcpy, __real_memcpy)
COPY(__tsan_memmove, __real_memmove)
#define FILL(name)                               \
  void *name(void *to, int byte, size_t bytes);  \
  void *name(void *to, int byte, size_t bytes) { \
    access_report(to, bytes, WRITES, HERE);      \
    return __real_memset(to, byte, bytes);       \
  }
FILL(__wrap_memset)
FILL(__tsan_memset)

/* -- atomics of 1, 2 and 4 bytes: a step of their own, done by the CPU ------------------------- */

#define SEQ __ATOMIC_SEQ_CST
static inline void access_report_atomic(const volatile void *p, size_t bytes, int flags,
                                        const void *site) {
  if (eyoti_instrumented()) eyoti_check_atomic_as((const void *)(uintptr_t)p, bytes, flags, site);
}

/* An atomic that leaves the value as it is, as in the loop of a spinlock, only reads: a search
 * holds such a unit back until the word changes. Others run before the step: if they have made it
 * one that changes the value, it is a step again. */
#define REPORT_IF(changes, p)                                                              \
  do {                                                                                     \
    if (!eyoti_instrumented()) break;                                                      \
    bool changes_it;                                                                       \
    do {                                                                                   \
      changes_it = (changes);                                                              \
      access_report_atomic(p, sizeof *(p), changes_it ? EYOTI_WRITES : EYOTI_READS, HERE); \
    } while (!changes_it && (changes));                                                    \
  } while (0)

#define FETCH(bits, type, op)                                                      \
  type __tsan_atomic##bits##_fetch_##op(volatile type *p, type value, int order);  \
  type __tsan_atomic##bits##_fetch_##op(volatile type *p, type value, int order) { \
    (void)order;                                                                   \
    access_report_atomic(p, sizeof *p, EYOTI_WRITES, HERE);                        \
    return __atomic_fetch_##op(p, value, SEQ);                                     \
  }
#define SMALL(bits, type)                                                                      \
  type __tsan_atomic##bits##_load(const volatile type *p, int order);                          \
  type __tsan_atomic##bits##_load(const volatile type *p, int order) {                         \
    (void)order;                                                                               \
    access_report_atomic(p, sizeof *p, EYOTI_READS, HERE);                                     \
    return __atomic_load_n(p, SEQ);                                                            \
  }                                                                                            \
  void __tsan_atomic##bits##_store(volatile type *p, type value, int order);                   \
  void __tsan_atomic##bits##_store(volatile type *p, type value, int order) {                  \
    (void)order;                                                                               \
    access_report_atomic(p, sizeof *p, EYOTI_WRITES, HERE);                                    \
    __atomic_store_n(p, value, SEQ);                                                           \
  }                                                                                            \
  type __tsan_atomic##bits##_exchange(volatile type *p, type value, int order);                \
  type __tsan_atomic##bits##_exchange(volatile type *p, type value, int order) {               \
    (void)order;                                                                               \
    REPORT_IF(*p != value, p);                                                                 \
    return __atomic_exchange_n(p, value, SEQ);                                                 \
  }                                                                                            \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type value, \
                                                  int a, int b);                               \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type value, \
                                                  int a, int b) {                              \
    (void)a, (void)b;                                                                          \
    REPORT_IF(*p == expected, p);                                                              \
    (void)__atomic_compare_exchange_n(p, &expected, value, 0, SEQ, SEQ);                       \
    return expected;                                                                           \
  }                                                                                            \
  FETCH(bits, type, add)                                                                       \
  FETCH(bits, type, sub)                                                                       \
  FETCH(bits, type, and)                                                                       \
  FETCH(bits, type, or)                                                                        \
  FETCH(bits, type, xor)                                                                       \
  FETCH(bits, type, nand)
SMALL(8, uint8_t)
SMALL(16, uint16_t)
SMALL(32, uint32_t)

/* -- atomics of 8 bytes: those of eyot/check.h ------------------------------------------------- */

static inline bool checked(enum fab_cpu_op op, volatile uint64_t *p, uint64_t operand,
                           uint64_t desired, uint64_t *old, const void *site) {
  return eyoti_instrumented() &&
         eyoti_check_cpu(op, (uint64_t *)(uintptr_t)p, operand, desired, old, site);
}

static uint64_t swap_if(volatile uint64_t *p, uint64_t expected, uint64_t value, const void *site) {
  uint64_t old;
  if (checked(FAB_CPU_CAS, p, expected, value, &old, site)) return old;
  (void)__atomic_compare_exchange_n(p, &expected, value, 0, SEQ, SEQ);
  return expected;
}

uint64_t __tsan_atomic64_load(const volatile uint64_t *p, int order);
uint64_t __tsan_atomic64_load(const volatile uint64_t *p, int order) {
  (void)order;
  uint64_t old;
  return checked(FAB_CPU_LOAD, (volatile uint64_t *)(uintptr_t)p, 0, 0, &old, HERE)
             ? old
             : __atomic_load_n(p, SEQ);
}

void __tsan_atomic64_store(volatile uint64_t *p, uint64_t value, int order);
void __tsan_atomic64_store(volatile uint64_t *p, uint64_t value, int order) {
  uint64_t old;
  if (!checked(FAB_CPU_STORE, p, value, 0, &old, HERE))
    __atomic_store_n(p, value, SEQ);
  else if (order == SEQ)
    (void)checked(FAB_CPU_FENCE, NULL, 0, 0, &old, HERE);
}

uint64_t __tsan_atomic64_exchange(volatile uint64_t *p, uint64_t value, int order);
uint64_t __tsan_atomic64_exchange(volatile uint64_t *p, uint64_t value, int order) {
  (void)order;
  uint64_t old;
  return checked(FAB_CPU_SWAP, p, value, 0, &old, HERE) ? old : __atomic_exchange_n(p, value, SEQ);
}

uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *p, uint64_t value, int order);
uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *p, uint64_t value, int order) {
  (void)order;
  uint64_t old;
  return checked(FAB_CPU_ADD, p, value, 0, &old, HERE) ? old : __atomic_fetch_add(p, value, SEQ);
}

uint64_t __tsan_atomic64_fetch_sub(volatile uint64_t *p, uint64_t value, int order);
uint64_t __tsan_atomic64_fetch_sub(volatile uint64_t *p, uint64_t value, int order) {
  (void)order;
  uint64_t old;
  return checked(FAB_CPU_ADD, p, -value, 0, &old, HERE) ? old : __atomic_fetch_sub(p, value, SEQ);
}

uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *p, uint64_t expected,
                                              uint64_t value, int a, int b);
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *p, uint64_t expected,
                                              uint64_t value, int a, int b) {
  (void)a, (void)b;
  return swap_if(p, expected, value, HERE);
}

/* Other units may write between the load and the compare-and-swap: it is repeated until none did,
 * so that the outcomes are those of one atomic. */
#define BITS64(op, expression)                                                                  \
  uint64_t __tsan_atomic64_fetch_##op(volatile uint64_t *p, uint64_t value, int order);         \
  uint64_t __tsan_atomic64_fetch_##op(volatile uint64_t *p, uint64_t value, int order) {        \
    (void)order;                                                                                \
    uint64_t old, seen;                                                                         \
    if (!checked(FAB_CPU_LOAD, p, 0, 0, &old, HERE)) return __atomic_fetch_##op(p, value, SEQ); \
    while ((seen = swap_if(p, old, expression, HERE)) != old) old = seen;                       \
    return old;                                                                                 \
  }
BITS64(and, old &value)
BITS64(or, old | value)
BITS64(xor, old ^ value)
BITS64(nand, ~(old &value))

#define TRIES(bits, type, way)                                                                   \
  int __tsan_atomic##bits##_compare_exchange_##way(volatile type *p, type *expected, type value, \
                                                   int a, int b);                                \
  int __tsan_atomic##bits##_compare_exchange_##way(volatile type *p, type *expected, type value, \
                                                   int a, int b) {                               \
    type wanted = *expected;                                                                     \
    return (*expected = __tsan_atomic##bits##_compare_exchange_val(p, wanted, value, a, b)) ==   \
           wanted;                                                                               \
  }
TRIES(8, uint8_t, strong)
TRIES(8, uint8_t, weak)
TRIES(16, uint16_t, strong)
TRIES(16, uint16_t, weak)
TRIES(32, uint32_t, strong)
TRIES(32, uint32_t, weak)
TRIES(64, uint64_t, strong)
TRIES(64, uint64_t, weak)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_thread_fence(int order) {
  uint64_t old;
  if (order == SEQ) (void)checked(FAB_CPU_FENCE, NULL, 0, 0, &old, HERE);
  __atomic_thread_fence(SEQ);
}
void __tsan_atomic_signal_fence(int order) {
  (void)order;
  __atomic_signal_fence(SEQ);
}
