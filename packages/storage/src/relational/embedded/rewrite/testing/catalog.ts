import type { Run } from './trial-database.ts'

/**
 * Describes the tables of a schema as the catalog does, without the location and size of their files. The column
 * `relhastriggers` is left out: it is only a hint that the next VACUUM corrects.
 */
export const describeSchema = async (run: Run, schema: string): Promise<string[]> => {
  const texts = [
    `select to_jsonb(c) - '{relfilenode,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,reltoastrelid,relhastriggers}'::text[]
      || jsonb_build_object('toast', (select t.relname from pg_class t where t.oid = c.reltoastrelid)) as v from pg_class c
      where c.relnamespace = $1::regnamespace`,
    `select to_jsonb(a) || jsonb_build_object('of', a.attrelid::regclass::text, 'default', pg_get_expr(d.adbin, d.adrelid)) as v from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid in (select oid from pg_class where relnamespace = $1::regnamespace)`,
    `select to_jsonb(k) || jsonb_build_object('text', pg_get_constraintdef(k.oid)) as v from pg_constraint k where k.connamespace = $1::regnamespace`,
    `select to_jsonb(x) - 'indcheckxmin' || jsonb_build_object('text', pg_get_indexdef(x.indexrelid)) as v from pg_index x
      where x.indrelid in (select oid from pg_class where relnamespace = $1::regnamespace)`,
    `select to_jsonb(t) || jsonb_build_object('text', pg_get_triggerdef(t.oid)) as v from pg_trigger t
      where t.tgrelid in (select oid from pg_class where relnamespace = $1::regnamespace)`,
    `select to_jsonb(v) as v from pg_views v where schemaname = ($1::regnamespace)::text`,
    `select to_jsonb(s) as v from pg_sequences s where schemaname = ($1::regnamespace)::text`,
    `select to_jsonb(s) as v from pg_statistic_ext s where stxnamespace = $1::regnamespace`,
    `select to_jsonb(d) as v from pg_description d where objoid in (select oid from pg_class where relnamespace = $1::regnamespace)`,
    `select to_jsonb(pg_describe_object(classid, objid, objsubid) || ' needs ' || pg_describe_object(refclassid, refobjid, refobjsubid)
      || ' ' || deptype::text) as v from pg_depend
      where (refclassid = 'pg_class'::regclass and refobjid in (select oid from pg_class where relnamespace = $1::regnamespace))
      or (classid = 'pg_class'::regclass and objid in (select oid from pg_class where relnamespace = $1::regnamespace))`,
  ]
  const all: string[] = []
  for (const text of texts)
    for (const { v } of (await run(text, [schema])).rows as { v: unknown }[]) all.push(JSON.stringify(v))
  return all.toSorted()
}

/** The lines that only one of two descriptions has. */
export const differences = (was: string[], is: string[]): string[] => {
  const [before, after] = [new Set(was), new Set(is)]
  return [
    ...was.filter((line) => !after.has(line)).map((line) => `gone: ${line}`),
    ...is.filter((line) => !before.has(line)).map((line) => `new: ${line}`),
  ]
}

/** The errors that PostgreSQL's own checker finds in tables, large values, and indexes of a schema. */
export const findDamage = async (run: Run, schema: string): Promise<unknown[]> => {
  await run('create schema if not exists checks; create extension if not exists amcheck schema checks')
  const { rows } = await run(
    `select c.oid::regclass::text as name, f.* from pg_class c, lateral checks.verify_heapam(c.oid) f
    where c.relkind = 'r' and c.relnamespace = $1::regnamespace`,
    [schema],
  )
  await run(
    `select checks.bt_index_check(i.oid, true) from pg_class i join pg_am a on a.oid = i.relam and a.amname = 'btree'
    join pg_index x on x.indexrelid = i.oid
    where i.relnamespace = $1::regnamespace or i.oid in (select y.indexrelid from pg_index y join pg_class t on t.reltoastrelid = y.indrelid
      where t.relnamespace = $1::regnamespace)`,
    [schema],
  )
  return rows
}

/** The remains of a rewrite. */
export const findLeftovers = async (run: Run): Promise<unknown[]> =>
  (
    await run(`select nspname::text as name from pg_namespace where nspname = 'tributary_rewrite'
      union all select tgname from pg_trigger where tgname like 'tributary\\_rewrite%'`)
  ).rows
