import { createReadStream } from 'node:fs'
import { chmod, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { Header, Pax } from 'tar'
import { dataPrefix, InvalidBackup, manifestName } from './manifest.ts'

const block = 512
/** Maximum size of an extended header, which contains one long path; anything larger is an attack or damage. */
const longestExtension = 1024 * 1024
/** Errors of the disk, which can occur with an intact archive, too. */
const diskErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM', 'EMFILE', 'ENOENT'])

type ByteReader = {
  /** The next `size` bytes, in pieces as they arrive. Throws InvalidBackup if the input ends earlier. */
  pieces(size: number): AsyncGenerator<Buffer, void, undefined>
  /** The next `size` bytes in one buffer. */
  read(size: number): Promise<Buffer>
  /** Reads to the end, so that a check of the whole input sees all of it. */
  drain(): Promise<void>
}

const createByteReader = (input: AsyncIterable<Buffer>): ByteReader => {
  const source = input[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const next = async (): Promise<boolean> => {
    const { done, value } = await source.next()
    if (done !== true) rest = value
    return done !== true
  }
  async function* pieces(size: number): AsyncGenerator<Buffer, void, undefined> {
    let wanted = size
    while (wanted > 0) {
      if (rest.length === 0 && !(await next())) throw new InvalidBackup('The backup is truncated.')
      const piece = rest.subarray(0, wanted)
      rest = rest.subarray(piece.length)
      wanted -= piece.length
      if (piece.length > 0) yield piece
    }
  }
  const read = async (size: number): Promise<Buffer> => {
    const parts: Buffer[] = []
    for await (const piece of pieces(size)) parts.push(piece)
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
  }
  return {
    pieces,
    read,
    async drain() {
      while (await next());
    },
  }
}

/** The path of an entry below the side folder. @throws InvalidBackup if the entry would be outside */
const placeOf = (path: string): string => {
  const plain = path.replace(/\/$/, '')
  const inside = plain === manifestName || plain.startsWith(dataPrefix)
  if (!inside || plain.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new InvalidBackup(`The backup holds an entry that belongs nowhere: ${JSON.stringify(path.slice(0, 200))}`)
  }
  return plain
}

const saveFile = async (bytes: AsyncIterable<Buffer>, mode: number, target: string): Promise<void> => {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const handle = await open(target, 'wx', 0o600)
  try {
    for await (const piece of bytes) await handle.writeFile(piece)
    await handle.chmod(mode & 0o777)
  } finally {
    await handle.close()
  }
}

const paddingOf = (size: number): number => (block - (size % block)) % block

/**
 * Saves the entries of a tar stream one after the other. Folders get their modes last, because a mode may forbid
 * writing to the folder.
 */
const saveEntries = async (input: AsyncIterable<Buffer>, side: string): Promise<void> => {
  const bytes = createByteReader(input)
  const folders: { target: string; mode: number }[] = []
  let extended: Pax | undefined
  for (;;) {
    const header = new Header(await bytes.read(block))
    if (header.nullBlock) break
    const { type, mode = 0o600 } = header
    // The extended header takes precedence over the entry's own fields, which contain only what fits.
    const path = extended?.path ?? header.path ?? ''
    const size = extended?.size ?? header.size ?? 0
    if (!header.cksumValid) throw new InvalidBackup('The backup is damaged: a header of the archive is wrong.')
    if (type === 'ExtendedHeader') {
      if (size > longestExtension)
        throw new InvalidBackup('The backup is damaged: a header of the archive is too long.')
      extended = Pax.parse((await bytes.read(size)).toString())
    } else {
      extended = undefined
      const target = join(side, placeOf(path))
      if (type === 'File') await saveFile(bytes.pieces(size), mode, target)
      else if (type === 'Directory') {
        await mkdir(target, { recursive: true, mode: 0o700 })
        folders.push({ target, mode: mode & 0o777 })
      } else throw new InvalidBackup(`The backup holds ${path}, which is neither a file nor a folder.`)
    }
    await bytes.read(paddingOf(type === 'Directory' ? 0 : size))
  }
  await bytes.drain()
  for (const { target, mode } of folders.toReversed()) await chmod(target, mode)
}

/**
 * Unpacks the files and folders of a backup into `side`, with the modes of the archive and this user as owner. Rejects
 * an archive with links or with paths that lead out. Memory does not grow with file sizes.
 *
 * @throws InvalidBackup if the archive is damaged, incomplete or something else; errors of the disk unchanged
 */
export const unpackBackup = async (file: string, side: string): Promise<void> => {
  try {
    await pipeline(createReadStream(file), createZstdDecompress(), (bytes: AsyncIterable<Buffer>) =>
      saveEntries(bytes, side),
    )
  } catch (cause) {
    if (cause instanceof InvalidBackup) throw cause
    if (cause instanceof Error && 'code' in cause && diskErrors.has(String(cause.code))) throw cause
    throw new InvalidBackup(`${file} is not a Tributary backup, or it is damaged or truncated.`, cause)
  }
}
