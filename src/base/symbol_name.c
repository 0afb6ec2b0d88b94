/* SPDX-License-Identifier: BSD-3-Clause */
/* symbol_name.c - the name in the source for the name of an object in a table of symbols. What gcc
 * and clang do to names of C; of C++ (Itanium C++ ABI, section 5.1) the names of objects in
 * namespaces, classes and functions, without templates. */
#include <stdio.h>
#include <string.h>

#include "base/symbol.h"

#define DIGITS "0123456789"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Reads a length and as many characters; NULL: there are none. */
static const char *source_name(const char *p, const char **name, size_t *len) {
  size_t n = 0;
  if (*p == 'L') p++; /* internal linkage */
  if (!is_digit(*p)) return NULL;
  while (is_digit(*p) && n < EYOTI_SYMBOL_NAME) n = n * 10 + (size_t)(*p++ - '0');
  if (n == 0 || n >= EYOTI_SYMBOL_NAME || strnlen(p, n) < n) return NULL;
  *name = p;
  *len = n;
  return p + n;
}

/* The end of a local name, after "E": a name, and perhaps a number that tells equal ones apart. */
static bool local_end(const char *p, char name[EYOTI_SYMBOL_NAME]) {
  const char *from;
  size_t len;
  p = source_name(p, &from, &len);
  if (p == NULL) return false;
  p += strspn(p, "_" DIGITS);
  if (*p != '\0') return false;
  snprintf(name, EYOTI_SYMBOL_NAME, "%.*s", (int)len, from);
  return true;
}

static bool nested(const char *p, char name[EYOTI_SYMBOL_NAME]) {
  static const char UNNAMED[] = "_GLOBAL__N_";
  size_t n = 0;
  while (*p != 'E') {
    const char *from;
    size_t len;
    p = source_name(p, &from, &len);
    if (p == NULL) return false;
    if (len >= sizeof UNNAMED - 1 && strncmp(from, UNNAMED, sizeof UNNAMED - 1) == 0) continue;
    int more =
        snprintf(name + n, EYOTI_SYMBOL_NAME - n, "%s%.*s", n > 0 ? "::" : "", (int)len, from);
    if (more < 0 || (size_t)more >= EYOTI_SYMBOL_NAME - n) return false;
    n += (size_t)more;
  }
  return n > 0 && p[1] == '\0';
}

static bool cxx_name(const char *symbol, char name[EYOTI_SYMBOL_NAME]) {
  const char *p = symbol + 2, *from;
  size_t len;
  if (*p == 'N') return nested(p + 1, name);
  if (*p == 'Z') {
    for (p++; (p = strchr(p, 'E')) != NULL; p++)
      if (local_end(p + 1, name)) return true;
    return false;
  }
  p = source_name(p, &from, &len);
  if (p == NULL || *p != '\0') return false;
  snprintf(name, EYOTI_SYMBOL_NAME, "%.*s", (int)len, from);
  return true;
}

/* A part of a name of C that the compiler has added: its dot, or NULL. */
static char *added_part(char *name) {
  char *dot = strrchr(name, '.');
  if (dot == NULL || dot == name || dot[1] == '\0') return NULL;
  bool number = dot[1 + strspn(dot + 1, DIGITS)] == '\0';
  return number || strcmp(dot, ".lto_priv") == 0 ? dot : NULL;
}

/* "flag.0", "flag.lto_priv.0" (gcc); "main.flag", "main.flag.1" (clang). */
static bool c_name(const char *symbol, char name[EYOTI_SYMBOL_NAME]) {
  char *dot;
  snprintf(name, EYOTI_SYMBOL_NAME, "%s", symbol);
  while ((dot = added_part(name)) != NULL) *dot = '\0';
  dot = strrchr(name, '.');
  if (dot != NULL && dot != name && dot[1] != '\0') memmove(name, dot + 1, strlen(dot));
  return strcmp(name, symbol) != 0;
}

bool eyoti_symbol_source_name(const char *symbol, char name[EYOTI_SYMBOL_NAME]) {
  bool cxx = strncmp(symbol, "_Z", 2) == 0;
  if (cxx ? cxx_name(symbol, name) : c_name(symbol, name)) return true;
  snprintf(name, EYOTI_SYMBOL_NAME, "%s", symbol);
  return false;
}
