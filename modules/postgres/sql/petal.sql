-- The extension in a session: what each function gives, and what is refused.
CREATE EXTENSION petal;
\set VERBOSITY terse
CREATE TABLE plants (name text, id integer, code bytea, tag uuid);
INSERT INTO plants SELECT 'plant-' || i, i, decode(lpad(to_hex(i), 8, '0'), 'hex'),
    lpad(to_hex(i), 32, '0')::uuid FROM generate_series(1, 1000) AS i;

-- every type of key
SELECT count(*) FROM plants WHERE (SELECT petal_build(name) FROM plants) @> name;
SELECT count(*) FROM plants WHERE (SELECT petal_agg(id) FROM plants) @> id;
SELECT count(*) FROM plants WHERE (SELECT petal_build(code) FROM plants) @> code;
SELECT count(*) FROM plants WHERE petal_contains((SELECT petal_build(tag) FROM plants), tag);
SELECT petal_build(id)::bytea = petal_build(id::text)::bytea AS integers_are_their_text,
    petal_build(id)::bytea = petal_build(id::smallint)::bytea AS of_any_size,
    petal_build(tag)::bytea = petal_build(tag::text)::bytea AS uuids_too,
    petal_build(name)::bytea = petal_build(name::varchar(20))::bytea AS and_varchar FROM plants;

-- NULL
SELECT petal_build(name) @> NULL::text AS no_key, NULL::petal @> 'x' AS no_filter FROM plants;
SELECT petal_build(NULL::text) @> 'x' AS nothing, petal_union(NULL::petal) IS NULL AS none;

-- other types
SELECT petal_build(name) @> 1.5 FROM plants;
SELECT petal_build(name) @> 1.5::real FROM plants;
SELECT petal_build(name) @> true FROM plants;
SELECT petal_build(now());

-- options
SELECT d->>'kind' AS kind, d->>'capacity' AS capacity, d->>'fpr' AS fpr
    FROM (SELECT petal_describe(petal_build(name, 'kind=ribbon fpr=0.1%')) AS d FROM plants) AS x;
SELECT petal_plan('capacity=1M fpr=1%')->>'image_bytes' AS bytes;
SELECT petal_build(name, 'fpr=2') FROM plants;
SELECT petal_build(name, 'colour=red') FROM plants;
SELECT petal_build(name, 'threads=4') FROM plants;
SELECT petal_build(name, 'hash=keyed') FROM plants;
SELECT petal_build(name, 'capacity=' || id) FROM plants;

-- counting, adding, merging, matching
SELECT petal_count(petal_build(name, 'kind=counting'), 'plant-7')
    FROM (SELECT name FROM plants UNION ALL SELECT name FROM plants) AS twice;
SELECT petal_add(petal_build(name, 'capacity=2000 fpr=0.001%'), 'rose') @> 'rose' AS rose FROM plants;
SELECT petal_union(f) @> 'plant-1' AND petal_union(f) @> 'plant-2' AS united
    FROM (SELECT petal_build(name, 'capacity=1000') AS f FROM plants GROUP BY id % 2) AS halves;
SELECT petal_union(petal_build(name), petal_build(name, 'capacity=77')) FROM plants;
SELECT petal_match(petal_build('http://bad.example/', 'form=url'), 'http://www.bad.example/x');

-- the type
SELECT '\x1234'::petal;
SELECT 'rose'::bytea::petal;
SELECT petal_build(name)::text::petal::bytea = petal_build(name)::bytea AS there_and_back FROM plants;
DROP EXTENSION petal;
