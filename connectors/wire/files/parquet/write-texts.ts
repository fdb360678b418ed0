import { gzipSync } from 'node:zlib'

/** A struct of Thrift's compact protocol, by the numbers of its members; numbers are of 32 bits, bigints of 64. */
type Struct = { readonly [id: number]: Member }
type Member = number | bigint | string | Struct | readonly number[] | readonly string[] | readonly Struct[]

const varint = (given: bigint): number[] => {
  const bytes: number[] = []
  let value = BigInt.asUintN(64, given)
  for (; value >= 0x80n; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80)
  return [...bytes, Number(value)]
}
const zigzag = (value: bigint): number[] => varint((value << 1n) ^ (value >> 63n))

/** Kinds of members (github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). */
const kinds = { int32: 5, int64: 6, text: 8, list: 9, struct: 12 } as const

const encoded = (member: Member): { kind: number; bytes: number[] } => {
  if (typeof member === 'number') return { kind: kinds.int32, bytes: zigzag(BigInt(member)) }
  if (typeof member === 'bigint') return { kind: kinds.int64, bytes: zigzag(member) }
  if (typeof member === 'string') {
    const text = Buffer.from(member)
    return { kind: kinds.text, bytes: [...varint(BigInt(text.length)), ...text] }
  }
  if (!Array.isArray(member)) return { kind: kinds.struct, bytes: structBytes(member as Struct) }
  const elements = (member as readonly Member[]).map(encoded)
  const kind = elements[0]?.kind ?? kinds.struct
  const size =
    elements.length < 15 ? [(elements.length << 4) | kind] : [0xf0 | kind, ...varint(BigInt(elements.length))]
  return { kind: kinds.list, bytes: [...size, ...elements.flatMap(({ bytes }) => bytes)] }
}

const structBytes = (struct: Struct): number[] => {
  const all: number[] = []
  let before = 0
  for (const [name, member] of Object.entries(struct)) {
    const id = Number(name)
    const { kind, bytes } = encoded(member)
    all.push(((id - before) << 4) | kind, ...bytes)
    before = id
  }
  return [...all, 0]
}

/** Which of the values are there, as a bit each in groups of eight, behind their length (Parquet, "RLE/Bit-Packing Hybrid"). */
const presence = (values: readonly (string | null)[]): Buffer => {
  const groups = Math.ceil(values.length / 8)
  const bits = Buffer.alloc(groups)
  for (const [index, value] of values.entries())
    if (value !== null) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
  const head = varint((BigInt(groups) << 1n) | 1n)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length + groups)
  return Buffer.concat([length, Buffer.from(head), bits])
}

/** Values without what is null, each behind its length (PLAIN of BYTE_ARRAY). */
const plain = (values: readonly (string | null)[]): Buffer => {
  const texts = values.filter((value) => value !== null).map((value) => Buffer.from(value))
  const all = Buffer.alloc(texts.reduce((sum, { length }) => sum + 4 + length, 0))
  let at = 0
  for (const text of texts) {
    at = all.writeUInt32LE(text.length, at)
    at += text.copy(all, at)
  }
  return all
}

const magic = Buffer.from('PAR1')
const codecs = { none: 0, gzip: 2 } as const

/**
 * A Parquet file of texts, in one row group with a page for each column (parquet.apache.org/docs/file-format). Each column has as many
 * values as there are rows; null is none.
 */
export const writeTexts = (
  columns: readonly { name: string; values: readonly (string | null)[] }[],
  compression: keyof typeof codecs,
): Uint8Array => {
  const rows = columns[0]?.values.length ?? 0
  const parts: Uint8Array[] = [magic]
  let at = magic.length
  const chunks = columns.map(({ name, values }): { size: bigint; chunk: Struct } => {
    const whole = Buffer.concat([presence(values), plain(values)])
    const packed = compression === 'gzip' ? gzipSync(whole) : whole
    const head = Buffer.from(
      structBytes({ 1: 0, 2: whole.length, 3: packed.length, 5: { 1: values.length, 2: 0, 3: 3, 4: 3 } }),
    )
    const from = at
    parts.push(head, packed)
    at += head.length + packed.length
    const size = BigInt(head.length + whole.length)
    const meta: Struct = {
      1: 6,
      2: [0, 3],
      3: [name],
      4: codecs[compression],
      5: BigInt(values.length),
      6: size,
      7: BigInt(at - from),
      9: BigInt(from),
    }
    return { size, chunk: { 2: BigInt(from), 3: meta } }
  })
  const schema: Struct[] = [
    { 4: 'schema', 5: columns.length },
    ...columns.map(({ name }): Struct => ({ 1: 6, 3: 1, 4: name, 6: 0, 10: { 1: {} } })),
  ]
  const group: Struct = {
    1: chunks.map(({ chunk }) => chunk),
    2: chunks.reduce((sum, { size }) => sum + size, 0n),
    3: BigInt(rows),
  }
  const footer = Buffer.from(structBytes({ 1: 1, 2: schema, 3: BigInt(rows), 4: [group], 6: 'Tributary' }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  return Buffer.concat([...parts, footer, length, magic])
}
