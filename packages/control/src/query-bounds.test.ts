import { newId, silentLogger } from '@tributary/kernel'
import { createClickHouseEventStore, EventStoreBusy } from '@tributary/storage'
import { createTestEventStore } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { asApiError } from './failures.ts'
import { startControl, startOrganization } from './testing/control-harness.ts'

test('a query that reads more than it may is refused with what to narrow', async () => {
  await using own = await createTestEventStore()
  const limits = { seconds: 20, readBytes: 1 }
  const eventStore = createClickHouseEventStore({
    url: own.url,
    limits: { short: limits, heavy: limits },
    logger: silentLogger,
  })
  await using harness = await startControl({ eventStore })
  const { administrator, workspaceId } = await startOrganization(harness)
  const call = () => administrator.call('GET', `/workspaces/${workspaceId}/events`)
  expect((await call()).status).toBe(200)
  const row = {
    workspace_id: workspaceId,
    source_id: newId(),
    event_id: '1-2-3',
    type: 'track',
    event: 'Bought',
    status: 'accepted',
    receive_time: harness.now() - 1000,
    timestamp: harness.now() - 1000,
  }
  await own.insert('events', JSON.stringify(row), { token: newId() })
  expect(await call()).toMatchObject({
    status: 400,
    body: {
      reason: 'QUERY_TOO_LARGE',
      message: 'This query reads too many events. Choose a shorter time range, one source, or one event name',
    },
  })
  await eventStore.close()
})

test('a workspace whose own queries are in its way is answered 429 and when to try again', () => {
  expect(asApiError(new EventStoreBusy('full'))).toMatchObject({
    code: 429,
    reason: 'WORKSPACE_BUSY',
    message: 'This workspace has too many queries running. Try again in a moment',
    metadata: { retry_after: '2' },
  })
})
