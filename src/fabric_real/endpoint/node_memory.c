/* SPDX-License-Identifier: BSD-3-Clause */
/* node_memory.c - see node_memory.h.
 *
 * A file of tmpfs, whose name all processes of the node can compute: it contains words that the job
 * has agreed on. The last process that joins removes the name. The count of those that have joined
 * lies in a page of its own after the memory, which therefore begins where a huge page can. */
#include "fabric_real/endpoint/node_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

#define PATH_BYTES 128u
#define PAUSE_NS 20000 /* until the count is looked at again */
/* Such files are made whole: their pages are there, or the call that makes them fails. */
#define SMALL_BYTES (UINT64_C(1) << 20)

struct joined {
  uint32_t n;
  uint64_t at; /* the address that all should have it at; 0: any */
};

uint32_t fmpi_node_rank(const struct fmpi *f) {
  return f->job.server == FMPI_UNIT ? f->fab.me - f->fab.local.first
                                    : f->fab.local.n + f->job.server;
}

uint32_t fmpi_node_processes(const struct fmpi *f) {
  return f->fab.local.n + f->job.servers;
}

static void path_of(const struct fmpi *f, const char *kind, uint32_t id, char *path) {
  int n = snprintf(path, PATH_BYTES, FMPI_SHM_FOLDER "/eyot-%016" PRIx64 "%016" PRIx64 "-%u-%s%u",
                   f->job.key[0], f->job.key[1], f->fab.local.first, kind, id);
  EYOTI_ASSERT(n > 0 && n < (int)PATH_BYTES);
}

static uint64_t whole_pages(uint64_t bytes) {
  return (bytes + FMPI_PAGE - 1) / FMPI_PAGE * FMPI_PAGE;
}

static struct joined *joined_of(char *at, uint64_t bytes) {
  return (struct joined *)(void *)(at + bytes - FMPI_PAGE);
}

static int cannot(const char *what, const char *path, uint64_t bytes, int why) {
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "cannot %s %s of %" PRIu64
                    " bytes, which the processes of a node share: %s; free memory there, start "
                    "fewer units, or enlarge it (mount -o remount,size=... %s)",
                    what, path, bytes, strerror(why), FMPI_SHM_FOLDER);
}

/* flags: O_EXCL, or 0 if it may be there already. */
static int make_file(const char *path, uint64_t bytes, int flags) {
  uint64_t whole = whole_pages(bytes), from = whole <= SMALL_BYTES ? 0 : whole;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd < 0) return cannot("make", path, bytes, errno);
  /* it gets its length last, in one step */
  int why;
  do why = posix_fallocate(fd, (off_t)from, (off_t)(whole + FMPI_PAGE - from));
  while (why == EINTR);
  (void)close(fd);
  if (why == 0) return EYOT_OK;
  (void)unlink(path);
  return cannot("make", path, bytes, why);
}

int fmpi_shared_make(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes) {
  char path[PATH_BYTES];
  path_of(f, kind, id, path);
  return make_file(path, bytes, O_EXCL);
}

void fmpi_shared_cancel(const struct fmpi *f, const char *kind, uint32_t id) {
  char path[PATH_BYTES];
  path_of(f, kind, id, path);
  (void)unlink(path);
}

static int open_made(const char *path, uint64_t whole, int *fd) {
  struct stat st;
  *fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (*fd < 0 && errno == ENOENT)
    return EYOTI_FAIL(EYOT_ESYS,
                      "another process of this node has made %s, and this one does not see it: "
                      "containers of a machine must share " FMPI_SHM_FOLDER,
                      path);
  if (*fd < 0) return cannot("open", path, whole, errno);
  if (fstat(*fd, &st) == 0 && (uint64_t)st.st_size == whole + FMPI_PAGE) return EYOT_OK;
  (void)close(*fd);
  return EYOTI_FAIL(EYOT_ESYS, "%s should have %" PRIu64 " bytes: another program has changed it",
                    path, whole + FMPI_PAGE);
}

/* Where a huge page can begin, if it has one. */
static char *map_file(int fd, uint64_t bytes) {
  uint64_t spare = bytes >= FMPI_HUGE_PAGE ? FMPI_HUGE_PAGE : 0;
  char *p =
      mmap(NULL, bytes + spare, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return p;
  uint64_t before = spare == 0 ? 0 : (spare - (uintptr_t)p % spare) % spare;
  char *at = mmap(p + before, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  int why = errno;
  if (at == MAP_FAILED) before = bytes + spare;
  if (before != 0) (void)munmap(p, before);
  if (at != MAP_FAILED && spare != before) (void)munmap(at + bytes, spare - before);
  errno = why;
  return at;
}

/* Addresses that few programs use: far above the program and its heap, and far below the stack and
 * the libraries; of each node others, so that a pointer of another node leads nowhere instead of to
 * other memory. A sanitizer of threads wants all memory beside the libraries. */
#define COMMON_FIRST (UINT64_C(1) << 45)
#define COMMON_BYTES (UINT64_C(1) << 45)
#define COMMON_GAP FMPI_HUGE_PAGE

static uint64_t common_address(const struct fmpi *f, uint64_t bytes, uint32_t id, uint32_t turn) {
#ifdef __SANITIZE_THREAD__
  (void)f, (void)bytes, (void)id, (void)turn;
  return 0;
#else
  uint64_t step = (bytes / COMMON_GAP + 2) * COMMON_GAP, places = COMMON_BYTES / step;
  if (places == 0) return 0;
  uint64_t place = eyoti_hash_mix(eyoti_hash_mix(f->fab.local.first, id), turn) % places;
  return COMMON_FIRST + place * step;
#endif
}

/* Maps the file (fd -1: reserves) at that address, if it is free. */
static char *map_there(int fd, uint64_t bytes, uint64_t address) {
  void *at = (void *)(uintptr_t)address;  // NOLINT: an address that processes agree on
  int prot = fd < 0 ? PROT_NONE : PROT_READ | PROT_WRITE;
  int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  if (address == 0) return MAP_FAILED;
  char *got = mmap(at, bytes, prot, flags | MAP_FIXED_NOREPLACE, fd, 0);
  if (got == MAP_FAILED || got == at) return got;
  (void)munmap(got, bytes); /* a system that takes the address for a hint */
  errno = EEXIST;
  return MAP_FAILED;
}

static int map_made(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes,
                    uint64_t address, struct fmpi_shared *m) {
  char path[PATH_BYTES];
  uint64_t whole = whole_pages(bytes);
  int fd;
  struct joined joined = {0};
  path_of(f, kind, id, path);
  EYOTI_TRY(open_made(path, whole, &fd));
  if (address == 0 && pread(fd, &joined, sizeof joined, (off_t)whole) == (ssize_t)sizeof joined)
    address = joined.at;
  char *at = map_there(fd, whole + FMPI_PAGE, address);
  if (at == MAP_FAILED) at = map_file(fd, whole + FMPI_PAGE);
  int why = errno;
  (void)close(fd);
  if (at == MAP_FAILED) return cannot("map", path, bytes, why);
  *m = (struct fmpi_shared){.at = at, .bytes = whole + FMPI_PAGE};
  return EYOT_OK;
}

int fmpi_shared_place(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes,
                      struct fmpi_shared *m) {
  EYOTI_TRY(map_made(f, kind, id, bytes, common_address(f, bytes, id, 0), m));
  joined_of(m->at, m->bytes)->at = (uintptr_t)m->at;
  return EYOT_OK;
}

bool fmpi_shared_is_common(const struct fmpi_shared *m) {
  return joined_of(m->at, m->bytes)->at == (uintptr_t)m->at;
}

/* Moves the mapping; false: something else is there. By the system call itself: MPI libraries
 * replace mremap by a function that knows no fixed address. MPI has not seen this memory yet. */
static bool move_there(struct fmpi_shared *m, uint64_t address) {
  char *at = map_there(-1, m->bytes, address);
  if (at == MAP_FAILED) return false;
  if (syscall(SYS_mremap, m->at, m->bytes, m->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == -1) {
    (void)munmap(at, m->bytes);
    return false;
  }
  m->at = at;
  return true;
}

void fmpi_shared_propose(const struct fmpi *f, struct fmpi_shared *m, uint32_t id, uint32_t turn) {
  (void)move_there(
      m, common_address(f, m->bytes, id, turn)); /* else the others try the present one again */
  joined_of(m->at, m->bytes)->at = (uintptr_t)m->at;
}

bool fmpi_shared_follow(struct fmpi_shared *m) {
  if (!fmpi_shared_is_common(m)) (void)move_there(m, joined_of(m->at, m->bytes)->at);
  return fmpi_shared_is_common(m);
}

int fmpi_shared_join(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes,
                     struct fmpi_shared *m) {
  char path[PATH_BYTES];
  path_of(f, kind, id, path);
  if (m->bytes == 0) EYOTI_TRY(map_made(f, kind, id, bytes, 0, m));
  struct joined *joined = joined_of(m->at, m->bytes);
  /* pairs with fmpi_shared_await */
  if (__atomic_add_fetch(&joined->n, 1, __ATOMIC_RELEASE) == fmpi_node_processes(f))
    (void)unlink(path);
  return EYOT_OK;
}

void fmpi_shared_await(const struct fmpi *f, const struct fmpi_shared *m) {
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
  /* pairs with fmpi_shared_join */
  while (__atomic_load_n(&joined_of(m->at, m->bytes)->n, __ATOMIC_ACQUIRE) < fmpi_node_processes(f))
    nanosleep(&pause, NULL);
}

void fmpi_shared_leave(struct fmpi_shared *m) {
  if (m->bytes != 0) (void)munmap(m->at, m->bytes);
  *m = (struct fmpi_shared){0};
}

int fmpi_share_lines(const struct fmpi *f, const char *kind, uint64_t bytes,
                     struct fmpi_shared *m) {
  char path[PATH_BYTES];
  path_of(f, kind, 0, path);
  EYOTI_TRY(make_file(path, bytes, 0));
  return fmpi_shared_join(f, kind, 0, bytes, m);
}
