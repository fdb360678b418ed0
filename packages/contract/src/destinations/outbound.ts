import { z } from 'zod'

/** Who makes what is sent to destinations. */
export const producerKinds = ['event', 'replay', 'sync', 'audience', 'trait', 'signal', 'privacy'] as const
export type ProducerKind = (typeof producerKinds)[number]

/** What is to be done at the destination. Events have the operation `event`. */
export const operations = ['event', 'upsert', 'update', 'insert', 'delete'] as const
export type Operation = (typeof operations)[number]

/** A producer beside sources: its kind, and the name by which it appends to the stream and learns the outcomes. */
export const rowProducer = z.object({
  k: z.enum(producerKinds).exclude(['event', 'replay']),
  n: z.string().min(1),
  /** Present when it has made events, not rows: what each of them is known by, in their order. */
  e: z.array(z.string()).optional(),
})
export type RowProducer = z.infer<typeof rowProducer>

/** What events are named that tell a destination of somebody who enters or leaves an audience. */
export const audienceEventNames = { entered: 'Audience Entered', left: 'Audience Exited' } as const

/** Something that a producer sends other than an event. */
export type OutboundRow = {
  /** Visible ASCII, at most 200 characters, unique within its producer: outcomes name it. */
  recordId: string
  operation: Exclude<Operation, 'event'>
  /** What of the destination it is about, such as `contacts`. */
  object: string
  /** What the row is known by there. */
  key: string
  /** What is to be there; of a delete what the destination may need to find it, often nothing. */
  payload: Readonly<Record<string, unknown>>
}

/** A row whose payload is a JSON text already, an object without line feeds, as it stands in the stream. */
export const outboundText = ({
  recordId,
  operation,
  object,
  key,
  json,
}: Omit<OutboundRow, 'payload'> & { json: string }): string =>
  `${JSON.stringify({ recordId, operation, object, key }).slice(0, -1)},"payload":${json}}`

/** The body of a record of the stream that carries rows: a JSON list with one a line, whose payload is its last member. */
export const outboundBody = (rows: readonly OutboundRow[]): string =>
  `[${rows.map(({ payload, ...row }) => outboundText({ ...row, json: JSON.stringify(payload) })).join(',\n')}]\n`

/** Outcomes of one row at one destination, as they come one after the other. */
export const outboundOutcome = z.object({
  recordId: z.string(),
  destinationId: z.string(),
  /**
   * `delivered`: the destination has it. `retry`: it is tried again. `dead`: nobody tries again by itself. `filtered`: it
   * is left out.
   */
  status: z.enum(['delivered', 'retry', 'dead', 'filtered']),
  reason: z.string(),
  /** Epoch ms. */
  time: z.number(),
})
export type OutboundOutcome = z.infer<typeof outboundOutcome>

/** Outcomes that differ by their row alone. */
const outcomeGroup = outboundOutcome.omit({ recordId: true }).extend({ recordIds: z.array(z.string()) })
type OutcomeGroup = z.infer<typeof outcomeGroup>

const isSame = (group: OutcomeGroup, outcome: OutboundOutcome): boolean =>
  group.destinationId === outcome.destinationId &&
  group.status === outcome.status &&
  group.reason === outcome.reason &&
  group.time === outcome.time

/**
 * The body of a record of the log of outcomes: a JSON list in their order, where what is the same of those of one batch stands
 * there once.
 */
export const outcomesBody = (outcomes: readonly OutboundOutcome[]): string => {
  const groups: OutcomeGroup[] = []
  for (const outcome of outcomes) {
    const last = groups.at(-1)
    if (last !== undefined && isSame(last, outcome)) last.recordIds.push(outcome.recordId)
    else {
      const { recordId, ...same } = outcome
      groups.push({ ...same, recordIds: [recordId] })
    }
  }
  return JSON.stringify(groups)
}

/** As `outcomesBody` writes it, and as it was written before: each outcome by itself. */
const outcomesList = z.array(z.union([outcomeGroup, outboundOutcome]))

/**
 * Outcomes in a record of the log of outcomes, whose key is the name of their producer. `version` rises from one to the
 * next in the order of the log: of two for the same row the higher holds.
 */
export const outcomesOf = (record: { offset: number; body: Uint8Array }): (OutboundOutcome & { version: number })[] => {
  const list = outcomesList.parse(JSON.parse(new TextDecoder().decode(record.body)))
  let version = record.offset * outcomesOfRecord
  return list.flatMap((each): (OutboundOutcome & { version: number })[] => {
    if (!('recordIds' in each)) return [{ ...each, version: version++ }]
    const { destinationId, status, reason, time } = each
    return each.recordIds.map((recordId) => ({ recordId, destinationId, status, reason, time, version: version++ }))
  })
}

/** Outcomes of one record at most. */
export const outcomesOfRecord = 1000
