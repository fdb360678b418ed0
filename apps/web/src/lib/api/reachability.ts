import { create } from 'zustand'

/**
 * Whether the server answers: `there`; `doubted` after a failed call, which can be temporary; `away` when a check
 * failed, too.
 */
export type Reachability = 'there' | 'doubted' | 'away'

export const useReachability = create<{ state: Reachability; asking: boolean }>(() => ({
  state: 'there',
  asking: false,
}))

/**
 * Milliseconds before the server is checked again; the last one repeats. A break of a second is over before the first.
 */
export const askPauses = [1000, 1000, 2000, 3000, 5000] as const

/** Maximum milliseconds of the server's answer to a check. */
export const answerMs = 5000

/** Statuses with which a proxy answers in place of a server that is not there. */
const ofProxy: ReadonlySet<number> = new Set([502, 503, 504])

/** True for an answer that a proxy gave because the server behind it is away: it has none of the server's own words. */
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

/** A call had no response: the server is checked in a moment. */
export const doubtServer = (): void => {
  if (useReachability.getState().state !== 'there') return
  useReachability.setState({ state: 'doubted' })
  schedule()
}

/** The server has answered something. */
export const serverAnswered = (): void => {
  if (useReachability.getState().state !== 'there' && question === undefined) settle(true)
}

/** Calls `act` each time the server is back, with whether it had been away for longer than a moment. The answer ends it. */
export const whenBack = (act: (wasAway: boolean) => void): (() => void) =>
  useReachability.subscribe(({ state }, before) => {
    if (state === 'there' && before.state !== 'there') act(before.state === 'away')
  })

/** Follows what the browser says of its network. The answer ends it. */
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

/** Milliseconds that a write waits before the server is checked. */
export const patienceMs = 10_000

/**
 * Calls `giveUp` when the server is found away while a call waits for its answer; a server that is only slow is waited for.
 * The answer ends it.
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
