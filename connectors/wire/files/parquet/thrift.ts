import { BrokenFile } from '../broken-file.ts'

export type ThriftStruct = ReadonlyMap<number, ThriftValue>
export type ThriftValue = boolean | number | bigint | Uint8Array | readonly ThriftValue[] | ThriftStruct

/** Maximum depth of nested structs. Parquet needs only a few levels. */
const deepest = 32

const broken = (): BrokenFile => new BrokenFile('The Parquet file is damaged: its description cannot be read')

/** Thrown if the bytes end before the struct is complete. */
export class Truncated extends Error {
  override readonly name = 'Truncated'
}

/**
 * Reads a struct of Thrift's compact protocol that begins at `start`, and returns its end. Bytes are views. Throws
 * Truncated if the bytes end too early, and BrokenFile for an invalid struct.
 */
export const readThrift = (bytes: Uint8Array, start: number): { struct: ThriftStruct; end: number } => {
  let at = start

  const byte = (): number => {
    const value = bytes[at++]
    if (value === undefined) throw new Truncated()
    return value
  }
  const unsigned = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const next = byte()
      value |= BigInt(next & 0x7f) << shift
      if (next < 0x80) return value
    }
    throw broken()
  }
  const length = (): number => {
    const value = unsigned()
    if (value > BigInt(bytes.length - at)) throw new Truncated()
    return Number(value)
  }
  const signed = (): bigint => {
    const value = unsigned()
    return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n))
  }
  const small = (): number => Number(BigInt.asIntN(32, signed()))

  const list = (depth: number): ThriftValue[] => {
    if (depth > deepest) throw broken()
    const head = byte()
    const size = head >> 4
    const kind = head & 0x0f
    // Each element takes at least a byte, so a list that is longer than the remaining bytes is truncated or broken.
    const count = size === 15 ? length() : size
    const isFlags = kind === 1 || kind === 2
    // The list grows with the elements that are read, because a file may claim more elements than the memory can hold.
    const values: ThriftValue[] = []
    while (values.length < count) values.push(isFlags ? byte() === 1 : value(kind, depth))
    return values
  }
  const value = (kind: number, depth: number): ThriftValue => {
    switch (kind) {
      case 1:
      case 2:
        return kind === 1
      case 3:
        return (byte() << 24) >> 24
      case 4:
      case 5:
        return small()
      case 6:
        return signed()
      case 7:
        at += 8
        return 0
      case 8: {
        const size = length()
        at += size
        return bytes.subarray(at - size, at)
      }
      case 9:
      case 10:
        return list(depth + 1)
      case 12:
        return struct(depth + 1)
      default:
        throw broken()
    }
  }
  const struct = (depth: number): ThriftStruct => {
    if (depth > deepest) throw broken()
    const fields = new Map<number, ThriftValue>()
    for (let id = 0; ; ) {
      const head = byte()
      if (head === 0) return fields
      const step = head >> 4
      id = step === 0 ? small() : id + step
      fields.set(id, value(head & 0x0f, depth))
    }
  }

  return { struct: struct(0), end: at }
}

/** Returns a member that is a number; undefined if it is missing or not an exact number. */
export const numberOf = (struct: ThriftStruct | undefined, id: number): number | undefined => {
  const value = struct?.get(id)
  const found = typeof value === 'bigint' ? Number(value) : value
  return typeof found === 'number' && Number.isSafeInteger(found) ? found : undefined
}

/** Returns a member that is a struct; undefined if it is missing. */
export const structOf = (struct: ThriftStruct | undefined, id: number): ThriftStruct | undefined => {
  const value = struct?.get(id)
  return value instanceof Map ? value : undefined
}

/** Returns a member that is a list of structs; empty if it is missing. */
export const structsOf = (struct: ThriftStruct, id: number): ThriftStruct[] => {
  const value = struct.get(id)
  return Array.isArray(value) ? value.filter((each) => each instanceof Map) : []
}
