/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_nb.h - copies that do not block (UPC library 7.9), for UPC programs. */
#ifndef EYOT_UPC_LANGUAGE_NB_H
#define EYOT_UPC_LANGUAGE_NB_H

#include <stddef.h>

#include "../eyot/upc/values.h"

typedef struct _upcri_eop *upc_handle_t;

extern upc_handle_t upc_memcpy_nb(shared void *dst, shared const void *src, size_t n);
extern upc_handle_t upc_memget_nb(void *dst, shared const void *src, size_t n);
extern upc_handle_t upc_memput_nb(shared void *dst, const void *src, size_t n);
extern upc_handle_t upc_memset_nb(shared void *dst, int c, size_t n);
extern void upc_sync(upc_handle_t handle);
extern int upc_sync_attempt(upc_handle_t handle);

extern void upc_memcpy_nbi(shared void *dst, shared const void *src, size_t n);
extern void upc_memget_nbi(void *dst, shared const void *src, size_t n);
extern void upc_memput_nbi(shared void *dst, const void *src, size_t n);
extern void upc_memset_nbi(shared void *dst, int c, size_t n);
extern void upc_synci(void);
extern int upc_synci_attempt(void);

#endif
