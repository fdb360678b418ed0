/**
 * Bloom filters of the same size, stored together. A filter may report a hash that it does not have (about 1 in 1,000),
 * but never misses one that it has. Members are hashes of 16 bytes.
 */
export type FilterBank = {
  /** Creates a filter, empty or from the result of `bytesOf`; returns its number. Throws for bytes of another size. */
  begin(bytes?: Uint8Array): number
  /** Removes a filter; its number may be used again. */
  end(filter: number): void
  add(filter: number, hash: Uint8Array): void
  mayHold(filter: number, hash: Uint8Array): boolean
  /** Whether any of the filters may have the hash. */
  mayAnyHold(hash: Uint8Array): boolean
  /** Returns the content of a filter in new memory. */
  bytesOf(filter: number): Uint8Array
  /** Bytes of one filter. */
  readonly filterBytes: number
}

const blockBits = 512
const probes = 6
/** Filters that share memory, with one bit of each byte per filter. */
const together = 8

const word = (hash: Uint8Array, at: number): number =>
  ((hash[at] ?? 0) | ((hash[at + 1] ?? 0) << 8) | ((hash[at + 2] ?? 0) << 16) | ((hash[at + 3] ?? 0) << 24)) >>> 0

/**
 * Creates a bank of filters for this many members each: 16 bits per member, in a power of two of blocks of 512 bits. A
 * hash has the same positions in all filters, and eight filters share the byte of a position. With 128 filters of
 * 250,000 members, checking all of them takes 5 µs; checking one after the other took 22 µs.
 */
export const createFilterBank = (members: number): FilterBank => {
  const blocks = 2 ** Math.ceil(Math.log2(Math.max(1, (members * 16) / blockBits)))
  const filterBytes = (blocks * blockBits) / 8
  const rows: { bits: Uint8Array; taken: number }[] = []
  /** The positions of the last hash. */
  const places = new Uint32Array(probes)
  const locate = (hash: Uint8Array): void => {
    const start = (word(hash, 0) & (blocks - 1)) * blockBits
    let rest = word(hash, 4)
    let more = word(hash, 8)
    for (let probe = 0; probe < probes; probe++) {
      places[probe] = start + (rest & (blockBits - 1))
      rest = (rest >>> 9) | ((more & 0x1ff) << 23)
      more >>>= 9
    }
  }
  /** Returns which filters of a row have all positions of the last hash set, one bit each. */
  const holders = (bits: Uint8Array): number => {
    let holding = 2 ** together - 1
    for (let probe = 0; probe < probes && holding !== 0; probe++) holding &= bits[places[probe] ?? 0] ?? 0
    return holding
  }
  const rowOf = (filter: number): { bits: Uint8Array; taken: number } => {
    const row = rows[Math.floor(filter / together)]
    if (row === undefined) throw new RangeError('There is no such filter')
    return row
  }
  const maskOf = (filter: number): number => 1 << (filter % together)

  return {
    filterBytes,
    begin(bytes) {
      if (bytes !== undefined && bytes.length !== filterBytes) throw new RangeError('A filter of another size')
      let at = rows.findIndex(({ taken }) => taken !== 2 ** together - 1)
      if (at === -1) at = rows.push({ bits: new Uint8Array(blocks * blockBits), taken: 0 }) - 1
      const row = rows[at] as { bits: Uint8Array; taken: number }
      let filter = at * together
      while ((row.taken & maskOf(filter)) !== 0) filter++
      row.taken |= maskOf(filter)
      if (bytes === undefined) return filter
      const mask = maskOf(filter)
      for (let place = 0; place < row.bits.length; place++)
        if (((bytes[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0) row.bits[place] = (row.bits[place] ?? 0) | mask
      return filter
    },
    end(filter) {
      const row = rowOf(filter)
      const others = ~maskOf(filter)
      row.taken &= others
      for (let place = 0; place < row.bits.length; place++) row.bits[place] = (row.bits[place] ?? 0) & others
      // Memory is freed from the end only, so that the numbers of other filters stay.
      while (rows.at(-1)?.taken === 0) rows.pop()
    },
    add(filter, hash) {
      const { bits } = rowOf(filter)
      const mask = maskOf(filter)
      locate(hash)
      for (const place of places) bits[place] = (bits[place] ?? 0) | mask
    },
    mayHold(filter, hash) {
      locate(hash)
      return (holders(rowOf(filter).bits) & maskOf(filter)) !== 0
    },
    mayAnyHold(hash) {
      locate(hash)
      for (const { bits } of rows) if (holders(bits) !== 0) return true
      return false
    },
    bytesOf(filter) {
      const { bits } = rowOf(filter)
      const shift = filter % together
      const bytes = new Uint8Array(filterBytes)
      for (let place = 0; place < bits.length; place++) {
        const set = ((bits[place] ?? 0) >>> shift) & 1
        bytes[place >>> 3] = (bytes[place >>> 3] ?? 0) | (set << (place & 7))
      }
      return bytes
    },
  }
}
