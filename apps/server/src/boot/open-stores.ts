import { closeToOthers, lockDataDir } from '@tributary/storage'
import { becomeMain, type StandbyCallbacks } from '../cluster/standby.ts'
import type { Config } from '../config/config.ts'
import { requireFreePort } from '../http/http-server.ts'
import { createDiskWatch } from '../operations/disk.ts'
import { installFault } from '../operations/faults.ts'
import { createLogger } from '../operations/logger.ts'
import { createPrometheus } from '../operations/metrics.ts'
import { createProductSecretBox, loadSecretKey } from '../secrets/secret-key.ts'
import { settleSecretKey } from '../secrets/secret-key-rotation.ts'
import { endThreads, loadThreads } from '../threads/threads.ts'
import { startHeldWork } from '../threads/watchdog/held-work.ts'
import { announce, endProcess } from './announce.ts'
import { startEngines } from './engines.ts'
import { requireLogFolder, takeLogFolder } from './log-folder.ts'
import { openBlobs } from './open-blobs.ts'
import { openCoordination } from './open-coordination.ts'
import { openLogs } from './open-log.ts'

/**
 * Takes the data folder, waits to become the main process if there may be others, and starts the engines. The stack
 * stops everything that was started.
 */
export const openStores = async (config: Config, stack: AsyncDisposableStack, callbacks: StandbyCallbacks) => {
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
  // The tenure is released last, because a standby process takes over immediately afterwards.
  stack.defer(() => tenure?.release())
  const wasStandby = loaded !== undefined
  // The threads load their code while the engines start.
  const threads = loaded ?? loadThreads(config)
  stack.defer(() => endThreads(threads))
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
  const { relational } = engines
  const heldWork = await startHeldWork({ relational, dataDir: config.dataDir, logger })
  stack.defer(() => heldWork.stop())
  const secretKey = await settleSecretKey(relational.db, config, loadedKey, logger)
  const folder = await takeLogFolder(config, logUse, { relational, logger })
  const secretBox = createProductSecretBox(secretKey)
  return {
    logger,
    metrics,
    disk,
    tenure,
    loaded: threads,
    wasStandby,
    logs,
    folder,
    blobs,
    blobsAnswer,
    engines,
    announced,
    hub,
    secretKey,
    secretBox,
  }
}

/** The stores and all else that `openStores` has opened. */
export type Stores = Awaited<ReturnType<typeof openStores>>
