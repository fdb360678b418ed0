import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { type ChildOptions, childOptionsVariable, type ReadyMessage } from './child-options.ts'
import { openEngine } from './engine.ts'
import { createChdbServer } from './server.ts'

// Only this account may access the engine's files.
process.umask(0o077)

/**
 * The entry point of the event store's child process. Its parent passes all options in one variable, and listens on
 * IPC.
 */
const options: ChildOptions = JSON.parse(process.env[childOptionsVariable] ?? '{}')
Reflect.deleteProperty(process.env, childOptionsVariable)

const { sessions } = options
const queries = sessions.insert + sessions.short + sessions.heavy + 1
if (Number(process.env.UV_THREADPOOL_SIZE ?? 4) < queries + 4) {
  // Every running query occupies a thread of the pool; files, DNS and compression need some, too.
  throw new Error(`UV_THREADPOOL_SIZE must be at least ${queries + 4}`)
}

const engine = await openEngine({
  dataDir: options.dataDir,
  memoryBytes: options.memoryBytes,
  maxThreads: options.maxThreads ?? Math.min(4, availableParallelism()),
  sessions,
})
const server = createChdbServer({
  engine,
  user: options.user,
  secret: options.secret,
  dataDir: options.dataDir,
  maxBodyBytes: 128 * 1024 * 1024,
  maxBodiesBytes: 256 * 1024 * 1024,
})

let ending = false
/** Waits a short time for inserts in flight, then exits: acknowledged inserts are already on disk. */
const end = (): void => {
  if (ending) return
  ending = true
  // A normal exit would wait for the threads of running queries.
  const goNow = (): void => void process.kill(process.pid, 'SIGKILL')
  setTimeout(goNow, 3_000).unref()
  const unlessInserting = (): void => {
    if (engine.load().insert.running === 0) goNow()
  }
  setTimeout(unlessInserting, 500).unref()
  server.closeIdleConnections()
  server.close(() => {
    const { insert, short, heavy } = engine.load()
    if (insert.running + short.running + heavy.running > 0) goNow()
    engine.close()
    process.exit(0)
  })
}
process.on('SIGTERM', end)
process.on('SIGINT', end)
process.on('disconnect', end)
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
server.listen(options.port, '127.0.0.1', () => {
  const message: ReadyMessage = { port: (server.address() as AddressInfo).port }
  process.send?.(message)
})
