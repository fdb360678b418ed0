import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { silentLogger } from '@tributary/kernel'
import { openRelational, runningPostgresUrl } from '@tributary/storage'
import type { TestEventStore } from '@tributary/test-kit'

/** Contents of a store as texts, by table of a database or by file. */
export type Decoded = Map<string, string>

/** The form in which PostgreSQL writes bytes into a text. */
const bytesInText = /\\+x((?:[0-9a-f]{2}){4,})/g

/** Reads every table of the database of a running product, including the tables of its jobs. */
export const decodePostgres = async (dataDir: string): Promise<Decoded> => {
  const url = await runningPostgresUrl(join(dataDir, 'postgres'))
  await using relational = openRelational({ url, logger: silentLogger, maxConnections: 1 })
  const { pool } = relational
  const { rows } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'`,
  )
  const decoded: Decoded = new Map()
  for (const { name } of rows) {
    const { rows: found } = await pool.query<{ text: string | null }>(
      `select string_agg(t::text, chr(10)) as text from ${name} t`,
    )
    const text = found[0]?.text ?? ''
    const bytes = [...text.matchAll(bytesInText)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString())
    decoded.set(`postgres ${name}`, [text, ...bytes].join('\n'))
  }
  return decoded
}

/**
 * Reads every table of an event store, and the tables that the engine writes about itself. The events are divided by
 * their outcome.
 */
export const decodeEventStore = async (eventStore: TestEventStore): Promise<Decoded> => {
  const tables = await eventStore.query<{ name: string }>(
    `select if(database = 'system', concat('system.', name), name) as name from system.tables
     where database = {database:String} or (database = 'system' and engine like '%MergeTree')`,
    { database: eventStore.database },
  )
  const decoded: Decoded = new Map()
  for (const { name } of tables) {
    const rows = await eventStore.query<{ status?: string }>(`select * from ${name}`)
    if (name !== 'events') decoded.set(`event-store ${name}`, JSON.stringify(rows))
    else
      for (const [status, some] of Map.groupBy(rows, (row) => row.status))
        decoded.set(`event-store ${name} ${status}`, JSON.stringify(some))
  }
  return decoded
}

const sqliteBegins = 'SQLite format 3\0'
const zstdBegins = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

const expand = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return (buffer.subarray(0, 4).equals(zstdBegins) ? zstdDecompressSync(buffer) : buffer).toString()
}

const decodeSqlite = (file: string): string => {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all()
    return tables
      .flatMap(({ name }) => db.prepare(`select * from "${String(name)}"`).all())
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? expand(value) : String(value)))
      .join('\n')
  } finally {
    db.close()
  }
}

/** Returns the text parts of an email, decoded from quoted-printable or base64. */
const decodeMail = (text: string): string =>
  text
    .split(/\r\n--[^\r\n]*\r\n/)
    .map((part) => {
      const [head = '', ...body] = part.split('\r\n\r\n')
      const content = body.join('\r\n\r\n')
      if (/^content-transfer-encoding: base64/im.test(head))
        return `${head}\n${Buffer.from(content, 'base64').toString()}`
      if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return part
      const plain = content
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      return `${head}\n${Buffer.from(plain, 'latin1').toString()}`
    })
    .join('\n')

const decodeFile = (file: string): string => {
  const bytes = readFileSync(file)
  const raw = bytes.toString()
  if (bytes.toString('latin1', 0, sqliteBegins.length) === sqliteBegins) return `${raw}\n${decodeSqlite(file)}`
  if (file.endsWith('.eml')) return decodeMail(raw)
  return expand(bytes)
}

/** Reads every file in the data folder of a stopped product, except the files in which PostgreSQL keeps its tables. */
export const decodeFiles = (dataDir: string): Decoded => {
  const decoded: Decoded = new Map()
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const name = relative(dataDir, file)
    if (entry.isFile() && !name.startsWith('postgres/')) decoded.set(name, decodeFile(file))
  }
  return decoded
}

/**
 * Decompresses a block of LZ4 (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md); undefined if the bytes are
 * no such block.
 */
const expandLz4 = (block: Buffer, size: number): Buffer | undefined => {
  const out = Buffer.alloc(size)
  let [from, to] = [0, 0]
  const lengthOf = (part: number): number => {
    let length = part
    for (let more = part === 15 ? 255 : 0; more === 255; length += more) more = block[from++] ?? 0
    return length
  }
  while (from < block.length) {
    const token = block[from++] ?? 0
    const literals = lengthOf(token >> 4)
    block.copy(out, to, from, from + literals)
    from += literals
    to += literals
    if (from >= block.length) break
    const offset = block.readUInt16LE(from)
    from += 2
    const copied = lengthOf(token & 15) + 4
    if (offset === 0 || offset > to || to + copied > size) return undefined
    for (const end = to + copied; to < end; to++) out[to] = out[to - offset] ?? 0
  }
  return to === size ? out : undefined
}

/** Codecs of blocks (https://clickhouse.com/docs/data-compression/compression-in-clickhouse), by their first byte. */
const codecs: Readonly<Record<number, (block: Buffer, size: number) => Buffer | undefined>> = {
  0x02: (block) => block,
  0x82: expandLz4,
  0x90: (block) => zstdDecompressSync(block),
}
/**
 * Sizes of the checksum and of the head before a block. The head has the codec, the compressed size including these 9
 * bytes, and the decompressed size.
 */
const [checksumBytes, headBytes] = [16, 9]

/** Returns a file of a table's part as text: the raw bytes, and the contents of its blocks. */
const decodePart = (bytes: Buffer): string => {
  const texts = [bytes.toString('latin1')]
  let at = 0
  while (at + checksumBytes + headBytes <= bytes.length) {
    const head = at + checksumBytes
    const size = bytes.readUInt32LE(head + 1)
    const expanded = codecs[bytes[head] ?? 0]?.(
      bytes.subarray(head + headBytes, head + size),
      bytes.readUInt32LE(head + 5),
    )
    if (expanded === undefined || size < headBytes) break
    texts.push(expanded.toString('latin1'))
    at = head + size
  }
  return texts.join('\n')
}

/**
 * Reads every file of an event store, by its path: the raw bytes, and the blocks of parts. A running engine may remove
 * files meanwhile.
 */
export const decodeParts = (dataDir: string): Decoded => {
  const decoded: Decoded = new Map()
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && existsSync(file)) decoded.set(relative(dataDir, file), decodePart(readFileSync(file)))
  }
  return decoded
}
