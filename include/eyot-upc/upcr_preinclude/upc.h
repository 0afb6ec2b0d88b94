/* SPDX-License-Identifier: BSD-3-Clause */
/* upc.h - UPC's library for UPC programs (UPC 7.2): a translator reads it, C compilers do not. */
#ifndef EYOT_UPC_LANGUAGE_H
#define EYOT_UPC_LANGUAGE_H

#include <stddef.h>
#include <upc_types.h>

/* Termination. */
extern void upc_global_exit(int status);

/* Memory. */
extern shared void *upc_global_alloc(size_t nblocks, size_t nbytes);
extern shared void *upc_all_alloc(size_t nblocks, size_t nbytes);
extern shared void *upc_alloc(size_t nbytes);
extern shared void *upc_local_alloc(size_t nblocks, size_t nbytes); /* of UPC 1.1 */
extern void upc_free(shared void *ptr);
extern void upc_all_free(shared void *ptr);

/* Pointers to shared. */
extern size_t upc_threadof(shared void *ptr);
extern size_t upc_phaseof(shared void *ptr);
extern shared void *upc_resetphase(shared void *ptr);
extern size_t upc_addrfield(shared void *ptr);
extern size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t threadid);

/* Locks. */
typedef shared void upc_lock_t;
extern upc_lock_t *upc_global_lock_alloc(void);
extern upc_lock_t *upc_all_lock_alloc(void);
extern void upc_lock_free(upc_lock_t *ptr);
extern void upc_all_lock_free(upc_lock_t *ptr);
extern void upc_lock(upc_lock_t *ptr);
extern int upc_lock_attempt(upc_lock_t *ptr);
extern void upc_unlock(upc_lock_t *ptr);

/* Copies. */
extern void upc_memcpy(shared void *dst, shared const void *src, size_t n);
extern void upc_memget(void *dst, shared const void *src, size_t n);
extern void upc_memput(shared void *dst, const void *src, size_t n);
extern void upc_memset(shared void *dst, int c, size_t n);

#endif
