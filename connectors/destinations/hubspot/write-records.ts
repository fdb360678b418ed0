import {
  answerObject,
  type Call,
  DeliveryError,
  type EventOutcome,
  isJsonObject,
  notSent,
  type OutgoingRow,
} from '@tributary/connector-kit'
import type { ObjectType } from './object-type.ts'
import { ask, type Context, failureOf, keepBytes, wordsOf } from './request.ts'

/** A record to write: its properties as texts, including its key. */
export type GivenRecord = {
  operation: OutgoingRow['operation']
  key: string
  properties: Readonly<Record<string, string>>
}

/** The outcome of each record, and a request with its response to show. */
export type Written = { outcomes: readonly EventOutcome[]; call: Call | undefined; latencyMs: number }

/** Maximum records of one request (developers.hubspot.com, "Usage guidelines": batches of 100). */
const recordsAtOnce = 100

/** HubSpot keeps email addresses in lower case. */
const keyOf = (key: string, { idProperty }: ObjectType): string =>
  idProperty === 'email' ? key.trim().toLowerCase() : key.trim()

type Place = { at: number; record: GivenRecord; key: string }
type Group = { operation: GivenRecord['operation']; places: Place[]; keys: Set<string> }

/**
 * Groups consecutive records with the same operation and different keys, because HubSpot refuses a batch with a
 * repeated key.
 */
const groupsOf = (records: readonly GivenRecord[], type: ObjectType): Group[] => {
  const groups: Group[] = []
  for (const [at, record] of records.entries()) {
    const key = keyOf(record.key, type)
    const last = groups.at(-1)
    const fits = last?.operation === record.operation && last.places.length < recordsAtOnce && !last.keys.has(key)
    if (fits) {
      last.places.push({ at, record, key })
      last.keys.add(key)
    } else groups.push({ operation: record.operation, places: [{ at, record, key }], keys: new Set([key]) })
  }
  return groups
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : typeof value === 'string' ? [value] : []

const listOf = (
  answer: Readonly<Record<string, unknown>> | undefined,
  name: string,
): Readonly<Record<string, unknown>>[] => {
  const list = answer?.[name]
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

/** Returns the name of a record within a request, by which HubSpot reports a refused record ("Multi-status errors"). */
const traceOf = (place: Place): string => String(place.at)

/** Returns a property of a result; undefined if the result does not have it. */
const propertyOf = (result: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const { properties } = result
  const value = isJsonObject(properties) ? properties[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/**
 * Whether the status says that all records were accepted, for a response that was too long to be read completely. A
 * response with errors has status 207.
 */
const tookAll = ({ answer: { status, body } }: Call): boolean =>
  status !== 207 && body.startsWith('{') && Buffer.byteLength(body) > keepBytes - 4

/**
 * Returns the outcome of each record in a successful response: rejected if an error names the record, delivered if a
 * result does. A record without either is sent again, because its outcome is unknown.
 */
const outcomesOf = (call: Call, places: readonly Place[], type: ObjectType): EventOutcome[] => {
  if (tookAll(call)) return places.map(() => ({ kind: 'delivered' }))
  const answer = answerObject(call)
  const refused = new Map<string, string>()
  for (const error of listOf(answer, 'errors')) {
    const context = isJsonObject(error['context']) ? error['context'] : {}
    for (const trace of textsOf(context['objectWriteTraceId'])) refused.set(trace, wordsOf(error, 'Refused by HubSpot'))
  }
  const taken = new Set<string>()
  for (const result of listOf(answer, 'results')) {
    const key = propertyOf(result, type.idProperty)
    for (const trace of textsOf(result['objectWriteTraceId'])) taken.add(trace)
    if (key !== undefined) taken.add(`key ${keyOf(key, type)}`)
    if (typeof result['id'] === 'string') taken.add(`id ${result['id']}`)
  }
  return places.map((place): EventOutcome => {
    const reason = refused.get(traceOf(place))
    if (reason !== undefined) return { kind: 'rejected', reason }
    if (taken.has(traceOf(place)) || taken.has(`key ${place.key}`)) return { kind: 'delivered' }
    return { kind: 'retry', reason: 'HubSpot did not say what became of this record' }
  })
}

/** The input that writes a record, with its key as a property. */
const inputOf = (place: Place, { idProperty }: ObjectType) => ({
  properties: { ...place.record.properties, [idProperty]: place.key },
  objectWriteTraceId: traceOf(place),
})

const noRecord: EventOutcome = { kind: 'skipped', reason: 'There is no record with this key' }

/** The IDs of the records in a response, by key. */
const idsIn = (answer: ReturnType<typeof answerObject>, type: ObjectType): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const result of listOf(answer, 'results')) {
    const key = propertyOf(result, type.idProperty)
    if (key !== undefined && typeof result['id'] === 'string') ids.set(keyOf(key, type), result['id'])
  }
  return ids
}

/** Creates functions that write records of one HubSpot object, and set the outcome of each. */
const createWriter = (context: Context, type: ObjectType, outcomes: (EventOutcome | undefined)[]) => {
  const path = `/crm/v3/objects/${encodeURIComponent(type.type)}/batch`
  let shown: Call | undefined
  let latencyMs = 0
  const settle = (places: readonly Place[], outcome: EventOutcome): void => {
    for (const { at } of places) outcomes[at] = outcome
  }
  /** Sets the outcome of records whose request has failed. This request is then the one that is shown. */
  const fail = (call: Call, places: readonly Place[], failure: EventOutcome): void => {
    shown = call
    settle(places, failure)
  }
  const send = async (what: string, body: unknown): Promise<Call> => {
    const call = await ask(context, 'POST', `${path}/${what}`, body)
    latencyMs += call.answer.latencyMs
    shown ??= call
    return call
  }

  /**
   * Sends records. If HubSpot refuses them without naming one, halves are sent until each faulty record is found. Never
   * rejects: records with a temporary error get a retry as outcome.
   */
  const write = async (
    what: 'upsert' | 'create' | 'update' | 'archive',
    places: readonly Place[],
    inputOf: (place: Place) => unknown,
  ): Promise<void> => {
    if (places.length === 0) return
    const call = await send(what, { inputs: places.map(inputOf) })
    const failure = failureOf(call, context.clock())
    if (failure?.kind === 'rejected' && places.length > 1) {
      const middle = Math.ceil(places.length / 2)
      await write(what, places.slice(0, middle), inputOf)
      await write(what, places.slice(middle), inputOf)
      return
    }
    if (failure !== undefined) return fail(call, places, failure)
    // The response to an archive request is empty (204).
    if (what === 'archive') return settle(places, { kind: 'delivered' })
    for (const [index, outcome] of outcomesOf(call, places, type).entries()) {
      if (outcome.kind !== 'delivered') shown = call
      const at = places[index]?.at
      if (at !== undefined) outcomes[at] = outcome
    }
  }

  /** Returns the IDs of existing records by key. Undefined after a failure, which sets the outcomes. */
  const find = async (places: readonly Place[]): Promise<ReadonlyMap<string, string> | undefined> => {
    const { idProperty } = type
    const inputs = places.map(({ key }) => ({ id: key }))
    const call = await send('read?archived=false', { idProperty, properties: [idProperty], inputs })
    const failure = failureOf(call, context.clock())
    const answer = answerObject(call)
    if (failure === undefined && Array.isArray(answer?.['results'])) return idsIn(answer, type)
    fail(call, places, failure ?? { kind: 'retry', reason: 'HubSpot did not say which records exist' })
    return undefined
  }

  const group = async ({ operation, places }: Group): Promise<void> => {
    const { idProperty } = type
    const named = (place: Place) => inputOf(place, type)
    if (operation === 'upsert')
      return write('upsert', places, (place) => ({ id: place.key, idProperty, ...named(place) }))
    const ids = await find(places)
    if (ids === undefined) return
    const there = places.filter(({ key }) => ids.has(key))
    const missing = places.filter(({ key }) => !ids.has(key))
    if (operation === 'insert') {
      settle(there, { kind: 'skipped', reason: 'A record with this key is already there' })
      return write('create', missing, named)
    }
    settle(missing, operation === 'delete' ? { kind: 'delivered' } : noRecord)
    if (operation === 'delete') return write('archive', there, ({ key }) => ({ id: ids.get(key) }))
    // Records are updated by their HubSpot IDs, because this endpoint does not treat other identifiers as unique.
    return write('update', there, (place) => ({ id: ids.get(place.key), ...named(place) }))
  }

  return { group, shown: () => shown, latencyMs: () => latencyMs }
}

/**
 * Writes records in their order, in requests of at most 100. An upsert uses its unique property; an insert, an update,
 * and a delete (which archives) look up the records first. After a request that must be retried, no more requests are
 * sent. Rejects with a DeliveryError if no record has an outcome yet.
 */
export const writeRecords = async (
  context: Context,
  type: ObjectType,
  records: readonly GivenRecord[],
): Promise<Written> => {
  const outcomes: (EventOutcome | undefined)[] = records.map(() => undefined)
  const writer = createWriter(context, type, outcomes)
  let failure: DeliveryError | undefined
  try {
    for (const group of groupsOf(records, type)) {
      await writer.group(group)
      if (outcomes.some((outcome) => outcome?.kind === 'retry')) break
    }
  } catch (error) {
    if (!(error instanceof DeliveryError) || outcomes.every((outcome) => outcome === undefined)) throw error
    failure = error
  }
  const rest = notSent(failure)
  return {
    outcomes: outcomes.map((outcome) => outcome ?? rest),
    call: writer.shown(),
    latencyMs: writer.latencyMs(),
  }
}
