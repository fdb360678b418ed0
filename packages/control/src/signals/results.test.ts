import { methods, type SignalDefinition } from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { makePlatform, signalsCatalog, trialSignal } from '../testing/signals.ts'

let harness: Harness
let organization: Organization
let workspace: string
let source: string
let meta: string
const day = 86_400

beforeAll(async () => {
  harness = await startControl({ catalog: signalsCatalog })
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
  const body = { title: 'Shop', app: { name: 'catalogSources/ads' } }
  source = (await organization.administrator.ok(methods.sources.create, { workspace }, { body })).name
  meta = await makePlatform(organization, 'meta')
})
afterAll(() => harness[Symbol.asyncDispose]())

const period = () => {
  const start = Math.floor(harness.now() / 1000 / day) * day
  return { 'start_date.seconds': start, 'end_date.seconds': start + day }
}
const create = async (more: Partial<SignalDefinition> = {}): Promise<string> => {
  const body = { title: 'Orders', enabled: true, ...trialSignal(source, [meta]), ...more }
  return idIn((await organization.administrator.ok(methods.signals.create, { workspace }, { body })).name)
}

/** An event as the event store has it, received a minute ago. */
const storedEvent = (index: number, original: object) => {
  const at = new Date(harness.now() - 60_000 - index).toISOString().replace('T', ' ').slice(0, 23)
  return {
    workspace_id: workspace,
    source_id: idIn(source),
    event_id: `0-${index}-0`,
    message_id: `m${index}`,
    type: 'track',
    event: 'Order Completed',
    user_id: `user-${index}`,
    status: 'accepted',
    receive_time: at,
    timestamp: at,
    original: JSON.stringify(original),
    context: JSON.stringify((original as { context?: object }).context ?? {}),
  }
}

test('a preview scores stored events, shows which ones would not be sent, and masks people', async () => {
  const person = (index: number) => ({
    properties: { order_id: `o${index}`, total: index === 3 ? '1,5' : 10, currency: 'EUR' },
    context: {
      ip: '192.0.2.71',
      traits: { email: `secret${index}@example.com`, ...(index === 1 ? { phone: '+4930123456' } : {}) },
    },
  })
  const rows = [1, 2, 3].map((index) => storedEvent(index, person(index)))
  const repeated = { ...storedEvent(4, person(1)), event_id: '0-4-0' }
  await harness.eventStore.insert('events', [...rows, repeated].map((row) => JSON.stringify(row)).join('\n'), {
    token: newId(),
  })
  const body = { ...trialSignal(source, [meta]), sample_size: 50 }
  const preview = await organization.administrator.ok(methods.signals.preview, { workspace }, { body })
  expect(preview).toMatchObject({
    looked_at_count: 4,
    conversion_count: 3,
    repeated_count: 1,
    platforms: [
      {
        destination: meta,
        conversion_count: 3,
        sent_count: 2,
        not_sent: [{ reason: 'invalid_value', count: 1 }],
        advice: [{ identifier: 'click_id' }, { identifier: 'phone', text: 'Add phone: +67% of conversions' }],
      },
    ],
  })
  expect(preview.platforms[0]?.identifiers).toContainEqual({ identifier: 'email', count: 3, share: 1 })
  const text = JSON.stringify(preview)
  for (const clear of ['secret', '192.0.2.71', '+4930123456', 'user-1']) expect(text).not.toContain(clear)
  const payload = JSON.parse(preview.sample[0]?.platforms[0]?.payload ?? '{}')
  expect(payload).toMatchObject({
    event_name: 'Purchase',
    ip: '[hidden]',
    email: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('a preview with a condition on the profile looks on until it has the sample of users who meet it', async () => {
  const rows = [1, 2].map((index) =>
    storedEvent(index, { userId: `user-${index}`, properties: { order_id: `o${index}` } }),
  )
  await harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
  const time = new Date(harness.now()).toISOString()
  const identify = { eventId: '0-9-0', type: 'identify', userId: 'user-2', traits: { plan: 'pro' }, context: {} }
  const json = JSON.stringify({ ...identify, receivedAt: time, timestamp: time })
  const accepted = { workspaceId: workspace, sourceId: idIn(source), eventId: identify.eventId, json }
  await createLearning({ db: harness.db, metrics: noMetrics })([accepted])
  const { trigger, ...signal } = trialSignal(source, [meta])
  const filters = [{ id: 'c001', field: 'profile.traits.plan', operator: 'equals', value: 'pro' }]
  const body = { ...signal, trigger: { ...trigger, filters }, sample_size: 1 }
  const preview = await organization.administrator.ok(methods.signals.preview, { workspace }, { body } as never)
  expect(preview.sample.map(({ event_id }) => event_id)).toEqual(['o2'])
})

const csv = (...rows: string[]) => ['event_id,event_time,email,value,currency', ...rows].join('\r\n')
const upload = (signal: string, content: string, validate_only = false) =>
  organization.administrator.call('POST', `/workspaces/${workspace}/signals/${signal}:uploadConversions`, {
    file_name: 'offline.csv',
    content,
    validate_only,
  })

test('offline conversions are stored once; a refused row is named by line and column without its value', async () => {
  const signal = await create()
  const time = new Date(harness.now() - 3_600_000).toISOString()
  const content = csv(
    `o1,${time},ada@example.com,5,EUR`,
    `o1,${time},ada@example.com,5,EUR`,
    `o2,yesterday,eve@example.com,5,EUR`,
    `o3,${time},secret@example.com,"1,5",EUR`,
    `o4,${time},eve@example.com,5,euro`,
    `,${time},eve@example.com,5,EUR`,
    `o5,${time}`,
  )
  const refused = [
    { line: 4, column: 'event_time', reason: 'Write a time such as 2026-03-04T05:06:07Z' },
    { line: 5, column: 'value', reason: 'Write a number that is not negative, such as 25.50' },
    { line: 6, column: 'currency', reason: 'Write a code such as USD' },
    { line: 7, column: 'event_id', reason: 'Required' },
    { line: 8, column: '', reason: 'Has 2 fields in place of 5' },
  ]
  const counts = { row_count: 7, accepted_count: 1, repeated_count: 1, refused_count: 5, refused }
  const count = async () =>
    (await harness.db.selectFrom('signal_conversions').select('id').where('signal_id', '=', signal).execute()).length
  expect((await upload(signal, content, true)).body).toEqual(counts)
  expect(await count()).toBe(0)
  const { body } = await upload(signal, content)
  expect(body).toEqual(counts)
  expect(JSON.stringify(body)).not.toContain('secret')
  expect(await count()).toBe(1)
  expect((await upload(signal, content)).body).toMatchObject({ accepted_count: 0, repeated_count: 2 })
  const { conversions } = await organization.collaborator.ok(methods.signals.listConversions, { workspace, signal })
  expect(conversions).toMatchObject([
    {
      event_id: 'o1',
      origin: 'upload',
      event: '',
      value: 5,
      currency: 'EUR',
      platforms: [{ destination: meta, status: 'pending', reason: '', identifiers: ['email'] }],
    },
  ])
})

test('conversions of the same time are listed page by page, each once', async () => {
  const signal = await create()
  const time = new Date(harness.now() - 3_600_000).toISOString()
  const ids = Array.from({ length: 25 }, (_, index) => `page-${index}`)
  await upload(signal, csv(...ids.map((id) => `${id},${time},ada@example.com,5,EUR`)))
  const listed: string[] = []
  let page_token = ''
  do {
    const query = { page_size: 10, page_token }
    const page = await organization.collaborator.ok(methods.signals.listConversions, { workspace, signal }, { query })
    listed.push(...page.conversions.map(({ event_id }) => event_id))
    page_token = page.next_page_token
  } while (page_token !== '')
  expect(listed.toSorted()).toEqual(ids.toSorted())
})

test.each([
  ['without rows', 'event_id,event_time', 'The file has no rows'],
  ['with an unknown column', 'event_id,event_time,secret\r\na,b,c', 'There is no column "secret"'],
  ['without a required column', 'event_id,email\r\na,b', 'The column event_time is missing'],
  ['with a column twice', 'event_id,event_time,email,email\r\na,b,c,d', 'A column is there twice'],
  ['with a quote that does not end', 'event_id,event_time\r\n"a,b', 'A quote does not end'],
])('a file %s is refused with a message', async (_, content, file) => {
  const signal = await create()
  expect(await upload(signal, content)).toMatchObject({
    status: 400,
    body: { reason: 'FILE_REFUSED', metadata: { file } },
  })
})

test('quality, overview, and list count the same conversions, with their outcomes', async () => {
  const signal = await create()
  const time = new Date(harness.now() - 1500).toISOString()
  await upload(signal, csv(`q1,${time},a@example.com,5,EUR`, `q2,${time},b@example.com,7,EUR`, `q3,${time},,1,EUR`))
  const params = { workspace, signal }
  const { collaborator } = organization
  const quality = await collaborator.ok(methods.signals.getQuality, params, { query: period() })
  expect(quality.platforms).toMatchObject([
    {
      destination: meta,
      conversion_count: 2,
      score: 4,
      previous_score: null,
      trend: [{ score: 4, conversion_count: 2 }],
      freshness: { median_ms: 2000, p95_ms: 2000 },
    },
  ])
  const row = { workspace_id: workspace, source_id: signal, destination_id: idIn(meta), producer: 'signal' }
  const { conversions } = await collaborator.ok(methods.signals.listConversions, params)
  const of = (eventId: string) => conversions.find(({ event_id }) => event_id === eventId)
  const [first, second] = [of('q1'), of('q2')]
  const attempts = [
    { ...row, event_id: first?.id, status: 'retry', attempt: 1, reason: 'later' },
    { ...row, event_id: first?.id, status: 'delivered', attempt: 2 },
    { ...row, event_id: second?.id, status: 'dead', attempt: 1, reason: 'The token is refused' },
  ].map((each, index) => ({
    ...each,
    time: new Date(harness.now() + index).toISOString().replace('T', ' ').slice(0, 23),
  }))
  await harness.eventStore.insert('deliveries', attempts.map((each) => JSON.stringify(each)).join('\n'), {
    token: newId(),
  })
  const listed = await collaborator.ok(methods.signals.listConversions, params)
  const rowsOf = ({ event_id, platforms }: (typeof conversions)[number]) => [
    event_id,
    platforms[0]?.status,
    platforms[0]?.reason,
  ]
  expect(listed.conversions.map(rowsOf).toSorted()).toEqual([
    ['q1', 'delivered', ''],
    ['q2', 'failed', 'The token is refused'],
    ['q3', 'not_sent', 'Nothing that the platform can match a person by'],
  ])
  const overview = await collaborator.ok(methods.signals.getOverview, params, { query: period() })
  expect(overview).toMatchObject({
    conversion_count: 3,
    amounts: [{ currency: 'EUR', amount: 13 }],
    platforms: [
      {
        sent_count: 2,
        not_sent: [{ reason: 'no_identifier', count: 1 }],
        delivered_count: 1,
        failed_count: 1,
        pending_count: 0,
        reasons: [{ status: 'failed', reason: 'The token is refused', count: 1 }],
      },
    ],
  })
  const failed = await collaborator.ok(methods.signals.listConversions, params, { query: { status: 'failed' } })
  expect(failed.conversions.map(({ event_id }) => event_id)).toEqual(['q2'])
  const { signals } = await collaborator.ok(methods.signals.list, { workspace })
  expect(signals.find(({ name }) => idIn(name) === signal)?.score).toBe(4)
  expect(overview.days).toMatchObject([
    { conversion_count: 3, status_counts: { delivered: 1, failed: 1, filtered: 0, pending: 0, not_sent: 1 } },
  ])
})

test("each signal's score is the mean over platforms that were sent conversions in the last 7 days", async () => {
  const google = await makePlatform(organization, 'google-ads')
  const [both, none] = [await create(trialSignal(source, [meta, google])), await create()]
  const at = (days: number) => new Date(harness.now() - days * day * 1000).toISOString().slice(0, 10)
  const count = (destination: string, days: number, kind: string, count: number) => ({
    signal_id: both,
    destination_id: idIn(destination),
    day: at(days),
    kind,
    count: String(count),
  })
  const scoreOf = async (signal: string) => {
    const { signals } = await organization.guest.ok(methods.signals.list, { workspace })
    return signals.find(({ name }) => idIn(name) === signal)?.score
  }
  await harness.db
    .insertInto('signal_counts')
    .values([count(meta, 7, 'sent', 9), count(meta, 6, 'sent', 2), count(meta, 6, 'id:email', 2)])
    .execute()
  expect([await scoreOf(both), await scoreOf(none)]).toEqual([4, null])
  await harness.db
    .insertInto('signal_counts')
    .values([count(google, 0, 'sent', 2), count(google, 0, 'id:email', 1)])
    .execute()
  expect([await scoreOf(both), await scoreOf(none)]).toEqual([3, null])
  const params = { workspace, signal: both }
  expect((await organization.guest.ok(methods.signals.get, params)).score).toBe(3)
})

test('conversions are filtered by status and platform, and deliveries are filtered by conversion', async () => {
  const google = await makePlatform(organization, 'google-ads')
  const signal = await create(trialSignal(source, [meta, google]))
  const time = new Date(harness.now() - 1500).toISOString()
  await upload(signal, csv(`f1,${time},a@example.com,5,EUR`, `f2,${time},b@example.com,7,EUR`, `f3,${time},,1,EUR`))
  const { collaborator } = organization
  const params = { workspace, signal }
  const { conversions } = await collaborator.ok(methods.signals.listConversions, params)
  const idOf = (eventId: string) => conversions.find(({ event_id }) => event_id === eventId)?.id ?? ''
  const attempt = (eventId: string, destination: string, status: string) =>
    JSON.stringify({
      workspace_id: workspace,
      source_id: signal,
      destination_id: idIn(destination),
      producer: 'signal',
      operation: 'event',
      event_id: idOf(eventId),
      status,
      attempt: 1,
      time: new Date(harness.now()).toISOString().replace('T', ' ').slice(0, 23),
    })
  const attempts = [attempt('f1', meta, 'delivered'), attempt('f1', google, 'dead'), attempt('f2', meta, 'dead')]
  await harness.eventStore.insert('deliveries', attempts.join('\n'), { token: newId() })
  const found = async (status: '' | 'delivered' | 'failed' | 'not_sent' | 'pending', destination: string) => {
    const page = await collaborator.ok(methods.signals.listConversions, params, { query: { status, destination } })
    return page.conversions.map(({ event_id }) => event_id).toSorted()
  }
  expect(await found('failed', '')).toEqual(['f1', 'f2'])
  expect(await found('failed', meta)).toEqual(['f2'])
  expect(await found('failed', google)).toEqual(['f1'])
  expect(await found('delivered', google)).toEqual([])
  expect(await found('pending', google)).toEqual(['f2'])
  expect(await found('not_sent', google)).toEqual(['f3'])
  expect(await found('', google)).toEqual(['f1', 'f2', 'f3'])
  expect(await found('', await makePlatform(organization, 'meta'))).toEqual([])

  const at = { workspace, destination: idIn(meta) }
  const name = `workspaces/${workspace}/signals/${signal}`
  const deliveries = async (query: { signal?: string; event_id?: string }) =>
    (await collaborator.ok(methods.deliveries.list, at, { query })).deliveries
  expect(await deliveries({ event_id: idOf('f2') })).toMatchObject([{ event_id: idOf('f2'), signal: name }])
  expect((await deliveries({ signal: name })).map(({ event_id }) => event_id).toSorted()).toEqual(
    [idOf('f1'), idOf('f2')].toSorted(),
  )
  expect(await deliveries({ signal: name, event_id: 'other' })).toEqual([])

  const elsewhere = (text: string) => text.replace(workspace, organization.otherWorkspaceId)
  const list = (query: string) => collaborator.call('GET', `/${name}/conversions?${query}`)
  expect(await list(`destination=${elsewhere(google)}`)).toMatchObject({ status: 404 })
  for (const query of ['destination=nonsense', `destination=${name}`])
    expect(await list(query)).toMatchObject({ status: 400 })
  const log = (query: string) => collaborator.call('GET', `/${meta}/deliveries?${query}`)
  expect(await log(`signal=${elsewhere(name)}`)).toMatchObject({ status: 404 })
  for (const query of ['signal=nonsense', `signal=${name}&source=${source}`, `event_id=${'x'.repeat(301)}`])
    expect(await log(query)).toMatchObject({ status: 400 })
})

test.each([
  ['that ends before it begins', -day],
  ['that is too long', 93 * day],
])('an attribution period %s is refused', async (_, length) => {
  const start = period()['start_date.seconds']
  const query = `start_date.seconds=${start}&end_date.seconds=${start + length}`
  const path = `/workspaces/${workspace}/signals:getAttribution?${query}`
  expect(await organization.guest.call('GET', path)).toMatchObject({ status: 400 })
})
