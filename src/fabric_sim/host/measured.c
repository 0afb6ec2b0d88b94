/* SPDX-License-Identifier: BSD-3-Clause */
/* measured.c - two clocks of the host, and a mark that the system clears. See measured.h. */
#include "fabric_sim/host/measured.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define TRIES 100
#define TRUSTED_NS 10000000u /* so long the clocks go alike: the wall's is adjusted now and then */

/* As struct rseq_cs of linux/rseq.h. */
struct sequence {
  uint32_t version, flags;
  const char *start;
  uint64_t length;
  const char *otherwise; /* where the system goes on if it interrupts the sequence */
} __attribute__((aligned(32)));

#if defined __x86_64__ && defined __linux__
/* A trap, to which nothing jumps; the signature must be before the address to go on at. */
__asm__(
    ".pushsection .text\n"
    ".hidden sim_measured_trap\n"
    ".hidden sim_measured_otherwise\n"
    ".globl sim_measured_trap\n"
    ".globl sim_measured_otherwise\n"
    "sim_measured_trap: ud2\n"
    ".long 0x53053053\n"
    "sim_measured_otherwise: ud2\n"
    ".popsection\n");
extern const char sim_measured_trap[], sim_measured_otherwise[];
static const struct sequence NEVER = {0, 0, sim_measured_trap, 1, sim_measured_otherwise};

/* The pointer of the calling thread; NULL: it is not registered. */
static uint64_t *pointer_of_thread(void) {
  enum { POINTER_AT = 8 }; /* in struct rseq */
  const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
  const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");
  if (offset == NULL || size == NULL || *size == 0) return NULL;
  return (uint64_t *)(void *)((char *)__builtin_thread_pointer() + *offset + POINTER_AT);
}
#else
static const struct sequence NEVER;

static uint64_t *pointer_of_thread(void) {
  return NULL;
}
#endif

static inline bool is_marked(const struct sim_measured *m) {
  return m->mark != NULL && __atomic_load_n(m->mark, __ATOMIC_RELAXED) == (uintptr_t)&NEVER;
}

static void set_mark(struct sim_measured *m) {
  __atomic_store_n(m->mark, (uintptr_t)&NEVER, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  m->thread_ns = sim_clock_thread_ns();
  m->wall_ns = sim_clock_ns();
}

uint64_t sim_measured_since(struct sim_measured *m) {
  if (m->mark == NULL) return sim_clock_thread_ns();
  uint64_t since_ns = sim_clock_ns();
  if (is_marked(m) && since_ns - m->wall_ns < TRUSTED_NS) return since_ns;
  set_mark(m);
  return sim_clock_ns();
}

/* By the thread's clock. What a hypervisor has taken since the mark was set is in the wall's clock
 * alone, so that the begin may seem later than now. */
static uint64_t span_by_thread(const struct sim_measured *m, uint64_t since_ns) {
  uint64_t began_ns = m->mark == NULL ? since_ns : m->thread_ns + (since_ns - m->wall_ns);
  uint64_t now_ns = sim_clock_thread_ns();
  return now_ns > began_ns ? now_ns - began_ns : 0;
}

static inline uint64_t less(uint64_t span_ns, uint64_t least_ns) {
  return span_ns > least_ns ? span_ns - least_ns : 0;
}

uint64_t sim_measured_ps(const struct sim_measured *m, uint64_t since_ns) {
  uint64_t wall_ns = m->mark != NULL ? sim_clock_ns() - since_ns : 0;
  uint64_t ns = is_marked(m) ? less(wall_ns, m->least_wall_ns)
                             : less(span_by_thread(m, since_ns), m->least_thread_ns);
  return ns * m->percent * 10; /* 1000 / 100 */
}

static void keep_least(uint64_t *least_ns, uint64_t ns) {
  if (ns < *least_ns) *least_ns = ns;
}

/* Whether the system clears the mark when the thread sleeps. */
static bool is_cleared(struct sim_measured *m) {
  set_mark(m);
  (void)nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
  return !is_marked(m);
}

void sim_measured_init(struct sim_measured *m, uint64_t percent) {
  *m = (struct sim_measured){
      .percent = percent, .least_wall_ns = UINT64_MAX, .least_thread_ns = UINT64_MAX};
  m->mark = pointer_of_thread();
  if (m->mark != NULL && !is_cleared(m)) sim_measured_fini(m);
  for (int i = 0; i < TRIES; i++) {
    uint64_t since_ns = sim_measured_since(m);
    if (m->mark != NULL) keep_least(&m->least_wall_ns, sim_clock_ns() - since_ns);
    if (m->mark != NULL) set_mark(m);
    since_ns = m->mark != NULL ? sim_clock_ns() : sim_clock_thread_ns();
    if (m->mark != NULL) (void)sim_clock_ns(); /* as sim_measured_ps */
    keep_least(&m->least_thread_ns, span_by_thread(m, since_ns));
  }
}

void sim_measured_fini(struct sim_measured *m) {
  if (is_marked(m)) __atomic_store_n(m->mark, 0, __ATOMIC_RELAXED);
  m->mark = NULL;
}
