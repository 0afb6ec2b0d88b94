/* SPDX-License-Identifier: BSD-3-Clause */
/* wording.c - implements wording.h: replaces words of a text by a list. */
#include "base/wording.h"

#include <stdbool.h>
#include <string.h>

/* One for the process: messages are formed in all layers, also where no unit is known. */
static const char *words_of_interface;

void eyoti_wording_set(const char *words) {
  words_of_interface = words;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What the list has for a word of n bytes; NULL: nothing. */
static const char *instead_of(const char *list, const char *word, size_t n, size_t *len) {
  for (const char *p = list; *p != '\0';) {
    size_t entry = strcspn(p, " ");
    if (entry > n && p[n] == '=' && memcmp(p, word, n) == 0) {
      *len = entry - n - 1;
      return p + n + 1;
    }
    p += entry;
    p += strspn(p, " ");
  }
  return NULL;
}

const char *eyoti_wording(const char *text, char *to, size_t size) {
  const char *list = words_of_interface;
  if (list == NULL) return text;
  size_t n = 0;
  for (const char *p = text; *p != '\0';) {
    size_t word = 0, len = 1;
    while (is_letter(p[word])) word++;
    const char *from = p;
    bool whole = word > 0 && p[word] != '-' && p[word] != '=' && (p == text || p[-1] != '-');
    const char *other = whole ? instead_of(list, p, word, &len) : NULL;
    if (other != NULL)
      from = other;
    else
      len = word > 0 ? word : 1;
    if (len >= size - n) return text;
    memcpy(to + n, from, len);
    n += len;
    p += word > 0 ? word : 1;
  }
  to[n] = '\0';
  return to;
}

int eyoti_vsnprintf(char *to, size_t size, const char *fmt, va_list ap) {
  char format[EYOTI_WORDING];
  return vsnprintf(to, size, eyoti_wording(fmt, format, sizeof format), ap);
}

int eyoti_vfprintf(FILE *to, const char *fmt, va_list ap) {
  char format[EYOTI_WORDING];
  return vfprintf(to, eyoti_wording(fmt, format, sizeof format), ap);
}

int eyoti_snprintf(char *to, size_t size, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = eyoti_vsnprintf(to, size, fmt, ap);
  va_end(ap);
  return n;
}

int eyoti_fprintf(FILE *to, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = eyoti_vfprintf(to, fmt, ap);
  va_end(ap);
  return n;
}
