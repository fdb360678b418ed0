import { matchIdentifierTitles, type PlatformQuality } from '@tributary/contract'
import { Lightbulb } from 'lucide-react'
import { percent } from '../../lib/format/rates.ts'
import { count } from '../../lib/format/text.ts'
import { Badge } from '../../ui/badge.tsx'
import { scoreText, scoreWords } from './signal-words.ts'

/** Shows a score of 0 to 10 with its rating, or a dash if there is no score. */
export const Score = ({ score }: { score: number | null }) => {
  if (score === null) return <span className="text-ink-3">–</span>
  const { text, tone } = scoreWords(score)
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span className="text-lg font-semibold tabular">{scoreText(score)}</span>
      <span className="text-xs text-ink-3">of 10</span>
      <Badge tone={tone}>{text}</Badge>
    </span>
  )
}

/** Shows a score of 0 to 10 in a row of a list, or a dash if there is no score. */
export const ScoreBadge = ({ score }: { score: number | null }) => {
  if (score === null) return <span className="text-ink-3">–</span>
  const { text, tone } = scoreWords(score)
  return (
    <Badge tone={tone} title={`Match quality: ${scoreText(score)} of 10, ${text.toLowerCase()}`}>
      {scoreText(score)}
      <span className="sr-only"> of 10, {text.toLowerCase()}</span>
    </Badge>
  )
}

/** The share of conversions that have each identifier. */
export const IdentifierShares = ({ identifiers }: Pick<PlatformQuality, 'identifiers'>) => (
  <ul aria-label="Identifiers" className="space-y-1.5">
    {identifiers.map(({ identifier, share, count: number }) => (
      <li key={identifier} className="grid grid-cols-[6rem_minmax(0,1fr)_4.5rem] items-center gap-3 text-sm">
        <span className="truncate text-ink-2">{matchIdentifierTitles[identifier]}</span>
        <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
          <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
        </span>
        <span className="text-right tabular" title={`${count(number)} conversions`}>
          {percent(share)}
        </span>
      </li>
    ))}
  </ul>
)

/** Advice for a better score, the most effective first. Shows nothing if there is none. */
export const Advice = ({ advice }: Pick<PlatformQuality, 'advice'>) =>
  advice.length > 0 && (
    <ul aria-label="Advice" className="space-y-1.5">
      {advice.map(({ identifier, text, gain }) => (
        <li key={identifier} className="flex items-start gap-2 text-sm">
          <Lightbulb aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-ink" />
          <span className="min-w-0 flex-1 break-words">{text}</span>
          <span className="shrink-0 text-xs text-ink-3 tabular">up to +{gain.toFixed(1)}</span>
        </li>
      ))}
    </ul>
  )
