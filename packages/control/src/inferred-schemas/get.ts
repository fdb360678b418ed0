import { readSource } from '@tributary/configuration'
import { formatSourceSchema, type methods, schemaLimits, validatedDataOf } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { isJsonObject } from '@tributary/kernel'
import { payloadOf } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { inferSchema, type Sample } from './infer.ts'

type NameRow = { names: number }
type SampleRow = { type: string; title: string; original: string }

const dayMs = 86_400_000

/**
 * Limits for reading events: `events` in total, `least` to `most` per name, `bytes` in total, and at least `minBytes`
 * per name.
 */
const looksAt = { events: 5000, least: 5, most: 200, bytes: 16 * 1024 * 1024, minBytes: 32 * 1024 } as const

/**
 * Returns the part of an event that is validated. If an identify call has traits only in its context, these count as
 * its traits.
 */
const sampleOf = (row: SampleRow): Sample | undefined => {
  const payload = payloadOf(row.original)
  if (payload === null) return undefined
  const context = payload['context']
  const given = validatedDataOf(row.type, payload)
  const values = row.type === 'identify' && !isJsonObject(given) && isJsonObject(context) ? context['traits'] : given
  return { title: row.title, values: isJsonObject(values) ? values : {} }
}

/** Parses rows one after the other: all of them parsed would take several times the memory of their texts. */
const samplesOf = function* (rows: readonly SampleRow[]): Generator<Sample> {
  for (const row of rows) {
    const sample = sampleOf(row)
    if (sample !== undefined) yield sample
  }
}

/**
 * Infers a schema from the events of a source in the last days. Uses the newest events of each name, so that rare names
 * are included.
 */
export const getInferredSchema =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.inferredSchemas.get> =>
  async ({ workspace, params, query, signal }) => {
    const source = await readSource(db, workspace.id, params.source)
    const title = "if(type = 'identify', '', event)"
    const within = `workspace_id = {workspace:String} and source_id = {source:String}
      and receive_time >= fromUnixTimestamp64Milli({since:Int64}) and status in ('accepted', 'blocked', 'held')
      and (type = 'identify' or type = 'track' and event != '' and lengthUTF8(event) <= {title_length:UInt32})`
    const values = {
      workspace: workspace.id,
      source: source.id,
      since: clock() - query.days * dayMs,
      title_length: schemaLimits.nameLength,
    }
    const options = { owner: workspace.id, slot: 'heavy', signal } as const
    const [counted] = await eventStore.query<NameRow>(
      `select uniq(type, ${title}) as names from events where ${within}`,
      values,
      options,
    )
    const names = Math.max(Number(counted?.names ?? 0), 1)
    // The inner query reads small columns only. The complete text is read for the selected events only.
    const rows = await eventStore.query<SampleRow>(
      `select type, title, original from (
       select *, sum(length(original)) over (order by bytes, event_id rows unbounded preceding) as all_bytes from (
         select event_id, type, ${title} as title, original, sum(length(original)) over (
           partition by type, title order by receive_time desc, event_id desc) as bytes
         from events where ${within} and (receive_time, event_id) in (
           select receive_time, event_id from events where ${within}
           order by receive_time desc, event_id desc limit {each:UInt32} by type, ${title} limit {events:UInt32})
       ) where bytes <= {bytes:UInt64}) where all_bytes <= {all_bytes:UInt64}`,
      {
        ...values,
        each: Math.min(Math.max(Math.floor(looksAt.events / names), looksAt.least), looksAt.most),
        events: looksAt.events,
        all_bytes: looksAt.bytes,
        bytes: Math.max(Math.floor(looksAt.bytes / names), looksAt.minBytes),
      },
      options,
    )
    const { schema, events, mixed } = inferSchema(samplesOf(rows))
    return { schema: formatSourceSchema(schema), events: [...events], mixed: [...mixed] }
  }
