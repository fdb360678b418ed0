import type { Authentication } from '@tributary/http'
import type { Clock } from '@tributary/kernel'

/** Maximum age of a cached token, ms. After this time, a session that ended in another process is refused. */
const cacheMs = 2000
const cachedTokens = 10_000

export type TokenCache = {
  /** Finds the holder of a token. The result may be two seconds old. */
  ask(token: string): Promise<Authentication>
  /** Clears the cache, so that changes take effect here immediately. */
  clear(): void
}

type Kept = { until: number; answer: Promise<Authentication> }

/** Caches the holders of tokens for two seconds, so that a page with many calls looks up its token once. */
export const createTokenCache = (clock: Clock, look: (token: string) => Promise<Authentication>): TokenCache => {
  const kept = new Map<string, Kept>()

  const forget = (now: number): void => {
    for (const [token, entry] of kept) if (entry.until <= now || kept.size > cachedTokens) kept.delete(token)
  }

  return {
    async ask(token) {
      const now = clock()
      const found = kept.get(token)
      if (found !== undefined && found.until > now) return await found.answer
      if (kept.size >= cachedTokens || kept.size % 256 === 255) forget(now)
      const answer = look(token)
      kept.set(token, { until: now + cacheMs, answer })
      try {
        return await answer
      } catch (error) {
        kept.delete(token)
        throw error
      }
    },
    clear: () => kept.clear(),
  }
}
