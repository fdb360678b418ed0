import { crc32 } from 'node:zlib'
import { BrokenFile } from '../broken-file.ts'
import { decompress } from './decompress.ts'
import { damagedPage, hybrid, type Values, valuesOf } from './encodings.ts'
import { type Chunk, type Node, readAt } from './footer.ts'
import { numberOf, readThrift, structOf, type ThriftStruct, Truncated } from './thrift.ts'

/** Maximum bytes of a page, and of all open pages. */
const pageBytes = 64 * 1024 * 1024
const openBytes = 256 * 1024 * 1024

/** Number of bytes of all open pages of a file. */
export type OpenPages = { bytes: number }

/**
 * Numbers of bytes that are read for the head of a page, one after the other. Most heads are short, but statistics in
 * them can be long.
 */
const headBytes = [256, 64 * 1024, 8 * 1024 * 1024] as const

const damaged = (): BrokenFile => new BrokenFile('The Parquet file is damaged: a page is not valid')

const dataPage = 0
const dictionaryPage = 2
const dataPageV2 = 3

/** Whether an encoding refers to values of the dictionary: PLAIN_DICTIONARY and RLE_DICTIONARY. */
const isByDictionary = (encoding: number): boolean => encoding === 2 || encoding === 8

/** A page of the file, and the function that decompresses a part of it to a number of bytes. */
type Page = { head: ThriftStruct; bytes: Uint8Array; unpack: (part: Uint8Array, size: number) => Uint8Array }

const hold = (open: OpenPages, bytes: number): void => {
  open.bytes += bytes
  if (open.bytes > openBytes)
    throw new BrokenFile('The Parquet file needs more than 256 MB at a time. Write it with smaller pages')
}

const headAt = (fd: number, from: number, to: number): { head: ThriftStruct; end: number } => {
  for (const most of headBytes) {
    const bytes = new Uint8Array(Math.min(most, to - from))
    readAt(fd, bytes, from)
    try {
      const { struct, end } = readThrift(bytes, 0)
      return { head: struct, end: from + end }
    } catch (error) {
      if (!(error instanceof Truncated)) throw error
      if (bytes.length < most) break
    }
  }
  throw damaged()
}

/** Creates a reader of the pages of a chunk, with one open page at a time; undefined at the end. */
const readPages = (fd: number, chunk: Chunk, open: OpenPages) => {
  let place = chunk.from
  let held = 0
  const unpack = (part: Uint8Array, size: number): Uint8Array => decompress(chunk.codec, part, size)
  return {
    next(): Page | undefined {
      open.bytes -= held
      held = 0
      if (place >= chunk.to) return undefined
      const { head, end } = headAt(fd, place, chunk.to)
      const size = numberOf(head, 2) ?? -1
      const packed = numberOf(head, 3) ?? -1
      if (size < 0 || packed < 0 || end + packed > chunk.to) throw damaged()
      if (size > pageBytes || packed > pageBytes)
        throw new BrokenFile('The Parquet file has a page of more than 64 MB. Write it with smaller pages')
      held = size + packed
      hold(open, held)
      const bytes = new Uint8Array(packed)
      readAt(fd, bytes, end)
      place = end + packed
      const sum = numberOf(head, 4)
      if (sum !== undefined && crc32(bytes) !== sum >>> 0)
        throw new BrokenFile('The Parquet file is damaged: a checksum is wrong')
      return { head, bytes, unpack }
    },
  }
}

/** Returns the number of bits of a level. */
const levelWidth = (most: number): number => 32 - Math.clz32(most)

/** Returns the levels before the values, and the remaining bytes. The levels follow their length. */
const levelsOf = (bytes: Uint8Array, most: number): { levels: () => number; rest: Uint8Array } => {
  if (most === 0) return { levels: () => 0, rest: bytes }
  if (bytes.length < 4) throw damaged()
  const size = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true)
  if (4 + size > bytes.length) throw damaged()
  return { levels: hybrid(bytes.subarray(4, 4 + size), levelWidth(most)), rest: bytes.subarray(4 + size) }
}

type Leaf = NonNullable<Node['leaf']>
type Levels = Pick<Node, 'maxDefinition' | 'maxRepetition'>
type TextOf = (values: Values) => () => string

/** The levels of a data page, and its values, which are not decoded yet. */
type Parts = {
  count: number
  repetitions: () => number
  definitions: () => number
  encoding: number | undefined
  values: Uint8Array
}

const partsOf = ({ head, bytes, unpack }: Page, { maxDefinition, maxRepetition }: Levels): Parts => {
  const about = structOf(head, 5)
  const levelEncodings = [maxRepetition > 0 ? numberOf(about, 4) : 3, maxDefinition > 0 ? numberOf(about, 3) : 3]
  if (levelEncodings.some((encoding) => encoding !== 3)) throw damaged()
  const repeated = levelsOf(unpack(bytes, numberOf(head, 2) ?? -1), maxRepetition)
  const defined = levelsOf(repeated.rest, maxDefinition)
  return {
    count: numberOf(about, 1) ?? -1,
    repetitions: repeated.levels,
    definitions: defined.levels,
    encoding: numberOf(about, 2),
    values: defined.rest,
  }
}

const partsOfV2 = ({ head, bytes, unpack }: Page, { maxDefinition, maxRepetition }: Levels): Parts => {
  const size = numberOf(head, 2) ?? -1
  const about = structOf(head, 8)
  const repeatedBytes = numberOf(about, 6) ?? -1
  const definedBytes = numberOf(about, 5) ?? -1
  const levelBytes = repeatedBytes + definedBytes
  if (repeatedBytes < 0 || definedBytes < 0 || levelBytes > bytes.length || levelBytes > size) throw damaged()
  const values = bytes.subarray(levelBytes)
  const isPacked = about?.get(7) !== false
  return {
    count: numberOf(about, 1) ?? -1,
    repetitions: hybrid(bytes.subarray(0, repeatedBytes), levelWidth(maxRepetition)),
    definitions: hybrid(bytes.subarray(repeatedBytes, levelBytes), levelWidth(maxDefinition)),
    encoding: numberOf(about, 4),
    values: isPacked ? unpack(values, size - levelBytes) : values,
  }
}

/** The texts of the values of a data page, one after the other. */
const textsIn = (
  { encoding, values }: Pick<Parts, 'encoding' | 'values'>,
  leaf: Leaf,
  dictionary: readonly string[] | undefined,
  textOf: TextOf,
): (() => string) => {
  if (encoding === undefined) throw damaged()
  if (!isByDictionary(encoding)) {
    if (values.length > 0) return textOf(valuesOf(encoding, values, leaf.type, leaf.length))
    return () => {
      throw damagedPage()
    }
  }
  if (dictionary === undefined) throw damaged()
  // A page that has only nulls has no bit width.
  const indexes = values.length === 0 ? undefined : hybrid(values.subarray(1), values[0] ?? 0)
  return () => {
    const text = indexes === undefined ? undefined : dictionary[indexes()]
    if (text === undefined) throw damaged()
    return text
  }
}

const readDictionary = (
  { head, bytes: packed, unpack }: Page,
  leaf: Leaf,
  textOf: TextOf,
  open: OpenPages,
): string[] => {
  const bytes = unpack(packed, numberOf(head, 2) ?? -1)
  const count = numberOf(structOf(head, 7), 1) ?? -1
  if (count < 0) throw damaged()
  // The dictionary stays in memory until the chunk is read.
  hold(open, bytes.length)
  const next = count === 0 ? undefined : textOf(valuesOf(0, bytes, leaf.type, leaf.length))
  const found: string[] = []
  // Each value takes at least one bit, so a count that is too high fails here.
  for (let index = 0; index < count; index++) found.push(next?.() ?? '')
  return found
}

/**
 * Reads the entries of a leaf in order: the repetition and definition level of each entry, and the text of its value if
 * there is one.
 */
export type LeafReader = {
  /** Returns the repetition level of the next entry; -1 at the end. */
  repetition(): number
  definition(): number
  /** Returns the value of the entry, or null; moves to the next entry. */
  take(): string | null
}

/**
 * Creates a reader of a leaf in a row group, which reads pages when their values are needed. One page and one
 * dictionary are open at a time. Sizes are checked against the file and the limits before anything is allocated. Throws
 * BrokenFile.
 */
export const readLeaf = (fd: number, chunk: Chunk, node: Node, textOf: TextOf, open: OpenPages): LeafReader => {
  const { leaf, maxDefinition, maxRepetition } = node
  if (leaf === undefined) throw new Error('Only leaves have pages')
  const pages = readPages(fd, chunk, open)
  let seen = 0
  let left = 0
  let dictionary: readonly string[] | undefined
  let repetitions = (): number => 0
  let definitions = (): number => maxDefinition
  let texts = (): string => ''
  let repetition = -1
  let definition = 0

  /** Moves to the next page; returns false at the end of the chunk. */
  const nextPage = (): boolean => {
    const page = pages.next()
    if (page === undefined) return false
    const kind = numberOf(page.head, 1)
    if (kind === dictionaryPage) {
      if (dictionary !== undefined) throw damaged()
      dictionary = readDictionary(page, leaf, textOf, open)
    } else if (kind === dataPage || kind === dataPageV2) {
      const parts = kind === dataPage ? partsOf(page, node) : partsOfV2(page, node)
      left = parts.count
      repetitions = parts.repetitions
      definitions = parts.definitions
      texts = textsIn(parts, leaf, dictionary, textOf)
    }
    // Pages of other kinds, such as an index, have no values.
    if (left < 0) throw damaged()
    return true
  }

  const advance = (): void => {
    while (left === 0)
      if (!nextPage()) {
        if (seen !== chunk.values) throw damagedPage()
        repetition = -1
        return
      }
    left--
    seen++
    repetition = repetitions()
    definition = maxDefinition === 0 ? 0 : definitions()
    if (repetition > maxRepetition || definition > maxDefinition) throw damaged()
  }
  advance()

  return {
    repetition: () => repetition,
    definition: () => definition,
    take() {
      if (repetition === -1) throw damagedPage()
      const text = definition === maxDefinition ? texts() : null
      advance()
      return text
    },
  }
}
