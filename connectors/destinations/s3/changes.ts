import { createHash } from 'node:crypto'
import type { EventOutcome, OutgoingRow, RowObjectDefinition } from '@tributary/connector-kit'
import { isJsonObject, parseExactJson } from '@tributary/connector-kit/exact-json'
import { writeTexts } from '../../wire/files/parquet/write-texts.ts'
import { type BucketObject, folderOf, suffix } from './objects.ts'
import type { S3Settings } from './settings.ts'

const formats = ['ndjson', 'csv', 'parquet'] as const
type Format = (typeof formats)[number]

/** The folder of an object name that people chose; undefined for one that no folder can have. */
const folderOfName = (name: string): string | undefined =>
  /\p{Cc}/u.test(name) || name.split('/').some((part) => ['', '.', '..'].includes(part)) ? undefined : name

const addressOf =
  (format: Format): RowObjectDefinition['address'] =>
  ({ name }) =>
    `changes/${format}/${encodeURIComponent(name)}`

/** The format and folder that rows are written to; undefined for any other object. */
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

/** A key cannot be looked for in objects, so there is no mode that depends on whether it is there. */
const syncModes = ['UPSERT_ONLY', 'FULL_SYNC'] as const

/** What syncs write to a bucket: each change is a line or row of an object, and none is ever changed. */
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

/** What each line says of its row, besides what is mapped. */
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

type Told = { about: About; json: string }

/** The rows with the values of all of them by their names. */
const tableOf = (rows: readonly Told[]): { names: string[]; records: Record<string, unknown>[] } => {
  const records = rows.map(({ about, json }): Record<string, unknown> => {
    const payload = parseExactJson(json)
    return { ...about, ...(isJsonObject(payload) ? payload : {}) }
  })
  return { names: [...new Set(records.flatMap((record) => Object.keys(record)))], records }
}

const csvLines = (rows: readonly Told[]): string[] => {
  const { names, records } = tableOf(rows)
  const line = (values: readonly unknown[]): string => values.map(csvValue).join()
  return [line(names), ...records.map((record) => line(names.map((name) => record[name])))]
}

/** Every column is of texts, so that all files of a folder have the same columns, and numbers all of their digits. */
const parquetBytes = (rows: readonly Told[], settings: S3Settings): Uint8Array => {
  const { names, records } = tableOf(rows)
  const textOf = (value: unknown): string | null =>
    value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)
  const columns = names.map((name) => ({ name, values: records.map((record) => textOf(record[name])) }))
  return writeTexts(columns, suffix(settings) === '' ? 'none' : 'gzip')
}

/** What stands in an object of a format, how its name ends, and what that is called. */
const contentOf = (format: Format, rows: readonly Told[], settings: S3Settings) => {
  if (format === 'parquet')
    return { bytes: parquetBytes(rows, settings), end: 'parquet', type: 'application/vnd.apache.parquet' }
  const end = `${format}${suffix(settings)}`
  return format === 'csv'
    ? { lines: csvLines(rows), end, type: 'text/csv' }
    : { lines: rows.map(({ about, json }) => jsonLine(about, json)), end, type: 'application/x-ndjson' }
}

const upTo = (text: string, mark: string): string => text.slice(0, Math.max(0, text.lastIndexOf(mark)))

/**
 * The objects of a batch of rows: one for each run, whose key is made of the rows in it and nothing else, so the same batch sent
 * again is written over itself. Rows that cannot be written have an outcome in place of one. `now` is epoch ms.
 */
export const objectsOfRows = (
  batch: readonly OutgoingRow[],
  settings: S3Settings,
  now: number,
): { objects: BucketObject[]; refused: Map<number, EventOutcome> } => {
  const refused = new Map<number, EventOutcome>()
  const place = placeOf(batch[0]?.object ?? '')
  for (const [index, { operation }] of batch.entries()) {
    if (place === undefined) refused.set(index, { kind: 'rejected', reason: 'The name is not that of a folder' })
    else if (operation !== 'upsert' && operation !== 'delete')
      refused.set(index, {
        kind: 'rejected',
        reason: `Objects have no rows to ${operation}: they take upserts and deletes`,
      })
  }
  if (place === undefined) return { objects: [], refused }
  const runs = Map.groupBy(
    [...batch.keys()].filter((index) => !refused.has(index)),
    (index) => upTo(batch[index]?.recordId ?? '', '.'),
  )
  const objects = [...runs].map(([run, indexes]) => {
    const rows = indexes.flatMap((index) => batch[index] ?? [])
    const hash = createHash('sha256')
    for (const { recordId } of rows) hash.update(recordId).update('\n')
    const first = rows[0]?.recordId.slice(run.length + 1) ?? ''
    const told = rows.map(({ operation, key, json }) => ({
      about: { _operation: operation, _key: key, _written_at: new Date(now).toISOString() },
      json,
    }))
    const { end, ...content } = contentOf(place.format, told, settings)
    const name = `${first}-${hash.digest('hex').slice(0, 16)}.${end}`
    return { key: `${folderOf(settings)}${place.folder}/run=${run}/${name}`, indexes, ...content }
  })
  return { objects, refused }
}
