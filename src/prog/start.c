/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c - the part of eyot in every program that eyotcc links: the loader's path, and the
 * functions that end a program.
 *
 * Why it exists: a program is one file that starts as a process and can be loaded many times as a
 * shared object. To start, it needs a .interp section, which the linker adds to executables only.
 * When loaded, exit and similar functions must end a unit, not the process with all units in it, so
 * they are wrapped (-Wl,--wrap=...): eyoti_prog_exit ends a simulated unit and does not return; in
 * a process of its own it returns, and the real function is called. The file is linked as an
 * object, not from an archive, because nothing refers to .interp. */
#include <stdlib.h>
#include <unistd.h>

#include "rt/exit.h"
#include "rt/rt.h"

/* EYOTI_INTERP: the compiler's own loader path, found when eyot is configured. */
__attribute__((section(".interp"), used)) static const char interp[] = EYOTI_INTERP;

#define FAILED_CODE 134 /* the exit code that a shell reports for a process that aborted */

void __real_exit(int code) __attribute__((noreturn));
void __real__exit(int code) __attribute__((noreturn));
void __real__Exit(int code) __attribute__((noreturn));
void __real_quick_exit(int code) __attribute__((noreturn));
void __real_abort(void) __attribute__((noreturn));

void __wrap_exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));
void __wrap__Exit(int code) __attribute__((noreturn));
void __wrap_quick_exit(int code) __attribute__((noreturn));
void __wrap_abort(void) __attribute__((noreturn));

void __wrap_exit(int code) {
  __asm__ volatile("" : : "r"(interp)); /* keeps the section when the linker drops unused ones */
  eyoti_prog_exit(FAB_EXIT, code);
  __real_exit(code);
}

void __wrap__exit(int code) {
  eyoti_prog_exit(FAB_EXIT_NOW, code);
  __real__exit(code);
}

void __wrap__Exit(int code) {
  eyoti_prog_exit(FAB_EXIT_NOW, code);
  __real__Exit(code);
}

void __wrap_quick_exit(int code) {
  eyoti_prog_exit(FAB_EXIT_QUICK, code);
  __real_quick_exit(code);
}

void __wrap_abort(void) {
  eyoti_prog_exit(FAB_EXIT_ABORT, FAILED_CODE);
  __real_abort();
}
