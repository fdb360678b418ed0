import type { Logger } from '@tributary/kernel'
import type { CoordinationHub, TenureInfo } from '@tributary/storage'
import type { Config } from '../config/config.ts'
import type { Engines } from '../engines.ts'
import type { MetricChange } from '../operations/relayed-metrics.ts'
import { type StreamConsumer, threadConsumer } from '../stream/consumers.ts'
import { createRoleThread, type LoadedThread, loadThread, type RoleThread } from './role-thread.ts'
import type { ThreadData } from './thread-data.ts'

/** The threads of the roles that have one, as far as this process runs them. */
export type Threads = {
  pipeline: RoleThread | undefined
  delivery: RoleThread | undefined
  profiles: RoleThread | undefined
  /** Runs beside the pipeline where signals are switched on. */
  signals: RoleThread | undefined
  /** Who reads the stream. One that is switched off is not here: it holds nothing, and catches up when it is back. */
  consumers: readonly StreamConsumer[]
}

const entries = {
  pipeline: new URL('./pipeline-thread.ts', import.meta.url),
  delivery: new URL('./delivery-thread.ts', import.meta.url),
  profiles: new URL('./profiles-thread.ts', import.meta.url),
  signals: new URL('./signals-thread.ts', import.meta.url),
}

type ThreadName = keyof typeof entries

const heapMiB = 192

/** Which threads a process has. Signals run beside the pipeline. */
const runs = ({ roles, flags }: Pick<Config, 'roles' | 'flags'>, name: ThreadName): boolean =>
  name === 'signals' ? roles.has('pipeline') && flags.signals : roles.has(name)

/** Makes the threads of a process that stands by, so that they have their code when it takes over. */
export const loadThreads = (config: Pick<Config, 'roles' | 'flags'>): ReadonlyMap<ThreadName, LoadedThread> =>
  new Map(
    (['pipeline', 'delivery', 'profiles', 'signals'] as const)
      .filter((name) => runs(config, name))
      .map((name) => [name, loadThread({ name, entry: entries[name], heapMiB })]),
  )

/** The roles that run beside the main thread. The pipeline has to start first: it makes the stream that the others read. */
export const createThreads = (
  config: Config,
  engines: Engines,
  secretKey: string,
  hub: CoordinationHub,
  deps: {
    /** As of `ThreadData`. */
    tenure: TenureInfo | undefined
    /** Threads that were made ahead. */
    loaded?: ReadonlyMap<ThreadName, LoadedThread> | undefined
    logger: Logger
    apply: (changes: MetricChange[]) => void
    onReplaced: (message: string) => void
  },
): Threads => {
  const data = () => {
    const coordination = hub.port()
    const { dataDir, logLevel, egressAllow, deliveryRetryMs, diskReserveBytes, eventStore, retention, fault, log } =
      config
    const value: ThreadData = {
      addresses: engines.addresses,
      secretKey,
      tenure: deps.tenure && { name: deps.tenure.name, epoch: deps.tenure.epoch, until: deps.tenure.until },
      coordination,
      config: {
        dataDir,
        logLevel,
        egressAllow,
        deliveryRetryMs,
        diskReserveBytes,
        eventStore,
        retention,
        fault,
        log,
        signals: config.flags.signals,
      },
    }
    return { value, transfer: [coordination] }
  }
  const thread = (
    name: ThreadName,
    hears: { onAppended?: () => void; onDue?: (destinationId: string) => void } = {},
  ): RoleThread | undefined =>
    runs(config, name)
      ? createRoleThread({
          name,
          entry: entries[name],
          data,
          heapMiB,
          loaded: deps.loaded?.get(name),
          logger: deps.logger,
          onMetrics: deps.apply,
          onReplaced: deps.onReplaced,
          ...hears,
        })
      : undefined
  const delivery = thread('delivery')
  const profiles = thread('profiles')
  const signals = thread('signals')
  const consumers = [threadConsumer('delivery', 'holds', delivery)]
  if (profiles !== undefined) consumers.push(threadConsumer('profiles', 'catches-up', profiles))
  if (signals !== undefined) consumers.push(threadConsumer('signals', 'catches-up', signals))
  const pipeline = thread('pipeline', {
    onAppended: () => {
      for (const consumer of consumers) consumer.wake()
    },
    // A thread that is not there now looks what is due when it starts.
    onDue: (destinationId) => void delivery?.ask('take-up', destinationId).catch(() => {}),
  })
  return { delivery, pipeline, profiles, signals, consumers }
}
