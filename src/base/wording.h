/* SPDX-License-Identifier: BSD-3-Clause */
/* wording.h - the words of messages that an interface on top of eyot replaces: "PE" for "unit". For
 * all files that form messages about a program (docs/adr/0052-messages-in-an-interfaces-words.md).
 *
 * Only eyot's own text is replaced: formats and literals. What a program has written comes as an
 * argument, and stays. */
#ifndef EYOT_BASE_WORDING_H
#define EYOT_BASE_WORDING_H

#include <eyot/types.h>
#include <stdarg.h>
#include <stdio.h>

#define EYOTI_WORDING 1024u /* bytes of a format that can be replaced; longer ones stay */
#define EYOTI_WORDED_BYTES 160u

/* From now on messages use these words: "unit=PE units=PEs", a string that lives as long as the
 * process; NULL: eyot's own. For eyot_init on mpi, and for tools, before other threads run. */
EYOT_API void eyoti_wording_set(const char *words);

/* Returns the text in the words of the interface: `text` itself, or a copy in `to`. A word is
 * letters, digits and underscores, not next to "-" and not before "=". May be called by handlers
 * of signals. */
EYOT_API const char *eyoti_wording(const char *text, char *to, size_t size);

/* A literal that is an argument of a message. */
#define EYOTI_WORDED(text) eyoti_wording((text), (char[EYOTI_WORDED_BYTES]){0}, EYOTI_WORDED_BYTES)

/* As the functions of stdio.h; the format is in the words of the interface. */
EYOT_API int eyoti_fprintf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
EYOT_API int eyoti_snprintf(char *to, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
EYOT_API int eyoti_vsnprintf(char *to, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
EYOT_API int eyoti_vfprintf(FILE *to, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
#endif
