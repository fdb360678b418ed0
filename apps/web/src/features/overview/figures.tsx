import { useQuery } from '@tanstack/react-query'
import type { Connection, Destination, MetricName, Source } from '@tributary/contract'
import { Link } from 'react-router'
import { type RangePreset, rangeOf, viewOf } from '../../lib/format/date-range.ts'
import { pluralise } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { seriesQuery, totalsQuery } from '../../lib/queries/metric-queries.ts'
import { CountedFigure, Figure, FigureValue } from '../../ui/charts/figure.tsx'
import { MetricValue } from '../../ui/charts/metric.tsx'

/** The number of sources that have received events in the range. */
const countActive = (sources: readonly Source[], preset: RangePreset): number => {
  const start = rangeOf(preset, Date.now()).start_date.seconds * 1000
  return sources.filter(({ last_event_time: last }) => last !== null && Date.parse(last) >= start).length
}

/** The numbers of a workspace over a range; counts are compared with the previous period. */
export const Figures = ({
  workspace,
  preset,
  sources,
  destinations,
  connections,
}: {
  workspace: string
  preset: RangePreset
  sources: readonly Source[]
  destinations: readonly Destination[]
  connections: readonly Connection[]
}) => {
  const counted = (metric: MetricName) => ({ workspace, metric })
  const events = useQuery(seriesQuery(counted('events_received'), preset))
  const profiles = useQuery(totalsQuery(counted('profiles'), preset))
  const failed = useQuery(seriesQuery(counted('deliveries_failed'), preset))
  const failedSyncs = useQuery(seriesQuery(counted('syncs_failed'), preset))
  const active = countActive(sources, preset)
  const enabled = destinations.filter((destination) => destination.enabled).length
  const than = viewOf(preset).previous
  return (
    <section aria-label="Metrics" className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-3 2xl:grid-cols-6">
      <CountedFigure
        title="Events received"
        to={paths.events(workspace, { range: preset })}
        query={events}
        than={than}
      />
      <CountedFigure title="Profiles" query={profiles} than={than} />
      <Figure title="Active sources" to={paths.sources(workspace)}>
        <FigureValue value={active}>
          of <MetricValue value={sources.length} />
        </FigureValue>
      </Figure>
      <Figure title="Destinations" to={paths.destinations(workspace)}>
        <FigureValue value={destinations.length}>
          <MetricValue value={enabled} /> enabled
          <Link
            to={paths.connections(workspace)}
            className="relative block w-fit rounded-sm whitespace-nowrap underline hover:text-ink"
          >
            <MetricValue value={connections.length} /> {pluralise(connections.length, 'connection')}
          </Link>
        </FigureValue>
      </Figure>
      <CountedFigure
        title="Failed deliveries"
        to={paths.destinations(workspace, { range: preset, sort: 'failed' })}
        query={failed}
        than={than}
        lessIsBetter
      />
      <CountedFigure title="Failed syncs" to={paths.syncs(workspace)} query={failedSyncs} than={than} lessIsBetter />
    </section>
  )
}
