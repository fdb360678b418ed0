import type { Metrics } from '@tributary/kernel'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { metricHelp } from './metric-help.ts'
import type { MetricChange } from './relayed-metrics.ts'

/** Upper bounds of the buckets of durations, seconds. */
const buckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

/**
 * How often the delay of the event loop is measured, ms; it is part of the measured values. The library's 10 ms would
 * wake an idle process a hundred times a second.
 */
const lookMs = 100

/**
 * Gauges of prom-client whose names end like those of counters. They are left out, because metrics without this ending
 * have the same values.
 */
const misnamed = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

export type ThreadMetrics = { apply(changes: readonly MetricChange[]): void; end(): void }

/**
 * Creates metrics in a separate Prometheus registry. Names are given without prefix (`collect_requests`) and appear as
 * `tributary_collect_requests_total`, gauges unchanged, durations as `…_seconds` histograms. The labels of a name are
 * fixed by its first use.
 */
export const createPrometheus = (): Metrics & {
  render(): Promise<string>
  /** Applies the metrics that one thread sends; `end` removes its gauges, which no thread updates any more. */
  relay(): ThreadMetrics
} => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tributary_', eventLoopMonitoringPrecision: lookMs })
  for (const name of misnamed) registry.removeSingleMetric(`tributary_${name}`)
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  const made = <T>(map: Map<string, T>, name: string, create: () => T): T => {
    const existing = map.get(name)
    if (existing !== undefined) return existing
    const created = create()
    map.set(name, created)
    return created
  }
  const metrics: Metrics = {
    count(name, by, labels = {}) {
      made(
        counters,
        name,
        () =>
          new Counter({
            name: `tributary_${name}_total`,
            help: metricHelp[name] ?? name,
            labelNames: Object.keys(labels),
            registers: [registry],
          }),
      ).inc(labels, by)
    },
    gauge(name, value, labels = {}) {
      made(
        gauges,
        name,
        () =>
          new Gauge({
            name: `tributary_${name}`,
            help: metricHelp[name] ?? name,
            labelNames: Object.keys(labels),
            registers: [registry],
          }),
      ).set(labels, value)
    },
    observe(name, ms, labels = {}) {
      made(
        histograms,
        name,
        () =>
          new Histogram({
            name: `tributary_${name}_seconds`,
            help: metricHelp[name] ?? name,
            labelNames: Object.keys(labels),
            buckets,
            registers: [registry],
          }),
      ).observe(labels, ms / 1000)
    },
  }
  return {
    ...metrics,
    render: () => registry.metrics(),
    relay() {
      const shown = new Map<string, Pick<MetricChange, 'name' | 'labels'>>()
      return {
        apply(changes) {
          for (const { kind, name, value, labels } of changes) {
            metrics[kind](name, value, labels)
            if (kind === 'gauge') shown.set(`${name} ${JSON.stringify(labels)}`, { name, labels })
          }
        },
        end() {
          for (const { name, labels } of shown.values()) gauges.get(name)?.remove(labels)
        },
      }
    },
  }
}
