import { parseExactJson } from '@tributary/connector-kit'
import { piecesOf, textBytes } from '../../wire/redshift/super.ts'
import type { StageRow } from '../../wire/warehouse/dialect.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'

/**
 * Maximum bytes of the values of a staged row. Only rows of users that many events of a batch changed have more. COPY
 * takes 4 MB (https://docs.aws.amazon.com/redshift/latest/dg/copy_json.html).
 */
export const maxRowBytes = 500_000

type Values = Record<string, string>

/** Maximum bytes of one member of `extra_properties`, if all members together are too large. */
const memberBytes = 50_000

const memberOf = (name: string, value: unknown): string => {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) <= memberBytes) return `${JSON.stringify(name)}:${text}`
  // Escaped characters need more bytes, so that only a half is sure to fit.
  const [start = ''] = piecesOf(typeof value === 'string' ? value : text, memberBytes / 2)
  return `${JSON.stringify(name)}:${JSON.stringify(`${start}…`)}`
}

/**
 * Returns the text of `extra_properties` with at most the bytes of a text. An event has less, unless a mapping makes
 * more of it: a text that is too long is cut then. Rows of users that several events changed can have more members than
 * fit. The oldest ones are left out then, as if the events were in different batches.
 */
const boundedExtra = (text: string): string => {
  if (Buffer.byteLength(text) <= textBytes) return text
  const members = Object.entries(parseExactJson(text) as Record<string, unknown>).map(([name, value]) =>
    memberOf(name, value),
  )
  const kept: string[] = []
  let bytes = 2
  for (const member of members.toReversed()) {
    bytes += Buffer.byteLength(member) + 1
    if (bytes > textBytes) break
    kept.unshift(member)
  }
  return `{${kept.join(',')}}`
}

const withBoundedExtra = (row: StageRow): StageRow => {
  if (Buffer.byteLength(row.row_values) <= textBytes || row.mode === 'columns') return row
  const values = JSON.parse(row.row_values) as Values
  const extra = values[extraColumn]
  if (extra === undefined) return row
  return { ...row, row_values: JSON.stringify({ ...values, [extraColumn]: boundedExtra(extra) }) }
}

/** Returns the members of an object in objects of at most so many bytes. Those in `every` are in each of them. */
const partsOf = (values: Values, every: readonly string[], maxBytes: number): Values[] => {
  const always = Object.fromEntries(Object.entries(values).filter(([name]) => every.includes(name)))
  const parts: Values[] = [{ ...always }]
  let bytes = 0
  for (const [name, value] of Object.entries(values)) {
    if (every.includes(name)) continue
    bytes += Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value)) + 2
    if (bytes > maxBytes && Object.keys(parts.at(-1) ?? {}).length > every.length) {
      parts.push({ ...always })
      bytes = 0
    }
    Object.assign(parts.at(-1) ?? {}, { [name]: value })
  }
  return parts
}

/** Returns the names of columns that become null, in texts that fit. */
const nullParts = (text: string): string[] => {
  const parts: string[] = ['']
  for (const name of text.split('|').filter((each) => each !== '')) {
    const last = parts.at(-1) ?? ''
    if (Buffer.byteLength(last) + Buffer.byteLength(name) + 2 > textBytes) parts.push(`|${name}|`)
    else parts[parts.length - 1] = last === '' ? `|${name}|` : `${last}${name}|`
  }
  return parts
}

/**
 * Returns the rows of a batch in a form that Redshift takes. A row of a user that is too large is divided into rows of
 * further batches, which are merged one after the other. Each of these batches has the column types of the first one.
 * Rows without such types are not divided: those of syncs, and those that are staged again.
 */
export const fittingRows = (rows: readonly StageRow[]): StageRow[] => {
  const fitting: StageRow[] = []
  const further = new Map<string, StageRow[]>()
  const types = rows.filter(({ mode }) => mode === 'columns')
  for (const given of rows) {
    const row = withBoundedExtra(given)
    const nulls = nullParts(row.set_null)
    const isLarge =
      types.length > 0 && row.mode === 'merge' && (Buffer.byteLength(row.row_values) > maxRowBytes || nulls.length > 1)
    if (!isLarge) {
      fitting.push(row)
      continue
    }
    const values = partsOf(JSON.parse(row.row_values) as Values, ['id', 'received_at'], maxRowBytes)
    for (let at = 0; at < Math.max(values.length, nulls.length); at++) {
      const { id = '', received_at = '' } = values[0] ?? {}
      const batch = at === 0 ? row.batch : `${row.batch}~${String(at).padStart(4, '0')}`
      const part = {
        ...row,
        batch,
        row_values: JSON.stringify(values[at] ?? { id, received_at }),
        set_null: nulls[at] ?? '',
        bytes: at === 0 ? row.bytes : 0,
      }
      if (at === 0) fitting.push(part)
      else further.set(batch, [...(further.get(batch) ?? []), part])
    }
  }
  for (const [batch, parts] of further) fitting.push(...types.map((row) => ({ ...row, batch })), ...parts)
  return fitting
}
