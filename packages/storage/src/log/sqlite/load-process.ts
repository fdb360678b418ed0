// A process that appends until it is ended, and prints its process ID and each acknowledgement. Tests kill it, fill its
// disk or make its syncs fail. Arguments: folder, callers, seed, maximum bytes of a body, and optionally `inline`.

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

/** Writes directly to the pipe, so that no acknowledgement waits in a buffer. */
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
      // Retries a failing disk after a pause.
      await pause(20)
    }
  }
}
say(`ready ${process.pid}`)
await Promise.all(Array.from({ length: Number(callers) }, (_, caller) => call(caller)))
