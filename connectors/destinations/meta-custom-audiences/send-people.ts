import {
  amountOf,
  answerObject,
  type Call,
  cutText,
  type DeliverContext,
  DeliveryError,
  type EventOutcome,
  isJsonObject,
  type OutgoingRow,
} from '@tributary/connector-kit'
import { type NamedBy, wrongList } from '../../wire/conversions/named-list.ts'
import { ask, failureOf, isMissingObject } from '../../wire/meta/graph.ts'
import type { AudienceAddress } from './audience-address.ts'
import {
  birthdayParts,
  type FieldKey,
  keyOf,
  type MatchKey,
  matchKeys,
  matchProblem,
  matchValue,
  type OwnerKey,
  ownerKeys,
  sha256,
  valueKey,
} from './match-keys.ts'
import type { MetaSettings } from './settings.ts'

export type Context = DeliverContext<MetaSettings>

/** A person to add or remove, with values by the names of the fields that the user chose. */
export type GivenPerson = {
  operation: OutgoingRow['operation']
  key: string
  values: Readonly<Record<string, unknown>>
}

/** The outcome of each person, and a request with its response to show. */
export type Sent = { outcomes: readonly EventOutcome[]; call: Call | undefined; latencyMs: number }

/**
 * A person in Meta's form. `value` is the value in a value-based audience. `note` names the values that are not sent,
 * with the reasons.
 */
type Person = {
  at: number
  externId: string
  match: ReadonlyMap<MatchKey, string>
  value?: number
  owners?: ReadonlyMap<OwnerKey, string>
  note?: string
}
type Group = { method: 'POST' | 'DELETE'; people: Person[] }

/** Maximum people of one request ("Add Users to a Custom Audience"). */
const peopleAtOnce = 10_000

const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

/**
 * Returns the external ID of a person, the only value that a removal uses ("External Identifiers"). It is the key if
 * the key is an external ID, otherwise the hash of the key, so that no email address is sent unhashed.
 */
const externIdOf = (key: string, identifier: string): string => (keyOf(identifier) === 'EXTERN_ID' ? key : sha256(key))

/** Returns the country of the row, which completes a phone number in national form. */
const countryOf = (values: GivenPerson['values']): string | undefined => {
  const [, country] = Object.entries(values).find(([field]) => keyOf(field) === 'COUNTRY') ?? []
  return typeof country === 'string' ? country : undefined
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Returns the value of a person, or why it cannot be sent: another value would change the audience's order. */
const valueOf = (field: string, value: unknown): { value?: number } | { problem: string } => {
  if (isEmpty(value)) return {}
  const amount = amountOf(value)
  if (amount === undefined) return { problem: `${field} is not a number. Write decimals with a point` }
  return amount < 0 ? { problem: `${field} is negative` } : { value: amount }
}

const isOwner = (key: FieldKey): key is OwnerKey => (ownerKeys as readonly string[]).includes(key)

/** Returns the person to send, or an outcome for a person that cannot be sent. */
const personOf = (
  at: number,
  { operation, key, values }: GivenPerson,
  { identifier, settings }: { identifier: string; settings: MetaSettings },
): Person | EventOutcome => {
  const externId = externIdOf(key, identifier)
  if (operation === 'delete') return { at, externId, match: new Map() }
  if (operation !== 'upsert') return rejected('Meta does not tell who is in a Custom Audience. Choose another mode')
  const match = new Map<MatchKey, string>()
  const lost: string[] = []
  const defaults: string[] = []
  const own = countryOf(values)?.trim() ?? ''
  const country = own === '' ? settings.default_country : own
  const owners = new Map<OwnerKey, string>()
  let worth: { value?: number } = {}
  for (const [field, value] of Object.entries(values)) {
    const found = keyOf(field)
    if (found === undefined)
      return rejected(
        `Meta does not match people by ${field}. Map columns to ${matchKeys.join(', ').toLowerCase()}, or extern_id`,
      )
    if (found === valueKey) {
      const read = valueOf(field, value)
      if ('problem' in read) return rejected(read.problem)
      worth = read
      continue
    }
    if (found === 'EXTERN_ID') {
      if (field !== identifier) return rejected(`Make ${field} the identifier, or leave it out`)
      continue
    }
    if (isOwner(found)) {
      const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
      if (/^[0-9]{1,30}$/.test(id)) owners.set(found, id)
      else if (!isEmpty(value)) lost.push(`${field} is not a number`)
      continue
    }
    const parts = found === 'DOBD' ? birthdayParts(value) : []
    for (const [key, part] of parts) if (!match.has(key)) match.set(key, matchValue(key, part))
    if (parts.length > 0) continue
    const text = matchValue(found, value, country)
    if (text !== '') match.set(found, text)
    if (own === '' && country !== undefined && found === 'PHONE' && matchValue(found, value) !== text)
      defaults.push(`${field}: the default ${country} is used`)
    const problem = matchProblem(found, value, country)
    if (problem !== undefined) lost.push(`${field} ${problem}`)
  }
  const note = lost.join('; ')
  if (match.size === 0) return rejected(`The row has nothing that Meta can match${note === '' ? '' : `: ${note}`}`)
  const ofOwners = owners.size === 0 ? {} : { owners }
  const notes = [...defaults, ...(note === '' ? [] : [`Not sent: ${note}`])]
  return { at, externId, match, ...worth, ...ofOwners, ...(notes.length === 0 ? {} : { note: notes.join('; ') }) }
}

/**
 * The number of sessions so far. It distinguishes sessions of the same millisecond, which Meta would otherwise treat as
 * one.
 */
let sessions = Math.floor(Math.random() * 1000)

/** Returns the body of a request. Each request is a separate session with one batch. */
const bodyOf = ({ method, people }: Group, now: number): unknown => {
  const keys = matchKeys.filter((key) => people.some(({ match }) => match.has(key)))
  const hasValues = people.some(({ value }) => value !== undefined)
  const payload = {
    schema: ['EXTERN_ID', ...keys, ...(hasValues ? [valueKey] : [])],
    data: people.map(({ externId, match, value }) => [
      externId,
      ...keys.map((key) => match.get(key) ?? ''),
      // An empty text stands for an unknown value in every column.
      ...(hasValues ? [value ?? ''] : []),
    ]),
  }
  const lists = ownerKeys.filter((name) => people.some(({ owners }) => owners?.has(name)))
  const ofOwners = Object.fromEntries(lists.map((name) => [name, people.map(({ owners }) => owners?.get(name) ?? '')]))
  if (method === 'DELETE') return { payload }
  const session = {
    session_id: now * 1000 + (sessions++ % 1000),
    batch_seq: 1,
    last_batch_flag: true,
    estimated_num_total: people.length,
  }
  return { session, payload: { ...payload, ...ofOwners } }
}

/** Returns the numbers of invalid and of received entries; undefined if the response does not contain them. */
const countsOf = (call: Call): { received: number; invalid: number } | undefined => {
  const answer = answerObject(call)
  const received = Number(answer?.['num_received'])
  const invalid = Number(answer?.['num_invalid_entries'])
  return Number.isSafeInteger(received) && Number.isSafeInteger(invalid) ? { received, invalid } : undefined
}

/** Returns Meta's samples of invalid entries, at most 200 characters. */
const samplesOf = (call: Call): string => {
  const samples = answerObject(call)?.['invalid_entry_samples']
  const listed = Array.isArray(samples) ? samples : isJsonObject(samples) ? Object.values(samples) : []
  const texts = [...new Set(listed.filter((text) => typeof text === 'string'))]
  return texts.length === 0 ? 'Meta says that the entry is invalid' : cutText(texts.join(', '), 200).toWellFormed()
}

/** Groups consecutive people with the same method, as many as a request can have. No person is in a group twice. */
const groupsOf = (people: readonly (Person & { method: Group['method'] })[]): Group[] => {
  const groups: (Group & { known: Set<string> })[] = []
  for (const { method, ...person } of people) {
    const last = groups.at(-1)
    if (last?.method === method && last.people.length < peopleAtOnce && !last.known.has(person.externId)) {
      last.people.push(person)
      last.known.add(person.externId)
    } else groups.push({ method, people: [person], known: new Set([person.externId]) })
  }
  return groups
}

/**
 * Adds people to a Custom Audience and removes them, in their order, in requests of at most 10,000. If a request is
 * refused or has invalid people, halves are sent again until each faulty person is found; adding a person twice changes
 * nothing. After a request that must be retried, no more requests are sent. An audience that Meta does not find concerns
 * the events that name it (`namedBy`). Rejects with a DeliveryError if no person
 * has an outcome yet.
 */
export const sendPeople = async (
  context: Context,
  { id, identifier, namedBy = 'settings' }: AudienceAddress & { namedBy?: NamedBy },
  given: readonly GivenPerson[],
): Promise<Sent> => {
  const outcomes: (EventOutcome | undefined)[] = given.map(() => undefined)
  const people: (Person & { method: Group['method'] })[] = []
  for (const [at, each] of given.entries()) {
    const person = personOf(at, each, { identifier, settings: context.settings })
    if ('kind' in person) outcomes[at] = person
    else people.push({ ...person, method: each.operation === 'delete' ? 'DELETE' : 'POST' })
  }
  let shown: Call | undefined
  let latencyMs = 0
  let settled = false
  const groups = groupsOf(people)
  const settle = (group: Group, outcome: EventOutcome, call: Call): void => {
    if (outcome.kind !== 'delivered') shown = call
    settled = true
    for (const { at, note } of group.people)
      outcomes[at] = outcome.kind === 'delivered' && note !== undefined ? { ...outcome, note } : outcome
  }

  /** Sends a group; returns false if a request must be retried. */
  const send = async (group: Group): Promise<boolean> => {
    const { method, people: those } = group
    const call = await ask(context, method, `${id}/users`, bodyOf(group, context.clock()))
    latencyMs += call.answer.latencyMs
    shown ??= call
    if (namedBy !== 'settings' && isMissingObject(call)) {
      for (const group of groups)
        settle(group, wrongList(namedBy, `Meta does not find the Custom Audience ${id}`), call)
      return false
    }
    const failure = failureOf(call, context.clock(), 'Custom Audience')
    const counts = failure === undefined ? countsOf(call) : undefined
    const halve = async (): Promise<boolean> => {
      const middle = Math.ceil(those.length / 2)
      return (
        (await send({ method, people: those.slice(0, middle) })) &&
        (await send({ method, people: those.slice(middle) }))
      )
    }
    if (failure?.kind === 'rejected' && those.length > 1) return await halve()
    if (failure !== undefined) {
      settle(group, failure, call)
      return failure.kind !== 'retry'
    }
    if (counts === undefined) {
      settle(group, { kind: 'retry', reason: 'Meta did not say what became of these people' }, call)
      return false
    }
    if (counts.invalid > 0 && counts.invalid < those.length) return await halve()
    settle(group, counts.invalid === 0 ? { kind: 'delivered' } : rejected(samplesOf(call)), call)
    return true
  }

  let failure: DeliveryError | undefined
  try {
    for (const group of groups) if (!(await send(group))) break
  } catch (error) {
    if (!(error instanceof DeliveryError) || !settled) throw error
    failure = error
  }
  const rest: EventOutcome = {
    kind: 'retry',
    reason: failure?.message ?? 'Not sent, because an earlier request is retried',
    ...(failure?.name === 'ConfigurationError' ? { misconfigured: true } : {}),
  }
  return { outcomes: outcomes.map((outcome) => outcome ?? rest), call: shown, latencyMs }
}
