/** Maximum waiting events: the oldest are dropped while nothing can be sent. */
const maxWaiting = 200
/** Bytes of a batch: a browser takes 64 KiB of all requests that outlive their page. */
const batchBytes = 30_000
const batchEvents = 20
/** Bytes from which an event is sent alone without outliving its page; and from which all servers refuse it. */
const largeBytes = 60_000
const hugeBytes = 1_000_000
const soonMs = 300
const longestPauseMs = 60_000

/** Sends events as JSON texts. */
export type Sender = {
  add(event: object): void
  /** Hands over what waits to the browser, which sends it after the page is gone. */
  leave(): void
}

type Waiting = { text: string; bytes: number }

const bodyOf = (batch: readonly Waiting[]): string =>
  `{"batch":[${batch.map(({ text }) => text).join(',')}],"sentAt":"${new Date().toISOString()}"}`

const isLarge = ([first]: readonly Waiting[]): boolean => first !== undefined && first.bytes > largeBytes

/**
 * Sends events in batches, soon after they happen. Events that the server cannot accept now are sent again, with
 * growing pauses or after the time it names; message IDs prevent duplicates. An event that is too large for a page that
 * can be gone is sent alone, and so are others once such a request has failed. Bodies are plain text, so that no
 * request needs a preflight.
 */
export const createSender = (url: string): Sender => {
  let waiting: Waiting[] = []
  /** Events on their way that end with the page. */
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

  /** Whether a batch needs to be sent again, and after how many seconds at the earliest. */
  const post = async (batch: readonly Waiting[]): Promise<number | undefined> => {
    // Other scripts of the page can use up the browser's limit for such requests: after a failure, requests do without.
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
