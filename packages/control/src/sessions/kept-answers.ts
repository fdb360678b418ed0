import type { Authentication } from '@tributary/http'
import type { Clock } from '@tributary/kernel'

/** How long an answer about a token may be old: what ended elsewhere is refused after this time. */
const cacheMs = 2000
const cachedTokens = 10_000

export type KeptAnswers = {
  /** Who a token stands for. Answers may be two seconds old. */
  ask(token: string): Promise<Authentication>
  /** What has changed counts here at once. */
  clear(): void
}

type Kept = { until: number; answer: Promise<Authentication> }

/** Keeps for two seconds who a token stands for, so that a page of many calls looks it up once. */
export const createKeptAnswers = (clock: Clock, look: (token: string) => Promise<Authentication>): KeptAnswers => {
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
