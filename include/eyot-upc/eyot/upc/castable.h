/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/castable.h - which memory of a thread upc_cast converts (UPC library 7.7.2.2), in C and
 * in UPC. */
#ifndef EYOT_UPC_CASTABLE_H
#define EYOT_UPC_CASTABLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of memory: of the three allocations, and shared arrays. */
#define UPC_CASTABLE_ALL_ALLOC 1
#define UPC_CASTABLE_GLOBAL_ALLOC 2
#define UPC_CASTABLE_ALLOC 4
#define UPC_CASTABLE_STATIC 8
#define UPC_CASTABLE_ALL 15

/* Kinds, or-ed. eyot knows which memory is mapped, so both are equal. */
typedef struct upc_thread_info {
  int guaranteedCastable, probablyCastable;
} upc_thread_info_t;

/* upc_thread_info returns which of a thread's memory upc_cast converts for the caller: all, or
 * none. Local. A number that is no thread's ends the run. UPC library 7.7.2.2. */
extern upc_thread_info_t upc_thread_info(size_t threadId);

#ifdef __cplusplus
}
#endif
#endif
