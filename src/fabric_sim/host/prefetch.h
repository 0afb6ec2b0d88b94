/* SPDX-License-Identifier: BSD-3-Clause */
/* prefetch.h - keeps calls of functions that only prefetch, for engine/ and machine/.
 *
 * In the compiler's eyes such a function has no effect, so it deletes the calls. An empty volatile
 * assembly statement in the function is an effect. */
#ifndef EYOT_FABRIC_SIM_HOST_PREFETCH_H
#define EYOT_FABRIC_SIM_HOST_PREFETCH_H

#define SIM_PREFETCHES() __asm__ volatile("")
#endif
