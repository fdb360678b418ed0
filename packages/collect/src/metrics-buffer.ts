import type { Metrics } from '@tributary/kernel'

/**
 * Sums of responses and bytes. They are added to the metrics on each flush, so that a request costs only an addition.
 */
export type MetricsBuffer = {
  accepted(call: string, bytes: number): void
  answered(call: string, code: number): void
  flush(): void
}

/** Creates the buffer for the counters `collect_requests` {call, code} and `collect_accepted_bytes`. */
export const createMetricsBuffer = (metrics: Metrics): MetricsBuffer => {
  const answers = new Map<string, Map<number, number>>()
  let bytes = 0
  const answered = (call: string, code: number): void => {
    let codes = answers.get(call)
    if (codes === undefined) {
      codes = new Map()
      answers.set(call, codes)
    }
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  return {
    accepted(call, size) {
      bytes += size
      answered(call, 200)
    },
    answered,
    flush() {
      for (const [call, codes] of answers) {
        for (const [code, count] of codes) metrics.count('collect_requests', count, { call, code: String(code) })
      }
      answers.clear()
      if (bytes > 0) metrics.count('collect_accepted_bytes', bytes)
      bytes = 0
    },
  }
}
