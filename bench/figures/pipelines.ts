import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@tributary/kernel'
import { groupOfPartition, openRelational, partitionOf } from '@tributary/storage'
import {
  adminCredentials,
  createSource,
  createWorkspace,
  type KafkaPeer,
  type Product,
  startProduct,
  startSharedEventStore,
  startSharedPostgres,
  withDatabase,
  withEventDatabase,
} from '@tributary/test-kit'
import { askSpread, readSpreads } from '../../apps/server/src/cluster/spreads/spreads.ts'
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { benchEnvironment } from '../product.ts'

const pairs = 3
const target = 0.9
const groups = 2

/**
 * The shares of the backlog between which events are measured. The first seconds of a process are excluded, because the
 * compiler uses them.
 */
const between = { from: 0.3, to: 0.95 }

/** Starts all engines by address and a main process that collects. Processes that run the pipeline start on request. */
const startFleet = async (kafka: KafkaPeer, prefix: string, partitionGroups: number) => {
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startSharedPostgres())
  const eventStore = stack.use(await startSharedEventStore())
  const eventsUrl = withEventDatabase(eventStore.url, 'default')
  const env = {
    ...benchEnvironment,
    KAFKA_BROKERS: kafka.address,
    KAFKA_TOPIC_PREFIX: prefix,
    DATABASE_URL: withDatabase(postgres.url, 'postgres'),
    CLICKHOUSE_URL: eventsUrl,
    TRIBUTARY_SECRET_KEY: 'the-same-secret-key-in-each-process',
    TRIBUTARY_PARTITION_GROUPS: String(partitionGroups),
  }
  const main = stack.use(await startProduct({ env: { ...env, TRIBUTARY_ROLES: 'api,collect,jobs' } }))
  await main.api.login(adminCredentials)
  const sources = new Map<number, { key: string; workspaceId: string }>()
  while (sources.size < groups) {
    const { workspace } = await createWorkspace(main.api)
    const workspaceId = workspace.split('/').at(-1) ?? ''
    const group = groupOfPartition(partitionOf(workspaceId, 64), groups)
    if (!sources.has(group)) sources.set(group, { ...(await createSource(main.api, workspace)), workspaceId })
  }
  const stored = async (): Promise<number> => {
    const { origin, search, username, password } = new URL(eventsUrl)
    const answer = await fetch(`${origin}/${search}`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': username, 'x-clickhouse-key': password },
      body: 'select count() from events',
    })
    return Number(await answer.text())
  }
  const ended = stack.move()
  return {
    main,
    /** Two workspaces, whose partitions are in different groups. */
    sources: [...sources.values()],
    /** A write key of each of these workspaces. */
    keys: [...sources.values()].map(({ key }) => key),
    /** Spreads a workspace over several partitions. */
    async spread(workspaceId: string, partitions: number): Promise<void> {
      await using store = openRelational({ url: env.DATABASE_URL, logger: silentLogger, maxConnections: 2 })
      await askSpread(store.db, { workspaceId, spread: partitions, groups: partitionGroups, time: new Date() })
      for (let now = 0; now !== partitions; await pause(200))
        now = (await readSpreads(store.db)).find((each) => each.workspaceId === workspaceId)?.spread ?? 0
    },
    /** Returns the number of stored events. */
    stored,
    startPipeline: (): Promise<Product> => startProduct({ env: { ...env, TRIBUTARY_ROLES: 'pipeline' } }),
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Accepts `events` events, has `processes` processes process them, and returns the processed events per second. */
const backlogRate = async (fleet: Fleet, processes: number, events: number, round: number): Promise<number> => {
  const { keys, stored } = fleet
  const port = Number(new URL(fleet.main.url).port)
  const before = await stored()
  for (const [at, key] of keys.entries())
    await runLoad({
      connections: 8,
      eventsPerRequest: 100,
      port,
      key,
      events: events / keys.length,
      run: `p-${round}-${at}`,
    })
  const started = Array.from({ length: processes }, fleet.startPipeline)
  const at = async (share: number): Promise<{ time: number; count: number }> => {
    for (;;) {
      const count = (await stored()) - before
      if (count >= share * events) return { time: performance.now(), count }
      await pause(100)
    }
  }
  const [first, last] = [await at(between.from), await at(between.to)]
  await at(1)
  for (const each of started) await (await each)[Symbol.asyncDispose]()
  return (last.count - first.count) / ((last.time - first.time) / 1000)
}

/** Measures the cost of sharing: two processes process a backlog on the same processors as one process. */
export const measurePipelines = async (kafka: KafkaPeer, events: number): Promise<Figure> => {
  await using one = await startFleet(kafka, 'one-pipeline', 1)
  await using two = await startFleet(kafka, 'two-pipelines', groups)
  const rate = (kind: 'one' | 'two', round: number): Promise<number> =>
    kind === 'one' ? backlogRate(one, 1, events, round) : backlogRate(two, groups, events, round)
  for (const [round, kind] of (['one', 'two'] as const).entries()) await rate(kind, -1 - round)
  const rates = await inTurns(pairs, ['one', 'two'] as const, rate)
  const ratio = mean(rates.two) / mean(rates.one)
  return {
    figure: 'a backlog processed by two pipeline processes',
    target: `>= ${target} of ${thousands(mean(rates.one))}/s by one`,
    measured: `${thousands(mean(rates.two))}/s (ratio ± ${spreadOfRatio(rates.two, rates.one).toFixed(2)})`,
    ratio,
    pass: ratio >= target,
  }
}

const spreadTarget = 0.85
const spreadOver = 4

/**
 * Measures the cost of splitting requests, from acceptance to a row. A workspace in several partitions, all in one
 * process, is compared with a workspace in a single partition.
 */
export const measureSpread = async (kafka: KafkaPeer, events: number): Promise<Figure> => {
  await using fleet = await startFleet(kafka, 'spread', spreadOver)
  await using pipeline = await fleet.startPipeline()
  while (!(await (await fetch(`${pipeline.url}/health/ready`)).text()).includes(`has ${spreadOver} of`))
    await pause(200)
  const [wide, narrow] = fleet.sources
  if (wide === undefined || narrow === undefined) throw new Error('There are no workspaces')
  await fleet.spread(wide.workspaceId, spreadOver)
  const port = Number(new URL(fleet.main.url).port)
  const rate = async (kind: 'wide' | 'narrow', round: number): Promise<number> => {
    const { key } = kind === 'wide' ? wide : narrow
    const before = await fleet.stored()
    const began = performance.now()
    // Each request has events of a hundred users.
    const load = { connections: 16, eventsPerRequest: 100, people: 10_000 }
    const { accepted } = await runLoad({ ...load, port, key, events, run: `w-${kind}-${round}` })
    while ((await fleet.stored()) < before + accepted) await pause(20)
    return accepted / ((performance.now() - began) / 1000)
  }
  for (const kind of ['wide', 'narrow'] as const) await rate(kind, -1)
  const rates = await inTurns(pairs, ['wide', 'narrow'] as const, rate)
  const ratio = mean(rates.wide) / mean(rates.narrow)
  return {
    figure: `a workspace in ${spreadOver} partitions, from acceptance to a row`,
    target: `>= ${spreadTarget} of ${thousands(mean(rates.narrow))}/s in one partition`,
    measured: `${thousands(mean(rates.wide))}/s (ratio ± ${spreadOfRatio(rates.wide, rates.narrow).toFixed(2)})`,
    ratio,
    pass: ratio >= spreadTarget,
  }
}

const takeovers = { killed: 10_000, stopped: 2000 } as const

/**
 * Measures how long an event waits if it is accepted just after one of two pipeline processes was killed or stopped.
 */
export const measureTakeovers = async (kafka: KafkaPeer): Promise<Figure[]> => {
  await using fleet = await startFleet(kafka, 'takeovers', groups)
  await using stack = new AsyncDisposableStack()
  const start = async (): Promise<Product> => stack.use(await fleet.startPipeline())
  /** Sends one event of each group; returns the time in ms until both are stored. */
  const wait = async (run: string): Promise<number> => {
    const before = await fleet.stored()
    const began = performance.now()
    for (const [at, key] of fleet.keys.entries()) {
      const { status } = await fetch(`${fleet.main.url}/v1/track`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ event: 'Waited', userId: 'u', messageId: `${run}-${at}` }),
      })
      if (status !== 200) throw new Error(`An event was answered ${status}`)
    }
    while ((await fleet.stored()) < before + fleet.keys.length) await pause(20)
    return performance.now() - began
  }
  const shared = async (processes: readonly Product[]): Promise<void> => {
    for (;;) {
      const texts = await Promise.all(processes.map(async ({ url }) => (await fetch(`${url}/health/ready`)).text()))
      if (texts.every((text) => text.includes('has 1 of 2'))) return
      await pause(200)
    }
  }
  let [one, two] = [await start(), await start()]
  const usual: number[] = []
  const times = await inTurns(pairs, ['killed', 'stopped'] as const, async (how, round) => {
    await shared([one, two])
    usual.push(await wait(`u-${round}`))
    const gone = one
    const ended = how === 'killed' ? gone.kill() : gone.stop()
    const ms = await wait(`t-${round}`)
    await ended
    one = two
    two = await start()
    return ms
  })
  return (['killed', 'stopped'] as const).map((how) => {
    const worst = Math.max(...times[how])
    return {
      figure: `an event is stored after one of two pipeline processes is ${how}`,
      target: `<= ${takeovers[how] / 1000} s (with both: ${(mean(usual) / 1000).toFixed(1)} s)`,
      measured: `${(worst / 1000).toFixed(1)} s at most, ${(mean(times[how]) / 1000).toFixed(1)} s on average`,
      ratio: worst / takeovers[how],
      pass: worst <= takeovers[how],
    }
  })
}
