import { createHash } from 'node:crypto'
import { ConfigurationError, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, testDestination } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { googleAds } from './definition.ts'
import { check, oauth2 } from './settings.ts'
import { conversionAction, createGoogleAds, customer, errorOf, token } from './testing-google-ads.ts'

const origins = ['https://datamanager.googleapis.com']
const settings = {
  customer_id: '123-456-7890',
  conversion_action_id: conversionAction,
  client_id: 'client',
  client_secret: 'GOCSPX-0123456789',
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const dayMs = 24 * 60 * 60_000
const daysAgo = (days: number): string => new Date(Date.now() - days * dayMs).toISOString()
const dayAgo = daysAgo(1)
const gclid = 'Cj0KCQjwtest_0123456789-abcdef'

const accessToken = async (refused?: string, again?: boolean): Promise<string> => {
  if (again === true) throw new ConfigurationError('The connection was revoked: reconnect')
  return refused === undefined ? token : `${token}-renewed`
}

const conversion = (
  transaction_id: string,
  changes: Record<string, unknown> = {},
  action = 'upload_conversion',
): OutgoingEvent =>
  outgoingEvent(
    { messageId: transaction_id },
    { action, payload: { transaction_id, event_time: dayAgo, value: '25.50', currency: 'eur', gclid, ...changes } },
  )

const sender = async (more: Record<string, unknown> = {}, given: { named?: boolean } = {}) => {
  const ads = createGoogleAds(given)
  const { asked, rebase } = await startVendor({ origins }, ads.answer)
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(googleAds, { ...settings, ...more }, events, { rebase, accessToken })
    return { ...result, outcomes: result.outcomes as readonly EventOutcome[] }
  }
  return { ...ads, asked, send }
}
const delivered = { kind: 'delivered' }

testDestination(googleAds, {
  origins,
  settings: () => settings,
  accessToken,
  secrets: [token, settings.client_secret, '94035-1234'],
  vendor: (request) => createGoogleAds().answer(request),
  events: [
    conversion('order-1', { ad_user_data: true, ad_personalization: 'denied' }),
    conversion('order-2', {
      gclid: undefined,
      email: sha256('ada@example.com'),
      first_name: sha256('ada'),
      last_name: sha256('lovelace'),
      country: 'us',
      postal_code: '94035-1234',
      event_source: 'in_store',
    }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'datamanager.googleapis.com',
      path: '/v1/events:ingest',
      body: {
        destinations: [
          {
            operatingAccount: { accountType: 'GOOGLE_ADS', accountId: customer },
            productDestinationId: conversionAction,
          },
        ],
        encoding: 'HEX',
        events: [
          {
            transactionId: 'order-1',
            eventTimestamp: dayAgo,
            eventSource: 'WEB',
            conversionValue: 25.5,
            currency: 'EUR',
            adIdentifiers: { gclid },
            consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_DENIED' },
          },
          {
            transactionId: 'order-2',
            eventSource: 'IN_STORE',
            userData: {
              userIdentifiers: [
                { emailAddress: sha256('ada@example.com') },
                {
                  address: {
                    givenName: sha256('ada'),
                    familyName: sha256('lovelace'),
                    regionCode: 'US',
                    postalCode: '94035-1234',
                  },
                },
              ],
            },
          },
        ],
      },
    },
  ],
  connected: 'Connected to the Google Ads account 123-456-7890.',
  badCredentials: {
    settings: () => settings,
    answer: errorOf(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    message: 'The connection was revoked',
  },
  rateLimit: { answer: errorOf(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.'), retryAfterMs: 60_000 },
  partialFailure: {
    events: [
      conversion('order-1'),
      conversion('refused-1'),
      conversion('m-3', { event_time: daysAgo(91) }),
      conversion('m-4', { currency: 'XYZ' }),
      conversion('m-5', { ad_user_data: false }),
      conversion('order-6'),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'Refused in undefined' },
      { kind: 'skipped', reason: 'Older than 90 days' },
      { kind: 'rejected', reason: expect.stringContaining('not a currency code') },
      { kind: 'skipped', reason: expect.stringContaining('consent') },
      { kind: 'delivered' },
    ],
  },
  maxEventAgeMs: 90 * dayMs,
})

describe('conversions for Google Ads', () => {
  it('conversions for Google Ads that are sent again count once, and an adjustment restates the value of one', async () => {
    const { send, counted } = await sender()
    await send(conversion('order-1'), conversion('order-1'))
    await send(conversion('order-1', { value: 0 }, 'adjust_conversion'))
    expect([...counted.entries()]).toMatchObject([[`${conversionAction}/order-1`, { conversionValue: 0 }]])
  })

  it.each([
    ['without a click ID after 63 days', {}, 'upload_conversion', 64, 'Older than 63 days'],
    ['with a click ID after 90 days', { gclid }, 'upload_conversion', 91, 'Older than 90 days'],
    ['of an adjustment after 54 days', { gclid }, 'adjust_conversion', 55, 'Older than 54 days'],
  ])('conversions for Google Ads %s are omitted', async (_, changes, action, days, reason) => {
    const { send, asked } = await sender()
    const person = { gclid: undefined, email: sha256('ada@example.com'), event_time: daysAgo(days) }
    const { outcomes } = await send(conversion('m-1', { ...person, ...changes }, action))
    expect(outcomes).toEqual([{ kind: 'skipped', reason }])
    expect(asked).toHaveLength(0)
  })

  it.each([
    ['with a click ID of another platform', { gclid: 'E.C.P.abc' }, 'no click ID of Google'],
    ['with a negative value', { value: -1 }, 'negative'],
    ['of an unknown source', { event_source: 'radio' }, 'no event source "RADIO"'],
    ['of an action that is no number', { conversion_action_id: 'purchase' }, 'not the number'],
    ['in the future', { event_time: daysAgo(-1) }, 'future'],
  ])('conversions for Google Ads %s are refused before they are sent', async (_, changes, reason) => {
    const { send, asked } = await sender()
    expect((await send(conversion('m-1', changes))).outcomes).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining(reason) },
    ])
    expect(asked).toHaveLength(0)
  })

  it('conversions for Google Ads are grouped by action, one request for each action, with one click ID of the page', async () => {
    const { send, asked } = await sender()
    const page = { gclid: undefined, page_url: 'https://shop.example/?wbraid=wb-1&utm_source=x' }
    await send(conversion('m-1'), conversion('m-2', { ...page, conversion_action_id: '111222' }))
    expect(asked.map(({ body }) => body)).toMatchObject([
      { destinations: [{ productDestinationId: conversionAction }], events: [{ adIdentifiers: { gclid } }] },
      { destinations: [{ productDestinationId: '111222' }], events: [{ adIdentifiers: { wbraid: 'wb-1' } }] },
    ])
    expect(JSON.stringify(asked)).not.toContain('utm_source')
  })

  it('conversions that Google refuses without naming them are found by halving the request', async () => {
    const { send, counted } = await sender({}, { named: false })
    const events = ['a', 'b', 'refused-1', 'd', 'e'].map((id) => conversion(id))
    expect((await send(...events)).outcomes).toMatchObject([
      delivered,
      delivered,
      { kind: 'rejected' },
      delivered,
      delivered,
    ])
    expect(counted.size).toBe(4)
  })

  it('conversions for Google Ads in test mode are checked and not imported', async () => {
    const { send, counted } = await sender({ validate_only: true })
    expect((await send(conversion('order-1'))).outcomes).toEqual([delivered])
    expect(counted.size).toBe(0)
  })

  it('conversions for another Google Ads account or for an unknown action are held', async () => {
    await expect((await sender({ customer_id: '1111111111' })).send(conversion('m-1'))).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('does not allow access'),
    })
    await expect((await sender({ conversion_action_id: '999' })).send(conversion('m-1'))).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining('Invalid conversion action'),
    })
  })

  it.each([
    ['first', ['999', '7012345678', '111222']],
    ['in the middle', ['7012345678', '999', '111222']],
    ['last', ['7012345678', '111222', '999']],
  ])('if the wrong action is %s, the conversions of the others are sent', async (_, actions) => {
    const { send, counted, asked } = await sender()
    const { outcomes, response } = await send(
      ...actions.map((conversion_action_id) => conversion(`m-${conversion_action_id}`, { conversion_action_id })),
    )
    const reason = 'Google does not take the account or the conversion action: Invalid conversion action'
    const held = { kind: 'retry', misconfigured: true, ofEvent: true, reason }
    expect(outcomes).toEqual(actions.map((id) => (id === '999' ? held : delivered)))
    expect(asked).toHaveLength(3)
    expect(counted.size).toBe(2)
    expect(response).toContain('INVALID_CONVERSION_ACTION_ID')
  })

  it('an account that Google refuses holds the batch, and costs at most 20 requests', async () => {
    const { rebase, asked } = await startVendor({ origins }, () =>
      errorOf(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    )
    const events = Array.from({ length: 50 }, (_, at) =>
      conversion(`m-${at}`, { conversion_action_id: `${7000 + at}` }),
    )
    const sent = runConnector(googleAds, settings, events, { rebase, accessToken })
    await expect(sent).rejects.toMatchObject({ name: 'ConfigurationError' })
    expect(asked).toHaveLength(20)
  })

  it('conversions for Google Ads do not show the postal code in the reasons that Google gives', async () => {
    const { send } = await sender()
    const names = { first_name: sha256('ada'), last_name: sha256('l'), country: 'US', postal_code: '94035-1234' }
    const result = await send(conversion('refused-1', names))
    expect(result.outcomes).toEqual([{ kind: 'rejected', reason: 'Refused in [redacted]' }])
    expect(JSON.stringify(result)).not.toContain('94035')
  })

  it('conversions for Google Ads include the manager account if one is set', async () => {
    const { send, asked } = await sender({ login_customer_id: '999-888-7777' })
    await send(conversion('m-1'))
    expect(asked[0]?.body).toMatchObject({
      destinations: [{ loginAccount: { accountType: 'GOOGLE_ADS', accountId: '9998887777' } }],
    })
  })
})

// "Understand API errors" and "ErrorReason" of the Data Manager API (developers.google.com/data-manager/api/devguides/concepts/understand-errors).
describe('an error that Google documents', () => {
  const problem = 'There was a problem with the request.'
  const endOf = async (answer: PeerAnswer): Promise<unknown> => {
    const { rebase } = await startVendor({ origins }, () => answer)
    return await runConnector(googleAds, settings, [conversion('m-1')], { rebase, accessToken }).then(
      ({ outcomes }) => outcomes,
      (error: unknown) => error,
    )
  }
  it.each([
    ['RESOURCE_EXHAUSTED', errorOf(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.'), 60_000],
    ['INTERNAL', errorOf(500, 'INTERNAL', 'Internal error.'), undefined],
    ['UNAVAILABLE', errorOf(503, 'UNAVAILABLE', 'Unavailable.'), undefined],
    ['DEADLINE_EXCEEDED', errorOf(504, 'DEADLINE_EXCEEDED', 'Too long.'), undefined],
  ])('the Google Ads error %s is retried', async (_, answer, retryAfterMs) => {
    expect(await endOf(answer)).toMatchObject([
      { kind: 'retry', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    ])
  })
  it.each([
    [
      'PERMISSION_DENIED',
      errorOf(403, 'PERMISSION_DENIED', 'No permission'),
      'does not allow access to the account: No',
    ],
    ['NOT_FOUND', errorOf(404, 'NOT_FOUND', 'Not found'), 'does not find the account: Not found'],
    [
      'INVALID_CONVERSION_ACTION_TYPE',
      errorOf(400, 'INVALID_ARGUMENT', problem, [
        { field: 'destinations[0]', description: 'Wrong type', reason: 'INVALID_CONVERSION_ACTION_TYPE' },
      ]),
      'does not take the account or the conversion action: Wrong type',
    ],
    [
      'TERMS_AND_CONDITIONS_NOT_SIGNED',
      errorOf(400, 'INVALID_ARGUMENT', 'Accept the terms', [], 'TERMS_AND_CONDITIONS_NOT_SIGNED'),
      'does not take the account or the conversion action: Accept the terms',
    ],
    [
      'DESTINATION_ACCOUNT_ENHANCED_CONVERSIONS_TERMS_NOT_SIGNED of an event',
      errorOf(400, 'INVALID_ARGUMENT', problem, [
        {
          field: 'events[0].user_data',
          description: 'Agree to the terms for enhanced conversions',
          reason: 'DESTINATION_ACCOUNT_ENHANCED_CONVERSIONS_TERMS_NOT_SIGNED',
        },
      ]),
      'does not take the account or the conversion action: Agree to the terms for enhanced conversions',
    ],
  ])('the Google Ads error %s holds conversions with a readable message', async (_, answer, words) => {
    expect(await endOf(answer)).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`Google ${words}`),
    })
  })
  it.each([
    'NO_IDENTIFIERS_PROVIDED',
    'INVALID_SHA256_FORMAT',
    'INVALID_COUNTRY_CODE',
    'INVALID_CURRENCY_CODE',
    'INVALID_NUMBER_FORMAT',
    'INVALID_EVENT',
  ])('the Google Ads error %s rejects the conversion, which is not sent again', async (reason) => {
    const violation = { field: 'events[0]', description: `It has ${reason}`, reason }
    expect(await endOf(errorOf(400, 'INVALID_ARGUMENT', problem, [violation]))).toEqual([
      { kind: 'rejected', reason: `It has ${reason}` },
    ])
  })
})

it('IDs of Google Ads are validated as numbers, and the grant covers only the Data Manager API', () => {
  expect(check({ customer_id: '123-456-7890', conversion_action_id: '7012345678' })).toEqual({})
  expect(check({ customer_id: '12', login_customer_id: 'x', conversion_action_id: 'customers/1' })).toMatchObject({
    customer_id: expect.any(String),
    login_customer_id: expect.any(String),
    conversion_action_id: expect.any(String),
  })
  expect(oauth2({ client_id: 'c' })).toMatchObject({
    clientId: 'c',
    tokensSentTo: origins,
    scopes: ['openid', 'email', 'https://www.googleapis.com/auth/datamanager'],
  })
})
