import { useQuery } from '@tanstack/react-query'
import { type Sync, syncModes } from '@tributary/contract'
import { ArrowLeftRight, Pause, Play } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { DetailPage } from '../../../components/detail-page.tsx'
import { useVisited } from '../../../lib/browser/recent.ts'
import { paths } from '../../../lib/paths.ts'
import { audienceQuery } from '../../../lib/queries/audience-queries.ts'
import { isRunning, syncQuery } from '../../../lib/queries/sync-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { lazyPart } from '../../../ui/page/lazy-part.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { NextRun, RunBadge } from '../run-badge.tsx'
import { RunSteps } from '../runs/run-steps.tsx'
import { usePauseSync, useRunSync } from '../sync-mutations.ts'
import { hasEnded, isOfEvents, runSummary, syncScheduleTitle } from '../sync-words.ts'
import { ObjectFacts } from './object-facts.tsx'
import { RunsTab } from './runs-tab.tsx'

const MappingTab = lazyPart(async () => (await import('./mapping-tab.tsx')).MappingTab)
const SettingsTab = lazyPart(async () => (await import('./settings-tab.tsx')).SettingsTab)

const Fact = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-ink-3">{title}</dt>
    <dd className="mt-0.5 text-sm break-words">{children}</dd>
  </div>
)

/** Shows that the audience of a sync is no longer kept current. */
const AudienceNote = ({ name }: { name: string }) => {
  const { data } = useQuery(audienceQuery(name))
  if (data?.state !== 'paused' && data?.state !== 'failed') return null
  return (
    <p className="mb-5 rounded-lg border border-line bg-surface px-4 py-3 text-sm">
      {data.state === 'paused'
        ? 'Its audience is paused, so runs send the members as they were then: '
        : 'Its audience failed, so runs fail and send nothing: '}
      <Link to={paths.audience(name)} className="rounded-sm text-accent-ink hover:underline">
        {data.title}
      </Link>
    </p>
  )
}

const Overview = ({ sync }: { sync: Sync }) => {
  const { model, destination, object_name, mode, last_run, schedule_note } = sync
  return (
    <Card>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 lg:grid-cols-5">
        <Fact title="Model">
          <Link to={paths.model(model.name)} className="rounded-sm hover:underline">
            {model.title}
          </Link>
        </Fact>
        <Fact title={isOfEvents(sync) ? 'Source' : 'Destination'}>
          <Link
            to={isOfEvents(sync) ? paths.source(destination.name) : paths.destination(destination.name)}
            className="rounded-sm hover:underline"
          >
            {destination.title}
          </Link>{' '}
          <span className="text-ink-2">· {object_name}</span>
        </Fact>
        <Fact title="Mode">{syncModes[mode].title}</Fact>
        <Fact title="Schedule">{syncScheduleTitle(sync)}</Fact>
        <Fact title="Next run">
          <NextRun sync={sync} />
        </Fact>
      </dl>
      {schedule_note !== '' && (
        <output className="mt-3 block text-sm break-words text-warning-ink">{schedule_note}</output>
      )}
      {last_run !== null && (
        <div className="mt-4 border-t border-line pt-4">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span className="font-medium">{hasEnded(last_run) ? 'Last run' : 'Current run'}</span>
            <RunBadge run={last_run} />
            <span className="min-w-0 break-words text-ink-2">{runSummary(last_run)}</span>
            <RelativeTime time={last_run.create_time} className="text-xs text-ink-3" />
            <Link to={paths.syncRun(last_run.name)} className="rounded-sm text-accent-ink hover:underline">
              {last_run.state === 'needs_approval' ? 'Review' : 'Open run'}
            </Link>
          </p>
          {last_run.message !== '' && (
            <p className="mt-1 text-sm break-words text-ink-2">
              {last_run.message}
              {last_run.message.endsWith('.') ? '' : '.'}
            </p>
          )}
          {isRunning(last_run) && (
            <div className="mt-4">
              <RunSteps run={last_run} />
            </div>
          )}
        </div>
      )}
    </Card>
  )
}

const Actions = ({ sync }: { sync: Sync }) => {
  const run = useRunSync(sync)
  const pause = usePauseSync(sync)
  const { last_run, paused, interval_minutes, cron, after } = sync
  const open = last_run !== null && !hasEnded(last_run)
  return (
    <>
      {(interval_minutes !== null || cron !== null || after !== null || paused) && (
        <Button loading={pause.isPending} onClick={() => pause.mutate()}>
          {paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {paused ? 'Resume' : 'Pause'}
        </Button>
      )}
      {open ? (
        <ButtonLink to={paths.syncRun(last_run.name)} variant="primary">
          {last_run.state === 'needs_approval' ? 'Review run' : 'See run'}
        </ButtonLink>
      ) : (
        <Button variant="primary" loading={run.isPending} onClick={() => run.mutate(false)}>
          <Play aria-hidden />
          Run now
        </Button>
      )}
    </>
  )
}

const SyncView = ({ item: sync }: { item: Sync }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  useVisited(workspace, 'sync', { ...sync, app: { display_name: 'Sync', extra: { app_icon: '' } } })
  return (
    <>
      <PageHeader
        title={sync.title}
        description="Sync"
        icon={
          <span className="grid size-11 place-items-center rounded-md border border-line bg-surface">
            <ArrowLeftRight aria-hidden className="size-5 text-ink-2" />
          </span>
        }
        crumbs={[{ label: 'Syncs', to: paths.syncs(workspace) }]}
        action={
          <>
            {sync.paused && <Badge tone="outline">Paused</Badge>}
            {mayEdit && <Actions sync={sync} />}
          </>
        }
      />
      {sync.model.audience !== '' && <AudienceNote name={sync.model.audience} />}
      <div className="mb-5">
        <Overview sync={sync} />
      </div>
      <Tabs
        browsable
        label="Sync"
        tabs={[
          {
            id: 'runs',
            name: 'Runs',
            content: (
              <>
                <ObjectFacts sync={sync} />
                <RunsTab sync={sync} />
              </>
            ),
          },
          { id: 'mapping', name: 'Mapping', hash: 'mapping', content: <MappingTab sync={sync} /> },
          { id: 'settings', name: 'Settings', hash: 'settings', content: <SettingsTab sync={sync} /> },
        ]}
      />
    </>
  )
}

/** One sync: its configuration, schedule, runs, mapping, and settings. */
export const SyncPage = () => {
  const workspace = useWorkspace()
  const { syncId } = useParams()
  const query = useQuery(syncQuery(`${workspace.name}/syncs/${syncId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the sync" View={SyncView} />
}
