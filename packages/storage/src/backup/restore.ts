import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { faultPoint, type Logger } from '@tributary/kernel'
import { Unpack } from 'tar'
import { chooseAccount } from '../relational/embedded/account.ts'
import { giveTo } from '../relational/embedded/cluster.ts'
import { lockDataDir, restoreMark } from '../supervisor/data-dir-lock.ts'
import { dataEntries, dataNames, keptPrefix, sidePrefix } from './data-files.ts'
import { untilIdle } from './idle.ts'
import { InvalidBackup, type Manifest, manifestName, parseManifest } from './manifest.ts'

export type RestoreOptions = {
  file: string
  dataDir: string
  /** Lets a restore replace data; what was there is kept in a folder inside. Default false. */
  force?: boolean
  logger: Logger
}

/** What was restored: the version and time of the backup, and where the earlier data now are. */
export type RestoreResult = { version: string; time: string; files: number; keptIn: string | undefined }

const syncFolder = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Unpacks files and folders, nothing else (links would lead out), with the archive's modes and this user as owner. */
const unpack = async (file: string, side: string): Promise<void> => {
  const unpacker = new Unpack({
    cwd: side,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    chmod: true,
    processUmask: 0,
    filter: (_path, entry) => 'type' in entry && (entry.type === 'File' || entry.type === 'Directory'),
  })
  const done = new Promise<void>((resolve, reject) => {
    unpacker.on('close', () => resolve())
    unpacker.on('error', reject)
  })
  const bytes = new PassThrough()
  bytes.on('data', (chunk: Buffer) => {
    if (!unpacker.write(chunk)) bytes.pause()
  })
  unpacker.on('drain', () => bytes.resume())
  bytes.on('end', () => unpacker.end())
  try {
    await Promise.all([pipeline(createReadStream(file), createZstdDecompress(), bytes), done])
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EACCES')) throw cause
    throw new InvalidBackup(`${file} is no backup of Tributary, or it is damaged or cut off.`, cause)
  }
}

/** Reads every file back, compares it with the manifest, and syncs it. */
const verify = async (dir: string, manifest: Manifest): Promise<void> => {
  const expected = new Map(manifest.files.map((entry) => [entry.path, entry]))
  for await (const entry of dataEntries(dir)) {
    if (entry.folder) {
      await syncFolder(join(dir, entry.path))
      continue
    }
    const wanted = expected.get(entry.path)
    if (wanted === undefined)
      throw new InvalidBackup(`The backup holds ${entry.path}, which its manifest does not name.`)
    expected.delete(entry.path)
    const handle = await open(join(dir, entry.path), constants.O_RDONLY)
    try {
      const hash = createHash('sha256')
      for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 }))
        hash.update(chunk)
      if (entry.size !== wanted.size || hash.digest('hex') !== wanted.sha256) {
        throw new InvalidBackup(`${entry.path} in the backup is damaged: its checksum differs.`)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  const [missing] = expected.keys()
  if (missing !== undefined) throw new InvalidBackup(`${missing} is missing from the backup.`)
}

const removeOldSides = async (dir: string): Promise<void> => {
  for (const name of await readdir(dir)) {
    if (name.startsWith(sidePrefix)) await rm(join(dir, name), { recursive: true, force: true })
  }
}

/** As root, PostgreSQL's files go to the account that runs it here, whoever owned them where the backup was made. */
const giveToPostgres = async (dir: string): Promise<void> => {
  if (process.getuid?.() !== 0 || !(await dataNames(dir)).includes('postgres')) return
  await giveTo(join(dir, 'postgres'), chooseAccount().server)
}

/**
 * Exchanges the content: the old entries go to a kept folder, the new ones come up. The mark is there from before the
 * first rename until after the last, and no product starts while it is.
 */
const exchange = async (dir: string, restored: string, time: string): Promise<string | undefined> => {
  const mark = join(dir, restoreMark)
  await writeFile(mark, '')
  await syncFolder(dir)
  const old = await dataNames(dir)
  let kept: string | undefined
  if (old.length > 0) {
    kept = await mkdtemp(join(dir, `${keptPrefix}${time.replaceAll(/[:.]/g, '-')}-`))
    for (const name of old) await rename(join(dir, name), join(kept, name))
  }
  faultPoint('restore-between-renames')
  for (const name of await dataNames(restored)) await rename(join(restored, name), join(dir, name))
  await syncFolder(dir)
  await rm(mark)
  await syncFolder(dir)
  return kept
}

/**
 * Brings a backup back: unpacked into a side folder inside the data folder, every checksum compared, synced, and only
 * then renamed into place, so a damaged archive changes nothing. Holds the lock of the data folder. When it is killed
 * between the renames, the product refuses to start until a restore is complete.
 *
 * @throws DataDirLocked while the product runs; InvalidBackup; an error that says what to do when the folder holds data
 *   and `force` is not set.
 */
export const restoreBackup = async ({
  file,
  dataDir,
  force = false,
  logger,
}: RestoreOptions): Promise<RestoreResult> => {
  const archive = resolve(file)
  await access(archive, constants.R_OK).catch((cause: unknown) => {
    throw new Error(`${archive} cannot be read.`, { cause })
  })
  await using lock = lockDataDir(dataDir, 'restore')
  if (!force && (await dataNames(lock.dir)).length > 0) {
    throw new Error(
      `${lock.dir} holds data already. Restore into an empty folder, or use --force: then what is there is kept in a ` +
        `folder named ${keptPrefix}… inside.`,
    )
  }
  await untilIdle(lock.dir, logger)
  await removeOldSides(lock.dir)
  const side = await mkdtemp(join(lock.dir, `${sidePrefix}${process.pid}-`))
  logger.info({ file: archive, dataDir: lock.dir }, 'restore begins')
  try {
    await unpack(archive, side)
    const restored = join(side, 'data')
    await mkdir(restored, { recursive: true })
    const manifest = parseManifest(
      await readFile(join(side, manifestName), 'utf8').catch((cause: unknown) => {
        throw new InvalidBackup(`${archive} has no manifest: it is no backup of Tributary, or it is cut off.`, cause)
      }),
    )
    await verify(restored, manifest)
    await giveToPostgres(restored)
    const keptIn = await exchange(lock.dir, restored, new Date().toISOString())
    logger.info({ dataDir: lock.dir, files: manifest.files.length, keptIn }, 'restore is complete')
    return { version: manifest.version, time: manifest.time, files: manifest.files.length, keptIn }
  } finally {
    await rm(side, { recursive: true, force: true })
  }
}
