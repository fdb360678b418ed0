import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import {
  access,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { faultPoint, type Logger } from '@tributary/kernel'
import { chooseAccount } from '../relational/embedded/account.ts'
import { giveTo } from '../relational/embedded/cluster.ts'
import { lockDataDir, restoreMark } from '../supervisor/data-dir-lock.ts'
import {
  type DataEntry,
  dataEntries,
  dataNames,
  earlierPrefix,
  forgottenFileName,
  isInnerLink,
  leadsOutside,
  readSize,
  sidePrefix,
} from './data-files.ts'
import { untilIdle } from './idle.ts'
import { InvalidBackup, type Manifest, manifestName, parseManifest } from './manifest.ts'

export type RestoreOptions = {
  file: string
  dataDir: string
  /** Whether a restore may replace data; the old data is kept in a folder inside. Default false. */
  force?: boolean
  logger: Logger
}

/** Result of a restore: the version and time of the backup, and where the earlier data are now. */
export type RestoreResult = { version: string; time: string; files: number; keptIn: string | undefined }

const syncFolder = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Reads a file back, compares it with the manifest, and syncs it. */
const verifyFile = async (path: string, entry: DataEntry, wanted: Manifest['files'][number]): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY)
  try {
    const hash = createHash('sha256')
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: readSize(entry.size) }))
      hash.update(chunk)
    if (entry.size !== wanted.size || hash.digest('hex') !== wanted.sha256) {
      throw new InvalidBackup(`${entry.path} in the backup is damaged: its checksum does not match.`)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Number of files verified concurrently, so that their syncs share the disk's round trips. */
const verifiers = 8

/** Compares every file with the manifest, and syncs everything. When it throws, no file is being read any longer. */
const verify = async (dir: string, manifest: Manifest): Promise<void> => {
  const expected = new Map(manifest.files.map((entry) => [entry.path, entry]))
  const entries = dataEntries(dir)
  const work = async (): Promise<void> => {
    for await (const entry of entries) {
      const path = join(dir, entry.path)
      const wanted = expected.get(entry.path)
      if (entry.folder) await syncFolder(path)
      else if (wanted === undefined) {
        throw new InvalidBackup(`The backup contains ${entry.path}, which is not in its manifest.`)
      } else {
        expected.delete(entry.path)
        await verifyFile(path, entry, wanted)
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: verifiers }, work))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  const [missing] = expected.keys()
  if (missing !== undefined) throw new InvalidBackup(`${missing} is missing from the backup.`)
}

/**
 * Creates the links of the manifest. Each link must be inside the folder, not behind another link, and must lead to a
 * place inside.
 */
const makeLinks = async (dir: string, links: Manifest['links']): Promise<void> => {
  const targets = new Map(links.map(({ path, target }) => [path, target]))
  const isBehindLink = (path: string): boolean => {
    const parts = path.split('/')
    return parts.some((_, index) => index > 0 && targets.has(parts.slice(0, index).join('/')))
  }
  // All links are checked before any of them is created.
  for (const { path, target } of links) {
    const inside = !path.split('/').some((part) => part === '' || part === '.' || part === '..')
    if (!inside || isBehindLink(path) || !isInnerLink(path, target) || leadsOutside(path, targets)) {
      throw new InvalidBackup(
        `The backup contains a link that points outside the data folder: ${JSON.stringify(path.slice(0, 200))}`,
      )
    }
  }
  for (const { path, target } of links) {
    await mkdir(dirname(join(dir, path)), { recursive: true, mode: 0o700 })
    await symlink(target, join(dir, path))
    await syncFolder(dirname(join(dir, path)))
  }
}

/** Checks that the entries can be renamed, before any is moved. A mounted disk cannot be renamed. */
const checkMovable = async (dir: string): Promise<void> => {
  const { dev } = await stat(dir)
  for (const name of await dataNames(dir)) {
    if ((await lstat(join(dir, name))).dev !== dev) {
      throw new Error(`${join(dir, name)} is a separate disk and can't be replaced. Empty it and unmount it first.`)
    }
  }
}

const removeOldSides = async (dir: string): Promise<void> => {
  for (const name of await readdir(dir)) {
    if (name.startsWith(sidePrefix)) await rm(join(dir, name), { recursive: true, force: true })
  }
}

/** Appends the folder's hashes of deleted users to those of the backup. */
const keepForgotten = async (dir: string, restored: string): Promise<void> => {
  const known = await readFile(join(dir, forgottenFileName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (known === undefined) return
  const handle = await open(join(restored, forgottenFileName), 'a', 0o600)
  try {
    await handle.appendFile(known)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** As root, gives PostgreSQL's files to the account that runs it here, whatever their owner was in the backup. */
const giveToPostgres = async (dir: string): Promise<void> => {
  if (process.getuid?.() !== 0 || !(await dataNames(dir)).includes('postgres')) return
  await giveTo(join(dir, 'postgres'), chooseAccount().server)
}

/**
 * Swaps the content of the data folder: old entries move to a kept folder, restored entries take their place. The mark
 * is set before the first rename and removed after the last; the product does not start while it is set.
 */
const exchange = async (dir: string, restored: string, time: string): Promise<string | undefined> => {
  const mark = join(dir, restoreMark)
  await writeFile(mark, '')
  await syncFolder(dir)
  const old = await dataNames(dir)
  let kept: string | undefined
  if (old.length > 0) {
    kept = await mkdtemp(join(dir, `${earlierPrefix}${time.replaceAll(/[:.]/g, '-')}-`))
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
 * Restores a backup. It is unpacked into a side folder inside the data folder, compared with all checksums, and synced.
 * Only then it is renamed into place, so a damaged archive changes nothing. Holds the lock of the data folder. If it is
 * killed between the renames, the product refuses to start until a restore is complete.
 *
 * @throws DataDirLocked while the product runs; InvalidBackup; an error that says what to do if the folder contains
 *   data and `force` is not set
 */
export const restoreBackup = async ({
  file,
  dataDir,
  force = false,
  logger,
}: RestoreOptions): Promise<RestoreResult> => {
  const archive = resolve(file)
  await access(archive, constants.R_OK).catch((cause: unknown) => {
    throw new Error(`${archive} can't be read.`, { cause })
  })
  await using lock = lockDataDir(dataDir, 'restore')
  if (!force && (await dataNames(lock.dir)).length > 0) {
    throw new Error(
      `${lock.dir} already contains data. Restore into an empty folder, or use --force, which moves the existing data to a ` +
        `folder named ${earlierPrefix}… inside.`,
    )
  }
  await checkMovable(lock.dir)
  await untilIdle(lock.dir, logger)
  await removeOldSides(lock.dir)
  const side = await mkdtemp(join(lock.dir, `${sidePrefix}${process.pid}-`))
  logger.info({ file: archive, dataDir: lock.dir }, 'restore begins')
  try {
    const { unpackBackup } = await import('./unpack.ts')
    await unpackBackup(archive, side)
    const restored = join(side, 'data')
    await mkdir(restored, { recursive: true })
    const manifest = parseManifest(
      await readFile(join(side, manifestName), 'utf8').catch((cause: unknown) => {
        throw new InvalidBackup(`${archive} has no manifest. It is not a Tributary backup, or it is truncated.`, cause)
      }),
    )
    await verify(restored, manifest)
    await makeLinks(restored, manifest.links)
    await keepForgotten(lock.dir, restored)
    await giveToPostgres(restored)
    const keptIn = await exchange(lock.dir, restored, new Date().toISOString())
    logger.info({ dataDir: lock.dir, files: manifest.files.length, keptIn }, 'restore is complete')
    return { version: manifest.version, time: manifest.time, files: manifest.files.length, keptIn }
  } finally {
    await rm(side, { recursive: true, force: true })
  }
}
