/**
 * What processes and threads tell each other without keeping it: messages, counters with an expiry, leases. Nothing
 * whose loss loses data goes through here. Adapters: in process (threads of one process), Redis (remote, later).
 */
export interface Coordination {
  /** Delivers a JSON value to every subscriber of the topic in every thread, best effort, in order per publisher. */
  publish(topic: string, message: unknown): void
  /** Receives what is published on a topic from now on. Returns how to stop. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  /** Adds to a counter and returns its new value; it starts at 0 and is forgotten `ttlMs` after its first increment. */
  increment(key: string, by: number, ttlMs: number): Promise<number>
  /** Holds `name` for `ttlMs` if nobody else does; renewing one's own lease succeeds. */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<boolean>
  releaseLease(name: string, holder: string): Promise<void>
  close(): Promise<void>
}
