/**
 * Transient state shared by processes and threads: messages, counters that expire, and leases. Data must never depend
 * on it, since it may be lost. Adapters: in process (threads of one process), and PostgreSQL (processes that share a
 * database, with their threads).
 */
export interface Coordination {
  /** Delivers a JSON value to every subscriber of the topic in every thread, best effort, in order per publisher. */
  publish(topic: string, message: unknown): void
  /** Calls `listener` with the messages of a topic from now on. Returns a function that ends the subscription. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  /**
   * Adds to a counter and returns its new value. A counter starts at 0 and expires `ttlMs` after its first increment.
   */
  increment(key: string, by: number, ttlMs: number): Promise<number>
  /**
   * Takes or renews the lease `name` for `ttlMs`, unless another holder has it. Resolves to the epoch of the tenure, at
   * least 1; undefined if another holder has the lease. The epoch stays the same while the lease is renewed in time.
   * Otherwise it is larger than every earlier one, including those of the same holder. A paused holder may continue
   * after the end of its lease without noticing. So work that two holders must not do is fenced by the epoch. Use
   * `requireLease` in a transaction, or a receiver that rejects every epoch except the largest that it has seen.
   */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<number | undefined>
  /** Ends the tenure of this holder. Does nothing if another holder has the lease. */
  releaseLease(name: string, holder: string): Promise<void>
  close(): Promise<void>
}

/**
 * The topic of a message that a process gets after its link was broken, so that messages of other processes may be
 * missing. Subscribers that keep state from messages then read that state again.
 */
export const missedTopic = 'coordination.missed'

/** The link between processes. The hub of each process connects the threads of that process. */
export interface CoordinationLink extends Pick<Coordination, 'increment' | 'acquireLease' | 'releaseLease' | 'close'> {
  /** Sends a JSON text to all other processes: best effort, in order. */
  send(topic: string, text: string): void
  /** Passes the messages of other processes to `hear` from now on. */
  listen(hear: (topic: string, text: string) => void): void
}
