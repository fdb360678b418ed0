import { z } from 'zod'

/** The kinds of producers that send to destinations. */
export const producerKinds = ['event', 'replay', 'sync', 'audience', 'trait', 'signal', 'privacy'] as const
export type ProducerKind = (typeof producerKinds)[number]

/** The operations at a destination. Events have the operation `event`. */
export const operations = ['event', 'upsert', 'update', 'insert', 'delete'] as const
export type Operation = (typeof operations)[number]

/** A producer other than a source: its kind, and its name in the stream and in the outcome log. */
export const rowProducer = z.object({
  k: z.enum(producerKinds).exclude(['event', 'replay']),
  n: z.string().min(1),
  /** Present if the producer sends events instead of rows: the key of each event, in the order of the events. */
  e: z.array(z.string()).optional(),
})
export type RowProducer = z.infer<typeof rowProducer>

/** The names of the events that report an entry to and an exit from an audience. */
export const audienceEventNames = { entered: 'Audience Entered', left: 'Audience Exited' } as const

/** A row that a producer sends in place of an event. */
export type OutboundRow = {
  /** Visible ASCII, at most 200 characters, unique within its producer. Outcomes refer to it. */
  recordId: string
  operation: Exclude<Operation, 'event'>
  /** The kind of object at the destination, such as `contacts`. */
  object: string
  /** The identifier of the row at the destination. */
  key: string
  /** The record to write. For a delete, the values that the destination needs to find it, often none. */
  payload: Readonly<Record<string, unknown>>
}

/**
 * Returns the text of a row whose payload is already JSON text: an object without line feeds, as the stream stores it.
 */
export const outboundText = ({
  recordId,
  operation,
  object,
  key,
  json,
}: Omit<OutboundRow, 'payload'> & { json: string }): string =>
  `${JSON.stringify({ recordId, operation, object, key }).slice(0, -1)},"payload":${json}}`

/**
 * Returns the body of a stream record with rows: a JSON list with one row per line. The payload is the last member of
 * each row.
 */
export const outboundBody = (rows: readonly OutboundRow[]): string =>
  `[${rows.map(({ payload, ...row }) => outboundText({ ...row, json: JSON.stringify(payload) })).join(',\n')}]\n`

/** The outcome of one row at one destination. */
export const outboundOutcome = z.object({
  recordId: z.string(),
  destinationId: z.string(),
  /**
   * `delivered`: the destination has the row. `retry`: the row will be retried. `dead`: it is not retried
   * automatically. `filtered`: it is not sent.
   */
  status: z.enum(['delivered', 'retry', 'dead', 'filtered']),
  reason: z.string(),
  /** Epoch ms. */
  time: z.number(),
})
export type OutboundOutcome = z.infer<typeof outboundOutcome>

/** The common part of the outcomes of one batch. */
const common = outboundOutcome.omit({ recordId: true })
type Common = z.infer<typeof common>
/**
 * Outcomes that differ only by their row, as a list of row IDs (`named`), or as ranges of row numbers (`numbered`). A
 * range has the first number and the count.
 */
const named = common.extend({ recordIds: z.array(z.string()) })
const numbered = common.extend({ prefix: z.string(), ranges: z.array(z.tuple([z.int(), z.int()])) })
type OutcomeGroup = z.infer<typeof named> | z.infer<typeof numbered>

const isSame = (group: Common, outcome: Common): boolean =>
  group.destinationId === outcome.destinationId &&
  group.status === outcome.status &&
  group.reason === outcome.reason &&
  group.time === outcome.time

/**
 * Returns the number at the end of a record ID, without leading zeros, and the text before it; undefined if there is
 * none.
 */
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

/** Adds a row to a group if its outcome and the form of its ID match; returns whether it was added. */
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
 * Returns the body of a record of the outcome log: a JSON list in the order of the outcomes. Equal outcomes share one
 * entry, and consecutive row numbers share one range.
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

/** The formats of a body: the groups that `outcomesBody` writes, and the earlier format with one entry per outcome. */
const outcomesList = z.array(z.union([numbered, named, outboundOutcome]))

type OutcomesRecord = { offset: number; body: Uint8Array }

/**
 * Equal outcomes of consecutive rows. A row's ID is `prefix` and a number; the number and the version both increase by
 * one per row.
 */
export type OutcomeRange = Common & { prefix: string; first: number; count: number; version: number }
/** One outcome with its version: if a row has two outcomes, the one with the higher version applies. */
export type VersionedOutcome = OutboundOutcome & { version: number }

/**
 * Returns the outcomes in a record of the outcome log. `version` increases in the order of the log. If a row has two
 * outcomes, the one with the higher version applies.
 */
export const outcomeRangesOf = (record: OutcomesRecord): (OutcomeRange | VersionedOutcome)[] => {
  const list = outcomesList.parse(JSON.parse(new TextDecoder().decode(record.body)))
  let next = record.offset * outcomesOfRecord
  const take = (count: number): number => {
    next += count
    return next - count
  }
  return list.flatMap((each): (OutcomeRange | VersionedOutcome)[] => {
    if ('ranges' in each) {
      const { ranges, ...same } = each
      return ranges.map(([first, count]) => ({ ...same, first, count, version: take(count) }))
    }
    if (!('recordIds' in each)) return [{ ...each, version: take(1) }]
    const { recordIds, ...same } = each
    return recordIds.map((recordId) => ({ ...same, recordId, version: take(1) }))
  })
}

/** Returns the outcomes in a record of the outcome log, with one entry per row. */
export const outcomesOf = (record: OutcomesRecord): VersionedOutcome[] =>
  outcomeRangesOf(record).flatMap((each) => {
    if ('recordId' in each) return [each]
    const { prefix, first, count, version, ...same } = each
    return Array.from({ length: count }, (_, at) => ({
      recordId: `${prefix}${first + at}`,
      ...same,
      version: version + at,
    }))
  })

/** Maximum outcomes of one record. */
export const outcomesOfRecord = 1000
