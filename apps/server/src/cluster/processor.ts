import { closeToOthers, lockDataDir } from '@tributary/storage'
import { announce, endProcess } from '../boot/announce.ts'
import { assembled } from '../boot/assembled.ts'
import { version } from '../boot/built.ts'
import { connectToEngines } from '../boot/engines.ts'
import { openCoordination } from '../boot/open-coordination.ts'
import { openLogs } from '../boot/open-log.ts'
import type { Config } from '../config/config.ts'
import { createProxyWatch } from '../http/client-ip.ts'
import { createHttpServer, listeningUrl, requireFreePort } from '../http/http-server.ts'
import { answersOfOneJob } from '../http/one-job.ts'
import { createDiskWatch } from '../operations/disk.ts'
import { installFault } from '../operations/faults.ts'
import { createLogger } from '../operations/logger.ts'
import { createPrometheus } from '../operations/metrics.ts'
import { createOperations } from '../operations/operations.ts'
import { createReadiness } from '../operations/readiness.ts'
import { createTokenCheck, loadMetricsToken } from '../secrets/metrics-token.ts'
import { loadSecretKey } from '../secrets/secret-key.ts'
import { settleSecretKey } from '../secrets/secret-key-rotation.ts'
import { createThreads } from '../threads/threads.ts'
import { startHeldWork } from '../threads/watchdog/held-work.ts'
import { publishLogProgress } from './log-progress.ts'

export type RunningProcessor = { url: string; stop(): Promise<void> }

const otherJobs = answersOfOneJob({
  reason: 'PROCESSING_ONLY',
  message:
    'This process only processes and delivers events. Send this request to the process that serves the API and the web application.',
})

/**
 * Starts a process that only processes or delivers, beside the main process and others like it, with which it shares
 * the groups of partitions. It is ready when it has taken the groups without an owner, up to its share. Its data folder
 * may be lost. If a step fails, the started parts are stopped again and the error is thrown.
 */
export const startProcessor = (config: Config): Promise<RunningProcessor> =>
  assembled((stack) => assemble(config, stack))

const assemble = async (config: Config, stack: AsyncDisposableStack): Promise<RunningProcessor> => {
  const logger = createLogger(config.logLevel)
  const metrics = createPrometheus()
  installFault(config.fault)
  stack.use(lockDataDir(config.dataDir))
  closeToOthers(config.dataDir)
  await requireFreePort(config.port, config.host)
  const loadedKey = await loadSecretKey(config.dataDir, config.secretKey)
  const engines = await connectToEngines(config, { logger })
  stack.defer(() => engines.stop())
  const announced = await announce(config, { pool: engines.relational.pool, logger })
  stack.defer(() => announced?.stop())
  const heldWork = await startHeldWork({ relational: engines.relational, dataDir: config.dataDir, logger })
  stack.defer(() => heldWork.stop())
  const secretKey = await settleSecretKey(engines.relational.db, config, loadedKey, logger)
  const hub = await openCoordination(config, logger)
  stack.defer(() => hub.close())
  const disk = createDiskWatch({ folder: config.dataDir, reserveBytes: config.diskReserveBytes, intervalMs: 1000 })
  await disk.check()
  stack.defer(() => disk.stop())
  const threads = await createThreads(config, engines, secretKey, hub, {
    tenure: undefined,
    logger,
    relay: metrics.relay,
    // If another process takes a group over, only its thread ends. If the number of groups has changed, this process
    // ends.
    onReplaced: endProcess,
    announced,
  })
  const { groups } = threads
  stack.defer(() => groups?.close())
  const logs = openLogs(config)
  const requests = await logs.reader('requests')
  stack.defer(() => requests.close())
  const progress = await logs.progress()
  // One of the two responses is enough: a partition without a leader does not respond to other processes, either.
  groups?.watchLog(() => Promise.any([requests.starts(), progress?.ask() ?? requests.starts()]))
  if (progress !== undefined)
    stack.defer(
      publishLogProgress({
        progress,
        logger,
        coordination: hub.coordination,
        owns: (partition) => groups?.owns('pipeline', partition) === true,
      }),
    )
  stack.defer(() => groups?.pipeline.stop())
  await groups?.pipeline.start()
  const metricsToken = await loadMetricsToken(config.dataDir, config.metricsToken)
  const http = createHttpServer({
    isHttps: config.publicUrl?.startsWith('https:') === true,
    look: createProxyWatch(config.trustedProxies, logger),
    collect: undefined,
    operations: createOperations({
      parts: createReadiness(config, {
        engines,
        threads,
        disk,
        keysReady: () => true,
        logAnswers: () => requests.starts(),
        blobsAnswer: undefined,
      }),
      metrics: () => metrics.render(),
      mayReadMetrics: createTokenCheck(metricsToken),
      version,
    }),
    domainQuestions: undefined,
    ...otherJobs,
  })
  const port = await http.listen(config.port, config.host)
  stack.defer(() => http.close())
  return { url: config.publicUrl ?? listeningUrl(config.host, port), stop: () => stack.disposeAsync() }
}
