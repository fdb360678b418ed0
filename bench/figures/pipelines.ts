import { setTimeout as pause } from 'node:timers/promises'
import { groupOfPartition, partitionOf } from '@tributary/storage'
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
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { benchEnvironment } from '../product.ts'

const pairs = 3
const target = 0.9
const groups = 2

/** What there is to process is accepted first; what is counted lies between these shares of it. */
const between = { from: 0.1, to: 0.9 }

/** Everything by address, a main process that collects, and so many processes that run the pipeline, begun when they are asked for. */
const startArm = async (kafka: KafkaPeer, processes: number) => {
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await startSharedPostgres())
  const eventStore = stack.use(await startSharedEventStore())
  const eventsUrl = withEventDatabase(eventStore.url, 'default')
  const env = {
    ...benchEnvironment,
    KAFKA_BROKERS: kafka.address,
    KAFKA_TOPIC_PREFIX: `pipelines-${processes}`,
    DATABASE_URL: withDatabase(postgres.url, 'postgres'),
    CLICKHOUSE_URL: eventsUrl,
    TRIBUTARY_SECRET_KEY: 'the-same-secret-key-in-each-process',
    TRIBUTARY_PARTITION_GROUPS: String(processes),
  }
  const main = stack.use(await startProduct({ env: { ...env, TRIBUTARY_ROLES: 'api,collect' } }))
  await main.api.login(adminCredentials)
  const keys = new Map<number, string>()
  while (keys.size < groups) {
    const { workspace } = await createWorkspace(main.api)
    const group = groupOfPartition(partitionOf(workspace.split('/').at(-1) ?? '', 64), groups)
    if (!keys.has(group)) keys.set(group, (await createSource(main.api, workspace)).key)
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
    /** Accepts so many events, processes them, and resolves to how many are processed in a second. */
    async rate(events: number, round: number): Promise<number> {
      const port = Number(new URL(main.url).port)
      const before = await stored()
      for (const [group, key] of keys)
        await runLoad({
          connections: 8,
          eventsPerRequest: 100,
          port,
          key,
          events: events / keys.size,
          run: `p-${round}-${group}`,
        })
      const started: Promise<Product>[] = Array.from({ length: processes }, () =>
        startProduct({ env: { ...env, TRIBUTARY_ROLES: 'pipeline' } }),
      )
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
    },
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  }
}

/** Two processes that share a backlog on the processors that one has: what sharing costs. */
export const measurePipelines = async (kafka: KafkaPeer, events: number): Promise<Figure> => {
  await using one = await startArm(kafka, 1)
  await using two = await startArm(kafka, groups)
  const arms = { one, two }
  for (const [round, kind] of (['one', 'two'] as const).entries()) await arms[kind].rate(events, -1 - round)
  const rates = await inTurns(pairs, ['one', 'two'] as const, (kind, round) => arms[kind].rate(events, round))
  const ratio = mean(rates.two) / mean(rates.one)
  return {
    figure: 'a backlog processed by two pipeline processes',
    target: `>= ${target} of ${thousands(mean(rates.one))}/s by one`,
    measured: `${thousands(mean(rates.two))}/s (ratio ± ${spreadOfRatio(rates.two, rates.one).toFixed(2)})`,
    ratio,
    pass: ratio >= target,
  }
}
