import type { Relational } from './open.ts'

/** Receives the notifications of a PostgreSQL channel over its own connection. */
export type Listener = {
  /** Starts to listen, unless it listens already; also resolves if the store is unavailable. Call it periodically. */
  ensure(): Promise<void>
  /** Whether notifications arrive now, as far as the connection shows. */
  isListening(): boolean
  /** Drops the connection, such as a silent one; `ensure` opens a new one. */
  renew(): void
  /** Closes the connection for good. */
  stop(): void
}

/**
 * Calls `hear` with the text of each notification of the channel. Notifications sent while there is no connection are
 * lost. `onListening` is called when a connection is open, so that the caller can check for missed changes.
 */
export const createListener = (
  pool: Relational['pool'],
  channel: string,
  hear: (text: string) => void,
  onListening?: () => void,
): Listener => {
  let held: { release(): void } | undefined
  let connecting = false
  let isListening = false
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
          isListening = false
          client.release(true)
        }
        client.once('error', release)
        client.once('end', release)
        client.on('notification', ({ payload }) => hear(payload ?? ''))
        held = { release }
        await client.query(`listen "${channel}"`)
        if (stopped) release()
        else if (!released) {
          isListening = true
          onListening?.()
        }
      } catch {
        held?.release()
      } finally {
        connecting = false
      }
    },
    isListening: () => isListening,
    renew() {
      held?.release()
    },
    stop() {
      stopped = true
      held?.release()
    },
  }
}
