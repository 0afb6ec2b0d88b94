/* SPDX-License-Identifier: BSD-3-Clause */
/* node_memory.h - memory that the processes of a node share: segments, and the fabric's own words
 * (rings, wakeups). It begins at a page, and is zero.
 *
 * Why it exists: MPI_Win_allocate_shared is a dozen collective steps in which processes spin; with
 * more of them than processors each step takes a time slice, a window of 8 processes 0.2 s. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_NODE_MEMORY_H
#define EYOT_FABRIC_REAL_ENDPOINT_NODE_MEMORY_H

#include "base/page.h"
#include "fabric_real/endpoint/endpoint.h"

#define FMPI_PAGE EYOTI_PAGE
#define FMPI_HUGE_PAGE (UINT64_C(1) << 21)
#define FMPI_SHM_FOLDER "/dev/shm" /* where Linux keeps shared memory of processes */

/* Its first process makes it, then all processes of the node join, and each leaves when it likes.
 * `kind` and `id` name it among those of the node that not all have joined yet. Errors: ENOMEM;
 * ESYS (it is not there). */
int fmpi_shared_make(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes);
int fmpi_shared_join(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes,
                     struct fmpi_shared *m);
/* Maps what the calling process has made, at an address that the others probably have free, and
 * leaves the address for them; then it joins like them. fmpi_shared_is_common: this process has it
 * there. While not all have: fmpi_shared_propose, by the process that has made it, moves it to
 * another address; then fmpi_shared_follow, by all, goes there too if it can. The contents stay;
 * nobody uses the memory meanwhile. turn: 1, 2, ... */
int fmpi_shared_place(const struct fmpi *f, const char *kind, uint32_t id, uint64_t bytes,
                      struct fmpi_shared *m);
bool fmpi_shared_is_common(const struct fmpi_shared *m);
void fmpi_shared_propose(const struct fmpi *f, struct fmpi_shared *m, uint32_t id, uint32_t turn);
bool fmpi_shared_follow(struct fmpi_shared *m);
/* It has been made, and no process will join any more. */
void fmpi_shared_cancel(const struct fmpi *f, const char *kind, uint32_t id);
/* Waits until all processes of the node have joined. Nothing is served meanwhile. */
void fmpi_shared_await(const struct fmpi *f, const struct fmpi_shared *m);
void fmpi_shared_leave(struct fmpi_shared *m);

/* Made by the process that comes first, and joined. */
int fmpi_share_lines(const struct fmpi *f, const char *kind, uint64_t bytes, struct fmpi_shared *m);
/* Of this process among those of its node: units, then progress processes. */
uint32_t fmpi_node_rank(const struct fmpi *f);
uint32_t fmpi_node_processes(const struct fmpi *f);
#endif
