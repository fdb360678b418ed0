import type { Handlers } from '@tributary/http'

/** Groups whose changes collection, the pipeline and delivery follow in snapshots of their own, or act on. */
const followed = ['sources', 'writekeys', 'destinations', 'mappings', 'connections', 'replays'] as const
/** Verbs of them that change nothing. */
const reading = new Set('list get getApp previewTemplate preview suggest sendTest testConnection'.split(' '))

type Call = (call: never) => Promise<unknown>

/**
 * Answers a change of sources, write keys, destinations, mappings, connections and replays only when the snapshots have
 * seen it, so that what a user does next (send an event with the new key) finds it in force. Waits at most `deadlineMs`:
 * a snapshot that cannot follow now does so by itself later.
 */
export const settleChanges = (handlers: Handlers, refresh: () => Promise<unknown>, deadlineMs = 1000): Handlers => {
  const settle = async (): Promise<void> => {
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, deadlineMs)
    await Promise.race([refresh().catch(() => {}), late.promise])
    clearTimeout(timer)
  }
  const settled = (verbs: Readonly<Record<string, Call>>): Record<string, Call> =>
    Object.fromEntries(
      Object.entries(verbs).map(([verb, handle]) => [
        verb,
        reading.has(verb)
          ? handle
          : async (call: never) => {
              const answer = await handle(call)
              await settle()
              return answer
            },
      ]),
    )
  return Object.assign({}, handlers, Object.fromEntries(followed.map((group) => [group, settled(handlers[group])])))
}
