import { noMetrics, silentLogger } from '@tributary/kernel'
import { createTestStores } from '@tributary/test-kit'
import { beforeEach, expect, it } from 'vitest'
import { defaultDeliverySettings } from '../settings.ts'
import { createAttemptLog } from './attempts.ts'

const { store } = await createTestStores()
const limits = { rows: 100, waitMs: 250, bufferRows: 1000, bufferBytes: 1024 * 1024 }
let now = 0

beforeEach(() => store.command('truncate table deliveries'))

const open = () =>
  createAttemptLog({
    eventStore: store,
    clock: () => now,
    logger: silentLogger,
    metrics: noMetrics,
    settings: { ...defaultDeliverySettings, attempts: limits },
  })

const attempt = (eventId: string, request = ''): Parameters<ReturnType<typeof open>['push']>[0] => ({
  workspaceId: crypto.randomUUID(),
  sourceId: crypto.randomUUID(),
  destinationId: crypto.randomUUID(),
  eventId,
  messageId: `m-${eventId}`,
  eventType: 'track',
  event: 'Order Completed',
  time: Date.now(),
  attempt: 1,
  status: 'delivered',
  httpStatus: 200,
  latencyMs: 1,
  reason: '',
  request,
  response: '',
  replayId: '',
  producer: '',
  operation: '',
  object: '',
  key: '',
  version: 0,
})

it.each([
  { rows: 9, after: 249, written: false, requestBytes: 0 },
  { rows: 9, after: 250, written: true, requestBytes: 0 },
  { rows: 100, after: 0, written: true, requestBytes: 0 },
  // A quarter of the buffer has 256 KiB.
  { rows: 31, after: 0, written: false, requestBytes: 8000 },
  { rows: 33, after: 0, written: true, requestBytes: 8000 },
])(
  '$rows rows with requests of $requestBytes bytes are written after $after ms: $written, and release their records then',
  async ({ rows, after, written, requestBytes }) => {
    now = 1_000_000
    const log = open()
    let released = 0
    for (let index = 0; index < rows; index++)
      log.push(attempt(String(index), 'x'.repeat(requestBytes)), { open: 1, finish: () => void released++ })
    now += after
    await log.flush()
    const found = await store.query<{ rows: string }>('select count() as rows from deliveries')
    expect(Number(found[0]?.rows)).toBe(written ? rows : 0)
    expect(released).toBe(written ? rows : 0)
  },
)
