import { createHash } from 'node:crypto'
import { literal, quoted } from '../../wire/clickhouse/identifiers.ts'
import { plainType } from '../../wire/clickhouse/types.ts'
import { type Dialect, type StagedRows, stageTable, type TypedColumn } from '../../wire/warehouse/dialect.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import type { Fit } from '../../wire/warehouse/fit.ts'
import { isGiven, isSince, ofTable } from '../../wire/warehouse/statements.ts'
import { mergedTables } from '../../wire/warehouse/warehouse-rows.ts'

/** Digits that an integer of so many bits always has room for. */
const digitsOfBits: Readonly<Record<string, number>> = { 8: 2, 16: 4, 32: 9, 64: 18, 128: 38, 256: 76 }

const fitOf = (type: string): Fit | undefined => {
  const [, precision, scale] = /^Decimal\((\d+), (\d+)\)$/.exec(type) ?? []
  if (precision !== undefined)
    return { kind: 'number', before: Number(precision) - Number(scale), after: Number(scale) }
  const [, bits = ''] = /^U?Int(\d+)$/.exec(type) ?? []
  const before = digitsOfBits[bits]
  if (before !== undefined) return { kind: 'number', before, after: 0 }
  if (/^Float(32|64)$/.test(type)) return { kind: 'double' }
  if (type === 'String') return { kind: 'text' }
  if (type === 'Bool') return { kind: 'boolean' }
  if (/^DateTime(64)?\b/.test(type)) return { kind: 'time' }
  return /^Date(32)?$/.test(type) ? { kind: 'date' } : undefined
}

const cast = (text: string, type: string): string => {
  if (type === 'String') return text
  // The text is in UTC, whatever zone the column has.
  if (/^DateTime(64)?\b/.test(type)) return `toDateTime64OrNull(${text}, 6, 'UTC')`
  return `accurateCastOrNull(${text}, ${literal(type)})`
}

const member = (name: string): string =>
  `if(JSONHas(row_values, ${literal(name)}), JSONExtractString(row_values, ${literal(name)}), NULL)`

const contains = (text: string, part: string): string => `position(${text}, ${literal(part)}) > 0`

/** The table behind a view of merged rows: it has each version of a row. */
const versionsOf = (table: string): string => `_${table}_versions`

const stageDefinition = (stage: string): string =>
  `CREATE TABLE IF NOT EXISTS ${stage} (batch String, place UInt32, table_name LowCardinality(String),
  mode LowCardinality(String), row_key String, received_at String, row_values String CODEC(ZSTD(1)), set_null String, bytes UInt64)
  ENGINE = MergeTree PARTITION BY batch ORDER BY (table_name, place)`

/**
 * Returns the SQL of ClickHouse for the tables of a database. Rows of events are inserted in the order of the stage and
 * with a token for each set of missing rows. So the server drops a repeated or concurrent insert of the same rows
 * (clickhouse.com/docs/guides/developer/deduplicating-inserts-on-retries). Users and accounts are views of the newest version
 * of each row.
 */
export const createDialect = (database: string, rowsTable?: string): Dialect => {
  const place = (name: string): string => `${quoted(database)}.${quoted(name)}`
  const stage = place(stageTable)
  const isMerged = (name: string): boolean => mergedTables.has(name) || name === rowsTable
  const table = (name: string): string => place(isMerged(name) ? versionsOf(name) : name)
  const list = (columns: readonly TypedColumn[]): string => columns.map(({ name }) => quoted(name)).join(', ')
  const view = (name: string, columns: readonly string[]): string =>
    `CREATE OR REPLACE VIEW ${place(name)} AS SELECT ${columns.map(quoted).join(', ')} FROM ${table(name)} FINAL`
  const define = (columns: ReadonlyMap<string, string>, required: readonly string[]): string[] =>
    [...columns].map(([name, type]) => `${quoted(name)} ${required.includes(name) ? type : `Nullable(${type})`}`)
  const self: Dialect = {
    column: quoted,
    table,
    literal,
    isReserved: () => false,
    types: { text: 'String', number: 'Decimal(38, 10)', boolean: 'Bool', time: "DateTime64(6, 'UTC')", json: 'String' },
    years: [1900, 2299],
    fitOf,
    maxColumns: 1000,
    countsFirst: true,
    wholeRows: true,
    prepare: () => [stageDefinition(stage)],
    listColumns: () =>
      `SELECT table, name, type FROM system.columns WHERE database = ${literal(database)}
  AND table NOT IN (SELECT name FROM system.tables WHERE database = ${literal(database)} AND engine = 'View') ORDER BY table, position`,
    listed: ([found, column, type]) => {
      if (found === null || found === undefined || found === stageTable) return undefined
      const [, merged] = /^_(.+)_versions$/.exec(found) ?? []
      return { table: merged ?? found, column: column ?? '', type: plainType(type ?? '') }
    },
    createTable: (name, key, columns) => {
      const definitions = define(columns, [key, 'received_at']).join(', ')
      if (isMerged(name))
        return [
          `CREATE TABLE IF NOT EXISTS ${table(name)} (${definitions}) ENGINE = ReplacingMergeTree(${columns.has('received_at') ? 'received_at' : ''}) ORDER BY ${quoted(key)}`,
          view(name, [...columns.keys()]),
        ]
      return [
        `CREATE TABLE IF NOT EXISTS ${table(name)} (${definitions}, INDEX by_id ${quoted(key)} TYPE bloom_filter(0.01) GRANULARITY 1)
  ENGINE = MergeTree PARTITION BY toYYYYMM(received_at) ORDER BY (received_at, ${quoted(key)})
  SETTINGS non_replicated_deduplication_window = 10000`,
      ]
    },
    addColumns: (name, columns, known) => [
      `ALTER TABLE ${table(name)} ${define(columns, [])
        .map((definition) => `ADD COLUMN IF NOT EXISTS ${definition}`)
        .join(', ')}`,
      ...(isMerged(name) ? [view(name, [...new Set([...known.keys(), ...columns.keys()])])] : []),
    ],
    member,
    cast,
    contains,
    insertNew: (rows) => {
      const ours = ofTable(self, rows)
      const known = `SELECT ${quoted(rows.key)} FROM ${table(rows.table)} WHERE ${isSince(self, rows.since)} AND ${quoted(rows.key)} IN (SELECT row_key FROM ${stage} WHERE ${ours})`
      return [
        `INSERT INTO ${table(rows.table)} (${list(rows.columns)})
SELECT ${rows.columns.map(({ name, type }) => cast(member(name), type)).join(', ')} FROM
  (SELECT row_key, row_values FROM ${stage} WHERE ${ours} AND row_key NOT IN (${known}) ORDER BY batch, place LIMIT 1 BY row_key)
  SETTINGS insert_deduplicate = 1, insert_deduplication_token = ${literal(tokenOf(rows))}, max_insert_threads = 1`,
      ]
    },
    // A process that was killed may have left a view without some columns.
    merge: (rows) => [
      view(
        rows.table,
        rows.columns.map(({ name }) => name),
      ),
      mergeStatement(self, rows, stage),
    ],
    dropBatches: (batches) => [
      `ALTER TABLE ${stage} ${batches.map((batch) => `DROP PARTITION ${literal(batch)}`).join(', ')}`,
    ],
    deleteRows: (name, condition) => [`DELETE FROM ${table(name)} WHERE ${condition}`],
    text: textOf,
    extraMember: (name) => extraMember(name),
    changeType: ({ table: name, column, columns, type }) => {
      const [made, old] = [`${column}__new`, `${column}__old`].map(quoted)
      const before = columns.get(column) ?? ''
      const alter = `ALTER TABLE ${table(name)}`
      return [
        `${alter} DROP COLUMN IF EXISTS ${made}, DROP COLUMN IF EXISTS ${old}`,
        `${alter} ADD COLUMN ${made} Nullable(${type})`,
        `${alter} UPDATE ${made} = ${cast(`coalesce(${textOf(quoted(column), before)}, ${extraMember(column)})`, type)},
  ${quoted(extraColumn)} = ${movedExtra(column, before, type)} WHERE 1`,
        `${alter} RENAME COLUMN ${quoted(column)} TO ${old}, RENAME COLUMN ${made} TO ${quoted(column)}`,
        ...(isMerged(name) ? [view(name, [...columns.keys()])] : []),
        `${alter} DROP COLUMN IF EXISTS ${old}`,
        // Only now: until the new column has its name, a repetition makes it again of these members.
        `${alter} UPDATE ${withoutMember(column, type)}`,
      ]
    },
    renameColumn: ({ table: name, column, columns, name: renamed }) => [
      `ALTER TABLE ${table(name)} RENAME COLUMN ${quoted(column)} TO ${quoted(renamed)}`,
      ...(isMerged(name)
        ? [
            view(
              name,
              [...columns.keys()].map((each) => (each === column ? renamed : each)),
            ),
          ]
        : []),
    ],
    dropColumn: ({ table: name, column, columns }) => [
      ...(isMerged(name)
        ? [
            view(
              name,
              [...columns.keys()].filter((each) => each !== column),
            ),
          ]
        : []),
      `ALTER TABLE ${table(name)} DROP COLUMN IF EXISTS ${quoted(column)}`,
    ],
  }
  return self
}

const extra = quoted(extraColumn)

const textOf = (expression: string, type: string): string =>
  type.startsWith('DateTime')
    ? `toString(toTimeZone(toDateTime64(${expression}, 6), 'UTC'))`
    : `toString(${expression})`

/** A member of `extra_properties`: a text as itself, any other value as JSON. */
const extraMember = (name: string): string => {
  const [has, raw] = [`JSONHas(${extra}, ${literal(name)})`, `JSONExtractRaw(${extra}, ${literal(name)})`]
  return `multiIf(NOT ${has} OR ${raw} = 'null', NULL, startsWith(${raw}, '"'), JSONExtractString(${extra}, ${literal(name)}), ${raw})`
}

/** Returns the members of `extra_properties` besides that of a column, as pairs of name and JSON. */
const othersOf = (column: string): string =>
  `arrayFilter(pair -> pair.1 != ${literal(column)}, JSONExtractKeysAndValuesRaw(ifNull(${extra}, '{}')))`

const objectOf = (pairs: string): string =>
  `concat('{', arrayStringConcat(arrayMap(pair -> concat(toJSONString(pair.1), ':', pair.2), ${pairs}), ','), '}')`

/**
 * Returns `extra_properties` after the change of a type: with the value of the column that does not
 * convert. The digits of its other members stay.
 */
const movedExtra = (column: string, before: string, type: string): string => {
  const text = textOf(quoted(column), before)
  const lost = `${quoted(column)} IS NOT NULL AND ${cast(text, type)} IS NULL`
  return `if(${lost}, ${objectOf(`arrayPushBack(${othersOf(column)}, (${literal(column)}, toJSONString(${text})))`)}, ${extra})`
}

/** Returns the assignment that takes a member out of `extra_properties`, where its column has the same value. */
const withoutMember = (column: string, type: string): string => {
  const others = othersOf(column)
  return `${extra} = if(empty(${others}), NULL, ${objectOf(others)})
  WHERE ${quoted(column)} IS NOT NULL AND ${cast(extraMember(column), type)} = ${quoted(column)}`
}

/** Returns the token of an insert: the same for the same rows while the table lacks the same number of them. */
const tokenOf = ({ table, batches, missing = 0 }: StagedRows): string =>
  createHash('sha256')
    .update(JSON.stringify([table, batches, missing]))
    .digest('hex')

/** Adds a version of each row that is not older than the one of the table. Missing values are those of the version before. */
const mergeStatement = (dialect: Dialect, rows: StagedRows, stage: string): string => {
  const { columns, key } = rows
  const target = dialect.table(rows.table)
  const ours = ofTable(dialect, rows)
  const received = cast(member('received_at'), dialect.types.time)
  const value = ({ name, type }: TypedColumn): string => {
    if (name === key) return 'row_key'
    const before = `known.${quoted(name)}`
    return fitOf(type) === undefined ? before : `if(${isGiven(dialect, name)}, ${cast(member(name), type)}, ${before})`
  }
  const isDated = columns.some(({ name }) => name === 'received_at')
  const names = columns.map(({ name }) => quoted(name)).join(', ')
  const known = [...new Set([key, ...columns.map(({ name }) => name)])].map(quoted).join(', ')
  return `INSERT INTO ${target} (${names}) SELECT ${columns.map(value).join(', ')}
  FROM (SELECT row_key, row_values, set_null FROM ${stage} WHERE ${ours} ORDER BY place DESC LIMIT 1 BY row_key) AS staged
  LEFT JOIN (SELECT ${known} FROM ${target} FINAL WHERE toString(${quoted(key)}) IN (SELECT row_key FROM ${stage} WHERE ${ours})) AS known
  ON toString(known.${quoted(key)}) = staged.row_key
  ${isDated ? `WHERE known.${quoted(key)} IS NULL OR ${received} >= known.${quoted('received_at')}` : ''}
  SETTINGS join_use_nulls = 1`
}
