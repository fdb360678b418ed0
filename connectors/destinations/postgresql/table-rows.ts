import { type EventOutcome, type OutgoingRow, parseExactJson } from '@tributary/connector-kit'
import type { Client } from 'pg'
import type { KeyedTable } from '../../wire/access/table-object.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { upsertRows } from '../../wire/warehouse/keyed-rows.ts'
import type { TableRow } from '../../wire/warehouse/prepare-rows.ts'
import { keysReadApart } from './key-forms.ts'
import type { Session } from './session.ts'
import { rules } from './tables.ts'
import { safeJson } from './values.ts'
import { insertRows, inTransaction } from './write-rows.ts'

type Operation = OutgoingRow['operation']
/** A row that can be written, with its operation. */
type Prepared = { operation: Operation; row: TableRow }

/** The rows of a statement: consecutive rows with the same operation and the same columns. */
type Group = { operation: Operation; rows: TableRow[]; columns: string[] }

const columnsOf = ({ values }: TableRow): string[] => [...values.keys()].toSorted()

const groupsOf = (prepared: readonly Prepared[]): Group[] => {
  const groups: Group[] = []
  for (const { operation, row } of prepared) {
    const columns = columnsOf(row)
    const last = groups.at(-1)
    if (last?.operation === operation && last.columns.join('\n') === columns.join('\n')) last.rows.push(row)
    else groups.push({ operation, rows: [row], columns })
  }
  return groups
}

/**
 * Returns a query for the given rows with the types of the table, and their numbers from 1. Its only parameter is the
 * JSON of the rows.
 */
const given = (target: string): string =>
  `json_array_elements($1::json) with ordinality as element (value, place)
     cross join lateral json_populate_record(null::${target}, element.value) as given`

/** Writes a group, and returns the rows that stay unchanged: an insert found its key, or an update did not. */
const writeGroup = async (
  client: Client,
  schema: string,
  { table, key }: KeyedTable,
  { operation, rows, columns }: Group,
): Promise<TableRow[]> => {
  const target = `${quoted(schema)}.${quoted(table)}`
  const json = safeJson(rows.map(({ values }) => Object.fromEntries(values)))
  const same = `current.${quoted(key)} = given.${quoted(key)}`
  const rewriteKeys = async (): Promise<void> => {
    if (!(await keysReadApart(client, schema, { table, key }))) return
    const differs = `${same} and current.${quoted(key)}::text is distinct from given.${quoted(key)}::text`
    // Checks for differences first, because the account may have the privilege only for other columns.
    const found = await client.query(`select from ${target} as current, ${given(target)} where ${differs} limit 1`, [
      json,
    ])
    if (found.rowCount === 0) return
    await client.query(
      `update ${target} as current set ${quoted(key)} = given.${quoted(key)} from ${given(target)} where ${differs}`,
      [json],
    )
  }
  if (operation === 'upsert') {
    await insertRows(client, schema, rows)
    await rewriteKeys()
    return []
  }
  if (operation === 'delete') {
    await client.query(`delete from ${target} as current using ${given(target)} where ${same}`, [json])
    return []
  }
  const found = await client.query<{ place: string }>(
    `select element.place from ${given(target)} where exists (select from ${target} as current where ${same})`,
    [json],
  )
  const there = new Set(found.rows.map(({ place }) => rows[Number(place) - 1]))
  if (operation === 'insert') {
    const names = columns.map(quoted).join(', ')
    await client.query(
      `insert into ${target} (${names}) select ${columns.map((name) => `given.${quoted(name)}`).join(', ')}
         from ${given(target)} on conflict (${quoted(key)}) do nothing`,
      [json],
    )
    return rows.filter((row) => there.has(row))
  }
  const changed = columns.filter((name) => name !== key).map((name) => `${quoted(name)} = given.${quoted(name)}`)
  if (changed.length > 0)
    await client.query(`update ${target} as current set ${changed.join(', ')} from ${given(target)} where ${same}`, [
      json,
    ])
  await rewriteKeys()
  return rows.filter((row) => !there.has(row))
}

const leftAsIs: Partial<Record<Operation, string>> = {
  insert: 'A row with this key is already there',
  update: 'There is no row with this key',
}

/**
 * Writes rows of a table in their order, in one transaction. An upsert creates or overwrites the row. An insert skips
 * an existing row, and an update skips a missing one. A delete of a missing row succeeds. Upserts and inserts create
 * the table and its columns, with its key as the primary key; an existing table needs a unique index on the key. Only
 * the row that the database refuses is rejected.
 */
export const writeTableRows = async (
  { client, tables }: Session,
  schema: string,
  keyed: KeyedTable,
  rows: readonly OutgoingRow[],
): Promise<EventOutcome[]> => {
  const makes = rows.some(({ operation }) => operation === 'upsert' || operation === 'insert')
  if (!makes && (await tables.columns(keyed.table)) === undefined)
    return rows.map(({ operation }) =>
      operation === 'delete'
        ? { kind: 'delivered' }
        : { kind: 'skipped', reason: `There is no table ${keyed.table} in the schema ${schema}` },
    )
  const payloads = rows.map(({ json }) => ({ payload: parseExactJson(json) as Record<string, unknown> }))
  const read = await upsertRows(tables, keyed, payloads, rules)
  const prepared: Prepared[] = []
  for (const [index, item] of read.entries()) {
    const operation = rows[index]?.operation
    if ('row' in item && operation !== undefined) prepared.push({ operation, row: item.row })
  }
  const left = new Map<TableRow, string>()
  const outcomes = await inTransaction(client, prepared, async (some) => {
    for (const { row } of some) left.delete(row)
    for (const group of groupsOf(some))
      for (const row of await writeGroup(client, schema, keyed, group)) left.set(row, leftAsIs[group.operation] ?? '')
  })
  let next = 0
  return read.map((item): EventOutcome => {
    if ('problem' in item) return { kind: 'rejected', reason: item.problem }
    const outcome = outcomes[next++] ?? { kind: 'retry', reason: 'Not written' }
    const reason = left.get(item.row)
    return outcome.kind === 'delivered' && reason !== undefined ? { kind: 'skipped', reason } : outcome
  })
}
