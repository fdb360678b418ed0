import type { Collect } from '@tributary/collect'
import { startSpreadChanges } from '../cluster/spreads/spread-changes.ts'
import type { Config } from '../config/config.ts'
import type { Mail } from '../mail/mail.ts'
import { startJobs } from '../operations/scheduled-jobs.ts'
import { createUpkeep } from '../operations/upkeep.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Stores } from './open-stores.ts'
import { mayOthersCollect } from './start-collection.ts'
import type { Roles } from './start-roles.ts'

/** Starts the jobs, and the upkeep of the files of this process. */
export const startWork = async (
  config: Config,
  stack: AsyncDisposableStack,
  { logger, metrics, engines, logs }: Stores,
  { threads, requests, outcomesWriter, deliveries }: Roles,
  { control, collection, appender, storedBefore, whenStored, jobs }: ControlPlane,
  { mail, collect }: { mail: Mail; collect: Collect | undefined },
): Promise<void> => {
  const changes = startSpreadChanges({
    relational: engines.relational,
    keys: collection.keys,
    paused: [appender.paused, ...(collect === undefined ? [] : [collect.paused])],
    others: mayOthersCollect(config),
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
  await startJobs(jobs, { db: engines.relational.db, transport: mail.transport, control })
  stack.defer(() => jobs.stop())
}
