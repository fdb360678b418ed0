import { useQuery } from '@tanstack/react-query'
import { type Signal, type SignalQuality, signalPlatformTitles } from '@tributary/contract'
import { Gauge } from 'lucide-react'
import { QueryView } from '../../components/query-view.tsx'
import { bucketTitle, type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { count } from '../../lib/format/text.ts'
import { signalQualityQuery } from '../../lib/queries/signal-queries.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Card } from '../../ui/card.tsx'
import { Sparkline } from '../../ui/charts/sparkline.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Advice, IdentifierShares, Score } from './score.tsx'
import { freshnessWords, scoreText } from './signal-words.ts'
import { useDays } from './use-days.tsx'

type Platform = SignalQuality['platforms'][number]

const Trend = ({ platform, days }: { platform: Platform; days: readonly string[] }) => {
  const scores = new Map(platform.trend.map(({ day, score }) => [day, score]))
  const words = platform.trend.map(({ day, score }) => `${bucketTitle(day)} ${scoreText(score)}`).join(', ')
  return (
    <div className="space-y-1.5">
      <h3 className="text-xs font-medium text-ink-3">Score by day</h3>
      <div className="flex h-12 items-end overflow-hidden border-b border-line">
        <Sparkline
          values={days.map((day) => scores.get(day) ?? 0)}
          top={10}
          label={`Score by day: ${words === '' ? 'none' : words}`}
          className="h-12 w-full *:w-auto *:flex-1"
        />
      </div>
    </div>
  )
}

const Facts = ({ platform, than }: { platform: Platform; than: string }) => {
  const { conversion_count, previous_score, freshness, last_conversion_time } = platform
  return (
    <dl className="space-y-3">
      <div>
        <dt className="text-xs text-ink-3">Conversions</dt>
        <dd className="text-sm tabular">{count(conversion_count)}</dd>
      </div>
      <div>
        <dt className="text-xs text-ink-3">Score in the {than}</dt>
        <dd className="text-sm tabular">{previous_score === null ? '–' : scoreText(previous_score)}</dd>
      </div>
      <div>
        <dt className="text-xs text-ink-3">Freshness</dt>
        <dd className="text-sm">{freshness === null ? '–' : `${freshnessWords(freshness)} of the event`}</dd>
      </div>
      <div>
        <dt className="text-xs text-ink-3">Last conversion</dt>
        <dd className="text-sm">
          {last_conversion_time === null ? 'Never' : <RelativeTime time={last_conversion_time} />}
        </dd>
      </div>
    </dl>
  )
}

const PlatformCard = ({
  platform,
  icon,
  preset,
  days,
}: {
  platform: Platform
  icon: string
  preset: RangePreset
  days: readonly string[]
}) => (
  <section aria-label={platform.title}>
    <Card
      title={
        <span className="flex items-center gap-2.5">
          <AppIcon icon={icon} className="size-6" />
          <span className="min-w-0 break-words">{platform.title}</span>
        </span>
      }
      description={signalPlatformTitles[platform.platform]}
      action={<Score score={platform.score} />}
    >
      {platform.conversion_count === 0 ? (
        <p className="text-sm text-ink-2">No conversions in this range.</p>
      ) : (
        <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_14rem]">
          <div className="space-y-5">
            <div className="space-y-2">
              <h3 className="text-xs font-medium text-ink-3">Share of conversions with each identifier</h3>
              <IdentifierShares identifiers={platform.identifiers} />
            </div>
            <Advice advice={platform.advice} />
          </div>
          <div className="space-y-5">
            <Trend platform={platform} days={days} />
            <Facts platform={platform} than={viewOf(preset).previous} />
          </div>
        </div>
      )}
    </Card>
  </section>
)

/** Shows how well each platform can match the conversions of a signal with its users, and how to improve that. */
export const QualityTab = ({ signal }: { signal: Signal }) => {
  const [preset, choice] = useDays()
  const query = useQuery(signalQualityQuery(signal.name, preset))
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72 text-sm text-ink-2">
          A platform matches a conversion with a person by its identifiers. The more conversions have, the better ads
          are optimized.
        </p>
        {choice}
      </div>
      <QueryView query={query} skeleton={<CardSkeleton lines={8} />} errorTitle="Failed to load the match quality">
        {({ platforms, buckets }) =>
          platforms.every(({ conversion_count }) => conversion_count === 0) ? (
            <EmptyState icon={<Gauge />} title="Nothing to score yet">
              The first conversion of this range shows how well each platform can match.
            </EmptyState>
          ) : (
            platforms.map((platform) => (
              <PlatformCard
                key={platform.destination}
                platform={platform}
                icon={
                  signal.platforms.find(({ destination }) => destination === platform.destination)?.app.extra
                    .app_icon ?? ''
                }
                preset={preset}
                days={buckets}
              />
            ))
          )
        }
      </QueryView>
    </div>
  )
}
