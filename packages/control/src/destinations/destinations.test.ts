import { createDestinationCache } from '@tributary/configuration'
import { methods, type Setting } from '@tributary/contract'
import { createSecretBox, newId, silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let administrator: Caller
let workspace: { workspace: string }
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  administrator = organization.administrator
  workspace = { workspace: organization.workspaceId }
})
afterAll(() => harness[Symbol.asyncDispose]())

const path = () => `/workspaces/${workspace.workspace}/destinations`
const app = { name: 'catalogDestinations/webhook' }
const create = async (settings: Record<string, string | number | Record<string, string>> = {}) => {
  const made = await administrator.ok(methods.destinations.create, workspace, {
    body: { title: 'Receiver', app, settings: { url: 'https://a.example/hook', ...settings } },
  })
  return { made, params: { ...workspace, destination: idIn(made.name) } }
}
const byName = (settings: readonly Setting[]) => Object.fromEntries(settings.map((each) => [each.name, each]))
const rowOf = (id: string) =>
  harness.db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
/** The destination as delivery would receive it. */
const delivered = async (id: string, secretBox = harness.secretBox) => {
  const cache = createDestinationCache({
    db: harness.db,
    pool: harness.database.pool,
    secretBox,
    logger: silentLogger,
  })
  await cache.start()
  await cache.stop()
  return cache.get(id)
}

describe('a destination', () => {
  test('API-49, DST-02, DST-23: a destination is created from a catalog entry with default settings, and has its own app instance', async () => {
    const { made, params } = await create({ region: 'eu' })
    expect(made.app).toMatchObject({
      display_name: 'Webhook',
      docs_url: 'https://docs.example/webhook',
      instance_count: expect.any(Number),
    })
    expect(made.app.instance_count).toBeGreaterThan(0)
    for (const setting of made.app.settings)
      expect(setting).toMatchObject({
        name: expect.any(String),
        display_name: expect.stringMatching(/\w/),
        help_text: expect.any(String),
        editable: expect.any(Boolean),
      })
    expect(made).toMatchObject({
      title: 'Receiver',
      enabled: true,
      name: expect.stringMatching(new RegExp(`^workspaces/${workspace.workspace}/destinations/[0-9a-f-]{36}$`)),
      app: { name: `${made.name}/app`, catalog_app: app.name, display_name: 'Webhook' },
    })
    expect(byName(made.app.settings)).toMatchObject({
      url: { value: 'https://a.example/hook', is_set: true, required: true, editable: true },
      batch_size: { value: 10, default: 10, is_set: true, min: 1, max: 99 },
      region: { value: 'eu', editable: false },
      headers: { value: null, is_set: false, is_secret: true },
    })
    expect(await administrator.ok(methods.destinations.get, params)).toEqual(made)
    expect(await administrator.ok(methods.destinations.getApp, params)).toEqual(made.app)
  })

  test('a destination never shows its secrets, stores them encrypted, and gives them to delivery', async () => {
    const { made, params } = await create({
      signing_secret: 'do not tell',
      headers: { Authorization: 'Bearer do not tell' },
    })
    const listed = await administrator.ok(methods.destinations.list, workspace)
    const detail = await administrator.ok(methods.destinations.get, params)
    expect(JSON.stringify([made, listed, detail])).not.toContain('do not tell')
    expect(byName(detail.app.settings)).toMatchObject({
      signing_secret: { value: null, is_set: true },
      headers: { value: null, is_set: true },
    })
    const row = await rowOf(params.destination)
    expect(JSON.stringify(row.settings)).not.toContain('do not tell')
    expect(Buffer.from(row.secrets_encrypted ?? []).includes('do not tell')).toBe(false)
    expect((await delivered(params.destination))?.settings).toEqual({
      url: 'https://a.example/hook',
      batch_size: 10,
      signing_secret: 'do not tell',
      headers: { Authorization: 'Bearer do not tell' },
    })
  })

  test.each([
    [{ title: 'abc', app, settings: {} }, 'title', 'At least 4 characters'],
    [{ title: '', app, settings: {} }, 'title', /Required/],
    [{ title: 'Title', app: { name: '' }, settings: {} }, 'app.name', 'Required'],
    [{ title: 'Title', app: { name: 'catalogDestinations/none' } }, 'app.name', /no destination with this name/],
    [{ title: 'Title', app, settings: { url: 'ftp://x' } }, 'settings.url', expect.any(String)],
    [
      { title: 'Title', app, settings: { url: 'https://a.example', batch_size: 100 } },
      'settings.batch_size',
      'At most 99',
    ],
    [
      { title: 'Title', app, settings: { url: 'https://a.example', colour: 'red' } },
      'settings.colour',
      'Unknown setting',
    ],
    [
      { title: 'Title', app, settings: { url: 'https://a.example', region: 'a\u0000' } },
      'settings.region',
      expect.any(String),
    ],
    [
      { title: 'Title', app, settings: { url: 'https://a.example', region: 'a\ud800' } },
      'settings.region',
      expect.any(String),
    ],
    [{ title: 'Title \ud800', app }, 'title', 'Control characters are not allowed'],
    [{ title: 'Title', app, settings: { url: ['x'] } }, 'settings.url', expect.any(String)],
  ])('a destination is rejected as %j', async (body, field, text) => {
    const reply = await administrator.call('POST', path(), body)
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata: { [field]: text } } })
  })

  test('API-49, DST-09: a destination is created with only title and app, and needs set-up until required settings are complete', async () => {
    const made = await administrator.ok(methods.destinations.create, workspace, { body: { title: 'Later', app } })
    const params = { ...workspace, destination: idIn(made.name) }
    expect(made).toMatchObject({ state: 'needs_setup', missing_settings: ['url'], enabled: true })
    const listed = await administrator.ok(methods.destinations.list, workspace)
    expect(listed.destinations.find(({ name }) => name === made.name)).toMatchObject({ state: 'needs_setup' })
    const test = () => administrator.call('POST', `/${made.name}:testConnection`, {})
    expect(await test()).toMatchObject({
      status: 400,
      body: { message: 'Fill in URL first', metadata: { 'settings.url': 'Required' } },
    })
    const set = (name: string, value: unknown) =>
      administrator.call('POST', `/${made.name}/app:updateSetting`, { name, value })
    // Settings can be set in any order; each is checked on its own.
    expect((await set('batch_size', 100)).status).toBe(400)
    expect((await set('batch_size', 20)).status).toBe(200)
    expect((await set('signing_secret', 'kept')).status).toBe(200)
    expect(await administrator.ok(methods.destinations.get, params)).toMatchObject({ missing_settings: ['url'] })
    expect((await set('url', 'https://a.example/hook')).status).toBe(200)
    expect(await administrator.ok(methods.destinations.get, params)).toMatchObject({
      state: 'ready',
      missing_settings: [],
    })
    expect(await set('url', null)).toMatchObject({ status: 400, body: { metadata: { value: 'Required' } } })
    expect((await test()).status).toBe(200)
    expect((await delivered(params.destination))?.settings).toEqual({
      url: 'https://a.example/hook',
      batch_size: 20,
      signing_secret: 'kept',
    })
  })

  test('a destination whose creation request is repeated is created once', async () => {
    const body = { title: 'Twice', app, settings: { url: 'https://a.example' }, request_id: crypto.randomUUID() }
    const [a, b] = await Promise.all(
      [1, 2].map(() => administrator.ok(methods.destinations.create, workspace, { body })),
    )
    expect(a?.name).toBe(b?.name)
    await administrator.call('DELETE', `/${a?.name}`)
    expect(await administrator.call('POST', path(), body)).toMatchObject({ status: 409 })
  })

  test('API-50: updating a destination changes only the fields that the mask names', async () => {
    const { made } = await create()
    const body = { title: 'Archive', enabled: false, settings: { url: 'https://b.example' } }
    const reply = await administrator.call('PATCH', `/${made.name}?update_mask=title`, body)
    expect(reply).toMatchObject({
      status: 200,
      body: { name: made.name, title: 'Archive', enabled: true, app: { display_name: 'Webhook' } },
    })
    expect(await administrator.call('GET', `/${made.name}`)).toMatchObject({ body: reply.body })
    expect(byName(made.app.settings)).toMatchObject({ url: { value: 'https://a.example/hook' } })
  })

  test('API-46b: a deleted destination is removed with its connections, and its secrets are destroyed', async () => {
    const made = await makeResources(workspace.workspace, administrator)
    const id = idIn(made.destination.name)
    expect((await administrator.call('DELETE', `/${made.destination.name}`)).status).toBe(200)
    for (const [verb, tail, body] of [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['PATCH', '', { title: 'Title' }],
      ['GET', '/app', undefined],
      ['POST', '/app:updateSetting', { name: 'url', value: 'https://b.example' }],
      ['POST', ':retry', {}],
      ['GET', '/deliveries', undefined],
      ['GET', '/parkedDeliveries', undefined],
    ] as const)
      expect([tail, (await administrator.call(verb, `/${made.destination.name}${tail}`, body)).status]).toEqual([
        tail,
        404,
      ])
    expect((await rowOf(id)).secrets_encrypted).toBeNull()
    const listed = await administrator.ok(methods.connections.list, workspace, { query: { source: made.source.name } })
    expect(listed.connections).toEqual([])
  })
})

describe('updateSetting', () => {
  const update = (name: string, setting: string, value: unknown) =>
    administrator.call('POST', `/${name}/app:updateSetting`, { name: setting, value })

  test('API-51, AMB-76: updateSetting changes one setting and keeps the others, including secrets', async () => {
    const { made, params } = await create({ signing_secret: 'first' })
    expect(await update(made.name, 'batch_size', 20)).toMatchObject({ status: 200, body: { name: `${made.name}/app` } })
    expect(await update(made.name, 'signing_secret', 'second')).toMatchObject({ status: 200 })
    expect((await delivered(params.destination))?.settings).toMatchObject({ batch_size: 20, signing_secret: 'second' })
    expect(await update(made.name, 'signing_secret', null)).toMatchObject({ status: 200 })
    expect(await update(made.name, 'batch_size', null)).toMatchObject({ status: 200 })
    expect((await delivered(params.destination))?.settings).toEqual({ url: 'https://a.example/hook', batch_size: 10 })
  })

  test.each([
    ['url', 'nonsense', { value: expect.any(String) }],
    ['url', null, { value: 'Required' }],
    ['signing_secret', '', { value: 'Required' }],
    ['headers', {}, { value: 'Required' }],
    ['batch_size', 0, { value: 'At least 1' }],
    ['batch_size', 'ten', { value: 'Enter a number' }],
    ['headers', { 'bad name': 'x' }, { value: expect.any(String) }],
    ['headers', { 'X-A': 'a\r\nX-B: b' }, { value: expect.any(String) }],
    ['colour', 'red', { name: /no setting/ }],
    ['', 'red', { name: 'Required' }],
  ])('FORM-39: updateSetting rejects %s = %j', async (setting, value, metadata) => {
    const { made, params } = await create()
    const before = await rowOf(params.destination)
    expect(await update(made.name, setting, value)).toMatchObject({
      status: 400,
      body: { reason: 'VALIDATION', metadata },
    })
    expect(await rowOf(params.destination)).toEqual(before)
  })

  test('MAP-08: updateSetting accepts only the first value of a setting that is not editable', async () => {
    const { made, params } = await create()
    expect(await update(made.name, 'region', 'eu')).toMatchObject({ status: 200 })
    for (const value of ['us', null])
      expect(await update(made.name, 'region', value)).toMatchObject({
        status: 400,
        body: { reason: 'VALIDATION', metadata: { value: /once/ } },
      })
    expect((await delivered(params.destination))?.settings).toMatchObject({ region: 'eu' })
  })

  test('two concurrent calls of updateSetting both keep their values', async () => {
    const { made, params } = await create()
    await Promise.all([
      update(made.name, 'batch_size', 33),
      update(made.name, 'signing_secret', 'kept'),
      update(made.name, 'headers', { 'X-A': '1' }),
    ])
    expect((await delivered(params.destination))?.settings).toMatchObject({
      batch_size: 33,
      signing_secret: 'kept',
      headers: { 'X-A': '1' },
    })
  })

  describe('updateSetting for an address to which a secret is sent', () => {
    const headers = { Authorization: 'Bearer kept' }
    const evil = 'https://evil.example/hook'
    const redirect = (name: string, body: object) =>
      administrator.call('POST', `/${name}/app:updateSetting`, { name: 'url', value: evil, ...body })

    test.each([
      ['nothing', {}, { value: /Headers/, 'secrets.headers': /again/ }],
      ['another secret', { secrets: { signing_secret: 'x' } }, { 'secrets.headers': /again/ }],
      ['one that is no secret', { secrets: { batch_size: 5 } }, { 'secrets.batch_size': /no secret/ }],
      ['one that breaks a rule', { secrets: { headers: { 'bad name': 'x' } } }, { 'secrets.headers': /header name/ }],
    ])('with %s given, updateSetting is refused, names the secret, and changes nothing', async (_, body, metadata) => {
      const { made, params } = await create({ headers })
      const before = await rowOf(params.destination)
      expect(await redirect(made.name, body)).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata } })
      expect(await rowOf(params.destination)).toEqual(before)
    })

    test('with the secret entered again or removed, updateSetting succeeds, and nothing of the old secret remains', async () => {
      const { made, params } = await create({ headers })
      const again = { headers: { Authorization: 'Bearer again' } }
      expect(await redirect(made.name, { secrets: again })).toMatchObject({ status: 200 })
      expect((await delivered(params.destination))?.settings).toMatchObject({ url: evil, ...again })
      const back = { value: 'https://a.example/hook', secrets: { headers: null } }
      expect(await redirect(made.name, back)).toMatchObject({ status: 200 })
      expect((await delivered(params.destination))?.settings.headers).toBeUndefined()
    })

    test('updateSetting needs no secret for another path of the same origin, or if no secret was set', async () => {
      const { made } = await create({ headers })
      expect(await redirect(made.name, { value: 'https://a.example/other' })).toMatchObject({ status: 200 })
      expect(await redirect(made.name, { value: 'http://a.example/other' })).toMatchObject({ status: 400 })
      const { made: open } = await create({ signing_secret: 'kept' })
      expect(await redirect(open.name, {})).toMatchObject({ status: 200 })
    })
  })

  test('updateSetting never overwrites unreadable secrets; such a destination is held, not dropped', async () => {
    const { made, params } = await create({ signing_secret: 'kept' })
    const sealed = createSecretBox(Buffer.alloc(32, 9)).seal('{}', 'x')
    await harness.db
      .updateTable('destinations')
      .set({ secrets_encrypted: sealed })
      .where('id', '=', params.destination)
      .execute()
    expect(await update(made.name, 'batch_size', 20)).toMatchObject({
      status: 409,
      body: { reason: 'SECRETS_UNREADABLE' },
    })
    expect(Buffer.from((await rowOf(params.destination)).secrets_encrypted ?? [])).toEqual(Buffer.from(sealed))
    expect(await delivered(params.destination)).toMatchObject({ enabled: false })
    // Not requested again, because the key may return.
    expect((await administrator.call('GET', `/${made.name}`)).body).toMatchObject({ state: 'ready' })
    expect((await administrator.call('GET', `/${made.name}`)).status).toBe(200)
  })
})

test('consent categories are changed separately, keep their order, and are given to delivery', async () => {
  const { made, params } = await create()
  expect(made.consent_categories).toEqual([])
  const update = (body: object, mask = 'consent_categories') =>
    administrator.call('PATCH', `/${made.name}?update_mask=${mask}`, body)
  expect(await update({ title: 'Ignored', consent_categories: ['Marketing', 'Analytics'] })).toMatchObject({
    status: 200,
    body: { title: 'Receiver', consent_categories: ['Marketing', 'Analytics'] },
  })
  expect(await delivered(params.destination)).toMatchObject({ consentCategories: ['Marketing', 'Analytics'] })
  expect(await update({ title: 'Renamed' }, 'title')).toMatchObject({
    body: { title: 'Renamed', consent_categories: ['Marketing', 'Analytics'] },
  })
  expect(await update({ consent_categories: [''] })).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  expect(await update({ consent_categories: Array.from({ length: 51 }, (_, index) => `c${index}`) })).toMatchObject({
    status: 400,
  })
  expect(await update({ consent_categories: [] })).toMatchObject({ body: { consent_categories: [] } })
})

describe('retry', () => {
  const park = async (destinationId: string, state: 'waiting' | 'dead', event_count: number, index: number) => {
    await harness.db
      .insertInto('parked_deliveries')
      .values({
        id: newId(),
        workspace_id: workspace.workspace,
        source_id: newId(),
        destination_id: destinationId,
        log_partition: 0,
        log_offset: index,
        event_indexes: [0],
        event_count,
        state,
        attempts: 3,
        first_time: '2026-01-01T00:00:00.000Z',
        next_time: '2027-01-01T00:00:00.000Z',
        last_status: 500,
        last_reason: 'no',
      })
      .execute()
  }

  test('retry makes waiting or dead deliveries of this destination due, and of no other', async () => {
    const { params } = await create()
    const { params: other } = await create()
    await park(params.destination, 'waiting', 2, 1)
    await park(params.destination, 'dead', 3, 2)
    await park(other.destination, 'dead', 5, 3)
    const before = await administrator.ok(methods.deliveries.list, params)
    expect(before).toMatchObject({
      deliveries: [],
      waiting: { event_count: 2, oldest_time: '2026-01-01T00:00:00.000Z' },
      dead: { event_count: 3 },
    })
    expect(await administrator.ok(methods.destinations.retry, params, { body: { state: 'dead' } })).toEqual({
      event_count: 3,
    })
    expect(await administrator.ok(methods.destinations.retry, params, { body: {} })).toEqual({ event_count: 5 })
    const parked = await administrator.ok(methods.deliveries.listParked, params)
    expect(parked.parked_deliveries.map((row) => `${row.state} ${row.event_count} ${row.attempts}`).toSorted()).toEqual(
      ['waiting 2 3', 'waiting 3 0'],
    )
    for (const row of parked.parked_deliveries) expect(Date.parse(row.next_time)).toBeLessThanOrEqual(harness.now())
    const left = await administrator.ok(methods.deliveries.listParked, other, { query: { state: 'dead' } })
    expect(left.parked_deliveries).toMatchObject([{ event_count: 5, next_time: '2027-01-01T00:00:00.000Z' }])
  })

  test('pages show each parked delivery once', async () => {
    const { params } = await create()
    for (let index = 10; index < 15; index++) await park(params.destination, 'waiting', index, index)
    const seen: number[] = []
    let page_token = ''
    do {
      const page = await administrator.ok(methods.deliveries.listParked, params, {
        query: { page_size: 2, page_token },
      })
      seen.push(...page.parked_deliveries.map((row) => row.event_count))
      page_token = page.next_page_token
    } while (page_token !== '')
    expect(seen.toSorted((a, b) => a - b)).toEqual([10, 11, 12, 13, 14])
  })
})
