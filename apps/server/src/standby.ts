import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Logger } from '@tributary/kernel'
import {
  migrate,
  openRelational,
  requireMigratable,
  requireSchema,
  SchemaNotReady,
  type Tenure,
  takeTenure,
} from '@tributary/storage'
import type { Config } from './config/config.ts'
import { ListenFailed, listeningUrl } from './http/http-server.ts'
import { settleSecretKey } from './secrets/secret-key-rotation.ts'

/** The lease of the process that does everything but collect. */
const leaseName = 'main'

/**
 * Whether all of what processing knows is with engines by address: then nothing is lost with this process and its disk, another one can take over, and
 * only one at a time may be active. An event store in the data folder is lost with it, and what is known of it is in that folder, too.
 */
export const isShared = ({ log, relational, eventStore }: Pick<Config, 'log' | 'relational' | 'eventStore'>): boolean =>
  log.kind === 'kafka' && relational.kind === 'remote' && eventStore.kind === 'remote'

const why = 'Another process is the main process. This one stands by, and takes over when that one is gone.'

const answer = (response: ServerResponse, status: number, body: object): void => {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(status === 503 ? { 'retry-after': '5' } : {}),
    })
    .end(JSON.stringify(body))
}

/** What a process that stands by answers: that it is there, and that it is not ready. */
const listen = async ({ host, port }: Pick<Config, 'host' | 'port'>) => {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/health/live' || path === '/health') answer(response, 200, { ok: true })
    else if (path === '/health/ready')
      answer(response, 503, { ok: false, parts: { standby: { ok: false, detail: why } } })
    else answer(response, 503, { code: 503, reason: 'STANDBY', message: why, metadata: {} })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenFailed(host, port, error)))
    server.listen(port, host, () => resolve())
  })
  const address = server.address()
  return {
    url: listeningUrl(host, typeof address === 'object' && address !== null ? address.port : port),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Looks at what would be refused later, while somebody who can mend it is there; the schema is left to the main process. */
const check = async (config: Config, url: string, loadedKey: string, logger: Logger): Promise<void> => {
  await using relational = openRelational({ url, logger, maxConnections: 1, statementMs: 0 })
  const { db, pool } = relational
  const { rows } = await pool.query<{ known: boolean }>(
    `select to_regclass('coordination_leases') is not null as known`,
  )
  // Without leases nobody can have one: this is the first start, or the first with this version.
  if (rows[0]?.known !== true) await migrate(db)
  await requireMigratable(db)
  try {
    await requireSchema(db)
  } catch (error) {
    if (error instanceof SchemaNotReady) return
    throw error
  }
  await settleSecretKey(db, config, loadedKey, logger)
}

/** What is told of a process that stands by. */
export type StandbyTold = {
  /** It waits, at this address; `leave` ends that, and the start with it. */
  onStandby?(url: string, leave: () => void): void
}

/** Thrown when a process was told to end while it stood by. */
export class LeftStandby extends Error {
  override readonly name = 'LeftStandby'
}

/**
 * Where all state is shared, waits until this process is the main process; until then it answers that it is not ready. Undefined where nothing is
 * shared: there is nobody to wait for. `onLost` is told before another process can be the main process.
 *
 * @throws LeftStandby, and what is wrong with schema or key
 */
export const becomeMain = async (
  config: Config,
  deps: StandbyTold & {
    loadedKey: string
    logger: Logger
    /** It has to wait: there is time to get ready. */
    onWaiting?: () => void
    onLost: (why: string) => void
  },
): Promise<Tenure | undefined> => {
  if (!isShared(config) || config.relational.kind !== 'remote') return undefined
  const { logger } = deps
  const { url } = config.relational
  await check(config, url, deps.loadedKey, logger)
  const leaving = new AbortController()
  let listening: ReturnType<typeof listen> | undefined
  try {
    const tenure = await takeTenure({
      url,
      name: leaseName,
      of: 'the main process',
      logger,
      signal: leaving.signal,
      onLost: deps.onLost,
      onWaiting() {
        logger.info({}, 'another process is the main process: this one stands by')
        deps.onWaiting?.()
        listening = listen(config)
        listening.then(
          (server) => deps.onStandby?.(server.url, () => leaving.abort(new LeftStandby('It was told to end'))),
          (error: unknown) => leaving.abort(error),
        )
      },
    })
    if (listening !== undefined) logger.info({ epoch: tenure.epoch }, 'this process takes over as the main process')
    return tenure
  } finally {
    await (await listening?.catch(() => undefined))?.close()
  }
}
