/* SPDX-License-Identifier: BSD-3-Clause */
/* backtrace.c - see backtrace.h. musl has no execinfo.h. */
#include "rt/backtrace.h"

#if __has_include(<execinfo.h>)
#include <execinfo.h>

int eyoti_backtrace(void **address, int n) {
  return backtrace(address, n);
}

void eyoti_backtrace_write(void *const *address, int n, int fd) {
  backtrace_symbols_fd(address, n, fd);
}
#else
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <unwind.h>

#define LINE_BYTES 256u

struct trace {
  void **address;
  int n, most;
};

static _Unwind_Reason_Code note_call(struct _Unwind_Context *context, void *arg) {
  struct trace *t = arg;
  uintptr_t ip = _Unwind_GetIP(context);
  if (ip == 0 || t->n == t->most) return _URC_END_OF_STACK;
  t->address[t->n++] = (void *)ip;
  return _URC_NO_REASON;
}

int eyoti_backtrace(void **address, int n) {
  struct trace t = {.address = address, .most = n};
  (void)_Unwind_Backtrace(note_call, &t);
  return t.n;
}

void eyoti_backtrace_write(void *const *address, int n, int fd) {
  for (int i = 0; i < n; i++) {
    char line[LINE_BYTES];
    Dl_info at;
    bool known = dladdr(address[i], &at) != 0 && at.dli_fname != NULL;
    int len = known ? snprintf(line, sizeof line, "%.200s(+%#tx) [%p]\n", at.dli_fname,
                               (char *)address[i] - (char *)at.dli_fbase, address[i])
                    : snprintf(line, sizeof line, "[%p]\n", address[i]);
    ssize_t ignored = write(fd, line, (size_t)len);
    (void)ignored;
  }
}
#endif
