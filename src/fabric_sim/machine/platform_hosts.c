/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_hosts.c - implements platform_hosts.h. */
#include "fabric_sim/machine/platform_hosts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/check.h"

int sim_hosts_load(const struct sim_sg_ops *sg, const struct sim_plat *p,
                   struct sim_sg_file **out) {
  char path[PATH_MAX];
  if (p->path_len >= sizeof path)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "the path of the platform has %u characters; expected at most %zu",
                      p->path_len, sizeof path - 1);
  snprintf(path, sizeof path, "%.*s", (int)p->path_len, p->name);
  return sg->load(path, out);
}

int sim_hosts_fit(const struct sim_sg_ops *sg, const struct sim_plat *p,
                  const struct sim_sg_file *f, uint32_t n_units, uint32_t per_node, uint32_t *out) {
  uint32_t hosts = sg->host_count(f), n = 0;
  uint64_t fit = 0;
  struct sim_sg_host host;
  for (; n < hosts && fit < n_units; n++) {
    sg->host_get(f, n, &host);
    fit += sim_hosts_units(&host, per_node);
  }
  if (fit < n_units)
    return EYOTI_FAIL(EYOT_ERANGE,
                      "%u units do not fit on platform %s: it holds %" PRIu64
                      " on %u hosts; run fewer, set units-per-node, or add hosts or cores",
                      n_units, p->name, fit, hosts);
  *out = n;
  return EYOT_OK;
}

int sim_hosts_check(const struct sim_plat *p, const struct sim_sg_host *host, uint32_t i) {
  if (host->cores % p->numa == 0) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL, "%s: numa=%u does not divide the %u cores of host %u", p->name,
                    p->numa, host->cores, i);
}
