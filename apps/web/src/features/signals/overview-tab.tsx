import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Signal, type SignalOverview, signalPlatformTitles } from '@tributary/contract'
import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { useMask } from '../../lib/browser/ui-store.ts'
import { viewOf } from '../../lib/format/date-range.ts'
import { count, sentence } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { conversionsQuery, signalOverviewQuery } from '../../lib/queries/signal-queries.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Change } from '../../ui/charts/change.tsx'
import { Figure, FigureNote, FigureText } from '../../ui/charts/figure.tsx'
import { MetricValue } from '../../ui/charts/metric.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { ConversionTable } from './conversion-table.tsx'
import { ConversionsByDay, ConversionsByStatus } from './overview-charts.tsx'
import { moneys, reasonText, statusTitles } from './signal-words.ts'
import { useDays } from './use-days.tsx'

const Figures = ({ overview, than }: { overview: SignalOverview; than: string }) => {
  const masked = useMask((state) => state.on)
  const { conversion_count, previous_conversion_count, refund_count, amounts, repeated_count } = overview
  return (
    <section aria-label="Figures" className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-4">
      <Figure title="Conversions">
        <FigureText>
          <MetricValue value={conversion_count} />
        </FigureText>
        <Change totals={{ total: conversion_count, previous: previous_conversion_count }} than={than} />
      </Figure>
      <Figure title="Value">
        <FigureText>
          {amounts.length === 0 ? <span className="text-ink-3">–</span> : masked ? '••••' : moneys(amounts.slice(0, 1))}
        </FigureText>
        <FigureNote>{masked || amounts.length < 2 ? 'Of all conversions' : moneys(amounts.slice(1))}</FigureNote>
      </Figure>
      <Figure title="Refunds">
        <FigureText>
          <MetricValue value={refund_count} />
        </FigureText>
        <FigureNote>Taken back, wholly or in part</FigureNote>
      </Figure>
      <Figure title="Counted once">
        <FigureText>
          <MetricValue value={repeated_count} />
        </FigureText>
        <FigureNote>Events with an event ID that was known</FigureNote>
      </Figure>
    </section>
  )
}

type Platform = SignalOverview['platforms'][number]

/** The outcomes of conversions at a platform in the order of the text, and how each is drawn. */
const outcomes = [
  { status: 'delivered', of: (platform: Platform) => platform.delivered_count, fill: 'bg-success' },
  { status: 'pending', of: (platform: Platform) => platform.pending_count, fill: 'bg-accent' },
  { status: 'failed', of: (platform: Platform) => platform.failed_count, fill: 'bg-danger' },
  { status: 'filtered', of: (platform: Platform) => platform.filtered_count, fill: 'bg-ink-3' },
  {
    status: 'not_sent',
    of: (platform: Platform) => platform.not_sent.reduce((sum, each) => sum + each.count, 0),
    fill: 'bg-warning',
  },
] as const

const PlatformRow = ({ signal, platform }: { signal: Signal; platform: Platform }) => {
  const masked = useMask((state) => state.on)
  const counts = outcomes.map((outcome) => ({ ...outcome, value: outcome.of(platform) }))
  const total = counts.reduce((sum, { value }) => sum + value, 0)
  const reasons = [
    ...platform.not_sent.map(({ reason, text, count: number }) => ({
      key: reason,
      status: 'not_sent' as const,
      text,
      number,
    })),
    ...platform.reasons.map(({ status, reason, count: number }) => ({
      key: `${status} ${reason}`,
      status,
      text: reasonText(reason),
      number,
    })),
  ]
  return (
    <li aria-label={platform.title} className="space-y-3 px-5 py-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <p className="min-w-0 text-sm">
          <Link
            to={paths.deliveries(platform.destination, '', { signal: signal.name })}
            className="rounded-sm font-medium break-words hover:underline"
          >
            {platform.title}
          </Link>{' '}
          <span className="text-ink-3">{signalPlatformTitles[platform.platform]}</span>
        </p>
        <Link
          to={paths.signalConversions(signal.name, { destination: platform.destination })}
          className="rounded-sm text-sm text-accent-ink hover:underline"
        >
          Conversions
        </Link>
      </div>
      <div aria-hidden className="flex h-2 overflow-hidden rounded-full bg-sunken">
        {total > 0 &&
          counts.map(
            ({ status, value, fill }) =>
              value > 0 && <span key={status} className={fill} style={{ width: `${(value / total) * 100}%` }} />,
          )}
      </div>
      <ul aria-label={`Outcomes of ${platform.title}`} className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-2">
        {counts.map(({ status, value, fill }) => (
          <li key={status} className="flex items-center gap-1.5">
            <span aria-hidden className={`size-2 rounded-xs ${fill}`} />
            {statusTitles[status]}
            <span className="font-medium text-ink tabular">{masked ? '••••' : count(value)}</span>
          </li>
        ))}
      </ul>
      {reasons.length > 0 && (
        <ul aria-label={`Reasons of ${platform.title}`} className="space-y-1 text-sm text-ink-2">
          {reasons.map(({ key, status, text, number }) => (
            <li key={key} className="flex gap-3">
              <span className="min-w-0 flex-1 break-words">
                {statusTitles[status]}: {sentence(text)}
              </span>
              {!masked && <span className="shrink-0 tabular">{count(number)}</span>}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

const Recent = ({ signal }: { signal: Signal }) => {
  const query = useInfiniteQuery(conversionsQuery(signal.name, { status: '', destination: '', event_id: '' }, 8))
  const rows = query.data?.pages[0]?.conversions ?? []
  if (rows.length === 0) return null
  return (
    <section aria-label="Recent conversions" className="space-y-3">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold">Recent conversions</h2>
        <ButtonLink size="sm" to={paths.signal(signal.name, 'conversions')}>
          All conversions
        </ButtonLink>
      </div>
      <ConversionTable label="Recent conversions" conversions={rows} />
    </section>
  )
}

/** Shown if a signal has no conversions: the events for which it waits. */
const Nothing = ({ signal }: { signal: Signal }) => (
  <EmptyState
    icon={<Sparkles />}
    title="No conversions yet"
    action={
      signal.trigger.type === 'events' &&
      signal.trigger.sources.length > 0 && (
        <ButtonLink to={paths.source(signal.trigger.sources[0] ?? '', 'setup')}>See how to send events</ButtonLink>
      )
    }
  >
    {!signal.enabled
      ? 'Enable the signal. The events that are received from then on are sent as conversions.'
      : signal.trigger.type === 'events'
        ? 'The next event that matches is sent to the platforms, and shown here within seconds.'
        : 'The next profile that enters the audience is sent to the platforms, and shown here within seconds.'}
  </EmptyState>
)

/** The sent conversions of a range of days, by day and by platform, with the latest ones. */
export const OverviewTab = ({ signal }: { signal: Signal }) => {
  const [preset, choice] = useDays()
  const [dayTable, setDayTable] = useState(false)
  const [statusTable, setStatusTable] = useState(false)
  const query = useQuery(signalOverviewQuery(signal.name, preset))
  return (
    <div className="space-y-5">
      <div className="flex justify-end">{choice}</div>
      <QueryView query={query} skeleton={<CardSkeleton lines={8} />} errorTitle="Failed to load the figures">
        {(overview) =>
          overview.conversion_count + overview.refund_count === 0 && signal.last_conversion_time === null ? (
            <Nothing signal={signal} />
          ) : (
            <>
              <Figures overview={overview} than={viewOf(preset).previous} />
              <ConversionsByDay overview={overview} table={dayTable} onTable={setDayTable} />
              <ConversionsByStatus overview={overview} table={statusTable} onTable={setStatusTable} />
              <Card title="Platforms" description={'The conversions at each platform by status.'}>
                <ul aria-label="Platforms" className="-mx-5 -mb-4 divide-y divide-line border-t border-line">
                  {overview.platforms.map((platform) => (
                    <PlatformRow key={platform.destination} signal={signal} platform={platform} />
                  ))}
                </ul>
              </Card>
              <Recent signal={signal} />
            </>
          )
        }
      </QueryView>
    </div>
  )
}
