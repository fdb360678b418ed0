import type { ProfileSummary } from '@tributary/contract'
import { Link } from 'react-router'
import { paths } from '../lib/paths.ts'
import { Avatar } from '../ui/avatar.tsx'

/** A profile in a list, with its email unless that is its title. */
export const ProfileCell = ({ profile }: { profile: ProfileSummary }) => (
  <span className="flex min-w-0 items-center gap-3 py-1.5">
    <Avatar title={profile.title} />
    <span className="min-w-0">
      <Link
        to={paths.profile(profile.name)}
        title={profile.title}
        className="block truncate rounded-sm font-medium hover:underline"
      >
        {profile.title}
      </Link>
      {profile.email !== '' && profile.email !== profile.title && (
        <span className="block truncate text-xs text-ink-3">{profile.email}</span>
      )}
    </span>
  </span>
)
