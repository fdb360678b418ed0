import { constants, createWriteStream } from 'node:fs'
import { access, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, constants as zlibConstants } from 'node:zlib'
import { faultPoint, type Logger } from '@tributary/kernel'
import { lockDataDir } from '../supervisor/data-dir-lock.ts'
import { dataEntries, dataNames } from './data-files.ts'
import { untilIdle } from './idle.ts'
import { productVersion } from './manifest.ts'

export type BackupOptions = {
  dataDir: string
  /** Path of the archive (tar compressed with Zstandard, usually `.tar.zst`). Must not exist. */
  file: string
  logger: Logger
}

/** `bytes`: size of the archive. */
export type BackupResult = { file: string; version: string; time: string; bytes: number }

const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const checkTarget = async (dataDir: string, target: string): Promise<void> => {
  if (await exists(target))
    throw new Error(`${target} already exists: choose another name. Backups are never overwritten.`)
  const folder = await realpath(dirname(target)).catch(() => undefined)
  if (folder === undefined) throw new Error(`The folder ${dirname(target)} does not exist.`)
  const data = await realpath(dataDir)
  if (folder === data || folder.startsWith(`${data}/`)) {
    throw new Error(`${target} is inside the data folder. Choose a path outside it, ideally on another disk.`)
  }
}

/**
 * Writes one archive of the whole data folder: PostgreSQL, event store, log, blobs, secret key and everything else in
 * it. The product must be stopped, so that all parts are from the same moment; the folder is locked meanwhile. The
 * archive contains the secret key and all data, so only its owner can read it. It appears under its name when it is
 * complete and synced, or not at all. Engines at an address (DATABASE_URL, CLICKHOUSE_URL) are not in it.
 *
 * @throws DataDirLocked while the product runs; an error that says what to do if the folder contains no data, the file
 *   exists or lies inside the data folder
 */
export const createBackup = async ({ dataDir, file, logger }: BackupOptions): Promise<BackupResult> => {
  const target = resolve(file)
  if ((await dataNames(dataDir)).length === 0) throw new Error(`There is nothing to back up in ${resolve(dataDir)}.`)
  await using lock = lockDataDir(dataDir)
  await checkTarget(lock.dir, target)
  await untilIdle(lock.dir, logger)
  const version = await productVersion()
  const time = new Date().toISOString()
  const draft = join(dirname(target), `.${basename(target)}.partial-${process.pid}`)
  logger.info({ dataDir: lock.dir, file: target }, 'backup begins')
  try {
    const { tarStream } = await import('./archive.ts')
    await pipeline(
      Readable.from(tarStream(lock.dir, dataEntries(lock.dir), { version, time }), { objectMode: true }),
      createZstdCompress({ params: { [zlibConstants.ZSTD_c_checksumFlag]: 1 } }),
      createWriteStream(draft, { mode: 0o600, flags: 'w' }),
    )
    await syncPath(draft)
    faultPoint('backup-before-rename')
    await rename(draft, target)
    await syncPath(dirname(target))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  const { size } = await stat(target)
  logger.info({ file: target, bytes: size }, 'backup is complete')
  return { file: target, version, time, bytes: size }
}
