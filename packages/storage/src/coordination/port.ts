/**
 * What processes and threads tell each other without keeping it: messages, counters with an expiry, leases. Nothing
 * whose loss loses data goes through here. Adapters: in process (threads of one process), and PostgreSQL (processes that
 * share a database, with their threads).
 */
export interface Coordination {
  /** Delivers a JSON value to every subscriber of the topic in every thread, best effort, in order per publisher. */
  publish(topic: string, message: unknown): void
  /** Receives what is published on a topic from now on. Returns how to stop. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  /** Adds to a counter and returns its new value; it starts at 0 and is forgotten `ttlMs` after its first increment. */
  increment(key: string, by: number, ttlMs: number): Promise<number>
  /**
   * Holds `name` for `ttlMs` if nobody else does. Resolves to the epoch of the tenure, at least 1: the same while it is renewed in
   * time, and larger than every one before it, one's own included, otherwise. Undefined when somebody else holds it.
   *
   * Who holds a lease may be paused for longer than it lasts and go on without knowing. So what must not be done by two is done
   * under the epoch: `requireLease` in a transaction, or what is written to refuses an epoch that is not the largest it has seen.
   */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<number | undefined>
  /** Ends the tenure of a holder, whoever has the lease now; nothing when it is not its own. */
  releaseLease(name: string, holder: string): Promise<void>
  close(): Promise<void>
}

/**
 * Told in a process when messages of other processes may have been missed, as the way to them was broken: whoever kept
 * something by what it heard looks again.
 */
export const missedTopic = 'coordination.missed'

/** What joins the coordination of several processes; each keeps its own threads together. */
export interface CoordinationLink extends Pick<Coordination, 'increment' | 'acquireLease' | 'releaseLease' | 'close'> {
  /** Sends a JSON text to all other processes: best effort, in order. */
  send(topic: string, text: string): void
  /** Calls `hear` with what others send from now on. */
  listen(hear: (topic: string, text: string) => void): void
}
