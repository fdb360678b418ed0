import { type OutboundOutcome, outcomesOf } from '@tributary/contract'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { type LogEntry, LogUnavailable } from '@tributary/storage'
import { expect, it } from 'vitest'
import { createOutcomeLog } from './outcome-log.ts'

const outcome = (recordId: string): OutboundOutcome => ({
  recordId,
  destinationId: 'd',
  status: 'delivered',
  reason: '',
  time: 1,
})

it('outcomes that the log refuses are settled only after they were appended, and before later outcomes', async () => {
  const appended: LogEntry[] = []
  let now = 0
  let refuses = true
  const log = createOutcomeLog({
    log: {
      appendGroup: async (entries) => {
        if (refuses) throw new LogUnavailable(new Error('full'))
        return { partition: 0, offset: appended.push(...entries) - entries.length }
      },
    },
    clock: () => now,
    logger: silentLogger,
    metrics: noMetrics,
  })
  const settled: string[] = []
  const push = (producer: string, id: string): void =>
    log.push(producer, outcome(id), () => {
      settled.push(id)
    })
  push('p', '1')
  await log.flush()
  push('p', '2')
  push('q', '3')
  refuses = false
  // After a failed append, the log pauses.
  await log.flush()
  expect([appended, settled, log.buffered()]).toEqual([[], [], 3])
  now = 1000
  await log.flush()
  expect(settled).toEqual(['1', '2', '3'])
  expect(log.buffered()).toBe(0)
  expect(appended.map(({ key }) => key)).toEqual(['p', 'q'])
  const reported = appended.flatMap(({ body }, offset) => outcomesOf({ offset, body }))
  expect(reported.map(({ recordId }) => recordId)).toEqual(['1', '2', '3'])
  expect(reported.map(({ version }) => version)).toEqual(
    reported.map(({ version }) => version).toSorted((a, b) => a - b),
  )
})
