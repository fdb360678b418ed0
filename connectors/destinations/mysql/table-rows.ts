import type { EventOutcome, OutgoingRow } from '@tributary/connector-kit'
import type { KeyedTable } from '../../wire/access/table-object.ts'
import { ask, textsOf } from '../../wire/mysql/ask.ts'
import type { GuardedConnection } from '../../wire/mysql/connect.ts'
import { isIdentifier, quoted } from '../../wire/mysql/identifiers.ts'
import { inTransaction } from './in-transaction.ts'
import { keysReadApart } from './key-forms.ts'
import type { Session } from './session.ts'
import { statementMs, type Table } from './tables.ts'
import { definitionFor, fitTo, literalText } from './values.ts'

type Operation = OutgoingRow['operation']

/** A row with its operation, and its values by column name. */
export type GivenRow = { operation: Operation; values: Readonly<Record<string, unknown>> }

/** A row that can be written: its literals by column, including the key. */
type Prepared = { operation: Operation; key: string; values: ReadonlyMap<string, string> }

const isAbsent = (value: unknown): boolean => value === null || value === undefined

/** Creates the table and the columns that rows need for values that are not null. */
const ensure = async (
  { guarded, tables }: Session,
  { table, key }: KeyedTable,
  rows: readonly GivenRow[],
): Promise<Table | undefined> => {
  const found = await tables.find(table)
  const missing = new Map<string, string>()
  for (const { operation, values } of rows) {
    if (operation === 'delete' || isAbsent(values[key])) continue
    for (const [column, value] of Object.entries(values))
      if (!isAbsent(value) && found?.columns.has(column) !== true && !missing.has(column) && isIdentifier(column))
        missing.set(column, definitionFor(value, column === key, guarded.isMariaDb))
  }
  const makes = rows.some(({ operation }) => operation === 'upsert' || operation === 'insert')
  if (missing.size === 0 || (found === undefined ? !makes : !found.hasRoom)) return found
  return await tables.extend(table, key, missing)
}

/** Converts a row for the table, or returns why it cannot be written. */
const prepare = (
  guarded: GuardedConnection,
  name: string,
  table: Table,
  key: string,
  { operation, values }: GivenRow,
): Prepared | { problem: string } => {
  const fitted = new Map<string, string>()
  // A delete needs only the key.
  const wanted = operation === 'delete' ? [[key, values[key]] as const] : Object.entries(values)
  for (const [column, value] of wanted) {
    const known = table.columns.get(column)
    if (known === undefined) {
      if (isAbsent(value)) continue
      return { problem: `The table ${name} has no column ${column} and can't take another one` }
    }
    const literal = isAbsent(value) ? undefined : fitTo(known, value)
    if (literal === undefined && !isAbsent(value))
      return { problem: `The value of ${column} does not match its type, ${known.type}` }
    fitted.set(column, literal === undefined ? 'null' : literalText(guarded, literal))
  }
  const keyLiteral = fitted.get(key) ?? 'null'
  if (keyLiteral === 'null') return { problem: `The row has no value for the key column ${key}` }
  return { operation, key: keyLiteral, values: fitted }
}

type Group = { operation: Operation; columns: readonly string[]; rows: Prepared[]; keys: Set<string> }

/** Groups consecutive rows with the same operation, the same columns and different keys. */
const groupsOf = (rows: readonly Prepared[]): Group[] => {
  const groups: Group[] = []
  for (const row of rows) {
    const columns = [...row.values.keys()].toSorted()
    const last = groups.at(-1)
    const fits = last?.operation === row.operation && last.columns.join('\n') === columns.join('\n')
    if (fits && !last.keys.has(row.key)) {
      last.rows.push(row)
      last.keys.add(row.key)
    } else groups.push({ operation: row.operation, columns, rows: [row], keys: new Set([row.key]) })
  }
  return groups
}

const leftAsIs: Partial<Record<Operation, string>> = {
  insert: 'A row with this key is already there',
  update: 'There is no row with this key',
}

/** Creates a function that writes groups of rows of one table. */
const writerOf = (guarded: GuardedConnection, table: Table, keyed: KeyedTable) => {
  const target = quoted(keyed.table)
  const key = quoted(keyed.key)
  const run = (sql: string) => ask(guarded, sql, statementMs)

  /** Returns the rows whose key exists, as the column compares keys. */
  const present = async (rows: readonly Prepared[]): Promise<Set<Prepared>> => {
    const asked = rows.map((row, at) => `select ${at} from ${target} where ${key} = ${row.key}`)
    const found = await run(asked.join(' union all '))
    return new Set(found.rows.flatMap((row) => rows[Number(textsOf(row)[0])] ?? []))
  }
  const inserting = (columns: readonly string[], rows: readonly Prepared[]): string => {
    const values = rows.map((row) => `(${columns.map((column) => row.values.get(column) ?? 'null').join(', ')})`)
    return `insert into ${target} (${columns.map(quoted).join(', ')}) values ${values.join(', ')}`
  }
  const update = async (columns: readonly string[], rows: readonly Prepared[]): Promise<void> => {
    const changed = columns.filter((column) => column !== keyed.key)
    if (changed.length === 0 || rows.length === 0) return
    // With another unique index, an upsert could overwrite another row, so such rows are written one by one.
    if (table.primary === keyed.key && table.unique.size === 1) {
      const assignments = changed.map((column) => `${quoted(column)} = values(${quoted(column)})`)
      await run(`${inserting(columns, rows)} on duplicate key update ${assignments.join(', ')}`)
      return
    }
    for (const row of rows) {
      const assignments = changed.map((column) => `${quoted(column)} = ${row.values.get(column) ?? 'null'}`)
      await run(`update ${target} set ${assignments.join(', ')} where ${key} = ${row.key}`)
    }
  }

  /** Updates existing keys to the text of the rows, if the column treats different texts as equal. */
  const rewriteKeys = async (rows: readonly Prepared[]): Promise<void> => {
    const column = table.columns.get(keyed.key)
    if (!keysReadApart(column) || rows.length === 0) return
    const bytesOf = (text: string): string => `cast(convert(${text} using utf8mb4) as binary)`
    const differs = rows.map((row) => {
      const wanted = column?.type === 'char' ? `rtrim(${row.key})` : row.key
      return `${key} = ${row.key} and ${bytesOf(key)} <> ${bytesOf(wanted)}`
    })
    // Checks for differences first, because the account may have no permission to change the key column.
    const found = await run(differs.map((is, at) => `select ${at} from ${target} where ${is}`).join(' union all '))
    for (const row of found.rows) {
      const at = Number(textsOf(row)[0])
      await run(`update ${target} set ${key} = ${rows[at]?.key} where ${differs[at]}`)
    }
  }

  /** Writes a group, and returns the rows that stay unchanged: an insert found its key, or an update did not. */
  return async ({ operation, columns, rows }: Group): Promise<Prepared[]> => {
    if (operation === 'delete') {
      await run(`delete from ${target} where ${rows.map((row) => `${key} = ${row.key}`).join(' or ')}`)
      return []
    }
    const there = await present(rows)
    const missing = rows.filter((row) => !there.has(row))
    if (operation !== 'insert') {
      await update(columns, [...there])
      await rewriteKeys([...there])
    }
    if (operation !== 'update' && missing.length > 0) await run(inserting(columns, missing))
    if (operation === 'upsert') return []
    return operation === 'insert' ? [...there] : missing
  }
}

/**
 * Writes rows of a table in their order, in one transaction. An upsert creates or overwrites the row. An insert skips
 * an existing row, and an update skips a missing one. A delete of a missing row succeeds. Upserts and inserts create
 * the table and its columns, with its key as the primary key; an existing table needs a unique index on the key. Only
 * the row that the database refuses is rejected.
 */
export const writeTableRows = async (
  session: Session,
  keyed: KeyedTable,
  rows: readonly GivenRow[],
): Promise<EventOutcome[]> => {
  const { guarded } = session
  const table = await ensure(session, keyed, rows)
  if (table === undefined)
    return rows.map(({ operation, values }): EventOutcome => {
      if (operation === 'delete') return { kind: 'delivered' }
      return operation === 'update' && !isAbsent(values[keyed.key])
        ? { kind: 'skipped', reason: `There is no table ${keyed.table} in the database` }
        : { kind: 'rejected', reason: `The row has no value for the key column ${keyed.key}` }
    })
  if (!table.unique.has(keyed.key))
    return rows.map(() => ({
      kind: 'retry',
      misconfigured: true,
      reason: `The table ${keyed.table} has no unique index on the column ${keyed.key}`,
    }))
  const read = rows.map((row) => prepare(guarded, keyed.table, table, keyed.key, row))
  const prepared = read.filter((item): item is Prepared => !('problem' in item))
  const write = writerOf(guarded, table, keyed)
  const left = new Map<Prepared, string>()
  const outcomes = await inTransaction(guarded, prepared, async (some) => {
    for (const row of some) left.delete(row)
    for (const group of groupsOf(some))
      for (const row of await write(group)) left.set(row, leftAsIs[group.operation] ?? '')
  })
  let next = 0
  return read.map((item): EventOutcome => {
    if ('problem' in item) return { kind: 'rejected', reason: item.problem }
    const outcome = outcomes[next++] ?? { kind: 'retry', reason: 'Not written' }
    const reason = left.get(item)
    return outcome.kind === 'delivered' && reason !== undefined ? { kind: 'skipped', reason } : outcome
  })
}
