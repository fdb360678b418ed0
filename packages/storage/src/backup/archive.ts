import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Header, Pax } from 'tar'
import { type DataEntry, readSize } from './data-files.ts'
import { dataPrefix, type Manifest, manifestName } from './manifest.ts'

const block = 512

type Meta = { path: string; mode: number; size: number; mtime: Date; type: 'File' | 'Directory' }

/** The header of an entry, after a POSIX extended header if the path or size does not fit (pax(1)). */
const headerOf = (meta: Meta): Buffer => {
  const data = { ...meta, uid: 0, gid: 0 }
  const header = new Header(data)
  const extended = header.encode() ? new Pax(data).encode() : Buffer.alloc(0)
  return Buffer.concat([extended, header.block ?? Buffer.alloc(block)])
}

const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

/**
 * Creates a tar archive of the entries below `dir`, chunk by chunk, with the manifest as its last entry. The checksums
 * are computed from the archived bytes. Memory does not grow with file sizes.
 *
 * @throws if a file changes its size meanwhile, which the lock of the data folder should prevent
 */
export async function* tarStream(
  dir: string,
  entries: AsyncIterable<DataEntry>,
  about: { version: string; time: string },
): AsyncGenerator<Buffer, void, undefined> {
  const files: Manifest['files'] = []
  const links: Manifest['links'] = []
  for await (const entry of entries) {
    const { mode, size, mtime } = entry
    if (entry.link !== undefined) {
      links.push({ path: entry.path, target: entry.link })
      continue
    }
    if (entry.folder) {
      yield headerOf({ path: `${dataPrefix}${entry.path}/`, mode, size: 0, mtime, type: 'Directory' })
      continue
    }
    yield headerOf({ path: `${dataPrefix}${entry.path}`, mode, size, mtime, type: 'File' })
    const hash = createHash('sha256')
    let read = 0
    for await (const chunk of createReadStream(join(dir, entry.path), { highWaterMark: readSize(size) })) {
      const bytes: Buffer = chunk
      read += bytes.length
      if (read > size) break
      hash.update(bytes)
      yield bytes
    }
    if (read !== size) throw new Error(`${entry.path} changed while it was being backed up`)
    yield padding(size)
    files.push({ path: entry.path, size, sha256: hash.digest('hex') })
  }
  const manifest: Manifest = { format: 1, product: 'tributary', ...about, files, links }
  const text = Buffer.from(JSON.stringify(manifest))
  yield headerOf({ path: manifestName, mode: 0o600, size: text.length, mtime: new Date(about.time), type: 'File' })
  yield text
  yield padding(text.length)
  yield Buffer.alloc(2 * block)
}
