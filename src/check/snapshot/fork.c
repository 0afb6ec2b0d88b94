/* SPDX-License-Identifier: BSD-3-Clause */
/* fork.c - forks a process that has a snapshot.
 *
 * Why it exists: glibc 2.41 and later block all signals while they fork, and write to variables of
 * the C library meanwhile. A first write to a protected page would then end the process, because
 * the handler of SIGSEGV cannot run. The pages of these variables are therefore writable during the
 * fork, and protected again after it, in both processes. */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/snapshot/state.h"

/* The thread's descriptor is shorter than a page, and may lie on two. */
#define THREAD_PAGES 2u

static uintptr_t code_of_fork(void) {
  pid_t (*f)(void) = fork;
  uintptr_t address;
  memcpy(&address, &f, sizeof address);
  return address;
}

/* Sets *data to the writable pages of the object that has the code of fork. */
static int find_object(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct chk_area writable = {UINTPTR_MAX, 0};
  bool has_fork = false;
  uintptr_t code = code_of_fork();
  for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *h = &info->dlpi_phdr[i];
    if (h->p_type != PT_LOAD) continue;
    uintptr_t low = info->dlpi_addr + h->p_vaddr, high = low + h->p_memsz;
    has_fork |= code >= low && code < high;
    if ((h->p_flags & PF_W) == 0) continue;
    if (chk_page_down(low) < writable.low) writable.low = chk_page_down(low);
    if (chk_page_up(high) > writable.high) writable.high = chk_page_up(high);
  }
  if (!has_fork || writable.low >= writable.high) return 0;
  *(struct chk_area *)data = writable;
  return 1;
}

void chk_snap_find_fork(struct chk_snap *s) {
  s->fork_data = (struct chk_area){0, 0};
  (void)dl_iterate_phdr(find_object, &s->fork_data);
}

/* A page that is writable during a fork, and its content before. */
struct fork_page {
  struct chk_snap_span *span;
  uintptr_t low;
  void *before;
};

/* Makes the closed pages of [low, high) writable. Returns their number; -1: no memory, or the
 * system refused. */
static int64_t open_pages(struct chk_snap *s, struct chk_area at, struct fork_page *page,
                          unsigned char *copies) {
  int64_t n = 0;
  for (uintptr_t p = at.low; p < at.high; p += CHK_PAGE) {
    struct chk_snap_span *r = chk_snap_range(s, p);
    if (r == NULL || p < r->at.low || chk_bit(r->open, (p - r->at.low) / CHK_PAGE)) continue;
    void *copy = memcpy(copies + (size_t)n * CHK_PAGE, (const void *)p, CHK_PAGE);
    if (mprotect((void *)p, CHK_PAGE, r->prot) != 0) return -1;
    page[n++] = (struct fork_page){r, p, copy};
  }
  return n;
}

/* Protects the page again, or saves its content before the fork if that has changed. */
static bool close_page(struct chk_snap *s, const struct fork_page *p, unsigned char *spare) {
  void *at = (void *)p->low;
  if (memcmp(at, p->before, CHK_PAGE) == 0)
    return mprotect(at, CHK_PAGE, p->span->prot & ~PROT_WRITE) == 0;
  memcpy(spare, at, CHK_PAGE);
  memcpy(at, p->before, CHK_PAGE);
  bool ok = chk_snap_open(s, p->span, (p->low - p->span->at.low) / CHK_PAGE, 1);
  memcpy(at, spare, CHK_PAGE);
  return ok;
}

pid_t chk_snap_fork(struct chk_snap *s) {
  if (s == NULL || !s->taken) return fork();
  uintptr_t thread = chk_page_down((uintptr_t)__builtin_thread_pointer());
  struct chk_area parts[2] = {s->fork_data, {thread, thread + THREAD_PAGES * CHK_PAGE}};
  size_t most = (parts[0].high - parts[0].low) / CHK_PAGE + THREAD_PAGES;
  struct fork_page *page = chk_alloc(most * sizeof *page);
  unsigned char *copies = chk_alloc((most + 1) * CHK_PAGE);
  pid_t pid = -1;
  int error = ENOMEM;
  size_t n = 0;
  bool ok = page != NULL && copies != NULL;
  for (int i = 0; i < 2 && ok; i++) {
    int64_t got = open_pages(s, parts[i], page + n, copies + n * CHK_PAGE);
    ok = got >= 0;
    if (ok) n += (size_t)got;
  }
  if (ok) {
    pid = fork();
    error = errno;
  }
  for (size_t i = 0; i < n; i++) ok &= close_page(s, &page[i], copies + most * CHK_PAGE);
  chk_free(copies);
  chk_free(page);
  if (!ok && pid == 0) _exit(1);
  errno = error;
  return pid;
}
