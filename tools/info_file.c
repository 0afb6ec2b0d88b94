/* SPDX-License-Identifier: BSD-3-Clause */
/* info_file.c - implements info_file.h, by the simulator's own functions. */
#include "info_file.h"

#include "base/check.h"
#include "base/exit_codes.h"
#include "fabric_sim/machine/platform_hosts.h"

/* What the simulator would refuse. */
static int hosts_hold(const struct sim_sg_ops *sg, const struct sim_plat *p,
                      const struct sim_sg_file *file, uint32_t units, uint32_t per_node) {
  uint32_t hosts;
  struct sim_sg_host host;
  EYOTI_TRY(sim_hosts_fit(sg, p, file, units, per_node, &hosts));
  for (uint32_t i = 0; i < hosts; i++) {
    sg->host_get(file, i, &host);
    EYOTI_TRY(sim_hosts_check(p, &host, i));
  }
  return EYOT_OK;
}

int info_file_check(const struct sim_plat *p, uint32_t units, uint32_t per_node) {
  const struct sim_sg_ops *sg;
  struct sim_sg_file *file;
  char *argv[] = {(char[]){"eyot-info"}, (char[]){SIM_SG_LOG}, NULL};
  int argc = (int)(sizeof argv / sizeof *argv) - 1;
  if (p->kind != SIM_PLAT_XML) return EYOTI_EXIT_OK;
  if (sim_sg_open(&sg) != EYOT_OK) return EYOTI_EXIT_USAGE;
  sg->start(&argc, argv);
  if (sim_hosts_load(sg, p, &file) != EYOT_OK) return EYOTI_EXIT_USAGE;
  int rc = hosts_hold(sg, p, file, units, per_node);
  sg->unload(file);
  return rc == EYOT_OK ? EYOTI_EXIT_OK : EYOTI_EXIT_USAGE;
}
