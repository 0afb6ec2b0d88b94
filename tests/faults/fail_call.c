/* SPDX-License-Identifier: BSD-3-Clause */
/* fail_call.c - a library for LD_PRELOAD that counts the allocations and system calls of one
 * process of a job between fail_call_begin and fail_call_end, and makes one of them fail.
 *
 * FAIL_CALL_RANK  the process, by the launcher's number
 * FAIL_CALL_AT    the call that fails, from 1; 0: none
 * FAIL_CALL_OF    eyot: only calls of libeyot and the fabric modules count; all: every call
 * FAIL_CALL_LOG   a file for the number of calls, or for the name of the call that has failed
 * FAIL_CALL_WHOLE set: the whole process counts, from its start to its end, with what it forks */
#include "faults/fail_call.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  bool on, inside, all;
  unsigned long at;
  unsigned long *n; /* shared with forked processes, and no part of a snapshot */
  char log[256];
} state;

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
  char line[128];
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(line, sizeof line, format, ap);
  va_end(ap);
  int fd = state.log[0] == '\0'
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, state.log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return;
  ssize_t ignored = write(fd, line, (size_t)n);
  (void)ignored;
  close(fd);
}

static void begin(void) {
  const char *of = getenv("FAIL_CALL_OF"), *log = getenv("FAIL_CALL_LOG");
  state.at = (unsigned long)number("FAIL_CALL_AT", 0);
  state.all = of != NULL && strcmp(of, "all") == 0;
  if (log != NULL) snprintf(state.log, sizeof state.log, "%s", log);
  void *shared = (void *)syscall(SYS_mmap, NULL, sizeof *state.n, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  state.n = shared;
  state.on = shared != MAP_FAILED;
}

void fail_call_begin(void) {
  static const char *const RANKS[] = {"PMI_RANK", "PMI_ID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                      "SLURM_PROCID"};
  long rank = -1;
  for (size_t i = 0; i < sizeof RANKS / sizeof *RANKS && rank < 0; i++) rank = number(RANKS[i], -1);
  if (rank < 0 || rank != number("FAIL_CALL_RANK", -1)) return;
  begin();
}

void fail_call_end(void) {
  bool was = state.on;
  state.on = false;
  if (was && state.at == 0) note("%lu\n", *state.n);
}

__attribute__((constructor)) static void begin_whole(void) {
  if (getenv("FAIL_CALL_WHOLE") != NULL) begin();
}
__attribute__((destructor)) static void end_whole(void) {
  if (getenv("FAIL_CALL_WHOLE") != NULL) fail_call_end();
}

static bool of_eyot(const void *caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
         (strstr(info.dli_fname, "libeyot") != NULL ||
          strstr(info.dli_fname, "eyot-fabric-") != NULL ||
          strstr(info.dli_fname, "eyot-simgrid") != NULL ||
          strstr(info.dli_fname, "/bin/eyot") != NULL);
}

/* True: this call is the one. */
static bool fails(const char *name, const void *caller) {
  if (!state.on || state.inside) return false;
  state.inside = true;
  bool counts = state.all || of_eyot(caller);
  unsigned long n = counts ? __atomic_add_fetch(state.n, 1, __ATOMIC_RELAXED) : 0;
  bool now = counts && n == state.at;
  if (now) {
    state.on = false;
    note("%lu %s\n", n, name);
  }
  state.inside = false;
  return now;
}

/* The function that this library hides. */
#define NEXT(name)                         \
  static __typeof__(&name) next;           \
  if (next == NULL) {                      \
    void *found = dlsym(RTLD_NEXT, #name); \
    memcpy(&next, &found, sizeof next);    \
  }
#define FAILS(name, error, result)                 \
  if (fails(#name, __builtin_return_address(0))) { \
    errno = error;                                 \
    return result;                                 \
  }

/* Allocations cannot ask dlsym, which allocates: the C library has a second name for them. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size) {
  FAILS(malloc, ENOMEM, NULL)
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  FAILS(calloc, ENOMEM, NULL)
  return __libc_calloc(n, size);
}
void *realloc(void *p, size_t size) {
  FAILS(realloc, ENOMEM, NULL)
  return __libc_realloc(p, size);
}
void *reallocarray(void *p, size_t n, size_t size) {
  FAILS(reallocarray, ENOMEM, NULL)
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) return NULL;
  return __libc_realloc(p, bytes);
}
int posix_memalign(void **p, size_t alignment, size_t size) {
  FAILS(posix_memalign, ENOMEM, ENOMEM)
  NEXT(posix_memalign)
  return next(p, alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  FAILS(aligned_alloc, ENOMEM, NULL)
  return __libc_memalign(alignment, size);
}
char *strdup(const char *s) {
  FAILS(strdup, ENOMEM, NULL)
  size_t n = strlen(s) + 1;
  char *copy = __libc_malloc(n);
  return copy != NULL ? memcpy(copy, s, n) : NULL;
}
void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off) {
  FAILS(mmap, ENOMEM, MAP_FAILED)
  NEXT(mmap)
  return next(addr, len, prot, flags, fd, off);
}
int madvise(void *addr, size_t len, int advice) {
  FAILS(madvise, ENOMEM, -1)
  NEXT(madvise)
  return next(addr, len, advice);
}
int open(const char *path, int flags, ...) {
  FAILS(open, EMFILE, -1)
  va_list ap;
  va_start(ap, flags);
  mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(ap, mode_t) : 0;
  va_end(ap);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
  FAILS(fopen, EMFILE, NULL)
  NEXT(fopen)
  return next(path, mode);
}
int shm_open(const char *name, int flags, mode_t mode) {
  FAILS(shm_open, EMFILE, -1)
  NEXT(shm_open)
  return next(name, flags, mode);
}
int memfd_create(const char *name, unsigned flags) {
  FAILS(memfd_create, EMFILE, -1)
  NEXT(memfd_create)
  return next(name, flags);
}
int ftruncate(int fd, off_t len) {
  FAILS(ftruncate, ENOSPC, -1)
  NEXT(ftruncate)
  return next(fd, len);
}
int fallocate(int fd, int mode, off_t off, off_t len) {
  FAILS(fallocate, ENOSPC, -1)
  NEXT(fallocate)
  return next(fd, mode, off, len);
}
int posix_fallocate(int fd, off_t off, off_t len) {
  FAILS(posix_fallocate, ENOSPC, ENOSPC)
  NEXT(posix_fallocate)
  return next(fd, off, len);
}
int pipe(int fds[2]) {
  FAILS(pipe, EMFILE, -1)
  NEXT(pipe)
  return next(fds);
}
int socket(int domain, int type, int protocol) {
  FAILS(socket, EMFILE, -1)
  NEXT(socket)
  return next(domain, type, protocol);
}
int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
  FAILS(pthread_create, EAGAIN, EAGAIN)
  NEXT(pthread_create)
  return next(id, attr, run, arg);
}
int sigaltstack(const stack_t *now, stack_t *before) {
  FAILS(sigaltstack, ENOMEM, -1)
  NEXT(sigaltstack)
  return next(now, before);
}
void *dlopen(const char *path, int flags) {
  FAILS(dlopen, ENOMEM, NULL)
  NEXT(dlopen)
  return next(path, flags);
}
int setenv(const char *name, const char *value, int overwrite) {
  FAILS(setenv, ENOMEM, -1)
  NEXT(setenv)
  return next(name, value, overwrite);
}
int on_exit(void (*run)(int, void *), void *arg) {
  FAILS(on_exit, ENOMEM, -1)
  NEXT(on_exit)
  return next(run, arg);
}
