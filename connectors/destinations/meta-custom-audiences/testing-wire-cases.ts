import { rowsFrom, type WireCases } from '@tributary/connector-kit/testing-wire'
import { metaCustomAudiences } from './definition.ts'
import { sha256 } from './match-keys.ts'
import { createMeta, token } from './testing-meta.ts'

const guide = 'developers.facebook.com/documentation/ads-commerce/marketing-api/audiences/guides/custom-audiences'
const person =
  'developers.facebook.com/documentation/ads-commerce/conversions-api/parameters/customer-information-parameters'
const byValue =
  'developers.facebook.com/documentation/ads-commerce/marketing-api/audiences/guides/value-based-lookalike-audiences'
const segment = 'github.com/segmentio/action-destinations, facebook-custom-audiences/sync/functions.ts'

/** The hashes of "Customer Information Parameters". */
const email = '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'
const phone = 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'
const firstName = '6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec'
const lastName = '08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c'
const madid = '38400000-8cf0-11bd-b23e-10b96e40000d'

const ofPerson = rowsFrom(person, [
  ['email', 'John_Smith@gmail.com', 'EMAIL', email],
  ['phone', '(650)555-1212', 'PHONE', phone, { beside: { country: 'US' } }],
  ['fn', 'Mary', 'FN', firstName],
  ['ln', 'Valéry', 'LN', lastName],
  ['ct', 'New York', 'CT', sha256('newyork')],
  ['st', 'California', 'ST', sha256('ca')],
  ['zip', '94035-1234', 'ZIP', sha256('94035')],
  ['country', 'United States', 'COUNTRY', sha256('us')],
  ['gen', 'Female', 'GEN', sha256('f')],
])

const ofGuide = rowsFrom(guide, [
  ['extern_id', 'USER-1', 'EXTERN_ID', 'USER-1'],
  ['fi', 'Mary', 'FI', sha256('m')],
  ['doby', '1997', 'DOBY', sha256('1997')],
  ['dobm', '2', 'DOBM', sha256('02')],
  ['dobd', '16', 'DOBD', sha256('16')],
  ['madid', madid.toUpperCase(), 'MADID', madid],
  ['settings.audience_id', '23848', '^path', '/v25.0/23848/users'],
  ['audience_id', '23848', '^path', '/v25.0/23848/users'],
])

export const wireCases: WireCases = {
  definition: metaCustomAudiences,
  origins: ['https://graph.facebook.com'],
  settings: { access_token: token, ad_account_id: 'act_123456789', audience_id: '23847' },
  vendor: () => {
    const meta = createMeta()
    meta.create('23847')
    meta.create('23848')
    return meta.answer
  },
  /** The keys of the schema with the values of the first person, and the lists beside them. */
  record: (asked) => {
    const { payload } = (asked.at(-1)?.body ?? {}) as { payload: { schema: string[]; data: unknown[][] } }
    const { schema, data, ...lists } = payload
    return { ...Object.fromEntries(schema.map((key, at) => [key, data[0]?.[at]])), ...lists }
  },
  actions: {
    add_person: {
      base: { extern_id: 'u1', email: 'ada@example.com' },
      rows: [
        ...ofPerson,
        ...ofGuide,
        ...rowsFrom(byValue, [['lookalike_value', '44.5', 'LOOKALIKE_VALUE', 44.5]]),
        ...rowsFrom(segment, [
          ['app_id', '1234', 'app_ids', ['1234']],
          ['page_id', '5678', 'page_ids', ['5678']],
          ['ig_account_id', '9012', 'ig_account_ids', ['9012']],
        ]),
      ],
    },
    remove_person: {
      base: { extern_id: 'u1' },
      rows: rowsFrom(guide, [
        ['extern_id', 'USER-1', 'EXTERN_ID', 'USER-1'],
        ['audience_id', '23848', '^path', '/v25.0/23848/users'],
      ]),
    },
  },
  // The event of a connected audience: packages/audiences, `audience-events.ts`, with the traits of the profile.
  common: {
    event: {
      properties: { audience_id: 'a1', audience_title: 'Seen', user_ids: ['u1'], anonymous_ids: [], profile_id: 'p1' },
      context: {
        traits: {
          email: 'John_Smith@gmail.com',
          phone: '+1 (650)555-1212',
          firstName: 'Mary',
          lastName: 'Valéry',
          gender: 'Female',
          birthday: '1997-02-16',
          address: { city: 'New York', state: 'CA', postalCode: '94035-1234', country: 'US' },
        },
      },
    },
    sent: {
      extern_id: 'u1',
      email,
      phone,
      fn: firstName,
      ln: lastName,
      ct: sha256('newyork'),
      st: sha256('ca'),
      zip: sha256('94035'),
      country: sha256('us'),
      gen: sha256('f'),
      dobd: sha256('16'),
    },
  },
  presets: { '(identify)': {}, 'Audience Entered': {}, 'Audience Exited': {} },
}
