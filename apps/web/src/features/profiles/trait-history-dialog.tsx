import { useQuery } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useState } from 'react'
import { Link } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { profileIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { query } from '../../lib/queries/query.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { traitText } from './profile-words.ts'

/** The values of a trait of a profile, the latest first. */
const traitHistoryQuery = (profile: string, trait: string) =>
  query(
    methods.profiles.getTraitHistory,
    { params: profileIds(profile), query: { trait } },
    { staleTime: 0, read: ({ values }) => values },
  )

/** The current and earlier values of a trait, latest first, each with the event that set it. */
export const TraitHistoryDialog = ({
  profile,
  trait,
  titleOf,
  onClose,
}: {
  /** Resource name. */
  profile: string
  trait: string
  /** The title of a source by its resource name. */
  titleOf: (source: string) => string
  onClose: () => void
}) => {
  const [open, setOpen] = useState(true)
  const history = useQuery(traitHistoryQuery(profile, trait))
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClose} title={`History of ${trait}`}>
      <QueryView query={history} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the history">
        {(values) => (
          <ol aria-label="Values" className="-my-3 divide-y divide-line">
            {values.map(({ value, time, source, event }, index) => (
              <li key={event} className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 py-3 text-sm">
                <span className="min-w-0 flex-1 basis-40 break-words">
                  {value === null ? <span className="text-ink-3">Too large to keep</span> : traitText(value)}
                  {index === 0 && <span className="ml-2 text-xs text-ink-3">Current</span>}
                </span>
                <span className="flex flex-wrap items-baseline gap-x-2 text-xs text-ink-3">
                  <span>{titleOf(source)}</span>
                  <Link
                    to={paths.event(event)}
                    title="The event it comes from"
                    className="rounded-sm text-accent-ink hover:underline"
                  >
                    <RelativeTime time={time} />
                  </Link>
                </span>
              </li>
            ))}
          </ol>
        )}
      </QueryView>
    </Dialog>
  )
}
