import type { Relational } from './open.ts'

/** Receives the notifications of a PostgreSQL channel over a connection of its own. */
export type Listener = {
  /** Listens unless it does already; resolves also when the store is away. Call it again and again. */
  ensure(): Promise<void>
  /** Drops the connection, such as one that has gone silent; `ensure` takes a new one. */
  renew(): void
  /** Gives the connection back for good. */
  stop(): void
}

/**
 * Calls `hear` with the text of each notification of the channel. Notifications sent while there is no connection are
 * lost. `onListening` is called when there is one, so that the caller can look for what it may have missed.
 */
export const createListener = (
  pool: Relational['pool'],
  channel: string,
  hear: (text: string) => void,
  onListening?: () => void,
): Listener => {
  let held: { release(): void } | undefined
  let connecting = false
  let stopped = false
  return {
    async ensure() {
      if (held !== undefined || connecting || stopped) return
      connecting = true
      try {
        const client = await pool.connect()
        let released = false
        const release = (): void => {
          if (released) return
          released = true
          held = undefined
          client.release(true)
        }
        client.once('error', release)
        client.once('end', release)
        client.on('notification', ({ payload }) => hear(payload ?? ''))
        held = { release }
        await client.query(`listen "${channel}"`)
        if (stopped) release()
        else onListening?.()
      } catch {
        held?.release()
      } finally {
        connecting = false
      }
    },
    renew() {
      held?.release()
    },
    stop() {
      stopped = true
      held?.release()
    },
  }
}
