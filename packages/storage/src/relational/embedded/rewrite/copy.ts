import type { Client } from 'pg'
import { copy, log } from './connection.ts'
import { namesOf, prefixed, type Shape } from './table-shape.ts'

/** Approximate time of a batch of the copy, in ms. */
const batchMs = 100
const maxBatchRows = 20_000

/**
 * Copies the table in the order of its key. Each batch is its own transaction and reads keys that no earlier batch has
 * read.
 */
export const copyRows = async (client: Client, shape: Shape, signal: AbortSignal): Promise<void> => {
  const keys = shape.keys.map(({ name }) => name)
  const columns = namesOf(shape)
  const order = keys.join(', ')
  const texts = keys.map((key, index) => `${key}::text as k${index}`).join(', ')
  let last: string[] | undefined
  let rows = 500
  for (;;) {
    signal.throwIfAborted()
    const after =
      last === undefined
        ? ''
        : `where (${order}) > (${shape.keys.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')})`
    const began = performance.now()
    const { rows: found } = await client.query<Record<string, string>>(
      `with batch as (insert into ${copy} (${columns}) select ${columns} from ${shape.name} ${after}
        order by ${order} limit ${rows} returning ${order}),
      counted as (select count(*)::text as n from batch)
      select n, ${texts} from batch, counted order by ${keys.map((key) => `${key} desc`).join(', ')} limit 1`,
      last,
    )
    const [row] = found
    if (row === undefined || Number(row['n']) < rows) return
    last = keys.map((_, index) => row[`k${index}`] ?? '')
    const ms = Math.max(performance.now() - began, 1)
    rows = Math.max(50, Math.min(maxBatchRows, Math.round((rows * batchMs) / ms)))
  }
}

/** A condition that compares the keys of two aliases. */
export const matching = (a: string, b: string, { keys }: Shape): string =>
  keys.map(({ name }) => `${a}.${name} = ${b}.${name}`).join(' and ')

/** A query that selects each changed key once. */
export const distinctKeys = ({ keys }: Shape): string =>
  `select distinct ${keys.map(({ name }) => name).join(', ')} from ${log}`

/**
 * Applies the whole log in one snapshot, and calls `andThen` in the same snapshot. Afterwards the copy equals the table
 * at that moment, so unique indexes hold. Resolves to the number of entries.
 */
export const applyLog = async (client: Client, shape: Shape, andThen?: () => Promise<void>): Promise<number> => {
  const columns = namesOf(shape)
  await client.query('begin isolation level repeatable read')
  try {
    await client.query(`delete from ${copy} c using (${distinctKeys(shape)}) l where ${matching('c', 'l', shape)}`)
    await client.query(`insert into ${copy} (${columns})
      select ${prefixed('t', shape)} from (${distinctKeys(shape)}) l join ${shape.name} t on ${matching('t', 'l', shape)}`)
    const { rowCount } = await client.query(`delete from ${log}`)
    await andThen?.()
    await client.query('commit')
    return rowCount ?? 0
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Applies some entries of the log with the rows that were read for them, and removes only those entries: a later change
 * has its own entry. Commits before the swap, so that every later snapshot sees the rows.
 */
export const applyEntries = async (
  client: Client,
  shape: Shape,
  { places, rows }: { places: string[]; rows: string[] },
): Promise<void> => {
  if (places.length === 0) return
  const columns = namesOf(shape)
  const keys = `${distinctKeys(shape)} where ctid = any($1::tid[])`
  await client.query('begin')
  try {
    await client.query(`delete from ${copy} c using (${keys}) l where ${matching('c', 'l', shape)}`, [places])
    await client.query(
      `insert into ${copy} (${columns}) select ${prefixed('(r.v)', shape)}
        from (select u::${copy} as v from unnest($1::text[]) u offset 0) r`,
      [rows],
    )
    await client.query(`delete from ${log} where ctid = any($1::tid[])`, [places])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/**
 * Compares the rows of the table and of the copy in one snapshot.
 *
 * @throws if they differ
 */
export const compare = async (client: Client, { name }: Shape): Promise<void> => {
  const sum = (table: string): string =>
    `select count(*)::text || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0)::text from ${table} t`
  const { rows } = await client.query<{ was: string; is: string }>(`select (${sum(name)}) as was, (${sum(copy)}) as is`)
  const [row] = rows
  if (row === undefined || row.was !== row.is)
    throw new Error(`The copy of ${name} differs: ${row?.is} in place of ${row?.was}`)
}
