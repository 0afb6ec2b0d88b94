/* SPDX-License-Identifier: BSD-3-Clause */
/* snap.h - restores the writable memory of the process to what it was when a snapshot was taken.
 * eyotcheck (fabric_sim/explore, engine) starts each run so.
 *
 * Why it exists: a run of a small protocol takes microseconds, a fork a thousand times as long. All
 * writable memory is write-protected at the start of the first run. The first write to a page
 * faults once and saves the page; from then on each restore copies it back. The set of written
 * pages hardly changes from run to run, so later runs seldom fault.
 *
 * Thread rule: the process has one thread. */

/* Restored: every private writable mapping of the process as it was at chk_snap_take
 * (globals of all libraries and program copies, thread-locals, malloc's heap, fibers' stacks,
 * segments), except what is kept: the region of mem.h, the main thread's stack, and what
 * chk_snap_keep names. Not restored: the kernel's state (files, their offsets, mappings).
 * chk_snap_new and chk_snap_take make malloc use one heap without mappings of its own; other
 * mappings made and removed in a run go through chk_snap_map and chk_snap_unmap. There is one
 * snapshot at a time. A forked child continues by itself with a copy of its parent's.
 *
 * A run must not: have the kernel write to memory that it has not written to itself
 * (EFAULT: a byte of each page of a buffer must be written before a file is read into it); block
 * SIGSEGV; take signals on a fiber's stack (SA_ONSTACK for all handlers); load libraries; remove
 * memory of the snapshot or discard it by madvise; give heap back and take it again
 * (malloc_trim). */
#ifndef EYOT_CHECK_SNAPSHOT_SNAP_H
#define EYOT_CHECK_SNAPSHOT_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* 0 with sanitizers that keep shadow memory: it would have to be restored too, and their code runs
 * in the handler. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHK_SNAP_WORKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define CHK_SNAP_WORKS 0
#endif
#endif
/* Nor with a C library whose malloc cannot be told to use one heap, such as musl. */
#ifndef CHK_SNAP_WORKS
#ifdef __GLIBC__
#define CHK_SNAP_WORKS 1
#else
#define CHK_SNAP_WORKS 0
#endif
#endif

struct chk_snap;

/* Call as early as possible: a larger block that malloc has returned before cannot be freed in a
 * run. Errors: ENOMEM. *out lives in mem.h's memory. */
int chk_snap_new(struct chk_snap **out);
void chk_snap_delete(struct chk_snap *s);
/* [p, p+bytes) is never restored; rounded outward to pages. Before chk_snap_take. ENOMEM. */
int chk_snap_keep(struct chk_snap *s, const void *p, size_t bytes);
/* Called on the stack that is kept (the scheduler's), with the handler of SIGSEGV installed. A
 * second call replaces the earlier snapshot. Flushes stdio's streams. Each restore gives malloc,
 * stdio and errno the state that they have now. Errors: ENOMEM, ENOTSUP (see CHK_SNAP_WORKS), ESYS;
 * logged, and there is no snapshot then. */
int chk_snap_take(struct chk_snap *s);
/* Called by the handler of SIGSEGV, on an alternate stack that is kept. True: the fault was the
 * first write to a page of the snapshot, which is now writable. */
bool chk_snap_fault(struct chk_snap *s, const void *address);
/* Called on the stack of chk_snap_take; locals there keep their values, all else changes without
 * the compiler's knowledge. Panics if a run has freed a block of malloc that cannot be restored
 * (see chk_snap_new). */
void chk_snap_restore(struct chk_snap *s);
/* As fork; s NULL or no snapshot: fork itself. While there is a snapshot, fork itself would end the
 * process with SIGSEGV (fork.c). */
pid_t chk_snap_fork(struct chk_snap *s);
/* Ends the protection; memory stays as it is. */
void chk_snap_drop(struct chk_snap *s);

/* As mmap of private anonymous memory without reservation, and munmap. While there is a snapshot, a
 * run's mappings end with the run, and an earlier mapping that a run unmaps is back for the next
 * run; unmapped memory stays accessible, and serves later requests of the same length, zeroed.
 * NULL: the system refused, or bytes is 0. s NULL or no snapshot: plain mmap and munmap. */
void *chk_snap_map(struct chk_snap *s, size_t bytes);
void chk_snap_unmap(struct chk_snap *s, void *p, size_t bytes);

/* Number of pages that each restore copies back; pages of which a part is copied count as one
 * together. */
uint64_t chk_snap_pages(const struct chk_snap *s);
#endif
