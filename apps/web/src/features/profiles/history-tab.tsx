import type { Profile, ProfileHistoryEntry } from '@tributary/contract'
import { CirclePlus, GitMerge, type LucideIcon, ShieldX, Split } from 'lucide-react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { Card } from '../../ui/card.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { historyText } from './profile-words.ts'

const icons: Readonly<Record<ProfileHistoryEntry['change'], LucideIcon>> = {
  created: CirclePlus,
  merged: GitMerge,
  split: Split,
  refused: ShieldX,
}

const Entry = ({ entry }: { entry: ProfileHistoryEntry }) => {
  const Icon = icons[entry.change]
  return (
    <li className="flex items-start gap-3 py-3">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
      <span className="min-w-0 flex-1">
        <span className="block text-sm break-words">{historyText(entry)}</span>
        <span className="flex flex-wrap gap-x-2 text-xs text-ink-3">
          <RelativeTime time={entry.time} />
          {entry.event !== '' && (
            <Link to={paths.event(entry.event)} className="rounded-sm text-accent-ink hover:underline">
              See event
            </Link>
          )}
          {entry.change === 'split' && (
            <Link to={paths.profile(entry.profile)} className="rounded-sm text-accent-ink hover:underline">
              See the other profile
            </Link>
          )}
        </span>
      </span>
    </li>
  )
}

/** The history of a profile: merges, splits, and rejected links, newest first. */
export const HistoryTab = ({ profile }: { profile: Profile }) => (
  <Card>
    <ol className="-my-3 divide-y divide-line">
      {profile.history.map((entry, index) => (
        // New entries come first in the list, so the position from its end is a stable key.
        <Entry key={profile.history.length - index} entry={entry} />
      ))}
    </ol>
  </Card>
)
