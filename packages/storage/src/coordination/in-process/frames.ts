/** A call that the hub answers. */
export type Question =
  | { kind: 'increment'; key: string; by: number; ttlMs: number }
  | { kind: 'acquire'; name: string; holder: string; ttlMs: number }
  | { kind: 'release'; name: string; holder: string }

/**
 * Messages from a connected thread to the hub. A published value is JSON text, which is created once and parsed once
 * per receiving thread.
 */
export type ToHub =
  | { kind: 'publish'; topic: string; text: string }
  | { kind: 'subscribe'; topic: string }
  | { kind: 'unsubscribe'; topic: string }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'handled'; bytes: number }

/** Messages of the hub to a connected thread. */
export type FromHub =
  | { kind: 'message'; topic: string; text: string }
  /** For `acquire`, `value` is the epoch of the lease, or 0 if another holder has it. */
  | { kind: 'answer'; id: number; value: number }
  | { kind: 'failure'; id: number; message: string }
  | { kind: 'handled'; bytes: number }

/** Maximum size of unread messages on the way to one thread, in UTF-16 characters of JSON. */
const longestQueue = 16 * 1024 * 1024
/** Characters after which a receiver reports what it has read. */
const reportEvery = 64 * 1024

/**
 * Tracks how much was sent to the other side and not read there yet. `admit` returns false if a message must be
 * dropped.
 */
export const createFlow = (limit = longestQueue): { admit(size: number): boolean; handled(size: number): void } => {
  let waiting = 0
  return {
    admit(size) {
      if (waiting > 0 && waiting + size > limit) return false
      waiting += size
      return true
    },
    handled(size) {
      waiting = Math.max(0, waiting - size)
    },
  }
}

/** Adds up the sizes of read messages and reports them in portions, so that few reports are sent. */
export const createReceipts = (report: (bytes: number) => void): ((size: number) => void) => {
  let read = 0
  return (size) => {
    read += size
    if (read < reportEvery) return
    report(read)
    read = 0
  }
}
