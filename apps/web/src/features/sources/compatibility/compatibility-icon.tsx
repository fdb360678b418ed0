import type { Compatibility } from '@tributary/contract'
import { CircleAlert, CircleCheck, CirclePlus } from 'lucide-react'
import { compatibilityWords } from '../../../lib/events/compatibility-words.ts'
import { cn } from '../../../ui/cn.ts'
import { Tooltip } from '../../../ui/overlays/tooltip.tsx'

const looks = {
  compatible: { Icon: CircleCheck, tone: 'text-success-ink' },
  incompatible: { Icon: CirclePlus, tone: 'text-accent-ink' },
  needsAttention: { Icon: CircleAlert, tone: 'text-warning-ink' },
} as const

/** The result of an event's validation as an icon, with its text on hover and for screen readers. */
export const CompatibilityIcon = ({
  compatibility,
  className,
}: {
  compatibility: Compatibility
  className?: string
}) => {
  const { Icon, tone } = looks[compatibility]
  const { text } = compatibilityWords[compatibility]
  const sign = (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing of this page has no address for an img
    <span role="img" aria-label={text} className={cn('inline-grid shrink-0 place-items-center', tone, className)}>
      <Icon aria-hidden className="size-4" />
    </span>
  )
  return <Tooltip text={text}>{sign}</Tooltip>
}
