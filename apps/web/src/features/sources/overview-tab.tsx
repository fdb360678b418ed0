import { useQuery } from '@tanstack/react-query'
import type { MetricName, Source } from '@tributary/contract'
import { ChartColumn } from 'lucide-react'
import { EventChart } from '../../components/event-chart.tsx'
import { type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { paths } from '../../lib/paths.ts'
import { seriesQuery, totalsQuery } from '../../lib/queries/metric-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { CountedFigure, Figure, FigureNote, FigureText } from '../../ui/charts/figure.tsx'
import { MaskToggle } from '../../ui/charts/metric.tsx'
import { RangeSelect, useRange } from '../../ui/charts/range-select.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const NoEvents = ({ source }: { source: Source }) => (
  <EmptyState
    icon={<ChartColumn />}
    title={source.has_received ? 'No events in this range' : 'No events yet'}
    className="border-0 py-8"
    action={
      !source.has_received && (
        <ButtonLink to={paths.source(source.name, 'setup')} variant="primary" replace>
          Set up
        </ButtonLink>
      )
    }
  >
    {source.has_received
      ? 'Choose a longer range to see earlier ones.'
      : 'Send a first event. Set up has a snippet with your key.'}
  </EmptyState>
)

const LastEvent = ({ source }: { source: Source }) => (
  <Figure title="Last event">
    <FigureText>
      {source.last_event_time === null ? 'Never' : <RelativeTime time={source.last_event_time} />}
    </FigureText>
    <FigureNote>{source.last_event_time === null ? 'No events received yet' : 'Accurate to a few seconds'}</FigureNote>
  </Figure>
)

const Counts = ({ source, preset }: { source: Source; preset: RangePreset }) => {
  const workspace = useWorkspace().name
  const counted = (metric: MetricName) => ({ workspace, metric, source: source.name })
  const profiles = useQuery(totalsQuery(counted('profiles'), preset))
  const rejected = useQuery(seriesQuery(counted('events_rejected'), preset))
  const blocked = useQuery(seriesQuery(counted('events_blocked'), preset))
  const eventsOf = (status: string) => paths.events(workspace, { source: source.name, status, range: preset })
  const shown: { title: string; query: Parameters<typeof CountedFigure>[0]['query']; to?: string }[] = [
    { title: 'Profiles', query: profiles },
    { title: 'Rejected events', query: rejected, to: eventsOf('rejected') },
    { title: 'Blocked events', query: blocked, to: eventsOf('blocked') },
  ]
  return (
    <section aria-label="Metrics" className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-4">
      <LastEvent source={source} />
      {shown.map((figure) => (
        <CountedFigure
          key={figure.title}
          {...figure}
          than={viewOf(preset).previous}
          lessIsBetter={figure.to !== undefined}
        />
      ))}
    </section>
  )
}

/** The events of a source over a range by validation result, with rejected requests. */
export const OverviewTab = ({ source }: { source: Source }) => {
  const workspace = useWorkspace()
  const [preset, choose] = useRange()
  return (
    <div className="space-y-5">
      <div className="flex items-center justify-end gap-2">
        <RangeSelect value={preset} onChange={choose} />
        <MaskToggle />
      </div>
      <Counts source={source} preset={preset} />
      <EventChart
        workspace={workspace.name}
        source={source.name}
        preset={preset}
        empty={<NoEvents source={source} />}
      />
    </div>
  )
}
