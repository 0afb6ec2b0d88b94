/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol.h - the names of a program's objects with static storage, by its file's table of symbols.
 * For messages, which read the file when they need a name: nothing is kept. */
#ifndef EYOT_BASE_SYMBOL_H
#define EYOT_BASE_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/object.h"

#define EYOTI_SYMBOL_NAME 128u
#define EYOTI_SYMBOL_FILE 64u

enum eyoti_symbol_found {
  EYOTI_SYMBOL_NONE = 0, /* the byte is of no object, or the file cannot be read */
  EYOTI_SYMBOL_STRIPPED, /* the file has no table of symbols */
  EYOTI_SYMBOL_OBJECT
};

struct eyoti_symbol {
  char name[EYOTI_SYMBOL_NAME]; /* as in the source, if the compiler's form of it is known */
  char file[EYOTI_SYMBOL_FILE]; /* the source file of a local one; "" if unknown */
  uint64_t in;                  /* the byte of the object */
  uint64_t len_bytes;           /* of the object */
  bool local;                   /* static; otherwise global */
};

/* Finds the object of the file at `path` with the byte at `at`, which counts from the beginning of
 * the loaded file. */
enum eyoti_symbol_found eyoti_symbol_find(const char *path, uint64_t at, struct eyoti_symbol *s);

/* Writes "offset 8 of static "grid" (4096 bytes, heat3d.c)" for that byte, which is byte `off` of
 * the program's data, and returns `text`. brief: without the parentheses. Without a name: "offset
 * 64 of the program's data". */
EYOT_API const char *eyoti_symbol_words(const char *path, uint64_t at, uint64_t off, bool brief,
                                        char text[EYOTI_WORDS]);

/* Writes the name in the source for a symbol of gcc or clang: "flag" for "flag.0" (static in a
 * function), "ns::flag" for "_ZN2ns4flagE"; others as they are. Whether it differs. */
bool eyoti_symbol_source_name(const char *symbol, char name[EYOTI_SYMBOL_NAME]);
#endif
