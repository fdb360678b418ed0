import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAuthorize } from '@tributary/api-kit'
import { createCollect, createWebhookReceiver } from '@tributary/collect'
import { createCustomDomainCache, createWriteKeyCache } from '@tributary/configuration'
import { createEgressPolicy, createRequestClient } from '@tributary/connector-kit'
import { listedDataSources, listedDestinations, listedSources } from '@tributary/connectors'
import { createControl, createDns, createRefusalSink, maskLiveMessage } from '@tributary/control'
import { apiServerOptions, createApi, type Handlers, networkOf } from '@tributary/http'
import { createWorkShare, systemClock } from '@tributary/kernel'
import { createProfileLedger, openForgottenFile } from '@tributary/profiles'
import { createRealtime, realtimeTopics } from '@tributary/realtime'
import {
  closeToOthers,
  forgottenFileName,
  lockDataDir,
  missedTopic,
  openFolderFiles,
  partitionsOf,
  rewriteFiles,
  widestSpread,
} from '@tributary/storage'
import Fastify from 'fastify'
import { type CollectingProcesses, countCollectingProcesses } from '../cluster/collecting-processes.ts'
import { followLogProgress, publishLogProgress } from '../cluster/log-progress.ts'
import { createRequestAppender } from '../cluster/spreads/append-requests.ts'
import { startSpreadChanges } from '../cluster/spreads/spread-changes.ts'
import { becomeMain, type StandbyCallbacks } from '../cluster/standby.ts'
import { createOldestLogged, createStoredBefore, createWhenStored } from '../cluster/stored-before.ts'
import { createRemoteStream } from '../cluster/stream/remote-stream.ts'
import { auditRetentionOf } from '../config/audit-retention.ts'
import { readBilling } from '../config/billing.ts'
import { clientConfigOf } from '../config/client-config.ts'
import type { Config } from '../config/config.ts'
import { installationPartsOf } from '../config/installation.ts'
import type { RoleName } from '../config/settings.ts'
import { createDocs } from '../docs/docs.ts'
import { createClientIp, createProxyWatch } from '../http/client-ip.ts'
import { createConnectorLogos } from '../http/connector-logos.ts'
import { contentPolicySources } from '../http/content-policy.ts'
import { createDomainQuestions, createMayAskDomains } from '../http/domain-questions.ts'
import { createHttpServer, listeningUrl, requireFreePort } from '../http/http-server.ts'
import { createMedia } from '../http/media.ts'
import { createPaymentWebhook } from '../http/payment-webhook.ts'
import { startProfileApi } from '../http/profile-api.ts'
import { createSourceWebhooks } from '../http/source-webhooks.ts'
import { startSyncApi } from '../http/sync-api.ts'
import { createWebFiles } from '../http/web-files.ts'
import { createMail } from '../mail/mail.ts'
import { createDiskWatch } from '../operations/disk.ts'
import { installFault } from '../operations/faults.ts'
import { createLogger } from '../operations/logger.ts'
import { createPrometheus } from '../operations/metrics.ts'
import { createOperations } from '../operations/operations.ts'
import { createPendingEvents } from '../operations/pending-events.ts'
import { createReadiness } from '../operations/readiness.ts'
import { openJobs, startJobs } from '../operations/scheduled-jobs.ts'
import { createUpkeep } from '../operations/upkeep.ts'
import { createTokenCheck, loadMetricsToken } from '../secrets/metrics-token.ts'
import { realtimeCredentials } from '../secrets/realtime-credentials.ts'
import { createProductSecretBox, deriveKey, loadSecretKey } from '../secrets/secret-key.ts'
import { settleSecretKey } from '../secrets/secret-key-rotation.ts'
import { createProfileReading } from '../threads/profile-reading.ts'
import { createReadYourWritesBarrier } from '../threads/read-your-writes.ts'
import { createThreads, loadThreads } from '../threads/threads.ts'
import { startHeldWork } from '../threads/watchdog/held-work.ts'
import { announce, endProcess } from './announce.ts'
import { assembled } from './assembled.ts'
import { builtTag, pageBuild, version, webFolder } from './built.ts'
import { folders, startEngines } from './engines.ts'
import { createFlags } from './flags.ts'
import { requireLogFolder, takeLogFolder } from './log-folder.ts'
import { openBlobs } from './open-blobs.ts'
import { openCoordination } from './open-coordination.ts'
import { openLogs } from './open-log.ts'

export type RunningProduct = {
  url: string
  adminEmail: string
  /** The generated password of the first administrator, at the first start without a configured one. */
  generatedPassword: string | undefined
  /** The URL, with its token, at which a development server shows mail instead of sending it. */
  outboxUrl: string | undefined
  /** True if the admin, created at an earlier start, has another password than the configured one. */
  otherPassword: boolean
  stop(): Promise<void>
}

/** Notifies every process of users whose sessions or memberships have changed. */
const accessTopic = 'access.changed'

const guidesFolder = fileURLToPath(new URL('../../../../docs', import.meta.url))

const docsFolder = (): string => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/**
 * Starts the whole product. It takes the data folder, waits to become the main process if there may be others, starts
 * the engines, opens the log, starts the roles and listens. If a step fails, the started parts are stopped again and
 * the error is thrown.
 */
export const startProduct = (config: Config, callbacks: StandbyCallbacks = {}): Promise<RunningProduct> =>
  assembled((stack) => assemble(config, stack, callbacks))

const assemble = async (
  config: Config,
  stack: AsyncDisposableStack,
  callbacks: StandbyCallbacks,
): Promise<RunningProduct> => {
  const logger = createLogger(config.logLevel)
  const metrics = createPrometheus()
  installFault(config.fault)
  stack.use(lockDataDir(config.dataDir))
  const open = closeToOthers(config.dataDir)
  if (open.length > 0)
    logger.warn({ paths: open.slice(0, 10), count: open.length }, 'other users may read parts of the data folder')
  await requireFreePort(config.port, config.host)
  const loadedKey = await loadSecretKey(config.dataDir, config.secretKey)
  const disk = createDiskWatch({
    folder: config.dataDir,
    reserveBytes: config.diskReserveBytes,
    intervalMs: 1000,
    onChange: (ok, freeBytes) =>
      logger[ok ? 'info' : 'error'](
        { freeBytes },
        ok ? 'the disk has room again' : 'the disk is nearly full: collection answers 503',
      ),
  })
  await disk.check()
  stack.defer(() => disk.stop())
  let loaded: ReturnType<typeof loadThreads> | undefined
  const tenure = await becomeMain(config, {
    ...callbacks,
    loadedKey,
    logger,
    onWaiting: () => {
      loaded = loadThreads(config)
    },
    onLost: endProcess,
  })
  // Released last, since a standby process takes over immediately.
  stack.defer(() => tenure?.release())
  const logs = openLogs(config)
  await logs.prepare()
  const logUse = await requireLogFolder(config, await logs.holder(), logger)
  const { blobs, blobsAnswer } = await openBlobs(config, logger)
  const engines = await startEngines(config, { logger, metrics, tenure })
  stack.defer(() => engines.stop())
  const announced = await announce(config, { pool: engines.relational.pool, logger })
  stack.defer(() => announced?.stop())
  const hub = await openCoordination(config, logger)
  stack.defer(() => hub.close())
  const { relational, eventStore } = engines
  const heldWork = await startHeldWork({ relational, dataDir: config.dataDir, logger })
  stack.defer(() => heldWork.stop())
  const secretKey = await settleSecretKey(relational.db, config, loadedKey, logger)
  const folder = await takeLogFolder(config, logUse, { relational, logger })
  const secretBox = createProductSecretBox(secretKey)
  const realtimeApp = realtimeCredentials(secretKey)

  const has = (role: RoleName): boolean => config.roles.has(role)
  const threads = await createThreads(config, engines, secretKey, hub, {
    tenure,
    loaded,
    logger,
    relay: metrics.relay,
    onReplaced: endProcess,
    announced,
  })
  const { groups } = threads
  stack.defer(() => groups?.close())
  let collecting: CollectingProcesses | undefined
  // The process counts as collecting until none of its requests is being sent any more.
  stack.defer(() => collecting?.stop(requests.isUnsure?.()))
  const requests = await logs.writer('requests', {
    onCommit: () => threads.pipeline?.wake(),
    onReplaced: ({ message }) => endProcess(message),
    ...(folder === undefined ? {} : { folder }),
  })
  stack.defer(() => requests.close())
  // Delivering processes append next to this writer.
  const outcomesWriter = logs.isShared('outcomes')
    ? await logs.writer('outcomes', { onReplaced: ({ message }) => endProcess(message) })
    : undefined
  stack.defer(() => outcomesWriter?.close())
  const requestsReader = await logs.reader('requests')
  stack.defer(() => requestsReader.close())
  const progress = await logs.progress()
  // If a partition has no leader, other processes get no response for it, either.
  groups?.watchLog(() => Promise.any([requestsReader.starts(), progress?.ask() ?? requestsReader.starts()]))
  if (progress !== undefined) {
    const owns = (partition: number): boolean => groups?.owns('pipeline', partition) !== false
    stack.defer(publishLogProgress({ progress, logger, coordination: hub.coordination, owns }))
    if (groups !== undefined) stack.defer(followLogProgress({ progress, logger, coordination: hub.coordination, owns }))
  }
  // On Kafka its topics exist at this point, created by this process or by the previous main process.
  const isStreamThere = loaded !== undefined || groups !== undefined
  const pipelineStarts = threads.pipeline?.start()
  stack.defer(() => threads.pipeline?.stop())
  if (!isStreamThere) await pipelineStarts
  // They read the stream, and do not depend on each other.
  stack.defer(async () => {
    await Promise.all([threads.delivery?.stop(), threads.profiles?.stop(), threads.signals?.stop()])
  })
  await Promise.all([pipelineStarts, threads.delivery?.start(), threads.profiles?.start(), threads.signals?.start()])
  // The pipeline has created it at this point.
  const deliveries = threads.pipeline === undefined ? undefined : await logs.reader('stream')
  stack.defer(() => deliveries?.close())
  const { pipeline } = threads
  // Delivery creates it, like the pipeline creates the stream.
  const outcomes = threads.delivery === undefined ? undefined : await logs.reader('outcomes')
  stack.defer(() => outcomes?.close())
  const outbound =
    pipeline === undefined || outcomes === undefined
      ? undefined
      : {
          streamFor: (workspaceId: string) => createRemoteStream(pipeline, workspaceId),
          outcomes,
          mayAppend: () => disk.ok(),
        }

  const webhooks = createSourceWebhooks(logger)
  const { db, pool } = relational
  const keys = createWriteKeyCache({ db, pool, secretBox, connectors: webhooks, logger })
  await keys.start()
  stack.defer(() => keys.stop())
  const domains = createCustomDomainCache({ db, pool, logger })
  await domains.start()
  stack.defer(() => domains.stop())
  const workShare = createWorkShare()
  let isAdminThere = false
  // Set when the server listens; no request arrives earlier.
  let ownUrl = config.publicUrl ?? ''
  const requestClient = createRequestClient({ egress: createEgressPolicy({ allow: config.egressAllow }), logger })
  stack.defer(() => requestClient.close())
  const appender = createRequestAppender(requests, keys.spreads, () => disk.ok())
  const partitionsOfIt = async (workspaceId: string): Promise<number[]> =>
    partitionsOf(workspaceId, await widestSpread(pool, workspaceId), requests.partitions)
  const storedBefore = createStoredBefore(threads.pipeline, partitionsOfIt)
  const whenStored = createWhenStored({ log: requestsReader, partitionsOf: partitionsOfIt, storedBefore })
  const jobs = await openJobs({ pool: relational.pool, logger, metrics })
  const control = createControl({
    db: relational.db,
    eventStore,
    jobs,
    secretBox,
    catalog: { sources: listedSources, destinations: listedDestinations, dataSources: listedDataSources },
    receiveWebhook: createWebhookReceiver(),
    workShare,
    counters: hub.coordination,
    requestClient,
    profileLedger: createProfileLedger(relational.db),
    forgottenHashes: await openForgottenFile(join(config.dataDir, forgottenFileName), relational.db),
    whenStored,
    // A delivery thread that is not running has no state in memory, and will start with the current data.
    forgetInDeliveries: async () => {
      if (threads.signals?.running()) await threads.signals.ask('forget')
      if (threads.delivery?.running()) await threads.delivery.ask('forget')
    },
    notifyDestinations: async (requestId, workspaceId) => {
      if (threads.pipeline === undefined) throw new Error('The pipeline does not run in this process')
      await threads.pipeline.ask('tell-destinations', { requestId, workspaceId })
    },
    outbound,
    oldestLogged: createOldestLogged(
      [requestsReader, ...(deliveries === undefined ? [] : [deliveries])],
      partitionsOfIt,
    ),
    rewriteFiles:
      config.relational.kind === 'remote'
        ? undefined
        : (signal, progress) =>
            rewriteFiles({
              url: engines.addresses.databaseUrl,
              dir: folders(config.dataDir).postgres,
              maxClosedMs: 200,
              signal,
              progress,
            }),
    logRetentionMs: config.retention.logMs + config.retention.logSegmentMs,
    blobs,
    files: await openFolderFiles(folders(config.dataDir).uploads),
    uploads: { maxBytes: config.uploadMaxBytes, diskOk: () => disk.ok() },
    live: (channel, event, data) => hub.coordination.publish(realtimeTopics.publish, { channel, event, data }),
    appendRequest: appender.append,
    storedBefore,
    isPendingEvent: createPendingEvents({ log: requestsReader, storedBefore }),
    deliveries,
    profileReading: createProfileReading(threads.profiles),
    realtimeKey: realtimeApp.key,
    clientConfig: clientConfigOf(config),
    installation: () => ({ version, parts: installationPartsOf(config) }),
    billing: await readBilling(config),
    auditRetention: auditRetentionOf(config),
    customDomains: { dns: createDns(config.customDomains.dnsServers), target: config.customDomains.target },
    openId: config.openId,
    onAccessChanged: (userId) => hub.coordination.publish(accessTopic, userId),
    publicUrl: () => ownUrl,
    signing: { codes: deriveKey(secretKey, 'one-time-codes'), inbox: deriveKey(secretKey, 'inbox') },
    messagingSecret: config.messagingSecret,
    clock: systemClock,
    logger,
  })
  const { authenticate } = control
  const clientIp = createClientIp(config.trustedProxies)
  const realtime = has('realtime')
    ? createRealtime({
        ...realtimeApp,
        authorize: (token, channel) => control.channelAccess(token, channel),
        maskData: maskLiveMessage,
        networkOf: (request) => networkOf(clientIp(request)),
        async authenticate(token) {
          const found = await authenticate(token)
          // An API key is not a user, so it does not receive messages for users.
          if (!('actor' in found) || found.actor.key !== undefined) return undefined
          return { id: found.actor.userId, info: { email: found.actor.email } }
        },
        proveUser: control.isInboxToken,
        coordination: hub.coordination,
        logger,
        metrics,
      })
    : undefined
  // Only a log on Kafka can have other collecting processes.
  const others = config.log.kind === 'kafka' && config.relational.kind === 'remote'
  const tag = builtTag()
  const collect = has('collect')
    ? createCollect({
        ...(tag === undefined ? {} : { tag }),
        ...(others ? { processes: () => collecting?.count() ?? 1 } : {}),
        log: requests,
        keys,
        spreads: keys.spreads,
        webhooks,
        domains,
        workShare,
        refusals: createRefusalSink({ db: relational.db }),
        coordination: hub.coordination,
        clock: systemClock,
        logger,
        metrics,
        trustedProxies: config.trustedProxies,
        ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
        diskOk: () => disk.ok(),
        settings: { quotaBytes: config.workspaceBacklogBytes },
      })
    : undefined
  collect?.start()
  if (collect !== undefined && others) collecting = countCollectingProcesses({ pool, paused: collect.paused, logger })
  await collecting?.begun
  // Other processes count this one from now on. So it reads changes made before that, before it accepts a request.
  await keys.refresh()

  // A user who loses access stops receiving live events immediately. Clients with valid sessions reconnect
  // automatically.
  const stopHearing = hub.coordination.subscribe(accessTopic, (userId) => {
    control.refreshSessions()
    if (typeof userId === 'string') realtime?.reconnectUser(userId)
  })
  stack.defer(stopHearing)
  // The missed messages may include a change of access.
  const stopMissing = hub.coordination.subscribe(missedTopic, () => {
    control.refreshSessions()
    realtime?.reconnectAll()
  })
  stack.defer(stopMissing)
  // Delivery picks up due deliveries immediately, without waiting for its next check.
  const retry: Handlers['destinations']['retry'] = async (call) => {
    const answer = await control.handlers.destinations.retry(call)
    const { workspace: workspaceId, destination: destinationId } = call.params
    if (threads.delivery?.running()) await threads.delivery.ask('retry', { workspaceId, destinationId }).catch(() => {})
    return answer
  }
  const refreshOf = async (role: { running(): boolean; ask(name: 'refresh'): Promise<void> } | undefined) => {
    if (role?.running()) await role.ask('refresh')
  }
  const profileApi = has('api') ? await startProfileApi(engines.addresses.databaseUrl, { logger, metrics }) : undefined
  stack.defer(() => profileApi?.stop())
  const syncApi = has('api') ? await startSyncApi({ relational, eventStore, jobs, logger, metrics }) : undefined
  stack.defer(() => syncApi?.stop())
  const fastify = Fastify(apiServerOptions)
  if (has('api'))
    await createApi({
      fastify,
      handlers: { ...control.handlers, destinations: { ...control.handlers.destinations, retry } },
      authenticate,
      authorize: createAuthorize({ db: relational.db }),
      readYourWrites: createReadYourWritesBarrier(
        {
          collection: async () => void (await Promise.all([keys.refresh(), domains.refresh()])),
          pipeline: () => refreshOf(threads.pipeline),
          delivery: () => refreshOf(threads.delivery),
          profiles: () => refreshOf(threads.profiles),
          signals: () => refreshOf(threads.signals),
          'profile-api': async () => profileApi?.refresh(),
          'sync-api': async () => syncApi?.refresh(),
        },
        logger,
      ),
      logger,
      metrics,
      docsAssetsDir: docsFolder(),
      version,
      pageBuild: pageBuild(),
      clientIp,
    })
  await fastify.ready()
  stack.defer(() => fastify.close())

  const metricsToken = await loadMetricsToken(config.dataDir, config.metricsToken)
  const mail = createMail(config, { mayReadOutbox: createTokenCheck(metricsToken, { inAddress: true }) })
  stack.defer(() => mail.close())
  const http = createHttpServer({
    isHttps: config.publicUrl?.startsWith('https:') === true,
    look: createProxyWatch(config.trustedProxies, logger),
    collect,
    realtime,
    operations: createOperations({
      parts: createReadiness(config, {
        engines,
        threads,
        disk,
        keysReady: () => keys.ready(),
        canSignIn: () => isAdminThere,
        logAnswers: () => requestsReader.starts(),
        blobsAnswer,
      }),
      metrics: () => metrics.render(),
      mayReadMetrics: createTokenCheck(metricsToken),
      version,
    }),
    domainQuestions: createDomainQuestions({ ...domains, mayAsk: createMayAskDomains(config) }),
    flags: has('api') ? await createFlags({ values: config.flags, authenticate, logger }) : undefined,
    profileApi,
    syncApi,
    devOutbox: mail.devOutbox,
    paymentWebhook:
      has('api') && config.billing.stripe !== undefined
        ? createPaymentWebhook({ receive: control.receivePaymentWebhook, clientIp, logger })
        : undefined,
    media: has('api')
      ? createMedia({ readImage: control.readImage, readLogo: createConnectorLogos(), logger })
      : undefined,
    guides: createDocs({
      folder: guidesFolder,
      sources: listedSources,
      destinations: listedDestinations,
      publicUrl: () => ownUrl,
    }),
    api: has('api') ? (request, response) => fastify.routing(request, response) : undefined,
    web: createWebFiles(webFolder, contentPolicySources(config)),
  })
  if (has('jobs')) {
    const changes = startSpreadChanges({
      relational,
      keys,
      paused: [appender.paused, ...(collect === undefined ? [] : [collect.paused])],
      others,
      threads,
      deliveries,
      whenStored,
      storedBefore,
      logger,
    })
    stack.defer(() => changes.stop())
    const upkeep = await createUpkeep(config, {
      engines,
      logs,
      requests,
      appendRequest: appender.appendEntry,
      outcomes: outcomesWriter,
      threads,
      mail,
      control,
      logger,
      metrics,
    })
    await upkeep.start()
    stack.defer(() => upkeep.stop())
    await startJobs(jobs, { db: relational.db, transport: mail.transport, control })
    stack.defer(() => jobs.stop())
  }
  await control.reapplyForgotten()
  const port = await http.listen(config.port, config.host)
  ownUrl = config.publicUrl ?? listeningUrl(config.host, port)
  if (config.mail.smtpUrl !== undefined && config.publicUrl === undefined)
    logger.warn({ url: ownUrl }, 'links in mail lead to this address: set TRIBUTARY_PUBLIC_URL if browsers use another')
  // Stops in reverse order of the start: first new connections, then requests that are being answered, then processing,
  // then the engines.
  stack.defer(async () => {
    const closed = http.close()
    await Promise.all([realtime?.close(), collect?.stop()])
    await closed
  })
  // Created when nothing can fail any more, since its password is shown only once.
  const firstAdmin = await control.ensurePlatformAdmin(config.admin)
  isAdminThere = true
  return {
    url: ownUrl,
    adminEmail: firstAdmin.email,
    generatedPassword: firstAdmin.generatedPassword,
    outboxUrl: mail.devOutbox && `${ownUrl}/dev/outbox?token=${encodeURIComponent(metricsToken)}`,
    otherPassword: firstAdmin.otherPassword === true,
    stop: () => stack.disposeAsync(),
  }
}
