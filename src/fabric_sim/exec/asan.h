/* SPDX-License-Identifier: BSD-3-Clause */
/* asan.h - reports stack switches (fiber.c) and the units that a fault kills (engine/unit.c) to
 * AddressSanitizer; empty without it. No other file of the simulator knows about sanitizers. */
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
#include <sanitizer/lsan_interface.h>
#define SIM_FINDS_LEAKS 1
/* What is allocated between the two calls is not searched for leaks. */
static inline void sim_asan_excuse(void) {
  __lsan_disable();
}
static inline void sim_asan_excuse_end(void) {
  __lsan_enable();
}
/* Called before leaving a stack for [low, low+bytes); *save keeps the fake stack of the one
 * left. */
static inline void sim_asan_leave(void **save, const void *low, size_t bytes) {
  __sanitizer_start_switch_fiber(save, low, bytes);
}
/* Called after arriving; save as set by the leave (NULL on first entry); returns the stack that was
 * left if low is not NULL. */
static inline void sim_asan_arrive(void *save, const void **low, size_t *bytes) {
  __sanitizer_finish_switch_fiber(save, low, bytes);
}
#else
#define SIM_FINDS_LEAKS 0
static inline void sim_asan_excuse(void) {}
static inline void sim_asan_excuse_end(void) {}
static inline void sim_asan_leave(void **save, const void *low, size_t bytes) {
  (void)save, (void)low, (void)bytes;
}
static inline void sim_asan_arrive(void *save, const void **low, size_t *bytes) {
  (void)save, (void)low, (void)bytes;
}
#endif
#endif
