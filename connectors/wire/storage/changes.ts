import { createHash } from 'node:crypto'
import type { EventOutcome, OutgoingRow, RowObjectDefinition } from '@tributary/connector-kit'
import { isJsonObject, parseExactJson } from '@tributary/connector-kit/exact-json'
import { writeTexts } from '../files/parquet/write-texts.ts'
import { folderOf, type StoredFile, suffix } from './files.ts'
import type { StorageSettings } from './settings.ts'

const formats = ['ndjson', 'csv', 'parquet'] as const
type Format = (typeof formats)[number]

/** Returns the folder for an object name that users chose; undefined for an impossible name. */
const folderOfName = (name: string): string | undefined =>
  /\p{Cc}/u.test(name) || name.split('/').some((part) => ['', '.', '..'].includes(part)) ? undefined : name

const addressOf =
  (format: Format): RowObjectDefinition['address'] =>
  ({ name }) =>
    `changes/${format}/${encodeURIComponent(name)}`

/** Returns the format and folder to which rows are written; undefined for any other object. */
const placeOf = (object: string): { format: Format; folder: string } | undefined => {
  const [, named, name = ''] = /^changes\/([a-z]+)\/([^/]+)$/.exec(object) ?? []
  const format = formats.find((each) => each === named)
  let folder: string | undefined
  try {
    folder = folderOfName(decodeURIComponent(name))
  } catch {
    return undefined
  }
  return format === undefined || folder === undefined ? undefined : { format, folder }
}

/** The supported modes. Files cannot be searched for a key, so no mode can depend on whether a key exists. */
const syncModes = ['UPSERT_ONLY', 'FULL_SYNC'] as const

/** The objects that syncs write to a storage. Each change is a line or row of a file, and no file ever changes. */
export const changeObjects: readonly RowObjectDefinition[] = [
  {
    name: 'changes_ndjson',
    title: 'Folder of changes as JSON lines',
    description:
      'Each added, changed, or removed row is a line of JSON with its operation. Nothing written before is changed.',
    syncModes,
    address: addressOf('ndjson'),
  },
  {
    name: 'changes_csv',
    title: 'Folder of changes as CSV',
    description:
      'Each added, changed, or removed row is a line of CSV with its operation. Nothing written before is changed.',
    syncModes,
    address: addressOf('csv'),
  },
  {
    name: 'changes_parquet',
    title: 'Folder of changes as Parquet',
    description:
      'Each added, changed, or removed row is a row of a Parquet file with its operation. Nothing written before is changed.',
    syncModes,
    address: addressOf('parquet'),
  },
]

/** The fields of each line in addition to the mapped fields. */
type About = { _operation: string; _key: string; _written_at: string }

const jsonLine = (about: About, json: string): string => {
  const members = json.trim().slice(1)
  return `${JSON.stringify(about).slice(0, -1)}${/^\s*\}/.test(members) ? '' : ','}${members}`
}

const csvValue = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const isBare =
    typeof value === 'boolean' || (typeof value !== 'string' && !isJsonObject(value) && !Array.isArray(value))
  if (isBare) return JSON.stringify(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `"${text.replaceAll('"', '""')}"`
}

type WrittenRow = { about: About; json: string }

/** Returns the rows as records, and the names of all their fields. */
const tableOf = (rows: readonly WrittenRow[]): { names: string[]; records: Record<string, unknown>[] } => {
  const records = rows.map(({ about, json }): Record<string, unknown> => {
    const payload = parseExactJson(json)
    return { ...about, ...(isJsonObject(payload) ? payload : {}) }
  })
  return { names: [...new Set(records.flatMap((record) => Object.keys(record)))], records }
}

const csvLines = (rows: readonly WrittenRow[]): string[] => {
  const { names, records } = tableOf(rows)
  const line = (values: readonly unknown[]): string => values.map(csvValue).join()
  return [line(names), ...records.map((record) => line(names.map((name) => record[name])))]
}

/**
 * Returns the rows as a Parquet file. All columns are texts, so that all files of a folder have the same columns and
 * numbers keep every digit.
 */
const parquetBytes = (rows: readonly WrittenRow[], settings: StorageSettings): Uint8Array => {
  const { names, records } = tableOf(rows)
  const textOf = (value: unknown): string | null =>
    value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
  const columns = names.map((name) => ({ name, values: records.map((record) => textOf(record[name])) }))
  return writeTexts(columns, suffix(settings) === '' ? 'none' : 'gzip')
}

/** Returns the body of a file in a format, its file extension, and its media type. */
const contentOf = (format: Format, rows: readonly WrittenRow[], settings: StorageSettings) => {
  if (format === 'parquet')
    return { bytes: parquetBytes(rows, settings), end: 'parquet', type: 'application/vnd.apache.parquet' }
  const end = `${format}${suffix(settings)}`
  return format === 'csv'
    ? { lines: csvLines(rows), end, type: 'text/csv' }
    : { lines: rows.map(({ about, json }) => jsonLine(about, json)), end, type: 'application/x-ndjson' }
}

const upTo = (text: string, mark: string): string => text.slice(0, Math.max(0, text.lastIndexOf(mark)))

/**
 * Returns the files of a batch of rows: one file for each run. The key of a file depends only on its rows, so sending the
 * same batch again overwrites the file. Rows that cannot be written have an outcome instead. `now` is epoch ms.
 */
export const filesOfRows = (
  batch: readonly OutgoingRow[],
  settings: StorageSettings,
  now: number,
): { files: StoredFile[]; refused: Map<number, EventOutcome> } => {
  const refused = new Map<number, EventOutcome>()
  const place = placeOf(batch[0]?.object ?? '')
  for (const [index, { operation }] of batch.entries()) {
    if (place === undefined) refused.set(index, { kind: 'rejected', reason: 'The name is not that of a folder' })
    else if (operation !== 'upsert' && operation !== 'delete')
      refused.set(index, {
        kind: 'rejected',
        reason: `Files have no rows to ${operation}: they take upserts and deletes`,
      })
  }
  if (place === undefined) return { files: [], refused }
  const runs = Map.groupBy(
    [...batch.keys()].filter((index) => !refused.has(index)),
    (index) => upTo(batch[index]?.recordId ?? '', '.'),
  )
  const files = [...runs].map(([run, indexes]) => {
    const rows = indexes.flatMap((index) => batch[index] ?? [])
    const hash = createHash('sha256')
    for (const { recordId } of rows) hash.update(recordId).update('\n')
    const first = rows[0]?.recordId.slice(run.length + 1) ?? ''
    const written = rows.map(({ operation, key, json }) => ({
      about: { _operation: operation, _key: key, _written_at: new Date(now).toISOString() },
      json,
    }))
    const { end, ...content } = contentOf(place.format, written, settings)
    const name = `${first}-${hash.digest('hex').slice(0, 16)}.${end}`
    return { key: `${folderOf(settings)}${place.folder}/run=${run}/${name}`, indexes, ...content }
  })
  return { files, refused }
}
