import { create } from 'zustand'

/**
 * Whether the server responds: `there`; `doubted` after a failed call, which may be temporary; `away` if a check
 * failed, too.
 */
export type Reachability = 'there' | 'doubted' | 'away'

export const useReachability = create<{ state: Reachability; asking: boolean }>(() => ({
  state: 'there',
  asking: false,
}))

/**
 * Pauses in ms before the server is checked again; the last one repeats. An interruption of less than a second ends
 * before the first check.
 */
export const askPauses = [1000, 1000, 2000, 3000, 5000] as const

/** Maximum time in ms for the response of the server to a check. */
export const answerMs = 5000

/** Statuses that a proxy sends if the server behind it is unavailable. */
const ofProxy: ReadonlySet<number> = new Set([502, 503, 504])

/**
 * True for a response of a proxy because the server behind it is unavailable. The server itself would give a reason.
 */
export const isProxyFailure = (status: number, reason: string | undefined): boolean =>
  ofProxy.has(status) && reason === undefined

let timer: ReturnType<typeof setTimeout> | undefined
let pauses = 0
let question: Promise<boolean> | undefined

const schedule = (): void => {
  clearTimeout(timer)
  const pause = askPauses[Math.min(pauses, askPauses.length - 1)]
  pauses += 1
  timer = setTimeout(() => void askServer(), pause)
}

const settle = (there: boolean): void => {
  clearTimeout(timer)
  if (there) pauses = 0
  else schedule()
  useReachability.setState({ state: there ? 'there' : 'away', asking: false })
}

const ask = async (): Promise<boolean> => {
  try {
    const { status } = await fetch('/health/live', { cache: 'no-store', signal: AbortSignal.timeout(answerMs) })
    return !ofProxy.has(status)
  } catch {
    return false
  }
}

/** Checks the server now, once for all simultaneous callers. While it is unavailable, the check repeats. */
export const askServer = (): Promise<boolean> => {
  clearTimeout(timer)
  useReachability.setState({ asking: true })
  question ??= ask().then((there) => {
    question = undefined
    settle(there)
    return there
  })
  return question
}

/** Reports that a call got no response: the server is then checked after a pause. */
export const doubtServer = (): void => {
  if (useReachability.getState().state !== 'there') return
  useReachability.setState({ state: 'doubted' })
  schedule()
}

/** Reports that the server has responded to a call, with any status. */
export const serverAnswered = (): void => {
  if (useReachability.getState().state !== 'there' && question === undefined) settle(true)
}

/**
 * Calls `act` each time the server is available again. `wasAway` is whether a check had failed in between. Call the
 * returned function to stop.
 */
export const whenBack = (act: (wasAway: boolean) => void): (() => void) =>
  useReachability.subscribe(({ state }, before) => {
    if (state === 'there' && before.state !== 'there') act(before.state === 'away')
  })

/** Reacts when the browser loses or regains its network. Call the returned function to stop. */
export const followNetwork = (target: EventTarget): (() => void) => {
  const onOffline = (): void => doubtServer()
  const onOnline = (): void => {
    if (useReachability.getState().state !== 'there') void askServer()
  }
  target.addEventListener('offline', onOffline)
  target.addEventListener('online', onOnline)
  return () => {
    target.removeEventListener('offline', onOffline)
    target.removeEventListener('online', onOnline)
  }
}

/** Time in ms that a write waits before the server is checked. */
export const patienceMs = 10_000

/**
 * Calls `giveUp` when a check finds the server unavailable while a call waits for its response. A server that is only
 * slow does not count. Call the returned function to stop.
 */
export const watchServer = (giveUp: () => void): (() => void) => {
  let over = false
  let waiting: ReturnType<typeof setTimeout>
  const wait = (): void => {
    waiting = setTimeout(() => {
      void askServer().then((there) => {
        if (over) return
        if (there) wait()
        else giveUp()
      })
    }, patienceMs)
  }
  wait()
  return () => {
    over = true
    clearTimeout(waiting)
  }
}
