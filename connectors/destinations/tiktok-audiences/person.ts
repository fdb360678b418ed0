import {
  cutText,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
} from '@tributary/connector-kit'
import { consentOutcome } from '../../wire/conversions/event-facts.ts'
import { noteOf, withoutIdentifier } from '../../wire/conversions/left-out.ts'
import { type NamedBy, namedList, wrongList } from '../../wire/conversions/named-list.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { addPerson } from './actions/add-person.ts'
import { removePerson } from './actions/remove-person.ts'
import type { AudienceAddress } from './audience-address.ts'
import { type GivenIds, type MatchIds, matchIdsOf, systemOf } from './match-ids.ts'
import { isNumber, type TikTokAudienceSettings } from './settings.ts'

/** A person of an audience, and what happens to them. */
export type Person = { audienceId: string; namedBy: NamedBy; action: 'add' | 'delete'; ids: MatchIds }

const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

/**
 * Returns the person of an event, or the outcome of an event that is not sent. A person without consent is not added,
 * but is still removed.
 */
export const personOfEvent = (
  event: OutgoingEvent,
  settings: TikTokAudienceSettings,
): Prepared<Person> | EventOutcome => {
  const removes = event.action === removePerson.name
  const refused = removes ? undefined : consentOutcome(addPerson.payloadOf(event).consent, settings.without_consent)
  if (refused !== undefined) return refused
  const { email, phone, advertising_id, device_type } = removePerson.payloadOf(event)
  const { id: audienceId, namedBy } = namedList(event, 'audience_id', settings.audience_id)
  if (audienceId === '')
    return { kind: 'retry', misconfigured: true, reason: 'Enter the audience for events in the settings' }
  if (!isNumber(audienceId))
    return wrongList(namedBy, `"${cutText(audienceId, 40).toWellFormed()}" is not the ID of an audience`)
  // The mapping has hashed these values, and has named what it left out.
  const { ids } = matchIdsOf({ email, phone, [systemOf(device_type)]: advertising_id })
  if (ids.size === 0) return rejected(withoutIdentifier('TikTok', []))
  return { body: { audienceId, namedBy, action: removes ? 'delete' : 'add', ids } }
}

type Column = 'email' | 'phone' | 'country' | 'idfa' | 'aaid' | 'advertising_id' | 'device_type'

/** Common names of columns, without spaces and punctuation. */
const columns: Readonly<Record<string, Column>> = {
  email: 'email',
  emailaddress: 'email',
  emailsha256: 'email',
  phone: 'phone',
  phonenumber: 'phone',
  mobile: 'phone',
  phonesha256: 'phone',
  country: 'country',
  countrycode: 'country',
  idfa: 'idfa',
  idfasha256: 'idfa',
  idfamd5: 'idfa',
  aaid: 'aaid',
  gaid: 'aaid',
  aaidsha256: 'aaid',
  aaidmd5: 'aaid',
  advertisingid: 'advertising_id',
  mobileadvertiserid: 'advertising_id',
  madid: 'advertising_id',
  maid: 'advertising_id',
  devicetype: 'device_type',
  system: 'device_type',
}

/** Returns the meaning of a row's field for TikTok; undefined if it has none. */
export const columnOf = (field: string): Column | undefined => {
  const plain = field.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return Object.hasOwn(columns, plain) ? columns[plain] : undefined
}

const identifying = 'email, phone, idfa, or aaid'

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the data of a row by its columns, or why the row cannot be sent. */
const idsIn = (
  values: Readonly<Record<string, unknown>>,
  defaultCountry: string | undefined,
): GivenIds | { problem: string } => {
  const given: Partial<Record<Column, unknown>> = {}
  for (const [field, value] of Object.entries(values)) {
    const column = columnOf(field)
    if (column === undefined)
      return { problem: `TikTok does not match people by ${field}. Map columns to ${identifying}` }
    given[column] ??= value
  }
  const { email, phone, idfa, aaid, advertising_id, device_type } = given
  const country = textIn(given.country)?.trim() || defaultCountry
  const device = systemOf(textIn(device_type))
  const ofDevice = { idfa: idfa ?? undefined, aaid: aaid ?? undefined }
  return { email, phone, country, ...ofDevice, [device]: ofDevice[device] ?? advertising_id }
}

/** Returns the person of a row, or the outcome of a row that is not sent. */
export const personOfRow = (
  { operation, key, json }: OutgoingRow,
  { id: audienceId, identifier, adds }: AudienceAddress,
  settings: TikTokAudienceSettings,
): Prepared<Person> | EventOutcome => {
  if (operation !== 'upsert' && operation !== 'delete')
    return rejected('TikTok does not tell who is in an audience. Choose another mode')
  const column = columnOf(identifier)
  if (column === undefined || column === 'country' || column === 'device_type')
    return rejected(`Make ${identifying} the identifier`)
  const values = parseExactJson(json) as Readonly<Record<string, unknown>>
  // A removal has the identifier alone, so only an object without removals is matched by other columns.
  const isWhole = adds && operation === 'upsert'
  const given = idsIn(isWhole ? values : { [identifier]: key }, settings.default_country)
  if ('problem' in given) return rejected(given.problem)
  const { ids, problems } = matchIdsOf(given)
  if (ids.size === 0)
    return rejected(
      `The row has nothing that TikTok can match${problems.length === 0 ? '' : `: ${problems.join('; ')}`}`,
    )
  const others = isWhole ? [] : Object.keys(values).filter((field) => field !== identifier)
  const unused = others.map((field) => `${field}: people of this object are matched by ${identifier} alone`)
  return {
    note: noteOf([...problems, ...unused]),
    body: { audienceId, namedBy: 'settings', action: operation === 'delete' ? 'delete' : 'add', ids },
  }
}
