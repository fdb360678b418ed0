import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord } from '@tributary/kernel'
import type { ChildSpec } from '../../supervisor/child-spec.ts'
import { endProcess, identify, type ProcessIdentity } from '../../supervisor/processes.ts'
import { type ChildOptions, childOptionsVariable, defaultSessions, type Sessions } from './child-options.ts'

export type ChdbChildOptions = {
  /** Folder of the event store, created if missing; `engine/` inside belongs to chDB. */
  dataDir: string
  /** Memory limit of the engine, in bytes. At least 512 MiB. */
  memoryBytes: number
  /** Maximum threads of one query; by default the processors of the machine, at most 4. */
  maxThreads?: number
  sessions?: Sessions
  /** 1 to 19 lowers the priority of the whole child against the server's (setpriority(2)). */
  nice?: number
}

export type ChdbChild = {
  /** The description of the child, which the supervisor runs. */
  spec: ChildSpec
  /** Stays the same after restarts: `http://127.0.0.1:<port>`. */
  url: string
  user: string
  password: string
  /**
   * Concurrent queries by kind, and the memory that they share in bytes: clients of the event store divide this memory
   * among workspaces.
   */
  capacity: { short: number; heavy: number; memoryBytes: number }
}

const entry = fileURLToPath(new URL('./main.ts', import.meta.url))

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

const readIdentity = (file: string): ProcessIdentity | undefined => {
  if (!existsSync(file)) return undefined
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isRecord(value) || !('pid' in value) || typeof value.pid !== 'number') return undefined
    const startTime = 'startTime' in value && typeof value.startTime === 'string' ? value.startTime : undefined
    return { pid: value.pid, startTime }
  } catch {
    return undefined
  }
}

const lowerPriority = (pid: number, nice: number | undefined): void => {
  if (nice === undefined || nice <= 0) return
  try {
    setPriority(pid, Math.min(nice, constants.priority.PRIORITY_LOW))
  } catch {
    // The child has already ended, or the system does not allow a change: it keeps its priority.
  }
}

/**
 * Creates the embedded event store as a child process for the supervisor. The port and the secret are chosen once, so
 * that address and credentials survive restarts. The child ends by itself when this process ends.
 */
export const createChdbChild = async (options: ChdbChildOptions): Promise<ChdbChild> => {
  const port = await freePort()
  const user = 'tributary'
  const password = randomBytes(24).toString('base64url')
  const url = `http://127.0.0.1:${port}`
  const { sessions = defaultSessions, memoryBytes } = options
  const identityFile = join(options.dataDir, 'child.json')
  const childOptions: ChildOptions = {
    dataDir: join(options.dataDir, 'engine'),
    user,
    secret: password,
    port,
    memoryBytes,
    sessions,
    ...(options.maxThreads === undefined ? {} : { maxThreads: options.maxThreads }),
  }

  const compiled = getCompileCacheDir()
  const start = (): ChildProcess =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--max-old-space-size=512', entry], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: dirname(process.execPath),
        TZ: 'UTC',
        UV_THREADPOOL_SIZE: '16',
        ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }),
        [childOptionsVariable]: JSON.stringify(childOptions),
      },
    })

  const spec: ChildSpec = {
    name: 'event-store',
    startTimeoutMs: 60_000,
    stop: [
      { signal: 'SIGTERM', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ],
    watch: { intervalMs: 2_000, failures: 8 },
    async recover() {
      mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
      const predecessor = readIdentity(identityFile)
      if (predecessor?.startTime === undefined) return
      const ended = await endProcess(predecessor, [
        { signal: 'SIGTERM', waitMs: 4_000 },
        { signal: 'SIGKILL', waitMs: 4_000 },
      ])
      if (!ended)
        throw new Error(
          `An event store with the process id ${predecessor.pid} still runs on ${options.dataDir} and does not end`,
        )
      rmSync(identityFile, { force: true })
    },
    async spawn() {
      const child = start()
      if (child.pid !== undefined) {
        const identity = identify(child.pid)
        if (identity !== undefined) writeFileSync(identityFile, JSON.stringify(identity), { mode: 0o600 })
        lowerPriority(child.pid, options.nice)
      }
      return child
    },
    async probe() {
      const answer = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(2_000) })
      return (await answer.text()) === 'Ok.\n'
    },
  }
  return { spec, url, user, password, capacity: { short: sessions.short, heavy: sessions.heavy, memoryBytes } }
}
