import { createHash } from 'node:crypto'
import { rowsFrom, type WireCases, type WirePreset, type WireRow } from '@tributary/connector-kit/testing-wire'
import { googleCustomerMatch } from './definition.ts'
import { createCustomerMatch, list, token } from './testing-customer-match.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const mobileId = '6D92078A-8246-4BA4-AE5B-76104861E7DC'

const protos = 'github.com/googleapis/googleapis, google/ads/datamanager/v1'
const member = `${protos}/audience.proto, AudienceMember`
const person = 'github.com/googleads/data-manager-java, UserDataFormatterTest.java'

/** The hashes of `testHashString_validInputs`, in lower case. */
const email = '509e933019bb285a134a9334b8bb679dff79d0ce023d529af4bd744d47b4fd8a'
const phone = 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30'

const address = { first_name: 'Alex', last_name: 'Quinn', country: 'us', postal_code: '94045' }
const withAddress = { beside: address }
const identifiers = 'compositeData.userData.userIdentifiers'
const ofMobile = { settings: { list_type: 'mobile' }, beside: { mobile_id: ['38400000-8cf0-11bd-b23e-10b96e40000d'] } }
const ofUser = { settings: { list_type: 'user' }, beside: { user_id: 'u0' } }

const shared: readonly WireRow[] = [
  ...rowsFrom(person, [
    ['email', '  ALEXZ@example.com   ', `${identifiers}.0.emailAddress`, email],
    ['phone', '   +1-800-555-0100', `${identifiers}.1.phoneNumber`, phone],
    ['first_name', ' Mrs. Alex   ', `${identifiers}.1.address.givenName`, sha256('alex'), withAddress],
    ['last_name', ' Quinn Sr.  ', `${identifiers}.1.address.familyName`, sha256('quinn'), withAddress],
    ['country', '  us  ', `${identifiers}.1.address.regionCode`, 'US', withAddress],
    ['postal_code', ' 94045  ', `${identifiers}.1.address.postalCode`, '94045', withAddress],
  ]),
  ...rowsFrom(member, [
    ['mobile_id', [mobileId], 'mobileData.mobileIds', [mobileId], ofMobile],
    ['user_id', 'u1', 'userIdData.userId', 'u1', ofUser],
    ['settings.list_type', 'user', 'userIdData.userId', 'u0', { beside: { user_id: 'u0' } }],
  ]),
  ...rowsFrom(`${protos}/destination.proto, Destination`, [
    ['settings.validate_only', true, '^body.validateOnly', true],
    ['list_id', list, '^body.destinations.0.productDestinationId', list, { settings: { list_id: '8012345679' } }],
    [
      'settings.list_id',
      list,
      '^body.destinations.0.productDestinationId',
      list,
      { settings: { list_id: '8012345679' } },
    ],
  ]),
]

const onAdd: readonly WireRow[] = [
  ...rowsFrom(member, [
    ['ip_address', '192.0.2.71', 'compositeData.ipData.0.ipAddress', '192.0.2.71', { beside: { country: 'US' } }],
    ['ad_user_data', true, 'consent.adUserData', 'CONSENT_GRANTED'],
    ['ad_user_data', false, '^outcome.kind', 'skipped'],
    ['ad_personalization', false, 'consent.adPersonalization', 'CONSENT_DENIED'],
  ]),
]

const otherType = 'a list has one type of data'
const ofList: WirePreset = {
  apart: { mobile_id: otherType, user_id: otherType },
  sent: {
    email,
    phone,
    first_name: sha256('alex'),
    last_name: sha256('quinn'),
    country: 'US',
    postal_code: '94045',
    ad_user_data: 'CONSENT_GRANTED',
    ad_personalization: 'CONSENT_GRANTED',
  },
  places: {
    first_name: `${identifiers}.2.address.givenName`,
    last_name: `${identifiers}.2.address.familyName`,
    country: `${identifiers}.2.address.regionCode`,
    postal_code: `${identifiers}.2.address.postalCode`,
  },
}

export const wireCases: WireCases = {
  definition: googleCustomerMatch,
  origins: ['https://datamanager.googleapis.com'],
  settings: {
    customer_id: '123-456-7890',
    list_id: list,
    list_type: 'contact',
    terms_accepted: true,
    client_id: 'client',
    client_secret: 'GOCSPX-0123456789',
  },
  vendor: () => createCustomerMatch().answer,
  accessToken: async () => token,
  record: 'body.audienceMembers.0',
  actions: {
    add_person: { base: { email: 'ada@example.com' }, rows: [...shared, ...onAdd] },
    remove_person: { base: { email: 'ada@example.com' }, rows: shared },
  },
  // The event of a connected audience: packages/audiences, `audience-events.ts`, with the traits of the profile.
  common: {
    event: {
      properties: { audience_id: 'a1', audience_title: 'Seen', user_ids: ['u1'], anonymous_ids: [], profile_id: 'p1' },
      context: {
        traits: {
          email: 'alexz@example.com',
          phone: '+1 800-555-0100',
          firstName: 'Alex',
          lastName: 'Quinn',
          address: { postalCode: '94045', country: 'US' },
        },
        device: { advertisingId: mobileId },
        consent: { categoryPreferences: { advertising: true } },
      },
    },
  },
  presets: { 'Audience Entered': ofList, 'Audience Exited': ofList },
}
