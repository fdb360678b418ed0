import type { OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { sendTo } from '../../wire/conversions/testing-presets.ts'
import { hubspot } from './definition.ts'
import { createHubspot, errorOf, token } from './testing-hubspot.ts'

type Sent = { eventName: string; uuid: string; properties: Record<string, string> }

const occurrence = (messageId: string, eventName: string, properties: object = {}): OutgoingEvent =>
  outgoingEvent(
    { messageId },
    {
      action: 'send_event',
      payload: {
        event_name: eventName,
        message_id: messageId,
        time: '2026-01-20T21:14:16.512Z',
        email: 'a@b.c',
        properties,
      },
    },
  )

/** Returns a property that says which event an occurrence is. */
const marked = (name: string, eventName: string): OutgoingEvent => occurrence(name, eventName, { mark: name })
const marksOf = (sent: readonly object[]): string[] =>
  (sent as Sent[]).map(({ properties }) => properties['mark'] ?? '')

/** Sends events to a stand-in that answers a request by its occurrences; undefined accepts it. */
const deliver = async (
  events: readonly OutgoingEvent[],
  answerTo: (inputs: readonly Sent[]) => PeerAnswer | undefined,
) => {
  const vendor = createHubspot()
  const answer = (request: VendorRequest): PeerAnswer =>
    answerTo((request.body as { inputs: Sent[] }).inputs) ?? vendor.answer(request)
  const platform = { definition: hubspot, origin: 'https://api.hubapi.com', settings: { access_token: token }, answer }
  const { outcomes, asked } = await sendTo(platform, events)
  return { outcomes, requests: asked.length, marks: marksOf(vendor.occurrences) }
}

const delivered = { kind: 'delivered' }
const has = (inputs: readonly Sent[], mark: string): boolean => marksOf(inputs).includes(mark)

describe('custom events of a request that HubSpot refuses', () => {
  const four = ['a', 'bad', 'c', 'd'].map((name) => marked(name, 'pe1_x'))
  const bad = errorOf(400, 'VALIDATION_ERROR', 'Property plan is wrong')

  // developers.hubspot.com, "Error handling": 401 and 403 are for the token, 5xx is temporary.
  it.each<[PeerAnswer, object]>([
    [errorOf(403, 'MISSING_SCOPES', 'No scope'), { kind: 'retry', misconfigured: true }],
    ['reset', { kind: 'retry' }],
    [{ status: 503 }, { kind: 'retry' }],
  ])('the accepted ones are not sent again if a later request fails with %j', async (failure, outcome) => {
    const { outcomes, marks } = await deliver(four, (inputs) =>
      has(inputs, 'bad') ? bad : has(inputs, 'c') ? failure : undefined,
    )
    expect(outcomes).toMatchObject([
      delivered,
      { kind: 'rejected', reason: 'Property plan is wrong' },
      outcome,
      outcome,
    ])
    expect(marks).toEqual(['a'])
  })

  it('an error of the first request concerns the whole batch', async () => {
    await expect(deliver(four, () => errorOf(401, 'INVALID_AUTHENTICATION', 'No'))).rejects.toThrow(
      'refuses the access',
    )
  })

  it.each([
    ['first', ['pe1_wrong', 'pe1_b', 'pe1_c']],
    ['in the middle', ['pe1_a', 'pe1_wrong', 'pe1_c']],
    ['last', ['pe1_a', 'pe1_b', 'pe1_wrong']],
  ])('if the name that the token may not send is %s, the events of the other names are sent', async (_, names) => {
    const { outcomes } = await deliver(
      names.map((name) => marked(name, name)),
      (inputs) =>
        inputs.length > 1 ? bad : has(inputs, 'pe1_wrong') ? errorOf(403, 'MISSING_SCOPES', 'No scope') : undefined,
    )
    const held = { kind: 'retry', misconfigured: true, ofEvent: true }
    expect(outcomes).toMatchObject(names.map((name) => (name === 'pe1_wrong' ? held : delivered)))
  })

  it('after a request that is retried, no more requests are sent', async () => {
    const events = ['a', 'b', 'c'].map((name) => marked(name, `pe1_${name}`))
    const { outcomes, requests } = await deliver(events, (inputs) =>
      inputs.length > 1 ? bad : has(inputs, 'b') ? errorOf(429, 'RATE_LIMITS', 'Slow down') : undefined,
    )
    expect(outcomes).toMatchObject([delivered, { kind: 'retry' }, { kind: 'retry' }])
    expect(requests).toBe(3)
  })

  it('an unknown name takes one more request for each name, and all of its events are rejected', async () => {
    const names = ['pe1_known', 'pe1_unknown', 'pe1_other']
    const events = Array.from({ length: 60 }, (_, at) => marked(`m${at}`, names[at % 3] ?? ''))
    const { outcomes, requests, marks } = await deliver(events, (inputs) =>
      inputs.some(({ eventName }) => eventName === 'pe1_unknown')
        ? errorOf(404, 'OBJECT_NOT_FOUND', 'No event pe1_unknown')
        : undefined,
    )
    const rejected = { kind: 'rejected', reason: 'No event pe1_unknown' }
    expect(outcomes).toEqual(events.map((_, at) => (at % 3 === 1 ? rejected : delivered)))
    expect(requests).toBe(4)
    expect(marks).toHaveLength(40)
  })

  it('a reason that all events share costs few requests, and events that were not sent alone wait', async () => {
    const events = Array.from({ length: 100 }, (_, at) => marked(`m${at}`, 'pe1_x'))
    const { outcomes, requests } = await deliver(events, () => bad)
    expect(outcomes.map(({ kind }) => kind)).toEqual(events.map((_, at) => (at < 20 ? 'rejected' : 'retry')))
    expect(requests).toBeLessThan(60)
  })

  it('a batch that is accepted takes one request for all names', async () => {
    const events = ['a', 'b', 'c'].map((name) => marked(name, `pe1_${name}`))
    expect(await deliver(events, () => undefined)).toEqual({
      outcomes: [delivered, delivered, delivered],
      requests: 1,
      marks: ['a', 'b', 'c'],
    })
  })
})

// developers.hubspot.com, "Usage guidelines": 100 requests in 10 seconds for a private app of the smallest plan.
describe('the rate of HubSpot', () => {
  const contact = (email: string) =>
    outgoingEvent({ messageId: email }, { action: 'upsert_contact', payload: { email, firstname: 'A' } })
  const company = outgoingEvent(
    { messageId: 'c' },
    { action: 'upsert_company', payload: { company_id: 'c1', contact_email: 'a@b.c' } },
  )
  const deal = outgoingEvent(
    { messageId: 'd' },
    { action: 'upsert_deal', payload: { deal_id: 'd1', contact_email: 'a@b.c', company_id: 'c1' } },
  )
  const { requests, perMs } = hubspot.rate?.({}) ?? { requests: Number.POSITIVE_INFINITY, perMs: 10_000 }

  it.each([
    ['contacts, of which some are new', [contact('a@b.c'), contact('b@b.c')]],
    ['deals with contact and company', [deal]],
  ])('is kept with batches of %s', async (_, events) => {
    const { answer } = createHubspot()
    const platform = {
      definition: hubspot,
      origin: 'https://api.hubapi.com',
      settings: { access_token: token },
      answer,
    }
    await sendTo(platform, [contact('a@b.c'), company])
    const { asked, outcomes } = await sendTo(platform, events)
    expect(outcomes).toEqual(events.map(() => delivered))
    // The kinds of properties are read once in ten minutes.
    const repeated = asked.filter(({ path }) => !path.startsWith('/crm/v3/properties/'))
    expect(repeated.length).toBeGreaterThan(2)
    expect((repeated.length * requests * 10_000) / perMs).toBeLessThanOrEqual(100)
  })
})
