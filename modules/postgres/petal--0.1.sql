/* SPDX-License-Identifier: BSD-2-Clause */
/* petal--0.1.sql: the objects that CREATE EXTENSION petal makes. */

\echo Use "CREATE EXTENSION petal" to load this file. \quit

-- The type: the image of a filter, which is not worth compressing.

CREATE TYPE petal;

CREATE FUNCTION petal_in(cstring) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_out(petal) RETURNS cstring
    AS 'MODULE_PATHNAME', 'petal_pg_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_recv(internal) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_send(petal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'petal_pg_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE petal (
    INPUT = petal_in, OUTPUT = petal_out, RECEIVE = petal_recv, SEND = petal_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);

CREATE FUNCTION petal_of(bytea) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE CAST (bytea AS petal) WITH FUNCTION petal_of(bytea) AS ASSIGNMENT;
CREATE CAST (petal AS bytea) WITHOUT FUNCTION AS ASSIGNMENT;

-- Lookups.  The second version of each takes integers, bytea and uuid.

CREATE FUNCTION petal_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_support' LANGUAGE C STRICT;

CREATE FUNCTION petal_contains(filter petal, key text) RETURNS boolean
    AS 'MODULE_PATHNAME', 'petal_pg_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT petal_support;
CREATE FUNCTION petal_contains(filter petal, key anynonarray) RETURNS boolean
    AS 'MODULE_PATHNAME', 'petal_pg_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT petal_support;

CREATE FUNCTION petal_match(filter petal, key text) RETURNS text
    AS 'MODULE_PATHNAME', 'petal_pg_match' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_match(filter petal, key bytea) RETURNS bytea
    AS 'MODULE_PATHNAME', 'petal_pg_match' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_match(filter petal, key anynonarray) RETURNS text
    AS 'MODULE_PATHNAME', 'petal_pg_match' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION petal_count(filter petal, key text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'petal_pg_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_count(filter petal, key anynonarray) RETURNS bigint
    AS 'MODULE_PATHNAME', 'petal_pg_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION petal_rows(internal, oid, internal, integer) RETURNS double precision
    AS 'MODULE_PATHNAME', 'petal_pg_rows' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE OPERATOR @> (
    LEFTARG = petal, RIGHTARG = text, FUNCTION = petal_contains,
    RESTRICT = petal_rows, JOIN = contjoinsel
);
CREATE OPERATOR @> (
    LEFTARG = petal, RIGHTARG = anynonarray, FUNCTION = petal_contains,
    RESTRICT = petal_rows, JOIN = contjoinsel
);

-- New filters.

CREATE FUNCTION petal_add(filter petal, key text) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION petal_add(filter petal, key anynonarray) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION petal_union(a petal, b petal) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_union' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

-- Descriptions.

CREATE FUNCTION petal_describe(filter petal) RETURNS json
    AS 'MODULE_PATHNAME', 'petal_pg_describe' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION petal_estimate(filter petal) RETURNS double precision
    AS 'MODULE_PATHNAME', 'petal_pg_estimate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION petal_fpr(filter petal) RETURNS double precision
    AS 'MODULE_PATHNAME', 'petal_pg_fpr' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION petal_plan(options text) RETURNS json
    AS 'MODULE_PATHNAME', 'petal_pg_plan' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_version() RETURNS text
    AS 'MODULE_PATHNAME', 'petal_pg_version' LANGUAGE C STABLE PARALLEL SAFE;
CREATE FUNCTION petal_parsed() RETURNS bigint
    AS 'MODULE_PATHNAME', 'petal_pg_parsed' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION petal_parsed() IS
    'how many filters this session has parsed: a query should need each filter once';

-- Files on the server.

CREATE FUNCTION petal_read(path text) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_read' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_write(path text, filter petal) RETURNS bigint
    AS 'MODULE_PATHNAME', 'petal_pg_write' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION petal_read(text) FROM PUBLIC;
REVOKE ALL ON FUNCTION petal_write(text, petal) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION petal_read(text) TO pg_read_server_files;
GRANT EXECUTE ON FUNCTION petal_write(text, petal) TO pg_write_server_files;

-- Aggregates.

CREATE FUNCTION petal_build_step(internal, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_build_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_build_step(internal, anynonarray) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_build_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_build_step(internal, text, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_build_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_build_step(internal, anynonarray, text) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_build_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_build_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_build_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_build_save(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'petal_pg_build_save' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_build_load(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_build_load' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_build_final(internal) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_build_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_union_step(internal, petal) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_union_step' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_union_combine(internal, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_union_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION petal_union_save(internal) RETURNS bytea
    AS 'MODULE_PATHNAME', 'petal_pg_union_save' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_union_load(bytea, internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'petal_pg_union_load' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION petal_union_final(internal) RETURNS petal
    AS 'MODULE_PATHNAME', 'petal_pg_union_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE petal_build(key text) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_build(key anynonarray) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_build(key text, options text) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_build(key anynonarray, options text) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_agg(key text) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_agg(key anynonarray) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_agg(key text, options text) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_agg(key anynonarray, options text) (
    SFUNC = petal_build_step, STYPE = internal, FINALFUNC = petal_build_final,
    COMBINEFUNC = petal_build_combine, SERIALFUNC = petal_build_save,
    DESERIALFUNC = petal_build_load, PARALLEL = safe
);
CREATE AGGREGATE petal_union(filter petal) (
    SFUNC = petal_union_step, STYPE = internal, FINALFUNC = petal_union_final,
    COMBINEFUNC = petal_union_combine, SERIALFUNC = petal_union_save,
    DESERIALFUNC = petal_union_load, PARALLEL = safe
);
CREATE AGGREGATE petal_union_agg(filter petal) (
    SFUNC = petal_union_step, STYPE = internal, FINALFUNC = petal_union_final,
    COMBINEFUNC = petal_union_combine, SERIALFUNC = petal_union_save,
    DESERIALFUNC = petal_union_load, PARALLEL = safe
);
