import { createCollect } from '@tributary/collect'
import { createCustomDomainCache, createRefusalSink, createWriteKeyCache, verifySecretKey } from '@tributary/control'
import { type Logger, systemClock } from '@tributary/kernel'
import { createCoordinationHub, openRelational, requireSchema } from '@tributary/storage'
import { announce } from './announce.ts'
import { assembled } from './assembled.ts'
import { builtTag, version } from './built.ts'
import { type CollectingProcesses, countCollectingProcesses } from './collecting-processes.ts'
import type { Config } from './config/config.ts'
import { createProxyWatch } from './http/client-ip.ts'
import { createDomainQuestions } from './http/domain-questions.ts'
import { createHttpServer, listeningUrl, requireFreePort } from './http/http-server.ts'
import { answersOfOneJob } from './http/one-job.ts'
import { followLogProgress } from './log-progress.ts'
import { openLogs } from './open-log.ts'
import { installFault } from './operations/faults.ts'
import { createLogger } from './operations/logger.ts'
import { createPrometheus } from './operations/metrics.ts'
import { createOperations, type PartState } from './operations/operations.ts'
import { withinMs } from './operations/readiness.ts'
import { createTokenCheck } from './secrets/metrics-token.ts'
import { createProductSecretBox, newSecretKey } from './secrets/secret-key.ts'
import { createSourceWebhooks } from './source-webhooks.ts'
import { endOrphanedChanges } from './spreads/orphaned-changes.ts'
import { createWorkspaceSpreads } from './spreads/workspace-spreads.ts'

export type RunningCollector = { url: string; stop(): Promise<void> }

/** Both caches listen on a connection each, and look for changes on others. */
const maxConnections = 6

const otherJobs = answersOfOneJob({
  reason: 'COLLECTION_ONLY',
  message:
    'This process only collects events. Send this request to the process that serves the API and the web application.',
})

/** What collection follows in the relational store, from memory. */
const openConfiguration = async (config: Config, stack: AsyncDisposableStack, logger: Logger) => {
  // Its configuration requires both.
  const url = config.relational.kind === 'remote' ? config.relational.url : ''
  const secretBox = createProductSecretBox(config.secretKey ?? '')
  const relational = stack.use(openRelational({ url, logger, maxConnections, statementMs: 10_000 }))
  const { db, pool } = relational
  await requireSchema(db)
  const announced = await announce(config, { pool, logger })
  stack.defer(() => announced?.stop())
  await verifySecretKey({ db, secretBox })
  const webhooks = createSourceWebhooks(logger)
  const keys = createWriteKeyCache({ db, pool, secretBox, connectors: webhooks, logger })
  await keys.start()
  stack.defer(() => keys.stop())
  const domains = createCustomDomainCache({ db, pool, logger })
  await domains.start()
  stack.defer(() => domains.stop())
  return { db, pool, webhooks, keys, domains }
}

/**
 * Starts a process that only collects, beside the one that does everything else: it appends to the log on Kafka, follows the
 * configuration in PostgreSQL, and keeps nothing on its own disk. When a step fails, what was started is stopped again and the error is thrown.
 */
export const startCollector = (config: Config): Promise<RunningCollector> =>
  assembled((stack) => assemble(config, stack))

const assemble = async (config: Config, stack: AsyncDisposableStack): Promise<RunningCollector> => {
  const logger = createLogger(config.logLevel)
  const metrics = createPrometheus()
  installFault(config.fault)
  await requireFreePort(config.port, config.host)
  const { db, pool, webhooks, keys, domains } = await openConfiguration(config, stack, logger)
  let collecting: CollectingProcesses | undefined
  const logs = openLogs(config)
  // It is one of those that collect until nothing of it is on its way any more.
  stack.defer(() => collecting?.stop(log.isUnsure?.()))
  const log = await logs.appender('requests')
  stack.defer(() => log.close())
  const hub = createCoordinationHub({ logger })
  stack.defer(() => hub.close())

  const tag = builtTag()
  const spreads = createWorkspaceSpreads(keys)
  const collect = createCollect({
    ...(tag === undefined ? {} : { tag }),
    processes: () => collecting?.count() ?? 1,
    log,
    keys,
    spreads,
    webhooks,
    domains,
    refusals: createRefusalSink({ db }),
    coordination: hub.coordination,
    clock: systemClock,
    logger,
    metrics,
    trustedProxies: config.trustedProxies,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
    settings: { quotaBytes: config.workspaceBacklogBytes },
  })
  collect.start()
  const orphaned = endOrphanedChanges({ db, changes: spreads.changes, logger })
  stack.defer(orphaned.stop)
  collecting = countCollectingProcesses({ pool, paused: collect.paused, logger })
  await collecting.begun
  // What changed before others counted it is known before it takes anything.
  await keys.refresh()
  const progress = await logs.progress()
  if (progress !== undefined) stack.defer(followLogProgress({ progress, logger, coordination: hub.coordination }))

  const parts = async (): Promise<Record<string, PartState>> => {
    const [isLogThere, isDatabaseThere] = await Promise.all([
      withinMs(
        2000,
        log.check().then(() => true),
      ),
      withinMs(
        2000,
        pool.query('select 1').then(() => true),
      ),
    ])
    return {
      writeKeys: { ok: keys.ready() },
      log: { ok: isLogThere },
      // Events are taken without it: a balancer is not to send them elsewhere.
      relational: { ok: true, detail: isDatabaseThere ? 'ready' : 'away: the last known configuration is used' },
    }
  }
  const http = createHttpServer({
    look: createProxyWatch(config.trustedProxies, logger),
    collect,
    operations: createOperations({
      parts,
      metrics: () => metrics.render(),
      // Without a token that is set nobody has one: there is no folder to keep it in.
      mayReadMetrics: createTokenCheck(config.metricsToken ?? newSecretKey()),
      version,
    }),
    domainQuestions: createDomainQuestions(domains),
    ...otherJobs,
  })
  const port = await http.listen(config.port, config.host)
  // Undone first: no new connections, then what still waits for Kafka is answered.
  stack.defer(async () => {
    const closed = http.close()
    await collect.stop()
    await closed
  })
  return { url: config.publicUrl ?? listeningUrl(config.host, port), stop: () => stack.disposeAsync() }
}
