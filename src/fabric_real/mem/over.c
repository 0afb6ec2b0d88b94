/* SPDX-License-Identifier: BSD-3-Clause */
/* over.c - see over.h.
 *
 * Nothing here may write to an object with static storage between the copy and the mapping, and MPI
 * may not do it for us: libraries that watch mappings (UCX) replace mmap and mremap and keep tables
 * of their own, so the system is called directly. Pages that the program has never touched are not
 * copied, so that large arrays cost no memory before they are used. */
#include "fabric_real/mem/over.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* /proc/self/pagemap: a word a page; its upper bits say whether there is one (Linux, admin-guide:
 * pagemap). */
#define THERE (UINT64_C(3) << 62) /* in memory, or swapped out */
#define WORDS 512u

struct pagemap {
  int fd;         /* -1: not readable */
  uint64_t first; /* the page of word[0] */
  uint64_t n;     /* words that were read */
  uint64_t word[WORDS];
};

/* Whether the program may have touched the page; true if unknown. */
static bool is_there(struct pagemap *m, const char *page) {
  uint64_t at = (uintptr_t)page / FMPI_PAGE;
  if (m->fd < 0) return true;
  if (at - m->first >= m->n) {
    ssize_t got = pread(m->fd, m->word, sizeof m->word, (off_t)(at * sizeof *m->word));
    m->first = at;
    m->n = got > 0 ? (uint64_t)got / sizeof *m->word : 0;
    if (m->n == 0) return true;
  }
  return (m->word[at - m->first] & THERE) != 0;
}

/* Copies the words of a page that are not zero, as those of `to` are. Not by memcpy, because
 * sanitizers check what it reads, and the pages have the zones around objects too. */
__attribute__((no_sanitize("address", "thread"))) static void copy_page(char *to,
                                                                        const char *from) {
  const volatile uint64_t *f = (const volatile uint64_t *)(const volatile void *)from;
  uint64_t *t = (uint64_t *)(void *)to;
  for (uint32_t i = 0; i < FMPI_PAGE / sizeof *t; i++) {
    uint64_t word = f[i];
    if (word != 0) t[i] = word;
  }
}

static void copy_pages(struct pagemap *m, char *to, const char *from, uint64_t bytes,
                       uint64_t stored) {
  for (uint64_t at = 0; at < bytes; at += FMPI_PAGE)
    if (at < stored || is_there(m, from + at)) copy_page(to + at, from + at);
}

/* A second mapping of `part`, in the place of what is at `own`: with a length of 0 the old one
 * stays. */
static int map_over(char *own, char *part, uint64_t bytes) {
  long at = syscall(SYS_mremap, part, 0ul, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, own);
  if (at == (long)(uintptr_t)own) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ESYS,
                    "the system does not map shared memory over the program's data: %s; set "
                    "EYOT_DATA=off for a program that can do without",
                    strerror(errno));
}

int fmpi_over_move(const struct fmpi_over *over, char *part) {
  const struct eyoti_image *image = over->image;
  struct pagemap m = {.fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < image->n_pages && rc == EYOT_OK; i++) {
    const struct eyoti_image_pages *p = &image->pages[i];
    uint64_t off = p->from - image->lo, bytes = p->to - p->from;
    copy_pages(&m, part + off, over->own + off, bytes, p->zero > p->from ? p->zero - p->from : 0);
    rc = map_over(over->own + off, part + off, bytes);
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (m.fd >= 0) (void)close(m.fd);
  return rc;
}
