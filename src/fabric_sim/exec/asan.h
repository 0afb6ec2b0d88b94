/* SPDX-License-Identifier: BSD-3-Clause */
/* asan.h - tells AddressSanitizer about stack switches; empty without it. The only file of the
 * simulator that knows about sanitizers. */
#ifndef EYOT_FABRIC_SIM_EXEC_ASAN_H
#define EYOT_FABRIC_SIM_EXEC_ASAN_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif

#ifdef SIM_ASAN
#include <sanitizer/common_interface_defs.h>
/* Before leaving a stack for [low, low+bytes); *save keeps the left one's fake stack. */
static inline void sim_asan_leave(void **save, const void *low, size_t bytes) {
  __sanitizer_start_switch_fiber(save, low, bytes);
}
/* After arriving; save as of the leave (NULL on first entry); tells where we came from if low is
 * not NULL. */
static inline void sim_asan_arrive(void *save, const void **low, size_t *bytes) {
  __sanitizer_finish_switch_fiber(save, low, bytes);
}
#else
static inline void sim_asan_leave(void **save, const void *low, size_t bytes) {
  (void)save, (void)low, (void)bytes;
}
static inline void sim_asan_arrive(void *save, const void **low, size_t *bytes) {
  (void)save, (void)low, (void)bytes;
}
#endif
#endif
