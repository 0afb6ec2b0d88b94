/* SPDX-License-Identifier: BSD-3-Clause */
/* conf_text.c - implements conf_text.h. */
#include "base/conf_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NS_A_S UINT64_C(1000000000)

struct suffix {
  const char *text;
  uint64_t factor;
};

static const struct suffix BYTE_SUFFIXES[] = {
    {"", 1},
    {"B", 1},
    {"K", 1024},
    {"KB", 1024},
    {"KiB", 1024},
    {"M", 1024 * 1024},
    {"MB", 1024 * 1024},
    {"MiB", 1024 * 1024},
    {"G", 1024 * 1024 * 1024},
    {"GB", 1024 * 1024 * 1024},
    {"GiB", 1024 * 1024 * 1024},
};

static const struct suffix TIME_SUFFIXES[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000 * 1000}, {"s", 1000 * 1000 * 1000}};

/* The decimal digits at the start of `text`; false if there are none or they overflow. */
static bool digits(const char *text, uint64_t *value, const char **rest) {
  if (!isdigit((unsigned char)*text)) return false;
  uint64_t v = 0;
  for (; isdigit((unsigned char)*text); text++) {
    if (__builtin_mul_overflow(v, 10u, &v) ||
        __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
      return false;
  }
  *value = v;
  *rest = text;
  return true;
}

static bool with_suffix(const char *text, const struct suffix *suffixes, size_t n,
                        uint64_t *value) {
  uint64_t v;
  const char *rest;
  if (!digits(text, &v, &rest)) return false;
  for (size_t i = 0; i < n; i++) {
    if (strcasecmp(rest, suffixes[i].text) != 0) continue;
    if (__builtin_mul_overflow(v, suffixes[i].factor, &v)) return false;
    *value = v;
    return true;
  }
  return false;
}

bool eyoti_text_u64(const char *text, uint64_t *value) {
  uint64_t v;
  const char *rest;
  if (!digits(text, &v, &rest) || *rest != '\0') return false;
  *value = v;
  return true;
}

bool eyoti_text_bytes(const char *text, uint64_t *value) {
  return with_suffix(text, BYTE_SUFFIXES, sizeof BYTE_SUFFIXES / sizeof BYTE_SUFFIXES[0], value);
}

/* A bare number other than 0 is refused: its unit would be ambiguous. */
bool eyoti_text_time_ns(const char *text, uint64_t *value) {
  if (strcmp(text, "0") == 0) {
    *value = 0;
    return true;
  }
  return with_suffix(text, TIME_SUFFIXES, sizeof TIME_SUFFIXES / sizeof TIME_SUFFIXES[0], value);
}

bool eyoti_text_seconds_ns(const char *text, uint64_t *value) {
  uint64_t whole = 0, ns = 0, place = NS_A_S;
  const char *c = text;
  for (; *c >= '0' && *c <= '9'; c++)
    if (__builtin_mul_overflow(whole, UINT64_C(10), &whole) ||
        __builtin_add_overflow(whole, (uint64_t)(*c - '0'), &whole))
      return false;
  bool digits = c != text;
  if (digits && *c == '.')
    for (c++; *c >= '0' && *c <= '9'; c++) ns += (place /= 10) * (uint64_t)(*c - '0');
  if (!digits || *c != '\0' || c[-1] == '.' || __builtin_mul_overflow(whole, NS_A_S, &whole))
    return false;
  return !__builtin_add_overflow(whole, ns, value);
}

bool eyoti_text_bool(const char *text, uint64_t *value) {
  static const char *const NAMES[] = {"0", "1", "off", "on", "false", "true", "no", "yes"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    if (strcasecmp(text, NAMES[i]) != 0) continue;
    *value = i % 2;
    return true;
  }
  return false;
}

bool eyoti_text_choice(const char *choices, const char *text, uint64_t *value) {
  size_t len = strlen(text);
  uint64_t index = 0;
  for (const char *c = choices; c != NULL; index++) {
    const char *bar = strchr(c, '|');
    size_t choice_len = bar != NULL ? (size_t)(bar - c) : strlen(c);
    if (choice_len == len && strncasecmp(c, text, len) == 0) {
      *value = index;
      return true;
    }
    c = bar != NULL ? bar + 1 : NULL;
  }
  return false;
}

static uint32_t min2(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static bool same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

uint32_t eyoti_text_distance(const char *a, const char *b) {
  size_t na = strnlen(a, EYOTI_TEXT_NAME_MAX), nb = strnlen(b, EYOTI_TEXT_NAME_MAX);
  /* d[i % 3][j]: distance of a's first i characters to b's first j. */
  uint32_t d[3][EYOTI_TEXT_NAME_MAX + 1];
  for (size_t i = 0; i <= na; i++) {
    uint32_t *row = d[i % 3];
    for (size_t j = 0; j <= nb; j++) {
      if (i == 0 || j == 0) {
        row[j] = (uint32_t)(i + j);
        continue;
      }
      const uint32_t *above = d[(i - 1) % 3];
      row[j] = min2(min2(above[j], row[j - 1]) + 1,
                    above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1));
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        row[j] = min2(row[j], d[(i - 2) % 3][j - 2] + 1);
    }
  }
  return d[na % 3][nb];
}
