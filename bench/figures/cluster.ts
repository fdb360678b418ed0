import { type KafkaPeer, skipsKafka, startKafka } from '@tributary/test-kit'
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { costsByThread, processorSeconds, threadSeconds } from '../processor-time.ts'
import { type Bench, startBench } from '../product.ts'
import { startSink } from '../sink.ts'
import { measurePipelines, measureSpread, measureTakeovers } from './pipelines.ts'

const pairs = 3
const acknowledgedTarget = 0.5
const storedTarget = 0.6
const load = { connections: 16, eventsPerRequest: 100 }

type Engines = 'embedded' | 'kafka'

/** Starts the same product on its embedded log and on Kafka. */
const startBoth = async (
  kafka: KafkaPeer,
  options: { prefix: string; env?: Record<string, string>; webhook?: Record<string, unknown> },
): Promise<Record<Engines, Bench> & AsyncDisposable> => {
  await using stack = new AsyncDisposableStack()
  const started = async (env: Record<string, string>): Promise<Bench> => {
    const bench = await startBench({ ...options, env: { ...options.env, ...env } })
    stack.use(bench.product)
    return bench
  }
  const embedded = await started({})
  const onKafka = await started({ KAFKA_BROKERS: kafka.address, KAFKA_TOPIC_PREFIX: options.prefix })
  const both = stack.move()
  return { embedded, kafka: onKafka, [Symbol.asyncDispose]: () => both.disposeAsync() }
}

const figureOf = (figure: string, target: number, rates: Record<Engines, number[]>): Figure => {
  const ratio = mean(rates.kafka) / mean(rates.embedded)
  return {
    figure,
    target: `>= ${target} of ${thousands(mean(rates.embedded))}/s with the embedded log`,
    measured: `${thousands(mean(rates.kafka))}/s (ratio ± ${spreadOfRatio(rates.kafka, rates.embedded).toFixed(2)})`,
    ratio,
    pass: ratio >= target,
  }
}

/** Measures batches that are acknowledged per second while nothing processes them. */
const measureAcknowledged = async (kafka: KafkaPeer, seconds: number): Promise<Figure> => {
  await using both = await startBoth(kafka, { prefix: 'acknowledged', env: { TRIBUTARY_ROLES: 'api,collect' } })
  const rate = async (kind: Engines, round: number): Promise<number> => {
    const { port, key } = both[kind]
    const report = await runLoad({ ...load, port, key, seconds, run: `a-${kind}-${round}` })
    return report.accepted / report.seconds
  }
  for (const kind of ['embedded', 'kafka'] as const) await rate(kind, -1)
  return figureOf(
    'acknowledged in batches of 100, log on Kafka',
    acknowledgedTarget,
    await inTurns(pairs, ['embedded', 'kafka'] as const, rate),
  )
}

/**
 * Prints the processor time that an event takes in each thread, and in the broker: these are the inputs of
 * docs/scaling.md.
 */
const printCosts = async (kafka: KafkaPeer, { product, port, key, settle }: Bench, events: number): Promise<void> => {
  const spentByBroker = (): number => processorSeconds(kafka.pid() ?? 0)
  const before = threadSeconds(product.pid)
  const broker = spentByBroker()
  const { accepted } = await runLoad({ ...load, port, key, events, run: 'costs' })
  await settle()
  const costs = costsByThread(product.pid, before, accepted)
  const brokers = ((spentByBroker() - broker) / accepted) * 1e6
  process.stdout.write(`on Kafka, µs/event: ${costs}; broker ${brokers.toFixed(1)}\n`)
}

/**
 * Measures events per second from acceptance to a row, until all events of the load are stored, with a webhook that
 * accepts batches.
 */
const measureStored = async (kafka: KafkaPeer, events: number): Promise<Figure> => {
  await using receiver = await startSink()
  await using both = await startBoth(kafka, {
    prefix: 'stored',
    webhook: { url: receiver.url, batching: true, batch_size: 100 },
  })
  const rate = async (kind: Engines, round: number): Promise<number> => {
    const bench = both[kind]
    const began = performance.now()
    const { accepted } = await runLoad({ ...load, port: bench.port, key: bench.key, events, run: `s-${kind}-${round}` })
    await bench.settle()
    return accepted / (((await bench.lastStored()) - began) / 1000)
  }
  for (const kind of ['embedded', 'kafka'] as const) await rate(kind, -1)
  const rates = await inTurns(pairs, ['embedded', 'kafka'] as const, rate)
  await printCosts(kafka, both.kafka, 2 * events)
  return figureOf('stored and queryable, load and drain, log on Kafka', storedTarget, rates)
}

/**
 * Measures the cost of a log on Kafka: one broker without replicas on the same processors, in alternation with the
 * embedded log of the same product. Throws without Java for the broker.
 */
export const measureCluster = async (seconds: number, events: number): Promise<Figure[]> => {
  if (skipsKafka()) throw new Error('cluster: this needs Java and Maven, for a real Kafka')
  await using kafka = await startKafka()
  return [
    await measureAcknowledged(kafka, seconds),
    await measureStored(kafka, events),
    await measurePipelines(kafka, 8 * events),
    await measureSpread(kafka, 3 * events),
    ...(await measureTakeovers(kafka)),
  ]
}
