/** The part of a metrics registry that domain packages need; the server implements it with Prometheus. */
export type Metrics = {
  /** Adds `by` to a monotonic counter. */
  count(name: string, by: number, labels?: Record<string, string>): void
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: Record<string, string>): void
  /** Observes a duration in milliseconds. */
  observe(name: string, ms: number, labels?: Record<string, string>): void
}

/** A registry that discards everything, for tests and tools. */
export const noMetrics: Metrics = { count() {}, gauge() {}, observe() {} }
