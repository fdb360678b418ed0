import { expect, test } from 'vitest'
import { defaultPipelineSettings, insertSizesFor } from './settings.ts'

const MiB = 1024 * 1024

test.each([512, 1024, 1536, 2048, 4096])(
  "all concurrent inserts together, at their maximum size, use at most two thirds of the event store's %i MiB",
  (memory) => {
    const { batchBytes, flushBytes } = insertSizesFor(memory * MiB)
    const { concurrentInserts } = defaultPipelineSettings
    expect(concurrentInserts * 2 * batchBytes * 5).toBeLessThanOrEqual((memory * MiB * 2) / 3)
    expect(flushBytes).toBeLessThan(batchBytes)
    expect(flushBytes).toBeGreaterThanOrEqual(8 * MiB)
  },
)

test('an event store with enough memory gets inserts of the default size', () => {
  const { batchBytes, flushBytes } = defaultPipelineSettings
  for (const memory of [1536, 4096, 65_536]) expect(insertSizesFor(memory * MiB)).toEqual({ batchBytes, flushBytes })
})
