/* SPDX-License-Identifier: BSD-3-Clause */
/* garbage.c - values that are no handles, in each place where a function of MPI takes one: unset
 * variables, handles of other kinds, parts of objects, objects that look like live ones, memory
 * that nothing is mapped at. Each call returns an error, and none reads what it must not. */
#include "mpi_face/check.h"

static int in[64], out[64], zeros[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, ranges[1][3], n;
static MPI_Aint places[8], place;
static MPI_Count count;
static char text[MPI_MAX_INFO_VAL + 1];
static MPI_Status status;
static MPI_Datatype types[] = {MPI_INT}, made_type;
static MPI_Comm made_comm;
static MPI_Group made_group;
static MPI_Request made_request;
static MPI_Info made_info;
static MPI_Errhandler made_handler;
static MPI_Message made_message, copy_of_message = MPI_MESSAGE_NO_PROC;
static unsigned calls;

#define REFUSED(call) (calls++, (call) == MPI_SUCCESS ? accepted(#call, bad) : (void)0)
static void accepted(const char *call, const void *bad) {
  if (failures++ < 10) fprintf(stderr, "%s with %p was accepted\n", call, bad);
}

static void comm_calls_1(MPI_Comm bad) {
  REFUSED(MPI_Barrier_init(bad, MPI_INFO_NULL, &made_request));
  REFUSED(MPI_Comm_rank(bad, &n));
  REFUSED(MPI_Comm_size(bad, &n));
  REFUSED(MPI_Comm_dup(bad, &made_comm));
  REFUSED(MPI_Comm_split(bad, 0, 0, &made_comm));
  REFUSED(MPI_Comm_free(&bad));
  REFUSED(MPI_Comm_compare(bad, MPI_COMM_SELF, &n));
  REFUSED(MPI_Comm_compare(MPI_COMM_SELF, bad, &n));
  REFUSED(MPI_Comm_set_errhandler(bad, MPI_ERRORS_RETURN));
  REFUSED(MPI_Comm_get_errhandler(bad, &made_handler));
  REFUSED(MPI_Comm_group(bad, &made_group));
  REFUSED(MPI_Comm_create(bad, MPI_GROUP_EMPTY, &made_comm));
  REFUSED(MPI_Comm_create_group(bad, MPI_GROUP_EMPTY, 0, &made_comm));
  REFUSED(MPI_Comm_split_type(bad, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made_comm));
  REFUSED(MPI_Comm_set_name(bad, "text"));
  REFUSED(MPI_Comm_get_name(bad, text, &n));
  REFUSED(MPI_Comm_get_attr(bad, MPI_TAG_UB, in, &n));
  REFUSED(MPI_Comm_dup_with_info(bad, MPI_INFO_NULL, &made_comm));
  REFUSED(MPI_Comm_set_info(bad, MPI_INFO_NULL));
  REFUSED(MPI_Comm_get_info(bad, &made_info));
  REFUSED(MPI_Comm_test_inter(bad, &n));
  REFUSED(MPI_Comm_set_attr(bad, MPI_TAG_UB, in));
  REFUSED(MPI_Comm_delete_attr(bad, MPI_TAG_UB));
  REFUSED(MPI_Comm_call_errhandler(bad, 0));
  REFUSED(MPI_Cart_create(bad, 1, ones, zeros, 0, &made_comm));
  REFUSED(MPI_Cart_sub(bad, ones, &made_comm));
  REFUSED(MPI_Cart_rank(bad, zeros, &n));
  REFUSED(MPI_Cart_coords(bad, 0, 1, zeros));
  REFUSED(MPI_Cart_get(bad, 1, ones, zeros, zeros));
  REFUSED(MPI_Cartdim_get(bad, &n));
}
static void comm_calls_2(MPI_Comm bad) {
  REFUSED(MPI_Cart_map(bad, 1, ones, zeros, &n));
  REFUSED(MPI_Cart_shift(bad, 0, 0, &n, &n));
  REFUSED(MPI_Topo_test(bad, &n));
  REFUSED(MPI_Graph_create(bad, 1, zeros, zeros, 0, &made_comm));
  REFUSED(MPI_Graphdims_get(bad, &n, &n));
  REFUSED(MPI_Graph_get(bad, 1, 1, zeros, zeros));
  REFUSED(MPI_Graph_neighbors_count(bad, 0, &n));
  REFUSED(MPI_Graph_neighbors(bad, 0, 1, zeros));
  REFUSED(MPI_Graph_map(bad, 1, zeros, zeros, &n));
  REFUSED(MPI_Dist_graph_create_adjacent(bad, 1, zeros, MPI_UNWEIGHTED, 1, zeros, MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &made_comm));
  REFUSED(MPI_Dist_graph_create(bad, 1, zeros, zeros, zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                &made_comm));
  REFUSED(MPI_Dist_graph_neighbors_count(bad, &n, &n, &n));
  REFUSED(MPI_Dist_graph_neighbors(bad, 1, zeros, MPI_UNWEIGHTED, 1, zeros, MPI_UNWEIGHTED));
  REFUSED(MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, bad));
  REFUSED(MPI_Neighbor_allgatherv(in, 1, MPI_INT, out, ones, zeros, MPI_INT, bad));
  REFUSED(MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, bad));
  REFUSED(MPI_Neighbor_alltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, MPI_INT, bad));
  REFUSED(MPI_Neighbor_alltoallw(in, ones, places, types, out, ones, places, types, bad));
  REFUSED(MPI_Ineighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, bad, &made_request));
  REFUSED(MPI_Ineighbor_allgatherv(in, 1, MPI_INT, out, ones, zeros, MPI_INT, bad, &made_request));
  REFUSED(MPI_Ineighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, bad, &made_request));
  REFUSED(MPI_Ineighbor_alltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, MPI_INT, bad,
                                  &made_request));
  REFUSED(MPI_Ineighbor_alltoallw(in, ones, places, types, out, ones, places, types, bad,
                                  &made_request));
  REFUSED(MPI_Pack(in, 1, MPI_INT, out, 64, &n, bad));
  REFUSED(MPI_Unpack(in, 64, &n, out, 1, MPI_INT, bad));
  REFUSED(MPI_Pack_size(1, MPI_INT, bad, &n));
  REFUSED(MPI_Send(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad));
  REFUSED(MPI_Ssend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad));
  REFUSED(MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, MPI_STATUS_IGNORE));
}
static void comm_calls_3(MPI_Comm bad) {
  REFUSED(MPI_Isend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Issend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Rsend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad));
  REFUSED(MPI_Irsend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Sendrecv(in, 1, MPI_INT, 0, 0, out, 1, MPI_INT, 0, 0, bad, MPI_STATUS_IGNORE));
  REFUSED(MPI_Sendrecv_replace(in, 1, MPI_INT, 0, 0, 0, 0, bad, MPI_STATUS_IGNORE));
  REFUSED(MPI_Probe(MPI_PROC_NULL, 0, bad, MPI_STATUS_IGNORE));
  REFUSED(MPI_Iprobe(MPI_PROC_NULL, 0, bad, &n, MPI_STATUS_IGNORE));
  REFUSED(MPI_Mprobe(MPI_PROC_NULL, 0, bad, &made_message, MPI_STATUS_IGNORE));
  REFUSED(MPI_Improbe(MPI_PROC_NULL, 0, bad, &n, &made_message, MPI_STATUS_IGNORE));
  REFUSED(MPI_Send_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Ssend_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Rsend_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Bsend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad));
  REFUSED(MPI_Ibsend(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Bsend_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, bad, &made_request));
  REFUSED(MPI_Barrier(bad));
  REFUSED(MPI_Bcast(in, 1, MPI_INT, 0, bad));
  REFUSED(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, bad));
  REFUSED(MPI_Gatherv(in, 1, MPI_INT, out, ones, zeros, MPI_INT, 0, bad));
  REFUSED(MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, 0, bad));
  REFUSED(MPI_Scatterv(in, ones, zeros, MPI_INT, out, 1, MPI_INT, 0, bad));
  REFUSED(MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, bad));
  REFUSED(MPI_Allgatherv(in, 1, MPI_INT, out, ones, zeros, MPI_INT, bad));
  REFUSED(MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, bad));
  REFUSED(MPI_Alltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, MPI_INT, bad));
  REFUSED(MPI_Alltoallw(in, ones, zeros, types, out, ones, zeros, types, bad));
}
static void comm_calls_4(MPI_Comm bad) {
  REFUSED(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, bad));
  REFUSED(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, bad));
  REFUSED(MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, bad));
  REFUSED(MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, bad));
  REFUSED(MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, bad));
  REFUSED(MPI_Reduce_scatter(in, out, ones, MPI_INT, MPI_SUM, bad));
  REFUSED(MPI_Ibarrier(bad, &made_request));
  REFUSED(MPI_Ibcast(in, 1, MPI_INT, 0, bad, &made_request));
  REFUSED(MPI_Igather(in, 1, MPI_INT, out, 1, MPI_INT, 0, bad, &made_request));
  REFUSED(MPI_Igatherv(in, 1, MPI_INT, out, ones, zeros, MPI_INT, 0, bad, &made_request));
  REFUSED(MPI_Iscatter(in, 1, MPI_INT, out, 1, MPI_INT, 0, bad, &made_request));
  REFUSED(MPI_Iscatterv(in, ones, zeros, MPI_INT, out, 1, MPI_INT, 0, bad, &made_request));
  REFUSED(MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, bad, &made_request));
  REFUSED(MPI_Iallgatherv(in, 1, MPI_INT, out, ones, zeros, MPI_INT, bad, &made_request));
  REFUSED(MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, bad, &made_request));
  REFUSED(MPI_Ialltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, MPI_INT, bad, &made_request));
  REFUSED(MPI_Ialltoallw(in, ones, zeros, types, out, ones, zeros, types, bad, &made_request));
  REFUSED(MPI_Ireduce(in, out, 1, MPI_INT, MPI_SUM, 0, bad, &made_request));
  REFUSED(MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, bad, &made_request));
  REFUSED(MPI_Iscan(in, out, 1, MPI_INT, MPI_SUM, bad, &made_request));
  REFUSED(MPI_Iexscan(in, out, 1, MPI_INT, MPI_SUM, bad, &made_request));
  REFUSED(MPI_Ireduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, bad, &made_request));
  REFUSED(MPI_Ireduce_scatter(in, out, ones, MPI_INT, MPI_SUM, bad, &made_request));
  REFUSED(MPI_Errhandler_set(bad, MPI_ERRORS_RETURN));
  REFUSED(MPI_Errhandler_get(bad, &made_handler));
  REFUSED(MPI_Attr_put(bad, MPI_TAG_UB, in));
  REFUSED(MPI_Attr_get(bad, MPI_TAG_UB, in, &n));
  REFUSED(MPI_Attr_delete(bad, MPI_TAG_UB));
}
static void type_calls_1(MPI_Datatype bad) {
  REFUSED(MPI_Neighbor_allgather(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_allgatherv(in, 1, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_allgatherv(in, 1, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_alltoall(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_alltoallv(in, ones, zeros, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_alltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_alltoallw(in, ones, places, &bad, out, ones, places, types, MPI_COMM_SELF));
  REFUSED(MPI_Neighbor_alltoallw(in, ones, places, types, out, ones, places, &bad, MPI_COMM_SELF));
  REFUSED(MPI_Ineighbor_allgather(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ineighbor_allgather(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ineighbor_allgatherv(in, 1, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF,
                                   &made_request));
  REFUSED(MPI_Ineighbor_allgatherv(in, 1, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF,
                                   &made_request));
  REFUSED(MPI_Ineighbor_alltoall(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ineighbor_alltoall(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ineighbor_alltoallv(in, ones, zeros, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF,
                                  &made_request));
  REFUSED(MPI_Ineighbor_alltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF,
                                  &made_request));
  REFUSED(MPI_Ineighbor_alltoallw(in, ones, places, &bad, out, ones, places, types, MPI_COMM_SELF,
                                  &made_request));
  REFUSED(MPI_Ineighbor_alltoallw(in, ones, places, types, out, ones, places, &bad, MPI_COMM_SELF,
                                  &made_request));
  REFUSED(MPI_Type_contiguous(1, bad, &made_type));
  REFUSED(MPI_Type_vector(1, 1, 1, bad, &made_type));
  REFUSED(MPI_Type_create_hvector(1, 1, 8, bad, &made_type));
  REFUSED(MPI_Type_indexed(1, ones, zeros, bad, &made_type));
  REFUSED(MPI_Type_create_hindexed(1, ones, places, bad, &made_type));
  REFUSED(MPI_Type_create_indexed_block(1, 1, zeros, bad, &made_type));
  REFUSED(MPI_Type_create_hindexed_block(1, 1, places, bad, &made_type));
  REFUSED(MPI_Type_create_struct(1, ones, places, &bad, &made_type));
  REFUSED(MPI_Type_create_subarray(1, ones, ones, zeros, MPI_ORDER_C, bad, &made_type));
  REFUSED(MPI_Type_create_resized(bad, 8, 8, &made_type));
  REFUSED(MPI_Type_dup(bad, &made_type));
  REFUSED(MPI_Type_commit(&bad));
}
static void type_calls_2(MPI_Datatype bad) {
  REFUSED(MPI_Type_free(&bad));
  REFUSED(MPI_Type_size(bad, &n));
  REFUSED(MPI_Type_size_x(bad, &count));
  REFUSED(MPI_Type_get_extent_x(bad, &count, &count));
  REFUSED(MPI_Type_get_true_extent_x(bad, &count, &count));
  REFUSED(MPI_Type_get_extent(bad, &place, &place));
  REFUSED(MPI_Type_get_true_extent(bad, &place, &place));
  REFUSED(MPI_Type_get_envelope(bad, &n, &n, &n, &n));
  REFUSED(MPI_Type_get_contents(bad, 1, 1, 1, zeros, places, &made_type));
  REFUSED(MPI_Type_set_name(bad, "text"));
  REFUSED(MPI_Type_get_name(bad, text, &n));
  REFUSED(MPI_Get_count(&status, bad, &n));
  REFUSED(MPI_Get_elements(&status, bad, &n));
  REFUSED(MPI_Get_elements_x(&status, bad, &count));
  REFUSED(MPI_Pack(in, 1, bad, out, 64, &n, MPI_COMM_SELF));
  REFUSED(MPI_Unpack(in, 64, &n, out, 1, bad, MPI_COMM_SELF));
  REFUSED(MPI_Pack_size(1, bad, MPI_COMM_SELF, &n));
  REFUSED(MPI_Send(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF));
  REFUSED(MPI_Ssend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF));
  REFUSED(MPI_Recv(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  REFUSED(MPI_Isend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Issend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Irecv(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Rsend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF));
  REFUSED(MPI_Irsend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Sendrecv(in, 1, bad, 0, 0, out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  REFUSED(MPI_Sendrecv(in, 1, MPI_INT, 0, 0, out, 1, bad, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  REFUSED(MPI_Sendrecv_replace(in, 1, bad, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  REFUSED(MPI_Mrecv(in, 1, bad, &copy_of_message, MPI_STATUS_IGNORE));
  REFUSED(MPI_Imrecv(in, 1, bad, &copy_of_message, &made_request));
  REFUSED(MPI_Send_init(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ssend_init(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
}
static void type_calls_3(MPI_Datatype bad) {
  REFUSED(MPI_Rsend_init(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Recv_init(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Bsend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF));
  REFUSED(MPI_Ibsend(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Bsend_init(in, 1, bad, MPI_PROC_NULL, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Bcast(in, 1, bad, 0, MPI_COMM_SELF));
  REFUSED(MPI_Gather(in, 1, bad, out, 1, MPI_INT, 0, MPI_COMM_SELF));
  REFUSED(MPI_Gather(in, 1, MPI_INT, out, 1, bad, 0, MPI_COMM_SELF));
  REFUSED(MPI_Gatherv(in, 1, bad, out, ones, zeros, MPI_INT, 0, MPI_COMM_SELF));
  REFUSED(MPI_Gatherv(in, 1, MPI_INT, out, ones, zeros, bad, 0, MPI_COMM_SELF));
  REFUSED(MPI_Scatter(in, 1, bad, out, 1, MPI_INT, 0, MPI_COMM_SELF));
  REFUSED(MPI_Scatter(in, 1, MPI_INT, out, 1, bad, 0, MPI_COMM_SELF));
  REFUSED(MPI_Scatterv(in, ones, zeros, bad, out, 1, MPI_INT, 0, MPI_COMM_SELF));
  REFUSED(MPI_Scatterv(in, ones, zeros, MPI_INT, out, 1, bad, 0, MPI_COMM_SELF));
  REFUSED(MPI_Allgather(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Allgather(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF));
  REFUSED(MPI_Allgatherv(in, 1, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Allgatherv(in, 1, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF));
  REFUSED(MPI_Alltoall(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Alltoall(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF));
  REFUSED(MPI_Alltoallv(in, ones, zeros, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF));
  REFUSED(MPI_Alltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF));
  REFUSED(MPI_Alltoallw(in, ones, zeros, &bad, out, ones, zeros, types, MPI_COMM_SELF));
  REFUSED(MPI_Alltoallw(in, ones, zeros, types, out, ones, zeros, &bad, MPI_COMM_SELF));
  REFUSED(MPI_Reduce(in, out, 1, bad, MPI_SUM, 0, MPI_COMM_SELF));
  REFUSED(MPI_Allreduce(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF));
  REFUSED(MPI_Scan(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF));
  REFUSED(MPI_Exscan(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF));
  REFUSED(MPI_Reduce_scatter_block(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF));
  REFUSED(MPI_Reduce_scatter(in, out, ones, bad, MPI_SUM, MPI_COMM_SELF));
  REFUSED(MPI_Reduce_local(in, out, 1, bad, MPI_SUM));
  REFUSED(MPI_Ibcast(in, 1, bad, 0, MPI_COMM_SELF, &made_request));
}
static void type_calls_4(MPI_Datatype bad) {
  REFUSED(MPI_Igather(in, 1, bad, out, 1, MPI_INT, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Igather(in, 1, MPI_INT, out, 1, bad, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Igatherv(in, 1, bad, out, ones, zeros, MPI_INT, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Igatherv(in, 1, MPI_INT, out, ones, zeros, bad, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iscatter(in, 1, bad, out, 1, MPI_INT, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iscatter(in, 1, MPI_INT, out, 1, bad, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iscatterv(in, ones, zeros, bad, out, 1, MPI_INT, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iscatterv(in, ones, zeros, MPI_INT, out, 1, bad, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iallgather(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iallgather(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iallgatherv(in, 1, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iallgatherv(in, 1, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ialltoall(in, 1, bad, out, 1, MPI_INT, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ialltoall(in, 1, MPI_INT, out, 1, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ialltoallv(in, ones, zeros, bad, out, ones, zeros, MPI_INT, MPI_COMM_SELF,
                         &made_request));
  REFUSED(MPI_Ialltoallv(in, ones, zeros, MPI_INT, out, ones, zeros, bad, MPI_COMM_SELF,
                         &made_request));
  REFUSED(
      MPI_Ialltoallw(in, ones, zeros, &bad, out, ones, zeros, types, MPI_COMM_SELF, &made_request));
  REFUSED(
      MPI_Ialltoallw(in, ones, zeros, types, out, ones, zeros, &bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ireduce(in, out, 1, bad, MPI_SUM, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iallreduce(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iscan(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iexscan(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ireduce_scatter_block(in, out, 1, bad, MPI_SUM, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ireduce_scatter(in, out, ones, bad, MPI_SUM, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Type_extent(bad, &place));
  REFUSED(MPI_Type_lb(bad, &place));
  REFUSED(MPI_Type_ub(bad, &place));
  REFUSED(MPI_Type_hvector(1, 1, 8, bad, &made_type));
  REFUSED(MPI_Type_hindexed(1, ones, places, bad, &made_type));
}
static void group_calls(MPI_Group bad) {
  REFUSED(MPI_Comm_create(MPI_COMM_SELF, bad, &made_comm));
  REFUSED(MPI_Comm_create_group(MPI_COMM_SELF, bad, 0, &made_comm));
  REFUSED(MPI_Group_size(bad, &n));
  REFUSED(MPI_Group_rank(bad, &n));
  REFUSED(MPI_Group_translate_ranks(bad, 1, zeros, MPI_GROUP_EMPTY, zeros));
  REFUSED(MPI_Group_translate_ranks(MPI_GROUP_EMPTY, 1, zeros, bad, zeros));
  REFUSED(MPI_Group_compare(bad, MPI_GROUP_EMPTY, &n));
  REFUSED(MPI_Group_compare(MPI_GROUP_EMPTY, bad, &n));
  REFUSED(MPI_Group_incl(bad, 1, zeros, &made_group));
  REFUSED(MPI_Group_excl(bad, 1, zeros, &made_group));
  REFUSED(MPI_Group_range_incl(bad, 1, ranges, &made_group));
  REFUSED(MPI_Group_range_excl(bad, 1, ranges, &made_group));
  REFUSED(MPI_Group_union(bad, MPI_GROUP_EMPTY, &made_group));
  REFUSED(MPI_Group_union(MPI_GROUP_EMPTY, bad, &made_group));
  REFUSED(MPI_Group_intersection(bad, MPI_GROUP_EMPTY, &made_group));
  REFUSED(MPI_Group_intersection(MPI_GROUP_EMPTY, bad, &made_group));
  REFUSED(MPI_Group_difference(bad, MPI_GROUP_EMPTY, &made_group));
  REFUSED(MPI_Group_difference(MPI_GROUP_EMPTY, bad, &made_group));
  REFUSED(MPI_Group_free(&bad));
}
static void request_calls(MPI_Request bad) {
  REFUSED(MPI_Start(&bad));
  REFUSED(MPI_Startall(1, &bad));
  REFUSED(MPI_Wait(&bad, MPI_STATUS_IGNORE));
  REFUSED(MPI_Waitall(1, &bad, MPI_STATUS_IGNORE));
  REFUSED(MPI_Test(&bad, &n, MPI_STATUS_IGNORE));
  REFUSED(MPI_Waitany(1, &bad, &n, MPI_STATUS_IGNORE));
  REFUSED(MPI_Waitsome(1, &bad, &n, zeros, MPI_STATUS_IGNORE));
  REFUSED(MPI_Testall(1, &bad, &n, MPI_STATUS_IGNORE));
  REFUSED(MPI_Testany(1, &bad, &n, &n, MPI_STATUS_IGNORE));
  REFUSED(MPI_Testsome(1, &bad, &n, zeros, MPI_STATUS_IGNORE));
  REFUSED(MPI_Request_free(&bad));
  REFUSED(MPI_Request_get_status(bad, &n, MPI_STATUS_IGNORE));
  REFUSED(MPI_Cancel(&bad));
}
static void op_calls(MPI_Op bad) {
  REFUSED(MPI_Reduce(in, out, 1, MPI_INT, bad, 0, MPI_COMM_SELF));
  REFUSED(MPI_Allreduce(in, out, 1, MPI_INT, bad, MPI_COMM_SELF));
  REFUSED(MPI_Scan(in, out, 1, MPI_INT, bad, MPI_COMM_SELF));
  REFUSED(MPI_Exscan(in, out, 1, MPI_INT, bad, MPI_COMM_SELF));
  REFUSED(MPI_Reduce_scatter_block(in, out, 1, MPI_INT, bad, MPI_COMM_SELF));
  REFUSED(MPI_Reduce_scatter(in, out, ones, MPI_INT, bad, MPI_COMM_SELF));
  REFUSED(MPI_Reduce_local(in, out, 1, MPI_INT, bad));
  REFUSED(MPI_Ireduce(in, out, 1, MPI_INT, bad, 0, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iallreduce(in, out, 1, MPI_INT, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iscan(in, out, 1, MPI_INT, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Iexscan(in, out, 1, MPI_INT, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ireduce_scatter_block(in, out, 1, MPI_INT, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Ireduce_scatter(in, out, ones, MPI_INT, bad, MPI_COMM_SELF, &made_request));
  REFUSED(MPI_Op_free(&bad));
  REFUSED(MPI_Op_commutative(bad, &n));
}
static void info_calls(MPI_Info bad) {
  REFUSED(MPI_Barrier_init(MPI_COMM_SELF, bad, &made_request));
  REFUSED(MPI_Alloc_mem(8, bad, in));
  REFUSED(MPI_Comm_split_type(MPI_COMM_SELF, MPI_COMM_TYPE_SHARED, 0, bad, &made_comm));
  REFUSED(MPI_Comm_dup_with_info(MPI_COMM_SELF, bad, &made_comm));
  REFUSED(MPI_Comm_set_info(MPI_COMM_SELF, bad));
  REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, zeros, MPI_UNWEIGHTED, 1, zeros,
                                         MPI_UNWEIGHTED, bad, 0, &made_comm));
  REFUSED(MPI_Dist_graph_create(MPI_COMM_SELF, 1, zeros, zeros, zeros, MPI_UNWEIGHTED, bad, 0,
                                &made_comm));
  REFUSED(MPI_Info_set(bad, "text", "text"));
  REFUSED(MPI_Info_get(bad, "text", 1, text, &n));
  REFUSED(MPI_Info_delete(bad, "text"));
  REFUSED(MPI_Info_free(&bad));
  REFUSED(MPI_Info_dup(bad, &made_info));
  REFUSED(MPI_Info_get_nkeys(bad, &n));
  REFUSED(MPI_Info_get_nthkey(bad, 1, text));
  REFUSED(MPI_Info_get_valuelen(bad, "text", &n, &n));
  REFUSED(MPI_Info_get_string(bad, "text", &n, text, &n));
}
static void handler_calls(MPI_Errhandler bad) {
  REFUSED(MPI_Comm_set_errhandler(MPI_COMM_SELF, bad));
  REFUSED(MPI_Errhandler_free(&bad));
  REFUSED(MPI_Errhandler_set(MPI_COMM_SELF, bad));
}
static void message_calls(MPI_Message bad) {
  REFUSED(MPI_Mrecv(in, 1, MPI_INT, &bad, MPI_STATUS_IGNORE));
  REFUSED(MPI_Imrecv(in, 1, MPI_INT, &bad, &made_request));
}

/* A value for all kinds. */
static void all_calls(void *bad) {
  comm_calls_1((MPI_Comm)bad);
  comm_calls_2((MPI_Comm)bad);
  comm_calls_3((MPI_Comm)bad);
  comm_calls_4((MPI_Comm)bad);
  type_calls_1((MPI_Datatype)bad);
  type_calls_2((MPI_Datatype)bad);
  type_calls_3((MPI_Datatype)bad);
  type_calls_4((MPI_Datatype)bad);
  group_calls((MPI_Group)bad);
  request_calls((MPI_Request)bad);
  op_calls((MPI_Op)bad);
  info_calls((MPI_Info)bad);
  handler_calls((MPI_Errhandler)bad);
  message_calls((MPI_Message)bad);
}

/* Handles of one kind in the place of all others. */
static void mixed(void) {
  comm_calls_1((MPI_Comm)MPI_INT);
  type_calls_1((MPI_Datatype)MPI_COMM_WORLD);
  op_calls((MPI_Op)MPI_INT);
  group_calls((MPI_Group)MPI_COMM_WORLD);
  info_calls((MPI_Info)MPI_SUM);
  handler_calls((MPI_Errhandler)MPI_SUM);
  message_calls((MPI_Message)MPI_INT);
  request_calls((MPI_Request)MPI_COMM_WORLD);
  MPI_Request receive;
  MUST(MPI_Irecv(&n, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &receive));
  comm_calls_1((MPI_Comm)receive);
  type_calls_1((MPI_Datatype)receive);
  MUST(MPI_Cancel(&receive));
  MUST(MPI_Wait(&receive, MPI_STATUS_IGNORE));
}

/* More handles than are kept after they were freed: the first ones are unknown again. */
static void long_gone(void) {
  enum { MANY = 300 };
  MPI_Datatype type, first = MPI_DATATYPE_NULL;
  MPI_Info info, first_info = MPI_INFO_NULL;
  for (int i = 0; i < MANY; i++) {
    MUST(MPI_Type_contiguous(i + 1, MPI_INT, &type));
    MUST(MPI_Info_create(&info));
    if (i == 0) first = type, first_info = info;
    MUST(MPI_Type_free(&type));
    MUST(MPI_Info_free(&info));
  }
  type_calls_1(first);
  info_calls(first_info);
}

int main(void) {
  static uint64_t empty[32], like_live[32];
  begin();
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MUST(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  memset(like_live, 0xff, sizeof like_live);
  memcpy(like_live, MPI_INT, sizeof like_live[0]); /* what marks a live object */
  void *bad[] = {
      (void *)0x44000000,   (void *)0x7, (void *)0x10, (void *)(uintptr_t)0xdeadbeefdeadbee0u,
      (void *)UINTPTR_MAX,  empty,       like_live,    (char *)MPI_COMM_WORLD + 8,
      (char *)MPI_INT + 16, &bad};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) all_calls(bad[i]);
  mixed();
  long_gone();
  CHECK(calls > 2000);
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
  return finish();
}
