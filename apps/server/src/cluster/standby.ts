import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Logger } from '@tributary/kernel'
import {
  migrate,
  openRelational,
  requireMigratable,
  requireSchema,
  runningRoles,
  SchemaNotReady,
  type Tenure,
  takeTenure,
} from '@tributary/storage'
import { type Config, isCollector, isProcessor, isShared } from '../config/config.ts'
import type { RoleName } from '../config/settings.ts'
import { ListenFailed, listeningUrl } from '../http/http-server.ts'
import { settleSecretKey } from '../secrets/secret-key-rotation.ts'

/** The lease of the main process, which does everything but collect. */
const leaseName = 'main'

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

/** Serves health for a standby process: it is live, but not ready. */
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

/**
 * Checks early what the takeover would reject, while an operator who can fix it is present. The main process migrates
 * the schema.
 */
const check = async (config: Config, url: string, loadedKey: string, logger: Logger): Promise<void> => {
  await using relational = openRelational({ url, logger, maxConnections: 1, statementMs: 0 })
  const { db, pool } = relational
  const { rows } = await pool.query<{ known: boolean }>(
    `select to_regclass('coordination_leases') is not null as known`,
  )
  // Without the table no process has a lease: this is the first start, or the first with this version.
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

/** Callbacks of a process that stands by. */
export type StandbyCallbacks = {
  /** Called when the process begins to wait, with its address. `leave` ends the wait, and thereby the start. */
  onStandby?(url: string, leave: () => void): void
}

/** Thrown when a process was stopped while it stood by. */
export class LeftStandby extends Error {
  override readonly name = 'LeftStandby'
}

/**
 * Thrown if the main process has other roles than the process that would stand by for it. Its message explains what to
 * do.
 */
export class OtherRoles extends Error {
  override readonly name = 'OtherRoles'
}

const listOf = (roles: Iterable<string>): string => [...roles].toSorted().join(',')
/** Whether a main process can have these roles. */
const areOfMain = (given: readonly string[]): boolean => {
  const roles = new Set(given as RoleName[])
  return !isCollector({ roles }) && !isProcessor({ roles })
}

/**
 * Checks that a running main process has the same roles as this process, which will take its place. Otherwise this
 * process would be ready although roles are missing. A killed process still counts for some seconds.
 * @throws OtherRoles
 */
export const requireSameRoles = async (
  { roles }: Pick<Config, 'roles'>,
  database: Parameters<typeof runningRoles>[0],
): Promise<void> => {
  const others = (await runningRoles(database)).filter(areOfMain).map(listOf)
  const [other] = others
  if (other === undefined || others.includes(listOf(roles))) return
  throw new OtherRoles(
    `The main process has the roles ${other}, and this one ${listOf(roles)}: it cannot stand by for it. Set the same TRIBUTARY_ROLES in both.`,
  )
}

const rolesLookMs = 1000

/**
 * Compares the roles with those of the main process periodically, until it is stopped. While the database is down, no
 * comparison takes place.
 */
const watchRoles = (config: Config, url: string, logger: Logger, onOther: (error: OtherRoles) => void) => {
  const relational = openRelational({ url, logger, maxConnections: 1, statementMs: 2000 })
  const look = (): Promise<void> =>
    requireSameRoles(config, relational).catch((error: unknown) => {
      if (error instanceof OtherRoles) onOther(error)
    })
  let looking: Promise<void> | undefined
  const begin = (): void => {
    looking ??= look().finally(() => {
      looking = undefined
    })
  }
  begin()
  const timer = setInterval(begin, rolesLookMs)
  return {
    async stop() {
      clearInterval(timer)
      await looking
      await relational.close()
    },
  }
}

/**
 * If all state is shared, waits until this process is the main process; until then, the process reports that it is not
 * ready. Returns undefined if nothing is shared, because there is no process to wait for. `onLost` is called before
 * another process can become the main process.
 * @throws LeftStandby, OtherRoles, and errors of schema or key
 */
export const becomeMain = async (
  config: Config,
  deps: StandbyCallbacks & {
    loadedKey: string
    logger: Logger
    /** Called when the process has to wait, so that there is time to prepare. */
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
  let roles: ReturnType<typeof watchRoles> | undefined
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
        roles = watchRoles(config, url, logger, (error) => leaving.abort(error))
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
    await roles?.stop()
    await (await listening?.catch(() => undefined))?.close()
  }
}
