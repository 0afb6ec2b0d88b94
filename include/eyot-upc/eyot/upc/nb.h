/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/nb.h - copies that do not block (UPC library 7.9, upc_nb.h).
 *
 * A transfer's accesses are relaxed, and lie between its start and its synchronization; until then
 * its source must not change, and what it writes must not be accessed. upc_fence does not complete
 * it. One thread calls; a handle is for the thread that started the transfer, for one
 * synchronization. At the end of the program all must be synchronized. */
#ifndef EYOT_UPC_NB_H
#define EYOT_UPC_NB_H

#include "pointer.h"
#include "values.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _upcri_eop *upc_handle_t;
/* Transfers of a thread that are not synchronized, with and without a handle. */
#define UPC_NB_MOST 65535

/* These start n bytes and return a handle, UPC_COMPLETE_HANDLE if the transfer is complete (UPC
 * library 7.9.4). Bytes between two other threads pass through memory of the caller, which reads
 * them here and writes them when it synchronizes; they and those of a memset take n bytes of memory
 * until then. */
upc_handle_t upc_memput_nb(upc_shared_t dst, const void *src, size_t n);
upc_handle_t upc_memget_nb(void *dst, upc_shared_t src, size_t n);
upc_handle_t upc_memcpy_nb(upc_shared_t dst, upc_shared_t src, size_t n);
upc_handle_t upc_memset_nb(upc_shared_t dst, int c, size_t n);
/* upc_sync blocks until the transfer is complete; upc_sync_attempt returns UPC_NB_COMPLETED if it
 * is, and then has synchronized it, else UPC_NB_NOT_COMPLETED. UPC_COMPLETE_HANDLE is complete. A
 * handle that is none, or was synchronized, ends the run. UPC library 7.9.6. */
void upc_sync(upc_handle_t handle);
int upc_sync_attempt(upc_handle_t handle);

/* The same without handles: upc_synci completes all of the caller's (UPC library 7.9.5 and
 * 7.9.7). */
void upc_memput_nbi(upc_shared_t dst, const void *src, size_t n);
void upc_memget_nbi(void *dst, upc_shared_t src, size_t n);
void upc_memcpy_nbi(upc_shared_t dst, upc_shared_t src, size_t n);
void upc_memset_nbi(upc_shared_t dst, int c, size_t n);
void upc_synci(void);
int upc_synci_attempt(void);

#ifdef __cplusplus
}
#endif
#endif
