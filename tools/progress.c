/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c - see progress.h. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/conf.h"

#define US_PER_S UINT64_C(1000000)
#define REDRAW_US UINT64_C(200000)  /* on a terminal */
#define REPEAT_US UINT64_C(1000000) /* elsewhere the first line, then twice as long each time */
#define REPEAT_MAX_US UINT64_C(60000000)
#define BAR_CHARS 20u
#define BAR_LEAST 4u
#define BAR_FRAME 3u /* its brackets, and the space after it */
#define COLUMNS_LEAST 40u
#define MINUTE_S 60u
#define HOUR_S 3600u

uint64_t progress_now_us(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * US_PER_S + (uint64_t)t.tv_nsec / 1000;
}

bool progress_wanted(void) {
  uint64_t on;
  if (!eyoti_conf_is_set(EYOTI_CONF_PROGRESS_LINE)) return isatty(STDERR_FILENO) != 0;
  return eyoti_conf_u64(EYOTI_CONF_PROGRESS_LINE, &on) == 0 && on != 0;
}

void progress_begin(struct progress *p, const char *tool, bool on, uint64_t before) {
  *p = (struct progress){.tool = tool,
                         .began_us = progress_now_us(),
                         .before = before,
                         .terminal = isatty(STDERR_FILENO) != 0,
                         .on = on};
  p->shown_us = p->began_us;
  p->wait_us = p->terminal ? REDRAW_US : REPEAT_US;
}

/* "1:02:03", "2:03" or "3 s" */
static void put_time(char *out, size_t size, uint64_t s) {
  if (s >= HOUR_S)
    snprintf(out, size, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / HOUR_S, s % HOUR_S / MINUTE_S,
             s % MINUTE_S);
  else if (s >= MINUTE_S)
    snprintf(out, size, "%" PRIu64 ":%02" PRIu64, s / MINUTE_S, s % MINUTE_S);
  else
    snprintf(out, size, "%" PRIu64 " s", s);
}

/* Characters of the bar: what the numbers leave of the line, because these count. */
static size_t bar_chars(const struct progress *p, const char *rest) {
  if (p->columns == 0) return BAR_CHARS;
  size_t taken = strlen(p->tool) + 2 + BAR_FRAME + strlen(rest);
  size_t free_chars = p->columns > taken ? p->columns - taken : 0;
  return free_chars > BAR_CHARS ? BAR_CHARS : free_chars < BAR_LEAST ? 0 : free_chars;
}

/* "[##..] ", or nothing for 0 characters. */
static void put_bar(char out[BAR_CHARS + BAR_FRAME + 1], double part, size_t chars) {
  char bar[BAR_CHARS + 1];
  size_t full = (size_t)(part * (double)chars);
  memset(bar, '.', sizeof bar);
  memset(bar, '#', full < chars ? full : chars);
  if (chars == 0)
    out[0] = '\0';
  else
    snprintf(out, BAR_CHARS + BAR_FRAME + 1, "[%.*s] ", (int)chars, bar);
}

void progress_text(const struct progress *p, const struct progress_counts *c, uint64_t us,
                   char out[PROGRESS_TEXT_BYTES]) {
  char left[32] = "", rest[PROGRESS_TEXT_BYTES - BAR_CHARS - BAR_FRAME - 8];
  double rate = us > 0 ? (double)(c->done - p->before) * (double)US_PER_S / (double)us : 0;
  if (c->total == 0) {
    snprintf(out, PROGRESS_TEXT_BYTES, "%s: %" PRIu64 " runs, %.0f/s, %" PRIu64 " failed", p->tool,
             c->done, rate, c->failed);
    return;
  }
  double part = (double)c->done / (double)c->total;
  if (rate > 0) put_time(left, sizeof left, (uint64_t)((double)(c->total - c->done) / rate));
  snprintf(rest, sizeof rest,
           "%" PRIu64 " of %" PRIu64 " runs, %.0f %%, %.0f/s, %s%s%" PRIu64 " failed", c->done,
           c->total, part * 100, rate, left, rate > 0 ? " left, " : "", c->failed);
  char bar[BAR_CHARS + BAR_FRAME + 1];
  put_bar(bar, part, bar_chars(p, rest));
  snprintf(out, PROGRESS_TEXT_BYTES, "%s: %s%s", p->tool, bar, rest);
}

static size_t columns(void) {
  struct winsize size;
  bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_LEAST;
  return known ? size.ws_col : COLUMNS_LEAST * 2;
}

void progress_show(struct progress *p, const struct progress_counts *c) {
  char text[PROGRESS_TEXT_BYTES];
  if (!p->on) return;
  uint64_t now_us = progress_now_us();
  if (now_us - p->shown_us < p->wait_us) return;
  p->shown_us = now_us;
  p->columns = p->terminal ? columns() - 1 : 0;
  progress_text(p, c, now_us - p->began_us, text);
  if (!p->terminal) {
    if (p->wait_us < REPEAT_MAX_US) p->wait_us *= 2;
    fprintf(stderr, "%s\n", text);
    return;
  }
  fprintf(stderr, "\r%.*s\033[K", (int)p->columns, text); /* to the end: erased */
  fflush(stderr);
  p->drawn = true;
}

void progress_end(struct progress *p) {
  if (!p->drawn) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->drawn = false;
}
