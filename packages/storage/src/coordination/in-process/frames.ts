/** A call that the hub answers. */
export type Question =
  | { kind: 'increment'; key: string; by: number; ttlMs: number }
  | { kind: 'acquire'; name: string; holder: string; ttlMs: number }
  | { kind: 'release'; name: string; holder: string }

/** Messages of a connected thread to the hub. They travel as JSON text: made once, parsed once per receiving thread. */
export type ToHub =
  | { kind: 'publish'; topic: string; text: string }
  | { kind: 'subscribe'; topic: string }
  | { kind: 'unsubscribe'; topic: string }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'handled'; bytes: number }

/** Messages of the hub to a connected thread. */
export type FromHub =
  | { kind: 'message'; topic: string; text: string }
  /** For a lease the epoch, or 0 when another holder has it. */
  | { kind: 'answer'; id: number; value: number }
  | { kind: 'failure'; id: number; message: string }
  | { kind: 'handled'; bytes: number }

/** Bytes of unread messages (counted as UTF-16 characters of JSON) that may wait towards one thread. */
const longestQueue = 16 * 1024 * 1024
const reportEvery = 64 * 1024

/** How much is on its way to the other side and not yet read there; `admit` is false when a message has to be dropped. */
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

/** Collects how much was read and reports it in portions, so that few reports are sent. */
export const createReceipts = (report: (bytes: number) => void): ((size: number) => void) => {
  let read = 0
  return (size) => {
    read += size
    if (read < reportEvery) return
    report(read)
    read = 0
  }
}
