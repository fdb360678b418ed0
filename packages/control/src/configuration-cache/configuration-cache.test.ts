import { inspect } from 'node:util'
import { createDestinationCache, createSchemaCache } from '@tributary/configuration'
import { defaultPersonDataPaths, methods } from '@tributary/contract'
import { type Logger, newId, silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { CacheFollowerDeps } from '../../../configuration/src/caches/cache-follower.ts'
import { createWriteKeyCache, spreadChange } from '../../../configuration/src/caches/write-key-cache.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const make = (settings?: Record<string, string>) =>
  makeResources(organization.workspaceId, organization.administrator, settings)

/** Opens a separate database connection, as another process does. */
const connectStore = (
  logger: Logger = silentLogger,
  url: string = harness.database.url,
  maxConnections = 2,
): CacheFollowerDeps & { close(): Promise<void> } => {
  const relational = openRelational({ url, logger, maxConnections })
  return { db: relational.db, pool: relational.pool, logger, close: () => relational.close() }
}

const startKeys = async (more: Partial<CacheFollowerDeps> = {}) => {
  const store = connectStore()
  const cache = createWriteKeyCache({ ...store, secretBox: harness.secretBox, ...more })
  onTestFinished(async () => {
    await cache.stop()
    await store.close()
  })
  await cache.start()
  return cache
}

const startDestinations = async () => {
  const store = connectStore()
  const cache = createDestinationCache({ ...store, secretBox: harness.secretBox })
  onTestFinished(async () => {
    await cache.stop()
    await store.close()
  })
  await cache.start()
  return cache
}

describe('the cache of write keys', () => {
  test('the cache of write keys finds every valid key with its source, and finds nothing for any other text', async () => {
    const made = await make()
    const cache = await startKeys()
    expect(cache.ready()).toBe(true)
    const entry = {
      organizationId: organization.organizationId,
      workspaceId: organization.workspaceId,
      sourceId: idIn(made.source.name),
      sourceTitle: 'Shop',
      sourceEnabled: true,
      app: 'http',
      settings: {},
      keyId: idIn(made.writekey.name),
    }
    // The first call computes the result, the second one uses the cache.
    for (const _ of [1, 2]) {
      expect(cache.find(made.writekey.key)).toEqual(entry)
      for (const text of ['', 'unknown', `${made.writekey.key} `, made.writekey.key.toLowerCase(), 'x'.repeat(100_000)])
        expect(cache.find(text)).toBeUndefined()
    }
  })

  test('the cache of write keys is not ready before its first snapshot', () => {
    const cache = createWriteKeyCache({
      db: harness.db,
      pool: harness.database.pool,
      secretBox: harness.secretBox,
      logger: silentLogger,
    })
    expect(cache.ready()).toBe(false)
    expect(cache.find('x')).toBeUndefined()
  })

  test.each([
    ['with its notification', undefined],
    ['by looking, when no notification comes', { connect: () => Promise.reject(new Error('no connection')) }],
  ])('the cache of write keys notices a new key, a disabled source, and a revocation by itself %s', async (_, pool) => {
    const cache = await startKeys(
      pool === undefined ? {} : { pool: Object.assign(Object.create(harness.database.pool), pool) },
    )
    const { administrator } = organization
    const within = (what: string, check: () => boolean) => eventually(what, check)
    const made = await make()
    await within('the new key', () => cache.find(made.writekey.key)?.sourceEnabled === true)
    await administrator.call('PATCH', `/${made.source.name}`, { enabled: false })
    await within('the disabled source', () => cache.find(made.writekey.key)?.sourceEnabled === false)
    await administrator.call('DELETE', `/${made.writekey.name}`)
    await within('the revocation', () => cache.find(made.writekey.key) === undefined)
    expect(cache.findRevoked(made.writekey.key)?.sourceId).toBe(idIn(made.source.name))
    expect(cache.findRevoked('nobody')).toBeUndefined()
    const second = await make()
    await within('the second key', () => cache.find(second.writekey.key) !== undefined)
    await administrator.call('DELETE', `/${second.source.name}`)
    await within('the deleted source', () => cache.find(second.writekey.key) === undefined)
    expect(cache.findRevoked(second.writekey.key)?.sourceId).toBe(idIn(second.source.name))
  })

  test('the cache of write keys sends no query for a request, and serves its snapshot while the database is unavailable', async () => {
    await using own = await startControl()
    const { administrator, workspaceId } = await startOrganization(own)
    const made = await makeResources(workspaceId, administrator)
    const failed = Promise.withResolvers<void>()
    const logger = { ...silentLogger, warn: () => failed.resolve() }
    const store = connectStore(logger, own.database.url)
    const cache = createWriteKeyCache({ ...store, secretBox: own.secretBox, pollMs: 20 })
    await cache.start()
    // The database is dropped, with every connection to it.
    await own.database.close()
    await failed.promise
    expect(cache.find(made.writekey.key)?.keyId).toBe(idIn(made.writekey.name))
    expect(cache.find('unknown')).toBeUndefined()
    expect(cache.ready()).toBe(true)
    await cache.stop()
    await store.close()
  })

  test('the cache of write keys continues after its connections were closed', async () => {
    const cache = await startKeys({ pollMs: 100 })
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(harness.db)
    const made = await eventually('the database again', make)
    await eventually('the key', () => cache.find(made.writekey.key) !== undefined)
  })

  test('while notifications arrive, all caches of a pool together read the version once in five checks', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = connectStore(silentLogger, harness.database.url, 6)
    let reads = 0
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        reads += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const deps = { ...store, db: store.db.withPlugin(counting), secretBox: harness.secretBox }
    const caches = [createWriteKeyCache(deps), createDestinationCache(deps), createSchemaCache(deps)]
    for (const cache of caches) await cache.start()
    // The first read announces a version that no cache has compared with its own, so each compares once.
    await vi.advanceTimersByTimeAsync(5000)
    for (const cache of caches) await cache.refresh()
    reads = 0
    for (let second = 0; second < 30; second++) {
      await vi.advanceTimersByTimeAsync(1000)
      await store.db.selectFrom('directory_version').select('version').execute()
    }
    expect(reads).toBe(6)
    for (const cache of caches) await cache.stop()
    await store.close()
  })

  test('after a refresh, the cache of write keys contains everything that was committed before', async () => {
    const cache = await startKeys({ pollMs: 3_600_000 })
    for (let count = 0; count < 5; count++) {
      const made = await make()
      await cache.refresh()
      expect(cache.find(made.writekey.key)?.keyId).toBe(idIn(made.writekey.name))
    }
  })

  test('the cache of write keys is not reloaded when a key is used', async () => {
    const made = await make()
    const version = async () =>
      (await harness.db.selectFrom('directory_version').select('version').executeTakeFirstOrThrow()).version
    const before = await version()
    await harness.db
      .updateTable('write_keys')
      .set({ last_used_time: new Date() })
      .where('id', '=', idIn(made.writekey.name))
      .execute()
    expect(await version()).toBe(before)
    await harness.db.updateTable('sources').set({ title: 'Other' }).where('id', '=', idIn(made.source.name)).execute()
    expect(Number(await version())).toBe(Number(before) + 1)
  })

  test('the cache of write keys clears its memory of unknown texts instead of growing', async () => {
    const cache = await startKeys()
    const made = await make()
    for (let index = 0; index < 50_000; index++) cache.find(`unknown-${index}`)
    await eventually('the key', () => cache.find(made.writekey.key) !== undefined)
  })
})

describe('a spread of a workspace', () => {
  test('a spread is in the destination cache and, with its change, in the write key cache as soon as it is stored', async () => {
    const own = await startOrganization(harness)
    const [keys, destinations] = [await startKeys(), await startDestinations()]
    const { destination } = await makeResources(own.workspaceId, own.administrator)
    const id = idIn(destination.name)
    await eventually('made', () => destinations.get(id) !== undefined)
    const [time, values] = [new Date(), { spread: 1, widest: 4, next: 4 }]
    await harness.db
      .insertInto('workspace_spreads')
      .values({ workspace_id: own.workspaceId, ...values, change_time: time })
      .execute()
    const set = (change: { pause_time: Date | null; spread?: number; next?: null }) =>
      harness.db.updateTable('workspace_spreads').set(change).where('workspace_id', '=', own.workspaceId).execute()
    const known = () => keys.spreads.of(own.workspaceId)
    await set({ pause_time: time })
    await eventually('paused', () => known()?.change === spreadChange(own.workspaceId, time))
    expect(known()?.partitions).toHaveLength(1)
    expect(keys.spreads.changes()).toEqual([spreadChange(own.workspaceId, time)])
    await set({ pause_time: null, spread: 4, next: null })
    await eventually('spread', () => known()?.partitions.length === 4 && known()?.change === undefined)
    await eventually('its destinations', () => destinations.get(id)?.spread === 4)
    await set({ pause_time: null, spread: 2 })
    await eventually('its destinations', () => destinations.get(id)?.spread === 2)
    expect(destinations.get(id)?.widest).toBe(4)
    expect(keys.spreads.of(organization.workspaceId)).toBeUndefined()
    expect(keys.spreads.changes()).toEqual([])
  })
})

describe('the cache of destinations', () => {
  test('the cache of destinations maps a source to the destinations of its enabled connections, including paused destinations', async () => {
    const { administrator, workspaceId } = organization
    const cache = await startDestinations()
    const made = await make()
    const sourceId = idIn(made.source.name)
    const id = idIn(made.destination.name)
    const ids = () => cache.destinationsFor(sourceId)
    const becomes = (what: string, expected: readonly string[]) =>
      eventually(what, () => JSON.stringify(ids()) === JSON.stringify(expected))
    await becomes('connected', [id])
    expect(cache.get(id)).toEqual({
      id,
      workspaceId,
      title: 'Receiver',
      app: 'webhook',
      enabled: true,
      spread: 1,
      widest: 1,
      settings: { url: 'https://receiver.example/hook', signing_secret: 'very secret', batch_size: 10 },
      grant: undefined,
      mappings: undefined,
      presetVersion: 2,
      secretsToEnter: [],
      consentCategories: [],
      filters: new Map([[sourceId, { match: 'all', conditions: [] }]]),
      personData: defaultPersonDataPaths,
    })
    const set = async (name: string, enabled: boolean) =>
      expect(await administrator.call('PATCH', `/${name}`, { enabled })).toMatchObject({ status: 200 })
    await set(made.connection.name, false)
    await becomes('connection off', [])
    await set(made.connection.name, true)
    await becomes('connection on', [id])
    // A paused destination stays in the cache: its events are held.
    await set(made.destination.name, false)
    await eventually('paused', () => cache.get(id)?.enabled === false)
    expect(ids()).toEqual([id])
    await set(made.destination.name, true)
    await eventually('resumed', () => cache.get(id)?.enabled === true)
    await administrator.call('DELETE', `/${made.destination.name}`)
    await becomes('deleted', [])
    expect(cache.get(id)).toBeUndefined()
    expect(cache.destinationsFor(newId())).toEqual([])
  })

  test('the cache of destinations follows the start and end of a grant, and ignores renewed tokens', async () => {
    const cache = await startDestinations()
    const { destination } = await make()
    const [id, grantId, time] = [idIn(destination.name), newId(), new Date()]
    const { db } = harness
    const grant = { id: grantId, issued_for: 'client', connect_time: time, update_time: time }
    await db
      .insertInto('oauth_grants')
      .values({ destination_id: id, ...grant, status: 'connected', tokens_encrypted: Buffer.from('sealed') })
      .execute()
    const seen = { id: grantId, issuedFor: 'client', error: '' }
    await eventually('the grant', () => cache.get(id)?.grant !== undefined)
    expect(cache.get(id)?.grant).toEqual({ ...seen, status: 'connected' })
    const version = () => db.selectFrom('directory_version').select('version').executeTakeFirstOrThrow()
    const before = await version()
    await db
      .updateTable('oauth_grants')
      .set({ tokens_encrypted: Buffer.from('renewed'), error: 'x' })
      .execute()
    expect(await version()).toEqual(before)
    await db.updateTable('oauth_grants').set({ status: 'expired', error: '' }).execute()
    await eventually('its end', () => cache.get(id)?.grant?.status === 'expired')
    await db.deleteFrom('oauth_grants').execute()
    await eventually('its absence', () => cache.get(id)?.grant === undefined)
  })

  test('the cache of destinations notifies its listeners of a changed setting until they unsubscribe', async () => {
    const cache = await startDestinations()
    const made = await make()
    const id = idIn(made.destination.name)
    let calls = 0
    const stop = cache.onChange(() => void calls++)
    const params = { workspace: organization.workspaceId, destination: id }
    const set = (value: number) =>
      organization.administrator.ok(methods.destinations.updateSetting, params, { body: { name: 'batch_size', value } })
    await set(42)
    await eventually('the change', () => cache.get(id)?.settings.batch_size === 42)
    expect(calls).toBeGreaterThan(0)
    stop()
    const before = calls
    await set(43)
    await eventually('the next change', () => cache.get(id)?.settings.batch_size === 43)
    expect(calls).toBe(before)
  })

  test('the cache of destinations includes the changes of concurrent transactions', async () => {
    const cache = await startDestinations()
    const made = await Promise.all(Array.from({ length: 12 }, () => make()))
    const wanted = made.map(({ source, destination }) => [idIn(source.name), idIn(destination.name)] as const)
    await eventually('all of them', () =>
      wanted.every(([source, destination]) => cache.destinationsFor(source)[0] === destination),
    )
  })
})

test('the connector of a destination is loaded before its snapshot', async () => {
  const { destination } = await make()
  const stores = [connectStore(), connectStore()] as const
  const [sources, destinations] = [new Set<string>(), new Set<string>()]
  const collecting = (into: Set<string>) => ({
    load: async (slugs: Iterable<string>) => {
      await new Promise(setImmediate)
      for (const slug of slugs) into.add(slug)
    },
    keep: () => {},
  })
  const { secretBox } = harness
  const keys = createWriteKeyCache({ ...stores[0], secretBox, connectors: collecting(sources) })
  const following = createDestinationCache({ ...stores[1], secretBox, connectors: collecting(destinations) })
  onTestFinished(async () => {
    await Promise.all([keys.stop(), following.stop()])
    for (const store of stores) await store.close()
  })
  const seen: boolean[] = []
  following.onChange(() => seen.push(destinations.has(following.get(idIn(destination.name))?.app ?? '')))
  await Promise.all([keys.start(), following.start()])
  expect(seen[0]).toBe(true)
  expect(sources).toContain('http')
})

describe('a cache that follows changes', () => {
  const startBoth = async (secretBox = harness.secretBox) => {
    // Each cache listens on its own connection.
    const store = connectStore(silentLogger, harness.database.url, 6)
    const deps = { ...store, secretBox, pollMs: 3_600_000 }
    const keys = createWriteKeyCache(deps)
    const destinations = createDestinationCache(deps)
    const schemas = createSchemaCache(deps)
    const all = [keys, destinations, schemas]
    onTestFinished(async () => {
      for (const cache of all) await cache.stop()
      await store.close()
    })
    await Promise.all(all.map((cache) => cache.start()))
    return { keys, destinations, schemas, refresh: () => Promise.all(all.map((cache) => cache.refresh())) }
  }

  test('a cache that followed each change equals a newly loaded cache', async () => {
    const followed = await startBoth()
    const { administrator } = organization
    const made = await Promise.all(Array.from({ length: 4 }, () => make()))
    const [one, two, three, four] = made
    if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error('not made')
    const call = (method: 'PATCH' | 'DELETE', name: string, body?: object) =>
      administrator.call(method, `/${name}`, body)
    const steps: (() => Promise<unknown>)[] = [
      async () => {},
      () => call('PATCH', one.source.name, { title: 'Renamed shop' }),
      () => call('PATCH', one.source.name, { enabled: false }),
      () => call('PATCH', one.connection.name, { enabled: false }),
      () => call('PATCH', two.destination.name, { enabled: false }),
      () => call('DELETE', two.writekey.name),
      () => call('DELETE', two.connection.name),
      () => call('DELETE', three.source.name),
      () => call('DELETE', four.destination.name),
      () => harness.db.deleteFrom('connections').where('id', '=', idIn(one.connection.name)).execute(),
      () => harness.db.deleteFrom('write_keys').where('id', '=', idIn(four.writekey.name)).execute(),
      () => harness.db.deleteFrom('sources').where('id', '=', idIn(one.source.name)).execute(),
      () => harness.db.deleteFrom('destinations').where('id', '=', idIn(two.destination.name)).execute(),
    ]
    const known = ({ keys, destinations, schemas }: typeof followed) =>
      made.map(({ source, destination, writekey }) => [
        keys.find(writekey.key),
        keys.findRevoked(writekey.key),
        destinations.get(idIn(destination.name)),
        destinations.destinationsFor(idIn(source.name)),
        schemas.schemaFor(idIn(source.name)),
      ])
    const seen = new Set<string>()
    for (const step of steps) {
      await step()
      await followed.refresh()
      expect(known(followed)).toEqual(known(await startBoth()))
      seen.add(inspect(known(followed), { depth: 10 }))
    }
    expect(seen.size).toBe(steps.length)
  })

  test("a change of one destination decrypts only that destination's secrets", async () => {
    const opened: string[] = []
    const { secretBox } = harness
    const counting = {
      ...secretBox,
      open: (sealed: Uint8Array, context: string) => {
        opened.push(context)
        return secretBox.open(sealed, context)
      },
    }
    const made = await Promise.all(Array.from({ length: 5 }, () => make()))
    const { destinations, refresh } = await startBoth(counting)
    expect(opened.length).toBeGreaterThanOrEqual(5)
    opened.length = 0
    const [changed = '', other = ''] = made.map(({ destination }) => destination.name)
    const kept = destinations.get(idIn(other))
    await organization.administrator.call('PATCH', `/${changed}`, { title: 'Renamed' })
    await refresh()
    expect(destinations.get(idIn(changed))?.title).toBe('Renamed')
    expect(opened).toEqual([`destinations/${idIn(changed)}/secrets`])
    expect(destinations.get(idIn(other))).toBe(kept)
  })
})

describe('the cache of schemas', () => {
  const startSchemas = async (logger: Logger = silentLogger) => {
    const store = connectStore(logger)
    const cache = createSchemaCache({ ...store })
    onTestFinished(async () => {
      await cache.stop()
      await store.close()
    })
    await cache.start()
    return cache
  }

  /** A new version, as a change of the schema makes it. */
  const change = (sourceId: string, version: number, schema: string) =>
    harness.db.transaction().execute(async (tx) => {
      await tx.insertInto('source_schemas').values({ source_id: sourceId, version, schema, change: 'edited' }).execute()
      await tx.updateTable('sources').set({ schema_version: version }).where('id', '=', sourceId).execute()
    })
  const withEvent = (title: string) => JSON.stringify({ events: { [title]: {} } })

  test('the cache of schemas has the schema, version, and enforcement of every source, and follows their changes', async () => {
    const made = await make()
    const other = await make()
    const id = idIn(made.source.name)
    const cache = await startSchemas()
    expect(cache.ready()).toBe(true)
    const of = (sourceId = id) => {
      const found = cache.schemaFor(sourceId)
      return found && [found.version, found.enforcement, [...found.schema.events.keys()]]
    }
    const first = cache.schemaFor(id)?.version ?? 0
    expect(of()).toEqual([first, 'allow', expect.any(Array)])
    await change(id, first + 1, withEvent('Bought'))
    await eventually('the version', () => cache.schemaFor(id)?.version === first + 1)
    expect(of()).toEqual([first + 1, 'allow', ['Bought']])
    const before = cache.schemaFor(id)?.schema
    await harness.db.updateTable('sources').set({ enforcement: 'block' }).where('id', '=', id).execute()
    await eventually('the enforcement', () => cache.schemaFor(id)?.enforcement === 'block')
    await harness.db.updateTable('sources').set({ held: true }).where('id', '=', id).execute()
    await eventually('that its events are held', () => cache.schemaFor(id)?.held === true)
    // A version is read once.
    expect(cache.schemaFor(id)?.schema).toBe(before)
    await change(id, first + 2, withEvent('Sold'))
    await cache.refresh()
    expect(of()).toEqual([first + 2, 'block', ['Sold']])
    expect(of(idIn(other.source.name))).toEqual([expect.any(Number), 'allow', expect.any(Array)])
    await organization.administrator.call('DELETE', `/${made.source.name}`)
    await eventually('the deletion', () => cache.schemaFor(id) === undefined)
    expect(cache.schemaFor(newId())).toBeUndefined()
  })

  test('the cache of schemas keeps the last schema of a source whose text is unreadable, and other schemas follow changes', async () => {
    const errors: unknown[] = []
    const logger = { ...silentLogger, error: (...args: unknown[]) => void errors.push(args[0]) }
    const cache = await startSchemas(logger)
    const [one, two] = [await make(), await make()].map(({ source }) => idIn(source.name))
    if (one === undefined || two === undefined) throw new Error('no sources')
    await cache.refresh()
    const first = cache.schemaFor(one)?.version ?? 0
    await change(one, first + 1, withEvent('Bought'))
    await cache.refresh()
    await change(one, first + 2, '{"events":{"Sold":{"pattern":"x"}}}')
    await change(two, first + 1, withEvent('Sold'))
    await cache.refresh()
    expect(errors[0]).toMatchObject({ sourceId: one, version: first + 2 })
    expect([cache.schemaFor(one)?.version, cache.schemaFor(two)?.version]).toEqual([first + 1, first + 1])
    await change(one, first + 3, withEvent('Mended'))
    await cache.refresh()
    expect([...(cache.schemaFor(one)?.schema.events.keys() ?? [])]).toEqual(['Mended'])
  })

  test('the cache of schemas loads the schemas of many sources', async () => {
    const ids = (await Promise.all(Array.from({ length: 45 }, () => make()))).map(({ source }) => idIn(source.name))
    const cache = await startSchemas()
    expect(ids.filter((id) => cache.schemaFor(id) === undefined)).toEqual([])
  })
})
