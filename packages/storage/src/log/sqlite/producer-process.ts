// A process that appends groups as a producer until it is killed, each sequence twice, for tests. Argument: folder.
import { openLogWriter } from './writer.ts'

const [dir = ''] = process.argv.slice(2)
const writer = await openLogWriter({ dir, partitions: 4, inline: true, segmentBytes: 30_000 })
const epoch = await writer.beginEpoch('p')
const [last] = await writer.lastSequences('p')
for (let sequence = (last?.sequence ?? 0) + 1; ; sequence++) {
  const entries = Array.from({ length: 1 + (sequence % 3) }, (_, index) => ({
    key: 'k',
    meta: `${sequence} ${index}`,
    body: Buffer.alloc(100),
  }))
  await Promise.all([1, 2].map(() => writer.appendGroup(entries, { producer: 'p', epoch, sequence })))
  process.stdout.write(`${sequence}\n`)
}
