/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - the bytes of a page of the system. On x86-64 it is a constant, because it divides in hot
 * loops; elsewhere (aarch64: 4, 16 or 64 KiB) the kernel says it. May be called in a signal
 * handler. */
#ifndef EYOT_BASE_PAGE_H
#define EYOT_BASE_PAGE_H

#include <stddef.h>

#if defined(__x86_64__)
#define EYOTI_PAGE ((size_t)4096)
#else
#include <sys/auxv.h>
#define EYOTI_PAGE ((size_t)getauxval(AT_PAGESZ))
#endif
#endif
