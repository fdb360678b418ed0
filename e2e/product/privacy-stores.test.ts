import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@tributary/kernel'
import { openRelational, runningPostgresUrl } from '@tributary/storage'
import {
  adminCredentials,
  createSource,
  createTestEventStore,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startSharedEventStore,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post } from './calls.ts'
import { type Decoded, decodeEventStore, decodeFiles, decodeParts, decodePostgres } from './decoded-stores.ts'

/** Returns the values of a person. Each value has a word in it by which the person can be found. */
const person = (word: string) => ({
  word,
  userId: `u-${word}`,
  anonymousId: `a-${word}`,
  traits: { email: `${word}@example.com`, name: `${word} Smith`, city: `City of ${word}` },
})
type Person = ReturnType<typeof person>
const zora = person('zoraquux')
const yves = person('yvesquux')
const both = [zora, yves]

/** Returns the stores that contain a word of a person. */
const mentions = (stores: Decoded, { word }: Person): string[] =>
  [...stores].flatMap(([name, text]) => (text.toLowerCase().includes(word) ? [name] : [])).toSorted()

/** Entries of a data folder. A new entry must also be decoded before it is added here. */
const inDataFolder = [
  'blobs',
  'forgotten.ndjson',
  'journal',
  'log',
  'metrics.token',
  'outbox',
  'postgres',
  'secret.key',
  'tributary.lock',
  'uploads',
]

/** Tables and files that have values of people after all steps of this file. */
const seeded = [
  'event-store deliveries',
  'event-store events accepted',
  'event-store events blocked',
  'event-store events held',
  'event-store events rejected',
  'event-store sync_changes',
  'event-store sync_confirmed',
  'event-store sync_staged',
  'postgres identity_operations',
  'postgres parked_deliveries',
  'postgres profile_identifiers',
  'postgres profile_traits',
  'postgres refused_requests',
  'postgres signal_clicks',
  'postgres signal_conversions',
  'postgres sync_dry_runs',
]

/** Returns events of each kind that stores something about a person. */
const eventsOf = ({ word, userId, anonymousId, traits }: Person): object[] => [
  { type: 'identify', messageId: `${word}-1`, userId, anonymousId, traits },
  {
    type: 'track',
    messageId: `${word}-2`,
    anonymousId,
    event: 'Seen',
    properties: { by: traits.name },
    context: { page: { url: `https://shop.example/?gclid=Cj0KCQ${word}` } },
  },
  { type: 'alias', messageId: `${word}-3`, userId, previousId: `p-${word}` },
  // An event without a name is rejected.
  { type: 'track', messageId: `${word}-4`, userId, properties: { by: traits.name } },
]

/** Waits for a condition whose check is expensive. */
const until = async (what: string, look: () => boolean | Promise<boolean>, seconds = 60): Promise<void> => {
  for (let looks = 0; !(await look()); looks++) {
    if (looks >= seconds) throw new Error(`${what}: not within ${seconds} s`)
    await pause(1000)
  }
}

/** Makes a source hold its events, as when its organization is over a limit of the plan. */
const hold = async (dataDir: string, sourceId: string): Promise<void> => {
  const url = await runningPostgresUrl(join(dataDir, 'postgres'))
  await using relational = openRelational({ url, logger: silentLogger, maxConnections: 1 })
  await relational.db.updateTable('sources').set({ held: true }).where('id', '=', sourceId).execute()
}

/** The maximum time that a log keeps received data, plus a day, in ms. */
const boundMs = 31 * 24 * 3_600_000

test("after the removal deadline, no store and no event store file contains a deleted user's value, and other users keep theirs", async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tributary-stores-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  const shared = stack.use(await startSharedEventStore())
  const eventStore = stack.use(await createTestEventStore(shared.url))
  const answering = async (status: number): Promise<string> => {
    const receiver = stack.use(await startWebhookReceiver())
    receiver.behave({ status, body: 'ok' })
    return receiver.url
  }
  const [taking, failing, refusing] = [await answering(200), await answering(500), await answering(422)]
  let product: Product | undefined
  stack.defer(async () => void (await product?.stop()))
  const start = async (aheadMs: number): Promise<Product> => {
    await writeFile(`${dataDir}.clock`, String(aheadMs))
    product = await startProduct({ dataDir, env: { CLICKHOUSE_URL: eventStore.url }, movableClock: true })
    await product.api.login(adminCredentials)
    return product
  }
  const decode = async (): Promise<Decoded> =>
    new Map([...(await decodePostgres(dataDir)), ...(await decodeEventStore(eventStore))])

  const first = await start(0)
  const { api } = first
  const { organization, workspace } = await createWorkspace(api)
  const make = async (kind: string, body: Record<string, unknown>): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/${kind}`, body)).name)
  const { source, key } = await createSource(api, workspace)
  const strict = await createSource(api, workspace, 'Strict')
  await api.ok('PATCH', `/${strict.source}`, {
    schema: JSON.stringify({ events: { Seen: { properties: {} } } }),
    enforcement: 'block',
  })
  const batching = { batching: true, batch_size: 10, batch_wait_ms: 100 }
  const paused = await createWebhook(api, workspace, source, { url: taking, ...batching }, 'Paused')
  await api.ok('PATCH', `/${paused}?update_mask=enabled`, { enabled: false })
  await createWebhook(api, workspace, source, { url: failing, ...batching }, 'Fails')
  await createWebhook(api, workspace, source, { url: refusing, ...batching }, 'Refuses')
  await make('audiences', {
    title: 'Seen',
    query: {
      groups: { cccc: { segments: [{ id: 'dddd', queries: [{ id: 'bbbb', type: 'event', selectedEvent: 'Seen' }] }] } },
    },
  })
  await make('computedTraits', {
    trait: 'seen_by',
    definition: { event: 'Seen', operation: 'last', property: 'by', window_days: null },
  })

  // The platform of the signal is paused, so that its conversions wait.
  const platform = await make('destinations', {
    title: 'Platform',
    app: { name: 'catalogDestinations/meta-conversions' },
    settings: { pixel_id: '123456789012345', access_token: 'token' },
  })
  await api.ok('PATCH', `/${platform}?update_mask=enabled`, { enabled: false })
  await make('signals', {
    title: 'Seen',
    enabled: true,
    trigger: { type: 'events', sources: [source], events: [{ event_name: 'Seen' }] },
    conversion: { type: 'lead' },
    value: { type: 'none' },
    event_id: { type: 'path', path: 'properties.by' },
    platforms: [{ destination: platform }],
  })

  // Events of both people are in one batch, so that each has the sample of the batch.
  expect((await post(first, '/v1/batch', key, { batch: both.flatMap(eventsOf) })).status).toBe(200)
  for (const { word, userId } of both) {
    const blocked = { event: 'Unheard of', messageId: `${word}-5`, userId }
    expect((await post(first, '/v1/track', strict.key, blocked)).status).toBe(200)
  }
  const over = await createSource(api, workspace, 'Over the plan')
  await hold(dataDir, over.sourceId)
  await until('events of both are held', async () => {
    for (const { userId, traits } of both) {
      const event = { event: 'Seen', messageId: randomUUID(), userId, properties: { by: traits.name } }
      expect((await post(first, '/v1/track', over.key, event)).status).toBe(200)
    }
    const held = await eventStore.query<{ user_id: string }>(
      `select distinct user_id from events where status = 'held'`,
    )
    return held.length === both.length
  })
  const broken = `{"batch":[${both.map(({ userId }) => JSON.stringify({ userId })).join()}`
  expect((await post(first, '/v1/batch', key, broken)).status).toBe(400)
  const profileOf = async (running: Product, { userId }: Person): Promise<string | undefined> =>
    ((await running.api.ok('GET', `/${workspace}/profiles?search=${userId}`)).profiles as { name: string }[])[0]?.name
  await eventually('both are known', async () =>
    (await Promise.all(both.map((each) => profileOf(first, each)))).every(Boolean),
  )
  await api.ok('POST', `/${workspace}/audiences:importList`, {
    title: 'Listed',
    kind: 'email',
    values: both.map(({ traits }) => traits.email),
  })

  const people = await make('dataSources', { title: 'People', app: { name: 'catalogDataSources/profiles' } })
  const { tables } = (await api.ok('GET', `/${people}/tables`)) as { tables: { schema: string; name: string }[] }
  const file = await make('dataSources', { title: 'Customers', app: { name: 'catalogDataSources/file' } })
  await api.ok('POST', `/${file}/uploads`, {
    upload_id: randomUUID(),
    file_name: 'people.csv',
    offset: 0,
    content: Buffer.from(
      ['email,name', ...both.map(({ traits: { email, name } }) => `${email},${name}`)].join('\n'),
    ).toString('base64'),
    last: true,
  })
  const target = await make('destinations', {
    title: 'Receives',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url: taking },
  })
  const syncOf = async (title: string, model: Record<string, unknown>, columns: readonly string[]): Promise<string> =>
    await make('syncs', {
      title,
      model: await make('models', { title, ...model }),
      destination: target,
      object: 'records',
      object_name: title,
      mode: 'UPSERT_ONLY',
      identifier: 'email',
      guard_percent: 100,
      fields: columns.map((column) => ({ column, target: column })),
    })
  const ofPeople = await syncOf(
    'people',
    { data_source: people, query: { schema: tables[0]?.schema, table: tables[0]?.name }, primary_key: ['profile_id'] },
    ['email', 'name'],
  )
  await api.ok('POST', `/${ofPeople}:run`, {})
  await eventually('it is synced', async () => {
    const { runs } = (await api.ok('GET', `/${ofPeople}/runs`)) as { runs: { state: string }[] }
    return runs[0]?.state === 'succeeded'
  })
  await api.ok('POST', `/${ofPeople}:dryRun`, { resync: true })
  await api.ok('POST', `/${organization}/invitations:batchCreate`, { emails: ['member@example.com'], role: 1 })
  await until('everything has happened', async () => {
    const found = await decode()
    return seeded.every((name) => both.every((each) => mentions(found, each).includes(name)))
  })
  // This shows that the files of parts are decoded correctly: each word of a table is in some file.
  for (const each of both) expect(mentions(decodeParts(shared.dataDir), each)).not.toEqual([])
  // Values in a company's own file are removed by the company.
  await api.ok('DELETE', `/${file}`)
  const request = await api.ok('POST', `/${workspace}/privacyRequests`, {
    kind: 'delete',
    identifiers: [{ type: 'user_id', value: zora.userId }],
  })
  await eventually(
    'nothing but the logs has anything',
    async () => {
      const { places } = (await api.ok('GET', `/${String(request.name)}`)) as { places: { state: string }[] }
      return places.filter(({ state }) => state !== 'done').length === 1
    },
    120_000,
  )
  const after = await decode()
  expect(mentions(after, zora)).toEqual([])
  // Samples with events of both people are deleted, too. A failed batch can have events of both until it is retried.
  const samples = ['postgres refused_requests', 'postgres sync_dry_runs', 'postgres parked_deliveries']
  expect(mentions(after, yves)).toEqual(expect.arrayContaining(seeded.filter((name) => !samples.includes(name))))
  await first.stop()

  const files = decodeFiles(dataDir)
  expect(readdirSync(dataDir).filter((name) => !inDataFolder.includes(name))).toEqual([])
  expect([...files].filter(([name, text]) => name.startsWith('outbox/') && text.includes('invites you'))).toHaveLength(
    1,
  )
  const logs = ['log/deliveries/', 'log/requests/']
  for (const each of both) {
    const found = mentions(files, each)
    for (const log of logs) expect(found.some((name) => name.startsWith(log))).toBe(true)
    expect(found.filter((name) => !logs.some((log) => name.startsWith(log)))).toEqual([])
  }

  // A segment that is being written is closed first, and removed by the next check. Each start checks twice.
  let left = files
  for (let starts = 1; mentions(left, zora).length > 0 && starts <= 4; starts++) {
    const later = await start(starts * boundMs)
    // Delivery regularly checks whether events have waited too long.
    await later.moveClock(starts * boundMs + 3_600_000)
    await eventually('what waited for a destination is given up', async () => {
      for (const name of [paused, platform]) {
        const { waiting } = (await later.api.ok('GET', `/${name}/deliveries`)) as { waiting: { event_count: number } }
        if (waiting.event_count > 0) return false
      }
      return true
    })
    await until('the logs are looked at', () => mentions(decodeFiles(dataDir), zora).length === 0, 8).catch(() => {})
    if (starts > 1) expect(mentions(await decode(), zora)).toEqual([])
    await later.stop()
    left = decodeFiles(dataDir)
  }
  expect(mentions(left, zora)).toEqual([])

  // The engine removes replaced parts after some minutes. In this test, the engine does so within seconds, and when a
  // partition is dropped.
  const stored = await eventStore.query<{ name: string }>(
    `select name from system.tables where database = currentDatabase() and engine like '%MergeTree'`,
  )
  for (const { name } of stored) await eventStore.command(`alter table ${name} modify setting old_parts_lifetime = 1`)
  await pause(2000)
  for (const { name } of stored) await eventStore.command(`alter table ${name} drop partition id 'none'`)
  const parts = decodeParts(shared.dataDir)
  expect(mentions(parts, zora)).toEqual([])
  expect(mentions(parts, yves)).not.toEqual([])
})
