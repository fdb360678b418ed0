import { statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { isTimeout } from './connection.ts'
import { removeLeftovers } from './leftovers.ts'
import { type OnlineOptions, rewriteOnline } from './rewrite-online.ts'

/** The parts of a database that were not rewritten, with the reason; empty if all were. */
export type RewrittenFiles = { left: readonly string[] }

/** The names (with schemas) of the tables that are already rewritten, and a callback for each further one. */
export type RewriteProgress = { done: ReadonlySet<string>; onDone(table: string): Promise<void> }

export type RewriteOptions = {
  /** The URL of the database, with the role that owns all of it. */
  url: string
  /** The folder of its files: a table is rewritten only if the disk has space for it twice. */
  dir: string
  /** Free bytes of the disk; by default from the operating system. */
  freeBytes?: () => Promise<number>
  /**
   * Maximum ms that a table is closed to other clients, including the wait for the table. A table that takes longer is
   * left unchanged.
   */
  maxClosedMs: number
  /**
   * Maximum wait for earlier transactions, in ms: the rewrite also copies data that these transactions may still see.
   * Default 10 s.
   */
  transactionsMs?: number
  /** Tables of at least this size are copied online first, instead of being closed for a rewrite. Default 16 MB. */
  onlineFromBytes?: number
  signal: AbortSignal
  /** The results of an earlier attempt; none by default. */
  progress?: RewriteProgress
} & Pick<OnlineOptions, 'swapTries' | 'onStep'>

/** Number of attempts for a table that other clients hold. */
const tries = 5
/** Pause between two attempts for a table, in ms. */
const pauseMs = 300
/** Maximum log files that are advanced through; each is 16 MB. */
const maxLogFiles = 1000

type Table = { name: string; bytes: string }

/** Ordinary tables with content, small ones first; the statistics of columns, which contain values, come last. */
const listTables = async (client: Client): Promise<Table[]> => {
  const { rows } = await client.query<Table>(`
    select format('%I.%I', n.nspname, c.relname) as name, pg_total_relation_size(c.oid) as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and c.relpersistence = 'p' and pg_relation_size(c.oid) > 0
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
    order by bytes`)
  return rows
}

/** Waits until no transaction can see data from before now; false if one is still open after `waitMs`. */
const transactionsEnded = async (client: Client, waitMs: number, signal: AbortSignal): Promise<boolean> => {
  const { rows } = await client.query<{ mark: string }>('select pg_current_xact_id()::xid::text as mark')
  const mark = rows[0]?.mark ?? '0'
  for (let waited = 0; ; waited += pauseMs) {
    const { rows: open } = await client.query(
      `select from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()
        and (age(backend_xmin) >= age($1::xid) or age(backend_xid) >= age($1::xid)) limit 1`,
      [mark],
    )
    if (open.length === 0) return true
    if (waited >= waitMs) return false
    await pause(pauseMs, undefined, { signal })
  }
}

const freeBytesOf = async (dir: string): Promise<number> => {
  const { bavail, bsize } = await statfs(dir)
  return bavail * bsize
}

/** Rewrites a table while it is closed. Returns false if each attempt took longer than allowed. */
const rewriteClosed = async (client: Client, name: string, signal: AbortSignal): Promise<boolean> => {
  for (let count = 0; count < tries; count++) {
    signal.throwIfAborted()
    try {
      // From now on, other clients wait for the table, even while this statement waits.
      await client.query(`vacuum full ${name}`)
      return true
    } catch (error) {
      if (!isTimeout(error)) throw error
    }
    await pause(pauseMs, undefined, { signal })
  }
  return false
}

/** Rewrites one table with its indexes and TOAST data. Returns why it could not be rewritten, or undefined. */
const rewriteTable = async (
  client: Client,
  { name, bytes }: Table,
  options: RewriteOptions,
): Promise<string | undefined> => {
  const { dir, maxClosedMs, signal, freeBytes = () => freeBytesOf(dir), onlineFromBytes = 16 * 2 ** 20 } = options
  if ((await freeBytes()) < 2 * Number(bytes)) return `${name}: the disk has not enough free space`
  const isCatalog = name.startsWith('pg_catalog.')
  if ((isCatalog || Number(bytes) < onlineFromBytes) && (await rewriteClosed(client, name, signal))) return undefined
  const reason = `${name}: it could not be rewritten within ${maxClosedMs} ms`
  if (isCatalog) return reason
  try {
    const hindrance = await rewriteOnline(name, options)
    if (hindrance === undefined) return undefined
    // A table that cannot be copied online may still be fast enough to be rewritten while closed.
    if (Number(bytes) >= onlineFromBytes && (await rewriteClosed(client, name, signal))) return undefined
    return `${reason}, and no copy took its place: ${hindrance}`
  } catch (error) {
    signal.throwIfAborted()
    return `${reason}, and no copy took its place: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * Removes old content from the files of the write-ahead log. Files before the current one are removed. Recycled files
 * are advanced through, until the current one is new.
 */
const leaveLogFiles = async (client: Client, signal: AbortSignal): Promise<void> => {
  await client.query('alter system set wal_recycle = off')
  await client.query('select pg_reload_conf()')
  try {
    const next = async (): Promise<void> => {
      signal.throwIfAborted()
      // A log file without content would not be switched.
      await client.query(`select pg_logical_emit_message(false, 'tributary', '')`)
      await client.query('select pg_switch_wal()')
      await client.query('checkpoint')
    }
    await next()
    for (let count = 0; count < maxLogFiles; count++) {
      const { rows } = await client.query(`select from pg_ls_waldir()
        where name ~ '^[0-9A-F]{24}$' and name > pg_walfile_name(pg_current_wal_lsn()) limit 1`)
      if (rows.length === 0) break
      await next()
    }
    // The last recycled file is current now: the next one is new.
    await next()
    await client.query('checkpoint')
  } finally {
    await client.query('alter system reset wal_recycle')
    await client.query('select pg_reload_conf()')
  }
}

/**
 * Rewrites the tables of an embedded PostgreSQL, so that its files no longer contain removed values. It rewrites one
 * table with its indexes after the other, then statistics and the write-ahead log. Other clients wait for a table for
 * at most `maxClosedMs` each time. Resolves to what could not be rewritten. The next call does everything again, except
 * the tables that `progress` names.
 *
 * @throws if the database is unreachable, or the signal aborts
 */
export const rewriteFiles = async (options: RewriteOptions): Promise<RewrittenFiles> => {
  const { url, maxClosedMs, transactionsMs = 10_000, signal, progress } = options
  const client = new Client({ connectionString: url, ssl: false, application_name: 'rewrite files' })
  client.on('error', () => {})
  await client.connect()
  try {
    await removeLeftovers(client, options)
    if (!(await transactionsEnded(client, transactionsMs, signal)))
      return { left: ['A transaction of before is still open'] }
    const left: string[] = []
    const rewrite = async (table: Table): Promise<boolean> => {
      await client.query(`set statement_timeout = ${maxClosedMs}`)
      const reason = await rewriteTable(client, table, options)
      await client.query('set statement_timeout = 0')
      if (reason !== undefined) left.push(reason)
      return reason === undefined
    }
    for (const table of await listTables(client)) {
      if (progress?.done.has(table.name)) continue
      const isDone = await rewrite(table)
      // Replaces the statistics, which have samples of earlier values, without closing the table.
      await client.query(`analyze ${table.name}`)
      if (isDone) await progress?.onDone(table.name)
    }
    await rewrite({ name: 'pg_catalog.pg_statistic', bytes: '0' })
    await client.query('checkpoint')
    if (left.length === 0) await leaveLogFiles(client, signal)
    return { left }
  } finally {
    await client.end()
  }
}
