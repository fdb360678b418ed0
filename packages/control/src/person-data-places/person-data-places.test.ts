import { createDestinationCache } from '@tributary/configuration'
import { defaultPersonDataPaths, methods, type PersonDataPlaces, personDataKinds } from '@tributary/contract'
import { newId, silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { field, mappedCatalog, purchase, startMapped } from '../testing/mapped-destination.ts'
import { makePlatform, signalsCatalog, trialSignal } from '../testing/signals.ts'

let harness: Harness
beforeAll(async () => {
  harness = await startControl({
    catalog: { ...mappedCatalog, destinations: [...mappedCatalog.destinations, ...signalsCatalog.destinations] },
  })
})
afterAll(() => harness[Symbol.asyncDispose]())

const start = async () => {
  const organization = await startOrganization(harness)
  const params = { workspace: organization.workspaceId }
  const { administrator, guest, workspaceId } = organization
  let index = 0
  return {
    organization,
    params,
    get: () => guest.ok(methods.personDataPlaces.get, params),
    update: (places: object, revision?: number) =>
      administrator.ok(methods.personDataPlaces.update, params, {
        body: { places, ...(revision === undefined ? {} : { revision }) },
      }),
    put: (body: object, caller = administrator) =>
      caller.call('PUT', `/workspaces/${workspaceId}/personDataPlaces`, body),
    event: (original: object, more: object = {}) => {
      const { context = {} } = original as { context?: object }
      return {
        workspace_id: workspaceId,
        source_id: 'source',
        event_id: `0-${index++}-0`,
        message_id: `m${index}`,
        type: 'track',
        event: 'Order Completed',
        status: 'accepted',
        receive_time: harness.now() - 1000 - index,
        timestamp: harness.now(),
        context: JSON.stringify(context),
        original: JSON.stringify({ type: 'track', event: 'Order Completed', ...original }),
        ...more,
      }
    },
    store: (rows: readonly object[]): Promise<void> =>
      harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() }),
  }
}

type Started = { organization: Organization }

test('a workspace has the default paths until it changes some, and kinds that are left out get them back', async () => {
  const { get, update } = await start()
  expect(await get()).toMatchObject({ places: defaultPersonDataPaths, changed: [], revision: 0, update_time: null })
  const email = ['traits.contact.mail', 'profile.traits.email']
  const changed = await update({ email, gender: [] }, 0)
  expect(changed).toMatchObject({
    places: { ...defaultPersonDataPaths, email, gender: [] },
    changed: ['email', 'gender'],
    revision: 1,
  })
  expect(await get()).toEqual(changed)
  expect(await update({ ...changed.places })).toMatchObject({ places: changed.places, revision: 2 })
  const restored = await update({}, 2)
  expect(restored).toMatchObject({ places: defaultPersonDataPaths, changed: [], revision: 3 })
  const audits = (await harness.audits()).filter(({ action }) => action === 'personDataPlaces.update')
  expect(audits.at(-3)).toMatchObject({
    resource: changed.name,
    detail: { email, gender: [] },
    changes: { email: { before: defaultPersonDataPaths.email, after: email } },
  })
})

test.each([
  [{ email: ['email'] }, 'places.email.0', 'Begin with context., properties., traits., or profile.'],
  [{ email: ['__proto__.email'] }, 'places.email.0', 'Begin with context., properties., traits., or profile.'],
  [{ email: ['traits.mail', ' traits["mail"] '] }, 'places.email.1', 'This path is listed already'],
  [{ email: ['profile.mail'] }, 'places.email.0', 'Begin with traits., identifiers. or audiences.'],
  [{ city: [`traits.${'a'.repeat(4000)}`] }, 'places.city.0', 'At most 300 characters'],
  [{ city: [''] }, 'places.city.0', 'Required'],
  [{ city: Array.from({ length: 10_000 }, (_, index) => `traits.a${index}`) }, 'places.city', 'At most 20 paths'],
  [{ city: [5] }, 'places.city.0', undefined],
  [{ shoe_size: ['traits.shoe'] }, 'places.shoe_size', undefined],
])('the paths %j are refused', async (places, name, message) => {
  const { put, get } = await start()
  const reply = await put({ places })
  expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  const metadata = reply.body['metadata'] as Record<string, string>
  expect(Object.keys(metadata)).toEqual([name])
  if (message !== undefined) expect(metadata[name]).toBe(message)
  expect((await get()).revision).toBe(0)
})

test('a body with a name of the prototype is refused', async () => {
  const { put } = await start()
  const body = JSON.parse('{"places": {"__proto__": ["traits.mail"]}}') as object
  expect(await put(body)).toMatchObject({ status: 400, body: { reason: 'MALFORMED_JSON' } })
})

test('guests read the paths and their counts but cannot change them, and other organizations reach neither', async () => {
  const { put, organization, params } = await start()
  const other = await startOrganization(harness)
  const body = { places: { email: ['traits.mail'] } }
  expect(await put(body, organization.guest)).toMatchObject({ status: 403 })
  expect(await put(body, other.administrator)).toMatchObject({ status: 404 })
  const path = `/workspaces/${organization.workspaceId}/personDataPlaces`
  expect(await other.administrator.call('GET', path)).toMatchObject({ status: 404 })
  expect(await other.administrator.call('POST', `${path}:count`, {})).toMatchObject({ status: 404 })
  expect(await organization.guest.ok(methods.personDataPlaces.count, params, { body: {} })).toMatchObject({ events: 0 })
})

test('of two changes of one revision, the second is refused', async () => {
  const { put } = await start()
  const places = { email: ['traits.mail'] }
  const both = await Promise.all([put({ places, revision: 0 }), put({ places: { phone: [] }, revision: 0 })])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ reason: 'PLACES_CHANGED' })
})

const followed = async ({ organization }: Started) => {
  const { destinationId, params } = await startMapped(harness, organization)
  const { database, secretBox, db } = harness
  const cache = createDestinationCache({ db, pool: database.pool, secretBox, logger: silentLogger, pollMs: 3_600_000 })
  await cache.start()
  onTestFinished(() => cache.stop())
  return { params, find: async () => (await cache.refresh(), cache.get(destinationId)?.personData) }
}

test('delivery follows a change of the paths, and previews use them', async () => {
  const { update, organization } = await start()
  const { find, params } = await followed({ organization })
  expect(await find()).toBe(defaultPersonDataPaths)
  const mapping = purchase({
    'user.em': { type: 'VARIABLE', name: 'user_email', display_name: '', is_event_name_key: false, kind: 'custom' },
    value: field('properties.total'),
  })
  const payload = JSON.stringify({ event: 'Order Completed', properties: { total: 5, mail: 'ada@example.com' } })
  const preview = () =>
    organization.administrator.ok(methods.mappings.preview, params, { body: { event_mapping: mapping, payload } })
  expect((await preview()).problems).toMatchObject([
    { message: expect.stringContaining('the email of the user is empty') },
  ])
  await update({ email: ['properties.mail'] })
  expect(await find()).toEqual({ ...defaultPersonDataPaths, email: ['properties.mail'] })
  expect(await preview()).toMatchObject({ fits: true, problems: [] })
  await update({})
  expect(await find()).toEqual(defaultPersonDataPaths)
})

test('the preview of a signal finds people at the paths of the workspace', async () => {
  const { update, organization, event, store, params } = await start()
  const { administrator } = organization
  const source = (
    await administrator.ok(methods.sources.create, params, {
      body: { title: 'Shop', app: { name: 'catalogSources/http' }, settings: {} },
    })
  ).name
  const properties = { total: 5, currency: 'EUR', order_id: 'o1', mail: 'ada@example.com' }
  await store([event({ properties }, { source_id: idIn(source) })])
  const definition = trialSignal(source, [await makePlatform(organization, 'meta')])
  const found = async () => {
    const { platforms } = await administrator.ok(methods.signals.preview, params, {
      body: { ...definition, sample_size: 5 },
    })
    return platforms[0]?.identifiers.find(({ identifier }) => identifier === 'email')?.count
  }
  expect(await found()).toBe(0)
  await update({ email: ['properties.mail'] })
  expect(await found()).toBe(1)
})

const countsOf = (
  answer: { kinds: readonly { kind: string; found: number; paths: readonly object[] }[] },
  of: string,
) => answer.kinds.find(({ kind }) => kind === of)

test('counts have the accepted events of the last week with a value at each path, as mappings read them', async () => {
  const { update, organization, event, store, params } = await start()
  await update({ email: ['traits.mail', 'properties.email', 'profile.traits.email'] })
  const dayMs = 86_400_000
  await store([
    event({ traits: { mail: 'a@x.de' }, properties: { email: 'a@x.de' } }),
    event({ traits: { mail: ' ' }, properties: { email: 'b@x.de' } }),
    event({ traits: { mail: null }, properties: { 'e.mail': 'c@x.de' } }),
    event({ context: { traits: { phone: 49170 } } }),
    event({ properties: { email: 'd@x.de' } }, { type: 'identify', event: '' }),
    event({ traits: { mail: 'e@x.de' } }, { test: true }),
    event({ traits: { mail: 'f@x.de' } }, { status: 'blocked' }),
    event({ traits: { mail: 'g@x.de' } }, { receive_time: harness.now() - 8 * dayMs }),
    event({ traits: { mail: 'h@x.de' } }, { workspace_id: organization.otherWorkspaceId }),
  ])
  const count = (places?: Partial<PersonDataPlaces['places']>) =>
    organization.collaborator.ok(methods.personDataPlaces.count, params, {
      body: places === undefined ? {} : { places },
    })
  const saved = await count()
  expect(saved).toMatchObject({ events: 5, counted: 5 })
  expect(saved.kinds.map(({ kind }) => kind)).toEqual(personDataKinds.map(({ kind }) => kind))
  expect(Date.parse(saved.end_time) - Date.parse(saved.start_time)).toBe(7 * dayMs)
  expect(countsOf(saved, 'email')).toEqual({
    kind: 'email',
    found: 2,
    paths: [
      { path: 'traits.mail', events: 1 },
      { path: 'properties.email', events: 2 },
      { path: 'profile.traits.email', events: null },
    ],
  })
  expect(countsOf(saved, 'phone')).toMatchObject({ found: 1 })
  expect(saved.received).toEqual([
    { path: 'properties.email', events: 3 },
    { path: 'traits.mail', events: 2 },
    { path: 'context.traits.phone', events: 1 },
    { path: 'properties.e\\.mail', events: 1 },
  ])
  const unsaved = await count({ email: ['properties["e.mail"]'] })
  expect(countsOf(unsaved, 'email')).toEqual({
    kind: 'email',
    found: 1,
    paths: [{ path: 'properties["e.mail"]', events: 1 }],
  })
})

test('of very many events, a random sample is read', async () => {
  const { organization, event, store, params } = await start()
  await store(
    Array.from({ length: 12_000 }, (_, index) => event(index % 4 === 0 ? { traits: { email: 'a@x.de' } } : {})),
  )
  const counts = await organization.administrator.ok(methods.personDataPlaces.count, params, { body: {} })
  expect(counts.events).toBe(12_000)
  expect(counts.counted).toBeGreaterThan(3000)
  expect(counts.counted).toBeLessThanOrEqual(5000)
  const { found = 0 } = countsOf(counts, 'email') ?? {}
  expect(found / counts.counted).toBeGreaterThan(0.2)
  expect(found / counts.counted).toBeLessThan(0.3)
})
