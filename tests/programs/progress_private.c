/* SPDX-License-Identifier: BSD-3-Clause */
/* progress_private.c - non-blocking puts and gets from and to private memory, which progress
 * processes access through the system: progress_private
 * moves|partial|yama|refused|refused_write|fault. */

/*   moves          all sizes around the thresholds, unaligned, from heap and stack, overwritten at
 *                  local completion, many in flight
 *   partial        the same while the system copies less than requested, and is interrupted; by
 *                  functions of this program that precede the C library's, also in progress
 *                  processes
 *   yama           the same where the first access to each unit is refused, and the unit has to
 *                  allow it; three units, one progress process
 *   refused(_write) the same where a filter of system calls refuses to read (write) the memory of
 *   other processes: units transfer all bytes themselves
 *   fault          buffers that cannot be read or written: the error comes from the wait, test or
 *                  flush that completes the operation, from eyot_finalize at the latest, and all
 *                  other operations complete */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "programs/api_check.h"

#define AREA_BYTES (UINT64_C(4) << 20) /* of each unit for each other one */
/* a ring has fewer requests, and a progress process fewer slots */
#define MANY 200u
#define MANY_BYTES 20000u
#define MARGIN 64u
#define BAD_BYTES (UINT64_C(256) << 10)
#define FAILING 100u

static const uint64_t SIZES[] = {1,     7,     8,      4096,   16383,  16384,  16385,        65535,
                                 65536, 65537, 100003, 131072, 131073, 300001, (1 << 20) + 3};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)
#define STACK_BYTES ((1 << 20) + 3 + 2 * MARGIN)

/* -- the system, with rare results ------------------------------------------------------------- */
/* The fabric's calls come here, because a program's symbols precede those of libraries; those of
 * MPI do too, and are passed on. */
#define YAMA_UNITS 3u
static bool partial, yama;
static uint32_t calls, allowed;
static bool permitted; /* any process, now */

static bool is_fabric(const void *caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
         strstr(info.dli_fname, "eyot-fabric") != NULL;
}

struct copy {
  pid_t pid;
  const struct iovec *mapped, *far;
  unsigned long n, m, flags;
};

static ssize_t copy(long number, const struct copy *c, const void *caller) {
  static uint64_t rng = 1;
  if (!is_fabric(caller)) return syscall(number, c->pid, c->mapped, c->n, c->far, c->m, c->flags);
  CHECK(c->n == 1 && c->m == 1 && c->flags == 0);
  struct iovec near = *c->mapped, far = *c->far;
  calls++;
  if ((partial && calls % 3 == 0) || (yama && calls <= YAMA_UNITS)) {
    errno = partial ? EINTR : EPERM;
    return -1;
  }
  if (partial && near.iov_len > sizeof(uint64_t))
    near.iov_len = far.iov_len = 1 + draw(&rng) % near.iov_len;
  return syscall(number, c->pid, &near, 1ul, &far, 1ul, 0ul);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *near, unsigned long n,
                         const struct iovec *far, unsigned long m, unsigned long flags) {
  const struct copy c = {.pid = pid, .mapped = near, .far = far, .n = n, .m = m, .flags = flags};
  return copy(SYS_process_vm_readv, &c, __builtin_return_address(0));
}
ssize_t process_vm_writev(pid_t pid, const struct iovec *near, unsigned long n,
                          const struct iovec *far, unsigned long m, unsigned long flags) {
  const struct copy c = {.pid = pid, .mapped = near, .far = far, .n = n, .m = m, .flags = flags};
  return copy(SYS_process_vm_writev, &c, __builtin_return_address(0));
}

/* Counts how often the fabric names the processes that may access this one. */
int prctl(int what, ...) {
  unsigned long x[4];
  va_list list;
  va_start(list, what);
  for (uint32_t i = 0; i < 4; i++) x[i] = va_arg(list, unsigned long);
  va_end(list);
  if (what == PR_SET_PTRACER && is_fabric(__builtin_return_address(0))) {
    permitted = x[0] == PR_SET_PTRACER_ANY;
    allowed += permitted;
  }
  return (int)syscall(SYS_prctl, what, x[0], x[1], x[2], x[3]);
}

static void refuse(uint32_t number) {
  struct sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {.len = sizeof lines / sizeof *lines, .filter = lines};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1ul, 0ul, 0ul, 0ul) == 0);
  CHECK(prctl(PR_SET_SECCOMP, (unsigned long)SECCOMP_MODE_FILTER, &filter, 0ul, 0ul) == 0);
}

/* -- the transfers ----------------------------------------------------------------------------- */
struct state {
  eyot_gptr_t in, words; /* an area, and a signal, for each unit */
  uint32_t me, n;
};

static unsigned char byte_of(uint32_t unit, uint64_t salt, uint64_t i) {
  return (unsigned char)(unit * 31 + salt * 7 + i + (i >> 8));
}
static void fill(unsigned char *p, uint32_t unit, uint64_t salt, uint64_t len) {
  for (uint64_t i = 0; i < len; i++) p[i] = byte_of(unit, salt, i);
}
static bool holds(const unsigned char *p, uint32_t unit, uint64_t salt, uint64_t len) {
  for (uint64_t i = 0; i < len; i++)
    if (p[i] != byte_of(unit, salt, i)) return false;
  return true;
}
static bool all_are(const unsigned char *p, unsigned char value, uint64_t len) {
  for (uint64_t i = 0; i < len; i++)
    if (p[i] != value) return false;
  return true;
}

static eyot_gptr_t area_at(const struct state *s, uint32_t unit, uint64_t byte) {
  return eyot_gptr_add(eyot_gptr_at(s->in, (eyot_unit_t){unit}),
                       (int64_t)(s->me * AREA_BYTES + byte));
}

/* There and back: `memory` has a margin on each side, which must stay as it is. */
static void there_and_back(const struct state *s, uint32_t to, unsigned char *memory, uint64_t len,
                           uint32_t shift) {
  unsigned char *p = memory + MARGIN - shift;
  eyot_handle_t h;
  memset(memory, 0xee, len + 2 * MARGIN);
  fill(p, s->me, len, len);
  OK(eyot_put_nb(area_at(s, to, 2 * shift), p, len, &h));
  OK(eyot_wait(&h, EYOT_LOCAL));
  memset(p, 0xee, len);
  OK(eyot_wait(&h, EYOT_REMOTE));
  OK(eyot_get_nb(p, area_at(s, to, 2 * shift), len, &h));
  OK(eyot_wait(&h, EYOT_LOCAL));
  CHECK(holds(p, s->me, len, len));
  CHECK(all_are(memory, 0xee, MARGIN - shift) && all_are(p + len, 0xee, MARGIN + shift));
  OK(eyot_wait(&h, EYOT_REMOTE));
}

static void sizes(const struct state *s, uint32_t to) {
  unsigned char on_stack[STACK_BYTES], *on_heap = malloc(STACK_BYTES);
  CHECK(on_heap != NULL);
  for (uint32_t i = 0; i < N_SIZES; i++) {
    there_and_back(s, to, on_stack, SIZES[i], i % 9);
    there_and_back(s, to, on_heap, SIZES[i], (i + 3) % 9);
  }
  free(on_heap);
}

/* Without request, completed by a flush; back with requests. */
static void many(const struct state *s, uint32_t to) {
  eyot_handle_t h[MANY];
  unsigned char *p = malloc(MANY * MANY_BYTES);
  CHECK(p != NULL);
  for (uint32_t k = 0; k < MANY; k++) {
    fill(p + k * MANY_BYTES, s->me, k, MANY_BYTES);
    OK(eyot_put_nbi(area_at(s, to, k * MANY_BYTES), p + k * MANY_BYTES, MANY_BYTES));
  }
  OK(eyot_flush((eyot_unit_t){to}, EYOT_LOCAL));
  memset(p, 0, MANY * MANY_BYTES);
  OK(eyot_flush((eyot_unit_t){to}, EYOT_REMOTE));
  for (uint32_t k = 0; k < MANY; k++)
    OK(eyot_get_nb(p + k * MANY_BYTES, area_at(s, to, k * MANY_BYTES), MANY_BYTES, &h[k]));
  OK(eyot_wait_all(h, MANY, EYOT_REMOTE));
  for (uint32_t k = 0; k < MANY; k++) CHECK(holds(p + k * MANY_BYTES, s->me, k, MANY_BYTES));
  free(p);
}

static eyot_gptr_t word_at(const struct state *s, uint32_t unit, uint32_t of) {
  return eyot_gptr_add(eyot_gptr_at(s->words, (eyot_unit_t){unit}), (int64_t)(8 * of));
}

/* The target checks the bytes by itself once it has seen the signal. */
static void signals(const struct state *s) {
  unsigned char *p = malloc(s->n * BAD_BYTES);
  CHECK(p != NULL);
  for (uint32_t to = 0; to < s->n; to++) {
    fill(p + to * BAD_BYTES, s->me, to, BAD_BYTES);
    OK(eyot_put_signal_nbi(area_at(s, to, 1), p + to * BAD_BYTES, BAD_BYTES, word_at(s, to, s->me),
                           EYOT_SIGNAL_ADD, 3));
  }
  OK(eyot_flush_all(EYOT_REMOTE));
  for (uint32_t from = 0; from < s->n; from++) {
    unsigned char *in;
    OK(eyot_wait_until(word_at(s, s->me, from), EYOT_CMP_EQ, 3, NULL));
    OK(eyot_gptr_addr(eyot_gptr_at(s->in, eyot_me()), (void **)&in));
    CHECK(holds(in + from * AREA_BYTES + 1, from, s->me, BAD_BYTES));
  }
  free(p);
}

/* -- invalid buffers --------------------------------------------------------------------------- */
static unsigned char *memory_of(uint64_t len, int protection) {
  void *p = mmap(NULL, len, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

static void one_by_one(const struct state *s, uint32_t to, unsigned char *none,
                       unsigned char *half) {
  eyot_handle_t h;
  bool done = false;
  int rc = EYOT_OK;
  OK(eyot_put_nb(area_at(s, to, 0), none, BAD_BYTES, &h));
  CHECK(eyot_wait(&h, EYOT_LOCAL) == EYOT_ESYS);
  CHECK(eyot_wait(&h, EYOT_REMOTE) == EYOT_ESYS);
  OK(eyot_put_nb(area_at(s, to, 0), half, BAD_BYTES, &h));
  CHECK(eyot_wait(&h, EYOT_REMOTE) == EYOT_ESYS);
  OK(eyot_get_nb(half, area_at(s, to, 0), BAD_BYTES, &h));
  while (!done && rc == EYOT_OK) rc = eyot_test(&h, EYOT_REMOTE, &done);
  CHECK(rc == EYOT_ESYS && !done);
  OK(eyot_put_nb(area_at(s, to, 0), none, BAD_BYTES, &h));
  /* completes the operation, whose handle is still to be waited for */
  OK(eyot_flush_all(EYOT_REMOTE));
  CHECK(eyot_wait(&h, EYOT_REMOTE) == EYOT_ESYS);
  OK(eyot_get_nb(half, area_at(s, to, 0), BAD_BYTES / 2, &h)); /* the half that exists */
  OK(eyot_wait(&h, EYOT_REMOTE));
}

/* More that fail than a ring has requests, among some that do not. */
static void when_oversubscribed(const struct state *s, uint32_t to, unsigned char *none,
                                unsigned char *good) {
  eyot_handle_t h[2 * FAILING];
  fill(good, s->me, 1, MANY_BYTES);
  for (uint32_t k = 0; k < FAILING; k++) {
    if (k % 2 == 0)
      OK(eyot_put_nb(area_at(s, to, AREA_BYTES - BAD_BYTES), none, BAD_BYTES, &h[2 * k]));
    else
      OK(eyot_get_nb(none, area_at(s, to, AREA_BYTES - BAD_BYTES), BAD_BYTES, &h[2 * k]));
    OK(eyot_put_nb(area_at(s, to, k * MANY_BYTES), good, MANY_BYTES, &h[2 * k + 1]));
  }
  for (uint32_t k = 0; k < FAILING; k++) {
    CHECK(eyot_wait(&h[2 * k], EYOT_REMOTE) == EYOT_ESYS);
    OK(eyot_wait(&h[2 * k + 1], EYOT_REMOTE));
  }
  memset(good, 0, MANY_BYTES);
  for (uint32_t k = 0; k < FAILING; k++) {
    OK(eyot_get(good, area_at(s, to, k * MANY_BYTES), MANY_BYTES));
    CHECK(holds(good, s->me, 1, MANY_BYTES));
  }
}

/* A flush that covers the operations returns their error once, whatever has completed them. */
static void without_request(const struct state *s, uint32_t to, unsigned char *none) {
  eyot_unit_t unit = {to}, own = {s->me};
  uint64_t value;
  for (uint32_t k = 0; k < 2 * FAILING; k++) OK(eyot_put_nbi(area_at(s, to, 0), none, BAD_BYTES));
  OK(eyot_order(unit));
  if (to != s->me) OK(eyot_flush(own, EYOT_REMOTE));
  CHECK(eyot_flush(unit, EYOT_REMOTE) == EYOT_ESYS);
  OK(eyot_flush(unit, EYOT_REMOTE));
  OK(eyot_get_nbi(none, area_at(s, to, 0), BAD_BYTES));
  CHECK(eyot_flush_all(EYOT_LOCAL) == EYOT_ESYS);
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_put_signal_nbi(area_at(s, to, 0), none, BAD_BYTES, word_at(s, to, s->me), EYOT_SIGNAL_ADD,
                         1));
  CHECK(eyot_flush_all(EYOT_REMOTE) == EYOT_ESYS);
  OK(eyot_read_u64(word_at(s, to, s->me), &value));
  CHECK(value == 0); /* a signal says that its bytes have arrived */
}

static void fault(const struct state *s) {
  unsigned char *none = memory_of(BAD_BYTES, PROT_NONE),
                *half = memory_of(BAD_BYTES, PROT_READ | PROT_WRITE), *good = malloc(MANY_BYTES);
  CHECK(good != NULL && mprotect(half + BAD_BYTES / 2, BAD_BYTES / 2, PROT_NONE) == 0);
  for (uint32_t to = 0; to < s->n; to++) {
    one_by_one(s, to, none, half);
    when_oversubscribed(s, to, none, good);
    without_request(s, to, none);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  /* only eyot_finalize returns its error */
  OK(eyot_put_nbi(area_at(s, (s->me + 1) % s->n, 0), none, BAD_BYTES));
  free(good);
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  partial = strcmp(mode, "partial") == 0;
  yama = strcmp(mode, "yama") == 0;
  if (strcmp(mode, "refused") == 0) refuse(SYS_process_vm_readv);
  if (strcmp(mode, "refused_write") == 0) refuse(SYS_process_vm_writev);
  bool faults = strcmp(mode, "fault") == 0;
  OK(eyot_init(&argc, &argv));
  struct state s = {.me = eyot_me().id, .n = eyot_size()};
  CHECK(yama ? s.n == YAMA_UNITS && allowed == 1 : allowed <= 1);
  if (strncmp(mode, "refused", 7) == 0) CHECK(allowed == 1 && !permitted);
  OK(eyot_team_alloc(EYOT_TEAM_ALL, s.n * AREA_BYTES, &s.in));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, s.n * sizeof(uint64_t), &s.words));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (faults) {
    fault(&s);
    CHECK(eyot_finalize() == EYOT_ESYS && !permitted);
    if (s.me == 0) puts("ok");
    return 0;
  }
  for (uint32_t d = 0; d < s.n; d++) {
    sizes(&s, (s.me + d) % s.n);
    many(&s, (s.me + d) % s.n);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  signals(&s);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(s.words));
  OK(eyot_team_free(s.in));
  int code = finish();
  CHECK(!permitted);
  return code;
}
