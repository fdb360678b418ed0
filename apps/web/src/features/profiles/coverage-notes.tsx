import { useQuery } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { Link } from 'react-router'
import { workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { query } from '../../lib/queries/query.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { readShare, withoutProfileText } from './coverage-words.ts'

/** Which events have no profile, and how far profiles are with earlier events. */
const profileCoverageQuery = (workspace: string) =>
  query(
    methods.profiles.getCoverage,
    { params: workspaceIds(workspace) },
    {
      // A user who returns to the page expects the latest state.
      staleTime: 0,
      refetchInterval: ({ state: { data } }) => (data !== undefined && data.reading !== null ? 3_000 : 30_000),
    },
  )

/** Shows what the list of profiles lacks: earlier events that are not read yet, and events without a profile. */
export const CoverageNotes = () => {
  const workspace = useWorkspace().name
  const coverage = useQuery(profileCoverageQuery(workspace)).data
  if (coverage === undefined) return null
  const { reading } = coverage
  const without = withoutProfileText(coverage)
  return (
    <>
      {reading !== null && (
        <div className="max-w-md space-y-1.5">
          <progress
            aria-label="Earlier events read"
            className="sr-only"
            max={100}
            value={readShare(reading)}
            aria-valuetext={`${readShare(reading)}%`}
          />
          <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
            <div
              className="h-full rounded-full bg-accent transition-[width] duration-500"
              style={{ width: `${readShare(reading)}%` }}
            />
          </div>
          <p className="text-sm text-ink-2 tabular">
            {readShare(reading)}% of earlier events are read. Newer events follow.
          </p>
        </div>
      )}
      {without !== '' && (
        <p className="text-sm text-ink-2">
          {without}{' '}
          <Link
            to={paths.events(workspace, { profile: 'none', range: '30days' })}
            className="rounded-sm font-medium whitespace-nowrap text-accent-ink hover:underline"
          >
            See events
          </Link>
        </p>
      )}
    </>
  )
}
