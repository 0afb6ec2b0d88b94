/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_functions.h - the functions of mpi.h, each under two names. Included by mpi.h alone, which
 * defines EYOT_MPI_FUNCTION(result, name without MPI_, parameters). A list: it has no guard. */

/* Start, end, time. MPI_Init starts eyot (eyot_init counts its calls); a program that has called
 * eyot_init itself needs no MPI_Init. */
EYOT_MPI_FUNCTION(int, Init, (int *argc, char ***argv))
EYOT_MPI_FUNCTION(int, Init_thread, (int *argc, char ***argv, int required, int *provided))
EYOT_MPI_FUNCTION(int, Query_thread, (int *provided))
EYOT_MPI_FUNCTION(int, Is_thread_main, (int *flag))
EYOT_MPI_FUNCTION(int, Finalize, (void))
EYOT_MPI_FUNCTION(int, Initialized, (int *flag))
EYOT_MPI_FUNCTION(int, Finalized, (int *flag))
EYOT_MPI_FUNCTION(int, Abort, (MPI_Comm comm, int errorcode))
EYOT_MPI_FUNCTION(double, Wtime, (void))
EYOT_MPI_FUNCTION(double, Wtick, (void))
EYOT_MPI_FUNCTION(int, Pcontrol, (const int level, ...))
EYOT_MPI_FUNCTION(int, Get_processor_name, (char *name, int *resultlen))
EYOT_MPI_FUNCTION(int, Get_version, (int *version, int *subversion))
EYOT_MPI_FUNCTION(int, Get_library_version, (char *version, int *resultlen))
EYOT_MPI_FUNCTION(int, Error_string, (int errorcode, char *string, int *resultlen))
EYOT_MPI_FUNCTION(int, Error_class, (int errorcode, int *errorclass))
EYOT_MPI_FUNCTION(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr))
EYOT_MPI_FUNCTION(int, Free_mem, (void *base))

/* Communicators. */
EYOT_MPI_FUNCTION(int, Comm_rank, (MPI_Comm comm, int *rank))
EYOT_MPI_FUNCTION(int, Comm_size, (MPI_Comm comm, int *size))
EYOT_MPI_FUNCTION(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Comm_free, (MPI_Comm * comm))
EYOT_MPI_FUNCTION(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result))
EYOT_MPI_FUNCTION(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler))
EYOT_MPI_FUNCTION(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler))
EYOT_MPI_FUNCTION(int, Comm_group, (MPI_Comm comm, MPI_Group *group))
EYOT_MPI_FUNCTION(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Comm_create_group,
                  (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Comm_split_type,
                  (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Comm_set_name, (MPI_Comm comm, const char *comm_name))
EYOT_MPI_FUNCTION(int, Comm_get_name, (MPI_Comm comm, char *comm_name, int *resultlen))
EYOT_MPI_FUNCTION(int, Comm_get_attr,
                  (MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag))
EYOT_MPI_FUNCTION(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Comm_set_info, (MPI_Comm comm, MPI_Info info))
EYOT_MPI_FUNCTION(int, Comm_get_info, (MPI_Comm comm, MPI_Info *info_used))
EYOT_MPI_FUNCTION(int, Comm_test_inter, (MPI_Comm comm, int *flag))

/* Attributes and error handlers of communicators (sections 7.7 and 9.3). */
EYOT_MPI_FUNCTION(int, Comm_create_keyval,
                  (MPI_Comm_copy_attr_function * comm_copy_attr_fn,
                   MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
                   void *extra_state))
EYOT_MPI_FUNCTION(int, Comm_free_keyval, (int *comm_keyval))
EYOT_MPI_FUNCTION(int, Comm_set_attr, (MPI_Comm comm, int comm_keyval, void *attribute_val))
EYOT_MPI_FUNCTION(int, Comm_delete_attr, (MPI_Comm comm, int comm_keyval))
EYOT_MPI_FUNCTION(int, Comm_create_errhandler,
                  (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler *errhandler))
EYOT_MPI_FUNCTION(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode))
EYOT_MPI_FUNCTION(int, Errhandler_free, (MPI_Errhandler * errhandler))

/* Cartesian topologies. */
EYOT_MPI_FUNCTION(int, Dims_create, (int nnodes, int ndims, int dims[]))
EYOT_MPI_FUNCTION(int, Cart_create,
                  (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                   MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm))
EYOT_MPI_FUNCTION(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank))
EYOT_MPI_FUNCTION(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]))
EYOT_MPI_FUNCTION(int, Cart_get,
                  (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]))
EYOT_MPI_FUNCTION(int, Cartdim_get, (MPI_Comm comm, int *ndims))
EYOT_MPI_FUNCTION(int, Cart_map,
                  (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank))
EYOT_MPI_FUNCTION(int, Cart_shift,
                  (MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest))
EYOT_MPI_FUNCTION(int, Topo_test, (MPI_Comm comm, int *status))

/* Graphs of which each rank has all edges (section 8.5.3). */
EYOT_MPI_FUNCTION(int, Graph_create,
                  (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
                   MPI_Comm *comm_graph))
EYOT_MPI_FUNCTION(int, Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges))
EYOT_MPI_FUNCTION(int, Graph_get,
                  (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]))
EYOT_MPI_FUNCTION(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *nneighbors))
EYOT_MPI_FUNCTION(int, Graph_neighbors,
                  (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]))
EYOT_MPI_FUNCTION(int, Graph_map,
                  (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank))

/* Distributed graphs (section 8.5.4), and collectives between neighbours of all topologies (8.6,
 * 8.7). */
EYOT_MPI_FUNCTION(int, Dist_graph_create_adjacent,
                  (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                   int outdegree, const int destinations[], const int destweights[], MPI_Info info,
                   int reorder, MPI_Comm *comm_dist_graph))
EYOT_MPI_FUNCTION(int, Dist_graph_create,
                  (MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                   const int destinations[], const int weights[], MPI_Info info, int reorder,
                   MPI_Comm *comm_dist_graph))
EYOT_MPI_FUNCTION(int, Dist_graph_neighbors_count,
                  (MPI_Comm comm, int *indegree, int *outdegree, int *weighted))
EYOT_MPI_FUNCTION(int, Dist_graph_neighbors,
                  (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                   int maxoutdegree, int destinations[], int destweights[]))
EYOT_MPI_FUNCTION(int, Neighbor_allgather,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Neighbor_allgatherv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Neighbor_alltoall,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Neighbor_alltoallv,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Neighbor_alltoallw,
                  (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Ineighbor_allgather,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ineighbor_allgatherv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ineighbor_alltoall,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ineighbor_alltoallv,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ineighbor_alltoallw,
                  (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request *request))

/* Groups, and info objects, which no function heeds. */
EYOT_MPI_FUNCTION(int, Group_size, (MPI_Group group, int *size))
EYOT_MPI_FUNCTION(int, Group_rank, (MPI_Group group, int *rank))
EYOT_MPI_FUNCTION(int, Group_translate_ranks,
                  (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]))
EYOT_MPI_FUNCTION(int, Group_compare, (MPI_Group group1, MPI_Group group2, int *result))
EYOT_MPI_FUNCTION(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_range_incl,
                  (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_range_excl,
                  (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_intersection,
                  (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup))
EYOT_MPI_FUNCTION(int, Group_free, (MPI_Group * group))
EYOT_MPI_FUNCTION(int, Info_create, (MPI_Info * info))
EYOT_MPI_FUNCTION(int, Info_set, (MPI_Info info, const char *key, const char *value))
EYOT_MPI_FUNCTION(int, Info_get,
                  (MPI_Info info, const char *key, int valuelen, char *value, int *flag))
EYOT_MPI_FUNCTION(int, Info_delete, (MPI_Info info, const char *key))
EYOT_MPI_FUNCTION(int, Info_free, (MPI_Info * info))
EYOT_MPI_FUNCTION(int, Info_dup, (MPI_Info info, MPI_Info *newinfo))
EYOT_MPI_FUNCTION(int, Info_get_nkeys, (MPI_Info info, int *nkeys))
EYOT_MPI_FUNCTION(int, Info_get_nthkey, (MPI_Info info, int n, char *key))
EYOT_MPI_FUNCTION(int, Info_get_valuelen,
                  (MPI_Info info, const char *key, int *valuelen, int *flag))
EYOT_MPI_FUNCTION(int, Info_get_string,
                  (MPI_Info info, const char *key, int *buflen, char *value, int *flag))

/* Datatypes (MPI 4.1, section 5.1). */
EYOT_MPI_FUNCTION(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_vector,
                  (int count, int blocklength, int stride, MPI_Datatype oldtype,
                   MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_hvector,
                  (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                   MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_indexed,
                  (int count, const int array_of_blocklengths[], const int array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_hindexed,
                  (int count, const int array_of_blocklengths[],
                   const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                   MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_indexed_block,
                  (int count, int blocklength, const int array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_hindexed_block,
                  (int count, int blocklength, const MPI_Aint array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_struct,
                  (int count, const int array_of_blocklengths[],
                   const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
                   MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_subarray,
                  (int ndims, const int sizes[], const int subsizes[], const int starts[],
                   int order, MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_create_resized,
                  (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_commit, (MPI_Datatype * datatype))
EYOT_MPI_FUNCTION(int, Type_free, (MPI_Datatype * datatype))
EYOT_MPI_FUNCTION(int, Type_size, (MPI_Datatype datatype, int *size))
EYOT_MPI_FUNCTION(int, Type_size_x, (MPI_Datatype datatype, MPI_Count *size))
EYOT_MPI_FUNCTION(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent))
EYOT_MPI_FUNCTION(int, Type_get_true_extent_x,
                  (MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent))
EYOT_MPI_FUNCTION(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent))
EYOT_MPI_FUNCTION(int, Type_get_true_extent,
                  (MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent))
EYOT_MPI_FUNCTION(int, Type_get_envelope,
                  (MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes,
                   int *combiner))
EYOT_MPI_FUNCTION(int, Type_get_contents,
                  (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                   int array_of_integers[], MPI_Aint array_of_addresses[],
                   MPI_Datatype array_of_datatypes[]))
EYOT_MPI_FUNCTION(int, Type_set_name, (MPI_Datatype datatype, const char *type_name))
EYOT_MPI_FUNCTION(int, Type_get_name, (MPI_Datatype datatype, char *type_name, int *resultlen))
EYOT_MPI_FUNCTION(int, Get_count, (const MPI_Status *status, MPI_Datatype datatype, int *count))
EYOT_MPI_FUNCTION(int, Get_elements, (const MPI_Status *status, MPI_Datatype datatype, int *count))
EYOT_MPI_FUNCTION(int, Get_elements_x,
                  (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count))
EYOT_MPI_FUNCTION(int, Get_address, (const void *location, MPI_Aint *address))
EYOT_MPI_FUNCTION(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp))
EYOT_MPI_FUNCTION(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2))

/* Packing (section 5.2). */
EYOT_MPI_FUNCTION(int, Pack,
                  (const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
                   int *position, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Unpack,
                  (const void *inbuf, int insize, int *position, void *outbuf, int outcount,
                   MPI_Datatype datatype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int *size))

/* Messages. */
EYOT_MPI_FUNCTION(int, Send,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Ssend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Recv,
                  (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Status *status))
EYOT_MPI_FUNCTION(int, Isend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Issend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Irecv,
                  (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request))

EYOT_MPI_FUNCTION(int, Rsend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Irsend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Sendrecv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Sendrecv_replace,
                  (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                   int recvtag, MPI_Comm comm, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Mprobe,
                  (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Improbe,
                  (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                   MPI_Status *status))
EYOT_MPI_FUNCTION(int, Mrecv,
                  (void *buf, int count, MPI_Datatype type, MPI_Message *message,
                   MPI_Status *status))
EYOT_MPI_FUNCTION(int, Imrecv,
                  (void *buf, int count, MPI_Datatype type, MPI_Message *message,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Send_init,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ssend_init,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Rsend_init,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Recv_init,
                  (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Start, (MPI_Request * request))
EYOT_MPI_FUNCTION(int, Startall, (int count, MPI_Request requests[]))

/* Buffered sends (sections 3.4 and 3.6). */
EYOT_MPI_FUNCTION(int, Buffer_attach, (void *buffer, int size))
EYOT_MPI_FUNCTION(int, Buffer_detach, (void *buffer_addr, int *size))
EYOT_MPI_FUNCTION(int, Bsend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Ibsend,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Bsend_init,
                  (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request *request))

/* Completion. */
EYOT_MPI_FUNCTION(int, Wait, (MPI_Request * request, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]))
EYOT_MPI_FUNCTION(int, Test, (MPI_Request * request, int *flag, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Waitsome,
                  (int incount, MPI_Request requests[], int *outcount, int indices[],
                   MPI_Status statuses[]))
EYOT_MPI_FUNCTION(int, Testall,
                  (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]))
EYOT_MPI_FUNCTION(int, Testany,
                  (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Testsome,
                  (int incount, MPI_Request requests[], int *outcount, int indices[],
                   MPI_Status statuses[]))
EYOT_MPI_FUNCTION(int, Request_free, (MPI_Request * request))
EYOT_MPI_FUNCTION(int, Request_get_status, (MPI_Request request, int *flag, MPI_Status *status))
EYOT_MPI_FUNCTION(int, Cancel, (MPI_Request * request))
EYOT_MPI_FUNCTION(int, Test_cancelled, (const MPI_Status *status, int *flag))

/* Collectives (chapter 6). */
EYOT_MPI_FUNCTION(int, Barrier, (MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Gather,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Gatherv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Scatter,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Scatterv,
                  (const void *sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Allgather,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Allgatherv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Alltoall,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Alltoallv,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Alltoallw,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Reduce,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   int root, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Allreduce,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Scan,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Exscan,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Reduce_scatter_block,
                  (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Reduce_scatter,
                  (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm))
EYOT_MPI_FUNCTION(int, Reduce_local,
                  (const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op))

/* Collectives that do not block (section 6.12). */
EYOT_MPI_FUNCTION(int, Ibarrier, (MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ibcast,
                  (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Igather,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Igatherv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iscatter,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iscatterv,
                  (const void *sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iallgather,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iallgatherv,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ialltoall,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ialltoallv,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ialltoallw,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ireduce,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   int root, MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iallreduce,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iscan,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Iexscan,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ireduce_scatter_block,
                  (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Ireduce_scatter,
                  (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Request *request))

/* Operators of the program. */
EYOT_MPI_FUNCTION(int, Op_create, (MPI_User_function * user_fn, int commute, MPI_Op *op))
EYOT_MPI_FUNCTION(int, Op_free, (MPI_Op * op))
EYOT_MPI_FUNCTION(int, Op_commutative, (MPI_Op op, int *commute))

/* Handles as integers of Fortran (section 19.3.4). */
EYOT_MPI_FUNCTION(MPI_Fint, Comm_c2f, (MPI_Comm comm))
EYOT_MPI_FUNCTION(MPI_Comm, Comm_f2c, (MPI_Fint comm))
EYOT_MPI_FUNCTION(MPI_Fint, Type_c2f, (MPI_Datatype datatype))
EYOT_MPI_FUNCTION(MPI_Datatype, Type_f2c, (MPI_Fint datatype))
EYOT_MPI_FUNCTION(MPI_Fint, Group_c2f, (MPI_Group group))
EYOT_MPI_FUNCTION(MPI_Group, Group_f2c, (MPI_Fint group))
EYOT_MPI_FUNCTION(MPI_Fint, Request_c2f, (MPI_Request request))
EYOT_MPI_FUNCTION(MPI_Request, Request_f2c, (MPI_Fint request))
EYOT_MPI_FUNCTION(MPI_Fint, Op_c2f, (MPI_Op op))
EYOT_MPI_FUNCTION(MPI_Op, Op_f2c, (MPI_Fint op))
EYOT_MPI_FUNCTION(MPI_Fint, Info_c2f, (MPI_Info info))
EYOT_MPI_FUNCTION(MPI_Info, Info_f2c, (MPI_Fint info))
EYOT_MPI_FUNCTION(MPI_Fint, Errhandler_c2f, (MPI_Errhandler errhandler))
EYOT_MPI_FUNCTION(MPI_Errhandler, Errhandler_f2c, (MPI_Fint errhandler))
EYOT_MPI_FUNCTION(MPI_Fint, Message_c2f, (MPI_Message message))
EYOT_MPI_FUNCTION(MPI_Message, Message_f2c, (MPI_Fint message))
EYOT_MPI_FUNCTION(int, Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status))
EYOT_MPI_FUNCTION(int, Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status))

/* Calls that MPI 3.0 has removed (section 17.1). */
EYOT_MPI_FUNCTION(int, Address, (void *location, MPI_Aint *address))
EYOT_MPI_FUNCTION(int, Type_extent, (MPI_Datatype datatype, MPI_Aint *extent))
EYOT_MPI_FUNCTION(int, Type_lb, (MPI_Datatype datatype, MPI_Aint *displacement))
EYOT_MPI_FUNCTION(int, Type_ub, (MPI_Datatype datatype, MPI_Aint *displacement))
EYOT_MPI_FUNCTION(int, Type_hvector,
                  (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                   MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_hindexed,
                  (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Type_struct,
                  (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                   MPI_Datatype array_of_types[], MPI_Datatype *newtype))
EYOT_MPI_FUNCTION(int, Errhandler_create, (MPI_Handler_function * handler_fn, MPI_Errhandler *made))
EYOT_MPI_FUNCTION(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler))
EYOT_MPI_FUNCTION(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler))
EYOT_MPI_FUNCTION(int, Keyval_create,
                  (MPI_Copy_function * copy_fn, MPI_Delete_function *delete_fn, int *keyval,
                   void *extra_state))
EYOT_MPI_FUNCTION(int, Keyval_free, (int *keyval))
EYOT_MPI_FUNCTION(int, Attr_put, (MPI_Comm comm, int keyval, void *attribute_val))
EYOT_MPI_FUNCTION(int, Attr_get, (MPI_Comm comm, int keyval, void *attribute_val, int *flag))
EYOT_MPI_FUNCTION(int, Attr_delete, (MPI_Comm comm, int keyval))
