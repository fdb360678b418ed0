import { ArrowDown, ArrowUp, Minus } from 'lucide-react'
import { useMask } from '../../lib/browser/ui-store.ts'
import { changeOf, type Totals } from '../../lib/format/date-range.ts'
import { count } from '../../lib/format/text.ts'
import { cn } from '../cn.ts'

const tones = { good: 'text-success-ink', bad: 'text-danger-ink', none: 'text-ink-3' } as const

/**
 * The change of a count against the previous period (`than`: "previous 7 days"). More is good unless `lessIsBetter`.
 * Shows nothing while values are masked, because a change reveals much of a value.
 */
export const Change = ({
  totals: { total, previous },
  than,
  lessIsBetter = false,
}: {
  totals: Totals
  than: string
  lessIsBetter?: boolean
}) => {
  const masked = useMask((state) => state.on)
  if (masked) return <span className="text-xs text-ink-3">Against the {than}</span>
  const change = changeOf(total, previous)
  const up = total > previous
  const tone = total === previous ? 'none' : up === lessIsBetter ? 'bad' : 'good'
  const Icon = total === previous ? Minus : up ? ArrowUp : ArrowDown
  return (
    <span
      className="inline-flex flex-wrap items-center gap-x-1 text-xs text-ink-3"
      title={`${than}: ${count(previous)}`}
    >
      {total === previous ? (
        'Same as'
      ) : (
        <span className={cn('inline-flex items-center gap-0.5 font-medium tabular', tones[tone])}>
          <Icon aria-hidden className="size-3" strokeWidth={2.5} />
          <span className="sr-only">{up ? 'up' : 'down'} </span>
          {change === undefined ? count(total) : change === 0 ? 'under 1%' : `${count(Math.abs(change))}%`}
        </span>
      )}{' '}
      {total === previous ? `the ${than}` : `vs. ${than}`}
    </span>
  )
}
