/* SPDX-License-Identifier: BSD-3-Clause */
/* cart.c - Cartesian topologies of the MPI interface. Ranks keep the order that they have in the
 * communicator that the grid is made of. */
#include "interfaces/mpi/cart.h"

#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/graph.h"

/* -- dimensions -------------------------------------------------------------------------------- */

/* The number of dimensions that are 0, and the product of the others. */
static int given_dims(int nnodes, int ndims, const int *dims, uint32_t *free_dims,
                      int64_t *product) {
  if (nnodes < 1) return face_fail(NULL, MPI_ERR_ARG, "nnodes is %d, expected 1 or more", nnodes);
  if (ndims < 0 || ndims > (int)EYOT_CART_DIMS_MAX)
    return face_fail(NULL, MPI_ERR_DIMS, "ndims is %d, expected 0 to %u", ndims,
                     EYOT_CART_DIMS_MAX);
  if (ndims > 0) FACE_TRY(face_output(NULL, "dims", dims));
  *free_dims = 0;
  *product = 1;
  for (int i = 0; i < ndims; i++) {
    if (dims[i] < 0)
      return face_fail(NULL, MPI_ERR_DIMS, "dims[%d] is %d, expected 0 or more", i, dims[i]);
    *free_dims += dims[i] == 0;
    *product *= dims[i] == 0 ? 1 : dims[i];
    if (*product > nnodes) break;
  }
  if (nnodes % *product == 0 && (*free_dims > 0 || *product == nnodes)) return MPI_SUCCESS;
  return face_fail(NULL, MPI_ERR_DIMS, "the product of dims is %lld%s, and nnodes is %d",
                   (long long)*product, *product > nnodes ? " or more" : "", nnodes);
}

FACE_DEFINE(int, Dims_create, (int nnodes, int ndims, int dims[])) {
  FACE_ENTER("MPI_Dims_create");
  uint32_t n = 0, found[EYOT_CART_DIMS_MAX] = {0};
  int64_t product = 1;
  FACE_TRY(given_dims(nnodes, ndims, dims, &n, &product));
  if (n == 0) return MPI_SUCCESS;
  FACE_TRY(face_check(NULL, eyot_cart_dims((uint32_t)(nnodes / product), n, found)));
  for (int i = 0, k = 0; i < ndims; i++)
    if (dims[i] == 0) dims[i] = (int)found[k++];
  return MPI_SUCCESS;
}

/* -- grids ------------------------------------------------------------------------------------- */

static int check_cart(const struct eyot_mpi_comm *comm) {
  FACE_TRY(face_comm(comm));
  if (comm->cart != NULL) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_TOPOLOGY, "comm has no grid, expected one of MPI_Cart_create");
}

static int new_cart(const struct eyot_mpi_comm *comm, int ndims, struct face_cart **cart) {
  *cart = malloc(sizeof **cart + (size_t)ndims * sizeof(*cart)->dims[0]);
  if (*cart == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for a grid");
  (*cart)->ndims = ndims;
  return MPI_SUCCESS;
}

int face_cart_copy(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to) {
  if (from->cart == NULL) return MPI_SUCCESS;
  FACE_TRY(new_cart(from, from->cart->ndims, &to->cart));
  memcpy(to->cart->dims, from->cart->dims, (size_t)from->cart->ndims * sizeof from->cart->dims[0]);
  return MPI_SUCCESS;
}

/* Makes the communicator of the ranks of a color, which gets the grid. */
static int make(struct eyot_mpi_comm *comm, uint32_t color, int key, struct face_cart *cart,
                MPI_Comm *made) {
  int error = face_split(comm, color, key, made);
  if (error != MPI_SUCCESS || *made == MPI_COMM_NULL) {
    free(cart);
    return error;
  }
  (*made)->cart = cart;
  return face_graph_early != NULL ? face_graph_early(*made) : MPI_SUCCESS;
}

static int check_grid(const struct eyot_mpi_comm *comm, int ndims, const int *dims,
                      const int *periods, int64_t *points) {
  if (ndims < 0) return face_fail(comm, MPI_ERR_DIMS, "ndims is %d, expected 0 or more", ndims);
  if (ndims > 0) FACE_TRY(face_input(comm, "dims", dims));
  if (ndims > 0) FACE_TRY(face_input(comm, "periods", periods));
  *points = 1;
  for (int i = 0; i < ndims; i++) {
    if (dims[i] <= 0)
      return face_fail(comm, MPI_ERR_DIMS, "dims[%d] is %d, expected 1 or more", i, dims[i]);
    *points *= dims[i];
    if (*points > comm->size)
      return face_fail(comm, MPI_ERR_DIMS, "the grid has %lld points or more, and comm %d ranks",
                       (long long)*points, comm->size);
  }
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Cart_create,
            (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
             MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Cart_create");
  (void)reorder; /* allows another order of ranks, and does not ask for it */
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  int64_t points = 0;
  FACE_TRY(check_grid(comm, ndims, dims, periods, &points));
  struct face_cart *cart;
  FACE_TRY(new_cart(comm, ndims, &cart));
  for (int i = 0; i < ndims; i++) cart->dims[i] = (struct face_cart_dim){dims[i], periods[i] != 0};
  return make(comm, comm->me < points ? 0 : EYOT_COLOR_NONE, comm->me, cart, newcomm);
}

/* What MPI_Cart_create would make of the caller's rank. */
FACE_DEFINE(int, Cart_map,
            (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)) {
  FACE_ENTER("MPI_Cart_map");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "newrank", newrank));
  int64_t points = 0;
  FACE_TRY(check_grid(comm, ndims, dims, periods, &points));
  *newrank = comm->me < points ? comm->me : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)) {
  FACE_ENTER("MPI_Cart_sub");
  FACE_TRY(check_cart(comm));
  FACE_TRY(face_output(comm, "newcomm", newcomm));
  const struct face_cart *from = comm->cart;
  if (from->ndims > 0) FACE_TRY(face_input(comm, "remain_dims", remain_dims));
  struct face_cart *cart;
  FACE_TRY(new_cart(comm, from->ndims, &cart));
  cart->ndims = 0;
  for (int i = 0; i < from->ndims; i++)
    if (remain_dims[i]) cart->dims[cart->ndims++] = from->dims[i];
  /* Ranks of a subgrid have the same coordinates in the other dimensions. */
  int color = 0, key = 0, colors = 1, keys = 1;
  for (int i = from->ndims - 1, rest = comm->me; i >= 0; rest /= from->dims[i--].size) {
    int at = rest % from->dims[i].size;
    int *number = remain_dims[i] ? &key : &color, *step = remain_dims[i] ? &keys : &colors;
    *number += at * *step;
    *step *= from->dims[i].size;
  }
  return make(comm, (uint32_t)color, key, cart, newcomm);
}

/* -- places ------------------------------------------------------------------------------------ */

FACE_DEFINE(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank)) {
  FACE_ENTER("MPI_Cart_rank");
  FACE_TRY(check_cart(comm));
  FACE_TRY(face_output(comm, "rank", rank));
  const struct face_cart *cart = comm->cart;
  if (cart->ndims > 0) FACE_TRY(face_input(comm, "coords", coords));
  int number = 0;
  for (int i = 0; i < cart->ndims; i++) {
    int size = cart->dims[i].size, at = coords[i] % size;
    if (!cart->dims[i].periodic && (coords[i] < 0 || coords[i] >= size))
      return face_fail(comm, MPI_ERR_ARG, "coords[%d] is %d, expected 0 to %d", i, coords[i],
                       size - 1);
    number = number * size + (at < 0 ? at + size : at);
  }
  *rank = number;
  return MPI_SUCCESS;
}

static int check_maxdims(const struct eyot_mpi_comm *comm, int maxdims) {
  FACE_TRY(check_cart(comm));
  if (maxdims >= comm->cart->ndims) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_DIMS, "maxdims is %d, and the grid has %d dimensions", maxdims,
                   comm->cart->ndims);
}

static int coordinates(const struct eyot_mpi_comm *comm, int rank, int *coords) {
  if (comm->cart->ndims > 0) FACE_TRY(face_input(comm, "coords", coords));
  for (int i = comm->cart->ndims - 1; i >= 0; rank /= comm->cart->dims[i--].size)
    coords[i] = rank % comm->cart->dims[i].size;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[])) {
  FACE_ENTER("MPI_Cart_coords");
  FACE_TRY(check_maxdims(comm, maxdims));
  if (rank < 0 || rank >= comm->size)
    return face_fail(comm, MPI_ERR_RANK, "rank is %d, expected 0 to %d", rank, comm->size - 1);
  return coordinates(comm, rank, coords);
}

FACE_DEFINE(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])) {
  FACE_ENTER("MPI_Cart_get");
  FACE_TRY(check_maxdims(comm, maxdims));
  const struct face_cart *cart = comm->cart;
  if (cart->ndims > 0) FACE_TRY(face_output(comm, "dims", dims));
  if (cart->ndims > 0) FACE_TRY(face_output(comm, "periods", periods));
  FACE_TRY(coordinates(comm, comm->me, coords));
  for (int i = 0; i < cart->ndims; i++) {
    dims[i] = cart->dims[i].size;
    periods[i] = cart->dims[i].periodic;
  }
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Cartdim_get, (MPI_Comm comm, int *ndims)) {
  FACE_ENTER("MPI_Cartdim_get");
  FACE_TRY(check_cart(comm));
  FACE_TRY(face_output(comm, "ndims", ndims));
  *ndims = comm->cart->ndims;
  return MPI_SUCCESS;
}

/* The rank `disp` places after the caller, `step` ranks each, or MPI_PROC_NULL. */
static int shifted(const struct face_cart_dim *dim, int me, int at, int64_t disp, int step) {
  int64_t to = at + disp;
  if (dim->periodic)
    to = (to % dim->size + dim->size) % dim->size;
  else if (to < 0 || to >= dim->size)
    return MPI_PROC_NULL;
  return me + (int)(to - at) * step;
}

void face_cart_shift(const struct eyot_mpi_comm *comm, int direction, int disp, int *before,
                     int *after) {
  const struct face_cart *cart = comm->cart;
  int step = 1;
  for (int i = cart->ndims - 1; i > direction; i--) step *= cart->dims[i].size;
  const struct face_cart_dim *dim = &cart->dims[direction];
  int at = comm->me / step % dim->size;
  *before = shifted(dim, comm->me, at, -(int64_t)disp, step);
  *after = shifted(dim, comm->me, at, disp, step);
}

FACE_DEFINE(int, Cart_shift,
            (MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)) {
  FACE_ENTER("MPI_Cart_shift");
  FACE_TRY(check_cart(comm));
  const struct face_cart *cart = comm->cart;
  if (direction < 0 || direction >= cart->ndims)
    return face_fail(comm, MPI_ERR_DIMS, "direction is %d, and the grid has %d dimensions",
                     direction, cart->ndims);
  FACE_TRY(face_output(comm, "rank_source", rank_source));
  FACE_TRY(face_output(comm, "rank_dest", rank_dest));
  face_cart_shift(comm, direction, disp, rank_source, rank_dest);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Topo_test, (MPI_Comm comm, int *status)) {
  FACE_ENTER("MPI_Topo_test");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "status", status));
  bool distributed = comm->graph != NULL && comm->graph->distributed;
  if (comm->cart != NULL)
    *status = MPI_CART;
  else if (comm->whole != NULL)
    *status = MPI_GRAPH;
  else
    *status = distributed ? MPI_DIST_GRAPH : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
