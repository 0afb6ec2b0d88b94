/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.h - what a crash report says of the stack: the calls with their source lines, and whether
 * it has overflowed. For the handlers of fatal signals of both fabrics. */
#ifndef EYOT_RT_FRAMES_H
#define EYOT_RT_FRAMES_H

#include <eyot/types.h>

struct eyot_rt;

/* The processor's registers at a fault, from the third argument of a handler. */
struct eyoti_fault {
  const char *pc, *sp; /* NULL: unknown */
  /* Where the stack pointer would have been after the frame that the function makes, if it makes
   * it page by page, as compilers do for large ones, with the end in this register; else any. */
  const char *frame;
};
EYOT_API struct eyoti_fault eyoti_fault_of(const void *context);

/* Loads what a handler must not load. For start. */
EYOT_API void eyoti_frames_warm(void);
/* The calls that lead to `from`, as addresses, it first; their number, at most `most`: 0 if `from`
 * is not among them. For a handler, after eyoti_frames_warm. */
EYOT_API uint32_t eyoti_frames_from(const char *from, void **address, uint32_t most);
/* Prints the calls that lead to `from` (NULL: to the caller), one a line, on stderr. For a handler
 * that ends the process: where lines cannot be found within some seconds, as with a damaged heap,
 * it prints the addresses and ends the process itself. */
EYOT_API void eyoti_frames_print(const struct eyot_rt *rt, const char *from);

/* A stack that grows down from `top`. */
struct eyoti_stack {
  const char *top;
  uint64_t bytes, guard_bytes;
};
/* Whether a fault at `address` is an overflow of the stack: the address, or the stack pointer, lies
 * below its end, but not farther than a large array. *wanted: the bytes that were needed there,
 * with all of a large frame that is made page by page. */
EYOT_API bool eyoti_stack_overflow(const struct eyoti_stack *s, const struct eyoti_fault *f,
                                   const char *address, uint64_t *wanted);
#endif
