import type { EventOutcome, OutgoingRow } from '@tributary/connector-kit'
import { type Cell, cellOf, keyCell, maxCharacters, textCell } from './cells.ts'

/** The content of a sheet when it was read; a missing sheet is empty. */
export type Sheet = {
  /** ID of the sheet. Undefined for a missing sheet, which is then created with the ID `newId`. */
  id: number | undefined
  newId: number
  title: string
  rowCount: number
  columnCount: number
  /** Names of the columns, from the first row. */
  header: readonly string[]
  /** Indexes of rows by key. The header has the index 0. */
  rows: ReadonlyMap<string, readonly number[]>
}

/** A row to write to a sheet: its values by column name. */
export type GivenRow = {
  operation: OutgoingRow['operation']
  key: string
  values: Readonly<Record<string, unknown>>
}

/** One `Request` of `spreadsheets.batchUpdate`. */
export type SheetRequest = Readonly<Record<string, unknown>>

/** The API requests, of which all or none take effect, and the outcome of each row after that. */
export type Plan = { requests: readonly SheetRequest[]; outcomes: readonly EventOutcome[] }

/** The planned content of the rows with one key. */
type Rows = { indexes: readonly number[]; present: boolean; cells: Map<number, Cell> }

const fields = 'userEnteredValue'

/** Creates a function that returns the index of a column, and adds missing names to the end of the header. */
const createColumns = (header: readonly string[]) => {
  const names = header.map((name) => name.trim())
  return {
    added: () => names.slice(header.length),
    count: () => names.length,
    place: (name: string): number => {
      const found = names.indexOf(name.trim())
      return found >= 0 ? found : names.push(name.trim()) - 1
    },
  }
}

/** Groups sorted numbers into ranges without gaps. `end` is one more than the last number. */
const rangesOf = (numbers: readonly number[]): { start: number; end: number }[] => {
  const ranges: { start: number; end: number }[] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last.end === number) last.end = number + 1
    else ranges.push({ start: number, end: number + 1 })
  }
  return ranges
}

/** Returns the requests that write cells of existing rows. Neighboring rows with the same columns share a request. */
const updatesOf = (
  sheetId: number,
  updates: readonly { index: number; cells: Map<number, Cell> }[],
): SheetRequest[] => {
  const blocks: { index: number; columns: string; rows: Map<number, Cell>[] }[] = []
  for (const { index, cells } of updates.toSorted((a, b) => a.index - b.index)) {
    const columns = [...cells.keys()].toSorted((a, b) => a - b).join()
    const last = blocks.at(-1)
    if (last !== undefined && last.columns === columns && last.index + last.rows.length === index) last.rows.push(cells)
    else blocks.push({ index, columns, rows: [cells] })
  }
  return blocks.flatMap(({ index, rows }) =>
    rangesOf([...(rows[0]?.keys() ?? [])]).map(({ start, end }) => ({
      updateCells: {
        start: { sheetId, rowIndex: index, columnIndex: start },
        rows: rows.map((cells) => ({
          values: Array.from({ length: end - start }, (_, at) => cells.get(start + at) ?? {}),
        })),
        fields,
      },
    })),
  )
}

/** Returns the requests that create the sheet, missing columns, and the names of new columns. */
const roomFor = (sheet: Sheet, sheetId: number, added: readonly string[]): SheetRequest[] => {
  const columns = sheet.header.length + added.length
  const room =
    sheet.id === undefined
      ? [
          {
            addSheet: {
              properties: {
                sheetId,
                title: sheet.title,
                gridProperties: { rowCount: 1000, columnCount: Math.max(26, columns) },
              },
            },
          },
        ]
      : columns > sheet.columnCount
        ? [{ appendDimension: { sheetId, dimension: 'COLUMNS', length: columns - sheet.columnCount } }]
        : []
  if (added.length === 0) return room
  const start = { sheetId, rowIndex: 0, columnIndex: sheet.header.length }
  return [...room, { updateCells: { start, rows: [{ values: added.map(textCell) }], fields } }]
}

/**
 * Returns the requests that delete whole rows, the last ones first, so that the indexes of earlier rows stay the same.
 */
const deletesOf = (sheet: Sheet, sheetId: number, indexes: readonly number[]): SheetRequest[] => [
  // A sheet must always keep one row that is not frozen; headers are often frozen.
  ...(indexes.length > 0 && indexes.length >= sheet.rowCount - 1
    ? [{ appendDimension: { sheetId, dimension: 'ROWS', length: 1 } }]
    : []),
  ...rangesOf(indexes)
    .toReversed()
    .map(({ start, end }) => ({
      deleteDimension: { range: { sheetId, dimension: 'ROWS', startIndex: start, endIndex: end } },
    })),
]

const tooLong = (values: Readonly<Record<string, unknown>>): string | undefined =>
  Object.entries(values).find(([, value]) => {
    const written = cellOf(value).userEnteredValue
    return written !== undefined && 'stringValue' in written && written.stringValue.length > maxCharacters
  })?.[0]

/**
 * Returns the API requests that write rows to a sheet in their order. A row with an existing key overwrites its own
 * columns, other rows are added at the end, and a delete removes all rows with the key.
 */
export const planRows = (sheet: Sheet, identifier: string, rows: readonly GivenRow[]): Plan => {
  const sheetId = sheet.id ?? sheet.newId
  const columns = createColumns(sheet.header)
  const records = new Map<string, Rows>()
  const deleted: number[] = []
  const write = (record: Rows, { key, values }: GivenRow): void => {
    record.present = true
    // The key cell of an existing row keeps the value that users entered.
    if (record.indexes.length === 0) record.cells.set(columns.place(identifier), keyCell(key, values[identifier]))
    for (const [name, value] of Object.entries(values))
      if (name.trim() !== identifier) record.cells.set(columns.place(name), cellOf(value))
  }
  const outcomes = rows.map((row): EventOutcome => {
    const indexes = sheet.rows.get(row.key) ?? []
    const record = records.get(row.key) ?? { indexes, present: indexes.length > 0, cells: new Map() }
    records.set(row.key, record)
    if (row.operation === 'delete') {
      deleted.push(...record.indexes)
      Object.assign(record, { indexes: [], present: false, cells: new Map() })
      return { kind: 'delivered' }
    }
    if (row.operation === 'insert' && record.present)
      return { kind: 'skipped', reason: 'A row with this key is already there' }
    if (row.operation === 'update' && !record.present)
      return { kind: 'skipped', reason: 'There is no row with this key' }
    const long = tooLong(row.values)
    if (long !== undefined)
      return { kind: 'rejected', reason: `${long} has more than ${maxCharacters.toLocaleString('en-US')} characters` }
    write(record, row)
    return { kind: 'delivered' }
  })
  const written = [...records.values()].filter(({ cells }) => cells.size > 0)
  const updates = written.flatMap(({ indexes, cells }) =>
    indexes[0] === undefined ? [] : [{ index: indexes[0], cells }],
  )
  const appended = written.filter(({ indexes }) => indexes.length === 0)
  const requests = [
    ...roomFor(sheet, sheetId, columns.added()),
    ...updatesOf(sheetId, updates),
    ...(appended.length === 0
      ? []
      : [
          {
            appendCells: {
              sheetId,
              rows: appended.map(({ cells }) => ({
                values: Array.from({ length: Math.max(...cells.keys()) + 1 }, (_, at) => cells.get(at) ?? {}),
              })),
              fields,
            },
          },
        ]),
    ...deletesOf(sheet, sheetId, deleted),
  ]
  return { requests, outcomes }
}
