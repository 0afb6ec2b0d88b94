/* SPDX-License-Identifier: BSD-3-Clause */
/* access.h - accesses to shared memory under any name: of the library, and of translated
 * programs. */
#ifndef INTERFACES_UPC_ACCESS_H
#define INTERFACES_UPC_ACCESS_H

#include <eyot/eyot.h>

/* Relaxed: in order with the caller's other accesses to the same bytes. */
void upci_write(eyot_gptr_t dst, const void *src, size_t bytes);
void upci_read(void *dst, eyot_gptr_t src, size_t bytes);
/* The address of memory that is mapped here, else NULL. */
void *upci_address(eyot_gptr_t at);
/* Completes the caller's earlier relaxed writes if one of them is to these bytes. */
void upci_settle(eyot_gptr_t at, uint64_t bytes);
/* Strict; complete on return. */
void upci_write_strict(eyot_gptr_t dst, const void *src, size_t bytes);
void upci_read_strict(void *dst, eyot_gptr_t src, size_t bytes);

#endif
