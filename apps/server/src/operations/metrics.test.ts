import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { metricHelp } from './metric-help.ts'
import { createPrometheus } from './metrics.ts'
import { createRelayedMetrics } from './relayed-metrics.ts'

test('counts of a thread are added to the registry once', async () => {
  const registry = createPrometheus()
  const relay = createRelayedMetrics()
  relay.count('pipeline_events', 2, { outcome: 'accepted' })
  relay.count('pipeline_events', 3, { outcome: 'accepted' })
  relay.count('pipeline_events', 1, { outcome: 'rejected' })
  relay.gauge('pipeline_lag', 7)
  relay.observe('insert', 12)
  registry.relay().apply(relay.drain())
  registry.relay().apply(relay.drain())
  const text = await registry.render()
  expect(text).toContain('tributary_pipeline_events_total{outcome="accepted"} 5')
  expect(text).toContain('tributary_pipeline_events_total{outcome="rejected"} 1')
  expect(text).toContain('tributary_pipeline_lag 7')
  expect(text).toContain('tributary_insert_seconds_count 1')
  expect(text).toContain('tributary_insert_seconds_sum 0.012')
})

test('a thread sends a gauge again only if its value has changed', () => {
  const relay = createRelayedMetrics()
  const drained = (value: number): unknown[] => {
    relay.gauge('pipeline_lag', value)
    return relay.drain().map((change) => change.value)
  }
  expect([7, 7, 8, 8, 7].map(drained)).toEqual([[7], [], [8], [], [7]])
})

const repository = join(import.meta.dirname, '../../../..')

/** The metrics that the product's code reports, as `kind name`. */
const counted = (): { kind: string; name: string }[] =>
  globSync(['packages/*/src/**/*.ts', 'apps/server/src/*/*/*.ts'], { cwd: repository }).flatMap((file) =>
    [...readFileSync(join(repository, file), 'utf8').matchAll(/metrics\.(count|gauge|observe)\('(\w+)'/g)].map(
      ([, kind = '', name = '']) => ({ kind, name }),
    ),
  )

/** The metrics page with every metric of the product. */
const everyMetric = async (): Promise<string> => {
  const registry = createPrometheus()
  for (const { kind, name } of counted()) {
    if (kind === 'count') registry.count(name, 1)
    else if (kind === 'gauge') registry.gauge(name, 1)
    else registry.observe(name, 1)
  }
  return await registry.render()
}

test('every metric has a description, and every description has a metric', () => {
  expect([...new Set(counted().map(({ name }) => name))].sort()).toEqual(Object.keys(metricHelp).sort())
})

test('metrics follow the rules of Prometheus: help and type, base units, _total on counters only', async () => {
  const text = await everyMetric()
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const described = new Set([...text.matchAll(/^# HELP (\w+) \S/gm)].map(([, name]) => name))
  expect(types.size).toBeGreaterThan(60)
  for (const [name, type] of types) {
    expect(described.has(name), `${name} has a help text`).toBe(true)
    expect(name.endsWith('_total'), `${name} is a ${type}`).toBe(type === 'counter')
    expect(name).not.toMatch(
      /_(ms|milliseconds|microseconds|nanoseconds|minutes|hours|days|kilobytes|megabytes|mb|kb)(_|$)/,
    )
    expect(name).not.toMatch(/_(bucket|count|sum)$|[A-Z]|_(counter|gauge|histogram)$/)
  }
  for (const [, sample = ''] of text.matchAll(/^(\w+)[{ ]/gm))
    expect(types.has(sample) || types.has(sample.replace(/_(bucket|count|sum)$/, '')), sample).toBe(true)
})

test('the documentation names only metrics that exist', async () => {
  const names = new Set([...(await everyMetric()).matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name))
  const pages = globSync(['docs/**/*.md', '*.md'], { cwd: repository }).map((file) =>
    readFileSync(join(repository, file), 'utf8'),
  )
  const named = pages.flatMap((page) => [...page.matchAll(/`(tributary_[\w*]+)/g)].map(([, name = '']) => name))
  expect(named.length).toBeGreaterThan(8)
  // These names are cookies of the tag, a schema of the database, and tables in warehouses.
  for (const other of ['tributary_id', 'tributary_consent', 'tributary_rewrite', 'tributary_stage', 'tributary_lock'])
    names.add(other)
  for (const name of new Set(named)) expect(names.has(name), name).toBe(true)
})

test('gauges of an ended thread are removed; its counters and the gauges of others stay', async () => {
  const registry = createPrometheus()
  const [one, two] = [registry.relay(), registry.relay()]
  const of = (group: string) => ({ group })
  one.apply([
    { kind: 'gauge', name: 'pipeline_lag_records', value: 7, labels: of('1') },
    { kind: 'count', name: 'pipeline_events', value: 3, labels: {} },
  ])
  two.apply([{ kind: 'gauge', name: 'pipeline_lag_records', value: 8, labels: of('2') }])
  one.end()
  const text = await registry.render()
  expect(text).not.toContain('tributary_pipeline_lag_records{group="1"}')
  expect(text).toContain('tributary_pipeline_lag_records{group="2"} 8')
  expect(text).toContain('tributary_pipeline_events_total 3')
})
