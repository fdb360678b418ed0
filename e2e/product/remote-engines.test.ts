import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startTestBucket } from '@tributary/connectors/testing/s3'
import {
  adminCredentials,
  commandEnvironment,
  createApiClient,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  type SharedEventStore,
  type SharedPostgres,
  startProduct,
  startSharedEventStore,
  startSharedPostgres,
  startWebhookReceiver,
  templateDatabase,
  withDatabase,
  withEventDatabase,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childrenOf, post, storedEvents, track } from './calls.ts'
import { listen } from './live-channel.ts'

let postgres: SharedPostgres
let eventStore: SharedEventStore
let folder: string
let env: Record<string, string>
let running: Product | undefined

/** Returns the product of the folder `data`, which tests share until one stops it. */
const joinOne = async (): Promise<Product> => {
  if (running === undefined) {
    running = await startProduct({ dataDir: join(folder, 'data'), env })
    await running.api.login(adminCredentials)
  }
  return running
}
const stopOne = async (): Promise<number | null | undefined> => {
  const code = await running?.stop()
  running = undefined
  return code
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-remote-'))
  postgres = await startSharedPostgres()
  eventStore = await startSharedEventStore()
  env = {
    DATABASE_URL: withDatabase(postgres.url, templateDatabase),
    CLICKHOUSE_URL: withEventDatabase(eventStore.url, 'default'),
  }
})
afterAll(async () => {
  await stopOne()
  await eventStore?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

type Parts = Record<string, { ok: boolean; optional?: boolean }>
const partsOf = async (product: Product): Promise<Parts> =>
  ((await (await fetch(`${product.url}/health/ready`)).json()) as { parts: Parts }).parts

test('with DATABASE_URL and CLICKHOUSE_URL, the product starts no engine, and collects, stores, and delivers events as usual', async () => {
  await using receiver = await startWebhookReceiver()
  const dataDir = join(folder, 'data')
  const product = await joinOne()
  expect(childrenOf(product.pid)).toEqual([])
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  expect(existsSync(join(dataDir, 'event-store'))).toBe(false)
  expect(Object.keys(await partsOf(product))).not.toContain('postgres')
  const { workspace } = await createWorkspace(product.api)
  const { source, key } = await createSource(product.api, workspace)
  await createWebhook(product.api, workspace, source, { url: receiver.url })
  for (const id of ['a', 'b', 'a', 'c']) expect((await post(product, '/v1/track', key, track(id))).status).toBe(200)
  expect((await post(product, '/v1/batch', key, { batch: [track('d', { type: 'nonsense' })] })).status).toBe(200)
  await eventually('stored', async () => (await storedEvents(product, source)).length === 4)
  await eventually('delivered', () => receiver.messageIds().size === 3)
  await eventually('the repetition counted', async () => {
    const page = await product.api.ok('GET', `/${source}/droppedEvents`)
    return (page.dropped_events as { count: number }[])[0]?.count === 1
  })
  expect(
    (await storedEvents(product, source)).map(({ message_id, status }) => `${message_id} ${status}`).toSorted(),
  ).toEqual(['a accepted', 'b accepted', 'c accepted', 'd rejected'])
  expect([...receiver.messageIds().values()]).toEqual([1, 1, 1])
})

test('an unreachable engine ends the start with the reason, without the password', async () => {
  const start = startProduct({
    dataDir: join(folder, 'nowhere'),
    env: { ...env, DATABASE_URL: 'postgres://someone:very-secret-word@127.0.0.1:1/none' },
  })
  const failure = await start.then(
    () => '',
    (error: unknown) => String(error),
  )
  expect(failure).toMatch(/ECONNREFUSED/)
  expect(failure).not.toContain('very-secret-word')
})

test('processes that share DATABASE_URL show live events, close the channels of ended sessions, and count wrong passwords together', async () => {
  const one = await joinOne()
  const secretKey = (await readFile(join(folder, 'data', 'secret.key'), 'utf8')).trim()
  await using other = await startProduct({
    dataDir: join(folder, 'other'),
    env: { ...env, TRIBUTARY_SECRET_KEY: secretKey, TRIBUTARY_ROLES: 'api,realtime' },
  })
  const { workspace } = await createWorkspace(one.api)
  const { sourceId, key } = await createSource(one.api, workspace)

  const there = createApiClient(other.url)
  const { access_token, user } = (await there.ok('POST', '/users:login', adminCredentials)) as {
    access_token: string
    user: { id: string }
  }
  there.token = access_token
  const live = await listen({ url: other.url, api: there }, String(there.token), `private-sources-${sourceId}`)
  // The pipeline of one process must first be notified that a user watches at the other process.
  let sent = 0
  await eventually('events of one process are live at the other', async () => {
    expect((await post(one, '/v1/track', key, track(`live-${sent++}`))).status).toBe(200)
    return live.heard.some(({ event }) => event === 'events')
  })

  const { sessions } = (await one.api.ok('GET', `/users/${user.id}/sessions`)) as {
    sessions: { name: string; current: boolean }[]
  }
  for (const { name, current } of sessions) if (!current) await one.api.ok('DELETE', `/${name}`)
  await eventually('the listener at the other process is cut', () => live.closed())
  expect((await there.call('GET', '/workspaces')).status).toBe(401)

  const guess = async (product: Product): Promise<number> =>
    (await product.api.call('POST', '/users:login', { email: 'nobody@example.com', password: 'Wrong-horse-1' })).status
  let tries = 0
  for (let status = 401; status === 401 && tries < 50; tries++) status = await guess(one)
  expect(tries).toBeLessThan(50)
  expect(await guess(other)).toBe(429)
})

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const script = fileURLToPath(new URL('../../scripts/copy-pictures.ts', import.meta.url))

test('with BLOBS_S3_BUCKET, pictures are in the bucket for every data folder, and an unavailable bucket affects only pictures', async () => {
  await using bucket = await startTestBucket({ pageKeys: 1000 })
  const { access } = bucket
  const upload = async (product: Product, organization: string) => {
    const { status, body } = await product.api.call('POST', `/${organization}:uploadLogo`, { content: png })
    return { status, body, logo: (body as { extra?: { logo: string } }).extra?.logo ?? '' }
  }
  const keys = (): string[] => [...bucket.objects.keys()].toSorted()
  const objectOf = (logo: string): string => logo.replace(/^media/, 'tributary')

  const dataDir = join(folder, 'data')
  const one = await joinOne()
  const { organization } = await createWorkspace(one.api)
  const { logo: before } = await upload(one, organization)
  const { workspace } = await createWorkspace(one.api)
  const { source, key } = await createSource(one.api, workspace)
  expect((await post(one, '/v1/track', key, track('kept'))).status).toBe(200)
  await eventually('stored', async () => (await storedEvents(one, source)).length === 1)
  expect(await stopOne()).toBe(0)
  const inBucket = {
    ...env,
    TRIBUTARY_SECRET_KEY: (await readFile(join(dataDir, 'secret.key'), 'utf8')).trim(),
    BLOBS_S3_BUCKET: access.bucket,
    BLOBS_S3_REGION: access.region,
    BLOBS_S3_ENDPOINT: access.endpoint,
    BLOBS_S3_PATH_STYLE: 'on',
    BLOBS_S3_PREFIX: 'tributary',
    BLOBS_S3_ACCESS_KEY_ID: access.access_key_id,
    BLOBS_S3_SECRET_ACCESS_KEY: access.secret_access_key,
  }
  for (const said of ['1 picture was copied.', '0 pictures were copied.']) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
      env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: dataDir, ...inBucket },
    })
    expect(stdout).toContain(said)
  }
  expect(keys()).toEqual([objectOf(before), 'tributary/tributary-check'])

  const elsewhere = join(folder, 'elsewhere')
  await using product = await startProduct({ dataDir: elsewhere, env: inBucket })
  expect((await fetch(`${product.url}/${before}`)).headers.get('content-type')).toBe('image/webp')
  await product.api.login(adminCredentials)
  expect(await storedEvents(product, source)).toHaveLength(1)
  const { logo } = await upload(product, organization)
  expect((await fetch(`${product.url}/${logo}`)).status).toBe(200)
  expect((await fetch(`${product.url}/${before}`)).status).toBe(404)
  expect(keys()).toEqual([objectOf(logo), 'tributary/tributary-check'])
  expect(existsSync(join(elsewhere, 'blobs'))).toBe(false)
  expect((await partsOf(product)).blobs).toEqual({ ok: true, optional: true })

  await bucket.close()
  expect(await upload(product, organization)).toMatchObject({
    status: 503,
    body: { message: "Pictures can't be stored right now. Try again in a moment" },
  })
  expect(await product.api.ok('GET', `/${organization}`)).toMatchObject({ extra: { logo } })
  expect((await fetch(`${product.url}/${logo}`)).status).toBe(503)
  const ready = await fetch(`${product.url}/health/ready`)
  expect([ready.status, ((await ready.json()) as { parts: Parts }).parts.blobs]).toEqual([
    200,
    {
      ok: false,
      optional: true,
      detail: expect.stringMatching(/^The bucket for pictures .*: pictures are not shown$/),
    },
  ])
  await bucket.open()
  expect((await fetch(`${product.url}/${logo}`)).status).toBe(200)
  expect(await product.stop()).toBe(0)
  expect(product.output()).not.toContain(access.secret_access_key)

  const wrong = startProduct({ dataDir: elsewhere, env: { ...inBucket, BLOBS_S3_SECRET_ACCESS_KEY: 'another-secret' } })
  const failure = await wrong.then(
    () => '',
    (error: unknown) => String(error),
  )
  expect(failure).toContain(
    'BLOBS_S3_BUCKET: Objects in the bucket pictures cannot be written: SignatureDoesNotMatch: About SignatureDoesNotMatch.',
  )
  expect(failure).not.toContain('another-secret')
})
