import { expect, test } from 'vitest'
import { createPrometheus, createRelayedMetrics } from './metrics.ts'

test('what a thread counted arrives in the registry once', async () => {
  const registry = createPrometheus()
  const relay = createRelayedMetrics()
  relay.count('pipeline_events', 2, { outcome: 'accepted' })
  relay.count('pipeline_events', 3, { outcome: 'accepted' })
  relay.count('pipeline_events', 1, { outcome: 'rejected' })
  relay.gauge('pipeline_lag', 7)
  relay.observe('insert', 12)
  registry.apply(relay.drain())
  registry.apply(relay.drain())
  const text = await registry.render()
  expect(text).toContain('tributary_pipeline_events_total{outcome="accepted"} 5')
  expect(text).toContain('tributary_pipeline_events_total{outcome="rejected"} 1')
  expect(text).toContain('tributary_pipeline_lag 7')
  expect(text).toContain('tributary_insert_milliseconds_count 1')
})
