/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/caller.h - the mark "the caller is a library", for interfaces on top of eyot (OpenSHMEM,
 * UPC, a program's own layer). While it is set, messages, races, the steps of eyotcheck, reports of
 * who waits for what and lists of what was not released name the interface's call and the line of
 * the program that made it, not the interface's own lines.
 *
 * The mark ends with the block, and costs some instructions and no call. Of several, the outermost
 * counts. A mark set before eyot_init has no effect on mpi, and none has any at
 * EYOT_THREAD_MULTIPLE. Local; may be used at any time. Thread rule: that of eyot/init.h. */
#ifndef EYOT_CALLER_H
#define EYOT_CALLER_H

#include "fast.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_caller_begin sets the mark: `call` is the name of the interface's function, a string that
 * lives as long as the run; `site` the address to which that function returns,
 * __builtin_return_address(0). Returns whether the mark is the caller's to end; false: an outer
 * function has set it, or no unit runs here, or an argument is NULL. */
EYOTI_INLINE bool eyot_caller_begin(const char *call, const void *site) {
  struct eyoti_fast *f = (struct eyoti_fast *)eyot_current;
  if (f->caller.site != NULL || site == NULL || call == NULL) return false;
  f->caller.call = call;
  f->caller.site = site;
  return true;
}

/* eyot_caller_end ends the mark if `begun` is true: the result of eyot_caller_begin. */
EYOTI_INLINE void eyot_caller_end(bool begun) {
  struct eyoti_fast *f = (struct eyoti_fast *)eyot_current;
  if (begun && f->caller.call != NULL) f->caller.site = NULL;
}

/* For EYOT_CALLER: the end of the block. */
EYOTI_INLINE void eyoti_caller_left(const bool *begun) {
  eyot_caller_end(*begun);
}

/* EYOT_CALLER marks the function in which it stands, from here to the end of the block:
 *
 *   void shmem_putmem(void *dest, const void *source, size_t n, int pe) {
 *     EYOT_CALLER("shmem_putmem");
 *     ...
 *
 * The function must not be inlined into its callers, or its callers' callers are named. */
#define EYOT_CALLER(call) EYOT_CALLER_AT(call, __builtin_return_address(0))
/* EYOT_CALLER_AT is EYOT_CALLER in a function that another one of the interface calls, which passes
 * the address to which that one returns. */
#define EYOT_CALLER_AT(call, site)                                                    \
  const bool eyoti_caller_begun __attribute__((cleanup(eyoti_caller_left), unused)) = \
      eyot_caller_begin((call), (site))

/* EYOT_CALLER_WORDS(words) makes messages about programs of the interface speak its language. It
 * stands once, outside of functions, in a source file that each such program has; `words` is a
 * string literal of pairs, separated by spaces:
 *
 *   EYOT_CALLER_WORDS("unit=PE units=PEs eyot_init=shmem_init eyot_finalize=shmem_finalize")
 *
 * In eyot's messages, those of eyotrun and of eyotcheck the word before each "=" is then replaced
 * by the one after it: whole words of letters, digits and underscores, as they are written. What
 * the program has written (names, texts, arguments) stays. The words are an ELF note of the
 * program (type 2 of owner "eyot"), which eyot_init and the tools find; nothing is called. Of
 * several notes the first counts. */
#define EYOT_CALLER_WORDS(words)                              \
  __asm__(                                                    \
      ".pushsection .note.eyot,\"a\",@note\n\t.balign 4\n\t"  \
      ".long 5, 2f - 1f, 2\n\t.asciz \"eyot\"\n\t.balign 4\n" \
      "1:\t.asciz \"" words "\"\n2:\t.balign 4\n\t.popsection");

/* eyot_caller_fail logs an error that the interface has found, in the form of eyot's own messages
 * (the unit, the interface's call, the text, the code and the program's line). It counts as an
 * error that a function of eyot returns: with EYOT_ERRORS=abort one of the program ends the run
 * (eyot_errors_clear). `call` and `site` name the call if no mark is set, as before eyot_init; they
 * may be NULL. Local; may be called at any time. */
EYOT_API void eyot_caller_fail(const char *call, const void *site, int code, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));

/* eyot_caller_mark returns the call of the mark that is set, and in *site its place: for objects of
 * the interface that are named later. NULL if no mark is set. Local. */
EYOTI_INLINE const char *eyot_caller_mark(const void **site) {
  const struct eyoti_fast *f = (const struct eyoti_fast *)eyot_current;
  *site = f->caller.site;
  return f->caller.site != NULL ? f->caller.call : NULL;
}

/* eyot_caller_warn warns of what `call`, at `site`, has made or begun and the program has left: the
 * text, the call and the program's line, as eyot_finalize does; call NULL: the text alone. Between
 * eyot_init and eyot_finalize. Local. */
EYOT_API void eyot_caller_warn(const char *call, const void *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
