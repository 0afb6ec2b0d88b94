/* ec_snap.h - takes the process back: its writable memory becomes again what it was when the snapshot was taken.
 *
 * Why it exists: a run of a small protocol takes microseconds, a fork a thousand times as long. At the start of the first run everything
 * writable is write-protected; the first write to a page faults once, saves the page, and from then on the page is copied back at every end
 * of a run. Which pages a program touches hardly changes from run to run, so a run soon takes no fault.
 *
 * What is taken back: every private writable mapping of the process as it was at ec_snap_take (globals of all libraries and program copies,
 * thread-locals, malloc's heap, fibers' stacks, segments), except what is kept: the region of ec_mem.h, the stack of the calling thread,
 * and what ec_snap_keep names. What is not: the kernel's state (files, their offsets, mappings). malloc is told, at ec_snap_take, to use
 * one heap without mappings of its own; other mappings made and removed in a run go through ec_snap_map and ec_snap_unmap. A system call
 * that writes to a protected page fails with EFAULT: a run should not read files. Thread rule: the process has one thread.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_EC_SNAP_H
#define EYOT_EC_SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ec_snap;

/* Errors: ENOMEM. *out lives in ec_mem.h's memory. */
int ec_snap_new(struct ec_snap **out);
void ec_snap_delete(struct ec_snap *s);
/* [p, p+bytes) is never taken back; rounded outward to pages. Before ec_snap_take. ENOMEM. */
int ec_snap_keep(struct ec_snap *s, const void *p, size_t bytes);
/* From the stack that is kept (the scheduler's). Taken again, it replaces the earlier one. Errors: ESYS (logged). */
int ec_snap_take(struct ec_snap *s);
/* From the handler of SIGSEGV, on an alternate stack that is kept: true if the fault was the first write to a page of the snapshot, which
 * can now be written. */
bool ec_snap_fault(struct ec_snap *s, const void *address);
/* From the same frame as ec_snap_take or one that it called. */
void ec_snap_restore(struct ec_snap *s);
/* Ends the protection; memory stays as it is. */
void ec_snap_drop(struct ec_snap *s);

/* As mmap of private anonymous memory without reservation and munmap. While a snapshot stands: what a run has mapped goes with the run, and
 * what it has unmapped that was there before is back for the next. NULL: the system refused. s NULL or no snapshot: plain mmap and munmap.
 */
void *ec_snap_map(struct ec_snap *s, size_t bytes);
void ec_snap_unmap(struct ec_snap *s, void *p, size_t bytes);

/* Pages that are copied back at each restore, and bytes of saved pages. */
uint64_t ec_snap_pages(const struct ec_snap *s);
#endif
