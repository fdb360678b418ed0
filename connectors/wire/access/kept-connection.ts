import { type DeliverContext, type Lifetime, RetryableError, type Settings } from '@tributary/connector-kit'

/** How to open and close a connection, and how to convert its errors. */
export type ConnectionKind<S extends Settings, Session> = {
  /** Connects within a limit of time, and calls `onLost` if the connection ends between two uses. */
  open(context: DeliverContext<S>, onLost: () => void): Promise<Session>
  /** Closes the connection; never rejects. */
  close(session: Session): Promise<void>
  /** Returns the delivery error for a failure. Without a session, the connection could not be opened. */
  failed(error: unknown, session: Session | undefined): Error
}

/** Time in ms after which an unused connection is closed. */
const idleMs = 60_000

type Use<S extends Settings, Session> = <T>(
  context: DeliverContext<S>,
  work: (session: Session) => Promise<T>,
) => Promise<T>

const createKeeper = <S extends Settings, Session>(
  lifetime: Lifetime,
  kind: ConnectionKind<S, Session>,
): Use<S, Session> => {
  let session: Session | undefined
  let idle: NodeJS.Timeout | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const close = async (): Promise<void> => {
    clearTimeout(idle)
    const closing = session
    session = undefined
    if (closing !== undefined) await kind.close(closing)
  }

  const open = async (context: DeliverContext<S>): Promise<Session> => {
    if (session !== undefined) return session
    // The connection can be lost while it is being opened. At that time, there is no session yet.
    let opened: Session | undefined
    opened = await kind.open(context, () => {
      if (opened !== undefined && session === opened) session = undefined
    })
    session = opened
    return opened
  }

  const useNow = async <T>(context: DeliverContext<S>, work: (session: Session) => Promise<T>): Promise<T> => {
    if (context.signal.aborted) throw new RetryableError('Interrupted')
    clearTimeout(idle)
    const onAbort = (): void => void close()
    context.signal.addEventListener('abort', onAbort, { once: true })
    let used: Session | undefined
    try {
      used = await open(context)
      // An abort while the connection was being opened found none to close.
      if (context.signal.aborted) throw new RetryableError('Interrupted')
      const result = await work(used)
      idle = setTimeout(() => void close(), idleMs).unref()
      return result
    } catch (error) {
      // After any error, the connection is closed, so that the next one begins without an unfinished transaction.
      await close()
      throw kind.failed(error, used)
    } finally {
      context.signal.removeEventListener('abort', onAbort)
      if (lifetime.ended) await close()
    }
  }

  lifetime.onEnd(async () => {
    await turn.catch(() => {})
    await close()
  })
  return (context, work) => {
    const mine = turn.catch(() => {}).then(() => useNow(context, work))
    turn = mine
    return mine
  }
}

/**
 * Creates the function that runs work on a destination's connection. The function opens the connection when needed and
 * keeps it; one call at a time uses it. The function rejects with the error of `failed`; the next call then gets a new
 * connection.
 */
export const keepConnections = <S extends Settings, Session>(kind: ConnectionKind<S, Session>): Use<S, Session> => {
  const keepers = new WeakMap<Lifetime, Use<S, Session>>()
  return (context, work) => {
    const { lifetime } = context
    let use = keepers.get(lifetime)
    if (use === undefined) {
      use = createKeeper(lifetime, kind)
      keepers.set(lifetime, use)
    }
    return use(context, work)
  }
}
