/* SPDX-License-Identifier: BSD-3-Clause */
/* snap.h - takes the process back: its writable memory becomes again what it was when the
 * snapshot was taken.
 *
 * Why it exists: a run of a small protocol takes microseconds, a fork a thousand times as long. At
 * the start of the first run everything writable is write-protected; the first write to a page
 * faults once, saves the page, and from then on the page is copied back at every end of a run.
 * Which pages a program touches hardly changes from run to run, so a run soon takes no fault.
 *
 * What is taken back: every private writable mapping of the process as it was at chk_snap_take
 * (globals of all libraries and program copies, thread-locals, malloc's heap, fibers' stacks,
 * segments), except what is kept: the region of mem.h, the main thread's stack, and what
 * chk_snap_keep names. What is not: the kernel's state (files, their offsets, mappings). malloc is
 * told, at chk_snap_new and chk_snap_take, to use one heap without mappings of its own; other
 * mappings made and removed in a run go through chk_snap_map and chk_snap_unmap. One snapshot
 * stands at a time. A forked child goes on by itself from its parent's.
 *
 * What a run must not do: have the kernel write to memory that it has not written to itself
 * (EFAULT: a byte of each page of a buffer must be written before a file is read into it); block
 * SIGSEGV; take signals on a fiber's stack (SA_ONSTACK for all handlers); load libraries; remove
 * memory of the snapshot or discard it by madvise; give heap back and take it again (malloc_trim).
 * Thread rule: the process has one thread. */
#ifndef EYOT_CHECK_SNAPSHOT_SNAP_H
#define EYOT_CHECK_SNAPSHOT_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 with sanitizers that keep shadows of memory: these would have to be taken back in step, and
 * their code runs in the handler. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHK_SNAP_WORKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define CHK_SNAP_WORKS 0
#endif
#endif
#ifndef CHK_SNAP_WORKS
#define CHK_SNAP_WORKS 1
#endif

struct chk_snap;

/* As early as can be: a larger block that malloc has given before cannot be freed in a run. Errors:
 * ENOMEM. *out lives in mem.h's memory. */
int chk_snap_new(struct chk_snap **out);
void chk_snap_delete(struct chk_snap *s);
/* [p, p+bytes) is never taken back; rounded outward to pages. Before chk_snap_take. ENOMEM. */
int chk_snap_keep(struct chk_snap *s, const void *p, size_t bytes);
/* From the stack that is kept (the scheduler's), with the handler of SIGSEGV in place. Taken again,
 * it replaces the earlier one. Flushes stdio's streams. What malloc, stdio and errno are now they
 * are after each restore. Errors: ENOMEM, ENOTSUP (see CHK_SNAP_WORKS), ESYS; logged, and no
 * snapshot stands. */
int chk_snap_take(struct chk_snap *s);
/* From the handler of SIGSEGV, on an alternate stack that is kept: true if the fault was the first
 * write to a page of the snapshot, which can now be written. */
bool chk_snap_fault(struct chk_snap *s, const void *address);
/* On the stack of chk_snap_take; locals there keep their values, all else changes behind the
 * compiler's back. Panics if a run has freed a block of malloc that cannot be brought back (see
 * chk_snap_new). */
void chk_snap_restore(struct chk_snap *s);
/* Ends the protection; memory stays as it is. */
void chk_snap_drop(struct chk_snap *s);

/* As mmap of private anonymous memory without reservation and munmap. While a snapshot stands: what
 * a run has mapped goes with the run, and what it has unmapped that was there before is back for
 * the next; what is unmapped can still be reached, and is given out again for the same length,
 * zeroed. NULL: the system refused, or bytes is 0. s NULL or no snapshot: plain mmap and munmap. */
void *chk_snap_map(struct chk_snap *s, size_t bytes);
void chk_snap_unmap(struct chk_snap *s, void *p, size_t bytes);

/* What each restore copies back, in pages; those of which a part is copied count together. */
uint64_t chk_snap_pages(const struct chk_snap *s);
#endif
