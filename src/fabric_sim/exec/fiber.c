/* SPDX-License-Identifier: BSD-3-Clause */
/* fiber.c - the executor `fiber`: units as fibers on Boost.Context; one mapping holds all stacks.
 * See exec.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "fabric_sim/exec/asan.h"
#include "fabric_sim/exec/exec.h"
#include "fabric_sim/exec/fcontext.h"
#include "rt/slack.h"

/* Stacks start at different offsets in their pages: with all at the same one, the live frames of
 * thousands of units would share a few sets of the cache. What eyot's own calls need fits into the
 * rest of the first page. */
#define EXPECT_BYTES 448u /* of the blocked frames */
#define COLORS 8u
#define COLOR_BYTES 64u
/* Of more units no cache keeps the frames, and a page more of each is what counts: what the first
 * page has left above the deepest calls is for the unit's state (rt/slack.h). The deepest are 2.5
 * KiB, of a first allreduce, with link-time optimization or without (tests/sim/scale_memory.sh). */
#define MANY_UNITS EYOTI_SLACK_UNITS
#define SLACK_BYTES 1344u

/* Without guard pages the lowest bytes of a stack are zero until it has overflowed. */
#define CANARY_BYTES 64u
#define LOOK_EVERY 32u /* runs, where a look takes a system call */

struct fiber {
  sim_fcontext_t ctx; /* the context in which the unit resumes */
  void *fake_stack;   /* AddressSanitizer's */
};

struct sim_exec {
  struct fiber *fibers;
  sim_fcontext_t scheduler; /* valid while a unit runs */
  void *scheduler_fake_stack;
  const void *scheduler_low;
  size_t scheduler_bytes;
  sim_exec_body body;
  void *arg;
  unsigned char *stacks;
  size_t stride, guard, map_bytes;
  uint32_t n;
  uint32_t first_entry; /* the unit that starts with the next jump */
  uint32_t runs;        /* since the last look at a stack */
  bool reads_cost;      /* see reads_cost_memory */
  /* what the scheduler calls for the unit that has jumped to it, or NULL: it has blocked */
  void (*deep)(void *arg);
  void *deep_arg;
};

/* Most systems map one page of zeros for all pages that are only read; some give each its own, and
 * then the lowest page of each stack may not be read. Bits 63 and 56 of pagemap (proc(5)): the page
 * is there, and nobody else has it. */
static bool reads_cost_memory(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint64_t entry = 0;
  volatile unsigned char *p =
      mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return false;
  unsigned char zero = p[0];
  int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  bool known = fd >= 0 && pread(fd, &entry, sizeof entry,
                                (off_t)((uintptr_t)p / page * sizeof entry)) == sizeof entry;
  if (fd >= 0) (void)close(fd);
  (void)munmap((void *)(uintptr_t)p, page);
  return known && zero == 0 && (entry >> 63 & 1) != 0 && (entry >> 56 & 1) != 0;
}

static int fiber_open(const struct sim_exec_opts *o, struct sim_exec **out) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct sim_exec *x = calloc(1, sizeof *x);
  if (x == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the fiber executor");
  int rc;
  x->n = o->n_units;
  x->guard = o->guards ? page : 0;
  x->reads_cost = !o->guards && reads_cost_memory();
  x->stride = (o->stack_bytes + page - 1) / page * page + x->guard;
  x->map_bytes = x->stride * x->n;
  x->fibers = calloc(x->n, sizeof *x->fibers);
  if (x->fibers == NULL) {
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u fibers", x->n);
    goto free_exec;
  }
  x->stacks = mmap(NULL, x->map_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (x->stacks == MAP_FAILED) {
    rc = EYOTI_FAIL(
        EYOT_ENOMEM,
        "cannot map %u stacks of %zu bytes: %s; lower EYOT_STACK_SIZE or the number of units", x->n,
        x->stride, strerror(errno));
    goto free_fibers;
  }
  /* One huge page per stack would turn kilobytes into megabytes. */
  (void)madvise(x->stacks, x->map_bytes, MADV_NOHUGEPAGE);
  for (uint32_t i = 0; i < x->n && x->guard != 0; i++)
    if (mprotect(x->stacks + (size_t)i * x->stride, x->guard, PROT_NONE) != 0) {
      rc = EYOTI_FAIL(EYOT_ESYS, "cannot guard stack %u of %u: %s; raise vm.max_map_count", i, x->n,
                      strerror(errno));
      goto unmap;
    }
  *out = x;
  return EYOT_OK;

unmap:
  munmap(x->stacks, x->map_bytes);
free_fibers:
  free(x->fibers);
free_exec:
  free(x);
  return rc;
}

static unsigned char *low_of(const struct sim_exec *x, uint32_t i) {
  return x->stacks + (size_t)i * x->stride + x->guard;
}

static void entry(struct sim_transfer t) {
  struct sim_exec *x = t.data;
  sim_asan_arrive(NULL, &x->scheduler_low, &x->scheduler_bytes);
  x->scheduler = t.from;
  x->body(x->arg, x->first_entry);
  EYOTI_PANIC("unit %u came back from its body", x->first_entry);
}

static int fiber_spawn(struct sim_exec *x, uint32_t i, void *host, sim_exec_body body, void *arg) {
  (void)host;
  EYOTI_ASSERT(i < x->n);
  x->body = body;
  x->arg = arg;
  x->fibers[i].ctx = NULL; /* made at the first wake */
  /* Touches its first page now, one stack after the other: adjacent pages, and adjacent page
   * tables, make the page walks of switches shorter. */
  *(volatile unsigned char *)(low_of(x, i) + x->stride - x->guard - 1) = 0;
  return EYOT_OK;
}

static void fiber_block(struct sim_exec *x, uint32_t i) {
  struct fiber *f = &x->fibers[i];
  sim_asan_leave(&f->fake_stack, x->scheduler_low, x->scheduler_bytes);
  struct sim_transfer t = jump_fcontext(x->scheduler, x);
  sim_asan_arrive(f->fake_stack, NULL, NULL);
  x->scheduler = t.from;
}

static void fiber_wake(struct sim_exec *x, uint32_t i) {
  struct fiber *f = &x->fibers[i];
  size_t bytes = x->stride - x->guard;
  if (f->ctx == NULL) {
    bool many = x->n > MANY_UNITS;
    size_t above = many ? SLACK_BYTES : i % COLORS * COLOR_BYTES;
    f->ctx = make_fcontext(low_of(x, i) + bytes - above, bytes - above, entry);
    x->first_entry = i;
  }
  sim_asan_leave(&x->scheduler_fake_stack, low_of(x, i), bytes);
  struct sim_transfer t = jump_fcontext(f->ctx, x);
  sim_asan_arrive(x->scheduler_fake_stack, NULL, NULL);
  while (__builtin_expect(x->deep != NULL, 0)) {
    void (*fn)(void *arg) = x->deep;
    x->deep = NULL;
    fn(x->deep_arg);
    sim_asan_leave(&x->scheduler_fake_stack, low_of(x, i), bytes);
    t = jump_fcontext(t.from, x);
    sim_asan_arrive(x->scheduler_fake_stack, NULL, NULL);
  }
  f->ctx = t.from;
}

static void fiber_deep(struct sim_exec *x, uint32_t i, void (*fn)(void *arg), void *arg) {
  if (x->n <= MANY_UNITS) {
    fn(arg);
    return;
  }
  x->deep = fn;
  x->deep_arg = arg;
  fiber_block(x, i);
}

static char *fiber_slack(const struct sim_exec *x, uint32_t i, uint16_t *bytes) {
  if (x->n <= MANY_UNITS) return NULL;
  *bytes = SLACK_BYTES;
  return (char *)low_of(x, i) + x->stride - x->guard - SLACK_BYTES;
}

/* Fibers have no clock of their own. */
static void fiber_advance(struct sim_exec *x, uint64_t now_ps) {
  (void)x, (void)now_ps;
}

/* A context points to the registers that it has saved, with the frames of the blocked calls
 * above. */
static void fiber_expect(const struct sim_exec *x, uint32_t i, bool now) {
  if (!now) {
    __builtin_prefetch(&x->fibers[i]);
    return;
  }
  const char *frame = x->fibers[i].ctx;
  for (size_t b = 0; frame != NULL && b < EXPECT_BYTES; b += 64) __builtin_prefetch(frame + b);
  if (x->guard == 0 && !x->reads_cost) __builtin_prefetch(low_of(x, i)); /* read after the run */
}

/* Where a read costs a page, mincore says first whether the page is there, after some runs only. */
static bool fiber_overflowed(struct sim_exec *x, uint32_t i, bool ended) {
  const unsigned char *low = low_of(x, i), *ctx = x->fibers[i].ctx;
  if (ctx != NULL && ctx < low + CANARY_BYTES) return true;
  if (x->reads_cost) {
    unsigned char there = 0;
    if (!ended && ++x->runs < LOOK_EVERY) return false;
    x->runs = 0;
    if (mincore(low_of(x, i), CANARY_BYTES, &there) != 0 || (there & 1) == 0) return false;
  }
  const uint64_t *words = (const uint64_t *)(const void *)low;
  for (uint32_t k = 0; k < CANARY_BYTES / sizeof *words; k++)
    if (words[k] != 0) return true;
  return false;
}

static const unsigned char *fiber_stack_low(const struct sim_exec *x, uint32_t i) {
  return low_of(x, i);
}

static void fiber_close(struct sim_exec *x) {
  munmap(x->stacks, x->map_bytes);
  free(x->fibers);
  free(x);
}

const struct sim_exec_ops sim_exec_fiber = {.name = "fiber",
                                            .open = fiber_open,
                                            .spawn = fiber_spawn,
                                            .block = fiber_block,
                                            .wake = fiber_wake,
                                            .advance = fiber_advance,
                                            .expect = fiber_expect,
                                            .deep = fiber_deep,
                                            .slack = fiber_slack,
                                            .overflowed = fiber_overflowed,
                                            .stack_low = fiber_stack_low,
                                            .close = fiber_close};
