import { createTestEventStore, startSharedEventStore } from '@tributary/test-kit'
import { median } from './harness.ts'
import { sampleEvent } from './load-body.ts'

const rowsPerInsert = 10_000

/** One row of the table `events` with the columns the pipeline writes for an event of the load generator, as a line of NDJSON. */
const row = (batch: number, index: number): string => {
  const messageId = `direct.${batch}.${index}`
  const event = sampleEvent(messageId)
  const now = Date.now()
  return JSON.stringify({
    workspace_id: '0190b5b0-5b7a-7000-8000-000000000000',
    source_id: '0190b5b0-5b7a-7000-8000-000000000001',
    receive_time: now,
    event_id: `0-${batch}-${index}`,
    status: 'accepted',
    message_id: messageId,
    type: 'track',
    event: event.event,
    user_id: event.userId,
    anonymous_id: event.anonymousId,
    ip: '127.0.0.1',
    timestamp: now,
    original_timestamp: now,
    sent_at: now,
    properties: event.properties,
    context: event.context,
    original: JSON.stringify(event),
  })
}

/**
 * Rows a second that one client inserts into the table `events` of an event store of its own: 10,000 a batch, one batch
 * after the other, the same columns and syncs as the pipeline's. Making the rows is not counted.
 */
export const measureDirectInsert = async (seconds: number): Promise<number> => {
  await using shared = await startSharedEventStore()
  await using store = await createTestEventStore(shared.url)
  const rates: number[] = []
  let spent = 0
  for (let batch = 0; spent < seconds * 1000; batch++) {
    const text = `${Array.from({ length: rowsPerInsert }, (_, index) => row(batch, index)).join('\n')}\n`
    const began = performance.now()
    await store.insert('events', text, { token: `direct:${batch}` })
    const took = performance.now() - began
    spent += took
    // The first ones meet a cold engine.
    if (batch >= 2) rates.push((rowsPerInsert / took) * 1000)
  }
  return median(rates)
}
