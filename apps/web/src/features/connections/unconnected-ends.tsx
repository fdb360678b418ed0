import { ChevronRight, Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import { count, pluralise } from '../../lib/format/text.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Badge } from '../../ui/badge.tsx'
import { cn } from '../../ui/cn.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { MapEnd } from './map-layout.ts'

/** Maximum number of listed sources or destinations. The search finds all others. */
const maxShown = 100

/** Shows the number of unconnected sources or destinations and, on request, their list. */
export const UnconnectedEnds = ({
  noun,
  ends,
  to,
  connectLabel,
  onConnect,
}: {
  noun: 'source' | 'destination'
  ends: readonly MapEnd[]
  to: (name: string) => string
  connectLabel: (title: string) => string
  /** Absent for readers. */
  onConnect: ((name: string) => void) | undefined
}) => {
  const id = useId()
  const [open, setOpen] = useState(false)
  if (ends.length === 0) return null
  const words = `${count(ends.length)} ${pluralise(ends.length, noun)} not connected`
  return (
    <section aria-label={words} className="rounded-lg border border-line bg-surface shadow-card">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 rounded-lg px-3 py-2.5 text-left text-sm font-medium hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-4 text-ink-3 transition-transform', open && 'rotate-90')} />
        {words}
      </button>
      <div id={id} hidden={!open} className="border-t border-line">
        {open && (
          <ul className="max-h-96 divide-y divide-line overflow-y-auto scroll-thin">
            {ends.slice(0, maxShown).map((end) => (
              <li key={end.name} className="flex min-h-11 items-center gap-3 px-3">
                <AppIcon icon={end.icon} />
                <Link
                  to={to(end.name)}
                  title={end.title}
                  className="min-w-0 flex-1 truncate rounded-sm font-medium hover:underline"
                >
                  {end.title}
                </Link>
                {end.off !== undefined && <Badge tone="outline">{end.off}</Badge>}
                {onConnect !== undefined && (
                  <IconButton
                    size="sm"
                    label={connectLabel(end.title)}
                    icon={Plus}
                    title={connectLabel(end.title)}
                    onClick={() => onConnect(end.name)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        {open && ends.length > maxShown && (
          <p className="border-t border-line px-3 py-2 text-xs text-ink-3">
            {count(maxShown)} of {count(ends.length)}. Search above to find more.
          </p>
        )}
      </div>
    </section>
  )
}
