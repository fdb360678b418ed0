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

/** What outcomes of one batch have in common. */
const common = outboundOutcome.omit({ recordId: true })
type Common = z.infer<typeof common>
/** Outcomes that differ by their row alone; and those of rows that are numbered: of each range the first number and how many. */
const named = common.extend({ recordIds: z.array(z.string()) })
const numbered = common.extend({ prefix: z.string(), ranges: z.array(z.tuple([z.int(), z.int()])) })
type OutcomeGroup = z.infer<typeof named> | z.infer<typeof numbered>

const isSame = (group: Common, outcome: Common): boolean =>
  group.destinationId === outcome.destinationId &&
  group.status === outcome.status &&
  group.reason === outcome.reason &&
  group.time === outcome.time

/** The number that a record id ends with, as it writes a number itself; undefined when it ends with none. */
const numberAtEnd = (recordId: string): { prefix: string; number: number } | undefined => {
  const dot = recordId.lastIndexOf('.') + 1
  const digits = recordId.length - dot
  if (dot === 0 || digits === 0 || digits > 15) return undefined
  let number = 0
  for (let at = dot; at < recordId.length; at++) {
    const digit = recordId.charCodeAt(at) - 48
    if (digit < 0 || digit > 9 || (at === dot && digit === 0 && digits > 1)) return undefined
    number = number * 10 + digit
  }
  return { prefix: recordId.slice(0, dot), number }
}

/** Adds a row to a group when it belongs there. */
const join = (
  group: OutcomeGroup | undefined,
  outcome: OutboundOutcome,
  end: ReturnType<typeof numberAtEnd>,
): boolean => {
  if (group === undefined || !isSame(group, outcome)) return false
  if ('recordIds' in group) {
    if (end === undefined) group.recordIds.push(outcome.recordId)
    return end === undefined
  }
  if (end?.prefix !== group.prefix) return false
  const last = group.ranges.at(-1)
  if (last !== undefined && last[0] + last[1] === end.number) last[1]++
  else group.ranges.push([end.number, 1])
  return true
}

/**
 * The body of a record of the log of outcomes: a JSON list in their order, where what is the same of those of one batch stands
 * there once, and of rows that follow each other in number only the first.
 */
export const outcomesBody = (outcomes: readonly OutboundOutcome[]): string => {
  const groups: OutcomeGroup[] = []
  for (const outcome of outcomes) {
    const end = numberAtEnd(outcome.recordId)
    if (join(groups.at(-1), outcome, end)) continue
    const { recordId, ...same } = outcome
    if (end === undefined) groups.push({ ...same, recordIds: [recordId] })
    else groups.push({ ...same, prefix: end.prefix, ranges: [[end.number, 1]] })
  }
  return JSON.stringify(groups)
}

/** As `outcomesBody` writes it, and as it was written before: with the id of each row, and each outcome by itself. */
const outcomesList = z.array(z.union([numbered, named, outboundOutcome]))

type OutcomesRecord = { offset: number; body: Uint8Array }

/** Outcomes that are the same of rows that follow each other: their ids are a prefix and a number, which rises as their version does. */
export type OutcomeRange = Common & { prefix: string; first: number; count: number; version: number }
/** One outcome, and what of two for the same row says which holds. */
export type ToldOutcome = OutboundOutcome & { version: number }

/**
 * Outcomes in a record of the log of outcomes, whose key is the name of their producer. `version` rises from one to the
 * next in the order of the log: of two for the same row the higher holds.
 */
export const outcomeRangesOf = (record: OutcomesRecord): (OutcomeRange | ToldOutcome)[] => {
  const list = outcomesList.parse(JSON.parse(new TextDecoder().decode(record.body)))
  let next = record.offset * outcomesOfRecord
  const take = (count: number): number => {
    next += count
    return next - count
  }
  return list.flatMap((each): (OutcomeRange | ToldOutcome)[] => {
    if ('ranges' in each) {
      const { ranges, ...same } = each
      return ranges.map(([first, count]) => ({ ...same, first, count, version: take(count) }))
    }
    if (!('recordIds' in each)) return [{ ...each, version: take(1) }]
    const { recordIds, ...same } = each
    return recordIds.map((recordId) => ({ ...same, recordId, version: take(1) }))
  })
}

/** The same, each row by itself. */
export const outcomesOf = (record: OutcomesRecord): ToldOutcome[] =>
  outcomeRangesOf(record).flatMap((each) => {
    if ('recordId' in each) return [each]
    const { prefix, first, count, version, ...same } = each
    return Array.from({ length: count }, (_, at) => ({
      recordId: `${prefix}${first + at}`,
      ...same,
      version: version + at,
    }))
  })

/** Outcomes of one record at most. */
export const outcomesOfRecord = 1000
