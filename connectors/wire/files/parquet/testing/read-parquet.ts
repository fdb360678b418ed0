// Reads a Parquet file, and prints its content or the error message, and the number of bytes by which the memory of the
// process grew.
import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { BrokenFile } from '../../broken-file.ts'
import { readParquet, scanParquet } from '../rows.ts'

/** Returns a figure about the memory of this process, in bytes. */
const memory = (name: 'VmHWM' | 'VmRSS'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024

const [path = ''] = process.argv.slice(2)
const { size } = statSync(path)
const fd = openSync(path, 'r')
const before = memory('VmRSS')
// Resets the peak of memory use (proc(5)).
writeFileSync('/proc/self/clear_refs', '5')

let result: { rows: number; first: (string | null)[] | undefined } | { refused: string }
try {
  const { rows } = scanParquet(fd, size)
  let first: (string | null)[] | undefined
  let read = 0
  for (const some of readParquet(fd, size)) {
    first ??= some[0]
    read += some.length
  }
  if (read !== rows) throw new Error(`${read} of ${rows} rows were read`)
  result = { rows, first }
} catch (error) {
  if (!(error instanceof BrokenFile)) throw error
  result = { refused: error.message }
}
process.stdout.write(JSON.stringify({ ...result, grownBytes: memory('VmHWM') - before }))
