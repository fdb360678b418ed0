import type { FileHandle } from 'node:fs/promises'
import { isJsonObject, parseExactJson } from '@tributary/connector-kit/exact-json'
import { BrokenFile } from './broken-file.ts'
import { createTypeFinder } from './column-types.ts'
import { createCsvReader, type FileRow, separatorOf, sniffDelimiter } from './csv.ts'
import { readParquet, scanParquet } from './parquet/rows.ts'

/** The format of a file. `delimiter` is '' if it must be found in the first rows. */
export type FileFormat = { kind: 'csv'; delimiter: string; header: boolean } | { kind: 'ndjson' } | { kind: 'parquet' }

export type FileColumn = { name: string; type: string }
/** The columns and the number of rows of a file. */
export type FileScan = { columns: FileColumn[]; rows: number }

/**
 * Bytes of one read (all of its rows are in memory together), maximum columns, and maximum characters of a line of
 * NDJSON and of a name.
 */
const pieceBytes = 64 * 1024
export const maxColumns = 2000
const lineCharacters = 8 * 1024 * 1024
const nameCharacters = 300

/** Yields the text of a file in pieces, without a byte order mark. Throws BrokenFile if the file is not UTF-8. */
async function* textOf(file: FileHandle): AsyncGenerator<{ text: string; last: boolean }, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const buffer = Buffer.allocUnsafe(pieceBytes)
  const { size } = await file.stat()
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, at)
    const last = at + bytesRead >= size || bytesRead === 0
    if (
      at === 0 &&
      (buffer.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])) ||
        buffer.subarray(0, 2).equals(Buffer.from([0xfe, 0xff])))
    )
      throw new BrokenFile('The file is UTF-16. Save it as UTF-8')
    at += bytesRead
    let text: string
    try {
      text = decoder.decode(buffer.subarray(0, bytesRead), { stream: !last })
    } catch {
      throw new BrokenFile(
        `The file is not UTF-8, somewhere before byte ${at.toLocaleString('en-US')}. Save it as UTF-8`,
      )
    }
    yield { text, last }
    if (last) return
  }
}

const checkNames = (names: readonly string[]): string[] => {
  if (names.length > maxColumns)
    throw new BrokenFile(`The file has more than ${maxColumns.toLocaleString('en-US')} columns`)
  const known = new Set<string>()
  for (const [at, name] of names.entries()) {
    if (name === '') throw new BrokenFile(`Line 1: column ${at + 1} has no name`)
    if (name.length > nameCharacters || name.includes('\0'))
      throw new BrokenFile(`Line 1: the name of column ${at + 1} is not valid`)
    if (known.has(name)) throw new BrokenFile(`Line 1: two columns are called ${name}`)
    known.add(name)
  }
  return [...names]
}

/** Yields the rows of CSV; `onNames` receives the columns before the first row. */
async function* csvRows(
  file: FileHandle,
  format: Extract<FileFormat, { kind: 'csv' }>,
  onNames: (names: string[]) => void,
): AsyncGenerator<FileRow[], void, void> {
  let reader: ReturnType<typeof createCsvReader> | undefined
  let width: number | undefined
  for await (const { text, last } of textOf(file)) {
    const named = reader === undefined ? separatorOf(text) : undefined
    const records = named === undefined ? text : text.slice(named.length)
    reader ??= createCsvReader(
      format.delimiter || (named?.delimiter ?? sniffDelimiter(records, last)),
      named === undefined ? 1 : 2,
    )
    const rows: FileRow[] = []
    for (const { row, line } of reader.push(records, last)) {
      if (width === undefined) {
        width = row.length
        onNames(
          checkNames(format.header ? row.map((name) => (name ?? '').trim()) : row.map((_, at) => `column_${at + 1}`)),
        )
        if (format.header) continue
      }
      if (row.length !== width)
        throw new BrokenFile(
          `Line ${line} has ${row.length} ${row.length === 1 ? 'value' : 'values'}, but there are ${width} columns`,
        )
      rows.push(row)
    }
    if (rows.length > 0) yield rows
  }
  if (width === undefined) throw new BrokenFile('The file is empty')
}

type Objects = { line: number; object: Readonly<Record<string, unknown>> }[]

/** Yields the objects of NDJSON. Empty lines are ignored. */
async function* ndjsonObjects(file: FileHandle): AsyncGenerator<Objects, void, void> {
  let rest = ''
  let line = 0
  let empty = true
  const objectOf = (text: string): Readonly<Record<string, unknown>> => {
    let value: unknown
    try {
      value = parseExactJson(text)
    } catch {
      throw new BrokenFile(`Line ${line} is not valid JSON`)
    }
    if (!isJsonObject(value)) throw new BrokenFile(`Line ${line} is not a JSON object`)
    return value
  }
  for await (const { text, last } of textOf(file)) {
    const lines = (rest + text).split('\n')
    rest = last ? '' : (lines.pop() ?? '')
    if (rest.length > lineCharacters)
      throw new BrokenFile(`Line ${line + lines.length + 1} is longer than ${lineCharacters / 1024 / 1024} MB`)
    const objects: Objects = []
    for (const each of lines) {
      line++
      if (each.trim() !== '') objects.push({ line, object: objectOf(each) })
    }
    empty &&= objects.length === 0
    if (objects.length > 0) yield objects
  }
  if (empty) throw new BrokenFile('The file is empty')
}

type JsonKind = 'boolean' | 'bigint' | 'numeric' | 'text' | 'jsonb'

const kindOf = (value: unknown): JsonKind => {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  if (isJsonObject(value) || Array.isArray(value)) return 'jsonb'
  return /^-?\d+$/.test(String(value)) ? 'bigint' : 'numeric'
}

const typeOf = (kinds: ReadonlySet<JsonKind>): JsonKind => {
  const [first = 'text'] = kinds
  if (kinds.size <= 1) return first
  return kinds.size === 2 && kinds.has('bigint') && kinds.has('numeric') ? 'numeric' : 'jsonb'
}

const scanNdjson = async (file: FileHandle): Promise<FileScan> => {
  const kinds = new Map<string, Set<JsonKind>>()
  let rows = 0
  for await (const objects of ndjsonObjects(file)) {
    rows += objects.length
    for (const { line, object } of objects)
      for (const [name, value] of Object.entries(object)) {
        let known = kinds.get(name)
        if (known === undefined) {
          if (name === '' || name.length > nameCharacters || name.includes('\0'))
            throw new BrokenFile(`Line ${line}: the name of a member is not valid`)
          if (kinds.size === maxColumns)
            throw new BrokenFile(`Line ${line}: the file has more than ${maxColumns.toLocaleString('en-US')} columns`)
          known = new Set()
          kinds.set(name, known)
        }
        if (value !== null) known.add(kindOf(value))
      }
  }
  return { columns: [...kinds].map(([name, known]) => ({ name, type: typeOf(known) })), rows }
}

const scanCsv = async (file: FileHandle, format: Extract<FileFormat, { kind: 'csv' }>): Promise<FileScan> => {
  let names: string[] = []
  let finders: ReturnType<typeof createTypeFinder>[] = []
  let count = 0
  const onNames = (found: string[]): void => {
    names = found
    finders = found.map(createTypeFinder)
  }
  for await (const rows of csvRows(file, format, onNames)) {
    count += rows.length
    for (const row of rows) for (const [at, value] of row.entries()) if (value !== null) finders[at]?.see(value)
  }
  return { columns: names.map((name, at) => ({ name, type: finders[at]?.type() ?? 'text' })), rows: count }
}

/**
 * Reads a whole file. Returns its columns, with types that every value has, and the number of rows. The used memory
 * does not depend on the size of the file. Throws BrokenFile if the file is broken anywhere.
 */
export const scanFile = async (file: FileHandle, format: FileFormat): Promise<FileScan> => {
  if (format.kind === 'parquet') return scanParquet(file.fd, (await file.stat()).size)
  return await (format.kind === 'csv' ? scanCsv(file, format) : scanNdjson(file))
}

const jsonText = (value: unknown, type: string): string | null => {
  if (value === null || value === undefined) return null
  if (type === 'jsonb') return JSON.stringify(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  // A number becomes a text with all of its digits.
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Yields the rows of a scanned file in the form of a database: booleans are `t` and `f`. Throws BrokenFile. */
export async function* readRows(
  file: FileHandle,
  format: FileFormat,
  columns: readonly FileColumn[],
): AsyncGenerator<FileRow[], void, void> {
  if (format.kind === 'parquet') {
    yield* readParquet(file.fd, (await file.stat()).size)
    return
  }
  if (format.kind === 'ndjson') {
    for await (const objects of ndjsonObjects(file))
      yield objects.map(({ object }) =>
        columns.map(({ name, type }) => jsonText(Object.hasOwn(object, name) ? object[name] : null, type)),
      )
    return
  }
  const booleans = columns.flatMap(({ type }, at) => (type === 'boolean' ? [at] : []))
  for await (const rows of csvRows(file, format, () => {})) {
    for (const row of rows)
      for (const at of booleans) {
        const value = row[at]
        if (typeof value === 'string') row[at] = value.toLowerCase() === 'true' ? 't' : 'f'
      }
    yield rows
  }
}
