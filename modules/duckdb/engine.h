/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h: the part of DuckDB's C interface that the extension uses.
 *
 * DuckDB passes an extension a table of function pointers.  Its stable part, slots 0 to 356,
 * is the same in versions 1.2 to 2.0, so that one binary works in all of them and DuckDB's
 * headers are not needed.  The list below has the number, the name and the type of each
 * function.  tests/sql/duckdb_slots.c compares every number with the names in a real DuckDB.
 */
#ifndef PETAL_DUCKDB_ENGINE_H
#define PETAL_DUCKDB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENGINE_API_VERSION "v1.2.0"

/* Handles, all of them pointers. */
typedef struct duck_database     *duck_database;
typedef struct duck_connection   *duck_connection;
typedef struct duck_type         *duck_type;
typedef struct duck_chunk        *duck_chunk;
typedef struct duck_vector       *duck_vector;
typedef struct duck_function     *duck_function;    /* scalar, aggregate or table function */
typedef struct duck_function_set *duck_function_set;
typedef struct duck_info         *duck_info;        /* of a call */

typedef void duck_delete_fn(void *data);
typedef void duck_scalar_fn(duck_info info, duck_chunk input, duck_vector output);
typedef size_t duck_state_size_fn(duck_info info);
typedef void duck_state_init_fn(duck_info info, void *state);
typedef void duck_update_fn(duck_info info, duck_chunk input, void **states);
typedef void duck_combine_fn(duck_info info, void **sources, void **targets, uint64_t n);
typedef void duck_finalize_fn(duck_info info, void **states, duck_vector result, uint64_t n,
                              uint64_t offset);
typedef void duck_destroy_fn(void **states, uint64_t n);
typedef void duck_bind_fn(duck_info info);
typedef void duck_table_fn(duck_info info, duck_chunk output);

/* A text or blob in a vector: up to 12 bytes are in place. */
typedef union duck_string {
    struct { uint32_t len; char prefix[4]; const char *data; } far;
    struct { uint32_t len; char data[12]; } near;
} duck_string;

typedef struct duck_int128 { uint64_t low; int64_t high; } duck_int128;

enum {                  /* the types of columns */
    DUCK_BOOLEAN = 1, DUCK_TINYINT = 2, DUCK_SMALLINT = 3, DUCK_INTEGER = 4, DUCK_BIGINT = 5,
    DUCK_UTINYINT = 6, DUCK_USMALLINT = 7, DUCK_UINTEGER = 8, DUCK_UBIGINT = 9,
    DUCK_DOUBLE = 11, DUCK_HUGEINT = 16, DUCK_VARCHAR = 17, DUCK_BLOB = 18, DUCK_UUID = 27,
    DUCK_UHUGEINT = 32, DUCK_ANY = 34, DUCK_SQLNULL = 36
};

#define ENGINE_FUNCTIONS(X)                                                                     \
    X(3, connect, int, (duck_database, duck_connection *))                                      \
    X(6, disconnect, void, (duck_connection *))                                                 \
    X(24, malloc, void *, (size_t))                                                             \
    X(25, free, void, (void *))                                                                 \
    X(156, create_logical_type, duck_type, (int))                                               \
    X(166, get_type_id, int, (duck_type))                                                       \
    X(184, destroy_logical_type, void, (duck_type *))                                           \
    X(186, create_data_chunk, duck_chunk, (duck_type *, uint64_t))                              \
    X(187, destroy_data_chunk, void, (duck_chunk *))                                            \
    X(189, data_chunk_get_column_count, uint64_t, (duck_chunk))                                 \
    X(190, data_chunk_get_vector, duck_vector, (duck_chunk, uint64_t))                          \
    X(191, data_chunk_get_size, uint64_t, (duck_chunk))                                         \
    X(192, data_chunk_set_size, void, (duck_chunk, uint64_t))                                   \
    X(193, vector_get_column_type, duck_type, (duck_vector))                                    \
    X(194, vector_get_data, void *, (duck_vector))                                              \
    X(195, vector_get_validity, uint64_t *, (duck_vector))                                      \
    X(196, vector_ensure_validity_writable, void, (duck_vector))                                \
    X(198, vector_assign_string_element_len, void,                                              \
      (duck_vector, uint64_t, const char *, uint64_t))                                          \
    X(209, create_scalar_function, duck_function, (void))                                       \
    X(210, destroy_scalar_function, void, (duck_function *))                                    \
    X(211, scalar_function_set_name, void, (duck_function, const char *))                       \
    X(213, scalar_function_set_special_handling, void, (duck_function))                         \
    X(214, scalar_function_set_volatile, void, (duck_function))                                 \
    X(215, scalar_function_add_parameter, void, (duck_function, duck_type))                     \
    X(216, scalar_function_set_return_type, void, (duck_function, duck_type))                   \
    X(217, scalar_function_set_extra_info, void, (duck_function, void *, duck_delete_fn *))     \
    X(218, scalar_function_set_function, void, (duck_function, duck_scalar_fn *))               \
    X(220, scalar_function_get_extra_info, void *, (duck_info))                                 \
    X(221, scalar_function_set_error, void, (duck_info, const char *))                          \
    X(222, create_scalar_function_set, duck_function_set, (const char *))                       \
    X(223, destroy_scalar_function_set, void, (duck_function_set *))                            \
    X(224, add_scalar_function_to_set, int, (duck_function_set, duck_function))                 \
    X(225, register_scalar_function_set, int, (duck_connection, duck_function_set))             \
    X(226, create_aggregate_function, duck_function, (void))                                    \
    X(227, destroy_aggregate_function, void, (duck_function *))                                 \
    X(228, aggregate_function_set_name, void, (duck_function, const char *))                    \
    X(229, aggregate_function_add_parameter, void, (duck_function, duck_type))                  \
    X(230, aggregate_function_set_return_type, void, (duck_function, duck_type))                \
    X(231, aggregate_function_set_functions, void,                                              \
      (duck_function, duck_state_size_fn *, duck_state_init_fn *, duck_update_fn *,             \
       duck_combine_fn *, duck_finalize_fn *))                                                  \
    X(232, aggregate_function_set_destructor, void, (duck_function, duck_destroy_fn *))         \
    X(234, aggregate_function_set_special_handling, void, (duck_function))                      \
    X(237, aggregate_function_set_error, void, (duck_info, const char *))                       \
    X(238, create_aggregate_function_set, duck_function_set, (const char *))                    \
    X(239, destroy_aggregate_function_set, void, (duck_function_set *))                         \
    X(240, add_aggregate_function_to_set, int, (duck_function_set, duck_function))              \
    X(241, register_aggregate_function_set, int, (duck_connection, duck_function_set))          \
    X(242, create_table_function, duck_function, (void))                                        \
    X(243, destroy_table_function, void, (duck_function *))                                     \
    X(244, table_function_set_name, void, (duck_function, const char *))                        \
    X(247, table_function_set_extra_info, void, (duck_function, void *, duck_delete_fn *))      \
    X(248, table_function_set_bind, void, (duck_function, duck_bind_fn *))                      \
    X(249, table_function_set_init, void, (duck_function, duck_bind_fn *))                      \
    X(251, table_function_set_function, void, (duck_function, duck_table_fn *))                 \
    X(253, register_table_function, int, (duck_connection, duck_function))                      \
    X(255, bind_add_result_column, void, (duck_info, const char *, duck_type))                  \
    X(262, init_get_extra_info, void *, (duck_info))                                            \
    X(264, init_set_init_data, void, (duck_info, void *, duck_delete_fn *))                     \
    X(268, init_set_error, void, (duck_info, const char *))                                     \
    X(271, function_get_init_data, void *, (duck_info))

/* duck.malloc() is duckdb_malloc(), and so on. */
#define ENGINE_FIELD(slot, name, type, arguments) type (*name) arguments;
struct engine {
    ENGINE_FUNCTIONS(ENGINE_FIELD)
};
extern struct engine duck;

/* What DuckDB passes to the entry point. */
struct engine_access {
    void           (*set_error)(void *info, const char *message);
    duck_database *(*get_database)(void *info);
    const void    *(*get_api)(void *info, const char *version);
};

/* Fill in `duck`.  Returns false, with an error set, if DuckDB has no such interface. */
bool engine_load(void *info, const struct engine_access *access);

#endif /* PETAL_DUCKDB_ENGINE_H */
