import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AudiencePreview, type AudienceQuery, audienceSentence } from '@tributary/contract'
import { Link } from 'react-router'
import { failureText } from '../../../lib/api/errors.ts'
import { about, count, pluralise, sentence } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { audiencePreviewQuery, audiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'

const share = (some: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * some) / all)}%`)

const sizeOf = ({ exact }: AudiencePreview, value: number): string => (exact ? count(value) : about(value))

const Shares = ({ preview }: { preview: AudiencePreview }) => (
  <dl className="grid grid-cols-3 gap-2 border-y border-line py-3 text-center">
    {(
      [
        ['Email', preview.email_count],
        ['Phone', preview.phone_count],
        ['Device', preview.device_count],
      ] as const
    ).map(([name, some]) => (
      <div key={name} title={`${sizeOf(preview, some)} of ${sizeOf(preview, preview.size)}`}>
        <dt className="text-xs text-ink-3">{name}</dt>
        <dd className="text-sm font-medium tabular">{share(some, preview.size)}</dd>
      </div>
    ))}
  </dl>
)

const Counted = ({ preview, stale }: { preview: AudiencePreview; stale: boolean }) => (
  <div className="space-y-3" aria-busy={stale || undefined}>
    <output aria-live="polite" className={stale ? 'block text-ink-3' : 'block'}>
      <span className="text-2xl font-semibold tracking-tight tabular">{sizeOf(preview, preview.size)}</span>{' '}
      <span className="text-sm text-ink-2">{pluralise(preview.size, 'profile')}</span>
      <span className="block text-xs text-ink-3">
        {preview.exact ? (
          <>
            Exact as of <RelativeTime time={preview.as_of} />
          </>
        ) : (
          'Estimated from a sample. Counting every profile…'
        )}
      </span>
    </output>
    <Shares preview={preview} />
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

/**
 * Returns the current result of a query: first an estimate, then the exact number. Returns the result of the previous
 * query until then.
 */
const usePreview = (tree: AudienceQuery) => {
  const workspace = useWorkspace().name
  const first = useQuery({
    ...audiencePreviewQuery(workspace, tree, { estimate: true }),
    placeholderData: keepPreviousData,
  })
  const isEstimate = first.data?.exact === false
  const exact = useQuery({
    ...audiencePreviewQuery(workspace, tree, { estimate: false }),
    placeholderData: keepPreviousData,
    enabled: isEstimate && !first.isPlaceholderData,
  })
  const counted = isEstimate && exact.isPlaceholderData === first.isPlaceholderData ? exact.data : undefined
  return {
    failed: [first, exact].find(({ isError }) => isError),
    preview: counted ?? first.data,
    stale: first.isPlaceholderData,
  }
}

const Estimate = ({ query: tree }: { query: AudienceQuery }) => {
  const { failed, preview, stale } = usePreview(tree)
  if (failed !== undefined)
    return (
      <div className="space-y-2">
        <Alert className="text-sm">Could not count the profiles: {sentence(failureText(failed.error))}</Alert>
        <Button size="sm" onClick={() => void failed.refetch()}>
          Count again
        </Button>
      </div>
    )
  // The sample of a small audience can be empty although the audience is not.
  if (preview === undefined || (!preview.exact && preview.size === 0))
    return (
      <div aria-busy className="space-y-3">
        <Skeleton className="h-7 w-32" />
        <Skeleton className="h-12 w-full" />
      </div>
    )
  return <Counted preview={preview} stale={stale} />
}

/** Returns a function for the titles of the workspace's audiences by resource name, for use in sentences. */
export const useAudienceTitles = (): ((audience: string) => string) => {
  const audiences = useQuery(audiencesQuery(useWorkspace().name)).data
  return (name) => audiences?.find((each) => each.name === name)?.title ?? 'another audience'
}

/** The whole query as a sentence, with the titles of its audiences. */
export const Sentence = ({ query }: { query: AudienceQuery }) => (
  <p className="text-sm break-words text-ink-2">{audienceSentence(query, useAudienceTitles())}</p>
)

/** The profiles that a query matches now, beside the builder; undefined while the query has errors. */
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
