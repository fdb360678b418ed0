import { useMask } from '../lib/browser/ui-store.ts'
import { cn } from '../ui/cn.ts'

/** The used share of a limit, as a bar. Shows nothing if there is no limit, or while values are masked. */
export const UsageBar = ({ label, used, limit }: { label: string; used: number; limit: number }) => {
  const masked = useMask((state) => state.on)
  if (limit < 0 || masked) return null
  const percent = limit === 0 ? 100 : Math.min(100, (used * 100) / limit)
  const tone = used > limit ? 'bg-danger' : percent >= 80 ? 'bg-warning' : 'bg-accent'
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- browsers draw a meter in their own way
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={`${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')}`}
      className="h-1.5 overflow-hidden rounded-full bg-hover"
    >
      <div className={cn('h-full rounded-full', tone)} style={{ width: `${percent}%` }} />
    </div>
  )
}
