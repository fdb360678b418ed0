import { verifySecretKey } from '@tributary/control'
import type { Logger } from '@tributary/kernel'
import { createCoordinationHub, openRelational, requireSchema } from '@tributary/storage'
import { announce } from '../boot/announce.ts'
import { assembled } from '../boot/assembled.ts'
import { version } from '../boot/built.ts'
import { openLogs } from '../boot/open-log.ts'
import { openCollection, startCollection } from '../boot/start-collection.ts'
import type { Config } from '../config/config.ts'
import { createProxyWatch } from '../http/client-ip.ts'
import { createDomainQuestions, createMayAskDomains } from '../http/domain-questions.ts'
import { createHttpServer, listeningUrl, requireFreePort } from '../http/http-server.ts'
import { answersOfOneJob } from '../http/one-job.ts'
import { installFault } from '../operations/faults.ts'
import { createLogger } from '../operations/logger.ts'
import { createPrometheus } from '../operations/metrics.ts'
import { createOperations, type PartState } from '../operations/operations.ts'
import { awaited, stateOfEngine } from '../operations/readiness.ts'
import { createTokenCheck } from '../secrets/metrics-token.ts'
import { createProductSecretBox, newSecretKey } from '../secrets/secret-key.ts'
import { startHeldWork } from '../threads/watchdog/held-work.ts'
import type { CollectingProcesses } from './collecting-processes.ts'
import { followLogProgress } from './log-progress.ts'
import { endOrphanedChanges } from './spreads/orphaned-changes.ts'

export type RunningCollector = { url: string; stop(): Promise<void> }

/** Each of the two caches listens on one connection, and reads changes on others. */
const maxConnections = 6

const otherJobs = answersOfOneJob({
  reason: 'COLLECTION_ONLY',
  message:
    'This process only collects events. Send this request to the process that serves the API and the web application.',
})

/** Opens the configuration for collection, which is read from PostgreSQL and served from memory. */
const openConfiguration = async (config: Config, stack: AsyncDisposableStack, logger: Logger) => {
  // A process that only collects requires remote engines in its configuration.
  const url = config.relational.kind === 'remote' ? config.relational.url : ''
  const secretBox = createProductSecretBox(config.secretKey ?? '')
  const relational = stack.use(openRelational({ url, logger, maxConnections, statementMs: 10_000 }))
  const { db, pool } = relational
  await requireSchema(db)
  const heldWork = await startHeldWork({ relational: { db, pool }, dataDir: config.dataDir, logger })
  stack.defer(() => heldWork.stop())
  const announced = await announce(config, { pool, logger })
  stack.defer(() => announced?.stop())
  await verifySecretKey({ db, secretBox })
  return { relational, collection: await openCollection(stack, relational, secretBox, logger) }
}

/**
 * Starts a process that only collects, beside the main process. It appends to the log on Kafka, reads the configuration
 * from PostgreSQL, and keeps nothing on its own disk. If a step fails, the started parts are stopped again and the
 * error is thrown.
 */
export const startCollector = (config: Config): Promise<RunningCollector> =>
  assembled((stack) => assemble(config, stack))

const assemble = async (config: Config, stack: AsyncDisposableStack): Promise<RunningCollector> => {
  const logger = createLogger(config.logLevel)
  const metrics = createPrometheus()
  installFault(config.fault)
  await requireFreePort(config.port, config.host)
  const { relational, collection } = await openConfiguration(config, stack, logger)
  const { db, pool } = relational
  const collecting: { processes?: CollectingProcesses } = {}
  const logs = openLogs(config)
  // The process counts as collecting until none of its requests is on its way to the log.
  stack.defer(() => collecting.processes?.stop(log.isUnsure?.()))
  const log = await logs.appender('requests')
  stack.defer(() => log.close())
  const hub = createCoordinationHub({ logger })
  stack.defer(() => hub.close())

  const orphaned = endOrphanedChanges({ db, changes: collection.spreads.changes, logger })
  stack.defer(orphaned.stop)
  const collect = await startCollection(config, relational, hub, collecting, { ...collection, log, metrics, logger })
  const progress = await logs.progress()
  if (progress !== undefined) stack.defer(followLogProgress({ progress, logger, coordination: hub.coordination }))

  const parts = async (): Promise<Record<string, PartState>> => {
    const [logState, database] = await Promise.all([
      stateOfEngine(awaited.log, () => log.check()),
      stateOfEngine(awaited.relational, () => pool.query('select 1')),
    ])
    return {
      writeKeys: { ok: collection.keys.ready() },
      log: logState,
      // Events are accepted even without PostgreSQL, so a load balancer must not remove this process.
      relational: { ok: true, detail: database.ok ? 'ready' : 'away: the last known configuration is used' },
    }
  }
  const http = createHttpServer({
    isHttps: config.publicUrl?.startsWith('https:') === true,
    look: createProxyWatch(config.trustedProxies, logger),
    collect,
    operations: createOperations({
      parts,
      metrics: () => metrics.render(),
      // If no token is configured, no request is authorized: there is no folder in which a generated token could be
      // stored.
      mayReadMetrics: createTokenCheck(config.metricsToken ?? newSecretKey()),
      version,
    }),
    domainQuestions: createDomainQuestions({ ...collection.domains, mayAsk: createMayAskDomains(config) }),
    ...otherJobs,
  })
  const port = await http.listen(config.port, config.host)
  // Runs first during a stop: ends new connections, then answers the requests that still wait for Kafka.
  stack.defer(async () => {
    const closed = http.close()
    await collect.stop()
    await closed
  })
  return { url: config.publicUrl ?? listeningUrl(config.host, port), stop: () => stack.disposeAsync() }
}
