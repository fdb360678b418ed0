import { hash } from 'node:crypto'
import { BrokenFile } from './broken-file.ts'
import type { FileRow } from './csv.ts'

/** Maximum number of counted keys; each takes eight bytes. */
const maxKeys = 20_000_000

const hashOf = (values: readonly string[]): bigint => hash('md5', JSON.stringify(values), 'buffer').readBigUInt64LE()

/**
 * Creates a counter of rows, rows with a null in the key, and repeated keys. It stores 64 bits of a hash of each key.
 */
export const createKeyCount = (places: readonly number[]) => {
  let hashes = new BigUint64Array(1 << 16)
  let kept = 0
  let rows = 0
  return {
    add(row: FileRow): void {
      rows++
      const values: string[] = []
      for (const at of places) {
        const value = row[at] ?? null
        if (value === null) return
        values.push(value)
      }
      if (kept === maxKeys)
        throw new BrokenFile(`Keys of more than ${maxKeys.toLocaleString('en-US')} rows can't be checked`)
      if (kept === hashes.length) {
        const more = new BigUint64Array(Math.min(maxKeys, hashes.length * 2))
        more.set(hashes)
        hashes = more
      }
      hashes[kept++] = hashOf(values)
    },
    result() {
      const sorted = hashes.subarray(0, kept).toSorted()
      let keys = 0
      let duplicates = 0
      for (let at = 0; at < kept; ) {
        let end = at + 1
        while (end < kept && sorted[end] === sorted[at]) end++
        if (end - at > 1) {
          keys++
          duplicates += end - at
        }
        at = end
      }
      return { rows, null_rows: rows - kept, duplicate_keys: keys, duplicate_rows: duplicates }
    },
  }
}
