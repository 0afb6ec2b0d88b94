/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/setup.h - start and end, queries, memory, teams and contexts. Source: OpenSHMEM 1.5,
 * "Library Setup, Exit, and Query Routines", "Thread Support", "Memory Management Routines", "Team
 * Management Routines", "Communication Management Routines". */
#ifndef SHMEM_SETUP_H
#define SHMEM_SETUP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. A program that ends without the last shmem_finalize is reported. */
SHMEMI_FN(void, init, (void));
SHMEMI_FN(void, finalize, (void));
/* The level provided is that of the fabric: SHMEM_THREAD_MULTIPLE at most on mpi,
 * SHMEM_THREAD_FUNNELED on sim. */
SHMEMI_FN(int, init_thread, (int requested, int *provided));
SHMEMI_FN(void, query_thread, (int *provided));
SHMEMI_FN(void, query_initialized, (int *initialized));
SHMEMI_NORETURN void shmem_global_exit(int status);
SHMEMI_NORETURN void pshmem_global_exit(int status);
SHMEMI_FN(int, my_pe, (void));
SHMEMI_FN(int, n_pes, (void));
SHMEMI_FN(int, pe_accessible, (int pe));
SHMEMI_FN(int, addr_accessible, (const void *addr, int pe));
/* The address of `dest` at `pe` for loads and stores: on mpi for PEs of the node (heap and
 * symmetric statics), on sim for the caller only; else NULL. */
SHMEMI_FN(void *, ptr, (const void *dest, int pe));
SHMEMI_FN(void *, team_ptr, (shmem_team_t team, const void *dest, int pe));
SHMEMI_FN(void, info_get_version, (int *major, int *minor));
SHMEMI_FN(void, info_get_name, (char *name));
/* Recorded and without effect: eyot's tools choose what is reported (eyotrun --stats). */
SHMEMI_FN(void, pcontrol, (int level, ...));

/* Collective over all PEs. NULL: size 0, or no room; a message then names SHMEM_SYMMETRIC_SIZE. The
 * memory of shmem_malloc has undefined contents. */
SHMEMI_FN(void *, malloc, (size_t size));
SHMEMI_FN(void *, calloc, (size_t count, size_t size));
SHMEMI_FN(void *, align, (size_t alignment, size_t size));
SHMEMI_FN(void *, realloc, (void *ptr, size_t size));
SHMEMI_FN(void *, malloc_with_hints, (size_t size, long hints));
SHMEMI_FN(void, free, (void *ptr));

/* Teams. The splits are collective over the parent. */
SHMEMI_FN(int, team_my_pe, (shmem_team_t team));
SHMEMI_FN(int, team_n_pes, (shmem_team_t team));
SHMEMI_FN(int, team_get_config, (shmem_team_t team, long config_mask, shmem_team_config_t *config));
SHMEMI_FN(int, team_translate_pe, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team));
SHMEMI_FN(int, team_split_strided,
          (shmem_team_t parent_team, int start, int stride, int size,
           const shmem_team_config_t *config, long config_mask, shmem_team_t *new_team));
SHMEMI_FN(int, team_split_2d,
          (shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config,
           long xaxis_mask, shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config,
           long yaxis_mask, shmem_team_t *yaxis_team));
SHMEMI_FN(void, team_destroy, (shmem_team_t team));

/* Contexts. Each is an operation set of eyot: quiet and fence concern it alone. */
SHMEMI_FN(int, ctx_create, (long options, shmem_ctx_t *ctx));
SHMEMI_FN(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t *ctx));
SHMEMI_FN(void, ctx_destroy, (shmem_ctx_t ctx));
SHMEMI_FN(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t *team));
/* Hints without effect: eyot does not batch. */
SHMEMI_FN(void, ctx_session_start,
          (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config,
           long config_mask));
SHMEMI_FN(void, ctx_session_stop, (shmem_ctx_t ctx));

#ifdef __cplusplus
}
#endif
#endif
