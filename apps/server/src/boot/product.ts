import { fileURLToPath } from 'node:url'
import { listedDestinations, listedSources } from '@tributary/connectors'
import type { StandbyCallbacks } from '../cluster/standby.ts'
import type { Config } from '../config/config.ts'
import { createDocs } from '../docs/docs.ts'
import { createClientIp, createProxyWatch } from '../http/client-ip.ts'
import { createConnectorLogos } from '../http/connector-logos.ts'
import { contentPolicySources } from '../http/content-policy.ts'
import { createDomainQuestions, createMayAskDomains } from '../http/domain-questions.ts'
import { createHttpServer, listeningUrl } from '../http/http-server.ts'
import { createMedia } from '../http/media.ts'
import { createPaymentWebhook } from '../http/payment-webhook.ts'
import { createWebFiles } from '../http/web-files.ts'
import { createMail } from '../mail/mail.ts'
import { createOperations } from '../operations/operations.ts'
import { createReadiness } from '../operations/readiness.ts'
import { createTokenCheck, loadMetricsToken } from '../secrets/metrics-token.ts'
import { assembled } from './assembled.ts'
import { version, webFolder } from './built.ts'
import { createControlPlane } from './control-plane.ts'
import { createFlags } from './flags.ts'
import { openStores } from './open-stores.ts'
import { startApi } from './start-api.ts'
import { startCollection } from './start-collection.ts'
import { startRealtime } from './start-realtime.ts'
import { startRoles } from './start-roles.ts'
import { startWork } from './start-work.ts'

export type RunningProduct = {
  url: string
  adminEmail: string
  /** The generated password of the first administrator, at the first start without a configured one. */
  generatedPassword: string | undefined
  /** The URL, with its token, at which a development server shows mail instead of sending it. */
  outboxUrl: string | undefined
  /** True if the platform admin was created at an earlier start and has another password than the configured one. */
  otherPassword: boolean
  stop(): Promise<void>
}

const guidesFolder = fileURLToPath(new URL('../../../../docs', import.meta.url))

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
  const stores = await openStores(config, stack, callbacks)
  const roles = await startRoles(config, stack, stores)
  const { logger, metrics, disk, blobsAnswer, engines, hub } = stores
  let isAdminThere = false
  // Set when the server listens; no request arrives before that.
  let ownUrl = config.publicUrl ?? ''
  const plane = await createControlPlane(config, stack, stores, roles, () => ownUrl)
  const { control, collection } = plane
  const clientIp = createClientIp(config.trustedProxies)
  const realtime = startRealtime(config, stack, stores, control, clientIp)
  const { requests, collecting, requestsReader } = roles
  const collect = config.roles.has('collect')
    ? await startCollection(config, engines.relational, hub, collecting, {
        ...collection,
        log: requests,
        workShare: plane.workShare,
        diskOk: () => disk.ok(),
        metrics,
        logger,
      })
    : undefined
  const api = config.roles.has('api') ? await startApi(stack, stores, roles, plane, clientIp) : undefined
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
        threads: roles.threads,
        disk,
        keysReady: () => collection.keys.ready(),
        canSignIn: () => isAdminThere,
        logAnswers: () => requestsReader.starts(),
        blobsAnswer,
      }),
      metrics: () => metrics.render(),
      mayReadMetrics: createTokenCheck(metricsToken),
      version,
    }),
    domainQuestions: createDomainQuestions({ ...collection.domains, mayAsk: createMayAskDomains(config) }),
    flags: api && (await createFlags({ values: config.flags, authenticate: control.authenticate, logger })),
    profileApi: api?.profileApi,
    syncApi: api?.syncApi,
    devOutbox: mail.devOutbox,
    paymentWebhook:
      api !== undefined && config.billing.stripe !== undefined
        ? createPaymentWebhook({ receive: control.receivePaymentWebhook, clientIp, logger })
        : undefined,
    media: api && createMedia({ readImage: control.readImage, readLogo: createConnectorLogos(), logger }),
    guides: createDocs({
      folder: guidesFolder,
      sources: listedSources,
      destinations: listedDestinations,
      publicUrl: () => ownUrl,
    }),
    api: api?.listener,
    web: createWebFiles(webFolder, contentPolicySources(config)),
  })
  if (config.roles.has('jobs')) await startWork(config, stack, stores, roles, plane, { mail, collect })
  await control.reapplyForgotten()
  const port = await http.listen(config.port, config.host)
  ownUrl = config.publicUrl ?? listeningUrl(config.host, port)
  if (config.mail.smtpUrl !== undefined && config.publicUrl === undefined)
    logger.warn({ url: ownUrl }, 'links in mail lead to this address: set TRIBUTARY_PUBLIC_URL if browsers use another')
  // Stops in reverse order of the start: first new connections, then requests in progress, then processing, then the
  // engines.
  stack.defer(async () => {
    const closed = http.close()
    await Promise.all([realtime?.close(), collect?.stop()])
    await closed
  })
  // Created as the last step, because its password is shown only once and no later step can fail.
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
