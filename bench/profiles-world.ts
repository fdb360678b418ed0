import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { openRelational, runningPostgresUrl } from '@tributary/storage'
import { createTestEventStore, startSharedEventStore, type TestEventStore } from '@tributary/test-kit'
import { personDigits } from './load-body.ts'
import { type Bench, continueBench, startBench } from './product.ts'
import { fillEventStore } from './stored-events.ts'

const dayMs = 86_400_000
const days = 30
/** Number of users whose profiles are created at the same time. */
const learned = 2000

/**
 * Two products with the same events and users, one with the role of profiles and one without it, on one event store
 * process.
 */
export type ProfilesWorld = AsyncDisposable & { with: Bench; without: Bench }

/** Roles of a product without profiles. */
const withoutProfiles = 'api,collect,realtime,pipeline,delivery,jobs'

/** Returns an SQL expression for the ID of a user's number, as the load generator writes it. */
const idOf = (begin: string, people: number): string =>
  `concat('${begin}', leftPad(toString(person % ${people}), ${personDigits}, '0'))`

/** Returns the expressions for users and devices of the load generator, for a filled event store. */
export const peopleOfLoad = (people: number): { user: string; device: string } => ({
  user: idOf('person-', people),
  device: idOf('device-', people),
})

/**
 * Creates profiles of the load generator's users from identify calls, each with a user ID, a device, and three traits.
 */
const learnPeople = async ({ product, workspace }: Bench, people: number): Promise<void> => {
  const url = await runningPostgresUrl(join(product.dataDir, 'postgres'))
  await using relational = openRelational({ url, logger: silentLogger, maxConnections: 2 })
  const learn = createLearning({ db: relational.db, metrics: noMetrics })
  const time = new Date(Date.now() - days * dayMs).toISOString()
  const of = { workspaceId: workspace.split('/').at(-1) ?? '', sourceId: crypto.randomUUID() }
  for (let from = 0; from < people; from += learned)
    await learn(
      Array.from({ length: Math.min(learned, people - from) }, (_, index) => {
        const number = String(from + index).padStart(personDigits, '0')
        const eventId = `0-${from + index}-0`
        const ids = { userId: `person-${number}`, anonymousId: `device-${number}` }
        const traits = { email: `person-${number}@example.com`, plan: 'team', seats: 12 }
        const event = { eventId, type: 'identify', ...ids, traits, context: {}, receivedAt: time, timestamp: time }
        return { ...of, eventId, json: JSON.stringify(event) }
      }),
    )
  await relational.pool.query('analyze')
}

/** Copies the events of one event store to another one in the same process, as files. */
const copyEvents = async (from: TestEventStore, to: TestEventStore): Promise<void> => {
  const parts = await from.query<{ partition: string }>(
    `select distinct partition_id as partition from system.parts
     where database = {database:String} and table = 'events' and active`,
    { database: from.database },
  )
  for (const { partition } of parts)
    await to.command(`alter table events attach partition id '${partition}' from ${from.database}.events`)
}

/**
 * Starts both products with this number of stored events and users. They are copies of one product. Its profiles are
 * created before it has stored events, because new profiles would read all stored events.
 */
export const createProfilesWorld = async (events: number, people: number): Promise<ProfilesWorld> => {
  await using stack = new AsyncDisposableStack()
  const shared = stack.use(await startSharedEventStore())
  const stores = {
    with: stack.use(await createTestEventStore(shared.url)),
    without: stack.use(await createTestEventStore(shared.url)),
  }
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const dirs = { with: join(folder, 'with'), without: join(folder, 'without') }
  const first = await startBench({ dataDir: dirs.with, env: { CLICKHOUSE_URL: stores.with.url } })
  const workspaceId = first.workspace.split('/').at(-1) ?? ''
  try {
    const ids = (count: number): string[] => Array.from({ length: count }, () => crypto.randomUUID())
    await Promise.all([
      learnPeople(first, people),
      fillEventStore(stores.with, {
        events,
        until: Date.now(),
        days,
        workspaces: [
          { id: workspaceId, sources: [first.sourceId, ...ids(3)] },
          ...ids(2).map((id) => ({ id, sources: ids(4) })),
        ],
        ids: peopleOfLoad(people),
      }),
    ])
  } finally {
    await first.product[Symbol.asyncDispose]()
  }
  await copyEvents(stores.with, stores.without)
  await cp(dirs.with, dirs.without, { recursive: true })
  const open = (kind: keyof typeof dirs, env: Record<string, string>): Promise<Bench> =>
    continueBench(first, { dataDir: dirs[kind], env: { CLICKHOUSE_URL: stores[kind].url, ...env } })
  const without = await open('without', { TRIBUTARY_ROLES: withoutProfiles })
  stack.use(without.product)
  const bench = await open('with', {})
  stack.use(bench.product)
  const all = stack.move()
  return { with: bench, without, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
