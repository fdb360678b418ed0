import { cutText, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { advertisingIdOf } from '../../wire/conversions/advertising-id.ts'
import { consentOutcome } from '../../wire/conversions/event-facts.ts'
import { noteOf } from '../../wire/conversions/left-out.ts'
import { type NamedBy, namedList, wrongList } from '../../wire/conversions/named-list.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { consentField, identifiersOf } from '../../wire/google/data-manager-person.ts'
import { ipAddressOf } from '../../wire/google/ip-address.ts'
import { addPerson } from './actions/add-person.ts'
import { removePerson } from './actions/remove-person.ts'
import { type CustomerMatchSettings, isList } from './settings.ts'

/** A person of a customer list, and what happens to them. */
export type Member = {
  listId: string
  namedBy: NamedBy
  method: 'ingest' | 'remove'
  member: Readonly<Record<string, unknown>>
}

type Person = ReturnType<typeof removePerson.payloadOf>

/** Maximum mobile IDs of a person ("MobileData"). */
const mostMobileIds = 10

/** Maximum characters of a user ID. Our own choice. */
const maxUserId = 512

const mobileIdsOf = ({ mobile_id = [] }: Person): string[] => [
  ...new Set(
    mobile_id.slice(0, 100).flatMap((value) => advertisingIdOf(typeof value === 'string' ? value : undefined) ?? []),
  ),
]

/**
 * Returns the data that identifies a person, of the type that the list has: "AudienceMember" of the Data Manager API.
 * Undefined without any. The type of all people of a request is the same (MULTIPLE_DATA_TYPES_NOT_ALLOWED).
 */
const dataOf = (
  person: Person,
  ipAddress: string | undefined,
  type: CustomerMatchSettings['list_type'],
): Record<string, unknown> | undefined => {
  if (type === 'mobile') {
    const ids = mobileIdsOf(person)
    return ids.length === 0 ? undefined : { mobileData: { mobileIds: ids.slice(0, mostMobileIds) } }
  }
  if (type === 'user') {
    const userId = person.user_id?.trim() ?? ''
    return userId === '' || userId.length > maxUserId ? undefined : { userIdData: { userId } }
  }
  const identifiers = identifiersOf(person)
  if (identifiers.length === 0 && ipAddress === undefined) return undefined
  return {
    compositeData: {
      ...(identifiers.length === 0 ? {} : { userData: { userIdentifiers: identifiers } }),
      ...(ipAddress === undefined ? {} : { ipData: [{ ipAddress }] }),
    },
  }
}

const wants = {
  contact: 'email, phone, or address',
  mobile: 'mobile advertiser ID',
  user: 'user ID',
} as const

/**
 * Returns the person to add or to remove, or the outcome of an event that is not sent. A person without consent is not
 * added, but is still removed.
 */
export const memberOf = (event: OutgoingEvent, settings: CustomerMatchSettings): Prepared<Member> | EventOutcome => {
  const removes = event.action === removePerson.name
  const added = removes ? undefined : addPerson.payloadOf(event)
  const refused = added === undefined ? undefined : consentOutcome(added.ad_user_data, settings.without_consent)
  if (refused !== undefined) return refused
  const person = removePerson.payloadOf(event)
  const { id: listId, namedBy } = namedList(event, 'list_id', settings.list_id)
  if (listId === '') return { kind: 'retry', misconfigured: true, reason: 'Enter the customer list in the settings' }
  if (!isList(listId))
    return wrongList(namedBy, `"${cutText(listId, 40).toWellFormed()}" is not the number of a customer list`)
  const leftOut: string[] = []
  const ofContact = added !== undefined && settings.list_type === 'contact'
  const ipAddress = ofContact
    ? ipAddressOf('ip_address', { value: added.ip_address, country: added.country }, leftOut)
    : undefined
  const data = dataOf(person, ipAddress, settings.list_type)
  if (data === undefined)
    return { kind: 'rejected', reason: `The event has no ${wants[settings.list_type]} that Google can match` }
  const consent = added === undefined ? undefined : consentField(added)
  return {
    note: noteOf(leftOut),
    body: {
      listId,
      namedBy,
      method: removes ? 'remove' : 'ingest',
      member: { ...data, ...(consent === undefined ? {} : { consent }) },
    },
  }
}
