/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.h - how the interfaces end the run after a mistake of the program: by a message in eyot's
 * form, which names the interface's call and the program's line, and exit code 7. Each interface
 * has its own words. Inline, because each is a library of its own. */
#ifndef INTERFACES_ERRORS_H
#define INTERFACES_ERRORS_H

#include <eyot/eyot.h>
#include <stdarg.h>
#include <stdio.h>

/* The exit code of a run that a mistake of the program has ended. */
#define INTERFACE_MISTAKE_CODE 7

struct interface_words {
  const char *before, *after; /* of a call before the interface's start, and after its end */
  const char *refused;        /* why the run ends then */
  const char *failed;         /* why it ends after another error, which is logged */
};

/* Ends the run after an error that is logged. */
_Noreturn static inline void interface_failed(const struct interface_words *words) {
  eyot_abort(INTERFACE_MISTAKE_CODE, words->failed);
}

/* Ends the run after a call outside the interface's start and end. */
_Noreturn static inline void interface_refuse(const struct interface_words *words, bool ended,
                                              const char *call, const void *site) {
  eyot_caller_fail(call, site, EYOT_ESTATE, "%s", ended ? words->after : words->before);
  eyot_abort(INTERFACE_MISTAKE_CODE, words->refused);
}

/* Logs an error of the marked call (EYOT_CALLER). */
static inline void interface_log(int code, const char *format, va_list ap) {
  char text[512];
  vsnprintf(text, sizeof text, format, ap);
  eyot_caller_fail(NULL, NULL, code, "%s", text);
}

#endif
