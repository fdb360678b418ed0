import { useQuery } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { sentence } from '../../lib/format/text.ts'
import { signalPlatformsQuery } from '../../lib/queries/signal-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'

const anyConversion = { type: 'purchase', custom_name: '' } as const

/**
 * Shows that the API version of some platforms ends soon, for the given destinations. Shows nothing if no version does.
 */
export const VersionNotices = ({ destinations }: { destinations: readonly string[] }) => {
  const { data } = useQuery(signalPlatformsQuery(useWorkspace().name, anyConversion))
  const notices = new Set(
    (data ?? []).flatMap(({ destination, api_notice }) =>
      api_notice !== '' && destinations.includes(destination) ? [sentence(api_notice)] : [],
    ),
  )
  if (notices.size === 0) return null
  return (
    <ul aria-label="Notices" className="space-y-2">
      {[...notices].map((notice) => (
        <li
          key={notice}
          className="flex items-start gap-2.5 rounded-lg bg-warning-soft px-4 py-2.5 text-sm text-warning-ink"
        >
          <CalendarClock aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{notice}</span>
        </li>
      ))}
    </ul>
  )
}
