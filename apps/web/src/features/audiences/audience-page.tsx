import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Audience, methods } from '@tributary/contract'
import { Pause, Pencil, Play, RefreshCw, Target } from 'lucide-react'
import { useParams } from 'react-router'
import { DetailPage } from '../../components/detail-page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { useVisited } from '../../lib/browser/recent.ts'
import { audienceIds } from '../../lib/format/names.ts'
import { count, pluralise, sentence } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { audienceQuery } from '../../lib/queries/audience-queries.ts'
import { query, refresh } from '../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Alert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { isUnderWay, listChangeText, situationText, stateText, stateTones } from './audience-words.ts'
import { Sentence } from './builder/estimate-panel.tsx'
import { CheckTab } from './check-tab.tsx'
import { DestinationsTab } from './destinations-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { VersionsTab } from './versions-tab.tsx'

/** The SQL of an audience. */
const audienceStatementsQuery = (audience: string) =>
  query(methods.audiences.getStatements, { params: audienceIds(audience) }, { staleTime: 0 })

/** Starts the computation of an audience. */
const useComputeAudience = (audience: Audience) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.audiences.compute, { params: audienceIds(audience.name), body: {} }),
    onSuccess: (started) => cache.setQueryData(audienceQuery(audience.name).queryKey, started),
    onError: (error) => notifyRefusal('Could not compute the audience', error),
  })
}

/** Pauses an audience, or resumes a paused one. */
const usePauseAudience = (audience: Audience) => {
  const cache = useQueryClient()
  const paused = audience.state === 'paused'
  return useMutation<unknown, Error, void>({
    mutationFn: () =>
      call(paused ? methods.audiences.resume : methods.audiences.pause, {
        params: audienceIds(audience.name),
        body: {},
      }),
    onSuccess: () => notify('success', paused ? 'Audience Resumed' : 'Audience Paused'),
    onError: (error) => notifyRefusal(`Could not ${paused ? 'resume' : 'pause'} the audience`, error),
    onSettled: () => {
      const { workspace } = audienceIds(audience.name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}

const Size = ({ audience }: { audience: Audience }) => {
  const { size, as_of, failure, state, list } = audience
  const situation = situationText(audience)
  return (
    <Card>
      <div className="flex flex-wrap items-end gap-x-8 gap-y-3">
        <p>
          <span className="text-2xl font-semibold tracking-tight tabular">{size === null ? '–' : count(size)}</span>{' '}
          <span className="text-sm text-ink-2">{pluralise(size ?? 0, 'profile')}</span>
          <span className="block text-xs text-ink-3">
            {as_of === null ? (
              'Not computed yet'
            ) : (
              <>
                Exact as of <RelativeTime time={as_of} />
              </>
            )}
          </span>
        </p>
        <div className="min-w-0 flex-1 basis-64">
          <Sentence query={audience.query} />
          {list !== null && (
            <p className="mt-1 text-xs break-words text-ink-3">
              {listChangeText(list)} <RelativeTime time={list.time} />
              {list.author !== '' && ` by ${list.author}`}. Users who become known later do not join.
            </p>
          )}
        </div>
      </div>
      {situation !== '' && <p className="mt-3 text-sm text-ink-2 tabular">{situation}</p>}
      {state === 'failed' && (
        <Alert className="mt-3 text-sm break-words">Could not compute the audience: {sentence(failure)}</Alert>
      )}
    </Card>
  )
}

const SqlTab = ({ audience }: { audience: Audience }) => {
  const query = useQuery(audienceStatementsQuery(audience.name))
  const titles = { events: 'Event store', profiles: 'Profiles' } as const
  return (
    <QueryView query={query} skeleton={<CardSkeleton />} errorTitle="Failed to load the SQL">
      {({ as_of, statements }) => (
        <div className="space-y-4">
          <p className="text-sm text-ink-2">
            The event store finds sets of profiles by their events. PostgreSQL decides with them, and with traits, who
            is in the audience. As of <RelativeTime time={as_of} />.
          </p>
          {statements.map(({ store, text, params }) => (
            <CodeBlock
              key={store}
              label="Part"
              notice="SQL copied"
              codes={[
                { title: titles[store], language: 'sql', text },
                { title: 'Parameters', language: 'json', text: JSON.stringify(params, undefined, 2) },
              ]}
            />
          ))}
        </div>
      )}
    </QueryView>
  )
}

const Actions = ({ audience }: { audience: Audience }) => {
  const mayEdit = useMayEdit() === true
  const compute = useComputeAudience(audience)
  const pause = usePauseAudience(audience)
  const paused = audience.state === 'paused'
  return (
    <>
      <Badge tone={stateTones[audience.state]} dot={audience.state === 'live'}>
        {stateText(audience)}
      </Badge>
      {mayEdit && (
        <>
          <Button loading={pause.isPending} onClick={() => pause.mutate()}>
            {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
            {paused ? 'Resume' : 'Pause'}
          </Button>
          {!paused && (
            <Button loading={compute.isPending || isUnderWay(audience)} onClick={() => compute.mutate()}>
              <RefreshCw aria-hidden />
              Compute now
            </Button>
          )}
          <ButtonLink to={paths.editAudience(audience.name)} variant="primary">
            <Pencil aria-hidden />
            Edit
          </ButtonLink>
        </>
      )}
    </>
  )
}

const AudienceView = ({ item: audience }: { item: Audience }) => {
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  useVisited(workspace.name, 'audience', { ...audience, app: { display_name: 'Audience', extra: { app_icon: '' } } })
  return (
    <>
      <PageHeader
        title={audience.title}
        description={
          <>
            Version {count(audience.version)}, changed <RelativeTime time={audience.update_time} />
            {audience.author !== '' && ` by ${audience.author}`}
          </>
        }
        icon={
          <span className="grid size-11 place-items-center rounded-md border border-line bg-surface">
            <Target aria-hidden className="size-5 text-ink-2" />
          </span>
        }
        crumbs={[{ label: 'Audiences', to: paths.audiences(workspace.name) }]}
        action={<Actions audience={audience} />}
      />
      <div className="mb-5">
        <Size audience={audience} />
      </div>
      <Tabs
        browsable
        label="Audience"
        tabs={[
          { id: 'profiles', name: 'Profiles', content: <MembersTab audience={audience} /> },
          { id: 'history', name: 'History', hash: 'history', content: <HistoryTab audience={audience} /> },
          {
            id: 'destinations',
            name: 'Destinations',
            hash: 'destinations',
            content: <DestinationsTab audience={audience} />,
          },
          { id: 'check', name: 'Check a profile', hash: 'check', content: <CheckTab audience={audience} /> },
          { id: 'versions', name: 'Versions', hash: 'versions', content: <VersionsTab audience={audience} /> },
          { id: 'sql', name: 'SQL', hash: 'sql', content: <SqlTab audience={audience} /> },
          ...(mayEdit
            ? [
                {
                  id: 'settings',
                  name: 'Settings',
                  hash: 'settings',
                  content: <SettingsTab audience={audience} />,
                },
              ]
            : []),
        ]}
      />
    </>
  )
}

/** The page of an audience: its size, its members, and its SQL. */
export const AudiencePage = () => {
  const workspace = useWorkspace()
  const { audienceId } = useParams()
  const query = useQuery(audienceQuery(`${workspace.name}/audiences/${audienceId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the audience" View={AudienceView} />
}
