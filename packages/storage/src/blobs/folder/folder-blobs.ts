import { randomBytes } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { faultPoint, isRecord } from '@tributary/kernel'
import { checkContentType, keyParts } from '../keys.ts'
import type { Blobs } from '../port.ts'

/** No part of a key contains `~`, so objects (`name~`), drafts (`~name`) and folders (`name`) never collide. */
const objectMark = '~'
const draftMark = '~'
const draftLifeMs = 3_600_000

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates the folder if it is missing, and then syncs every new folder and the existing parent. */
const ensureFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let current = folder; current.length >= first.length; current = dirname(current)) {
    await syncFolder(dirname(current))
  }
}

const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })

/**
 * Encodes an object as a file: one line of JSON with its content type, then its bytes. It is a single file, so that
 * both change together.
 */
const encode = (body: Uint8Array, contentType: string): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ contentType })}\n`), body])

const decode = (file: Buffer): { body: Uint8Array; contentType: string } => {
  const end = file.indexOf(0x0a)
  const header: unknown = JSON.parse(file.subarray(0, end).toString())
  if (!isRecord(header) || !('contentType' in header)) throw new Error('A blob has no header')
  return { body: file.subarray(end + 1), contentType: String(header.contentType) }
}

/** Removes drafts that a killed process left. Recent ones are kept: another thread may still be writing them. */
const removeOldDrafts = async (folder: string, now: number): Promise<void> => {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await removeOldDrafts(path, now)
    else if (entry.name.startsWith(draftMark)) {
      const age = await stat(path).then(
        ({ mtimeMs }) => now - mtimeMs,
        () => 0,
      )
      if (age > draftLifeMs) await rm(path, { force: true })
    }
  }
}

const listObjects = async (folder: string, path: string, prefix: string, keys: string[]): Promise<void> => {
  for (const entry of await entriesOf(folder)) {
    if (entry.isDirectory()) {
      const below = `${path}${entry.name}/`
      if (below.startsWith(prefix) || prefix.startsWith(below))
        await listObjects(join(folder, entry.name), below, prefix, keys)
    } else if (entry.name.endsWith(objectMark) && !entry.name.startsWith(draftMark)) {
      const key = path + entry.name.slice(0, -objectMark.length)
      if (key.startsWith(prefix)) keys.push(key)
    }
  }
}

/**
 * Opens blobs in a folder, which is created if missing (mode 0700). An object is written to a draft, synced, and
 * renamed, and its folder is synced. So `put` is durable on return, and a reader sees the complete old object or the
 * complete new one. If two writers use one key, the last rename wins. Keys are checked before they are used as paths.
 *
 * @throws InvalidBlob for invalid keys and content types
 */
export const openFolderBlobs = async (root: string): Promise<Blobs> => {
  const folder = resolve(root)
  await ensureFolder(folder)
  await removeOldDrafts(folder, Date.now())
  const fileOf = (key: string): string => join(folder, ...keyParts(key)) + objectMark

  return {
    async put(key, body, contentType) {
      checkContentType(contentType)
      const file = fileOf(key)
      await ensureFolder(dirname(file))
      const draft = join(dirname(file), `${draftMark}${randomBytes(12).toString('hex')}`)
      try {
        const handle = await open(draft, 'wx', 0o600)
        try {
          await handle.writeFile(encode(body, contentType))
          await handle.sync()
        } finally {
          await handle.close()
        }
        faultPoint('blob-before-rename')
        await rename(draft, file)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await syncFolder(dirname(file))
    },
    async get(key) {
      try {
        return decode(await readFile(fileOf(key)))
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
        throw error
      }
    },
    async delete(key) {
      const file = fileOf(key)
      try {
        await rm(file)
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return
        throw error
      }
      await syncFolder(dirname(file))
    },
    async list(prefix) {
      const keys: string[] = []
      await listObjects(folder, '', prefix, keys)
      return keys.toSorted()
    },
  }
}
