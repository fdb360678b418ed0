import type { Clock, Logger } from '@tributary/kernel'
import type { DeliverContext, Settings } from '../definition/definition.ts'
import type { RequestClient } from './request-client.ts'

/**
 * The lifetime of a destination's set-up: it ends when the settings change, the destination is deleted, or the thread
 * that delivers to it ends. A connector binds resources to it that stay open between deliveries, such as a database
 * connection. A WeakMap from the lifetime to the resource finds them again.
 */
export type Lifetime = {
  /** Calls `close` once when the lifetime ends, or immediately if it has ended. `close` must not reject. */
  onEnd(close: () => Promise<void>): void
  readonly ended: boolean
}

/** Creates a lifetime; `end` closes everything bound to it. */
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

/** Runs one call of a connector in its own context, and closes the connections that it opened afterwards. */
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
