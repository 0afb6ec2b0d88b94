/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_grid.c - transforms of a distributed grid: FFTs inside planes, a transposition, FFTs inside
 * the other planes. What a plane has for other units is packed when the plane is ready; a way that
 * sends early overlaps the transfer with the FFTs of the next planes. */
#include <math.h>
#include <string.h>

#include "fft3d.h"

/* The cost of FFTs of `count` lines of n numbers. */
static int spend_lines(uint64_t n, uint64_t count) {
  double flops = 5 * (double)n * log2((double)n) * (double)count;
  return eyot_compute((uint64_t)(flops / FFT3D_FLOPS_A_NS));
}

/* The part of plane p in the piece for a unit: z-planes give rows of it, y-planes its z. */
static void part_pack(const struct fft3d_unit *u, const struct fft3d_grid *g, bool inverse,
                      uint64_t p, uint32_t to, fft3d_number *out) {
  if (!inverse) {
    memcpy(out, g->space + u->nx * (to * u->rows + u->ny * p), u->rows * u->nx * sizeof *out);
    return;
  }
  const fft3d_number *plane = g->lines + p * u->nx * u->nz + to * u->planes;
  for (uint64_t z = 0; z < u->planes; z++)
    for (uint64_t x = 0; x < u->nx; x++) *out++ = plane[x * u->nz + z];
}

/* Puts plane p of unit `from` where it belongs. */
static void part_unpack(const struct fft3d_unit *u, struct fft3d_grid *g, bool inverse, uint64_t p,
                        uint32_t from, const fft3d_number *in) {
  if (inverse) {
    for (uint64_t z = 0; z < u->planes; z++)
      memcpy(g->space + u->nx * (from * u->rows + p + u->ny * z), in + z * u->nx,
             u->nx * sizeof *in);
    return;
  }
  for (uint64_t y = 0; y < u->rows; y++)
    for (uint64_t x = 0; x < u->nx; x++)
      g->lines[(y * u->nx + x) * u->nz + from * u->planes + p] = *in++;
}

/* Packs plane p for all units, and sends it if the way sends early. */
static int plane_leaves(const struct fft3d_unit *u, struct fft3d_grid *g, bool inverse,
                        uint64_t p) {
  uint64_t part = u->piece / (inverse ? u->rows : u->planes);
  for (uint32_t i = 0; i < u->units; i++) {
    uint32_t to = (u->me + i) % u->units;
    part_pack(u, g, inverse, p, to, g->out + to * u->piece + p * part);
    FFT3D_TRY(eyot_compute(part * FFT3D_TOUCH_NS));
    if (!g->variant->early || to == u->me) continue;
    int code = g->variant->send(u, g, to, p * part, part);
    if (code != EYOT_OK) return code;
  }
  return EYOT_OK;
}

static int pieces_leave(const struct fft3d_unit *u, struct fft3d_grid *g) {
  int code = EYOT_OK;
  for (uint32_t i = 1; i < u->units && code == EYOT_OK && !g->variant->early; i++)
    code = g->variant->send(u, g, (u->me + i) % u->units, 0, u->piece);
  return code;
}

static int pieces_arrive(const struct fft3d_unit *u, struct fft3d_grid *g, bool inverse) {
  uint64_t parts = inverse ? u->rows : u->planes, part = u->piece / parts;
  for (uint32_t i = 0; i < u->units; i++) {
    uint32_t from = (u->me + u->units - i) % u->units;
    const fft3d_number *in = i == 0 ? g->out : g->in;
    int code = i == 0 ? EYOT_OK : g->variant->await(u, g, from);
    if (code != EYOT_OK) return code;
    for (uint64_t p = 0; p < parts; p++)
      part_unpack(u, g, inverse, p, from, in + from * u->piece + p * part);
    FFT3D_TRY(eyot_compute(u->piece * FFT3D_TOUCH_NS));
  }
  return g->variant->end(u, g);
}

/* Adds the time since `begin`. */
static void communication_add(struct fft3d_grid *g, uint64_t begin) {
  g->communication_ns += eyot_now_ns() - begin;
}

/* FFTs of the planes that the unit has first, and the transposition. */
static int planes_and_transposition(const struct fft3d_unit *u, struct fft3d_grid *g,
                                    bool inverse) {
  uint64_t planes = inverse ? u->rows : u->planes, begin;
  int code = g->variant->begin(u, g);
  for (uint64_t p = 0; p < planes && code == EYOT_OK; p++) {
    fft3d_number *lines = g->lines + p * u->nx * u->nz, *plane = g->space + p * u->nx * u->ny;
    if (inverse)
      fftw_execute_dft(u->lines[1], lines, lines);
    else
      fftw_execute_dft(u->plane[0], plane, plane);
    FFT3D_TRY(inverse ? spend_lines(u->nz, u->nx) : spend_lines(u->nx, u->ny));
    if (!inverse) FFT3D_TRY(spend_lines(u->ny, u->nx));
    begin = eyot_now_ns();
    code = plane_leaves(u, g, inverse, p);
    communication_add(g, begin);
  }
  begin = eyot_now_ns();
  if (code == EYOT_OK) code = pieces_leave(u, g);
  if (code == EYOT_OK) code = pieces_arrive(u, g, inverse);
  communication_add(g, begin);
  return code;
}

int fft3d_forward(const struct fft3d_unit *u, struct fft3d_grid *g) {
  int code = planes_and_transposition(u, g, false);
  for (uint64_t p = 0; p < u->rows && code == EYOT_OK; p++) {
    fft3d_number *lines = g->lines + p * u->nx * u->nz;
    fftw_execute_dft(u->lines[0], lines, lines);
    FFT3D_TRY(spend_lines(u->nz, u->nx));
  }
  return code;
}

int fft3d_inverse(const struct fft3d_unit *u, struct fft3d_grid *g) {
  int code = planes_and_transposition(u, g, true);
  for (uint64_t p = 0; p < u->planes && code == EYOT_OK; p++) {
    fft3d_number *plane = g->space + p * u->nx * u->ny;
    fftw_execute_dft(u->plane[1], plane, plane);
    FFT3D_TRY(spend_lines(u->nx, u->ny));
    FFT3D_TRY(spend_lines(u->ny, u->nx));
  }
  return code;
}
