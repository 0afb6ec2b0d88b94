/* SPDX-License-Identifier: BSD-3-Clause */
/* pages.c - see pages.h. Pages are brought in before they are used, so that a full machine is an
 * error and not a signal, and given back when they are not needed: shared memory of processes is a
 * file system (tmpfs) whose files are sparse, and the first access to a page that the file system
 * has no room for ends the process with SIGBUS. Private memory is handled alike.
 *
 * After a page is given back, the next access finds another one. MPI does not notice where its
 * processes, or the kernel for one of them, move the bytes: by TCP, shared memory,
 * process_vm_readv. A network that accesses memory by itself has the pages of a window pinned from
 * MPI_Win_create on: all that is reserved then costs memory, and a page that is given back is
 * another one than the network's. The system's devices show whether there is such a network. */
#include "fabric_real/mem/pages.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/conf.h"
#include "fabric_real/mem/resolve.h"
#include "fabric_real/mem/seg.h"
#include "fabric_real/wait/idle.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; its own header has it too late for some libraries */
#endif
#define SPARE_BYTES (UINT64_C(1) << 20) /* of the file system, left to MPI and other programs */
#define TRIES_MAX 100u                  /* of a call that signals interrupt */

static bool has_entries(const char *folder) {
  DIR *d = opendir(folder);
  if (d == NULL) return false;
  bool found = false;
  for (const struct dirent *e = readdir(d); e != NULL && !found; e = readdir(d))
    found = e->d_name[0] != '.';
  (void)closedir(d);
  return found;
}

/* A network device that pins pages: verbs devices (InfiniBand, RoCE, iWARP, Omni-Path, EFA),
 * Slingshot, Aries, BXI. */
static bool has_pinning_device(void) {
  return has_entries("/sys/class/infiniband") || has_entries("/sys/class/infiniband_verbs") ||
         has_entries("/sys/class/cxi") || has_entries("/sys/class/cxi_user") ||
         has_entries("/sys/class/bxi") || access("/dev/kgni0", F_OK) == 0 ||
         access("/dev/hfi1_0", F_OK) == 0;
}

int fmpi_find_pins(struct fmpi *f) {
  uint64_t pinned;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_HEAP_PINNED, &pinned));
  f->job.pins = !f->job.one_node && (pinned == EYOTI_HEAP_PINNED_ON ||
                                     (pinned == EYOTI_HEAP_PINNED_AUTO && has_pinning_device()));
  return EYOT_OK;
}

int fmpi_seg_reach(struct fab *fab, uint64_t want, uint64_t *len) {
  struct fmpi *f = fmpi_of(fab);
  if (want > INT64_MAX) want = INT64_MAX;
  uint64_t reach = f->job.pins ? 0 : fmpi_seg_space(f);
  uint64_t lacking = reach < want ? want - reach : 0;
  EYOTI_TRY(fmpi_max(f, &lacking, 1));
  *len = want - lacking;
  return EYOT_OK;
}

static int own_pages(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len,
                     const struct fmpi_seg **s, char **own) {
  EYOTI_TRY(fmpi_seg_find(fmpi_of(fab), seg, s));
  *own = (*s)->base + (uint64_t)(fab->me - fab->local.first) * (*s)->stride;
  if (len > (*s)->len || off > (*s)->len - len)
    return fmpi_bad_address(fmpi_of(fab), fab_at(fab->me, seg, off), len);
  return EYOT_OK;
}

int fmpi_seg_return(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len) {
  const struct fmpi_seg *s;
  char *own = NULL;
  EYOTI_TRY(own_pages(fab, seg, off, len, &s, &own));
  if (fmpi_of(fab)->job.pins) return EYOT_ENOTSUP;
  uint64_t begin = (off + FMPI_PAGE - 1) / FMPI_PAGE * FMPI_PAGE,
           end = (off + len) / FMPI_PAGE * FMPI_PAGE;
  if (begin >= end) return EYOT_OK;
  return madvise(own + begin, end - begin, s->mapped_bytes != 0 ? MADV_DONTNEED : MADV_REMOVE) == 0
             ? EYOT_OK
             : EYOT_ENOTSUP;
}

/* For a Linux that cannot populate: adds nothing to a word of each page. Others may change the word
 * at the same time. */
static void pages_touch(char *from, uint64_t len) {
  for (uint64_t at = 0; at < len; at += FMPI_PAGE)
    (void)__atomic_fetch_add((uint64_t *)(void *)(from + at), 0, __ATOMIC_RELAXED);
}

/* 0, or the errno that says why the system has no pages. */
static int populate(char *from, uint64_t len) {
  for (uint32_t i = 0; i < TRIES_MAX; i++) {
    if (madvise(from, len, MADV_POPULATE_WRITE) == 0) return 0;
    if (errno != EINTR && errno != EAGAIN) break;
  }
  if (errno != EINVAL) return errno;
  pages_touch(from, len);
  return 0;
}

int fmpi_seg_secure(struct fab *fab, fab_seg_t seg, uint64_t off, uint64_t len) {
  const struct fmpi *f = fmpi_of(fab);
  const struct fmpi_seg *s;
  char *own = NULL;
  EYOTI_TRY(own_pages(fab, seg, off, len, &s, &own));
  uint64_t begin = off / FMPI_PAGE * FMPI_PAGE,
           end = (off + len + FMPI_PAGE - 1) / FMPI_PAGE * FMPI_PAGE;
  bool shared = s->mapped_bytes == 0;
  uint64_t there = shared ? fmpi_shared_space() : UINT64_MAX;
  int why = there < SPARE_BYTES || there - SPARE_BYTES < end - begin
                ? ENOSPC
                : populate(own + begin, end - begin);
  if (why == 0) return EYOT_OK;
  if (!shared)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "the machine has no memory for %" PRIu64 " bytes more of the heap: %s",
                      end - begin, strerror(why));
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "%" PRIu64
                    " bytes more of shared memory for the heap of unit %u: %s has %" PRIu64
                    " left for all %u units of this machine, of which %" PRIu64
                    " are kept for others: free memory, start fewer units, or enlarge it (mount -o "
                    "remount,size=... %s)",
                    end - begin, fab->me, FMPI_SHM_FOLDER, there, f->job.machine_units, SPARE_BYTES,
                    FMPI_SHM_FOLDER);
}
