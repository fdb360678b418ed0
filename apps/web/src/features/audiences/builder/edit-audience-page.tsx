import { useQuery } from '@tanstack/react-query'
import { type Audience, type AudienceQuery, listOf } from '@tributary/contract'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { FillPage } from '../../../components/create-flow.tsx'
import { ApiError } from '../../../lib/api/errors.ts'
import { count } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { audienceQuery, audienceVersionQuery } from '../../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { EditList } from '../lists/edit-list.tsx'
import { useUpdateAudience } from '../mutations.ts'
import { BuilderPage } from './builder-page.tsx'
import { Sentence } from './estimate-panel.tsx'
import { useDraft } from './use-draft.ts'

/** A version that another user saved while the audience was edited. */
type Newer = { version: number; author: string; time: string }

const newerOf = (error: Error | null): Newer | undefined => {
  if (!(error instanceof ApiError) || error.body.reason !== 'AUDIENCE_CHANGED') return undefined
  const { version = '', author = '', time = '' } = error.body.metadata ?? {}
  return { version: Number(version), author, time }
}

/** Shown instead of overwriting another user's version: its author, time and changes, and the two options. */
const Conflict = ({
  audience,
  newer,
  saving,
  onSave,
  onLoad,
}: {
  audience: string
  newer: Newer
  saving: boolean
  onSave: () => void
  onLoad: () => void
}) => {
  const theirs = useQuery(audienceVersionQuery(audience, newer.version)).data
  return (
    <section
      role="alert"
      aria-label="The audience has changed"
      className="rounded-lg border border-warning bg-warning-soft p-4 text-sm text-warning-ink"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        The audience has changed
      </h2>
      <p className="mt-1">
        {newer.author === '' ? 'Someone' : newer.author} saved version {count(newer.version)}{' '}
        <RelativeTime time={newer.time} />. Your changes are not saved yet.
      </p>
      {theirs !== undefined && (
        <div className="mt-2 rounded-md bg-surface p-3">
          <p className="text-sm font-medium break-words text-ink">{theirs.title}</p>
          <Sentence query={theirs.query} />
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="inverse" loading={saving} onClick={onSave}>
          Save mine as the newest version
        </Button>
        <Button onClick={onLoad}>Load theirs</Button>
      </div>
    </section>
  )
}

const EditAudience = ({ audience: given, onLoad }: { audience: Audience; onLoad: () => void }) => {
  // The form keeps the opened version, so that another user's change is reported on saving.
  const [audience] = useState(given)
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const building = useDraft(() => audience.query)
  const update = useUpdateAudience(audience)
  const [newer, setNewer] = useState<Newer>()
  const save = (change: { title: string; query: AudienceQuery }, version: number): void =>
    update.mutate(
      { ...change, version },
      {
        onSuccess: () => void navigate(paths.audience(audience.name)),
        onError: (error) => setNewer(newerOf(error)),
      },
    )
  return (
    <BuilderPage
      heading={`Edit ${audience.title}`}
      crumbs={[
        { label: 'Audiences', to: paths.audiences(workspace) },
        { label: audience.title, to: paths.audience(audience.name) },
      ]}
      own={audience.name}
      title={audience.title}
      building={building}
      saveLabel="Save Changes"
      saving={update.isPending || update.isSuccess}
      failure={newer === undefined ? update.error : null}
      conflict={
        newer === undefined
          ? undefined
          : (again) => (
              <Conflict
                audience={audience.name}
                newer={newer}
                saving={update.isPending}
                onSave={() => again((change) => save(change, newer.version))}
                onLoad={onLoad}
              />
            )
      }
      onSave={(change) => save(change, audience.version)}
    />
  )
}

/** The builder for an existing audience, or the form for its list. */
export const EditAudiencePage = () => {
  const workspace = useWorkspace().name
  const { audienceId } = useParams()
  const query = useQuery(audienceQuery(`${workspace}/audiences/${audienceId ?? ''}`))
  const [loads, setLoads] = useState(0)
  return (
    <FillPage query={query} errorTitle="Failed to load the audience">
      {(audience) =>
        listOf(audience.query) === undefined ? (
          <EditAudience
            key={`${audience.name} ${loads}`}
            audience={audience}
            onLoad={() => void query.refetch().then(() => setLoads((times) => times + 1))}
          />
        ) : (
          <EditList key={audience.name} audience={audience} />
        )
      }
    </FillPage>
  )
}
