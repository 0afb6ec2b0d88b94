/* SPDX-License-Identifier: BSD-3-Clause */
/* areas.c - reads the mappings of the process for the snapshot (state.h), without allocating: an
 * allocation would change them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "check/snapshot/state.h"

#define USUAL_MAPS 65530u /* the default of Linux */

static const char *hex(const char *p, uintptr_t *value) {
  *value = 0;
  for (;; p++) {
    unsigned digit;
    if (*p >= '0' && *p <= '9')
      digit = (unsigned)(*p - '0');
    else if (*p >= 'a' && *p <= 'f')
      digit = (unsigned)(*p - 'a') + 10;
    else
      return p;
    *value = *value * 16 + digit;
  }
}

/* Parses "low-high rwxp offset device inode name", proc(5). The text ends in 0. */
static bool areas_parse(const char *text, struct chk_line *line) {
  const char *p = hex(text, &line->at.low);
  if (*p++ != '-') return false;
  p = hex(p, &line->at.high);
  if (*p++ != ' ' || strlen(p) < 5 || line->at.low >= line->at.high) return false;
  line->read = p[0] == 'r';
  line->write = p[1] == 'w';
  line->exec = p[2] == 'x';
  line->shared = p[3] != 'p';
  const char *name = strrchr(p, ' ');
  line->stack = name != NULL && strcmp(name, " [stack]") == 0;
  return true;
}

/* Visits the whole lines among the n bytes in s->text. Returns their length in bytes, or an
 * error. */
static ssize_t lines(struct chk_snap *s, size_t n,
                     int (*visit)(struct chk_snap *s, const struct chk_line *line)) {
  size_t done = 0;
  for (char *end; (end = memchr(s->text + done, '\n', n - done)) != NULL;
       done = (size_t)(end - s->text) + 1) {
    struct chk_line line;
    *end = 0;
    if (!areas_parse(s->text + done, &line))
      return EYOTI_FAIL(EYOT_ESYS, "/proc/self/maps: cannot read \"%s\"", s->text + done);
    int rc = visit(s, &line);
    if (rc != EYOT_OK) return rc;
  }
  return (ssize_t)done;
}

int chk_areas_read(struct chk_snap *s,
                   int (*visit)(struct chk_snap *s, const struct chk_line *line)) {
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return EYOTI_FAIL(EYOT_ESYS, "/proc/self/maps: %s", strerror(errno));
  size_t held = 0; /* bytes of a line that continues in the next read */
  int rc = EYOT_OK;
  for (;;) {
    ssize_t got = read(fd, s->text + held, CHK_TEXT_BYTES - held);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) rc = EYOTI_FAIL(EYOT_ESYS, "/proc/self/maps: %s", strerror(errno));
    if (got <= 0) break;
    held += (size_t)got;
    ssize_t done = lines(s, held, visit);
    if (done < 0) {
      rc = (int)done;
      break;
    }
    if (done == 0 && held == CHK_TEXT_BYTES) {
      rc = EYOTI_FAIL(EYOT_ESYS, "/proc/self/maps: a line of more than %zu bytes", CHK_TEXT_BYTES);
      break;
    }
    held -= (size_t)done;
    memmove(s->text, s->text + done, held);
  }
  close(fd);
  return rc;
}

uint64_t chk_areas_most(void) {
  char text[32];
  int fd = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  uint64_t most = 0;
  for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
    most = most * 10 + (uint64_t)(text[i] - '0');
  return most > 0 ? most : USUAL_MAPS;
}
