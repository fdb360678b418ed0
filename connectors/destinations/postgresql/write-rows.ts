import type { EventOutcome } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { faultOf, stateOf, wordsOf } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import { mergedByKey } from '../../wire/warehouse/merged-rows.ts'
import type { TableRow } from '../../wire/warehouse/prepare-rows.ts'
import { safeJson } from './values.ts'

/** Rows of the same table with the same columns. */
type Group = { table: string; mode: TableRow['mode']; key: string; columns: string[]; rows: Map<string, unknown>[] }

/** Groups inserts by table, and updates also by columns, so that the other columns stay unchanged. */
const groupRows = (rows: readonly TableRow[]): Group[] => {
  const inserts = rows.filter(({ mode }) => mode === 'insert')
  const merges = mergedByKey(rows.filter(({ mode }) => mode === 'merge'))
  const groups = new Map<string, Group>()
  for (const row of [...inserts, ...merges]) {
    const { table, mode, key, values } = row
    const place = mode === 'insert' ? table : [table, ...[...values.keys()].toSorted()].join('\n')
    const group = groups.get(`${mode} ${place}`) ?? { table, mode, key, columns: [], rows: [] }
    for (const column of values.keys()) if (!group.columns.includes(column)) group.columns.push(column)
    group.rows.push(values)
    groups.set(`${mode} ${place}`, group)
  }
  return [...groups.values()]
}

const assignment = (column: string): string => {
  const name = quoted(column)
  if (column !== extraColumn) return `${name} = excluded.${name}`
  return `${name} = coalesce(current.${name}, '{}'::jsonb) || excluded.${name}`
}

const conflictClause = ({ mode, key, columns }: Group): string => {
  const changed = columns.filter((column) => column !== key)
  if (mode === 'insert' || changed.length === 0) return `on conflict (${quoted(key)}) do nothing`
  const newer = columns.includes('received_at')
    ? ' where current.received_at is null or excluded.received_at >= current.received_at'
    : ''
  return `on conflict (${quoted(key)}) do update set ${changed.map(assignment).join(', ')}${newer}`
}

/** Writes rows with one statement for each table (and set of columns). Every value is part of one bound parameter. */
export const insertRows = async (client: Client, schema: string, rows: readonly TableRow[]): Promise<void> => {
  for (const group of groupRows(rows)) {
    const target = `${quoted(schema)}.${quoted(group.table)}`
    const columns = group.columns.map(quoted).join(', ')
    const records = group.rows.map((values) => Object.fromEntries(values))
    await client.query(
      `insert into ${target} as current (${columns})
       select ${columns} from json_populate_recordset(null::${target}, $1::json) ${conflictClause(group)}`,
      [safeJson(records)],
    )
  }
}

/**
 * Processes many items in one transaction, with `together` first. If that fails, each item is processed with a
 * savepoint, so that an item that the database refuses does not affect the others. Returns an outcome for each item;
 * rejects if no item is the cause.
 */
export const inTransaction = async <T>(
  client: Client,
  items: readonly T[],
  together: (items: readonly T[]) => Promise<void>,
): Promise<EventOutcome[]> => {
  const begin = async (): Promise<void> => {
    await client.query('begin')
    // A deferred constraint would fail at the commit, when it is unknown which row is faulty.
    await client.query('set constraints all immediate')
  }
  try {
    await begin()
    await together(items)
    await client.query('commit')
    return items.map(() => ({ kind: 'delivered' }))
  } catch (error) {
    if (faultOf(stateOf(error)) !== 'row') throw error
    await client.query('rollback')
    if (items.length === 1) return [{ kind: 'rejected', reason: wordsOf(error) }]
  }
  await begin()
  const outcomes: EventOutcome[] = []
  for (const item of items) {
    await client.query('savepoint item')
    try {
      await together([item])
      outcomes.push({ kind: 'delivered' })
    } catch (error) {
      if (faultOf(stateOf(error)) !== 'row') throw error
      await client.query('rollback to savepoint item')
      outcomes.push({ kind: 'rejected', reason: wordsOf(error) })
    }
    await client.query('release savepoint item')
  }
  await client.query('commit')
  return outcomes
}
