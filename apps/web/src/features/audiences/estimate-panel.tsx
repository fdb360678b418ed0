import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AudiencePreview, type AudienceQuery, audienceSentence } from '@tributary/contract'
import { Link } from 'react-router'
import { failureText } from '../../lib/api/errors.ts'
import { count, pluralise, sentence } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { audiencePreviewQuery, audiencesQuery } from '../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const share = (some: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * some) / all)}%`)

const Shares = ({ size, email_count, phone_count, device_count }: AudiencePreview) => (
  <dl className="grid grid-cols-3 gap-2 border-y border-line py-3 text-center">
    {(
      [
        ['Email', email_count],
        ['Phone', phone_count],
        ['Device', device_count],
      ] as const
    ).map(([name, some]) => (
      <div key={name} title={`${count(some)} of ${count(size)}`}>
        <dt className="text-xs text-ink-3">{name}</dt>
        <dd className="text-sm font-medium tabular">{share(some, size)}</dd>
      </div>
    ))}
  </dl>
)

const Counted = ({ preview, stale }: { preview: AudiencePreview; stale: boolean }) => (
  <div className="space-y-3" aria-busy={stale || undefined}>
    <output aria-live="polite" className={stale ? 'block text-ink-3' : 'block'}>
      <span className="text-2xl font-semibold tracking-tight tabular">{count(preview.size)}</span>{' '}
      <span className="text-sm text-ink-2">{pluralise(preview.size, 'profile')}</span>
      <span className="block text-xs text-ink-3">
        Exact as of <RelativeTime time={preview.as_of} />
      </span>
    </output>
    <Shares {...preview} />
    {preview.sample.length > 0 && (
      <ul aria-label="Some of them" className="space-y-1.5">
        {preview.sample.map((profile) => (
          <li key={profile.name} className="flex items-center gap-2">
            <Avatar title={profile.title} size="xs" />
            <Link
              to={paths.profile(profile.name)}
              target="_blank"
              className="min-w-0 truncate rounded-sm text-sm hover:underline"
            >
              {profile.title}
            </Link>
          </li>
        ))}
      </ul>
    )}
  </div>
)

const Estimate = ({ query: tree }: { query: AudienceQuery }) => {
  const workspace = useWorkspace().name
  const query = useQuery({ ...audiencePreviewQuery(workspace, tree), placeholderData: keepPreviousData })
  if (query.isError)
    return (
      <div className="space-y-2">
        <p role="alert" className="text-sm text-danger-ink">
          Could not count the profiles: {sentence(failureText(query.error))}
        </p>
        <Button size="sm" onClick={() => void query.refetch()}>
          Count again
        </Button>
      </div>
    )
  if (query.data === undefined)
    return (
      <div aria-busy className="space-y-3">
        <Skeleton className="h-7 w-32" />
        <Skeleton className="h-12 w-full" />
      </div>
    )
  return <Counted preview={query.data} stale={query.isPlaceholderData} />
}

/** How audiences of the workspace are called in sentences, by their resource names. */
export const useAudienceTitles = (): ((audience: string) => string) => {
  const audiences = useQuery(audiencesQuery(useWorkspace().name)).data
  return (name) => audiences?.find((each) => each.name === name)?.title ?? 'another audience'
}

/** The whole query as a sentence, with the titles of the audiences that it names. */
export const Sentence = ({ query }: { query: AudienceQuery }) => (
  <p className="text-sm break-words text-ink-2">{audienceSentence(query, useAudienceTitles())}</p>
)

/** Who a query finds now, beside the builder; undefined while something is wrong with it. */
export const EstimatePanel = ({ query }: { query: AudienceQuery | undefined }) => (
  <Card title="Who is in it">
    {query === undefined ? (
      <p className="text-sm text-ink-2">Complete every condition to see the number of profiles.</p>
    ) : (
      <div className="space-y-4">
        <Estimate query={query} />
        <Sentence query={query} />
      </div>
    )}
  </Card>
)
