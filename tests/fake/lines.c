/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.c - keeps the source lines that addr2line has found from one simulated run of a unit test
 * to the next: unit tests are linked with --wrap=eyoti_code_lines. A run keeps them for itself
 * alone, and a test that makes each call fail in turn would start addr2line hundreds of times. */
#include <string.h>

#include "base/code_line.h"

#define LINES_MAX 1024u
#define FILE_BYTES 256u

bool __real_eyoti_code_lines(const char *file, const uint64_t *off, uint32_t n,
                             char (*text)[EYOTI_CODE_LINE]);
bool __wrap_eyoti_code_lines(const char *file, const uint64_t *off, uint32_t n,
                             char (*text)[EYOTI_CODE_LINE]);

struct line_kept {
  char file[FILE_BYTES];
  uint64_t off;
  char text[EYOTI_CODE_LINE];
};
static struct line_kept kept[LINES_MAX];
static uint32_t n_kept;

bool __wrap_eyoti_code_lines(const char *file, const uint64_t *off, uint32_t n,
                             char (*text)[EYOTI_CODE_LINE]) {
  for (uint32_t i = 0; n == 1 && i < n_kept; i++)
    if (kept[i].off == off[0] && strcmp(kept[i].file, file) == 0) {
      memcpy(text[0], kept[i].text, EYOTI_CODE_LINE);
      return true;
    }
  if (!__real_eyoti_code_lines(file, off, n, text)) return false;
  if (n == 1 && n_kept < LINES_MAX && strlen(file) < FILE_BYTES) {
    struct line_kept *k = &kept[n_kept++];
    strcpy(k->file, file);
    k->off = off[0];
    memcpy(k->text, text[0], EYOTI_CODE_LINE);
  }
  return true;
}
