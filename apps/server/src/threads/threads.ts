import type { Logger } from '@tributary/kernel'
import { type AnnouncedProcess, type CoordinationHub, nameOfGroup, type TenureInfo } from '@tributary/storage'
import type { Engines } from '../boot/engines.ts'
import { type Groups, openGroups } from '../cluster/partition-ownership/open-groups.ts'
import { type StreamConsumer, threadConsumer } from '../cluster/stream/consumers.ts'
import { type Config, isProcessor, isShared } from '../config/config.ts'
import type { ThreadMetrics } from '../operations/metrics.ts'
import { deliveryMessages } from './messages/delivery.ts'
import { createClient } from './messages/message.ts'
import { pipelineMessages } from './messages/pipeline.ts'
import { profilesMessages } from './messages/profiles.ts'
import { signalsMessages } from './messages/signals.ts'
import { createRoleThread, type LoadedThread, loadThread, type Role, type RoleThread } from './role-thread.ts'
import type { ThreadData } from './thread-data.ts'
import { blocksFileOf } from './watchdog/blocks-file.ts'
import { takeBlocks } from './watchdog/held-work.ts'

/** The messages of each role that has a thread. */
const messagesOf = {
  pipeline: pipelineMessages,
  delivery: deliveryMessages,
  profiles: profilesMessages,
  signals: signalsMessages,
}

type ThreadName = keyof typeof messagesOf
type RoleOf<Name extends ThreadName> = Role<(typeof messagesOf)[Name]>

/** The threads of the roles that this process runs. */
export type Threads = {
  pipeline: RoleOf<'pipeline'> | undefined
  delivery: RoleOf<'delivery'> | undefined
  profiles: RoleOf<'profiles'> | undefined
  /** Runs next to the pipeline if signals are switched on. */
  signals: RoleOf<'signals'> | undefined
  /** Set if processes share the groups of partitions: then pipeline and delivery stand for those of all processes. */
  groups: Groups | undefined
  /**
   * The consumers of the stream. A role that is switched off is not among them: it keeps no records, and catches up
   * when it is switched on.
   */
  consumers: readonly StreamConsumer[]
}

const entries: Readonly<Record<ThreadName, URL>> = {
  pipeline: new URL('./pipeline-thread.ts', import.meta.url),
  delivery: new URL('./delivery-thread.ts', import.meta.url),
  profiles: new URL('./profiles-thread.ts', import.meta.url),
  signals: new URL('./signals-thread.ts', import.meta.url),
}

const heapMiB = 192

/** Whether a process has a thread. Signals run next to the pipeline, or in the main process if others process, too. */
const runs = (config: Config, name: ThreadName): boolean => {
  const { roles, flags } = config
  if (name !== 'signals') return roles.has(name)
  return flags.signals && (isShared(config) ? !isProcessor(config) : roles.has('pipeline'))
}

/** Creates the threads before they have work, so that their code is loaded when the engines are ready. */
export const loadThreads = (config: Config): ReadonlyMap<ThreadName, LoadedThread> =>
  new Map(
    (['pipeline', 'delivery', 'profiles', 'signals'] as const)
      .filter((name) => runs(config, name))
      .map((name) => [name, loadThread({ name, entry: entries[name], heapMiB })]),
  )

/** Ends threads, also those that never began their work. */
export const endThreads = async (loaded: ReadonlyMap<ThreadName, LoadedThread>): Promise<void> => {
  await Promise.all(Array.from(loaded.values(), ({ worker }) => worker.terminate()))
}

type ThreadsDeps = {
  /** See `ThreadData`; the tenure of the main process. */
  tenure: TenureInfo | undefined
  /** Threads that were created in advance. */
  loaded?: ReadonlyMap<ThreadName, LoadedThread> | undefined
  announced: AnnouncedProcess | undefined
  logger: Logger
  /** See `createPrometheus`. */
  relay: () => ThreadMetrics
  onReplaced: (message: string) => void
}

type Hears = Pick<Parameters<typeof createRoleThread>[0], 'onAppended' | 'onDue' | 'onReplaced'>

/** The data for a thread, which is cloned: functions are left out. */
const threadData = (
  config: Config,
  { tenure, group, ...given }: Pick<ThreadData, 'tenure' | 'group' | 'addresses' | 'secretKey' | 'coordination'>,
): ThreadData => {
  const { dataDir, logLevel, egressAllow, deliveryRetryMs, profileWaitMs, diskReserveBytes, eventStore } = config
  const { retention, fault, log } = config
  const { signals } = config.flags
  return {
    ...given,
    tenure: tenure && { name: tenure.name, epoch: tenure.epoch, until: tenure.until },
    group,
    config: {
      dataDir,
      logLevel,
      egressAllow,
      deliveryRetryMs,
      profileWaitMs,
      diskReserveBytes,
      eventStore,
      retention,
      fault,
      log,
      signals,
    },
  }
}

/**
 * Creates the roles that run in their own threads. The pipeline must start first if it creates the stream that the
 * others read. If processes share the groups of partitions, pipeline and delivery stand for all of these processes.
 *
 * @throws PartitionGroupsInUse
 */
export const createThreads = async (
  config: Config,
  engines: Engines,
  secretKey: string,
  hub: CoordinationHub,
  deps: ThreadsDeps,
): Promise<Threads> => {
  const loaded = new Map(deps.loaded)
  const make = (name: ThreadName, of: Pick<ThreadData, 'tenure' | 'group'>, hears: Hears): RoleThread => {
    const ahead = loaded.get(name)
    loaded.delete(name)
    const metrics = deps.relay()
    const thread = createRoleThread({
      name: of.group === undefined ? name : nameOfGroup(name, of.group),
      entry: entries[name],
      data() {
        const coordination = hub.port()
        const value = threadData(config, { ...of, addresses: engines.addresses, secretKey, coordination })
        return { value, transfer: [coordination] }
      },
      heapMiB,
      loaded: ahead,
      // Records the work that blocked the thread before its restart.
      beforeAgain: () =>
        takeBlocks({ relational: engines.relational, file: blocksFileOf(config.dataDir), logger: deps.logger }),
      logger: deps.logger,
      onMetrics: metrics.apply,
      ...hears,
    })
    if (of.group === undefined) return thread
    return {
      ...thread,
      async stop(deadlineMs) {
        await thread.stop(deadlineMs)
        // Another process now owns the group and reports the gauges of the group.
        metrics.end()
      },
    }
  }
  const ofMain = <Name extends ThreadName>(name: Name, hears: Hears = {}): RoleOf<Name> | undefined => {
    if (!runs(config, name)) return undefined
    const of = { tenure: deps.tenure, group: undefined }
    const thread = make(name, of, { onReplaced: deps.onReplaced, ...hears })
    return { ...thread, ...createClient(messagesOf[name], thread.relay) }
  }
  const onAppended = (): void => {
    for (const consumer of consumers) consumer.wake()
  }
  const groups =
    isShared(config) && config.relational.kind === 'remote'
      ? await openGroups(config, {
          url: config.relational.url,
          relational: engines.relational,
          hub,
          isMain: !isProcessor(config),
          announced: deps.announced,
          onRefused: deps.onReplaced,
          make: (role, group, tenure, onReplaced, onDue) =>
            make(role, { tenure, group }, { onReplaced, onAppended, onDue }),
          logger: deps.logger,
        })
      : undefined
  const delivery = groups?.delivery ?? ofMain('delivery')
  const profiles = ofMain('profiles')
  const signals = ofMain('signals')
  const consumers = [threadConsumer('delivery', 'holds', delivery)]
  if (profiles !== undefined) consumers.push(threadConsumer('profiles', 'catches-up', profiles))
  if (signals !== undefined) consumers.push(threadConsumer('signals', 'catches-up', signals))
  const pipeline =
    groups?.pipeline ??
    ofMain('pipeline', {
      onAppended,
      // A thread that is not running looks for due deliveries when it starts.
      onDue: (due) => void delivery?.ask('take-up', due).catch(() => {}),
    })
  return { delivery, pipeline, profiles, signals, consumers, groups }
}
