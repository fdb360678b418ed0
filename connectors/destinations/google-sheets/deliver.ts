import {
  type ConnectionTest,
  type DeliverResult,
  type EventOutcome,
  isJsonObject,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
  type RowObjectDetail,
  testOf,
  withGrant,
} from '@tributary/connector-kit'
import { writeRow } from './actions/write-row.ts'
import type { GivenRow } from './plan.ts'
import { describeColumns } from './read-sheet.ts'
import { type Context, read } from './request.ts'
import { sheetOf } from './sheet-address.ts'
import { type Written, writeRows } from './write-rows.ts'

const resultOf = ({ outcomes, call, latencyMs }: Written): DeliverResult => {
  if (call === undefined) return { outcomes, httpStatus: 0, latencyMs }
  if (outcomes.every(({ kind }) => kind === 'delivered')) return { outcomes, httpStatus: call.answer.status, latencyMs }
  return { outcomes, ...call.exchange(), latencyMs }
}

/** Writes a row for each event to the sheet of its mapping, one sheet after the other. */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const granted = withGrant(context)
  const titles = [...new Set(batch.map((event) => writeRow.payloadOf(event).sheet.trim()))]
  const outcomes: EventOutcome[] = []
  const written: Written[] = []
  for (const title of titles) {
    const places = [...batch.entries()].filter(([, event]) => writeRow.payloadOf(event).sheet.trim() === title)
    const rows = places.map(([, event]): GivenRow => {
      const { message_id } = writeRow.payloadOf(event)
      return { operation: 'upsert', key: message_id, values: { message_id, ...writeRow.customOf(event) } }
    })
    const done = await writeRows(granted, { title, identifier: 'message_id' }, rows)
    written.push(done)
    for (const [index, [at]] of places.entries()) outcomes[at] = done.outcomes[index] ?? { kind: 'delivered' }
  }
  const shown = written.find((each) => each.outcomes.some(({ kind }) => kind !== 'delivered')) ?? written[0]
  const latencyMs = written.reduce((sum, each) => sum + each.latencyMs, 0)
  return resultOf({ outcomes, call: shown?.call, latencyMs })
}

/** Writes rows of one sheet, see `writeRows`; rows of other objects are rejected. */
export const deliverRows = async (batch: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const address = sheetOf(batch[0]?.object ?? '')
  if (address === undefined) {
    const reason = 'Google Sheets takes rows of a sheet'
    return { outcomes: batch.map((): EventOutcome => ({ kind: 'rejected', reason })), httpStatus: 0, latencyMs: 0 }
  }
  const rows = batch.map(
    ({ operation, key, json }): GivenRow => ({
      operation,
      key,
      values: parseExactJson(json) as Record<string, unknown>,
    }),
  )
  return resultOf(await writeRows(withGrant(context), address, rows))
}

/** Lists the columns of a sheet by the names in its first row. */
export const describeRows = async (context: Context, { name }: { name: string }): Promise<RowObjectDetail> => ({
  fields: await describeColumns(withGrant(context), name),
  facts: [],
})

/** Reads the title of the spreadsheet. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { properties } = await read(withGrant(context), '?fields=properties.title')
    const title = isJsonObject(properties) ? properties['title'] : undefined
    if (typeof title !== 'string') return { ok: false, message: 'What answered is not Google Sheets' }
    return { ok: true, message: `Connected to the spreadsheet ${title}.` }
  })
