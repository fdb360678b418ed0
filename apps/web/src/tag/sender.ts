/** Events that wait at most: the oldest go first while nothing can be sent. */
const mostWaiting = 200
/** A browser takes 64 KiB of requests that outlive their page. */
const batchCharacters = 20_000
const batchEvents = 20
const soonMs = 300
const longestPauseMs = 60_000

/** Sends events as JSON texts. */
export type Sender = {
  add(event: object): void
  /** Hands over what waits to the browser, which sends it after the page is gone. */
  leave(): void
}

const bodyOf = (batch: readonly string[]): string =>
  `{"batch":[${batch.join(',')}],"sentAt":"${new Date().toISOString()}"}`

/**
 * Sends events in batches, soon after they happen. What the server cannot take now is sent again, with growing pauses or after the time
 * that it asks for; message IDs keep it from counting twice. Bodies are plain text, so that no request needs a preflight.
 */
export const createSender = (url: string): Sender => {
  const waiting: string[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let busy = false

  const take = (): string[] => {
    let count = 0
    let characters = 0
    for (const event of waiting) {
      if (count > 0 && (count === batchEvents || characters + event.length > batchCharacters)) break
      count++
      characters += event.length
    }
    return waiting.splice(0, count)
  }

  const later = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), ms)
  }

  /** Whether a batch needs to be sent again, and after how many seconds at the earliest. */
  const post = async (batch: readonly string[]): Promise<number | undefined> => {
    try {
      const { status, headers } = await fetch(url, {
        method: 'POST',
        body: bodyOf(batch),
        credentials: 'omit',
        keepalive: true,
      })
      return status < 500 && status !== 429 && status !== 408 ? undefined : Number(headers.get('retry-after'))
    } catch {
      return 0
    }
  }

  const flush = async (): Promise<void> => {
    if (busy || waiting.length === 0) return
    busy = true
    const batch = take()
    const again = await post(batch)
    busy = false
    failures = again === undefined ? 0 : failures + 1
    if (again !== undefined) waiting.unshift(...batch)
    if (waiting.length > 0)
      later(again === undefined ? 0 : Math.max(again * 1000, Math.min(longestPauseMs, 500 * 2 ** failures)))
  }

  return {
    add(event) {
      waiting.push(JSON.stringify(event))
      waiting.splice(0, waiting.length - mostWaiting)
      if (failures === 0) later(waiting.length < batchEvents ? soonMs : 0)
    },
    leave() {
      while (waiting.length > 0) {
        const batch = take()
        if (navigator.sendBeacon(url, bodyOf(batch))) continue
        waiting.unshift(...batch)
        return
      }
    },
  }
}
