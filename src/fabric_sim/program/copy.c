/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c - the folder of a program's copies, and the loading of one. See copy.h. */
#include "fabric_sim/program/copy.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf.h"

#define MIB (UINT64_C(1) << 20)
#define SPARE_BYTES MIB /* left free for others */
#define NAME_BYTES 32
#define WHY_BYTES 1024

/* Whether `folder` can hold `need` bytes of loadable files; else appends the reason to `why`. */
static bool has_space(const char *folder, uint64_t need, char *why, size_t why_bytes) {
  size_t used = strlen(why);
  struct statvfs st;
  if (statvfs(folder, &st) != 0) {
    snprintf(why + used, why_bytes - used, "; %s: %s", folder, strerror(errno));
    return false;
  }
  if ((st.f_flag & ST_NOEXEC) != 0 || (st.f_flag & ST_RDONLY) != 0) {
    snprintf(why + used, why_bytes - used, "; %s is mounted %s", folder,
             (st.f_flag & ST_NOEXEC) != 0 ? "noexec" : "read-only");
    return false;
  }
  uint64_t left = (uint64_t)st.f_bavail * st.f_frsize;
  if (left < SPARE_BYTES || left - SPARE_BYTES < need) {
    snprintf(why + used, why_bytes - used, "; %s has %.1f MiB free", folder,
             (double)left / (double)MIB);
    return false;
  }
  return true;
}

static bool make_folder(const char *parent, char *folder, char *why, size_t why_bytes) {
  int n = snprintf(folder, PATH_MAX, "%s/eyot-XXXXXX", parent);
  if (n > 0 && n < PATH_MAX - NAME_BYTES && mkdtemp(folder) != NULL) return true;
  size_t used = strlen(why);
  snprintf(why + used, why_bytes - used, "; %s: %s", parent, strerror(errno));
  return false;
}

int sim_prog_store_open(const char *path, uint64_t file_bytes, uint32_t n,
                        struct sim_prog_store *out) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t need = (file_bytes + page - 1) / page * page * n;
  const char *const parents[] = {"/dev/shm", eyoti_conf_foreign_env("TMPDIR"), "/tmp"};
  char why[WHY_BYTES] = "";
  struct sim_prog_store s = {.file_bytes = file_bytes};
  bool made = false;
  for (size_t i = 0; i < sizeof parents / sizeof parents[0] && !made; i++)
    if (parents[i] != NULL && *parents[i] != '\0')
      made = has_space(parents[i], need, why, sizeof why) &&
             make_folder(parents[i], s.folder, why, sizeof why);
  if (!made)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no room for %u copies of %s (%.1f MiB)%s; strip the program, set TMPDIR to "
                      "a folder with more room, run fewer "
                      "units, or use --shared-globals",
                      n, path, (double)need / (double)MIB, why);
  s.source = open(path, O_RDONLY | O_CLOEXEC);
  if (s.source < 0) {
    (void)rmdir(s.folder);
    return EYOTI_FAIL(EYOT_ESYS, "cannot open the program %s: %s", path, strerror(errno));
  }
  *out = s;
  return EYOT_OK;
}

void sim_prog_store_close(struct sim_prog_store *s) {
  close(s->source);
  if (rmdir(s->folder) != 0)
    eyoti_log(EYOTI_LOG_WARN, __func__, 0, "cannot remove %s: %s", s->folder, strerror(errno));
}

static int copy_to(const struct sim_prog_store *s, const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  if (fd < 0) return EYOTI_FAIL(EYOT_ESYS, "cannot create %s: %s", path, strerror(errno));
  off_t at = 0;
  while ((uint64_t)at < s->file_bytes) {
    ssize_t moved = sendfile(fd, s->source, &at, (size_t)(s->file_bytes - (uint64_t)at));
    if (moved > 0) continue;
    int rc = EYOTI_FAIL(EYOT_ESYS, "cannot write the copy %s: %s", path,
                        moved == 0 ? "the program's file became shorter" : strerror(errno));
    close(fd);
    return rc;
  }
  if (close(fd) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "cannot write the copy %s: %s", path, strerror(errno));
  return EYOT_OK;
}

int sim_prog_store_load(const struct sim_prog_store *s, uint32_t i, void **handle) {
  char path[PATH_MAX];
  int n = snprintf(path, sizeof path, "%s/%u.so", s->folder, i);
  EYOTI_ASSERT(n > 0 && n < PATH_MAX);
  int rc = copy_to(s, path);
  if (rc == 0) {
    errno = 0;
    void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (h == NULL)
      rc = EYOTI_FAIL(errno == ENOMEM ? EYOT_ENOMEM : EYOT_EINVAL,
                      "cannot load copy %u of the program: %s", i, dlerror());
    else
      *handle = h;
  }
  (void)unlink(path);
  return rc;
}
