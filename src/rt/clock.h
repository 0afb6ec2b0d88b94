/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the time of a unit whose fabric has a time of its own; the C library's functions of
 * time, wrapped by src/prog, call it.
 *
 * Why it exists: in the simulator a unit that sleeps by the C library would stop all others, for
 * real time, and a clock that it reads would show the time of this machine. */
#ifndef EYOT_RT_CLOCK_H
#define EYOT_RT_CLOCK_H

#include <eyot/types.h>

/* True if the caller is a unit with virtual time: *ns is its time, that of eyot_now_ns after
 * eyot_init. False: the caller asks the system. Other units may run. `function` (a literal) and
 * `site`, to which it returns, are those that reports name. */
EYOT_API bool eyoti_prog_now(const char *function, const void *site, uint64_t *ns);
/* True if the caller is a unit with virtual time: it has slept for ns of it, during which others
 * have run. False: the caller lets the system do it. */
EYOT_API bool eyoti_prog_sleep(const char *function, const void *site, uint64_t ns);
#endif
