import { eventIdentifier, type OutboundRow } from '@tributary/contract'
import { earliestEvent, jsonMembers } from '@tributary/kernel'
import { createRowReader, type EventStore } from '@tributary/storage'

/** A row of the plan that will be sent. */
export type PlannedRow = {
  number: number
  key: string
  operation: OutboundRow['operation']
  /** JSON text of the row; undefined for a removal. */
  payload: string | undefined
  /** The key as JSON. For a removal it has the same type as in payloads. */
  key_json: string
}
/** Consecutive planned rows as one record of the stream: the body that `outboundBody` returns. */
export type PlannedRecord = { /** The number of its last row. */ last: number; rows: number; body: Uint8Array }
/** An event to send, in the form for collection. */
export type PlannedEvent = { number: number; messageId: string; payload: string }
/**
 * Selects the planned rows of `{run}` after `{after}` up to `{to}`. No statement contains keys, because there are many,
 * and some are long.
 */
const plannedRows = (() => {
  const of = "run_id = {run:String} and number > {after:UInt64} and number <= {to:UInt64} and operation != ''"
  return `
    select planned.number as number, planned.key as key, planned.operation as operation, staged.payload as payload,
      if(planned.key_json = '', toJSONString(planned.key), planned.key_json) as key_json
    from (select number, key, operation, key_json from sync_changes where ${of}) as planned
    left join (
      select key, payload from sync_staged where run_id = {run:String} and problem = ''
        and key in (select key from sync_changes where ${of})
    ) as staged on staged.key = planned.key`
})()

/** Selects the planned rows as bodies of records, in the format of `outboundText`. A removal contains only its key. */
const plannedRecords = `
select toUInt32(max(number)) as last, toUInt32(count()) as rows,
  concat('[', arrayStringConcat(arrayMap(row -> row.2, arraySort(row -> row.1, groupArray((number, text)))), ',\n'), ']\n')
from (
  select number, concat('{"recordId":"', {run:String}, '.', toString(number), '","operation":"', operation,
    '","object":', {object:String}, ',"key":', json_key, ',"payload":',
    if(operation = 'delete', concat('{', {identifier:String}, ':', key_json, '}'), payload), '}') as text
  from (select number, operation, payload, key_json, toJSONString(key) as json_key from (${plannedRows}))
)
group by intDiv(number - {after:UInt64} - 1, {together:UInt64})
order by last
settings output_format_json_escape_forward_slashes = 0`

/**
 * The parameters for reading records: the range of planned rows, the number of rows per record, and the names of their
 * object and key.
 */
type RecordsWanted = Record<'after' | 'limit' | 'together', number> & Record<'object' | 'identifier', string>

const recordsIn = (bytes: Uint8Array): PlannedRecord[] => {
  const reader = createRowReader(bytes)
  const records: PlannedRecord[] = []
  while (!reader.isAtEnd()) records.push({ last: reader.uint32(), rows: reader.uint32(), body: reader.bytes() })
  return records
}

/**
 * Counts the planned rows of `{run}` that become events before `{before}`. Their times are in RFC 3339 with
 * milliseconds. A time before `{earliest}` is not valid for an event, and is replaced by the time of receipt.
 */
const historyStatement = `
select count() as n from (
  select JSONExtractString(payload, 'timestamp') as time from sync_staged where run_id = {run:String} and problem = ''
    and key in (select key from sync_changes where run_id = {run:String} and operation != '')
) where length(time) = 24 and time >= {earliest:String} and time < {before:String}`

/** Reads rows on behalf of the workspace. */
export type Query = <Row>(sql: string, params: Record<string, unknown>, slot?: 'short' | 'heavy') => Promise<Row[]>

/** Reads a count that a statement names `n`. */
export const readCount = async (query: Query, ...given: Parameters<Query>): Promise<number> => {
  const [found] = await query<{ n: number }>(...given)
  return found?.n ?? 0
}

const readPlanned = async (query: Query, run: string, after: number, limit: number): Promise<PlannedRow[]> => {
  const rows = await query<Omit<PlannedRow, 'payload'> & { payload: string }>(
    `${plannedRows} order by number`,
    { run, after, to: after + limit },
    'short',
  )
  return rows.map(({ payload, ...row }) => ({ ...row, payload: row.operation === 'delete' ? undefined : payload }))
}

/** Reads the planned rows of runs. */
export const createPlannedReader = (
  eventStore: Pick<EventStore, 'queryBinary'>,
  query: Query,
  owner: { owner: string; signal?: AbortSignal },
) => ({
  /** Reads planned rows after a number, in their order. */
  planned: (run: string, after: number, limit: number) => readPlanned(query, run, after, limit),
  /** Reads planned rows as records of the stream, with this number of rows in each. */
  async plannedRecords(
    run: string,
    { after, limit, together, object, identifier }: RecordsWanted,
  ): Promise<PlannedRecord[]> {
    const names = { object: JSON.stringify(object), identifier: JSON.stringify(identifier) }
    const bytes = await eventStore.queryBinary(
      plannedRecords,
      { run, after, to: after + limit, together, ...names },
      owner,
    )
    return recordsIn(bytes)
  },
  /** Reads planned rows as events, which contain their message IDs. */
  plannedEvents: async (run: string, after: number, limit: number): Promise<PlannedEvent[]> =>
    (await readPlanned(query, run, after, limit)).map(({ number, payload = '{}' }) => ({
      number,
      messageId: JSON.parse(jsonMembers(payload).get(eventIdentifier) ?? '""'),
      payload,
    })),
  /** Counts the planned events that happened before a time (epoch ms). */
  countHistory(run: string, before: number): Promise<number> {
    const times = { earliest: new Date(earliestEvent).toISOString(), before: new Date(before).toISOString() }
    return readCount(query, historyStatement, { run, ...times })
  },
})
