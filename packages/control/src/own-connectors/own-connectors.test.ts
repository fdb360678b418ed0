import { createDestinationCache, createOwnDestinations } from '@tributary/configuration'
import { createLoadedConnectors } from '@tributary/connector-kit'
import { type Peer, startPeer } from '@tributary/connector-kit/testing'
import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import { methods, ownConnectorLimits } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import { requireSameApp } from '@tributary/syncs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { ownText, publishOwn } from '../testing/own-connectors.ts'
import { trialSync } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
let peer: Peer
let workspace: string

beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
  peer = await startPeer((request) => ({
    status: 200,
    headers: { 'x-answer': 'yes' },
    body: JSON.stringify({ echo: request.headers['x-api-key'] ?? '' }),
  }))
})
afterAll(async () => {
  await peer.close()
  await harness[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await harness.db.deleteFrom('destinations').where('workspace_id', '=', workspace).execute()
  await harness.db.deleteFrom('own_connectors').where('workspace_id', '=', workspace).execute()
  peer.requests.length = 0
  // Trials are counted for 15 minutes.
  harness.advance(16 * 60_000)
})

const origin = (): string => peer.url.replace(/\/$/, '')
const editor = () => organization.collaborator
const settings = () => ({ url: origin(), api_key: 'very-secret-key' })

const destinationOf = async (own_connector: string, given: Record<string, string> = settings()) => {
  const { app } = await editor().ok(methods.ownConnectors.get, { workspace, own_connector })
  const body = { title: 'My service', app: { name: app }, settings: given }
  return idIn((await editor().ok(methods.destinations.create, { workspace }, { body })).name)
}

const edit = (own_connector: string, change: object) =>
  editor().ok(methods.ownConnectors.update, { workspace, own_connector }, { body: { description: ownText(change) } })

const publish = (own_connector: string, body: { hold?: boolean } = {}) =>
  editor().call('POST', `/workspaces/${workspace}/ownConnectors/${own_connector}:publish`, body)

const sending = async (own_connector: string, body: object) =>
  await editor().call('POST', `/workspaces/${workspace}/ownConnectors/${own_connector}:try`, body)

const trackPayload = JSON.stringify({ type: 'track', event: 'Signed Up', userId: 'u1' })

test('a blank own connector can be published at once, and is an entry of the catalog', async () => {
  const made = await editor().ok(methods.ownConnectors.create, { workspace }, { body: { title: 'CRM <b>' } })
  const own_connector = idIn(made.name)
  expect(made).toMatchObject({ title: 'CRM <b>', app: '', current_version: 0, is_changed: true, destination_count: 0 })
  expect(await editor().ok(methods.ownConnectors.check, { workspace, own_connector }, { body: {} })).toMatchObject({
    ok: true,
    problems: [],
    app: { title: 'CRM <b>', settings: [{ name: 'url' }, { name: 'api_key', is_secret: true }] },
  })
  const published = await editor().ok(methods.ownConnectors.publish, { workspace, own_connector }, { body: {} })
  expect(published).toMatchObject({ current_version: 1, is_changed: false })
  expect(published.app).toBe(`catalogDestinations/own-${own_connector}-1`)
  expect(decodeURIComponent(published.app_icon)).toMatch(/^data:image\/svg\+xml,<svg[^]*>C<\/text><\/svg>$/)
  const { catalog_destinations } = await organization.guest.ok(methods.catalogDestinations.list, { workspace })
  expect(catalog_destinations[0]).toMatchObject({ name: published.app, title: 'CRM <b>', category: 'Automation' })
})

test('a viewer of another organization finds neither the entry nor the app of a destination', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const app = `own-${own_connector}-1`
  const other = organization.otherWorkspaceId
  expect((await organization.outsider.call('GET', `/workspaces/${other}/catalogDestinations/${app}`)).status).toBe(404)
  const body = { title: 'Taken', app: { name: `catalogDestinations/${app}` }, settings: settings() }
  expect(await organization.outsider.call('POST', `/workspaces/${other}/destinations`, body)).toMatchObject({
    status: 400,
    body: { metadata: { 'app.name': 'There is no destination with this name in the catalog' } },
  })
  expect((await organization.outsider.call('GET', `/workspaces/${other}/ownConnectors/${own_connector}`)).status).toBe(
    404,
  )
  const { catalog_destinations } = await organization.outsider.ok(methods.catalogDestinations.list, {
    workspace: other,
  })
  expect(catalog_destinations.filter(({ name }) => name.includes('own-'))).toEqual([])
})

test('viewers read an own connector without its vectors, and neither change, check, try, nor export it', async () => {
  const own_connector = await publishOwn(workspace, editor(), ownText({ vectors: { sample: { userId: 'lovelace' } } }))
  const { guest } = organization
  const shown = await guest.ok(methods.ownConnectors.get, { workspace, own_connector })
  expect(JSON.parse(shown.draft.description)).toMatchObject({ title: 'My service' })
  const version = await guest.ok(methods.ownConnectors.getVersion, { workspace, own_connector, version: '1' })
  expect(JSON.stringify([shown, version])).not.toContain('lovelace')
  const path = `/workspaces/${workspace}/ownConnectors/${own_connector}`
  expect(
    await Promise.all([
      guest.call('PATCH', path, { title: 'x' }),
      guest.call('DELETE', path),
      guest.call('POST', `${path}:check`, {}),
      guest.call('POST', `${path}:try`, {}),
      guest.call('POST', `${path}:publish`, {}),
      guest.call('GET', `${path}:export`),
    ]).then((replies) => replies.map(({ status }) => status)),
  ).toEqual([403, 403, 403, 403, 403, 403])
})

test('a file of an export makes the same own connector, and a description alone does, too', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const { file, file_name } = await editor().ok(methods.ownConnectors.export, { workspace, own_connector })
  expect(file_name).toBe('my-service.tributary.json')
  const copy = await editor().ok(methods.ownConnectors.create, { workspace }, { body: { file } })
  expect(copy).toMatchObject({ title: 'My service', draft: { description: ownText(), guide: '' } })
  const path = `/workspaces/${workspace}/ownConnectors`
  for (const [text, message] of [
    ['{', /no JSON/],
    ['[]', /no JSON object/],
    ['{"tributary_own_connector":2}', /cannot be read/],
    [JSON.stringify({ title: 'x'.repeat(ownConnectorLimits.descriptionBytes) }), /more than 256 KB/],
  ] as const)
    expect(await editor().call('POST', path, { file: text })).toMatchObject({
      status: 400,
      body: { metadata: { file: expect.stringMatching(message) } },
    })
})

test('a described destination of the product can be copied, and one in code cannot', async () => {
  const body = { from: 'catalogDestinations/webhook' }
  const made = await editor().ok(methods.ownConnectors.create, { workspace }, { body })
  expect(made).toMatchObject({ title: 'Webhook', draft: { description: JSON.stringify(ownDescription()) } })
  const path = `/workspaces/${workspace}/ownConnectors`
  expect(await editor().call('POST', path, { from: 'catalogDestinations/permitted' })).toMatchObject({
    status: 400,
    body: { metadata: { from: expect.stringMatching(/is not described by data/) } },
  })
  expect((await editor().call('POST', path, { from: 'catalogDestinations/none' })).status).toBe(404)
})

test('two editors do not overwrite the draft of each other', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const path = `/workspaces/${workspace}/ownConnectors/${own_connector}`
  expect(await editor().call('PATCH', path, { description: '{', draft_revision: 1 })).toMatchObject({
    status: 200,
    body: { draft: { description: '{', revision: 2 }, is_changed: true },
  })
  expect(await editor().call('PATCH', path, { description: '[', draft_revision: 1 })).toMatchObject({
    status: 409,
    body: { reason: 'DRAFT_CHANGED' },
  })
  expect(await publish(own_connector)).toMatchObject({ status: 400, body: { reason: 'INVALID_DESCRIPTION' } })
})

test('a new version moves all destinations at once, and their next request is that of the version', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const destination = await destinationOf(own_connector)
  const { requests } = ownDescription()
  await edit(own_connector, { requests: { ...requests, send: { ...requests.send, path: '/v2' } } })
  expect(await publish(own_connector)).toMatchObject({
    status: 200,
    body: { current_version: 2, destination_count: 1 },
  })
  const shown = await editor().ok(methods.destinations.get, { workspace, destination })
  expect(shown).toMatchObject({ state: 'ready', app: { catalog_app: `catalogDestinations/own-${own_connector}-2` } })
  const mapping = { id: 'aaaa', destination: 'track', field_mappings: [] }
  await editor().ok(
    methods.mappings.sendTest,
    { workspace, destination },
    { body: { event_mapping: { ...mapping, field_mappings: [] }, payload: trackPayload } },
  )
  expect(await publish(own_connector)).toMatchObject({ status: 409, body: { reason: 'NO_CHANGES' } })
})

test('a version that sends a secret to another host holds destinations until the secret is entered again', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const destination = await destinationOf(own_connector)
  await edit(own_connector, { servers: { api: 'https://elsewhere.example' } })
  const check = await editor().ok(methods.ownConnectors.check, { workspace, own_connector }, { body: {} })
  expect(check.destinations).toMatchObject([{ title: 'My service', problems: [], secrets_to_enter: ['api_key'] }])
  expect(await publish(own_connector)).toMatchObject({
    status: 409,
    body: { reason: 'DESTINATIONS_HELD', metadata: { [destination]: expect.stringMatching(/api_key again/) } },
  })
  expect((await publish(own_connector, { hold: true })).status).toBe(200)
  const held = await editor().ok(methods.destinations.get, { workspace, destination })
  expect(held).toMatchObject({ state: 'needs_setup', missing_settings: ['api_key'] })
  const row = await harness.db.selectFrom('destinations').selectAll().where('id', '=', destination).executeTakeFirst()
  expect(row).toMatchObject({ secrets_encrypted: null, secrets_to_enter: ['api_key'] })
  const entered = { name: 'api_key', value: 'new-key' }
  await editor().ok(methods.destinations.updateSetting, { workspace, destination }, { body: entered })
  expect(await editor().ok(methods.destinations.get, { workspace, destination })).toMatchObject({
    state: 'ready',
    missing_settings: [],
  })
})

/** Returns the text of a description with a further secret, or with a plain setting in its place. */
const withPhrase = (type: 'secret' | 'text'): string => {
  const { settings: own, auth } = ownDescription()
  const phrase = { type, label: 'Phrase', help: 'A phrase.', required: true }
  return ownText({
    settings: { ...own, phrase },
    ...(type === 'text'
      ? {}
      : { auth: { default: [...(auth.default ?? []), { in: 'header', name: 'x-phrase', setting: 'phrase' }] } }),
  })
}

test('a secret that becomes a plain setting is neither shown nor used, in a trial and in a version', async () => {
  const own_connector = await publishOwn(workspace, editor(), withPhrase('secret'))
  const id = await destinationOf(own_connector, { ...settings(), phrase: 'open sesame' })
  const given = { destination: `workspaces/${workspace}/destinations/${id}`, payload: trackPayload }
  expect((await sending(own_connector, given)).body).toMatchObject({ outcome: 'delivered' })
  const description = withPhrase('text')
  expect(await sending(own_connector, { ...given, description })).toMatchObject({
    status: 400,
    body: { metadata: { 'settings.phrase': 'Required' } },
  })
  await editor().ok(methods.ownConnectors.update, { workspace, own_connector }, { body: { description } })
  expect((await publish(own_connector, { hold: true })).status).toBe(200)
  const shown = await editor().ok(methods.destinations.get, { workspace, destination: id })
  expect(shown.app.settings.find(({ name }) => name === 'phrase')).toMatchObject({ value: null, is_set: false })
  expect(shown).toMatchObject({ state: 'needs_setup', missing_settings: ['phrase'] })
})

test('a version that does not fit the mappings of a destination is refused, and names it', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const destination = await destinationOf(own_connector)
  const { event_mappings } = await editor().ok(methods.mappings.get, { workspace, destination })
  await editor().ok(methods.mappings.update, { workspace, destination }, { body: { event_mappings } })
  const { actions, objects } = ownDescription()
  await edit(own_connector, {
    actions: { send: actions.track },
    objects: [{ ...objects[0], actions: ['send'] }],
    presets: [{ event_type: 'track', action: 'send' }],
  })
  expect(await publish(own_connector, { hold: true })).toMatchObject({
    status: 409,
    body: {
      reason: 'DESTINATIONS_DO_NOT_FIT',
      metadata: { [destination]: expect.stringMatching(/^My service: Mapping: /) },
    },
  })
  const { current_version } = await editor().ok(methods.ownConnectors.get, { workspace, own_connector })
  expect(current_version).toBe(1)
})

test('failing vectors prevent a publication', async () => {
  const own_connector = await publishOwn(workspace, editor())
  await edit(own_connector, {
    vectors: {
      settings: { url: 'https://a.example', api_key: 'k' },
      answers: [{ name: 'fine', events: ['A'], answers: [200], outcomes: ['rejected: no'] }],
    },
  })
  expect(await publish(own_connector)).toMatchObject({
    status: 400,
    body: { reason: 'INVALID_DESCRIPTION', message: 'The vector fine fails: The outcomes differ' },
  })
})

test('an own connector is deleted only when no destination uses it', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const destination = await destinationOf(own_connector)
  const path = `/workspaces/${workspace}/ownConnectors/${own_connector}`
  expect(await editor().call('DELETE', path)).toMatchObject({
    status: 409,
    body: { reason: 'IN_USE', metadata: { [destination]: 'My service' } },
  })
  await editor().ok(methods.destinations.delete, { workspace, destination })
  expect((await editor().call('DELETE', path)).status).toBe(200)
  expect((await editor().call('GET', path)).status).toBe(404)
})

test('a workspace has at most 50 own connectors, and a repeated request makes one', async () => {
  const body = { title: 'Own', request_id: crypto.randomUUID() }
  const first = await editor().ok(methods.ownConnectors.create, { workspace }, { body })
  expect((await editor().ok(methods.ownConnectors.create, { workspace }, { body })).name).toBe(first.name)
  for (let made = 1; made < ownConnectorLimits.perWorkspace; made++)
    await editor().ok(methods.ownConnectors.create, { workspace }, { body: { title: 'Own' } })
  expect(await editor().call('POST', `/workspaces/${workspace}/ownConnectors`, { title: 'Own' })).toMatchObject({
    status: 409,
    body: { reason: 'TOO_MANY' },
  })
})

test('versions keep their texts, note, and author, newest first', async () => {
  const own_connector = await publishOwn(workspace, editor())
  await edit(own_connector, { title: 'Second' })
  await editor().ok(methods.ownConnectors.publish, { workspace, own_connector }, { body: { note: 'Another title' } })
  const { versions } = await editor().ok(methods.ownConnectors.listVersions, { workspace, own_connector })
  expect(versions.map(({ version, note, created_by }) => ({ version, note, created_by }))).toEqual([
    { version: 2, note: 'Another title', created_by: editor().email },
    { version: 1, note: '', created_by: editor().email },
  ])
  const first = await editor().ok(methods.ownConnectors.getVersion, { workspace, own_connector, version: '1' })
  expect(first.description).toBe(ownText())
  const path = `/workspaces/${workspace}/ownConnectors/${own_connector}/versions`
  expect((await editor().call('GET', `${path}/3`)).status).toBe(404)
  expect((await editor().call('GET', `${path}/none`)).status).toBe(404)
})

test('syncs write rows to an own connector, and a version without their object, identifier, or field, or with another required one, is refused', async () => {
  const { objects } = ownDescription()
  const rows = { upsert: 'track', identifiers: ['user'] }
  const [first] = objects
  const records = { ...first, name: 'records', sync_modes: ['UPSERT_ONLY'], identifiers: [{ target: 'user' }], rows }
  const own_connector = await publishOwn(workspace, editor(), ownText({ objects: [records] }))
  const destination = await destinationOf(own_connector)
  const app = `own-${own_connector}-1`
  const { row_objects } = await editor().ok(methods.catalogDestinations.get, { workspace, app })
  expect(row_objects).toMatchObject([{ name: 'records', sync_modes: ['UPSERT_ONLY'] }])
  const body = await trialSync(harness, organization, `workspaces/${workspace}/destinations/${destination}`)
  const fields = [{ column: 'id', target: 'user' }]
  const given = { ...body, object_name: 'records', identifier: 'user', fields }
  await organization.administrator.ok(methods.syncs.create, { workspace }, { body: given })
  const sync = await harness.db.selectFrom('syncs').select('id').where('destination_id', '=', destination).execute()
  expect(sync).toHaveLength(1)
  const { actions } = ownDescription()
  const { name, user } = actions.track.fields
  const withoutUser = { track: { ...actions.track, fields: { name, person: user }, item: { name: '{{ name }}' } } }
  const withRequiredName = {
    track: { ...actions.track, fields: { ...actions.track.fields, name: { ...name, required: true } } },
  }
  const identifiedBy = (field: string) => [
    { ...records, identifiers: [{ target: field }], rows: { ...rows, identifiers: [field] } },
  ]
  for (const [change, problem] of [
    [{ objects }, /The sync Customers writes the object records/],
    [{ objects: identifiedBy('name') }, /: The sync Customers identifies records by user, which no longer identifies/],
    [{ objects: identifiedBy('person'), actions: withoutUser }, /; The sync Customers writes user, which records no/],
    [
      { objects: [records], actions: withRequiredName },
      /The sync Customers does not write name, which records then req/,
    ],
  ] as const) {
    await edit(own_connector, change)
    expect(await publish(own_connector, { hold: true })).toMatchObject({
      status: 409,
      body: { reason: 'DESTINATIONS_DO_NOT_FIT', metadata: { [destination]: expect.stringMatching(problem) } },
    })
  }
  const columns = { destination_id: destination, source_id: null }
  const earlier = { kind: 'destination', id: destination, app: 'own-earlier', columns } as const
  const saving = harness.db.transaction().execute((tx) => requireSameApp(tx, earlier))
  await expect(saving).rejects.toMatchObject({ code: 409, reason: 'CHANGED' })
  await harness.db.deleteFrom('syncs').where('workspace_id', '=', workspace).execute()
})

test('a version whose text the store fails to give once is read with the next look of the cache', async () => {
  const own_connector = await publishOwn(workspace, editor())
  const destination = await destinationOf(own_connector)
  const app = `own-${own_connector}-1`
  let isAway = true
  // Only the texts are read from this store.
  const failing = harness.db.withPlugin({
    transformQuery: ({ node }) => {
      if (isAway && node.kind === 'SelectQueryNode' && node.joins === undefined) throw new Error('away')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const own = createOwnDestinations({ db: failing, normalizations: {} })
  const connectors = createLoadedConnectors<unknown>([], silentLogger, own.find)
  const { db, database, secretBox } = harness
  const cache = createDestinationCache({ db, pool: database.pool, secretBox, logger: silentLogger, connectors })
  await cache.start()
  expect([cache.ready(), connectors.get(app)]).toEqual([false, undefined])
  isAway = false
  await cache.refresh()
  await cache.stop()
  expect(cache.get(destination)).toMatchObject({ app, enabled: true })
  expect(connectors.get(app)).toMatchObject({ slug: app })
})
