import { methods, type Signal, signalLimits } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { makePlatform, signalsCatalog, trialSignal } from '../testing/signals.ts'

let harness: Harness
let organization: Organization
let source: string
let meta: string
let googleAds: string

beforeAll(async () => {
  harness = await startControl({ catalog: signalsCatalog })
  organization = await startOrganization(harness)
  const { administrator, workspaceId } = organization
  const body = { title: 'Shop', app: { name: 'catalogSources/ads' } }
  source = (await administrator.ok(methods.sources.create, { workspace: workspaceId }, { body })).name
  meta = await makePlatform(organization, 'meta')
  googleAds = await makePlatform(organization, 'google-ads')
})
afterAll(() => harness[Symbol.asyncDispose]())

const path = () => `/workspaces/${organization.workspaceId}/signals`
const create = (more: object = {}) =>
  organization.administrator.call('POST', path(), {
    title: 'Orders',
    ...trialSignal(source, [meta, googleAds]),
    ...more,
  })
const made = async (more: object = {}): Promise<Signal> => {
  const reply = await create(more)
  expect(reply).toMatchObject({ status: 200 })
  return reply.body as unknown as Signal
}
const paramsOf = ({ name }: Pick<Signal, 'name'>) => ({ workspace: organization.workspaceId, signal: idIn(name) })

test('SIG-02, SIG-03: a signal has sources of the product SIGNALS, and shows its platforms with the fields sent', async () => {
  const signal = await made()
  expect(signal).toMatchObject({
    title: 'Orders',
    enabled: false,
    state: 'disabled',
    trigger_titles: [{ name: source, title: 'Shop', target_product: 'SIGNALS', missing: false }],
    conversion: { type: 'purchase', custom_name: '' },
    platforms: [
      {
        destination: meta,
        platform: 'meta',
        shown_event_name: 'Purchase',
        has_test_code: true,
        is_preset: true,
        problem: '',
      },
      { destination: googleAds, platform: 'google_ads', shown_event_name: '', has_test_code: false },
    ],
    revision: 1,
  })
  expect(signal.platforms[0]?.field_mappings.map(({ target }) => target.name)).toContain('email')
  expect(await organization.guest.ok(methods.signals.get, paramsOf(signal))).toEqual({ ...signal, warnings: [] })
  const { signals } = await organization.guest.ok(methods.signals.list, { workspace: organization.workspaceId })
  expect(signals[0]).toMatchObject({
    name: signal.name,
    trigger: { type: 'events', sources: [{ name: source, title: 'Shop' }], event_names: ['Order Completed'] },
    recent_counts: [0, 0, 0, 0, 0, 0, 0],
  })
})

test('a repeated creation request makes one signal, and a workspace has a limited number of signals', async () => {
  await harness.db.deleteFrom('signals').execute()
  const request_id = newId()
  const first = await made({ request_id })
  expect((await made({ request_id })).name).toBe(first.name)
  for (let index = 1; index < signalLimits.signals; index++) await made({ platforms: [] })
  expect(await create()).toMatchObject({ status: 400, body: { reason: 'LIMIT_REACHED' } })
  await harness.db.deleteFrom('signals').execute()
})

test.each<[string, object, string | undefined]>([
  ['a destination that is no platform', { platforms: [{ destination: 'WEBHOOK' }] }, 'platforms.0.destination'],
  ['a platform twice', { platforms: [{ destination: 'META' }, { destination: 'META' }] }, 'platforms.1.destination'],
  [
    'a test code where there are none',
    { platforms: [{ destination: 'GOOGLE', test_event_code: 'T' }] },
    'platforms.0.test_event_code',
  ],
  ['no events', { trigger: { type: 'events', sources: ['SOURCE'], events: [] } }, 'trigger.events'],
  [
    'a condition on a whole part of the profile',
    {
      trigger: {
        type: 'events',
        sources: ['SOURCE'],
        events: [{ event_name: 'Order' }],
        filters: [{ id: 'c001', field: 'profile.traits', operator: 'exists' }],
      },
    },
    'trigger.filters.0.field',
  ],
  ['a custom conversion without a name', { conversion: { type: 'custom' } }, 'conversion.custom_name'],
  ['a fixed value that is negative', { value: { type: 'fixed', amount: -1, currency: 'EUR' } }, 'value.amount'],
  ['a currency that is none', { value: { type: 'fixed', amount: 1, currency: 'euro' } }, 'value.currency'],
])('a signal with %s is refused, and the field is named', async (_, body, field) => {
  const { administrator, workspaceId } = organization
  const webhook = await administrator.ok(
    methods.destinations.create,
    { workspace: workspaceId },
    { body: { title: 'Hook', app: { name: 'catalogDestinations/webhook' }, settings: { url: 'https://a.example' } } },
  )
  const given = JSON.parse(
    JSON.stringify(body)
      .replaceAll('WEBHOOK', webhook.name)
      .replaceAll('META', meta)
      .replaceAll('GOOGLE', googleAds)
      .replaceAll('SOURCE', source),
  )
  const reply = await create(given)
  expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  expect(Object.keys(reply.body.metadata as object)).toEqual([field])
})

test('sources, destinations and signals of another organization are not found', async () => {
  const { outsider, otherWorkspaceId, administrator } = organization
  const other = await outsider.ok(
    methods.sources.create,
    { workspace: otherWorkspaceId },
    { body: { title: 'Theirs', app: { name: 'catalogSources/http' } } },
  )
  expect(await create(trialSignal(other.name, []))).toMatchObject({ status: 404 })
  const theirs = await outsider.ok(
    methods.destinations.create,
    { workspace: otherWorkspaceId },
    { body: { title: 'meta', app: { name: 'catalogDestinations/meta' }, settings: { url: 'https://a.example' } } },
  )
  expect(await create(trialSignal(source, [theirs.name]))).toMatchObject({ status: 404 })
  const signal = await made()
  const elsewhere = `/workspaces/${otherWorkspaceId}/signals/${idIn(signal.name)}`
  expect(await outsider.call('GET', elsewhere)).toMatchObject({ status: 404 })
  expect(await outsider.call('POST', `${elsewhere}:enable`, {})).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', `${path()}/${newId()}`)).toMatchObject({ status: 404 })
})

test('a signal that could send nothing cannot be enabled, and names the missing parts', async () => {
  const { administrator } = organization
  const signal = await made({ platforms: [] })
  expect(await administrator.call('POST', `/${signal.name}:enable`, {})).toMatchObject({
    status: 400,
    body: { reason: 'SIGNAL_INCOMPLETE', message: 'Add a platform before you enable the signal' },
  })
  expect(await create({ platforms: [], enabled: true })).toMatchObject({ status: 400 })
  const enabled = await made({ enabled: true })
  expect(enabled).toMatchObject({ enabled: true, state: 'enabled' })
  expect(await administrator.call('PATCH', `/${enabled.name}?update_mask=platforms`, { platforms: [] })).toMatchObject({
    status: 400,
    body: { reason: 'SIGNAL_INCOMPLETE' },
  })
  const disabled = await administrator.ok(methods.signals.disable, paramsOf(enabled), { body: {} })
  expect(disabled).toMatchObject({ enabled: false, state: 'disabled' })
})

test('the second of two changes of the same signal revision is refused, and other values stay', async () => {
  const { administrator } = organization
  const signal = await made()
  const value = { type: 'fixed', amount: 5, currency: 'eur' }
  const change = (body: object) => administrator.call('PATCH', `/${signal.name}?update_mask=value`, body)
  const both = await Promise.all([change({ value, revision: 1 }), change({ value, revision: 1 })])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const now = await administrator.ok(methods.signals.get, paramsOf(signal))
  expect(now).toMatchObject({
    value: { type: 'fixed', amount: 5, currency: 'EUR' },
    revision: 2,
    platforms: [{ destination: meta }, { destination: googleAds }],
    trigger: signal.trigger,
  })
})

test('a deleted destination leaves the signal, a deleted source is shown as missing, and a deleted signal is 404', async () => {
  const { administrator, workspaceId } = organization
  const platform = await makePlatform(organization, 'google-analytics')
  const body = { title: 'Short-lived', app: { name: 'catalogSources/http' } }
  const other = await administrator.ok(methods.sources.create, { workspace: workspaceId }, { body })
  const signal = await made(trialSignal(other.name, [platform, meta]))
  await administrator.call('DELETE', `/${platform}`)
  await administrator.call('DELETE', `/${other.name}`)
  expect(await administrator.ok(methods.signals.get, paramsOf(signal))).toMatchObject({
    platforms: [{ destination: meta }],
    trigger_titles: [{ name: other.name, title: '', missing: true }],
  })
  await administrator.ok(methods.signals.delete, paramsOf(signal))
  expect(await administrator.call('GET', `/${signal.name}`)).toMatchObject({ status: 404 })
  expect((await harness.audits()).at(-1)).toMatchObject({ action: 'signals.delete', resource: signal.name })
})

test('platforms are listed with how each receives a conversion; destinations of other apps are not listed', async () => {
  const { guest, workspaceId } = organization
  const { platforms } = await guest.ok(
    methods.signals.listPlatforms,
    { workspace: workspaceId },
    { query: { conversion: 'lead' } },
  )
  expect(platforms.find(({ destination }) => destination === meta)).toMatchObject({
    platform: 'meta',
    event_name: 'Lead',
    has_test_code: true,
    takes_refunds: false,
    max_age_days: 7,
    pixel_parameter: 'eventID',
  })
  expect(platforms.every(({ action }) => action.name === 'convert')).toBe(true)
})

test('a workspace setting says what applies without consent, and where events have their consent', async () => {
  const { administrator, workspaceId } = organization
  const params = { workspace: workspaceId }
  expect(await administrator.ok(methods.signalSettings.get, params)).toMatchObject({
    without_consent: 'send',
    consent_path: 'context.consent.categoryPreferences.advertising',
    update_time: null,
  })
  const body = { without_consent: 'leave_out' as const }
  const changed = await administrator.ok(methods.signalSettings.update, params, { body })
  expect(changed).toMatchObject({ ...body, consent_path: 'context.consent.categoryPreferences.advertising' })
  expect(await administrator.call('PATCH', `/${changed.name}`, { consent_path: '' })).toMatchObject({ status: 400 })
})
