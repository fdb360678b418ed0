import { type Call, DeliveryError, type EventOutcome, notSent, type OutgoingRow } from '@tributary/connector-kit'
import { keyForm } from './answers.ts'
import type { ObjectType } from './object-type.ts'
import { withTimes } from './property-kinds.ts'
import type { Place } from './record-sender.ts'
import { createWriter } from './record-writer.ts'
import type { Context } from './request.ts'

/** A record to write: its properties as texts, including its key. */
export type GivenRecord = {
  operation: OutgoingRow['operation']
  key: string
  properties: Readonly<Record<string, string>>
}

/** The outcome of each record, its HubSpot ID if it is known, and a request with its response to show. */
export type Written = {
  outcomes: readonly EventOutcome[]
  ids: readonly (string | undefined)[]
  call: Call | undefined
  latencyMs: number
}

/** Maximum records of one request (developers.hubspot.com, "Usage guidelines": batches of 100). */
export const recordsAtOnce = 100

type Group = { operation: GivenRecord['operation']; places: Place[]; keys: Set<string> }

/**
 * Groups consecutive records with the same operation and different keys, because HubSpot refuses a batch with a
 * repeated key.
 */
const groupsOf = (records: readonly GivenRecord[], type: ObjectType): Group[] => {
  const groups: Group[] = []
  for (const [at, { operation, key: given, properties }] of records.entries()) {
    const key = keyForm(given, type)
    const place = { at, key, properties }
    const last = groups.at(-1)
    const fits = last?.operation === operation && last.places.length < recordsAtOnce && !last.keys.has(key)
    if (fits) {
      last.places.push(place)
      last.keys.add(key)
    } else groups.push({ operation, places: [place], keys: new Set([key]) })
  }
  return groups
}

/**
 * Writes records in their order, in requests of at most 100. An upsert uses its unique property, except for contacts by
 * email; an insert, an update, and a delete (which archives) look up the records first. After a request that must be
 * retried, no more requests are sent. Rejects with a DeliveryError if no record has an outcome yet.
 */
export const writeRecords = async (
  context: Context,
  type: ObjectType,
  records: readonly GivenRecord[],
): Promise<Written> => {
  const outcomes: (EventOutcome | undefined)[] = records.map(() => undefined)
  const ids: (string | undefined)[] = records.map(() => undefined)
  const timed = await withTimes(context, type.type, records)
  const writer = createWriter(context, type, { outcomes, ids })
  let failure: DeliveryError | undefined
  try {
    for (const { operation, places } of groupsOf(timed, type)) {
      await writer.group(operation, places)
      if (outcomes.some((outcome) => outcome?.kind === 'retry')) break
    }
  } catch (error) {
    if (!(error instanceof DeliveryError) || outcomes.every((outcome) => outcome === undefined)) throw error
    failure = error
  }
  const rest = notSent(failure)
  return {
    outcomes: outcomes.map((outcome) => outcome ?? rest),
    ids,
    call: writer.shown(),
    latencyMs: writer.latencyMs(),
  }
}
