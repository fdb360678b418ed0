/** Maximum number of waiting events. If nothing can be sent, the oldest are dropped. */
const maxWaiting = 200
/**
 * Maximum bytes of a batch. A browser accepts 64 KiB for all requests that continue after the page has closed
 * (`keepalive`).
 */
const batchBytes = 30_000
const batchEvents = 20
/** From this size in bytes on, an event is sent alone, in a request that ends with the page. */
const largeBytes = 60_000
const hugeBytes = 1_000_000
const soonMs = 300
const longestPauseMs = 60_000

/** Sends events as JSON texts. */
export type Sender = {
  add(event: object): void
  /** Passes the waiting events to the browser, which sends them after the page has closed. */
  leave(): void
}

type Waiting = { text: string; bytes: number }

const bodyOf = (batch: readonly Waiting[]): string =>
  `{"batch":[${batch.map(({ text }) => text).join(',')}],"sentAt":"${new Date().toISOString()}"}`

const isLarge = ([first]: readonly Waiting[]): boolean => first !== undefined && first.bytes > largeBytes

/**
 * Sends events in batches, soon after they happen. If the server cannot accept events now, sends them again, after
 * growing pauses or after the time that the server names; message IDs prevent duplicates. An event that is too large
 * for `keepalive` is sent alone and without `keepalive`. After a request has failed, all requests are sent without
 * `keepalive`, until one succeeds. Bodies are plain text, so that no request needs a preflight.
 */
export const createSender = (url: string): Sender => {
  let waiting: Waiting[] = []
  /** Events in a request that ends with the page. */
  let endangered: readonly Waiting[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let busy = false

  const take = (): Waiting[] => {
    let count = 0
    let size = 0
    for (const { bytes } of waiting) {
      if (count > 0 && (count === batchEvents || size + bytes > batchBytes)) break
      count++
      size += bytes
    }
    return waiting.splice(0, count)
  }

  const later = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), ms)
  }

  /**
   * Resolves to undefined if a batch need not be sent again, otherwise to the minimum number of seconds before that.
   */
  const post = async (batch: readonly Waiting[]): Promise<number | undefined> => {
    // Other scripts of the page can use up the browser's limit for `keepalive`, so after a failure requests do not use
    // it.
    const keepalive = failures === 0 && !isLarge(batch)
    endangered = keepalive ? [] : batch
    try {
      const { status, headers } = await fetch(url, {
        method: 'POST',
        body: bodyOf(batch),
        credentials: 'omit',
        keepalive,
      })
      return status < 500 && status !== 429 && status !== 408 ? undefined : Number(headers.get('retry-after'))
    } catch {
      return 0
    } finally {
      endangered = []
    }
  }

  const flush = async (): Promise<void> => {
    if (busy || waiting.length === 0) return
    busy = true
    const batch = take()
    const again = await post(batch)
    busy = false
    failures = again === undefined ? 0 : failures + 1
    if (again !== undefined) waiting = isLarge(batch) ? [...waiting, ...batch] : [...batch, ...waiting]
    if (waiting.length > 0)
      later(again === undefined ? 0 : Math.max(again * 1000, Math.min(longestPauseMs, 500 * 2 ** failures)))
  }

  return {
    add(event) {
      const text = JSON.stringify(event)
      const bytes = new TextEncoder().encode(text).length
      if (bytes > hugeBytes) {
        // oxlint-disable-next-line no-console -- for people who build the page
        console.warn(`Tributary: an event of ${bytes} bytes is too large and was not sent`)
        return
      }
      waiting.push({ text, bytes })
      waiting.splice(0, waiting.length - maxWaiting)
      if (failures === 0) later(waiting.length < batchEvents ? soonMs : 0)
    },
    leave() {
      const refused: Waiting[] = []
      if (endangered.length > 0) navigator.sendBeacon(url, bodyOf(endangered))
      while (waiting.length > 0) {
        const batch = take()
        if (!navigator.sendBeacon(url, bodyOf(batch))) refused.push(...batch)
      }
      waiting = refused
    },
  }
}
