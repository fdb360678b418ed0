import type { Clock, Logger } from '@tributary/kernel'
import type { DeliverContext, Settings } from '../definition/definition.ts'
import type { RequestClient } from './request-client.ts'

/**
 * The lifetime of a destination's set-up: it ends when its settings change, when it is deleted, or with the thread that
 * delivers to it. A connector binds to it what it keeps open between deliveries, such as a connection to a database
 * (found again by a WeakMap from the lifetime).
 */
export type Lifetime = {
  /** Called once at the end; immediately after the end. Must not reject. */
  onEnd(close: () => Promise<void>): void
  readonly ended: boolean
}

/** A lifetime and its end, which closes what hangs on it. */
export const createLifetime = (): Lifetime & { end(): Promise<void> } => {
  const closing: (() => Promise<void>)[] = []
  let ended = false
  return {
    onEnd: (close) => {
      if (ended) void close()
      else closing.push(close)
    },
    get ended() {
      return ended
    },
    end: async () => {
      ended = true
      await Promise.all(closing.splice(0).map((close) => close()))
    },
  }
}

/** Runs one call of a connector in its own context; connections that it opened are closed when the call is over. */
export const callOnce = async <T>(
  deps: {
    client: Pick<RequestClient, 'request' | 'connect'>
    settings: Settings
    clock: Clock
    logger: Logger
    signal: AbortSignal
    onExchange?: DeliverContext['onExchange']
  } & Pick<DeliverContext, 'accessToken'>,
  call: (context: DeliverContext) => Promise<T>,
): Promise<T> => {
  const { client, ...rest } = deps
  const lifetime = createLifetime()
  try {
    return await call({ ...rest, request: client.request, connect: client.connect, lifetime })
  } finally {
    await lifetime.end()
  }
}
