import { storagePrefix } from '../browser/storage-prefix.ts'

/** The product events of the application: objects that were created, changed or deleted. */
export const productEvents = [
  'Source Created',
  'Source Updated',
  'Source Deleted',
  'Destination Created',
  'Destination Updated',
  'Destination Deleted',
  'Computed Trait Created',
  'Computed Trait Updated',
  'Computed Trait Deleted',
  'Audience Created',
  'Audience Updated',
  'Audience Deleted',
  'Invitation Created',
  'Invitation Updated',
  'Invitation Deleted',
] as const
export type ProductEvent = (typeof productEvents)[number]

type Call =
  | { type: 'track'; event: ProductEvent; properties: Record<string, unknown> }
  | { type: 'page'; properties: { path: string; url: string; referrer: string } }
  | { type: 'identify'; traits: Record<string, string> }

/** A call in the form that the tracking API expects. */
type Sent = Call & { messageId: string; timestamp: string; anonymousId: string; userId?: string }

export type AnalyticsDeps = {
  /** Key of the source that receives the calls. If it is empty, nothing is sent. */
  writeKey: string
  /** Returns the resource name of the signed-in user. */
  user: () => string | null
  anonymousId: () => string
  /** Sends a body to the collection endpoint. Resolves to the status of the response, or to 0 if there was none. */
  send: (body: string) => Promise<number>
  now: () => Date
}

const flushAfterMs = 1000
const maxWaiting = 100

const createQueue = (deps: AnalyticsDeps) => {
  let waiting: Sent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let refused = false
  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const batch = waiting
    waiting = []
    const status = await deps.send(JSON.stringify({ batch, sentAt: deps.now().toISOString(), writeKey: deps.writeKey }))
    // Message IDs make repeated batches harmless. If the server has rejected a batch, it would reject later ones, too.
    if (status === 0 || status === 429 || status >= 500) waiting = [...batch, ...waiting].slice(-maxWaiting)
    else if (status >= 400) refused = true
  }
  return {
    add(call: Call): void {
      if (refused) return
      const user = deps.user()
      waiting.push({
        ...call,
        messageId: `web-${crypto.randomUUID()}`,
        timestamp: deps.now().toISOString(),
        anonymousId: deps.anonymousId(),
        ...(user === null ? {} : { userId: user }),
      })
      timer ??= setTimeout(() => void flush(), flushAfterMs)
    },
    flush,
  }
}

/** Undefined until the configuration is loaded; null if there is no key. */
let queue: ReturnType<typeof createQueue> | null | undefined
let early: Call[] = []

const add = (call: Call): void => {
  if (queue === undefined) early = [...early, call].slice(-maxWaiting)
  else queue?.add(call)
}

/** Starts to send calls, including earlier ones. If the key is empty, drops earlier and later calls. */
export const startAnalytics = (deps: AnalyticsDeps): void => {
  // Sends the calls for the previous key or server immediately, not after the usual delay.
  void queue?.flush()
  queue = deps.writeKey === '' ? null : createQueue(deps)
  for (const call of early) add(call)
  early = []
}

/** Sends the queued calls, for a page that is about to close. */
export const flushAnalytics = async (): Promise<void> => queue?.flush()

/** Queues an event for an action of the user. */
export const track = (event: ProductEvent, properties: Record<string, unknown> = {}): void => {
  add({ type: 'track', event, properties })
}

/** Queues an event for an opened page. Query and hash can contain secrets and are not sent. */
export const trackPage = (path: string): void => {
  add({ type: 'page', properties: { path, url: `${window.location.origin}${path}`, referrer: document.referrer } })
}

/** Queues the identity of the signed-in user. */
export const identify = (user: { email: string; first_name: string; last_name: string }): void => {
  const { email, first_name, last_name } = user
  add({ type: 'identify', traits: { email, firstName: first_name, lastName: last_name } })
}

const anonymousKey = `${storagePrefix}-anonymous-id`

/** The ID of this browser, created on first use. */
export const browserId = (storage: Pick<Storage, 'getItem' | 'setItem'>): string => {
  const known = storage.getItem(anonymousKey)
  if (known !== null) return known
  const made = crypto.randomUUID()
  storage.setItem(anonymousKey, made)
  return made
}

/** Sends a body to the product's own collection endpoint, also while the page closes. */
export const sendToCollection = async (body: string): Promise<number> => {
  try {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/v1/batch', { method: 'POST', credentials: 'omit', keepalive: true, headers, body })
    return answer.status
  } catch {
    return 0
  }
}
