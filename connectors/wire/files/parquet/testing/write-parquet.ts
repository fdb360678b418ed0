/** A struct of Thrift's compact protocol, by the numbers of its members; lists are of structs. */
type Struct = { [id: number]: number | bigint | boolean | string | Uint8Array | readonly Struct[] | Struct }

const varint = (given: bigint): number[] => {
  const bytes: number[] = []
  let value = BigInt.asUintN(64, given)
  for (; value >= 0x80n; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80)
  return [...bytes, Number(value)]
}
const zigzag = (value: bigint): number[] => varint(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)))

/** Returns the bytes of a struct. Numbers have 32 bits, bigints 64. */
const thrift = (struct: Struct): number[] => {
  const bytes: number[] = []
  let before = 0
  for (const [key, value] of Object.entries(struct)) {
    const id = Number(key)
    const head = (kind: number): void => void bytes.push(((id - before) << 4) | kind)
    if (typeof value === 'boolean') head(value ? 1 : 2)
    else if (typeof value === 'number') {
      head(5)
      bytes.push(...zigzag(BigInt(value)))
    } else if (typeof value === 'bigint') {
      head(6)
      bytes.push(...zigzag(value))
    } else if (typeof value === 'string' || value instanceof Uint8Array) {
      head(8)
      const text = Buffer.from(value)
      bytes.push(...varint(BigInt(text.length)), ...text)
    } else if (Array.isArray(value)) {
      head(9)
      bytes.push(0xfc, ...varint(BigInt(value.length)))
      for (const each of value as readonly Struct[]) bytes.push(...thrift(each))
    } else {
      head(12)
      bytes.push(...thrift(value as Struct))
    }
    before = id
  }
  return [...bytes, 0]
}

/** A page of the file, correct or not. */
export type WrittenPage = { values: number; size?: number; packed?: Uint8Array; encoding?: number; head?: Struct }
/** A leaf of the schema, and its pages in the only row group. `repetition`: 0 required, 1 optional, 2 repeated. */
export type WrittenColumn = {
  name: string
  type: number
  repetition?: number
  converted?: number
  codec?: number
  /** Number of repeated groups around the leaf, one inside another. */
  groups?: number
  pages: readonly WrittenPage[]
  values?: bigint
  /** Metadata fields that replace the true ones. */
  meta?: Struct
}

/** Returns a Parquet file with exactly the given content, so that a test can make any part of it wrong. */
export const writeParquet = (rows: bigint, columns: readonly WrittenColumn[]): Uint8Array => {
  const parts: Uint8Array[] = [Buffer.from('PAR1')]
  let at = 4
  const chunks = columns.map((column): Struct => {
    const from = at
    for (const { values, size, packed = new Uint8Array(), encoding = 0, head = {} } of column.pages) {
      const about = { 1: values, 2: encoding, 3: 3, 4: 3 }
      const page = Buffer.from([
        ...thrift({ 1: 0, 2: size ?? packed.length, 3: packed.length, 5: about, ...head }),
        ...packed,
      ])
      parts.push(page)
      at += page.length
    }
    const values = column.values ?? BigInt(column.pages.reduce((sum, page) => sum + page.values, 0))
    const meta = { 1: column.type, 4: column.codec ?? 0, 5: values, 6: 0n, 7: BigInt(at - from), 9: BigInt(from) }
    return { 2: 0n, 3: { ...meta, ...column.meta } }
  })
  const schema: Struct[] = [
    { 4: 'schema', 5: columns.length },
    ...columns.flatMap(({ name, type, repetition = 0, converted, groups = 0 }): Struct[] => [
      ...Array.from({ length: groups }, (): Struct => ({ 3: 2, 4: name, 5: 1 })),
      converted === undefined ? { 1: type, 3: repetition, 4: name } : { 1: type, 3: repetition, 4: name, 6: converted },
    ]),
  ]
  const footer = Buffer.from(thrift({ 1: 1, 2: schema, 3: rows, 4: [{ 1: chunks, 2: 0n, 3: rows }] }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  return Buffer.concat([...parts, footer, length, Buffer.from('PAR1')])
}
