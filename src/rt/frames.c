/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.c - implements frames.h. The addresses come from backtrace.h, the lines from addr2line
 * (place.h). */
#include "rt/frames.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "rt/backtrace.h"
#include "rt/place.h"
#include "rt/rt.h"

#define FRAMES_MAX 48
#define LINES_SECONDS 8u
/* A local array beyond this would be no overflow for us: other mappings may be so near. */
#define JUMP_BYTES (UINT64_C(64) << 20)
#define FRAME_BYTES (UINT64_C(64) << 30) /* of a function */
#define PROBE_BYTES 4096u

struct eyoti_fault eyoti_fault_of(const void *context) {
  struct eyoti_fault f = {NULL, NULL, NULL};
  const ucontext_t *c = context;
  if (c == NULL) return f;
#if defined(__x86_64__)
  f.pc = (const char *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  f.sp = (const char *)(uintptr_t)c->uc_mcontext.gregs[REG_RSP];
  f.frame = (const char *)(uintptr_t)c->uc_mcontext.gregs[REG_R11];
#elif defined(__aarch64__)
  f.pc = (const char *)(uintptr_t)c->uc_mcontext.pc;
  f.sp = (const char *)(uintptr_t)c->uc_mcontext.sp;
#endif
  return f;
}

void eyoti_frames_warm(void) {
  void *one[1];
  (void)eyoti_backtrace(one, 1);
}

/* The heap is damaged, or its lock was held at the crash. */
static void on_late(int number) {
  static const char text[] = "eyot: source lines could not be found\n";
  (void)number;
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  void *frames[FRAMES_MAX];
  eyoti_backtrace_write(frames, eyoti_backtrace(frames, FRAMES_MAX), STDERR_FILENO);
  _exit(128 + SIGSEGV);
}

static void frame_say(const struct eyot_rt *rt, uint32_t number, const char *address) {
  char place[EYOTI_CODE_LINE], line[EYOTI_CODE_LINE + 32];
  int n = snprintf(line, sizeof line, "  #%u %s\n", number,
                   eyoti_place_text(rt, eyoti_place_of(rt, address), place));
  ssize_t ignored = write(STDERR_FILENO, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
  (void)ignored;
}

uint32_t eyoti_frames_from(const char *from, void **address, uint32_t most) {
  void *frames[FRAMES_MAX];
  uint32_t all = (uint32_t)eyoti_backtrace(frames, FRAMES_MAX), first = 0, n = 0;
  while (first < all && frames[first] != from) first++;
  for (uint32_t i = first; i < all && n < most; i++) address[n++] = frames[i];
  return n;
}

void eyoti_frames_print(const struct eyot_rt *rt, const char *from) {
  void *frames[FRAMES_MAX];
  int n = eyoti_backtrace(frames, FRAMES_MAX), first = 1;
  for (int i = 0; from != NULL && i < n; i++)
    if (frames[i] == from) first = i;
  struct sigaction late = {.sa_handler = on_late, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigemptyset(&late.sa_mask);
  (void)sigaction(SIGALRM, &late, NULL);
  (void)alarm(LINES_SECONDS);
  if (from != NULL && (first >= n || frames[first] != from)) frame_say(rt, 0, from + 1);
  uint32_t number = from != NULL && (first >= n || frames[first] != from) ? 1 : 0;
  for (int i = first; i < n; i++) /* the address of a fault is no return address */
    frame_say(rt, number++, (const char *)frames[i] + (frames[i] == from));
  (void)alarm(0);
}

/* A loop of gcc and clang moves the stack pointer by a page and touches what is there (or a little
 * above it), until it has come to the end of the frame. */
static bool makes_frame(const struct eyoti_fault *f, uintptr_t at) {
  uintptr_t sp = (uintptr_t)f->sp, frame = (uintptr_t)f->frame;
  return frame != 0 && frame < sp && sp - frame <= FRAME_BYTES && (sp - frame) % PROBE_BYTES == 0 &&
         at >= sp && at - sp < PROBE_BYTES;
}

bool eyoti_stack_overflow(const struct eyoti_stack *s, const struct eyoti_fault *f,
                          const char *address, uint64_t *wanted) {
  uintptr_t top = (uintptr_t)s->top, end = top - s->bytes, at = (uintptr_t)address,
            sp = f->sp != NULL ? (uintptr_t)f->sp : at;
  uintptr_t lowest = end > JUMP_BYTES ? end - JUMP_BYTES : 0;
  bool beside_sp = at < sp ? sp - at <= JUMP_BYTES : at - sp <= JUMP_BYTES;
  bool below = at < end + 64 && at >= lowest && (beside_sp || at + s->guard_bytes >= end);
  if (!below && !(sp < end && sp >= lowest)) return false;
  uintptr_t deepest = below && at < sp ? at : sp < end ? sp : at;
  if (makes_frame(f, at)) deepest = (uintptr_t)f->frame;
  *wanted = top - deepest;
  return true;
}
