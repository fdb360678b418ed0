import { createHash } from 'node:crypto'
import { campaignIn, clickIdsIn } from '@tributary/connector-kit'
import { type Fields, fieldsOf, given, text } from './values.ts'

/** Returns the context of the ad that led to an event: click IDs and campaign parameters. */
export const adContext = (params: URLSearchParams): Fields => {
  const [clickIds, campaign] = [clickIdsIn(params), campaignIn(params)]
  return {
    ...(Object.keys(clickIds).length === 0 ? {} : { clickIds }),
    ...(Object.keys(campaign).length === 0 ? {} : { campaign }),
  }
}

/** Names under which shops and forms pass on the visitor data of the site's tag. */
export const visitorFields = { anonymousId: 'tributary_id', consent: 'tributary_consent', messageId: 'message_id' }

/** Returns the texts of an object as the parameters of a URL. */
export const paramsOf = (fields: Fields): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** Returns the context with the consent that a shop or a form passes on; empty if there is none. */
export const consentContext = (value: unknown): Fields => {
  const said = text(value)?.trim().toLowerCase()
  if (said === undefined || said === '') return {}
  const advertising = ['granted', 'true', '1', 'yes', 'on'].includes(said)
  return { consent: { categoryPreferences: { advertising } } }
}

/**
 * Returns the data of the user in the form in which destinations read it from `context.traits`; undefined if there is
 * none.
 */
export const personOf = (person: {
  email?: unknown
  phone?: unknown
  firstName?: unknown
  lastName?: unknown
  city?: unknown
  state?: unknown
  postalCode?: unknown
  country?: unknown
}): Fields | undefined => {
  const { email, phone, firstName, lastName, city, state, postalCode, country } = person
  const address = given({
    city: text(city),
    state: text(state),
    postalCode: text(postalCode),
    country: text(country),
  })
  const traits = given({
    email: text(email)?.trim(),
    phone: text(phone)?.trim(),
    firstName: text(firstName),
    lastName: text(lastName),
    address: Object.keys(address).length === 0 ? undefined : address,
  })
  return Object.keys(traits).length === 0 ? undefined : traits
}

/** Maximum characters of a message ID. */
const longestId = 100

/** Returns a message ID made from the kind and ID of the event's subject; a hash if it would be too long. */
export const messageIdOf = (kind: string, id: string): string => {
  const whole = `${kind}-${id}`
  return whole.length <= longestId ? whole : `${kind}-${createHash('sha256').update(id).digest('hex')}`
}

/** Splits a full name into first and last name. */
export const namesOf = (name: unknown): { firstName?: string; lastName?: string } => {
  const parts = text(name)?.trim().split(/\s+/) ?? []
  const [first, ...rest] = parts
  return first === undefined || first === ''
    ? {}
    : { firstName: first, ...(rest.length > 0 ? { lastName: rest.join(' ') } : {}) }
}

/** Returns the members that are texts, such as those of `metadata` or `hidden`. */
export const textsOf = (value: unknown): Fields =>
  Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, each]) => typeof each === 'string'))
