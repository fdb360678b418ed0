import { clientFingerprint, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { googleAds } from '../definition.ts'
import { oauth2 } from '../settings.ts'
import { conversionAction, createGoogleAds, token } from '../testing-google-ads.ts'
import { adsErrorOf } from './testing-ads-api.ts'

const origins = ['https://datamanager.googleapis.com', 'https://googleads.googleapis.com']
const settings = {
  customer_id: '123-456-7890',
  conversion_action_id: conversionAction,
  client_id: 'client',
  client_secret: 'GOCSPX-0123456789',
  google_ads_api: true,
}
const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
const gclid = 'Cj0KCQjwtest_0123456789-abcdef'
const delivered = { kind: 'delivered' }
const accessToken = async (_refused?: string, again?: boolean): Promise<string> => {
  if (again === true) throw new Error('The grant has ended')
  return token
}

const event = (messageId: string, action: string, payload: Record<string, unknown>): OutgoingEvent =>
  outgoingEvent({ messageId, timestamp: minuteAgo }, { action, payload })
const retraction = (id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  event(id, 'upload_adjustment', { adjustment_type: 'retraction', transaction_id: id, ...changes })
const call = (id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  event(id, 'upload_call', { caller_id: '+16502531234', call_time: hourAgo, event_time: minuteAgo, ...changes })
const click = (id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  event(id, 'upload_click', { transaction_id: id, event_time: minuteAgo, gclid, ...changes })
const fractions = { loyalty_fraction: 0.7, transaction_upload_fraction: 1 }
const sale = (id: string, changes: Record<string, unknown> = {}): OutgoingEvent =>
  event(id, 'upload_store_sale', {
    transaction_id: id,
    event_time: minuteAgo,
    value: 5,
    currency: 'EUR',
    email: 'a'.repeat(64),
    ...fractions,
    ...changes,
  })
const conversion = (id: string): OutgoingEvent =>
  event(id, 'upload_conversion', { transaction_id: id, event_time: minuteAgo, gclid })

type Answer = (request: VendorRequest, usual: () => PeerAnswer) => PeerAnswer

const sender = async (more: Record<string, unknown> = {}, answer: Answer = (_, usual) => usual()) => {
  const ads = createGoogleAds()
  const { asked, rebase } = await startVendor({ origins }, (request) => answer(request, () => ads.answer(request)))
  const send = async (...events: OutgoingEvent[]) => {
    const result = await runConnector(googleAds, { ...settings, ...more }, events, { rebase, accessToken })
    return { ...result, outcomes: result.outcomes as readonly EventOutcome[] }
  }
  const test = () => runConnectionTest(googleAds, { ...settings, ...more }, { rebase, accessToken })
  return { ...ads, asked, send, test }
}

describe('operations of the Google Ads API', () => {
  it('a retraction has no value and no person, the customer ID has no dashes, and the time has its offset', async () => {
    const { send, asked } = await sender()
    await send(retraction('o-1', { value: 5, currency: 'EUR', email: 'a'.repeat(64), adjustment_time: minuteAgo }))
    expect(asked.map(({ host, path, body }) => [host, path, body])).toEqual([
      [
        'googleads.googleapis.com',
        '/v25/customers/1234567890:uploadConversionAdjustments',
        {
          partialFailure: true,
          conversionAdjustments: [
            {
              adjustmentType: 'RETRACTION',
              adjustmentDateTime: `${minuteAgo.slice(0, 10)} ${minuteAgo.slice(11, 19)}+00:00`,
              conversionAction: `customers/1234567890/conversionActions/${conversionAction}`,
              orderId: 'o-1',
            },
          ],
        },
      ],
    ])
    expect(asked[0]?.headers).not.toHaveProperty('developer-token')
  })

  it('of a request with refused operations, only these are refused, and each operation is sent once', async () => {
    const { send, asked, adsApi } = await sender()
    const { outcomes, response } = await send(
      retraction('o-1'),
      retraction('error:CONVERSION_NOT_FOUND:o-2'),
      retraction('error:TOO_RECENT_CONVERSION:o-3'),
      retraction('error:CONVERSION_ALREADY_RETRACTED:o-4'),
      retraction('error:NO_CONVERSION_ACTION_FOUND:o-5'),
      retraction('o-6'),
    )
    expect(outcomes).toEqual([
      delivered,
      { kind: 'rejected', reason: 'The error CONVERSION_NOT_FOUND' },
      { kind: 'retry', ofEvent: true, reason: 'The error TOO_RECENT_CONVERSION' },
      { kind: 'skipped', reason: 'Google has it already: The error CONVERSION_ALREADY_RETRACTED' },
      {
        kind: 'retry',
        misconfigured: true,
        ofEvent: true,
        reason: expect.stringContaining('NO_CONVERSION_ACTION_FOUND'),
      },
      delivered,
    ])
    expect(response).toContain('partialFailureError')
    expect(asked).toHaveLength(1)
    expect(adsApi.taken.map(({ operation }) => operation['orderId'])).toEqual(['o-1', 'o-6'])
  })

  it('an error that names no operation refuses those without a result', async () => {
    const results = [{ orderId: 'o-1' }, {}]
    const error = { code: 3, details: [{ errors: [{ errorCode: { requestError: 'UNKNOWN' }, message: 'Not read' }] }] }
    const body = JSON.stringify({ partialFailureError: error, results })
    const { send } = await sender({}, () => ({ status: 200, headers: {}, body }))
    expect((await send(retraction('o-1'), retraction('o-2'))).outcomes).toEqual([
      delivered,
      { kind: 'rejected', reason: 'Not read' },
    ])
  })

  it('two operations about one conversion are in requests of their own, and the second one is known already', async () => {
    const { send, asked } = await sender()
    const { outcomes } = await send(click('o-1'), click('o-1'), click('o-2'))
    expect(outcomes).toMatchObject([delivered, { kind: 'skipped' }, delivered])
    expect(asked.map(({ body }) => (body as { conversions: unknown[] }).conversions.length)).toEqual([2, 1])
  })

  it('a value that the API cannot read refuses its operation, and the others are sent without it', async () => {
    let requests = 0
    const violation = { field: 'conversions[1].conversion_value', description: 'Invalid value' }
    const { send, asked } = await sender({}, (_, usual) =>
      ++requests === 1
        ? {
            status: 400,
            headers: {},
            body: JSON.stringify({ error: { code: 400, details: [{ fieldViolations: [violation] }] } }),
          }
        : usual(),
    )
    const callers = [1, 2, 3].map((number) => call(`c-${number}`, { caller_id: `+1650253123${number}` }))
    expect((await send(...callers)).outcomes).toEqual([
      delivered,
      { kind: 'rejected', reason: 'Invalid value' },
      delivered,
    ])
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['a caller without a country code', call('c', { caller_id: '650 253 1234' }), 'not a phone number'],
    ['a call after its conversion', call('c', { call_time: minuteAgo, event_time: hourAgo }), 'after the conversion'],
    ['a restatement without a value', retraction('o', { adjustment_type: 'restatement' }), 'needs the value'],
    ['an enhancement without a person', retraction('o', { adjustment_type: 'enhancement' }), 'needs an email'],
    ['a retraction of no conversion', retraction('o', { transaction_id: '' }), 'no transaction ID'],
    ['a share without a click', click('o', { gclid: '', external_attribution_credit: 0.3 }), 'needs a click ID'],
    ['a share over 1', click('o', { external_attribution_credit: 1.5 }), 'over 0 and at most 1'],
    ['a fraction of 0', sale('s', { loyalty_fraction: 0 }), 'over 0 and at most 1'],
    ['a partner without its fractions', sale('s', { partner_id: '17' }), 'A partner needs'],
    ['a sale of nothing', sale('s', { value: 0 }), 'more than 0.001'],
  ])('%s is refused before it is sent', async (_, given, reason) => {
    const { send, asked } = await sender()
    expect((await send(given)).outcomes).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining(reason) }])
    expect(asked).toEqual([])
  })

  it('a conversion with an attributed share has neither transaction ID nor person, and the default country completes a caller', async () => {
    const { send, adsApi } = await sender({ default_country: 'US' })
    const share = {
      external_attribution_credit: '0.3',
      external_attribution_model: 'time decay',
      email: 'a'.repeat(64),
    }
    expect((await send(click('o-1', share), call('c', { caller_id: '(650) 253-1234' }))).outcomes).toEqual([
      delivered,
      delivered,
    ])
    expect(adsApi.taken.map(({ operation }) => operation)).toEqual([
      {
        gclid,
        conversionAction: expect.any(String),
        conversionDateTime: expect.any(String),
        externalAttributionData: { externalAttributionCredit: 0.3, externalAttributionModel: 'time decay' },
      },
      expect.objectContaining({ callerId: '+16502531234' }),
    ])
  })

  it('the caller and the address of a person are in no stored request or response', async () => {
    const { send } = await sender()
    const address = {
      first_name: 'a'.repeat(64),
      last_name: 'b'.repeat(64),
      country: 'US',
      postal_code: '94035-1234',
      city: 'Mountain View',
    }
    const enhancement = { adjustment_type: 'enhancement', ...address }
    const results = [
      await send(call('c-1', { conversion_action_id: '000' }), call('error')),
      await send(retraction('error:CONVERSION_NOT_FOUND:o', enhancement)),
    ]
    expect(JSON.stringify(results)).not.toMatch(/6502531234|94035|Mountain View/)
  })

  it('test mode uploads nothing', async () => {
    const { send, adsApi, asked } = await sender({ validate_only: true })
    expect((await send(retraction('o-1'), sale('s-1'))).outcomes).toEqual([delivered, delivered])
    expect(asked.map(({ body }) => (body as { validateOnly?: boolean }).validateOnly)).toEqual([true, true])
    expect([adsApi.taken, adsApi.jobs.size]).toEqual([[], 0])
  })
})

describe('sales in stores', () => {
  it('sales with the same fractions are one job, of which only the refused sales are left out', async () => {
    const { send, adsApi, asked } = await sender()
    const { outcomes } = await send(
      sale('s-1'),
      sale('error:INVALID_COUNTRY_CODE:s-2'),
      sale('s-3'),
      sale('s-4', { loyalty_fraction: 0.5 }),
    )
    expect(outcomes).toEqual([
      delivered,
      { kind: 'rejected', reason: 'The error INVALID_COUNTRY_CODE' },
      delivered,
      delivered,
    ])
    expect(asked.map(({ path }) => path.split(':')[1])).toEqual([
      'create',
      'addOperations',
      'run',
      'create',
      'addOperations',
      'run',
    ])
    expect(adsApi.sold()).toHaveLength(3)
  })

  it('a job that started in spite of an error is not uploaded again', async () => {
    let runs = 0
    const { send, adsApi } = await sender({}, ({ path }, usual) => {
      const answer = usual()
      return path.endsWith(':run') && ++runs === 1 ? adsErrorOf(503, 'UNAVAILABLE') : answer
    })
    expect((await send(sale('s-1'))).outcomes).toEqual([delivered])
    expect([runs, adsApi.sold().length, adsApi.jobs.size]).toEqual([2, 1, 1])
  })

  it('sales are retried if their job cannot be created, filled, or started, and none of them counts', async () => {
    for (const step of ['create', 'addOperations', 'run']) {
      const { send, adsApi } = await sender({}, ({ path }, usual) =>
        path.endsWith(`:${step}`) ? adsErrorOf(503, 'UNAVAILABLE') : usual(),
      )
      expect((await send(sale('s-1'), sale('s-2'))).outcomes).toMatchObject([{ kind: 'retry' }, { kind: 'retry' }])
      expect(adsApi.sold()).toEqual([])
    }
  })

  it('if all responses to the start of a job are lost, the next attempt starts the same job, and the sale counts once', async () => {
    let runs = 0
    const ads = createGoogleAds()
    const { rebase } = await startVendor({ origins }, (request) => {
      const answer = ads.answer(request)
      return request.path.endsWith(':run') && ++runs <= 2 ? 'reset' : answer
    })
    const twice: typeof googleAds = {
      ...googleAds,
      deliver: async (batch, context) => {
        await expect(googleAds.deliver(batch, context)).rejects.toThrow()
        return await googleAds.deliver([...batch, sale('s-2')], context)
      },
    }
    const { outcomes } = await runConnector(twice, settings, [sale('s-1')], { rebase, accessToken })
    expect(outcomes).toEqual([delivered, delivered])
    expect(
      ads.adsApi
        .sold()
        .map(({ create }) => (create as { transactionAttribute: { orderId: string } }).transactionAttribute.orderId),
    ).toEqual(['s-1', 's-2'])
    expect(ads.adsApi.jobs.size).toBe(2)
  })

  it('a job that Google no longer has is uploaded again', async () => {
    let runs = 0
    const ads = createGoogleAds()
    const { rebase } = await startVendor({ origins }, (request) => {
      if (request.path.endsWith(':run') && ++runs <= 2) {
        ads.adsApi.jobs.clear()
        return adsErrorOf(503, 'UNAVAILABLE')
      }
      return ads.answer(request)
    })
    const twice: typeof googleAds = {
      ...googleAds,
      deliver: async (batch, context) => {
        await googleAds.deliver(batch, context)
        return await googleAds.deliver(batch, context)
      },
    }
    const { outcomes } = await runConnector(twice, settings, [sale('s-1')], { rebase, accessToken })
    expect(outcomes).toEqual([delivered])
    expect(ads.adsApi.sold()).toHaveLength(1)
  })

  it('the fractions that Google refuses refuse all sales of the job at once', async () => {
    const location = { fieldPathElements: [{ fieldName: 'job' }, { fieldName: 'store_sales_metadata' }] }
    const { send, asked } = await sender({}, () =>
      adsErrorOf(400, 'INVALID_ARGUMENT', { rangeError: 'TOO_HIGH' }, { location }),
    )
    expect((await send(sale('s-1'), sale('s-2'))).outcomes).toMatchObject([{ kind: 'rejected' }, { kind: 'rejected' }])
    expect(asked).toHaveLength(1)
  })
})

describe('an error of the Google Ads API', () => {
  const ofAdsApi =
    (answer: PeerAnswer): Answer =>
    ({ host }, usual) =>
      host === 'googleads.googleapis.com' ? answer : usual()

  it.each([
    [
      'a used-up quota, whose pause is at most a minute',
      adsErrorOf(
        429,
        'RESOURCE_EXHAUSTED',
        { quotaError: 'RESOURCE_EXHAUSTED' },
        { details: { quotaErrorDetails: { retryDelay: '900s' } } },
      ),
      { retryAfterMs: 60_000 },
    ],
    [
      'a short pause that Google asks for',
      adsErrorOf(
        429,
        'RESOURCE_EXHAUSTED',
        { quotaError: 'RESOURCE_TEMPORARILY_EXHAUSTED' },
        { details: { quotaErrorDetails: { retryDelay: '5s' } } },
      ),
      { retryAfterMs: 5000 },
    ],
    ['an outage', adsErrorOf(503, 'UNAVAILABLE'), {}],
    [
      'a project without access to production accounts',
      adsErrorOf(403, 'PERMISSION_DENIED', { authorizationError: 'CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION' }),
      { misconfigured: true, reason: expect.stringContaining('CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION') },
    ],
    [
      'a grant without the scope',
      {
        status: 403,
        headers: {},
        body: JSON.stringify({ error: { code: 403, details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } }),
      },
      { misconfigured: true, reason: 'The connection does not include the Google Ads API: reconnect' },
    ],
    ['an ended version', adsErrorOf(404, 'NOT_FOUND'), { misconfigured: true }],
    [
      'an account that may not use a method',
      adsErrorOf(400, 'INVALID_ARGUMENT', { notAllowlistedError: 'CUSTOMER_NOT_ALLOWLISTED_FOR_THIS_FEATURE' }),
      { misconfigured: true },
    ],
  ])('%s retries its operations, and the other conversions of the batch are sent', async (_, answer, outcome) => {
    const { send, counted } = await sender({}, ofAdsApi(answer))
    const { outcomes } = await send(retraction('o-1'), conversion('o-2'))
    expect(outcomes).toMatchObject([{ kind: 'retry', ...outcome }, delivered])
    expect(counted.size).toBe(1)
  })

  it('a method that the account may not use waits alone, and the other methods of the batch are sent', async () => {
    const code = { notAllowlistedError: 'CUSTOMER_NOT_ALLOWLISTED_FOR_THIS_FEATURE' }
    const { send, adsApi } = await sender({}, ({ path }, usual) =>
      path.endsWith(':uploadCallConversions') ? adsErrorOf(400, 'INVALID_ARGUMENT', code) : usual(),
    )
    const { outcomes } = await send(call('c-1'), retraction('o-1'), click('o-2'))
    expect(outcomes).toMatchObject([{ kind: 'retry', misconfigured: true, ofEvent: true }, delivered, delivered])
    expect(adsApi.taken).toHaveLength(2)
    const alone = (await send(call('c-1'))).outcomes
    expect(alone).toMatchObject([{ kind: 'retry', misconfigured: true }])
    expect(alone[0]).not.toHaveProperty('ofEvent')
  })

  it('a refused token ends the grant', async () => {
    const answer = adsErrorOf(401, 'UNAUTHENTICATED', { authenticationError: 'OAUTH_TOKEN_INVALID' })
    const { send } = await sender({}, ofAdsApi(answer))
    await expect(send(retraction('o-1'))).rejects.toThrow('The grant has ended')
  })

  it('a connection test reads the account with the Google Ads API, too', async () => {
    expect(await (await sender()).test()).toEqual({ ok: true, message: expect.stringContaining('123-456-7890') })
    const refused = adsErrorOf(403, 'PERMISSION_DENIED', { authorizationError: 'USER_PERMISSION_DENIED' })
    expect(await (await sender({}, ofAdsApi(refused))).test()).toEqual({
      ok: false,
      message: expect.stringContaining('does not allow access to the Google Ads API: USER_PERMISSION_DENIED'),
    })
    const without = await sender({ google_ads_api: false }, ofAdsApi(refused))
    expect(await without.test()).toMatchObject({ ok: true })
  })
})

describe('the setting of the Google Ads API', () => {
  it('operations wait while it is off, and other conversions are sent', async () => {
    const { send, asked } = await sender({ google_ads_api: false })
    expect((await send(retraction('o-1'), conversion('o-2'))).outcomes).toEqual([
      {
        kind: 'retry',
        misconfigured: true,
        ofEvent: true,
        reason: '"Retract or enhance conversion" needs "Google Ads API": turn it on in the settings of the destination',
      },
      delivered,
    ])
    expect(asked.map(({ host }) => host)).toEqual(['datamanager.googleapis.com'])
  })

  it('it asks for the further scope, and an earlier grant is not used with it', () => {
    const [off, on] = [oauth2({ client_id: 'c' }), oauth2({ client_id: 'c', google_ads_api: true })]
    expect(on.scopes).toEqual([...off.scopes, 'https://www.googleapis.com/auth/adwords'])
    expect(on.tokensSentTo).toEqual(origins)
    expect(clientFingerprint(on)).not.toBe(clientFingerprint(off))
  })
})
