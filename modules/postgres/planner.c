/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * planner.c: tells the planner how many rows a lookup keeps, and what it costs.
 *
 * The number of rows can be estimated if the filter is a constant.  The values that the
 * column's statistics list as most common are looked up one by one.  Of the others, at most
 * as many are found as the filter has keys, and some false positives.  A sample of them,
 * the histogram, shows if the filter has other keys altogether.
 */
#include "values.h"

#include <math.h>

#include <access/detoast.h>
#include <access/htup_details.h>
#include <catalog/pg_statistic.h>
#include <catalog/pg_type.h>
#include <nodes/makefuncs.h>
#include <nodes/nodeFuncs.h>
#include <nodes/supportnodes.h>
#include <optimizer/cost.h>
#include <optimizer/optimizer.h>
#include <utils/lsyscache.h>
#include <utils/selfuncs.h>

#define UNKNOWN_FILTER 0.1 /* rows that are kept if the filter is not a constant */

/* The fraction of the column's rows whose keys are in the filter. */
static double planner_rows(VariableStatData *column, FmgrInfo *contains, Oid collation,
                           const Const *constant)
{
    const Datum value = constant->constvalue;
    petal_filter *filter = filter_of(value);
    const double keys = sql_estimate(filter), fpr = sql_rate(filter);
    petal_free(filter);
    double common = 0, nulls = 0, found_common = 0;
    if (HeapTupleIsValid(column->statsTuple)) {
        nulls = ((Form_pg_statistic)GETSTRUCT(column->statsTuple))->stanullfrac;
        found_common = mcv_selectivity(column, contains, collation, value, false, &common);
    }
    bool is_default;
    const double distinct = get_variable_numdistinct(column, &is_default);
    double found = is_default || distinct < 1 ? UNKNOWN_FILTER : Min(1.0, keys / distinct);
    found += (1 - found) * fpr;
    int sample = 0;
    const double seen =
        histogram_selectivity(column, contains, collation, value, false, 10, 1, &sample);
    if (sample > 0 && seen >= 0) { /* three standard deviations above what was seen */
        const double hits = seen * sample;
        found = Min(found, (hits + 3 * sqrt(hits + 1)) / sample);
    }
    const double rest = Max(0.0, 1 - common - nulls);
    return Min(1.0, found_common + rest * found);
}

static double planner_selectivity(PlannerInfo *root, List *args, int relation, Oid function,
                                  Oid collation)
{
    if (list_length(args) != 2)
        return UNKNOWN_FILTER;
    Node *given = estimate_expression_value(root, linitial(args));
    if (!IsA(given, Const))
        return UNKNOWN_FILTER;
    if (((Const *)given)->constisnull)
        return 0;
    VariableStatData column;
    examine_variable(root, lsecond(args), relation, &column);
    FmgrInfo contains;
    fmgr_info(function, &contains);
    /* the function asks for the type of its key */
    fmgr_info_set_expr((Node *)makeFuncExpr(function, BOOLOID, args, InvalidOid, collation,
                                            COERCE_EXPLICIT_CALL),
                       &contains);
    double rows = planner_rows(&column, &contains, collation, (Const *)given);
    ReleaseVariableStats(column);
    CLAMP_PROBABILITY(rows);
    return rows;
}

/* RESTRICT of the operator @>. */
PG_FUNCTION_INFO_V1(petal_pg_rows);
Datum petal_pg_rows(PG_FUNCTION_ARGS)
{
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);
    const Oid function = get_opcode(PG_GETARG_OID(1));
    List *args = (List *)PG_GETARG_POINTER(2);
    PG_RETURN_FLOAT8(
        planner_selectivity(root, args, PG_GETARG_INT32(3), function, PG_GET_COLLATION()));
}

/* A lookup takes about as long as comparing two texts.  Before the first one, the filter is
 * read: a constant of a megabyte takes as long as 128 pages. */
static void planner_cost(SupportRequestCost *request)
{
    request->startup = 0;
    request->per_tuple = 2 * cpu_operator_cost;
    List *args =
        request->node && IsA(request->node, FuncExpr) ? ((FuncExpr *)request->node)->args
        : request->node && IsA(request->node, OpExpr) ? ((OpExpr *)request->node)->args
                                                      : NIL;
    if (args != NIL && IsA(linitial(args), Const) &&
        !((Const *)linitial(args))->constisnull) {
        const Datum filter = ((Const *)linitial(args))->constvalue;
        const double len = (double)toast_raw_datum_size(filter);
        request->startup = seq_page_cost * len / BLCKSZ / 4;
    }
}

PG_FUNCTION_INFO_V1(petal_pg_support);
Datum petal_pg_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);
    if (IsA(request, SupportRequestSelectivity)) {
        SupportRequestSelectivity *asked = (SupportRequestSelectivity *)request;
        if (asked->is_join)
            PG_RETURN_POINTER(NULL);
        asked->selectivity = planner_selectivity(asked->root, asked->args, asked->varRelid,
                                                 asked->funcid, asked->inputcollid);
        PG_RETURN_POINTER(request);
    }
    if (IsA(request, SupportRequestCost)) {
        planner_cost((SupportRequestCost *)request);
        PG_RETURN_POINTER(request);
    }
    PG_RETURN_POINTER(NULL);
}
