import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { rewriteSchema } from '../../rewrite-schema.ts'
import { connect, copy, isTimeout, log } from './connection.ts'
import { applyEntries, applyLog, distinctKeys, matching } from './copy.ts'
import type { Hindrance, OnlineOptions } from './rewrite-online.ts'
import { awaitOlderSnapshots, hasLongSnapshot } from './snapshots.ts'
import type { Shape } from './table-shape.ts'

/** Pause while a transaction with an old snapshot is open, in ms. */
const snapshotPauseMs = 300
/** Pause after an unsuccessful attempt, in ms, so that other clients can continue their work. */
const closedPauseMs = 1000
/** Maximum changed rows that are applied while the table is closed. */
const maxLastRows = 500

/**
 * Swaps the files of the table and of the copy, as VACUUM FULL does, and drops the copy with everything else of the
 * rewrite. The table keeps its OID, so keys, views, triggers, privileges, and prepared statements stay valid.
 */
const swapText = ({ name, oid }: Shape): string => `do $swap$
declare
  t oid := ${oid};
  c oid := '${copy}'::regclass;
  t_toast oid;
  c_toast oid;
begin
  if t <> $name$${name}$name$::regclass then raise exception 'the table is another one'; end if;
  lock table ${copy} in access exclusive mode;
  if exists (select from ${log}) then raise exception 'changes are not applied'; end if;
  if exists (select from ${rewriteSchema}.emptied) then raise exception 'the table was emptied'; end if;
  -- Changes were not logged while a trigger was off, and who turns it on again rarely says "always".
  if (select count(*) from pg_trigger where tgrelid = t and tgenabled = 'A'
    and tgname in ('tributary_rewrite', 'tributary_rewrite_emptied')) <> 2 then
    raise exception 'its triggers were changed';
  end if;
  if exists (
    select from (select * from pg_attribute where attrelid = t and attnum > 0) a
    full join (select * from pg_attribute where attrelid = c and attnum > 0) b using (attnum)
    where a.attrelid is null or b.attrelid is null or a.attisdropped <> b.attisdropped or not a.attisdropped and
      (a.attname, a.atttypid, a.atttypmod, a.attcollation, a.attlen, a.attbyval, a.attalign, a.attstorage) is distinct from
      (b.attname, b.atttypid, b.atttypmod, b.attcollation, b.attlen, b.attbyval, b.attalign, b.attstorage)
  ) then raise exception 'its columns were changed'; end if;
  if exists (
    select from (select x.*, i.relam, i.reloptions, i.reltablespace from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = t) a
    full join (select x.*, i.relname, i.relam, i.reloptions, i.reltablespace from pg_index x join pg_class i on i.oid = x.indexrelid
      where x.indrelid = c) b on b.relname = 'i_' || a.indexrelid
    where a.indexrelid is null or b.indexrelid is null or b.indcheckxmin
      or not (a.indisvalid and a.indisready and b.indisvalid and b.indisready)
      or (a.relam, a.reloptions, a.reltablespace, a.indnatts, a.indnkeyatts, a.indisunique, a.indnullsnotdistinct, a.indkey::text,
        a.indcollation::text, a.indclass::text, a.indoption::text, pg_get_expr(a.indexprs, t), pg_get_expr(a.indpred, t))
      is distinct from (b.relam, b.reloptions, b.reltablespace, b.indnatts, b.indnkeyatts, b.indisunique, b.indnullsnotdistinct,
        b.indkey::text, b.indcollation::text, b.indclass::text, b.indoption::text, pg_get_expr(b.indexprs, c),
        pg_get_expr(b.indpred, c))
  ) then raise exception 'its indexes were changed'; end if;
  if (select (a.relam, a.reltablespace, a.relpersistence, a.relkind) is distinct from (b.relam, b.reltablespace, b.relpersistence, b.relkind)
    from pg_class a, pg_class b where a.oid = t and b.oid = c) then raise exception 'its kind was changed'; end if;

  select reltoastrelid into t_toast from pg_class where oid = t;
  select reltoastrelid into c_toast from pg_class where oid = c;
  update pg_class r set relfilenode = o.relfilenode, reltoastrelid = o.reltoastrelid, relpages = o.relpages,
    reltuples = o.reltuples, relallvisible = o.relallvisible, relallfrozen = o.relallfrozen,
    relfrozenxid = o.relfrozenxid, relminmxid = o.relminmxid
  from (
    with pairs (a, b) as (
      select t, c union all
      select x.indexrelid, i.oid from pg_index x join pg_class i on i.relname = 'i_' || x.indexrelid
        join pg_index y on y.indexrelid = i.oid and y.indrelid = c where x.indrelid = t)
    select a, b from pairs union all select b, a from pairs
  ) p join pg_class o on o.oid = p.b where r.oid = p.a;
  -- Large values go with the rows that point to them.
  update pg_depend set refobjid = case when refobjid = t then c else t end
    where classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass and deptype = 'i'
      and refobjid in (t, c) and objid in (t_toast, c_toast) and objid <> 0;
  drop schema ${rewriteSchema} cascade;
  if c_toast <> 0 then
    execute format('alter table pg_toast.%I rename to %I', 'pg_toast_' || c, 'pg_toast_' || t);
    execute format('alter index pg_toast.%I rename to %I', 'pg_toast_' || c || '_index', 'pg_toast_' || t || '_index');
  end if;
end $swap$`

/** Reads the file node with the rows of a table. */
const readFile = async (client: Client, table: string): Promise<string> => {
  const { rows } = await client.query<{ file: string }>('select pg_relation_filenode($1::regclass)::text as file', [
    table,
  ])
  return rows[0]?.file ?? ''
}

/**
 * Closes the table for at most `maxClosedMs`, and meanwhile applies the last changes and swaps. When the time is over,
 * the server ends the connection that holds the table.
 */
const trySwap = async (
  worker: Client,
  shape: Shape,
  { url, maxClosedMs, onStep }: OnlineOptions,
): Promise<Hindrance> => {
  const closer = await connect(url, 'rewrite files: swap')
  try {
    await closer.query(
      `set allow_system_table_mods = on; set plan_cache_mode = auto; set transaction_timeout = ${maxClosedMs}`,
    )
    const pids = (
      await Promise.all([closer, worker].map((client) => client.query('select pg_backend_pid() as pid')))
    ).map(({ rows }) => rows[0]?.pid as number)
    await closer.query(`begin; lock table ${shape.name} in access exclusive mode`)
    await onStep?.('closed')
    // All transactions that wrote to the table have ended, so the log is complete.
    const { rows: entries } = await closer.query<{ place: string }>(
      `select ctid::text as place from ${log} limit ${maxLastRows + 1}`,
    )
    if (entries.length > maxLastRows) return 'it changes too fast'
    const { rows: changed } = await closer.query<{ row: string }>(
      `select t::text as row from (${distinctKeys(shape)}) l join ${shape.name} t on ${matching('t', 'l', shape)}`,
    )
    await applyEntries(worker, shape, {
      places: entries.map(({ place }) => place),
      rows: changed.map(({ row }) => row),
    })
    await onStep?.('applied')
    await awaitOlderSnapshots(closer, { oid: shape.oid, except: pids, pause: () => pause(5) })
    await onStep?.('before swap')
    await closer.query(`${swapText(shape)}; commit`)
    await onStep?.('swapped')
    return undefined
  } finally {
    await closer.end().catch(() => {})
  }
}

/** Cancels an automatic vacuum of the table, which would hold the table for long. It starts again later. */
export const cancelAutovacuum = async (client: Client, { oid }: Shape): Promise<void> => {
  await client.query(
    `select pg_cancel_backend(s.pid) from pg_stat_activity s where s.backend_type = 'autovacuum worker'
      and exists (select from pg_locks k where k.pid = s.pid and k.locktype = 'relation' and k.relation = $1::oid)`,
    [oid],
  )
}

/** A timeout of the transaction, a deadlock, and writes to a connection that the server has just closed. */
const hindranceCodes: ReadonlySet<string> = new Set(['25P04', '40P01', 'EPIPE', 'ECONNRESET'])

/** True if the server ended the connection that holds the table, or did not grant a lock in time. */
const isHindrance = (error: unknown): boolean =>
  isTimeout(error) ||
  (error instanceof Error &&
    (('code' in error && hindranceCodes.has(String(error.code))) ||
      /^Connection terminated|not queryable/.test(error.message)))

/**
 * Replaces the table by the copy, while other clients use the table. Resolves to the reason if other transactions were
 * in the way each time; the table is then unchanged.
 */
export const swap = async (worker: Client, shape: Shape, options: OnlineOptions): Promise<Hindrance> => {
  const { swapTries = 200, maxClosedMs, signal } = options
  const copyFile = await readFile(worker, copy)
  let hindrance: Hindrance
  for (let count = 0; count < swapTries; count++) {
    signal.throwIfAborted()
    for (let turn = 0; turn < 10; turn++) if ((await applyLog(worker, shape)) < maxLastRows / 10) break
    // Such a transaction would outlast the closed time, so the table is not closed.
    if (await hasLongSnapshot(worker, maxClosedMs * 2)) {
      hindrance = 'a transaction that keeps its snapshot was open all the time'
      await pause(snapshotPauseMs, undefined, { signal })
      continue
    }
    await cancelAutovacuum(worker, shape)
    try {
      hindrance = await trySwap(worker, shape, options)
      if (hindrance === undefined) return undefined
    } catch (error) {
      if (!isHindrance(error)) throw error
      // The server may have ended the connection just after the commit.
      if ((await readFile(worker, shape.name)) === copyFile) return undefined
      hindrance = `other transactions had it for longer than ${maxClosedMs} ms each time`
    }
    await pause(closedPauseMs, undefined, { signal })
  }
  return hindrance
}
