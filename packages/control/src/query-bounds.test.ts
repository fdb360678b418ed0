import { newId, silentLogger } from '@tributary/kernel'
import { createClickHouseEventStore } from '@tributary/storage'
import { createTestEventStore } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { startControl, startOrganization } from './testing/control-harness.ts'

test('a query that reads more than its limit is refused with advice on how to narrow it', async () => {
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
