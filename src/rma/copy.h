/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h - copies that are long compared with the caches.
 *
 * Why it exists: a copy that fills the last cache reads each line of its target from memory before
 * it overwrites it, and drives out what the program works on. Stores past the caches do neither;
 * shorter copies are slower by them, because the target may be in a cache. */
#ifndef EYOT_RMA_COPY_H
#define EYOT_RMA_COPY_H

#include <stdint.h>

/* From so many bytes on stores past the caches win: half of the last cache. UINT64_MAX: its
 * size is not known, or the processor has no such stores. */
uint64_t eyoti_copy_stream_min(void);
/* As memmove, and what it has stored is visible before what the caller stores later. */
void eyoti_copy_stream(void *to, const void *from, uint64_t len);
#endif
