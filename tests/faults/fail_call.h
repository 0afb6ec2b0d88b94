/* SPDX-License-Identifier: BSD-3-Clause */
/* fail_call.h - what a program under fail_call.c calls around the part in which calls fail. Without
 * the library both are NULL. */
#ifndef EYOT_TESTS_FAULTS_FAIL_CALL_H
#define EYOT_TESTS_FAULTS_FAIL_CALL_H

extern void fail_call_begin(void) __attribute__((weak));
extern void fail_call_end(void) __attribute__((weak));
#endif
