import { type EventOutcome, mappingProblems, type OutgoingRow, presetMappings } from '@tributary/connector-kit'
import { outgoingEvent, runConnectorRows } from '@tributary/connector-kit/testing'
import { startVendor } from '@tributary/connector-kit/testing-destination'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { audienceObject } from './audience-address.ts'
import { metaCustomAudiences } from './definition.ts'
import { sha256 } from './match-keys.ts'
import { createMeta, token } from './testing-meta.ts'

const origin = 'https://graph.facebook.com'
const settings = { access_token: token, ad_account_id: 'act_123456789', audience_id: '23847' }

type Body = { payload: { schema: string[]; data: (string | number)[][] } }

const createAudience = () => {
  const meta = createMeta()
  meta.create('23847')
  const send = async (...events: PipelineEvent[]) => {
    const { asked, outcomes } = await sendTo(
      { definition: metaCustomAudiences, origin, settings, answer: meta.answer },
      events.map((event) => byPresets(metaCustomAudiences, event)),
    )
    return {
      outcomes,
      requests: asked.map(({ method, path, body }) => [method, path, (body as Body).payload] as const),
    }
  }
  return { meta, send }
}

const traits = {
  email: 'John_Smith@gmail.com',
  phone: '+1 (650)555-1212',
  firstName: 'Mary',
  last_name: 'Valéry',
  gender: 'Female',
  birthday: '1997-02-16',
  address: { city: 'New York', state: 'CA', postal_code: '94035-1234', country: 'US' },
}

/**
 * The keys of the traits in the order of Meta's schema. The hashes of email, phone, and names are copied from "Customer
 * Information Parameters"; the others are of the normalized text on that page.
 */
const person = {
  EMAIL: '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f',
  PHONE: 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176',
  GEN: sha256('f'),
  // "Hashing and Normalization for Multi-Key": DOBY in YYYY, DOBM in MM, DOBD in DD.
  DOBY: sha256('1997'),
  DOBM: sha256('02'),
  DOBD: sha256('16'),
  LN: '08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c',
  FN: '6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec',
  CT: sha256('newyork'),
  ST: sha256('ca'),
  ZIP: sha256('94035'),
  COUNTRY: sha256('us'),
}

/** An event of a connected audience in the form of packages/audiences, `audience-events.ts`. */
const audienceEvent = (event: 'Audience Entered' | 'Audience Exited', userId: string, more: object = traits) =>
  receivedEvent(event, {
    messageId: `${event}-${userId}`,
    userId,
    properties: { audience_id: 'a1', audience_title: 'Seen', user_ids: [userId], anonymous_ids: [], profile_id: 'p1' },
    context: { traits: more },
  })

// Segment adds with POST and removes with DELETE (action-destinations, `facebook-custom-audiences/sync/functions.ts`).
describe('the presets of a Custom Audience', () => {
  it('a person who enters a connected audience is added with every mapped field', async () => {
    const { meta, send } = createAudience()
    const { requests, outcomes } = await send(audienceEvent('Audience Entered', 'u1'))
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    expect(requests).toEqual([
      [
        'POST',
        '/v25.0/23847/users',
        { schema: ['EXTERN_ID', ...Object.keys(person)], data: [['u1', ...Object.values(person)]] },
      ],
    ])
    expect(meta.read('23847')).toEqual([{ EXTERN_ID: 'u1', ...person }])
  })

  it('a person who exits a connected audience is removed by the external ID', async () => {
    const { meta, send } = createAudience()
    await send(audienceEvent('Audience Entered', 'u1'), audienceEvent('Audience Entered', 'u2'))
    const { requests, outcomes } = await send(audienceEvent('Audience Exited', 'u1'))
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    expect(requests).toEqual([['DELETE', '/v25.0/23847/users', { schema: ['EXTERN_ID'], data: [['u1']] }]])
    expect(meta.read('23847').map(({ EXTERN_ID: id }) => id)).toEqual(['u2'])
  })

  it('people who enter and exit in one batch are sent in order', async () => {
    const { meta, send } = createAudience()
    const { requests } = await send(
      audienceEvent('Audience Entered', 'u1'),
      audienceEvent('Audience Exited', 'u1'),
      audienceEvent('Audience Entered', 'u2'),
      audienceEvent('Audience Exited', 'u3', {}),
      audienceEvent('Audience Entered', 'u1'),
    )
    expect(requests.map(([method]) => method)).toEqual(['POST', 'DELETE', 'POST', 'DELETE', 'POST'])
    expect(
      meta
        .read('23847')
        .map(({ EXTERN_ID: id }) => id)
        .toSorted(),
    ).toEqual(['u1', 'u2'])
  })

  it('a person without traits can exit, but a person without match keys is not added', async () => {
    const { send } = createAudience()
    const { outcomes } = await send(
      audienceEvent('Audience Exited', 'u1', {}),
      audienceEvent('Audience Entered', 'u2', { plan: 'pro' }),
    )
    expect(outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'rejected', reason: expect.stringContaining('nothing that Meta can match') },
    ])
  })

  it('an identify call adds the person with the traits of the call itself first', async () => {
    const { meta, send } = createAudience()
    const event = receivedEvent('', {
      type: 'identify',
      traits: { email: traits.email },
      context: { traits: { email: 'old@example.com', first_name: 'Mary' } },
    })
    await send(event)
    expect(meta.read('23847')).toEqual([{ EXTERN_ID: 'u1', EMAIL: person.EMAIL, FN: person.FN }])
  })

  it('the presets can be saved', () => {
    expect(mappingProblems(metaCustomAudiences, presetMappings(metaCustomAudiences))).toEqual({})
  })
})

// "Value-Based Lookalikes" (developers.facebook.com/documentation/ads-commerce/marketing-api/audiences/guides/
// value-based-lookalike-audiences): the schema key LOOKALIKE_VALUE, an integer or a fraction that is not negative. The
// values 44.5, 140, 0 and 0.9 are those of the page's example.
describe('the value of a person in a value-based audience', () => {
  const write = async (...rows: object[]) => {
    const meta = createMeta()
    meta.create('23847')
    const { asked, rebase } = await startVendor({ origins: [origin] }, meta.answer)
    const outgoing = rows.map(
      (values, at): OutgoingRow => ({
        recordId: `run.upsert.${at}`,
        operation: 'upsert',
        object: audienceObject({ id: '23847', identifier: 'extern_id' }),
        key: `k${at}`,
        json: JSON.stringify({ extern_id: `k${at}`, ...values }),
      }),
    )
    const { outcomes } = await runConnectorRows(metaCustomAudiences, settings, outgoing, { rebase })
    return { outcomes: outcomes as readonly EventOutcome[], payloads: asked.map(({ body }) => (body as Body).payload) }
  }
  const email = 'ada@example.com'

  it('is sent as a number, unhashed, in the column LOOKALIKE_VALUE', async () => {
    const { payloads, outcomes } = await write(
      { email, lookalike_value: 44.5 },
      { email, lookalike_value: 140 },
      { email, 'Lookalike Value': '0' },
      { email, LOOKALIKE_VALUE: '0.9' },
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
    expect(payloads).toEqual([
      {
        schema: ['EXTERN_ID', 'EMAIL', 'LOOKALIKE_VALUE'],
        data: [44.5, 140, 0, 0.9].map((value, at) => [`k${at}`, sha256(email), value]),
      },
    ])
  })

  it('is an empty text where it is unknown, and there is no column without values', async () => {
    const mixed = await write({ email, lookalike_value: 12.5 }, { email, lookalike_value: null }, { email })
    expect(mixed.payloads[0]?.data.map((row) => row.at(-1))).toEqual([12.5, '', ''])
    const none = await write({ email, lookalike_value: '' })
    expect(none.payloads[0]?.schema).toEqual(['EXTERN_ID', 'EMAIL'])
  })

  it.each([
    ['12,5', 'is not a number'],
    ['a lot', 'is not a number'],
    [-1, 'is negative'],
    [[5], 'is not a number'],
    [1e300, 'is not a number'],
  ])('that is wrong (%j) refuses the person', async (value, reason) => {
    const { outcomes } = await write({ email, lookalike_value: value }, { email })
    expect(outcomes).toEqual([
      { kind: 'rejected', reason: expect.stringContaining(`lookalike_value ${reason}`) },
      { kind: 'delivered' },
    ])
  })

  it('alone is no match key', async () => {
    const { outcomes } = await write({ lookalike_value: 5 })
    expect(outcomes).toMatchObject([
      { kind: 'rejected', reason: expect.stringContaining('nothing that Meta can match') },
    ])
  })
})

describe('the further fields of a person in a Custom Audience', () => {
  const add = async (values: Record<string, unknown>) => {
    const meta = createMeta()
    meta.create('23847')
    const { asked, outcomes } = await sendTo(
      { definition: metaCustomAudiences, origin, settings, answer: meta.answer },
      [outgoingEvent({ messageId: 'm-1' }, { action: 'add_person', payload: { extern_id: 'u1', ...values } })],
    )
    return { outcome: outcomes[0], payload: (asked[0]?.body as Body | undefined)?.payload }
  }

  // "Hashing and Normalization for Multi-Key": FI is the first letter, DOBY is YYYY, DOBM is MM, DOBD is DD.
  it.each<[Record<string, unknown>, Record<string, string>]>([
    [
      { doby: '1997', dobm: '2', dobd: '16', fi: 'Mary' },
      { DOBY: sha256('1997'), DOBM: sha256('02'), DOBD: sha256('16'), FI: sha256('m') },
    ],
    [{ dobd: '16/02/1997' }, { DOBY: sha256('1997'), DOBM: sha256('02'), DOBD: sha256('16') }],
    // The digits of this hash could be the date 1852-09-18.
    [{ dobd: sha256('x596') }, { DOBD: sha256('x596') }],
    [{ dobd: ` ${sha256('x596').toUpperCase()} ` }, { DOBD: sha256('x596') }],
    [{ dobd: `${sha256('x596')}.AQ` }, { DOBD: sha256('x596') }],
    // The same for an MD5, which audiences do not take: 1945-06-06.
    [{ dobd: '6eeb1945edc6cf371d10346b30936cfd', email: 'ada@example.com' }, { EMAIL: sha256('ada@example.com') }],
    [
      { dobd: '7', email: 'ada@example.com' },
      { EMAIL: sha256('ada@example.com'), DOBD: sha256('07') },
    ],
  ])('%j arrive as their match keys', async (given, wanted) => {
    const { payload, outcome } = await add(given)
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(payload?.schema).toEqual(['EXTERN_ID', ...Object.keys(wanted)])
    expect(payload?.data).toEqual([['u1', ...Object.values(wanted)]])
  })

  // Segment, `facebook-custom-audiences/sync/functions.ts`: lists beside the people.
  it('the app, the page, and the Instagram account arrive in lists of their own', async () => {
    const { payload } = await add({ email: 'ada@example.com', app_id: '111', page_id: '222', ig_account_id: '333' })
    expect(payload).toMatchObject({ app_ids: ['111'], page_ids: ['222'], ig_account_ids: ['333'] })
    expect(payload?.schema).toEqual(['EXTERN_ID', 'EMAIL'])
  })

  it('an app ID that is no number is left out and noted', async () => {
    const { outcome, payload } = await add({ email: 'ada@example.com', app_id: 'shop' })
    expect(outcome).toEqual({ kind: 'delivered', note: 'Not sent: app_id is not a number' })
    expect(payload).not.toHaveProperty('app_ids')
  })
})

describe('events that name a Custom Audience of their own', () => {
  const named = (messageId: string, audience_id?: string, fixed = false) =>
    outgoingEvent(
      { messageId },
      {
        action: 'add_person',
        payload: {
          extern_id: messageId,
          email: 'ada@example.com',
          ...(audience_id === undefined ? {} : { audience_id }),
        },
        ...(fixed ? { fixedLists: ['audience_id'] } : {}),
      },
    )
  const send = async (...events: ReturnType<typeof named>[]) => {
    const meta = createMeta()
    meta.create('23847')
    meta.create('23848', 'Buyers')
    const { asked, outcomes } = await sendTo(
      { definition: metaCustomAudiences, origin, settings, answer: meta.answer },
      events,
    )
    return { outcomes, paths: asked.map(({ path }) => path.replace(/^\/v[\d.]+/, '')) }
  }
  const delivered = { kind: 'delivered' }

  it('people go to the audience of their event, and those of others to that of the settings', async () => {
    const { outcomes, paths } = await send(named('m-1', '23848'), named('m-2'), named('m-3', '23848'))
    expect(outcomes).toEqual([delivered, delivered, delivered])
    expect(paths).toEqual(['/23848/users', '/23847/users'])
  })

  it.each([
    ['first', ['23999000', '', '23848']],
    ['in the middle', ['', '23999000', '23848']],
    ['last', ['', '23848', '23999000']],
  ])('an unknown audience that comes %s concerns only its own events', async (_, ids) => {
    const reason = 'Meta does not find the Custom Audience 23999000'
    const wrong = { kind: 'rejected', reason }
    const byEvent = await send(...ids.map((id, at) => named(`m-${at}`, id)))
    expect(byEvent.outcomes).toEqual(ids.map((id) => (id === '23999000' ? wrong : delivered)))
    const byMapping = await send(...ids.map((id, at) => named(`m-${at}`, id, true)))
    const held = { kind: 'retry', misconfigured: true, ofEvent: true, reason: `${reason}. Change it in the mapping` }
    expect(byMapping.outcomes).toEqual(ids.map((id) => (id === '23999000' ? held : delivered)))
  })

  it('a text that is no ID is refused before anything is sent', async () => {
    const { outcomes, paths } = await send(named('m-1', '../me'), named('m-2', 'VIPs', true))
    expect(outcomes).toMatchObject([
      { kind: 'rejected', reason: '"../me" is not the ID of a Custom Audience' },
      { kind: 'retry', misconfigured: true, ofEvent: true },
    ])
    expect(paths).toEqual([])
  })
})
