import { createCollect } from '@tributary/collect'
import { createCustomDomainCache, createWriteKeyCache } from '@tributary/configuration'
import { createRefusalSink } from '@tributary/control'
import { type Logger, type SecretBox, systemClock } from '@tributary/kernel'
import type { CoordinationHub, Relational } from '@tributary/storage'
import { type CollectingProcesses, countCollectingProcesses } from '../cluster/collecting-processes.ts'
import type { Config } from '../config/config.ts'
import { createSourceWebhooks } from '../http/source-webhooks.ts'
import { createProcessorShortage } from '../operations/processor-shortage.ts'
import { builtTag } from './built.ts'

type Database = Pick<Relational, 'db' | 'pool'>

/** Opens the configuration for collection, which is read from PostgreSQL and served from memory. */
export const openCollection = async (
  stack: AsyncDisposableStack,
  { db, pool }: Database,
  secretBox: SecretBox,
  logger: Logger,
) => {
  const webhooks = createSourceWebhooks(logger)
  const keys = createWriteKeyCache({ db, pool, secretBox, connectors: webhooks, logger })
  await keys.start()
  stack.defer(() => keys.stop())
  const domains = createCustomDomainCache({ db, pool, logger })
  await domains.start()
  stack.defer(() => domains.stop())
  return { webhooks, keys, domains, spreads: keys.spreads }
}

/** Whether other processes may collect: only with a log on Kafka. */
export const mayOthersCollect = (config: Config): boolean =>
  config.log.kind === 'kafka' && config.relational.kind === 'remote'

type CollectDeps = Parameters<typeof createCollect>[0]

/**
 * Starts collection. If other processes may collect, too, this process counts as a collecting process before it accepts
 * a request.
 */
export const startCollection = async (
  config: Config,
  { db, pool }: Database,
  hub: Pick<CoordinationHub, 'coordination'>,
  collecting: { processes?: CollectingProcesses },
  parts: Awaited<ReturnType<typeof openCollection>> &
    Pick<CollectDeps, 'log' | 'metrics' | 'workShare' | 'diskOk'> & { logger: Logger },
) => {
  const tag = builtTag()
  const others = mayOthersCollect(config)
  const collect = createCollect({
    ...parts,
    ...(tag === undefined ? {} : { tag }),
    ...(others ? { processes: () => collecting.processes?.count() ?? 1 } : {}),
    refusals: createRefusalSink({ db }),
    coordination: hub.coordination,
    clock: systemClock,
    shortage: createProcessorShortage(),
    trustedProxies: config.trustedProxies,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
    settings: { quotaBytes: config.workspaceBacklogBytes },
  })
  collect.start()
  if (others) collecting.processes = countCollectingProcesses({ pool, paused: collect.paused, logger: parts.logger })
  await collecting.processes?.begun
  // From now on, other processes wait until this process has read their changes. Earlier changes are read now, because
  // no process has waited for that.
  await parts.keys.refresh()
  return collect
}
