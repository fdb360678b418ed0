import { readSync } from 'node:fs'
import { BrokenFile } from '../broken-file.ts'
import { knowsCodec } from './decompress.ts'
import { numberOf, readThrift, structOf, structsOf, type ThriftStruct, Truncated } from './thrift.ts'

/** The physical types by their numbers (parquet.thrift, Type). */
const physicalTypes = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
] as const
export type PhysicalType = (typeof physicalTypes)[number]

/** A column, a member of a column, or the element of a list. */
export type Node = {
  name: string
  repetition: 'required' | 'optional' | 'repeated'
  /** The definition and repetition levels of a present value, as in pages. */
  maxDefinition: number
  maxRepetition: number
  children: Node[]
  /** For leaves: the physical type of the values, and the index of the leaf among all leaves. */
  leaf: { type: PhysicalType; length: number; at: number } | undefined
  /** The meaning of the values: the newer annotation (logical), and the older one (converted). */
  logical: ThriftStruct | undefined
  converted: number | undefined
  scale: number | undefined
}

/** The position of the pages of one leaf in a row group. */
export type Chunk = { codec: number; from: number; to: number; values: number }
export type RowGroup = { rows: number; chunks: Chunk[] }
export type ParquetFooter = { columns: Node[]; leaves: Node[]; rowGroups: RowGroup[]; rows: number }

/** Maximum bytes of a footer, and maximum schema depth, leaves and rows of a file. */
const footerBytes = 64 * 1024 * 1024
const deepest = 24
const maxLeaves = 10_000
const maxRows = 200_000_000

const damaged = (what: string): BrokenFile => new BrokenFile(`The Parquet file is damaged: ${what}`)

const textOf = (value: unknown): string => (value instanceof Uint8Array ? new TextDecoder().decode(value) : '')

const repetitions = ['required', 'optional', 'repeated'] as const

/** Returns the tree of the schema, which the file has as a flat list, without its root. */
const schemaOf = (elements: readonly ThriftStruct[]): { columns: Node[]; leaves: Node[] } => {
  const leaves: Node[] = []
  let at = 0
  const nodesOf = (count: number, parent: Pick<Node, 'maxDefinition' | 'maxRepetition'>, depth: number): Node[] => {
    if (depth > deepest) throw new BrokenFile(`The Parquet file has values that are nested more than ${deepest} deep`)
    const nodes: Node[] = []
    for (let index = 0; index < count; index++) {
      const element = elements[at++]
      if (element === undefined) throw damaged('its schema is not whole')
      const repetition = repetitions[numberOf(element, 3) ?? -1]
      if (repetition === undefined) throw damaged('its schema is not valid')
      const node: Node = {
        name: textOf(element.get(4)),
        repetition,
        maxDefinition: parent.maxDefinition + (repetition === 'required' ? 0 : 1),
        maxRepetition: parent.maxRepetition + (repetition === 'repeated' ? 1 : 0),
        children: [],
        leaf: undefined,
        logical: structOf(element, 10),
        converted: numberOf(element, 6),
        scale: numberOf(element, 7),
      }
      const children = numberOf(element, 5) ?? 0
      if (children > 0) node.children = nodesOf(children, node, depth + 1)
      else {
        const type = physicalTypes[numberOf(element, 1) ?? -1]
        if (type === undefined) throw damaged('its schema has a column without a type')
        const length = numberOf(element, 2) ?? 0
        if (type === 'FIXED_LEN_BYTE_ARRAY' && (length < 1 || length > 1024 * 1024))
          throw damaged('its schema is not valid')
        if (leaves.length === maxLeaves)
          throw new BrokenFile(`The file has more than ${maxLeaves.toLocaleString('en-US')} columns and members`)
        node.leaf = { type, length, at: leaves.length }
        leaves.push(node)
      }
      nodes.push(node)
    }
    return nodes
  }
  const [root] = elements
  at = 1
  const columns = nodesOf(numberOf(root, 5) ?? 0, { maxDefinition: 0, maxRepetition: 0 }, 1)
  if (at !== elements.length) throw damaged('its schema is not valid')
  return { columns, leaves }
}

const chunkOf = (column: ThriftStruct, bytes: number): Chunk => {
  const meta = structOf(column, 3)
  if (meta === undefined) throw new BrokenFile('The Parquet file is encrypted. Save it without encryption')
  if (column.get(1) !== undefined) throw new BrokenFile('The Parquet file refers to other files. Save it as one file')
  const codec = numberOf(meta, 4) ?? -1
  if (!knowsCodec(codec))
    throw new BrokenFile(`The Parquet file is compressed with a codec that can't be read (${codec})`)
  const data = numberOf(meta, 9) ?? -1
  const dictionary = numberOf(meta, 11) ?? 0
  // Some writers set the position of a missing dictionary to 0.
  const from = dictionary > 0 && dictionary < data ? dictionary : data
  const to = from + (numberOf(meta, 7) ?? -1)
  if (from < 4 || to < from || to > bytes) throw damaged('a column lies outside of the file')
  return { codec, from, to, values: numberOf(meta, 5) ?? -1 }
}

const rowGroupOf = (group: ThriftStruct, leaves: number, bytes: number): RowGroup => {
  const rows = numberOf(group, 3) ?? -1
  const columns = structsOf(group, 1)
  if (rows < 0 || columns.length !== leaves) throw damaged('a row group does not have all columns')
  return { rows, chunks: rows === 0 ? [] : columns.map((column) => chunkOf(column, bytes)) }
}

/** Fills the buffer from this position of the file on. Throws BrokenFile if the file is too short. */
export const readAt = (fd: number, buffer: Uint8Array, from: number): void => {
  for (let got = 0; got < buffer.length; ) {
    const count = readSync(fd, buffer, got, buffer.length - got, from + got)
    if (count === 0) throw damaged('it ends too soon')
    got += count
  }
}

/**
 * Reads the metadata of a Parquet file, and checks it against the size of the file. Throws BrokenFile for a file of
 * another format, and for impossible metadata.
 */
export const readFooter = (fd: number, size: number): ParquetFooter => {
  if (size === 0) throw new BrokenFile('The file is empty')
  const tail = new Uint8Array(8)
  if (size >= 12) readAt(fd, tail, size - 8)
  const magic = textOf(tail.subarray(4))
  if (magic === 'PARE') throw new BrokenFile('The Parquet file is encrypted. Save it without encryption')
  if (magic !== 'PAR1') throw new BrokenFile('The file is not a Parquet file, or is not whole')
  const length = new DataView(tail.buffer).getUint32(0, true)
  if (length > size - 12) throw damaged('its description cannot be read')
  if (length > footerBytes) throw new BrokenFile('The description of the Parquet file is larger than 64 MB')
  const bytes = new Uint8Array(length)
  readAt(fd, bytes, size - 8 - length)
  let footer: ThriftStruct
  try {
    footer = readThrift(bytes, 0).struct
  } catch (error) {
    throw error instanceof Truncated ? damaged('its description cannot be read') : error
  }
  const { columns, leaves } = schemaOf(structsOf(footer, 2))
  const rowGroups = structsOf(footer, 4).map((group) => rowGroupOf(group, leaves.length, size - 8 - length))
  const rows = rowGroups.reduce((sum, group) => sum + group.rows, 0)
  if (rows > maxRows) throw new BrokenFile(`The file has more than ${maxRows.toLocaleString('en-US')} rows`)
  return { columns, leaves, rowGroups, rows }
}
