import type { Engines } from '../boot/engines.ts'
import type { Config } from '../config/config.ts'
import type { Client } from '../threads/messages/message.ts'
import type { PipelineMessages } from '../threads/messages/pipeline.ts'
import type { Threads } from '../threads/threads.ts'
import type { PartState } from './operations.ts'

/** Maximum time in ms for the response of an engine. */
const answerMs = 2000

/** Returns the reason of a failure without names of machines or users, since any client may read readiness. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z_\d]+$/.test(code) ? ` (${code})` : ''
}

/**
 * The state of an engine: up if it responds within `ms`. Otherwise the detail reports that it is down, and `meanwhile`
 * gives the consequences. Never rejects.
 */
export const stateOfEngine = async (
  engine: { name: string; meanwhile: string },
  answer: () => Promise<unknown>,
  ms = answerMs,
): Promise<PartState> => {
  const late = Promise.withResolvers<PartState>()
  const away = (how: string): PartState => ({ ok: false, detail: `${engine.name} ${how}: ${engine.meanwhile}` })
  const timer = setTimeout(() => late.resolve(away(`has not answered for ${ms / 1000} seconds`)), ms)
  const answered = async (): Promise<PartState> => {
    try {
      return (await answer()) === false ? away('does not answer') : { ok: true }
    } catch (error) {
      return away(`does not answer${reasonOf(error)}`)
    }
  }
  const found = await Promise.race([answered(), late.promise])
  clearTimeout(timer)
  return found
}

/** The engines that a start waits for, and the consequences if they are down. */
export const awaited = {
  log: { name: 'Kafka', meanwhile: 'events are not accepted (503), and processing waits' },
  relational: { name: 'PostgreSQL', meanwhile: 'the API does not work, and processing can wait' },
  eventStore: { name: 'The event store', meanwhile: 'events are accepted, and processing waits' },
  blobs: { name: 'The bucket for pictures', meanwhile: 'pictures are not shown' },
} as const

/** Maximum time in ms for the response of a thread. A thread that is busy does not report its waiting time. */
const threadMs = 500
/**
 * Times in ms that the pipeline waits for the event store. From the first time on, readiness mentions the wait. From
 * the second time on, the process is not ready.
 */
const namedMs = 10_000
const unreadyMs = 60_000

/** Reads how long one of these pipeline threads has been waiting for the event store, ms. */
const readWaitedMs = async (pipelines: readonly Client<PipelineMessages>[]): Promise<number> => {
  const late = Promise.withResolvers<number>()
  const timer = setTimeout(() => late.resolve(0), threadMs)
  const waits = pipelines.map((pipeline) => pipeline.ask('waited').catch(() => 0))
  const waited = await Promise.all(waits.map((wait) => Promise.race([wait, late.promise])))
  clearTimeout(timer)
  return Math.max(0, ...waited)
}

/** The state of a pipeline that has waited this long (ms); undefined if that is short. */
const waitingState = (waitedMs: number): PartState | undefined => {
  if (waitedMs < namedMs) return undefined
  const detail = `Has waited for the event store for ${Math.round(waitedMs / 1000)} seconds: ${awaited.eventStore.meanwhile}`
  return { ok: waitedMs < unreadyMs, detail }
}

/** The state of a role of this process. */
export const stateOfRole = async (
  threads: Pick<Threads, 'pipeline' | 'delivery' | 'profiles' | 'groups'>,
  name: 'pipeline' | 'delivery' | 'profiles',
): Promise<PartState> => {
  if (threads.groups !== undefined && name !== 'profiles') {
    const group = threads.groups[name]
    const waiting =
      name === 'pipeline' ? waitingState(await readWaitedMs(threads.groups.pipeline.threads())) : undefined
    // A group that is starting here because another process has ended is no reason to send requests to another process.
    if (waiting === undefined) return { ok: true, detail: group.describe() }
    return { ...waiting, detail: `${group.describe()}. ${waiting.detail}` }
  }
  if (threads[name]?.running() !== true) return { ok: false }
  const { pipeline } = threads
  if (name !== 'pipeline' || pipeline === undefined) return { ok: true }
  return waitingState(await readWaitedMs([pipeline])) ?? { ok: true }
}

/** Reads the parts of readiness: the disk, the write keys, the engines and the threads of this process. */
export const createReadiness =
  (
    config: Config,
    deps: {
      engines: Engines
      threads: Threads
      disk: { ok(): boolean; freeBytes(): number }
      keysReady: () => boolean
      /** Whether a user can sign in. Undefined if this process handles no accounts. */
      canSignIn?: () => boolean
      /** Whether a log outside the data folder responds. */
      logAnswers: () => Promise<unknown>
      /** Whether a bucket with pictures responds; undefined if they are in the data folder. */
      blobsAnswer: (() => Promise<boolean>) | undefined
    },
  ) =>
  async (): Promise<Record<string, PartState>> => {
    const { engines, threads, disk } = deps
    const parts: Record<string, PartState> = {
      disk: { ok: disk.ok(), detail: `${Math.floor(disk.freeBytes() / 1024 / 1024)} MB free` },
      writeKeys: { ok: deps.keysReady() },
    }
    if (deps.canSignIn !== undefined)
      parts.signIn = deps.canSignIn()
        ? { ok: true }
        : { ok: false, detail: 'The first administrator is not created yet' }
    const { blobsAnswer } = deps
    const [relational, eventStore, log, blobs] = await Promise.all([
      stateOfEngine(awaited.relational, () => engines.relational.pool.query('select 1')),
      stateOfEngine(awaited.eventStore, () => engines.eventStore.ping()),
      config.log.kind === 'kafka' ? stateOfEngine(awaited.log, deps.logAnswers) : undefined,
      blobsAnswer === undefined ? undefined : stateOfEngine(awaited.blobs, blobsAnswer),
    ])
    parts.relational = relational
    if (log !== undefined) parts.log = log
    parts.eventStore = eventStore
    // Only pictures depend on the bucket. Taking the process out of service would make things worse.
    if (blobs !== undefined) parts.blobs = { ...blobs, optional: true }
    for (const name of ['pipeline', 'delivery', 'profiles'] as const)
      if (config.roles.has(name)) parts[name] = await stateOfRole(threads, name)
    if (threads.signals !== undefined) parts.signals = { ok: threads.signals.running() }
    for (const child of engines.children()) parts[child.name] = { ok: child.phase === 'ready', detail: child.phase }
    return parts
  }
