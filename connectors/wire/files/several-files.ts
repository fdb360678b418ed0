import type { FileHandle } from 'node:fs/promises'
import { BrokenFile } from './broken-file.ts'
import type { FileRow } from './csv.ts'
import { type FileColumn, type FileFormat, type FileScan, maxColumns, readRows, scanFile } from './read-records.ts'

/** A file to read, with the name that users see. */
export type OpenFile = { name: string; handle: FileHandle; format: FileFormat }

const whole = new Set(['integer', 'bigint'])
const numeric = new Set([...whole, 'numeric', 'real', 'double precision'])

/**
 * Returns the type that can hold values of all these types: the wider number type, otherwise text, or JSON if one of
 * the types is JSON.
 */
const widestType = (types: ReadonlySet<string>, isNdjson: boolean): string => {
  const [first = 'text'] = types
  if (types.size <= 1) return first
  const all = [...types]
  if (all.every((type) => whole.has(type))) return 'bigint'
  if (all.every((type) => numeric.has(type))) return 'numeric'
  return isNdjson || types.has('jsonb') ? 'jsonb' : 'text'
}

/** Adds the name of the file to an error, if there are several files. */
const named = (error: unknown, { name }: OpenFile, several: boolean): unknown =>
  several && error instanceof BrokenFile ? new BrokenFile(`${name}: ${error.message}`) : error

/** Returns the columns of all files, by name, in the order of their first occurrence. */
const together = (files: readonly OpenFile[], scans: readonly FileScan[]): FileScan => {
  const found = new Map<string, Set<string>>()
  for (const { columns, rows } of scans)
    for (const { name, type } of columns) {
      const types = found.get(name) ?? new Set()
      // A file without rows has no values that determine types.
      if (rows > 0) types.add(type)
      found.set(name, types)
    }
  if (found.size > maxColumns)
    throw new BrokenFile(`The files have more than ${maxColumns.toLocaleString('en-US')} columns`)
  const isNdjson = files.every(({ format }) => format.kind === 'ndjson')
  return {
    columns: [...found].map(([name, types]) => ({ name, type: widestType(types, isNdjson) })),
    rows: scans.reduce((sum, { rows }) => sum + rows, 0),
  }
}

/**
 * Creates functions that read several files like one file: their rows in order, with the columns of all files. The
 * files must not change.
 */
export const createFiles = (files: readonly OpenFile[]) => {
  let scans: readonly FileScan[] | undefined
  const isOne = files.length === 1

  const scanEach = async (): Promise<readonly FileScan[]> => {
    const found: FileScan[] = []
    for (const file of files)
      found.push(
        await scanFile(file.handle, file.format).catch((error: unknown) => {
          throw named(error, file, !isOne)
        }),
      )
    return found
  }

  return {
    /**
     * Reads whole files, and returns their columns and the number of rows. Throws BrokenFile if a file is broken
     * anywhere.
     */
    async scan(): Promise<FileScan> {
      scans ??= await scanEach()
      const [only] = scans
      return isOne && only !== undefined ? only : together(files, scans)
    },
    /** Yields the rows. A column that a file does not have is null in the rows of that file. Throws BrokenFile. */
    async *rows(columns: readonly FileColumn[]): AsyncGenerator<FileRow[], void, void> {
      const [only] = files
      if (isOne && only !== undefined) {
        yield* readRows(only.handle, only.format, columns)
        return
      }
      scans ??= await scanEach()
      const typeOf = new Map(columns.map(({ name, type }) => [name, type]))
      for (const [at, file] of files.entries()) {
        // Uses the column types of all files, not only of this one.
        const own = (scans[at]?.columns ?? []).map(({ name, type }) => ({ name, type: typeOf.get(name) ?? type }))
        const places = columns.map(({ name }) => own.findIndex((column) => column.name === name))
        try {
          for await (const rows of readRows(file.handle, file.format, own))
            yield rows.map((row) => places.map((place) => row[place] ?? null))
        } catch (error) {
          throw named(error, file, true)
        }
      }
    },
  }
}
