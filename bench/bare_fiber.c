/* SPDX-License-Identifier: BSD-3-Clause */
/* bare_fiber.c - the bare barrier on Boost.Context fibers, with its own heap of events and a queue
 * of the units that can run. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bare.h"

/* Boost.Context's C interface, which its packages do not declare for C. */
typedef struct {
  void *context;
  void *data;
} transfer;
extern void *make_fcontext(void *stack_top, size_t bytes, void (*entry)(transfer));
extern transfer jump_fcontext(void *to, void *data);

enum { STACK_BYTES = 65536 };

struct fiber_engine {
  void **context; /* where each unit continues */
  void *scheduler;
  uint32_t *ready; /* ring of n: a unit is in it at most once */
  uint64_t ready_head, ready_tail;
  uint32_t current;
};

static void make_ready(struct bare *b, uint32_t unit) {
  struct fiber_engine *e = b->engine;
  e->ready[e->ready_tail++ % b->n] = unit;
}

static void block(struct bare *b, uint32_t unit) {
  struct fiber_engine *e = b->engine;
  (void)unit;
  e->scheduler = jump_fcontext(e->scheduler, NULL).context;
}

static void entry(transfer from) {
  struct bare *b = from.data;
  struct fiber_engine *e = b->engine;
  e->scheduler = from.context;
  bare_unit(b, e->current, block);
  jump_fcontext(e->scheduler, NULL); /* never comes back */
}

static void run_ready(struct bare *b) {
  struct fiber_engine *e = b->engine;
  while (e->ready_head < e->ready_tail) {
    uint32_t unit = e->current = e->ready[e->ready_head++ % b->n];
    e->context[unit] = jump_fcontext(e->context[unit], b).context;
  }
}

int main(int argc, char **argv) {
  struct bare b;
  struct fiber_engine engine = {0};
  bare_open(&b, argc, argv);
  b.engine = &engine;
  engine.context = calloc(b.n, sizeof *engine.context);
  engine.ready = calloc(b.n, sizeof *engine.ready);
  char *stacks = mmap(NULL, (size_t)STACK_BYTES * b.n, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (engine.context == NULL || engine.ready == NULL || stacks == MAP_FAILED) {
    fprintf(stderr, "bare_fiber: out of memory\n");
    return 1;
  }
  for (uint32_t u = 0; u < b.n; u++) {
    engine.context[u] = make_fcontext(stacks + (size_t)STACK_BYTES * (u + 1), STACK_BYTES, entry);
    make_ready(&b, u);
  }
  struct bare_clock begin = bare_clock_now();
  run_ready(&b);
  while (b.heap_n > 0) {
    struct bare_event e;
    b.now = b.heap[0].t;
    while (bare_take(&b, b.now, &e))
      if (bare_deliver(&b, &e)) make_ready(&b, e.unit);
    run_ready(&b);
  }
  bare_report(&b, begin);
}
