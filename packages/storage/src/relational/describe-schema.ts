import { createHash } from 'node:crypto'
import type { Pool } from 'pg'

/** Relations of a schema; `$1` is its name. */
const relations = `select c.* from pg_class c where c.relnamespace = $1::regnamespace and c.relkind <> 't'`

/** Parts of all objects in a schema: the name of the object, the name of the part, and its definition. */
const partsText = `
with relation as (${relations}), tables as (select * from relation where relkind not in ('i', 'I'))
select format('%s %s', case relkind when 'r' then 'table' when 'v' then 'view' when 'S' then 'sequence' else relkind::text end, relname) as object,
  'itself' as part, concat_ws(' ', relkind, relpersistence, relreplident, relrowsecurity, relforcerowsecurity, relispartition, reloptions,
    'privileges', relacl::text, 'comment', obj_description(oid, 'pg_class'), case when relkind in ('v', 'm') then pg_get_viewdef(oid) end) as is
from tables
union all
select format('%s %s', case c.relkind when 'v' then 'view' else 'table' end, c.relname),
  format('column %s %s', lpad(row_number() over (partition by c.oid order by a.attnum)::text, 2, '0'), a.attname),
  concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attcollation <> 0 then a.attcollation::regcollation end,
    case when a.attnotnull then 'not null' end, 'default', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity, 'generated', a.attgenerated,
    'storage', a.attstorage, a.attcompression, a.attoptions, a.attstattarget, 'privileges', a.attacl::text, 'comment', col_description(c.oid, a.attnum))
from tables c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relkind <> 'S' and a.attnum > 0 and not a.attisdropped
union all
select format('table %s', c.relname), format('constraint %s', n.conname),
  concat_ws(' ', n.contype, pg_get_constraintdef(n.oid), n.condeferrable, n.condeferred, n.convalidated, n.connoinherit, obj_description(n.oid, 'pg_constraint'))
from pg_constraint n join relation c on c.oid = n.conrelid
union all
select format('table %s', t.relname), format('index %s', c.relname),
  concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisunique, i.indisprimary, i.indisvalid, i.indisclustered, i.indisreplident, i.indnullsnotdistinct,
    obj_description(c.oid, 'pg_class'))
from pg_index i join relation c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
union all
select format('table %s', c.relname), format('trigger %s', g.tgname),
  concat_ws(' ', pg_get_triggerdef(g.oid), g.tgenabled, obj_description(g.oid, 'pg_trigger'))
from pg_trigger g join relation c on c.oid = g.tgrelid where not g.tgisinternal
union all
select format('table %s', c.relname), format('rule %s', r.rulename), pg_get_ruledef(r.oid)
from pg_rewrite r join relation c on c.oid = r.ev_class where c.relkind = 'r'
union all
select format('table %s', c.relname), format('policy %s', p.polname),
  concat_ws(' ', p.polcmd, p.polroles::text, pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid))
from pg_policy p join relation c on c.oid = p.polrelid
union all
select format('table %s', c.relname), format('statistics %s', s.stxname), pg_get_statisticsobjdef(s.oid)
from pg_statistic_ext s join relation c on c.oid = s.stxrelid
union all
select format('sequence %s', c.relname), 'values', concat_ws(' ', format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
  s.seqcycle, 'owned by', (select format('%s.%s', d.refobjid::regclass, a.attname) from pg_depend d
    join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and d.refclassid = 'pg_class'::regclass))
from pg_sequence s join relation c on c.oid = s.seqrelid
union all
select format('function %s', p.oid::regprocedure), 'itself',
  concat_ws(' ', pg_get_functiondef(p.oid), 'privileges', p.proacl::text, 'comment', obj_description(p.oid, 'pg_proc'))
from pg_proc p where p.pronamespace = $1::regnamespace and p.prokind in ('f', 'p')
union all
select format('type %s', t.oid::regtype), 'itself', concat_ws(' ', t.typtype, t.typnotnull, t.typdefault,
  (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = t.oid))
from pg_type t where t.typnamespace = $1::regnamespace and t.typtype <> 'c' and t.typcategory <> 'A'
union all
select format('extension %s', extname), 'itself', extversion from pg_extension where extname <> 'plpgsql'
union all
select format('schema %s', nspname), 'itself', concat_ws(' ', nspacl::text, obj_description(oid, 'pg_namespace')) from pg_namespace where oid = $1::regnamespace
order by 1, 2`

/**
 * A schema of PostgreSQL: each object by its kind and name, with its parts (columns, constraints, indexes, triggers,
 * rows) by name.
 */
export type SchemaDescription = ReadonlyMap<string, ReadonlyMap<string, string>>

/**
 * Describes every object of a schema completely, without details that differ between two databases made in the same
 * way, such as object IDs. Includes the rows of tables as JSON, except for `withoutRows`.
 */
export const describeSchema = async (
  pool: Pick<Pool, 'query'>,
  { schema = 'public', withoutRows = [] }: { schema?: string; withoutRows?: readonly string[] } = {},
): Promise<SchemaDescription> => {
  const { rows } = await pool.query<{ object: string; part: string; is: string }>(partsText, [schema])
  const objects = Map.groupBy(rows, ({ object }) => object)
  const described = new Map(
    [...objects].map(([name, parts]) => [name, new Map(parts.map((row) => [row.part, row.is]))]),
  )
  for (const [name, parts] of described) {
    const table = /^table (.*)$/.exec(name)?.[1]
    if (table === undefined || withoutRows.includes(table)) continue
    const stored = await pool.query<{ row: string }>(
      `select to_jsonb(stored)::text as row from "${schema}"."${table}" as stored order by 1`,
    )
    for (const [at, { row }] of stored.rows.entries()) parts.set(`row ${at}`, row)
  }
  return described
}

/** A short hash of each object of a description. */
export const hashesOf = (description: SchemaDescription): Record<string, string> =>
  Object.fromEntries(
    [...description].map(([name, parts]) => [
      name,
      createHash('sha256')
        .update(JSON.stringify([...parts]))
        .digest('hex')
        .slice(0, 16),
    ]),
  )
