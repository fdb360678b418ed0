import { useQuery } from '@tanstack/react-query'
import { type Sync, syncModes } from '@tributary/contract'
import { ArrowLeftRight, Database, Plus } from 'lucide-react'
import { useCallback } from 'react'
import { Link } from 'react-router'
import { ListPage } from '../../components/list-page.tsx'
import { paths } from '../../lib/paths.ts'
import { allModelsQuery, dataSourcesQuery } from '../../lib/queries/data-source-queries.ts'
import { syncsQuery } from '../../lib/queries/sync-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import { ListView, stateFilter } from '../../ui/lists/list-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { NextRun, RunBadge } from './run-badge.tsx'
import { type SyncFilters, type SyncState, syncRows } from './sync-rows.ts'
import { runStateTitles, runSummary, syncScheduleTitle } from './sync-words.ts'

const stateTitles = { ...runStateTitles, paused: 'Paused', never: 'Never ran' } as const satisfies Record<
  SyncState,
  string
>
const filters = [stateFilter(Object.keys(stateTitles) as SyncState[], stateTitles)]

const LastRun = ({ sync: { last_run, paused } }: { sync: Sync }) => {
  if (last_run === null)
    return paused ? <Badge tone="outline">Paused</Badge> : <span className="text-ink-3">Never ran</span>
  const summary = runSummary(last_run)
  return (
    <span className="block min-w-0 py-1.5">
      <span className="flex flex-wrap items-center gap-x-2">
        <Link to={paths.syncRun(last_run.name)} className="rounded-sm">
          <RunBadge run={last_run} />
        </Link>
        <RelativeTime time={last_run.create_time} className="text-xs whitespace-nowrap text-ink-3 max-lg:hidden" />
      </span>
      {summary !== '' && (
        <span className="mt-0.5 block truncate text-xs text-ink-2 max-sm:hidden" title={summary}>
          {summary}
        </span>
      )}
    </span>
  )
}

const columns: readonly Column<Sync>[] = [
  {
    id: 'title',
    header: 'Sync',
    value: ({ title }) => title.toLowerCase(),
    cell: ({ name, title, model, destination, object_name }) => {
      const way = `${model.title} → ${destination.title} · ${object_name}`
      return (
        <span className="block min-w-0 py-1.5">
          <Link
            to={paths.sync(name)}
            title={title}
            className="block w-fit max-w-full truncate rounded-sm font-medium hover:underline"
          >
            {title}
          </Link>
          <span className="block truncate text-xs text-ink-2" title={way}>
            {way}
          </span>
        </span>
      )
    },
  },
  {
    id: 'mode',
    header: 'Mode',
    value: ({ mode }) => syncModes[mode].title,
    cell: ({ mode }) => <span className="text-ink-2">{syncModes[mode].title}</span>,
    width: 'sm:w-36',
    wide: 'lg',
  },
  {
    id: 'schedule',
    header: 'Schedule',
    value: ({ interval_minutes }) => interval_minutes ?? 0,
    cell: (sync) => <span className="text-ink-2">{syncScheduleTitle(sync)}</span>,
    width: 'sm:w-36',
    wide: 'lg',
  },
  {
    id: 'last',
    header: 'Last run',
    value: ({ last_run }) => last_run?.create_time ?? '',
    cell: (sync) => <LastRun sync={sync} />,
    width: 'sm:w-56 lg:w-72',
  },
  {
    id: 'next',
    header: 'Next run',
    value: ({ next_run_time }) => next_run_time ?? '',
    cell: (sync) => <NextRun sync={sync} />,
    align: 'right',
    wide: true,
    width: 'sm:w-28',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: Sync): string => name
const titleOf = ({ title }: Sync): string => title

/** Returns the next step before the first sync exists; undefined if there is a sync. */
const useNextStep = (workspace: string, mayEdit: boolean, hasSyncs: boolean) => {
  const dataSources = useQuery(dataSourcesQuery(workspace)).data
  const models = useQuery(allModelsQuery(workspace)).data
  const [dataSource] = dataSources ?? []
  const add = (to: string, label: string, Icon: typeof Plus) => ({
    text: 'A sync brings the rows of a model, which is a table or query of your database, to a destination. It sends only what changed.',
    action: mayEdit && (
      <ButtonLink to={to} variant="primary">
        <Icon aria-hidden />
        {label}
      </ButtonLink>
    ),
  })
  const newSync = add(paths.newSync(workspace), 'New sync', Plus)
  if (hasSyncs) return newSync
  if (dataSources === undefined || models === undefined) return { text: '', action: false }
  if (dataSource === undefined)
    return {
      ...add(paths.catalogDataSources(workspace), 'Add data source', Database),
      text: 'A sync brings rows of your database to a destination. Add the database first. Nothing is ever written to it.',
    }
  if (models.length === 0)
    return {
      ...add(paths.dataSource(dataSource.name, 'models'), 'Create model', Plus),
      text: `A sync reads a model: a table or a query with a primary key. Create the first model of ${dataSource.title}.`,
    }
  return newSync
}

/** The syncs of the workspace. */
export const SyncsPage = () => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const query = useQuery(syncsQuery(workspace))
  const syncs = query.data
  const next = useNextStep(workspace, mayEdit, (syncs?.length ?? 0) > 0)
  const narrow = useCallback((values: SyncFilters) => syncRows(syncs ?? [], values), [syncs])
  return (
    <ListPage
      title="Syncs"
      description={
        <>
          Rows of your databases, brought to destinations.{' '}
          <Link to={paths.dataSources(workspace)} className="rounded-sm text-accent-ink underline underline-offset-3">
            Data sources
          </Link>{' '}
          ·{' '}
          <Link to={paths.syncTokens(workspace)} className="rounded-sm text-accent-ink underline underline-offset-3">
            API tokens
          </Link>{' '}
          ·{' '}
          <Link to={paths.alertChannels(workspace)} className="rounded-sm text-accent-ink underline underline-offset-3">
            Alert channels
          </Link>
        </>
      }
      query={query}
      errorTitle="Failed to load the syncs"
      action={next.action}
      empty={{ icon: <ArrowLeftRight />, title: 'Create your first sync', text: next.text }}
    >
      {(all) => (
        <ListView
          label="Syncs"
          noun="sync"
          total={all.length}
          filters={filters}
          narrow={narrow}
          columns={columns}
          idOf={idOf}
          titleOf={titleOf}
        />
      )}
    </ListPage>
  )
}
