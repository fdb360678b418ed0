import type { Metrics } from '@tributary/kernel'

/** A change of a metric, as sent by a worker thread. */
export type MetricChange = {
  kind: 'count' | 'gauge' | 'observe'
  name: string
  value: number
  labels: Record<string, string>
}

/**
 * Metrics of a worker thread: counters are summed, and gauges kept, until `drain`. It returns a gauge only if its value
 * has changed. The thread sends the drained changes to the main thread about once a second. Gauges get the labels of `gaugeLabels`. At most `maxObservations` durations
 * are kept between two drains.
 */
export const createRelayedMetrics = (
  gaugeLabels: Record<string, string> = {},
  maxObservations = 2000,
): Metrics & { drain(): MetricChange[] } => {
  let sums = new Map<string, MetricChange>()
  let observations: MetricChange[] = []
  /** The values of gauges that `drain` has returned. */
  const sent = new Map<string, number>()
  const key = (name: string, labels: Record<string, string>): string => `${name} ${JSON.stringify(labels)}`
  return {
    count(name, by, labels = {}) {
      const at = key(name, labels)
      const change = sums.get(at)
      if (change === undefined) sums.set(at, { kind: 'count', name, value: by, labels })
      else change.value += by
    },
    gauge(name, value, own = {}) {
      const labels = { ...own, ...gaugeLabels }
      sums.set(key(name, labels), { kind: 'gauge', name, value, labels })
    },
    observe(name, ms, labels = {}) {
      if (observations.length < maxObservations) observations.push({ kind: 'observe', name, value: ms, labels })
    },
    drain() {
      const news = [...sums].filter(([at, { kind, value }]) => kind !== 'gauge' || sent.get(at) !== value)
      for (const [at, { kind, value }] of news) if (kind === 'gauge') sent.set(at, value)
      const changes = [...news.map(([, change]) => change), ...observations]
      sums = new Map()
      observations = []
      return changes
    },
  }
}
