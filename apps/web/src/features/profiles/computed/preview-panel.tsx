import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ComputedTraitDefinition, ComputedTraitPreview } from '@tributary/contract'
import { Link } from 'react-router'
import { failureText } from '../../../lib/api/errors.ts'
import { sentence } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { computedTraitPreviewQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { traitText } from '../profile-words.ts'

const Value = ({ value, has_value }: Omit<ComputedTraitPreview['sample'][number], 'profile'>) => {
  if (!has_value) return <span className="text-ink-3">No value</span>
  return value === null ? <span className="text-ink-3">Too large to keep</span> : <span>{traitText(value)}</span>
}

const Sample = ({ preview, stale }: { preview: ComputedTraitPreview; stale: boolean }) =>
  preview.sample.length === 0 ? (
    <p className="text-sm text-ink-2">No profile has this event in the window.</p>
  ) : (
    <div aria-busy={stale || undefined} className={stale ? 'space-y-3 text-ink-3' : 'space-y-3'}>
      <ul aria-label="Values" className="divide-y divide-line">
        {preview.sample.map(({ profile, ...given }) => (
          <li key={profile.name} className="flex items-baseline gap-3 py-1.5 text-sm">
            <Link
              to={paths.profile(profile.name)}
              target="_blank"
              title={profile.title}
              className="min-w-0 flex-1 truncate rounded-sm hover:underline"
            >
              {profile.title}
            </Link>
            <span className="max-w-32 truncate text-right tabular">
              <Value {...given} />
            </span>
          </li>
        ))}
      </ul>
      <p className="text-xs text-ink-3">
        Exact as of <RelativeTime time={preview.as_of} />, for the profiles with the latest events.
      </p>
    </div>
  )

const Preview = ({ definition }: { definition: ComputedTraitDefinition }) => {
  const workspace = useWorkspace().name
  const query = useQuery({ ...computedTraitPreviewQuery(workspace, definition), placeholderData: keepPreviousData })
  if (query.isError)
    return (
      <div className="space-y-2">
        <Alert className="text-sm">Could not compute the preview: {sentence(failureText(query.error))}</Alert>
        <Button size="sm" onClick={() => void query.refetch()}>
          Compute again
        </Button>
      </div>
    )
  if (query.data === undefined)
    return (
      <div aria-busy className="space-y-3">
        <Skeleton className="h-4 w-full" />
        <Skeleton className="h-4 w-full" />
      </div>
    )
  return <Sample preview={query.data} stale={query.isPlaceholderData} />
}

/** The results of a definition for some profiles, beside the form; undefined while it has errors. */
export const PreviewPanel = ({ definition }: { definition: ComputedTraitDefinition | undefined }) => (
  <Card title="Preview">
    {definition === undefined ? (
      <p className="text-sm text-ink-2">Complete the definition to see its values for some profiles.</p>
    ) : (
      <Preview definition={definition} />
    )}
  </Card>
)
