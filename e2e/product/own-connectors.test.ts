import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import {
  adminCredentials,
  createDestination,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, track } from './calls.ts'

let dataDir: string
let product: Product
let workspace: string
const start = async (env: Record<string, string> = {}): Promise<Product> => {
  product = await startProduct({ dataDir, env })
  await product.api.login(adminCredentials)
  return product
}
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-own-'))
  await start()
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

/** A description whose people can be deleted, and to whose contacts syncs write rows. */
const described = (change: object = {}) => {
  const own = ownDescription()
  return {
    ...own,
    requests: { ...own.requests, forget: { method: 'POST', server: 'api', path: '/forget' } },
    deletion: { request: 'forget', item: { user: '{{ id }}' }, ids: ['user_id'] },
    ...change,
  }
}

const makeOwn = async (change: object = {}): Promise<{ own: string; app: string }> => {
  const made = await product.api.ok('POST', `/${workspace}/ownConnectors`, { file: JSON.stringify(described(change)) })
  const own = String(made.name)
  const published = await product.api.ok('POST', `/${own}:publish`, {})
  return { own, app: String(published.app).replace('catalogDestinations/', '') }
}

const publish = async (own: string, change: object): Promise<void> => {
  await product.api.ok('PATCH', `/${own}`, { description: JSON.stringify(described(change)) })
  await product.api.ok('POST', `/${own}:publish`, { hold: true })
}

test('an own connector delivers events, a new version changes their requests, and deletions of people are sent', async () => {
  await using receiver = await startWebhookReceiver()
  const { own, app } = await makeOwn()
  const { source, key } = await createSource(product.api, workspace, 'Own')
  const settings = { url: `http://127.0.0.1:${receiver.port}`, api_key: 'own-key-0001' }
  const destination = await createDestination(product.api, workspace, source, { app, settings })
  let sent = 0
  const send = async (event: string) =>
    expect((await post(product, '/v1/track', key, track(`own-${sent++}`, { event, userId: 'ada' }))).status).toBe(200)

  await send('First')
  const first = await eventually('the first event', () => receiver.calls[0])
  expect(first).toMatchObject({ method: 'POST', path: '/events', headers: { 'x-api-key': 'own-key-0001' } })
  expect(JSON.parse(first.body)).toEqual({ name: 'First', user: 'ada' })
  await eventually('the delivery in the log', async () => {
    const { deliveries } = await product.api.ok('GET', `/${destination}/deliveries`)
    return (deliveries as { status: string }[]).some(({ status }) => status === 'delivered')
  })

  const { actions, requests } = described()
  await publish(own, {
    requests: { ...requests, send: { ...requests.send, path: '/v2/events' } },
    actions: { track: { ...actions.track, item: { event: '{{ name }}' } } },
  })
  // A worker notices a change of its destination with its next tick.
  const second = await eventually('an event as the new version sends it', async () => {
    await send('Second')
    return receiver.calls.find(({ path }) => path === '/v2/events')
  })
  expect(second.headers['x-api-key']).toBe('own-key-0001')
  expect(JSON.parse(second.body)).toEqual({ event: 'Second' })

  await product.api.ok('POST', `/${workspace}/privacyRequests`, {
    kind: 'delete',
    identifiers: [{ type: 'user_id', value: 'ada' }],
  })
  const forgotten = await eventually(
    'the deletion',
    () => receiver.calls.find(({ path }) => path === '/forget'),
    60_000,
  )
  expect(JSON.parse(forgotten.body)).toEqual({ user: 'ada' })
})

test('a version that sends a secret elsewhere holds events until the secret is entered again', async () => {
  await using receiver = await startWebhookReceiver()
  await using other = await startWebhookReceiver()
  const { own, app } = await makeOwn()
  const { source, key } = await createSource(product.api, workspace, 'Held')
  const settings = { url: `http://127.0.0.1:${receiver.port}`, api_key: 'own-key-0002' }
  const destination = await createDestination(product.api, workspace, source, { app, settings })
  const { settings: declared } = described()
  const address = `http://127.0.0.1:${other.port}`
  await publish(own, {
    settings: { ...declared, other: { type: 'url', label: 'Other', help: 'Another address.', default: address } },
    servers: { api: { setting: 'other' } },
  })
  expect(await product.api.ok('GET', `/${destination}`)).toMatchObject({
    state: 'needs_setup',
    missing_settings: ['api_key'],
  })
  expect((await post(product, '/v1/track', key, track('held-1', { event: 'Held' }))).status).toBe(200)
  await product.api.ok('POST', `/${destination}/app:updateSetting`, { name: 'api_key', value: 'own-key-0003' })
  const call = await eventually('the held event, sent', () => other.calls[0], 60_000)
  expect(call.headers['x-api-key']).toBe('own-key-0003')
  expect([...receiver.calls, ...other.calls].some(({ headers }) => headers['x-api-key'] === 'own-key-0002')).toBe(false)
})

/** The members of a version to whose contacts syncs write rows, each by a request of its own. */
const withContacts = () => {
  const { actions, objects, requests } = described()
  const { user } = actions.track.fields
  const plan = { label: 'Plan', help: 'The plan.', type: 'string', kind: 'property' }
  const path = '/contacts/{{ user }}'
  const contacts = {
    name: 'contacts',
    title: 'Contacts',
    description: 'People.',
    sync_modes: ['FULL_SYNC', 'UPSERT_ONLY'],
    identifiers: [{ target: 'user' }],
    actions: ['put', 'remove'],
    rows: { upsert: 'put', delete: 'remove', identifiers: ['user'] },
  }
  return {
    requests: {
      ...requests,
      put: { method: 'PUT', server: 'api', path },
      remove: { method: 'DELETE', server: 'api', path },
    },
    actions: {
      ...actions,
      put: {
        title: 'Save contact',
        description: 'Saves a contact.',
        request: 'put',
        fields: { user, plan },
        item: { plan: '{{ plan }}' },
      },
      remove: { title: 'Delete contact', description: 'Deletes a contact.', request: 'remove', fields: { user } },
    },
    objects: [...objects, contacts],
  }
}

test('a sync writes added, changed, and removed rows to an own destination by the requests of its version', async () => {
  await using receiver = await startWebhookReceiver()
  const { api } = product
  const make = async (kind: string, body: object): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/${kind}`, { title: 'People', ...body })).name)
  const { app } = await makeOwn(withContacts())
  const settings = { url: `http://127.0.0.1:${receiver.port}`, api_key: 'own-key-0005' }
  const destination = await make('destinations', { app: { name: `catalogDestinations/${app}` }, settings })
  const dataSource = await make('dataSources', { app: { name: 'catalogDataSources/file' } })
  const upload = (...lines: readonly string[]) =>
    api.ok('POST', `/${dataSource}/uploads`, {
      upload_id: crypto.randomUUID(),
      file_name: 'people.csv',
      offset: 0,
      content: Buffer.from(['email,plan', ...lines].join('\n')).toString('base64'),
      last: true,
    })
  await upload('ada,pro', 'bob,free', 'cyd,free')
  const model = await make('models', {
    data_source: dataSource,
    query: { schema: 'file', table: 'rows' },
    primary_key: ['email'],
  })
  const sync = await make('syncs', {
    model,
    destination,
    object: 'contacts',
    object_name: 'contacts',
    mode: 'FULL_SYNC',
    identifier: 'user',
    guard_percent: 100,
    fields: [
      { column: 'email', target: 'user' },
      { column: 'plan', target: 'plan' },
    ],
  })
  const run = async (n: number): Promise<string[]> => {
    const before = receiver.calls.length
    await api.ok('POST', `/${sync}:run`, {})
    const ended = await eventually('the run has ended', async () => {
      const { runs } = await api.ok('GET', `/${sync}/runs`)
      const [last] = runs as { state: string; finish_time: string | null }[]
      return (runs as unknown[]).length === n && last?.finish_time !== null && last
    })
    expect(ended.state).toBe('succeeded')
    return receiver.calls
      .slice(before)
      .map(({ method, path, body }) => `${method} ${path} ${body}`.trim())
      .toSorted()
  }
  expect(await run(1)).toEqual([
    'PUT /contacts/ada {"plan":"pro"}',
    'PUT /contacts/bob {"plan":"free"}',
    'PUT /contacts/cyd {"plan":"free"}',
  ])
  await upload('ada,pro', 'bob,pro', 'dee,free')
  expect(await run(2)).toEqual([
    'DELETE /contacts/cyd',
    'PUT /contacts/bob {"plan":"pro"}',
    'PUT /contacts/dee {"plan":"free"}',
  ])
  expect(receiver.calls.every(({ headers }) => headers['x-api-key'] === 'own-key-0005')).toBe(true)
})

/** The members of a version whose requests have their own path and body. */
const versionAt = (path: string) => {
  const { actions, requests } = described()
  const { track: action } = actions
  const id = { label: 'ID', help: 'ID of the message.', type: 'string', kind: 'property', from: 'messageId' }
  return {
    requests: { ...requests, send: { ...requests.send, path } },
    actions: { track: { ...action, fields: { ...action.fields, id }, item: { id: '{{ id }}', as: path } } },
  }
}

// The last test of this file, because it ends the product of the others.
test('a process killed while it publishes a version has it wholly or not at all, and sends every acknowledged event', async () => {
  await using receiver = await startWebhookReceiver()
  const { own, app } = await makeOwn(versionAt('/v1'))
  const { source, key } = await createSource(product.api, workspace, 'Killed')
  const settings = { url: `http://127.0.0.1:${receiver.port}`, api_key: 'own-key-0004' }
  const destination = await createDestination(product.api, workspace, source, { app, settings })
  const appAt = (version: number) => `catalog${app.replace(/^own/, 'Destinations/own').replace(/1$/, String(version))}`
  const acknowledged: string[] = []
  const send = async (): Promise<string> => {
    const id = `killed-${crypto.randomUUID()}`
    const { status } = await post(product, '/v1/track', key, track(id, { event: 'Killed' }))
    if (status === 200) acknowledged.push(id)
    return id
  }
  const sent = (calls = receiver.calls) => calls.map(({ body }) => JSON.parse(body) as { id: string; as: string })
  const allArrived = (what: string) =>
    eventually(
      what,
      () => {
        const ids = new Set(sent().map(({ id }) => id))
        return acknowledged.every((id) => ids.has(id))
      },
      60_000,
    )
  /** Where the calls of each process begin. */
  const lives: number[] = []
  const live = async (env: Record<string, string> = {}): Promise<void> => {
    lives.push(receiver.calls.length)
    await start(env)
  }
  /** Sends events until the process has killed itself during a publication. */
  const killWhilePublishing = async (): Promise<void> => {
    const { ended } = product
    let isOver = false
    void ended.then(() => {
      isOver = true
    })
    const before = acknowledged.length
    const sending = (async () => {
      while (!isOver) await send().catch(() => {})
    })()
    await eventually('an event arrives', () => sent().some(({ id }) => id === acknowledged[before]))
    await product.api.call('POST', `/${own}:publish`, {}).catch(() => {})
    await ended
    await sending
  }
  const stateOf = async () => {
    const { current_version: version, is_changed: isChanged } = await product.api.ok('GET', `/${own}`)
    const { versions } = await product.api.ok('GET', `/${own}/versions`)
    const { app: used, state } = await product.api.ok('GET', `/${destination}`)
    const { catalog_app: usedApp } = used as { catalog_app: string }
    return { version, isChanged, versions: (versions as unknown[]).length, usedApp, state }
  }

  for (let n = 0; n < 10; n++) await send()
  await allArrived('the first events arrive')
  await product.api.ok('PATCH', `/${own}`, { description: JSON.stringify(described(versionAt('/v2'))) })
  await product.stop()
  const settled = [...acknowledged]

  await live({ TRIBUTARY_FAULT: 'publish.before-commit' })
  await killWhilePublishing()
  await live({ TRIBUTARY_FAULT: 'publish.after-commit' })
  expect(await stateOf()).toEqual({ version: 1, isChanged: true, versions: 1, usedApp: appAt(1), state: 'ready' })
  await allArrived('events of the killed process arrive as before')
  expect(new Set(sent().map(({ as }) => as))).toEqual(new Set(['/v1']))
  await killWhilePublishing()
  await live()
  expect(await stateOf()).toEqual({ version: 2, isChanged: false, versions: 2, usedApp: appAt(2), state: 'ready' })
  expect((await product.api.call('POST', `/${own}:publish`, {})).status).toBe(409)
  const last = await send()
  await allArrived('all acknowledged events arrive')
  expect(sent().filter(({ id }) => id === last)).toEqual([{ id: last, as: '/v2' }])
  expect(receiver.calls.every(({ path, body }) => (JSON.parse(body) as { as: string }).as === path)).toBe(true)

  // A kill may repeat requests whose outcome was not stored. Within the life of a process, each event is sent once.
  const countOf = (id: string) => sent().filter((each) => each.id === id).length
  expect(settled.map(countOf)).toEqual(settled.map(() => 1))
  for (const [n, from] of lives.entries()) {
    const ids = sent(receiver.calls.slice(from, lives[n + 1])).map(({ id }) => id)
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
  }
})
