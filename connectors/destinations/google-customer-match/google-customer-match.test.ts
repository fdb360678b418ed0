import { ConfigurationError, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent } from '../../wire/conversions/testing-presets.ts'
import { errorOf } from '../../wire/google/testing-data-manager.ts'
import { googleCustomerMatch } from './definition.ts'
import { check } from './settings.ts'
import { createCustomerMatch, customer, list, token } from './testing-customer-match.ts'

const origins = ['https://datamanager.googleapis.com']
const settings = {
  customer_id: '123-456-7890',
  list_id: list,
  terms_accepted: true,
  client_id: 'client',
  client_secret: 'GOCSPX-0123456789',
}

const accessToken = async (refused?: string, again?: boolean): Promise<string> => {
  if (again === true) throw new ConfigurationError('The connection was revoked: reconnect')
  return refused === undefined ? token : `${token}-renewed`
}

/** Hashes of UserDataFormatterTest.java (github.com/googleads/data-manager-java, commit b15171ad). */
const hashes = {
  email: '509e933019bb285a134a9334b8bb679dff79d0ce023d529af4bd744d47b4fd8a',
  phone: 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30',
  first: '128a07bfe2df877c52076e60d7774cf5baaa046c5a6c48daf30ff43ecca2f814',
  last: '77762c287e61ce065bee5c15464012c6fbe088398b8057627d5577249430d574',
}
const idfa = '6D92078A-8246-4BA4-AE5B-76104861E7DC'

const add = (messageId: string, payload: Record<string, unknown>): OutgoingEvent =>
  outgoingEvent({ messageId }, { action: 'add_person', payload })
const remove = (messageId: string, payload: Record<string, unknown>): OutgoingEvent =>
  outgoingEvent({ messageId }, { action: 'remove_person', payload })

const sender = async (more: Record<string, unknown> = {}) => {
  const match = createCustomerMatch()
  const { asked, rebase } = await startVendor({ origins }, match.answer)
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(googleCustomerMatch, { ...settings, ...more }, events, { rebase, accessToken })
    return result.outcomes as readonly EventOutcome[]
  }
  return { ...match, asked, send }
}

testDestination(googleCustomerMatch, {
  origins,
  settings: () => settings,
  accessToken,
  secrets: [token, settings.client_secret, '94035-1234'],
  vendor: (request) => createCustomerMatch().answer(request),
  events: [
    add('m-1', { email: hashes.email, ad_user_data: true, ad_personalization: false }),
    add('m-2', {
      phone: hashes.phone,
      first_name: hashes.first,
      last_name: hashes.last,
      country: 'us',
      postal_code: '94035-1234',
    }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'datamanager.googleapis.com',
      path: '/v1/audienceMembers:ingest',
      // "Upload members to an audience" (developers.google.com/data-manager/api/devguides/audiences/google-ads).
      body: {
        destinations: [
          { operatingAccount: { accountType: 'GOOGLE_ADS', accountId: customer }, productDestinationId: list },
        ],
        audienceMembers: [
          {
            compositeData: { userData: { userIdentifiers: [{ emailAddress: hashes.email }] } },
            consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_DENIED' },
          },
          {
            compositeData: {
              userData: {
                userIdentifiers: [
                  { phoneNumber: hashes.phone },
                  {
                    address: {
                      givenName: hashes.first,
                      familyName: hashes.last,
                      regionCode: 'US',
                      postalCode: '94035-1234',
                    },
                  },
                ],
              },
            },
          },
        ],
        encoding: 'HEX',
        termsOfService: { customerMatchTermsOfServiceStatus: 'ACCEPTED' },
      },
    },
  ],
  connected: 'Connected to the list VIPs of 123-456-7890. Google matches 62% of its people.',
  badCredentials: {
    settings: () => settings,
    answer: errorOf(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    message: 'The connection was revoked',
  },
  rateLimit: { answer: errorOf(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.'), retryAfterMs: 60_000 },
  partialFailure: {
    events: [
      add('m-1', { email: hashes.email }),
      add('m-2', {
        first_name: hashes.first,
        last_name: hashes.last,
        country: 'US',
        postal_code: 'refused',
      }),
      add('m-3', { email: hashes.email, ad_user_data: false }),
      add('m-4', { first_name: hashes.first }),
      remove('m-5', { email: hashes.email, ad_user_data: false }),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'INVALID_POSTAL_CODE' },
      { kind: 'skipped', reason: expect.stringContaining('consent') },
      { kind: 'rejected', reason: expect.stringContaining('no email, phone, or address') },
      { kind: 'delivered' },
    ],
  },
})

describe('people of a customer list', () => {
  it('a person who enters an audience is added, and removed by the same data on exit', async () => {
    const { people, asked, send } = await sender()
    const traits = {
      email: '  ALEXZ@example.com   ',
      phone: '(800) 555-0100',
      firstName: 'Givenname',
      last_name: 'Familyname',
      address: { country: 'US', postalCode: '94045' },
    }
    const event = (name: string) =>
      byPresets(googleCustomerMatch, receivedEvent(name, { messageId: name, userId: 'u1', context: { traits } }))
    expect(await send(event('Audience Entered'))).toEqual([{ kind: 'delivered' }])
    const member = {
      compositeData: {
        userData: {
          userIdentifiers: [
            { emailAddress: hashes.email },
            { phoneNumber: hashes.phone },
            { address: { givenName: hashes.first, familyName: hashes.last, regionCode: 'US', postalCode: '94045' } },
          ],
        },
      },
    }
    expect([...people.values()]).toEqual([member])
    expect(await send(event('Audience Exited'))).toEqual([{ kind: 'delivered' }])
    expect(people.size).toBe(0)
    expect(asked.map(({ path, body }) => [path, (body as { audienceMembers: unknown }).audienceMembers])).toEqual([
      ['/v1/audienceMembers:ingest', [member]],
      ['/v1/audienceMembers:remove', [member]],
    ])
  })

  // "MobileData": Android advertising ID or IDFA, at most 10. "UserIdData": an identifier of the advertiser.
  it.each([
    [
      'mobile',
      { mobile_id: [idfa, idfa, '00000000-0000-0000-0000-000000000000', 5] },
      { mobileData: { mobileIds: [idfa] } },
    ],
    [
      'mobile',
      { mobile_id: Array.from({ length: 12 }, (_, at) => `id-${at}`) },
      { mobileData: { mobileIds: Array.from({ length: 10 }, (_, at) => `id-${at}`) } },
    ],
    ['user', { user_id: ' u1 ', email: hashes.email }, { userIdData: { userId: 'u1' } }],
    [
      'contact',
      { ip_address: '192.0.2.71', country: 'US' },
      { compositeData: { ipData: [{ ipAddress: '192.0.2.71' }] } },
    ],
  ])('a list of the type %s receives %j as its own kind of data', async (list_type, payload, wanted) => {
    const { asked, send } = await sender({ list_type })
    expect(await send(add('m-1', payload))).toEqual([{ kind: 'delivered' }])
    expect(asked[0]?.body).toMatchObject({ audienceMembers: [wanted] })
  })

  it.each([
    ['mobile', { email: hashes.email }, 'no mobile advertiser ID'],
    ['user', { email: hashes.email }, 'no user ID'],
    ['contact', { user_id: 'u1', country: 'US' }, 'no email, phone, or address'],
    ['contact', { email: hashes.email, list_id: 'VIPs' }, '"VIPs" is not the number of a customer list'],
  ])('an event of a list of the type %s with %j alone is refused in words', async (list_type, payload, reason) => {
    const { asked, send } = await sender({ list_type })
    expect(await send(add('m-1', payload))).toEqual([{ kind: 'rejected', reason: expect.stringContaining(reason) }])
    expect(asked).toHaveLength(0)
  })

  it('an IP address of the EEA is left out and named', async () => {
    const { asked, send } = await sender()
    const [outcome] = await send(add('m-1', { email: hashes.email, ip_address: '192.0.2.71', country: 'DE' }))
    expect(outcome).toMatchObject({ kind: 'delivered', note: expect.stringContaining('ip_address') })
    expect(JSON.stringify(asked[0]?.body)).not.toContain('192.0.2.71')
  })

  it('changes of one person keep their order, in requests of one kind', async () => {
    const { asked, people, send } = await sender()
    const person = { email: hashes.email }
    await send(add('1', person), add('2', { phone: hashes.phone }), remove('3', person), add('4', person))
    expect(asked.map(({ path }) => path.split(':')[1])).toEqual(['ingest', 'remove', 'ingest'])
    expect(people.size).toBe(2)
  })

  it('without the terms no person is added, and the events wait for the setting', async () => {
    const { asked, send } = await sender({ terms_accepted: false })
    await expect(send(add('m-1', { email: hashes.email }))).rejects.toThrow('Accept the Customer Match terms')
    expect(await send(remove('m-2', { email: hashes.email }))).toEqual([{ kind: 'delivered' }])
    expect(asked).toHaveLength(1)
  })

  it('an unknown list waits for the set-up', async () => {
    const { send } = await sender({ list_id: '999' })
    await expect(send(add('m-1', { email: hashes.email }))).rejects.toThrow('the customer list: User list is not valid')
  })

  it('events with an unknown list of their own are refused with one request, and the others arrive', async () => {
    const { asked, people, send } = await sender()
    const person = { email: hashes.email }
    const outcomes = await send(
      add('m-1', { ...person, list_id: '999' }),
      add('m-2', { phone: hashes.phone, list_id: '999' }),
      add('m-3', person),
    )
    const rejected = { kind: 'rejected', reason: 'Google does not take the customer list: User list is not valid' }
    expect(outcomes).toEqual([rejected, rejected, { kind: 'delivered' }])
    expect(asked).toHaveLength(2)
    expect(people.size).toBe(1)
  })

  it.each([
    ['first', ['', '8012345678', '8012345678']],
    ['in the middle', ['8012345678', '', '8012345678']],
    ['last', ['8012345678', '8012345678', '']],
  ])('if the list of the settings is unknown and comes %s, people of other lists arrive', async (_, lists) => {
    const { asked, people, send } = await sender({ list_id: '999' })
    const events = lists.map((list_id, at) => add(`m-${at}`, { email: `${at}`.repeat(64), list_id }))
    const held = { kind: 'retry', misconfigured: true, ofEvent: true, reason: expect.stringContaining('not valid') }
    expect(await send(...events)).toEqual(lists.map((id) => (id === '' ? held : { kind: 'delivered' })))
    expect(people.size).toBe(2)
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  it('later changes of a list that waits are not sent, so that they keep their order', async () => {
    const { asked, send } = await sender({ list_id: '999' })
    const person = { email: hashes.email }
    const outcomes = await send(add('1', person), add('2', { ...person, list_id: list }), remove('3', person))
    expect(outcomes).toMatchObject([{ misconfigured: true }, { kind: 'delivered' }, { misconfigured: true }])
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['that is unknown', '999', 'User list is not valid'],
    ['that is no number', 'VIPs', 'is not the number of a customer list'],
  ])('events whose mapping names a list %s wait alone, and the others arrive', async (_, list_id, words) => {
    const { people, send } = await sender()
    const wrong = { ...add('m-1', { email: hashes.email, list_id }), fixedLists: ['list_id'] }
    const reason = expect.stringMatching(new RegExp(`${words}.*Change it in the mapping`))
    const held = { kind: 'retry', misconfigured: true, ofEvent: true, reason }
    expect(await send(wrong)).toEqual([held])
    expect(await send(wrong, add('m-2', { phone: hashes.phone }))).toEqual([held, { kind: 'delivered' }])
    expect(people.size).toBe(1)
  })

  it('in test mode no person is added', async () => {
    const { people, send } = await sender({ validate_only: true })
    expect(await send(add('m-1', { email: hashes.email }))).toEqual([{ kind: 'delivered' }])
    expect(people.size).toBe(0)
  })

  it('settings of another form are refused', () => {
    expect(check({ customer_id: '12', login_customer_id: 'x', list_id: 'VIPs' })).toEqual({
      customer_id: 'Enter the customer ID, such as 123-456-7890',
      login_customer_id: 'Enter the customer ID of the manager account, such as 123-456-7890',
      list_id: 'Enter the number of the customer list, such as 8012345678',
    })
    expect(check(settings)).toEqual({})
  })
})
