/* SPDX-License-Identifier: BSD-3-Clause */
/* journal_file.c - see journal_file.h. */
#include "journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/exit_codes.h"
#include "base/out_file.h"

static int fail(const struct journal_file *f, const char *what) {
  fprintf(stderr, "eyotrun: cannot %s the journal %s: %s\n", what, f->path, strerror(errno));
  return EYOTI_EXIT_USAGE;
}

static int lines_open(struct journal_file *f) {
  f->lines = open_memstream(&f->text, &f->bytes);
  if (f->lines == NULL) eyoti_no_memory(0, "lines of the journal %s", f->path);
  return 0;
}

/* Opens and locks. Systems without locks have none. */
static int file_open(struct journal_file *f, const char *path, int flags) {
  *f = (struct journal_file){.path = path, .fd = open(path, flags | O_RDWR | O_CLOEXEC, 0666)};
  if (f->fd < 0) return fail(f, "open");
  if (flock(f->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return lines_open(f);
  fprintf(stderr, "eyotrun: the journal %s is written by another process now\n", path);
  journal_file_close(f);
  return EYOTI_EXIT_USAGE;
}

/* Writes the lines so far. What a failed write leaves behind is cut off by the next --resume. */
static int flush_lines(struct journal_file *f) {
  if (fclose(f->lines) != 0) eyoti_no_memory(f->bytes, "lines of the journal %s", f->path);
  f->lines = NULL;
  size_t at = 0;
  struct sigaction before;
  eyoti_out_begin(&before);
  while (at < f->bytes) {
    ssize_t n = write(f->fd, f->text + at, f->bytes - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    at += (size_t)n;
  }
  eyoti_out_end(&before); /* leaves errno */
  int code = at < f->bytes ? fail(f, "write") : 0;
  free(f->text);
  f->text = NULL;
  if (code == 0 && fdatasync(f->fd) != 0 && errno != EINVAL && errno != EROFS)
    code = fail(f, "write"); /* EINVAL: the file is a device */
  return code == 0 ? lines_open(f) : code;
}

int journal_file_create(struct journal_file *f, const char *path, const struct journal_head *h) {
  struct stat st;
  *f = (struct journal_file){.path = path, .fd = -1};
  if (path == NULL) return 0;
  int code = file_open(f, path, O_CREAT);
  if (code == 0 && fstat(f->fd, &st) != 0) code = fail(f, "open");
  if (code == 0 && st.st_size > 0) {
    fprintf(stderr,
            "eyotrun: --journal: %s exists; continue its campaign by --resume %s, or remove it\n",
            path, path);
    code = EYOTI_EXIT_USAGE;
  }
  if (code == 0) {
    journal_put_head(f->lines, h);
    code = flush_lines(f);
  }
  if (code != 0) journal_file_close(f);
  return code;
}

int journal_file_continue(struct journal_file *f, const char *path, const struct journal_head *h,
                          struct journal *j) {
  char how[JOURNAL_TEXT_BYTES];
  *j = (struct journal){0};
  int code = file_open(f, path, 0);
  if (code != 0) return code;
  int copy = dup(f->fd);
  FILE *in = copy >= 0 ? fdopen(copy, "r") : NULL;
  if (in == NULL) {
    if (copy >= 0) close(copy);
    code = fail(f, "read");
  } else {
    code = journal_read(path, in, j) ? 0 : EYOTI_EXIT_USAGE;
    fclose(in);
  }
  if (code == 0 && journal_differ(&j->head, h, how)) {
    fprintf(stderr, "eyotrun: --resume: %s is of another campaign than this command's: %s\n", path,
            how);
    code = EYOTI_EXIT_USAGE;
  }
  if (code == 0 && j->head.range.shard != h->range.shard) {
    fprintf(stderr, "eyotrun: --resume: %s is of shard %llu, not %llu\n", path,
            (unsigned long long)j->head.range.shard, (unsigned long long)h->range.shard);
    code = EYOTI_EXIT_USAGE;
  }
  if (code == 0 && (ftruncate(f->fd, (off_t)j->kept_bytes) != 0 ||
                    lseek(f->fd, (off_t)j->kept_bytes, SEEK_SET) < 0))
    code = fail(f, "continue");
  if (code != 0) {
    journal_free(j);
    journal_file_close(f);
  }
  return code;
}

void journal_file_failure(struct journal_file *f, const struct journal_failure *failure) {
  if (f->fd >= 0) journal_put_failure(f->lines, failure);
}

int journal_file_counts(struct journal_file *f, const struct journal_counts *c,
                        const char *verdict) {
  if (f->fd < 0) return 0;
  journal_put_counts(f->lines, c, verdict);
  return flush_lines(f);
}

void journal_file_close(struct journal_file *f) {
  if (f->lines != NULL) fclose(f->lines);
  free(f->text);
  if (f->fd >= 0) close(f->fd);
  *f = (struct journal_file){.path = f->path, .fd = -1};
}
