import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Resolves when the file names in a folder are on disk. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  await folder.sync()
  await folder.close()
}

/** The text of a file; undefined if there is none, or it is empty. */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.trim() || undefined
}

/** Writes a file that only its owner may read. It is on disk when the promise resolves. */
export const writePrivateFile = async (path: string, text: string): Promise<void> => {
  // Removes an existing file, because writing would keep its permissions.
  await rm(path, { force: true })
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(`${text}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await syncFolder(dirname(path))
}

/** Moves a file to another name in its folder, atomically. The name is on disk when the promise resolves. */
export const movePrivateFile = async (from: string, to: string): Promise<void> => {
  await rename(from, to)
  await syncFolder(dirname(to))
}

/** Writes a file that only its owner may read, atomically: it is there in whole, or not at all. */
export const createPrivateFile = async (path: string, text: string): Promise<void> => {
  await writePrivateFile(`${path}.new`, text)
  await movePrivateFile(`${path}.new`, path)
}
