import { answerObject, type Call, type EventOutcome, isJsonObject } from '@tributary/connector-kit'
import type { ObjectType } from './object-type.ts'
import { keepBytes, wordsOf } from './request.ts'

type Json = Readonly<Record<string, unknown>>

/** A record of a request: its place in the batch, the form of its key in HubSpot, and its HubSpot ID if it is known. */
export type Sent = { readonly at: number; readonly key: string; readonly id?: string | undefined }

/** HubSpot keeps email addresses in lower case. */
export const keyForm = (key: string, { idProperty }: ObjectType): string =>
  idProperty === 'email' ? key.trim().toLowerCase() : key.trim()

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : typeof value === 'string' ? [value] : []

const listOf = (answer: Json | undefined, name: string): Json[] => {
  const list = answer?.[name]
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

/** Returns a property of a result; undefined if the result does not have it. */
const propertyOf = ({ properties }: Json, name: string): string | undefined => {
  const value = isJsonObject(properties) ? properties[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Returns the name of a record within a request, by which HubSpot reports a refused record ("Multi-status errors"). */
export const traceOf = ({ at }: Sent): string => String(at)

/**
 * The categories of errors that end by themselves. HubSpot's page "Error handling" names RATE_LIMITS; the page has no
 * list of the others.
 */
const temporary = new Set(['RATE_LIMITS', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'TIMEOUT'])

/**
 * Returns the outcome of a record by the category of its error. A record that is gone since it was read is found or
 * created by the next attempt.
 */
const outcomeOfError = (error: Json): EventOutcome => {
  const category = error['category']
  const reason = wordsOf(error, 'Refused by HubSpot')
  if (category === 'MISSING_SCOPES') return { kind: 'retry', reason, misconfigured: true }
  const isTemporary = category === 'OBJECT_NOT_FOUND' || (typeof category === 'string' && temporary.has(category))
  return isTemporary ? { kind: 'retry', reason } : { kind: 'rejected', reason }
}

/** Returns the outcome of each refused record, by its trace or by `id` and its HubSpot ID. */
const refusalsIn = (answer: Json | undefined): ReadonlyMap<string, EventOutcome> => {
  const refused = new Map<string, EventOutcome>()
  for (const error of listOf(answer, 'errors')) {
    const context = isJsonObject(error['context']) ? error['context'] : {}
    const outcome = outcomeOfError(error)
    for (const trace of textsOf(context['objectWriteTraceId'])) refused.set(trace, outcome)
    for (const id of textsOf(context['ids'])) refused.set(`id ${id}`, outcome)
  }
  return refused
}

/**
 * Whether the status says that all records were accepted, for a response that was too long to be read completely. A
 * response with errors has status 207.
 */
const tookAll = ({ answer: { status, body } }: Call): boolean =>
  status !== 207 && body.startsWith('{') && Buffer.byteLength(body) > keepBytes - 4

/** The outcome of a record, and its HubSpot ID if the response has it. */
export type Answered = { readonly outcome: EventOutcome; readonly id?: string | undefined }

/**
 * Returns the outcome of each record in a successful response: that of the error that names the record, or delivered if
 * a result does. A record without either is sent again, because its outcome is unknown.
 */
export const answersOf = (call: Call, sent: readonly Sent[], type: ObjectType): Answered[] => {
  if (tookAll(call)) return sent.map(({ id }) => ({ outcome: { kind: 'delivered' }, id }))
  const answer = answerObject(call)
  const refused = refusalsIn(answer)
  const taken = new Map<string, string | undefined>()
  for (const result of listOf(answer, 'results')) {
    const key = propertyOf(result, type.idProperty)
    const id = typeof result['id'] === 'string' ? result['id'] : undefined
    for (const trace of textsOf(result['objectWriteTraceId'])) taken.set(trace, id)
    if (key !== undefined) taken.set(`key ${keyForm(key, type)}`, id)
    if (id !== undefined) taken.set(`id ${id}`, id)
  }
  return sent.map((record): Answered => {
    const { id: known = '' } = record
    const names = [traceOf(record), `key ${record.key}`, ...(known === '' ? [] : [`id ${known}`])]
    const outcome = names.map((name) => refused.get(name)).find((one) => one !== undefined)
    if (outcome !== undefined) return { outcome }
    const name = names.find((one) => taken.has(one))
    if (name !== undefined) return { outcome: { kind: 'delivered' }, id: taken.get(name) ?? record.id }
    return { outcome: { kind: 'retry', reason: 'HubSpot did not say what became of this record' } }
  })
}

/**
 * Returns the IDs of the records in the response to a read, by key. With `withOthers`, contacts are also found by their
 * further email addresses.
 */
export const idsIn = (call: Call, type: ObjectType, withOthers: boolean): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  for (const result of listOf(answerObject(call), 'results')) {
    const { id } = result
    if (typeof id !== 'string') continue
    const others = withOthers ? (propertyOf(result, otherEmails) ?? '').split(';') : []
    for (const key of [propertyOf(result, type.idProperty), ...others])
      if (key !== undefined && key.trim() !== '') ids.set(keyForm(key, type), id)
  }
  return ids
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the names of properties that the object does not have, from the response to a refused request: `Property values
 * were not valid: [{"isValid":false,"message":"Property \"x\" does not exist","error":"PROPERTY_DOESNT_EXIST","name":"x"}]`,
 * or the same list in `validationResults` (hubspot-net/HubSpot.NET, issue 50). Every record with such a property is refused.
 */
export const unknownProperties = (call: Call): ReadonlySet<string> => {
  const answer = answerObject(call)
  const message = typeof answer?.['message'] === 'string' ? answer['message'] : ''
  const listed = message.includes('[') ? parsed(message.slice(message.indexOf('['))) : undefined
  const results = [...listOf({ listed }, 'listed'), ...listOf(answer, 'validationResults')]
  const unknown = results.filter(({ error }) => error === 'PROPERTY_DOESNT_EXIST')
  return new Set(unknown.flatMap(({ name }) => textsOf(name)))
}

/** The property of a contact that has its further email addresses, joined by semicolons. */
export const otherEmails = 'hs_additional_emails'

/**
 * Returns the ID of the contact that already exists, from the reason of a refused creation: `Contact already exists.
 * Existing ID: 12345` (HubSpot/hubspot-api-nodejs, issue 545). Undefined for other reasons, also for one that only
 * repeats such a text from an event.
 */
export const existingId = (outcome: EventOutcome | undefined): string | undefined =>
  outcome?.kind === 'rejected'
    ? /^Contact already exists\. Existing ID: (\d{1,20})\.?$/.exec(outcome.reason)?.[1]
    : undefined
