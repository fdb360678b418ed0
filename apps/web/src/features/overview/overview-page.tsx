import { useQuery } from '@tanstack/react-query'
import { type Connection, type Destination, methods, type Source } from '@tributary/contract'
import { ChartColumn } from 'lucide-react'
import { useMemo } from 'react'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { EventChart } from '../../components/event-chart.tsx'
import { HeldWorkCard } from '../../components/held-work-card.tsx'
import { UsageCard } from '../../components/usage-card.tsx'
import { useUi } from '../../lib/browser/ui-store.ts'
import type { RangePreset } from '../../lib/format/date-range.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { openInvite } from '../../lib/people/invite.ts'
import { invitationsQuery, membersQuery } from '../../lib/queries/organization-queries.ts'
import { rowsQuery } from '../../lib/queries/query.ts'
import { connectionsQuery, destinationsQuery, sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useIsAdministrator, useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { MaskToggle } from '../../ui/charts/metric.tsx'
import { RangeSelect, useRange } from '../../ui/charts/range-select.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { Figures } from './figures.tsx'
import { gettingStarted, remembered } from './getting-started.ts'
import { GettingStarted } from './getting-started-card.tsx'
import { RecentActivity } from './recent-activity.tsx'

/** The work of a workspace that is set aside. */
const heldWorkQuery = (workspace: string) =>
  rowsQuery(methods.heldWork.list, { params: workspaceIds(workspace) }, ({ held_work }) => held_work, {
    staleTime: 0,
    refetchInterval: 60_000,
  })

type Parts = {
  sources: readonly Source[]
  destinations: readonly Destination[]
  connections: readonly Connection[]
  people: number | undefined
}

/** Advice for a chart without events. */
const NoEvents = ({ sources, mayEdit }: { sources: readonly Source[]; mayEdit: boolean }) => {
  const workspace = useWorkspace()
  const silent = sources.every((source) => !source.has_received)
  const first = sources[0]
  return (
    <EmptyState
      icon={<ChartColumn />}
      title={silent ? 'No events yet' : 'No events in this range'}
      className="border-0 py-8"
      action={
        silent &&
        mayEdit &&
        (first === undefined ? (
          <ButtonLink to={paths.catalogSources(workspace.name)} variant="primary">
            Add source
          </ButtonLink>
        ) : (
          <ButtonLink to={paths.source(first.name, 'setup')} variant="primary">
            Send a first event
          </ButtonLink>
        ))
      }
    >
      {!silent
        ? 'Choose a longer range to see earlier ones.'
        : first === undefined
          ? 'Events from your sources are counted here. Add a source to get started.'
          : 'Events from your sources are counted here by hour or day.'}
    </EmptyState>
  )
}

/**
 * Returns the number of members and invited users of the organization: undefined for a user who cannot invite, and
 * 'loading' until it is known.
 */
const usePeople = (organization: string): number | 'loading' | undefined => {
  const role = useIsAdministrator()
  const enabled = role === true && organization !== ''
  const members = useQuery({ ...membersQuery(organization), enabled })
  const invitations = useQuery({ ...invitationsQuery(organization), enabled })
  if (organization !== '' && (role === 'unknown' || members.isLoading || invitations.isLoading)) return 'loading'
  if (members.data === undefined || invitations.data === undefined) return undefined
  return members.data.length + invitations.data.length
}

const useSteps = ({ sources, destinations, connections, people }: Parts) => {
  const workspace = useWorkspace()
  const first = sources[0]
  const firstDestination = destinations[0]
  return useMemo(
    () =>
      gettingStarted(
        {
          sources: sources.length,
          receiving: sources.filter((source) => source.has_received).length,
          destinations: destinations.length,
          connections: connections.length,
          people,
        },
        {
          addSource: paths.catalogSources(workspace.name),
          firstSource: first === undefined ? undefined : paths.source(first.name, 'setup'),
          addDestination: paths.catalogDestinations(workspace.name),
          connect:
            firstDestination === undefined
              ? paths.destinations(workspace.name)
              : paths.destination(firstDestination.name, 'connections'),
          invite: openInvite,
        },
      ),
    [sources, destinations, connections, people, workspace.name, first, firstDestination],
  )
}

/** Shows the work that is set aside, above the rest of the page. */
const SetAside = ({ workspace }: { workspace: string }) => {
  const { data = [] } = useQuery(heldWorkQuery(workspace))
  return <HeldWorkCard rows={data} mayRelease={useIsAdministrator() === true} />
}

const Content = ({ preset, ...parts }: Parts & { preset: RangePreset }) => {
  const { sources } = parts
  const workspace = useWorkspace()
  const mayEdit = useMayEdit() === true
  const steps = useSteps(parts)
  const flags = useUi((state) => state.flags)
  // While a first step is open, the figures are mostly zero, so the steps come before them.
  const first = remembered(steps, flags, workspace.name).some((step) => !step.done)
  const started = mayEdit && <GettingStarted steps={steps} workspace={workspace.name} />
  return (
    <div className="space-y-5">
      <SetAside workspace={workspace.name} />
      {first && started}
      <Figures workspace={workspace.name} preset={preset} {...parts} />
      {!first && started}
      <EventChart workspace={workspace.name} preset={preset} empty={<NoEvents sources={sources} mayEdit={mayEdit} />} />
      <RecentActivity workspace={workspace.name} sources={sources} />
      {workspace.organization !== null && <UsageCard organization={workspace.organization} />}
    </div>
  )
}

const Loading = () => (
  <div className="space-y-5">
    <div className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-3 2xl:grid-cols-6">
      {['events', 'profiles', 'sources', 'destinations', 'deliveries', 'syncs'].map((figure) => (
        <CardSkeleton key={figure} lines={1} />
      ))}
    </div>
    <CardSkeleton lines={8} />
    <CardSkeleton lines={4} />
  </div>
)

/** The home of a workspace: its numbers over a range, the next steps, and the latest events. */
export const OverviewPage = () => {
  const workspace = useWorkspace()
  const [preset, choose] = useRange()
  // Reloaded, because arriving events change which sources are active.
  const sources = useQuery({ ...sourcesQuery(workspace.name), refetchInterval: 30_000 })
  const destinations = useQuery(destinationsQuery(workspace.name))
  const connections = useQuery(connectionsQuery(workspace.name))
  // Loaded at the start of the page: content that depends on it is above the figures and would move them if it came
  // later.
  const people = usePeople(workspace.organization?.name ?? '')
  const failed = [sources, destinations, connections].find((query) => query.isError && query.data === undefined)
  return (
    <>
      <PageHeader
        title="Home"
        documentTitle={workspace.title}
        description={`Activity in ${workspace.title}.`}
        action={
          <>
            <RangeSelect value={preset} onChange={choose} />
            <MaskToggle />
          </>
        }
      />
      {failed !== undefined ? (
        <ErrorScreen
          error={failed.error}
          title="Failed to load the overview"
          onRetry={() => void Promise.all([sources.refetch(), destinations.refetch(), connections.refetch()])}
        />
      ) : sources.data === undefined ||
        destinations.data === undefined ||
        connections.data === undefined ||
        people === 'loading' ? (
        <Loading />
      ) : (
        <Content
          preset={preset}
          sources={sources.data}
          destinations={destinations.data}
          connections={connections.data}
          people={people}
        />
      )}
    </>
  )
}
