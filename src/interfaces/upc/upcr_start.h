/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr_start.h - the start of a translated program after upc_init. */
#ifndef INTERFACES_UPC_UPCR_START_H
#define INTERFACES_UPC_UPCR_START_H

/* Allocates and initializes the shared data of all translated files. Collective. */
void upci_translated_begin(void);

#endif
