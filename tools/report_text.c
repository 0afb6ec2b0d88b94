/* SPDX-License-Identifier: BSD-3-Clause */
/* report_text.c - see report_text.h. */
#include "report_text.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The bytes of the character at c, which is *point; 0: they are no UTF-8 (RFC 3629). */
static size_t utf8_at(const unsigned char *c, uint32_t *point) {
  static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = *c < 0x80 ? 1 : *c < 0xc0 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : *c < 0xf8 ? 4 : 0;
  uint32_t v = n < 2 ? *c : *c & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((c[i] & 0xc0) != 0x80) return 0; /* the end of the text, too */
    v = v << 6 | (c[i] & 0x3f);
  }
  *point = v;
  return v < LEAST[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000) ? 0 : n;
}

void report_json(FILE *out, const char *text) {
  size_t n;
  uint32_t v;
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c += n > 0 ? n : 1) {
    n = utf8_at(c, &v);
    if (n == 0)
      fputs(REPLACEMENT, out);
    else if (v == '"' || v == '\\')
      fprintf(out, "\\%c", *c);
    else if (v < ' ')
      fprintf(out, "\\u%04x", v);
    else
      (void)fwrite(c, 1, n, out);
  }
  fputc('"', out);
}

void report_xml(FILE *out, const char *text) {
  size_t n;
  uint32_t v;
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c += n > 0 ? n : 1) {
    n = utf8_at(c, &v);
    if (n > 0 && (strchr("<>&\"\n\t\r", *c) != NULL))
      fprintf(out, "&#%u;", v);
    else if (n == 0 || v < ' ' || v == 0xfffe || v == 0xffff)
      fputs(REPLACEMENT, out);
    else
      (void)fwrite(c, 1, n, out);
  }
}

bool report_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '+' || c == '.' || c == '/';
}

void report_uri(FILE *out, const char *path) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)path; *c != '\0'; c++) {
    if (report_name_char((char)*c))
      fputc(*c, out);
    else
      fprintf(out, "%%%02X", *c);
  }
  fputc('"', out);
}

void report_shell(FILE *out, const char *word) {
  static const char PLAIN[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (*word != '\0' && word[strspn(word, PLAIN)] == '\0') {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word != '\0'; word++) {
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  }
  fputc('\'', out);
}
