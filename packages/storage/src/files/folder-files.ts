import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { keyParts } from '../blobs/keys.ts'

/** Thrown if a file is longer or shorter than expected. */
export class OtherLength extends Error {
  override readonly name = 'OtherLength'
  /** The actual bytes of the file. */
  readonly bytes: number
  constructor(bytes: number) {
    super(`The file has ${bytes} bytes`)
    this.bytes = bytes
  }
}

/** A file: its key, its bytes, and when it was last written, epoch ms. */
export type KeptFile = { key: string; bytes: number; time: number }

/**
 * Large files that arrive in parts and are read in place. Keys follow the rules of blob keys. The files are in a folder
 * of this machine, because their readers get a path.
 */
export type Files = {
  /**
   * Writes a part at an offset, which is at most the length of the file, and cuts off everything after the part. So a
   * part can be written again. Resolves to the new length. Rejects with OtherLength if bytes before the part are
   * missing.
   */
  write(key: string, offset: number, part: Uint8Array): Promise<number>
  /** Resolves when the whole file is on disk. */
  sync(key: string): Promise<void>
  /** Returns the path at which a file is, or would be. */
  path(key: string): string
  /** Deletes a file, or all files below a folder. Does nothing if there is none. */
  delete(key: string): Promise<void>
  /** Lists the files below a folder; '' lists all files. */
  list(folder: string): Promise<KeptFile[]>
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

const within = async <T>(handle: FileHandle, work: (handle: FileHandle) => Promise<T>): Promise<T> => {
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

const listBelow = async (folder: string, key: string, found: KeptFile[]): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  for (const entry of entries) {
    const own = key === '' ? entry.name : `${key}/${entry.name}`
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await listBelow(path, own, found)
    else {
      // A file that was deleted meanwhile is left out.
      const known = await stat(path).catch(() => undefined)
      if (known !== undefined) found.push({ key: own, bytes: known.size, time: known.mtimeMs })
    }
  }
}

/** Opens the files in a folder, which is created if missing (mode 0700). Throws InvalidBlob for an invalid key. */
export const openFolderFiles = async (root: string): Promise<Files> => {
  const folder = resolve(root)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const pathOf = (key: string): string => join(folder, ...keyParts(key))
  return {
    path: pathOf,
    async write(key, offset, part) {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
      return await within(handle, async () => {
        const { size } = await handle.stat()
        if (offset > size) throw new OtherLength(size)
        await handle.truncate(offset)
        await handle.writev([part], offset)
        return offset + part.length
      })
    },
    async sync(key) {
      await within(await open(pathOf(key), 'r'), (handle) => handle.sync())
      await within(await open(dirname(pathOf(key)), constants.O_RDONLY | constants.O_DIRECTORY), (handle) =>
        handle.sync(),
      )
    },
    delete: (key) => rm(pathOf(key), { recursive: true, force: true }),
    async list(below) {
      const found: KeptFile[] = []
      await listBelow(below === '' ? folder : pathOf(below), below, found)
      return found
    },
  }
}
