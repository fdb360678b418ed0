import { join } from 'node:path'
import { createWebhookReceiver } from '@tributary/collect'
import { createOwnDestinations } from '@tributary/configuration'
import { createEgressPolicy, createRequestClient } from '@tributary/connector-kit'
import { listedDataSources, listedDestinations, listedSources, loadDescriptions } from '@tributary/connectors'
import { type Control, createControl, createDns } from '@tributary/control'
import { createWorkShare, systemClock } from '@tributary/kernel'
import { createLatestProfileValues, createProfileLedger, openForgottenFile } from '@tributary/profiles'
import { realtimeTopics } from '@tributary/realtime'
import { forgottenFileName, openFolderFiles, partitionsOf, rewriteFiles, widestSpread } from '@tributary/storage'
import { createRequestAppender } from '../cluster/spreads/append-requests.ts'
import { createOldestLogged, createStoredBefore, createWhenStored } from '../cluster/stored-before.ts'
import { auditRetentionOf } from '../config/audit-retention.ts'
import { readBilling } from '../config/billing.ts'
import { clientConfigOf } from '../config/client-config.ts'
import type { Config } from '../config/config.ts'
import { installationPartsOf } from '../config/installation.ts'
import { createPendingEvents } from '../operations/pending-events.ts'
import { openJobs } from '../operations/scheduled-jobs.ts'
import { realtimeCredentials } from '../secrets/realtime-credentials.ts'
import { deriveKey } from '../secrets/secret-key.ts'
import { createProfileReading } from '../threads/profile-reading.ts'
import { version } from './built.ts'
import { folders } from './engines.ts'
import type { Stores } from './open-stores.ts'
import { openCollection } from './start-collection.ts'
import { accessTopic } from './start-realtime.ts'
import type { Roles } from './start-roles.ts'

/** Creates the control plane, and opens the configuration for collection beside it. */
export const createControlPlane = async (
  config: Config,
  stack: AsyncDisposableStack,
  { logger, metrics, disk, blobs, engines, hub, secretKey, secretBox }: Stores,
  { threads, requests, requestsReader, deliveries, outbound }: Roles,
  publicUrl: () => string,
) => {
  const { relational, eventStore } = engines
  const { db, pool } = relational
  const collection = await openCollection(stack, relational, secretBox, logger)
  const workShare = createWorkShare()
  const requestClient = createRequestClient({ egress: createEgressPolicy({ allow: config.egressAllow }), logger })
  stack.defer(() => requestClient.close())
  const appender = createRequestAppender(requests, collection.spreads, () => disk.ok())
  const partitionsOfIt = async (workspaceId: string): Promise<number[]> =>
    partitionsOf(workspaceId, await widestSpread(pool, workspaceId), requests.partitions)
  const storedBefore = createStoredBefore(threads.pipeline, partitionsOfIt)
  const whenStored = createWhenStored({ log: requestsReader, partitionsOf: partitionsOfIt, storedBefore })
  const jobs = await openJobs({ pool: pool, logger, metrics })
  const control: Control = createControl({
    db: db,
    eventStore,
    jobs,
    secretBox,
    catalog: {
      sources: listedSources,
      destinations: listedDestinations,
      dataSources: listedDataSources,
      own: createOwnDestinations({ db, ...(await loadDescriptions()) }),
    },
    receiveWebhook: createWebhookReceiver(),
    workShare,
    counters: hub.coordination,
    requestClient,
    profileLedger: createProfileLedger(db),
    forgottenHashes: await openForgottenFile(join(config.dataDir, forgottenFileName), db),
    whenStored,
    // A delivery thread that is not running has no state in memory, so there is nothing to remove. Later, it starts
    // with the current data.
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
    profileValues: createLatestProfileValues(db),
    realtimeKey: realtimeCredentials(secretKey).key,
    clientConfig: clientConfigOf(config),
    installation: () => ({ version, parts: installationPartsOf(config) }),
    billing: await readBilling(config),
    auditRetention: auditRetentionOf(config),
    customDomains: { dns: createDns(config.customDomains.dnsServers), target: config.customDomains.target },
    openId: config.openId,
    onAccessChanged: (userId) => hub.coordination.publish(accessTopic, userId),
    publicUrl,
    signing: { codes: deriveKey(secretKey, 'one-time-codes'), inbox: deriveKey(secretKey, 'inbox') },
    messagingSecret: config.messagingSecret,
    clock: systemClock,
    logger,
  })
  return { control, collection, workShare, appender, storedBefore, whenStored, jobs }
}

/** The control plane, with all that `createControlPlane` has created. */
export type ControlPlane = Awaited<ReturnType<typeof createControlPlane>>
