import { answerObject, type Call, type EventOutcome } from '@tributary/connector-kit'
import { answersOf, idsIn, otherEmails, traceOf, unknownProperties } from './answers.ts'
import type { ObjectType } from './object-type.ts'
import { ask, type Context, failureOf } from './request.ts'

/** A record with its place in the batch and the form of its key in HubSpot. */
export type Place = {
  readonly at: number
  readonly key: string
  readonly properties: Readonly<Record<string, string>>
}

type Verb = 'upsert' | 'create' | 'update' | 'archive'

/** The outcomes and HubSpot IDs of the records of a batch, by their place. */
export type Found = { readonly outcomes: (EventOutcome | undefined)[]; readonly ids: (string | undefined)[] }

/** Creates functions that send records of one HubSpot object, and set the outcome and the ID of each. */
export const createSender = (context: Context, type: ObjectType, { outcomes, ids }: Found) => {
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
   * Sends records. If HubSpot names a property that does not exist, all records with it are rejected, and the others are
   * sent again. If it names nothing, halves are sent until each faulty record is found. Never rejects for a temporary
   * error: its records get a retry as outcome.
   */
  const write = async (verb: Verb, places: readonly Place[], inputOf: (place: Place) => unknown): Promise<void> => {
    if (places.length === 0) return
    const call = await send(verb, { inputs: places.map(inputOf) })
    const failure = failureOf(call, context.clock())
    if (failure?.kind === 'rejected' && places.length > 1) {
      const unknown = unknownProperties(call)
      const isFaulty = (place: Place): boolean => Object.keys(place.properties).some((name) => unknown.has(name))
      const faulty = places.filter(isFaulty)
      if (faulty.length > 0) {
        fail(call, faulty, failure)
        return await write(
          verb,
          places.filter((place) => !isFaulty(place)),
          inputOf,
        )
      }
      const middle = Math.ceil(places.length / 2)
      await write(verb, places.slice(0, middle), inputOf)
      await write(verb, places.slice(middle), inputOf)
      return
    }
    if (failure !== undefined) return fail(call, places, failure)
    // The response to an archive request is empty (204).
    if (verb === 'archive') return settle(places, { kind: 'delivered' })
    const sent = places.map((place) => ({ ...place, id: ids[place.at] }))
    for (const [index, { outcome, id }] of answersOf(call, sent, type).entries()) {
      if (outcome.kind !== 'delivered') shown = call
      const at = places[index]?.at
      if (at === undefined) continue
      outcomes[at] = outcome
      ids[at] = id ?? ids[at]
    }
  }

  /**
   * Returns the IDs of existing records by key. A key that HubSpot refuses to look up is found in halves, and its record
   * is rejected. Undefined after a temporary failure, which sets the outcomes.
   */
  const find = async (
    places: readonly Place[],
    withOthers: boolean,
  ): Promise<ReadonlyMap<string, string> | undefined> => {
    const { idProperty } = type
    const inputs = places.map(({ key }) => ({ id: key }))
    const properties = withOthers ? [idProperty, otherEmails] : [idProperty]
    const call = await send('read?archived=false', { idProperty, properties, inputs })
    const failure = failureOf(call, context.clock())
    if (failure === undefined && Array.isArray(answerObject(call)?.['results'])) return idsIn(call, type, withOthers)
    if (failure?.kind === 'rejected' && places.length > 1) {
      const middle = Math.ceil(places.length / 2)
      const first = await find(places.slice(0, middle), withOthers)
      const second = first && (await find(places.slice(middle), withOthers))
      return first && second && new Map([...first, ...second])
    }
    fail(call, places, failure ?? { kind: 'retry', reason: 'HubSpot did not say which records exist' })
    return failure?.kind === 'rejected' ? new Map() : undefined
  }
  return { settle, write, find, shown: () => shown, latencyMs: () => latencyMs }
}

/** The input that writes a record, with its key as a property. */
export const inputOf = (place: Place, { idProperty }: ObjectType) => ({
  properties: { ...place.properties, [idProperty]: place.key },
  objectWriteTraceId: traceOf(place),
})
