/**
 * Transient state shared by processes and threads: messages, counters with an expiry, leases. Nothing whose loss loses
 * data goes through here. Adapters: in process (threads of one process), and PostgreSQL (processes that share a
 * database, with their threads).
 */
export interface Coordination {
  /** Delivers a JSON value to every subscriber of the topic in every thread, best effort, in order per publisher. */
  publish(topic: string, message: unknown): void
  /** Receives the messages of a topic from now on. Returns how to stop. */
  subscribe(topic: string, listener: (message: unknown) => void): () => void
  /** Adds to a counter and returns its new value; it starts at 0 and is forgotten `ttlMs` after its first increment. */
  increment(key: string, by: number, ttlMs: number): Promise<number>
  /**
   * Holds `name` for `ttlMs` unless another holder has it. Resolves to the epoch of the tenure, at least 1; undefined
   * when another holder has it. The epoch stays the same while the lease is renewed in time. Otherwise it is larger
   * than every earlier one, also of the same holder.
   *
   * A paused holder may go on after its lease has ended without noticing. So work that two holders must not do is
   * fenced by the epoch. Use `requireLease` in a transaction, or a receiver that refuses any epoch but the largest it
   * has seen.
   */
  acquireLease(name: string, holder: string, ttlMs: number): Promise<number | undefined>
  /** Ends the tenure of this holder; does nothing when another one has the lease. */
  releaseLease(name: string, holder: string): Promise<void>
  close(): Promise<void>
}

/**
 * Published in a process when its link was broken, so that messages of other processes may be missing. Subscribers that
 * keep state from messages read it again.
 */
export const missedTopic = 'coordination.missed'

/** The link between several processes; each keeps its own threads together. */
export interface CoordinationLink extends Pick<Coordination, 'increment' | 'acquireLease' | 'releaseLease' | 'close'> {
  /** Sends a JSON text to all other processes: best effort, in order. */
  send(topic: string, text: string): void
  /** Calls `hear` with the messages of other processes from now on. */
  listen(hear: (topic: string, text: string) => void): void
}
