import { answerObject, type Call, type EventOutcome, isJsonObject } from '@tributary/connector-kit'
import { idsIn, keyForm, otherEmails } from './answers.ts'
import { isContactByEmail, type ObjectType } from './object-type.ts'
import { ask, type Context, failureOf, wordsOf } from './request.ts'
import { recordsAtOnce } from './write-records.ts'

/** A record that was written, and the key of the record to associate with it. */
export type Pair = { readonly index: number; readonly id: string | undefined; readonly key: string }

/** What became of a pair: a failure that is retried, or why there is no association. None: it exists. */
export type Associated =
  | { readonly index: number; readonly retry: Extract<EventOutcome, { kind: 'retry' }> }
  | { readonly index: number; readonly leftOut: string }

type Ids = { ids: ReadonlyMap<string, string> } | { failure: Exclude<EventOutcome, { kind: 'delivered' }>; call: Call }

/** Returns the HubSpot IDs of the records to associate, by key. */
const findIds = async (context: Context, to: ObjectType, keys: readonly string[]): Promise<Ids> => {
  const { idProperty } = to
  const byEmail = isContactByEmail(to)
  const properties = byEmail ? [idProperty, otherEmails] : [idProperty]
  const path = `/crm/v3/objects/${encodeURIComponent(to.type)}/batch/read?archived=false`
  const call = await ask(context, 'POST', path, { idProperty, properties, inputs: keys.map((id) => ({ id })) })
  const failure = failureOf(call, context.clock())
  return failure === undefined ? { ids: idsIn(call, to, byEmail) } : { failure, call }
}

const leftOutOf = (pairs: readonly Pair[], to: ObjectType, reason: string): Associated[] =>
  pairs.map(({ index }) => ({ index, leftOut: `the association with ${to.type}: ${reason}` }))

const failed = (
  pairs: readonly Pair[],
  to: ObjectType,
  failure: Exclude<EventOutcome, { kind: 'delivered' }>,
): Associated[] =>
  failure.kind === 'retry'
    ? pairs.map(({ index }) => ({ index, retry: failure }))
    : leftOutOf(pairs, to, failure.reason)

/** Returns the pairs that an error of a response with status 207 names by their HubSpot IDs. */
const refusedIn = (call: Call): ReadonlyMap<string, string> => {
  const errors: unknown = answerObject(call)?.['errors']
  const refused = new Map<string, string>()
  for (const error of Array.isArray(errors) ? errors : []) {
    if (!isJsonObject(error) || !isJsonObject(error['context'])) continue
    for (const ids of Object.values(error['context']))
      for (const id of Array.isArray(ids) ? ids : []) refused.set(String(id), wordsOf(error, 'refused'))
  }
  return refused
}

const associateSome = async (
  context: Context,
  from: ObjectType,
  to: ObjectType,
  pairs: readonly Pair[],
): Promise<Associated[]> => {
  const found = await findIds(context, to, [...new Set(pairs.map(({ key }) => keyForm(key, to)))])
  if ('failure' in found) return failed(pairs, to, found.failure)
  const idOf = ({ key }: Pair): string | undefined => found.ids.get(keyForm(key, to))
  const missing = pairs.filter((pair) => pair.id === undefined || idOf(pair) === undefined)
  const there = pairs.filter((pair) => !missing.includes(pair))
  const without = leftOutOf(missing, to, 'there is no such record')
  if (there.length === 0) return without
  const path = `/crm/v4/associations/${encodeURIComponent(from.type)}/${encodeURIComponent(to.type)}/batch/associate/default`
  const inputs = there.map((pair) => ({ from: { id: pair.id }, to: { id: idOf(pair) } }))
  const call = await ask(context, 'POST', path, { inputs })
  const failure = failureOf(call, context.clock())
  if (failure !== undefined) return [...without, ...failed(there, to, failure)]
  const refused = refusedIn(call)
  return [
    ...without,
    ...there.flatMap((pair) => {
      const reason = refused.get(pair.id ?? '') ?? refused.get(idOf(pair) ?? '')
      return reason === undefined ? [] : leftOutOf([pair], to, reason)
    }),
  ]
}

/**
 * Associates written records with other records (HubSpot, "Associations v4": Create Default Associations). An
 * association that exists already stays. Returns only the pairs without an association. Rejects with a DeliveryError if
 * a request has no answer.
 */
export const associate = async (
  context: Context,
  from: ObjectType,
  to: ObjectType,
  pairs: readonly Pair[],
): Promise<Associated[]> => {
  const all: Associated[] = []
  for (let at = 0; at < pairs.length; at += recordsAtOnce)
    all.push(...(await associateSome(context, from, to, pairs.slice(at, at + recordsAtOnce))))
  return all
}
