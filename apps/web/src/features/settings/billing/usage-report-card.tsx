import { useQuery } from '@tanstack/react-query'
import type { MeasuredUsage, UsageReport } from '@tributary/contract'
import { Clock } from 'lucide-react'
import { Link } from 'react-router'
import { dayText, minuteText } from '../../../components/billing/plan-texts.ts'
import { QueryView } from '../../../components/query-view.tsx'
import { UsageBar } from '../../../components/usage-bar.tsx'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { useMask } from '../../../lib/browser/ui-store.ts'
import { count } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { usageReportQuery } from '../../../lib/queries/billing-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { BarChart } from '../../../ui/charts/bar-chart.tsx'
import { MetricValue } from '../../../ui/charts/metric.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { dayCsv, daysOf, sourceCsv } from './usage-csv.ts'

/** Maximum number of listed sources. The CSV file contains all. */
const shownSources = 10

const events = (number: number): string => `${count(number)} ${number === 1 ? 'event' : 'events'}`

/** Describes the held events with the reason and the consequence, or the time from which events will be held. */
export const heldText = (report: UsageReport): string | undefined => {
  const { held, holds_from_time: from, period_end_time, profiles, overage, grace_hours } = report
  const beyond = overage?.holds_beyond ?? null
  const capped = beyond !== null && profiles.used > beyond
  const over = capped
    ? 'The organization is over its cap on additional profiles.'
    : 'The organization is over a limit of its plan.'
  const remedy = capped ? 'the cap is raised' : 'the plan is upgraded'
  const removed =
    held.removed_events === 0
      ? ''
      : ` ${events(held.removed_events)} that had been held ${held.removed_events === 1 ? 'was' : 'were'} removed, because events are not kept for longer.`
  const removal =
    held.removal_time === null
      ? ''
      : ` The oldest is removed on ${dayText(held.removal_time)} unless it is released before.`
  if (held.since !== null)
    return `${over} ${events(held.events)} ${held.events === 1 ? 'is' : 'are'} held: stored, but not delivered. They are released when ${remedy}, or when the next period begins on ${dayText(period_end_time)}.${removal}${removed}`
  if (held.events > 0)
    return `${events(held.events)} that had been held ${held.events === 1 ? 'is' : 'are'} being released.${removed}`
  if (from !== null)
    return `${over} Events are held from ${minuteText(from)}: in each period, ${count(grace_hours)} hours after it is exceeded. ${capped ? 'Raise the cap' : 'Upgrade to a larger plan'} to have them delivered.${removed}`
  return removed === '' ? undefined : removed.trim()
}

const Measured = ({ title, usage, end }: { title: string; usage: MeasuredUsage; end: string }) => (
  <div className="min-w-0 flex-1 basis-48 space-y-1.5">
    <p className="flex items-baseline justify-between gap-2 text-sm">
      <span className="text-ink-2">{title}</span>
      <span className="font-medium tabular">
        <MetricValue value={usage.used} />
        {usage.limit >= 0 && <span className="font-normal text-ink-3">{` of ${count(usage.limit)}`}</span>}
      </span>
    </p>
    <UsageBar label={title} used={usage.used} limit={usage.limit} />
    {usage.projected !== null && (
      <p className="text-xs text-ink-3">
        At this pace <MetricValue value={usage.projected} />
        {` by ${dayText(end)}`}
      </p>
    )}
  </div>
)

const Sources = ({ sources, deleted_workspaces: deleted }: UsageReport) => (
  <div className="relative overflow-x-auto">
    <table className="w-full text-sm">
      <caption className="sr-only">Usage by source</caption>
      <thead>
        <tr className="text-left text-xs text-ink-3">
          <th scope="col" className="py-1.5 pr-4 font-medium">
            Source
          </th>
          {['Events', 'Profiles', 'Held'].map((title) => (
            <th key={title} scope="col" className="py-1.5 pl-4 text-right font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {sources.slice(0, shownSources).map((each) => (
          <tr key={each.source}>
            <td className="max-w-0 py-2 pr-4" style={{ width: '100%' }}>
              <Link
                to={paths.source(each.source)}
                className="block truncate rounded-sm font-medium text-accent-ink hover:underline"
              >
                {each.title}
              </Link>
              <span className="block truncate text-xs text-ink-3">{each.workspace_title}</span>
            </td>
            {[each.events, each.profiles, each.held_events].map((value, column) => (
              // oxlint-disable-next-line react/no-array-index-key -- columns keep their places
              <td key={column} className="py-2 pl-4 text-right tabular">
                <MetricValue value={value} />
              </td>
            ))}
          </tr>
        ))}
        {deleted.events > 0 && (
          <tr>
            <td className="py-2 pr-4 text-ink-2">Deleted workspaces</td>
            {[deleted.events, deleted.profiles, 0].map((value, column) => (
              // oxlint-disable-next-line react/no-array-index-key -- columns keep their places
              <td key={column} className="py-2 pl-4 text-right tabular">
                <MetricValue value={value} />
              </td>
            ))}
          </tr>
        )}
      </tbody>
    </table>
  </div>
)

/** Shows the usage of a period. `now` is the time (epoch ms) when the report was loaded. */
const Report = ({ report, now }: { report: UsageReport; now: number }) => {
  const masked = useMask((state) => state.on)
  const days = daysOf(report, now)
  const text = heldText(report)
  const { period_start_time: start, period_end_time: end, sources } = report
  const file = `usage-${start.slice(0, 10)}`
  return (
    <Card
      title="Usage by day and source"
      description={`From ${dayText(start)} to before ${dayText(end)}, in UTC.`}
      footer={
        <>
          <Button
            size="sm"
            onClick={() => saveFile(`${file}-by-day.csv`, dayCsv(report, now), 'text/csv;charset=utf-8')}
          >
            Download days as CSV
          </Button>
          <Button
            size="sm"
            disabled={sources.length === 0 && report.deleted_workspaces.events === 0}
            onClick={() => saveFile(`${file}-by-source.csv`, sourceCsv(report), 'text/csv;charset=utf-8')}
          >
            Download sources as CSV
          </Button>
        </>
      }
    >
      <div className="space-y-5">
        {text !== undefined && (
          <p className="flex gap-3 rounded-md bg-warning-soft px-4 py-3 text-sm text-warning-ink">
            <Clock aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0">{text}</span>
          </p>
        )}
        <div className="flex flex-wrap gap-x-8 gap-y-4">
          <Measured title="Profiles" usage={report.profiles} end={end} />
          <Measured title="Events" usage={report.events} end={end} />
        </div>
        {report.events.used === 0 ? (
          <p className="text-sm text-ink-2">No events in this period yet.</p>
        ) : (
          <BarChart
            label="Events by day"
            buckets={days.map(({ date }) => date.replaceAll('-', ''))}
            parts={[{ title: 'Events', tone: 'accent', values: days.map((day) => day.events) }]}
            masked={masked}
          />
        )}
        {(sources.length > 0 || report.deleted_workspaces.events > 0) && <Sources {...report} />}
        {sources.length > shownSources && (
          <p className="text-xs text-ink-3">{`${count(sources.length - shownSources)} more in the CSV file.`}</p>
        )}
      </div>
    </Card>
  )
}

/** The usage of an organization's plan (a resource name) in this period, by day and by source, and its held events. */
export const UsageReportCard = ({ organization }: { organization: string }) => {
  const query = useQuery(usageReportQuery(organization))
  return (
    <QueryView
      query={query}
      skeleton={<CardSkeleton lines={18} />}
      errorTitle="Failed to load the usage by day and source"
    >
      {(report) => <Report report={report} now={query.dataUpdatedAt} />}
    </QueryView>
  )
}
