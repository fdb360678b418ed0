import { randomBytes } from 'node:crypto'
import { isAnswer, isMissing, isUnsupported } from './failures.ts'
import type { Session } from './session.ts'

type Done<T> = (error?: Error | null, value?: T) => void

/** Runs an operation of the client. After the connection is lost, it may never settle: `useSession` does. */
const run = <T = void>(start: (done: Done<T>) => void): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    start((error, value) => (error instanceof Error ? reject(error) : resolve(value as T)))
  })

/** Bytes of a part, which every server accepts (draft-ietf-secsh-filexfer-02, 3), and parts that are sent at a time. */
const partBytes = 32_768
const partsAtATime = 16

const writeParts = async (session: Session, handle: Buffer, body: Buffer): Promise<void> => {
  for (let start = 0; start < body.length; start += partBytes * partsAtATime) {
    const end = Math.min(start + partBytes * partsAtATime, body.length)
    const offsets = Array.from({ length: Math.ceil((end - start) / partBytes) }, (_, part) => start + part * partBytes)
    await Promise.all(
      offsets.map((offset) => {
        const length = Math.min(partBytes, end - offset)
        return run((done) => session.sftp.write(handle, body, offset, length, offset, done))
      }),
    )
  }
}

/** Creates the folders of a path. Folders that exist stay. Returns the last error, which is none of an existing folder. */
const makeFolders = async (session: Session, path: string): Promise<unknown> => {
  let failure: unknown
  const names = path.split('/').slice(0, -1)
  for (const [at, name] of names.entries()) {
    if (name === '') continue
    const folder = names.slice(0, at + 1).join('/')
    try {
      await run<unknown>((done) => session.sftp.stat(folder, done))
    } catch (missing) {
      if (!isMissing(missing)) throw missing
      failure = await run((done) => session.sftp.mkdir(folder, done)).catch((error: unknown) => error)
    }
  }
  return failure
}

const openFile = async (session: Session, path: string): Promise<Buffer> => {
  const start = (done: Done<Buffer>): void => session.sftp.open(path, 'w', done)
  try {
    return await run(start)
  } catch (error) {
    if (!isMissing(error)) throw error
    const failure = await makeFolders(session, path)
    return await run(start).catch((again: unknown) => {
      throw failure ?? again
    })
  }
}

const unlessUnsupported = async (work: Promise<unknown>): Promise<boolean> => {
  try {
    await work
    return true
  } catch (error) {
    if (!isUnsupported(error)) throw error
    return false
  }
}

/**
 * Renames a file, which replaces the one with the new name. Servers without the extension of OpenSSH refuse that, so
 * the replaced file is removed before: it is an earlier attempt at the same file. It stays if there is no new file.
 */
const replace = async (session: Session, from: string, to: string): Promise<void> => {
  const { sftp } = session
  if (await unlessUnsupported(run((done) => sftp.ext_openssh_rename(from, to, done)))) return
  try {
    await run((done) => sftp.rename(from, to, done))
  } catch (refused) {
    if (isMissing(refused)) throw refused
    await removeFile(session, to).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    await run((done) => sftp.rename(from, to, done))
  }
}

/** Removes a file. */
export const removeFile = (session: Session, path: string): Promise<void> =>
  run((done) => session.sftp.unlink(path, done))

/** Removes a temporary file. Its name is kept until the server answers, also if it refuses. */
const removeTemporary = async (session: Session, path: string): Promise<void> => {
  try {
    await removeFile(session, path)
  } catch (error) {
    if (!isAnswer(error)) return
  }
  session.left.delete(path)
}

/**
 * Writes a file under a temporary name beside it, and renames it when it is complete, so that no reader finds a part.
 * Folders are created. Each attempt has a temporary name of its own, so that two writers of a file do not mix. After a
 * lost connection, the next attempt removes its file; after a crash, it stays.
 */
export const writeFile = async (session: Session, path: string, bytes: Uint8Array): Promise<void> => {
  const { sftp, left } = session
  for (const earlier of left) await removeTemporary(session, earlier)
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = path.lastIndexOf('/') + 1
  const temporary = `${path.slice(0, name)}.${path.slice(name)}.${randomBytes(8).toString('hex')}.part`
  left.add(temporary)
  try {
    const handle = await openFile(session, temporary)
    await writeParts(session, handle, body)
    await unlessUnsupported(run((done) => sftp.ext_openssh_fsync(handle, done)))
    await run((done) => sftp.close(handle, done))
    await replace(session, temporary, path)
    left.delete(temporary)
  } catch (error) {
    // The file may not exist, or the connection may be gone. The error that came first counts.
    await removeTemporary(session, temporary)
    throw error
  }
}
