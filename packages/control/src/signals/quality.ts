import type { PlatformDefinition } from '@tributary/connector-kit'
import {
  type MatchIdentifier,
  matchIdentifiers,
  matchIdentifierTitles,
  type PlatformQuality,
} from '@tributary/contract'

type Counts = ReadonlyMap<MatchIdentifier, number>

const share = (count: number, of: number): number => (of === 0 ? 0 : count / of)
const rounded = (score: number): number => Math.round(score * 10) / 10

/**
 * Returns how well a platform can match conversions, from 0 to 10. It is the sum of the weights of the identifiers,
 * each multiplied by the share of conversions with that identifier.
 */
export const scoreOf = (
  { identifiers }: Pick<PlatformDefinition['conversions'], 'identifiers'>,
  counts: Counts,
  conversions: number,
): number | null => {
  if (conversions === 0) return null
  const sum = matchIdentifiers.reduce(
    (total, each) => total + (identifiers[each]?.weight ?? 0) * share(counts.get(each) ?? 0, conversions),
    0,
  )
  return rounded(Math.min(10, sum))
}

/** Returns the mean of the scores of platforms; null if no platform has a score. */
export const meanScore = (scores: readonly (number | null)[]): number | null => {
  const known = scores.filter((each) => each !== null)
  return known.length === 0 ? null : rounded(known.reduce((sum, each) => sum + each, 0) / known.length)
}

/** Minimum gain of score for which an identifier is recommended, and maximum number of recommendations. */
const minGain = 0.2
const maxAdvice = 3

/** Returns the match quality of conversions at a platform, with the identifiers that would improve it most. */
export const qualityOf = (
  conversions: PlatformDefinition['conversions'],
  counts: Counts,
  count: number,
): Pick<PlatformQuality, 'score' | 'conversion_count' | 'identifiers' | 'advice'> => {
  const known = matchIdentifiers.filter((each) => conversions.identifiers[each] !== undefined)
  const missing = (each: MatchIdentifier): number => 1 - share(counts.get(each) ?? 0, count)
  const gains = known
    .map((identifier) => ({
      identifier,
      gain: rounded((conversions.identifiers[identifier]?.weight ?? 0) * missing(identifier)),
      percent: Math.round(missing(identifier) * 100),
    }))
    .filter(({ gain }) => count > 0 && gain >= minGain)
    .toSorted((a, b) => b.gain - a.gain)
  return {
    score: scoreOf(conversions, counts, count),
    conversion_count: count,
    identifiers: known.map((identifier) => ({
      identifier,
      count: counts.get(identifier) ?? 0,
      share: share(counts.get(identifier) ?? 0, count),
    })),
    advice: gains.slice(0, maxAdvice).map(({ identifier, gain, percent }) => ({
      identifier,
      gain,
      text: `Add ${matchIdentifierTitles[identifier].replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())}: +${percent}% of conversions`,
    })),
  }
}
