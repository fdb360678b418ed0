import type { Config } from '../config/config.ts'
import type { Engines } from '../engines.ts'
import type { Threads } from '../roles/threads.ts'
import type { PartState } from './operations.ts'

/** What is answered in time, else false. */
export const withinMs = async (ms: number, answer: Promise<boolean>): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  const found = await Promise.race([answer.catch(() => false), late.promise])
  clearTimeout(timer)
  return found
}

const stateOf = (threads: Threads, name: 'pipeline' | 'delivery' | 'profiles'): PartState => {
  // A group that begins here, since another process is gone, is no reason to send requests elsewhere.
  if (threads.groups !== undefined && name !== 'profiles') return { ok: true, detail: threads.groups[name].describe() }
  return { ok: threads[name]?.running() ?? false }
}

/** What health shows: the disk, the write keys, the engines and the threads that this process runs, each up or not. */
export const createReadiness =
  (
    config: Config,
    deps: {
      engines: Engines
      threads: Threads
      disk: { ok(): boolean; freeBytes(): number }
      keysReady: () => boolean
      /** Whether a log that is not in the data folder answers. */
      logAnswers: () => Promise<boolean>
      /** Whether a bucket with pictures answers; undefined where they are in the data folder. */
      blobsAnswer: (() => Promise<boolean>) | undefined
    },
  ) =>
  async (): Promise<Record<string, PartState>> => {
    const { engines, threads, disk } = deps
    const parts: Record<string, PartState> = {
      disk: { ok: disk.ok(), detail: `${Math.floor(disk.freeBytes() / 1024 / 1024)} MB free` },
      writeKeys: { ok: deps.keysReady() },
    }
    const [relational, eventStore, log, blobs] = await Promise.all([
      withinMs(
        2000,
        engines.relational.pool.query('select 1').then(() => true),
      ),
      withinMs(2000, engines.eventStore.ping()),
      config.log.kind === 'kafka' ? withinMs(2000, deps.logAnswers()) : true,
      deps.blobsAnswer === undefined ? undefined : withinMs(2000, deps.blobsAnswer()),
    ])
    parts.relational = { ok: relational }
    if (config.log.kind === 'kafka') parts.log = { ok: log }
    parts.eventStore = { ok: eventStore }
    // Nothing but pictures waits for it: a process that is taken out of service for that would make it worse.
    if (blobs !== undefined) parts.blobs = { ok: blobs, optional: true }
    for (const name of ['pipeline', 'delivery', 'profiles'] as const)
      if (config.roles.has(name)) parts[name] = stateOf(threads, name)
    if (threads.signals !== undefined) parts.signals = { ok: threads.signals.running() }
    for (const child of engines.children()) parts[child.name] = { ok: child.phase === 'ready', detail: child.phase }
    return parts
  }
