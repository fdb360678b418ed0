// A process that appends without end, prints its process id and each acknowledgement, for tests that kill it, fill its disk or break
// its syncs. Arguments: folder, callers, seed, bytes of a body at most, and optionally `inline`.

import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyOf } from './load-body.ts'
import { openLogWriter } from './writer.ts'

const [dir = '', callers = '16', seed = '1', maxBytes = '4000', where = 'worker'] = process.argv.slice(2)
const writer = await openLogWriter({
  dir,
  partitions: 8,
  inline: where === 'inline',
  segmentBytes: 1_500_000,
})
let sequence = 0

/** Straight to the pipe: what is printed was acknowledged, and nothing acknowledged waits in a buffer. */
const say = (line: string): void => {
  const bytes = Buffer.from(`${line}\n`)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

const call = async (caller: number): Promise<void> => {
  for (;;) {
    const id = `${seed}-${caller}-${sequence++}`
    try {
      const { partition, offset } = await writer.append({
        key: `key${caller}`,
        meta: id,
        body: bodyOf(id, Number(maxBytes)),
      })
      say(`ack ${partition} ${offset} ${id}`)
    } catch (error) {
      say(`no ${id} ${error instanceof Error ? error.name : String(error)}`)
      // Tries a refusing disk again at a bearable pace.
      await pause(20)
    }
  }
}
say(`ready ${process.pid}`)
await Promise.all(Array.from({ length: Number(callers) }, (_, caller) => call(caller)))
