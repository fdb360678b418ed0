import { useQuery } from '@tanstack/react-query'
import {
  conversionTitle,
  type SignalSummary,
  signalPlatforms,
  signalPlatformTitles,
  signalStates,
} from '@tributary/contract'
import { Plus, Sparkles } from 'lucide-react'
import { useCallback } from 'react'
import { Link } from 'react-router'
import { ListPage } from '../../components/list-page.tsx'
import { paths } from '../../lib/paths.ts'
import { signalsQuery } from '../../lib/queries/signal-queries.ts'
import { allSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { MetricValue } from '../../ui/charts/metric.tsx'
import { Sparkline } from '../../ui/charts/sparkline.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import type { ListFilter } from '../../ui/lists/list-bar.tsx'
import { ListView, stateFilter } from '../../ui/lists/list-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PlatformIcons } from './platform-icons.tsx'
import { ScoreBadge } from './score.tsx'
import { type SignalFilters, signalRows } from './signal-rows.ts'
import { feedWords, stateTitles, stateTones } from './signal-words.ts'
import { VersionNotices } from './version-notices.tsx'

const filters: readonly ListFilter<'state' | 'platform'>[] = [
  stateFilter(signalStates, stateTitles),
  {
    name: 'platform',
    label: 'Platform',
    any: 'All platforms',
    options: signalPlatforms.map((value) => ({ value, title: signalPlatformTitles[value] })),
  },
]

const volumeOf = ({ recent_counts }: SignalSummary): number => recent_counts.reduce((sum, each) => sum + each, 0)

const columns: readonly Column<SignalSummary>[] = [
  {
    id: 'title',
    header: 'Signal',
    value: ({ title }) => title.toLowerCase(),
    cell: ({ name, title, trigger }) => {
      const feed = feedWords(trigger)
      return (
        <span className="block min-w-0 py-1.5">
          <Link
            to={paths.signal(name)}
            title={title}
            className="block w-fit max-w-full truncate rounded-sm font-medium hover:underline"
          >
            {title}
          </Link>
          <span className="block truncate text-xs text-ink-2" title={feed}>
            {feed}
          </span>
        </span>
      )
    },
  },
  {
    id: 'conversion',
    header: 'Conversion',
    value: ({ conversion }) => conversionTitle(conversion),
    cell: ({ conversion }) => <span className="block truncate text-ink-2">{conversionTitle(conversion)}</span>,
    width: 'sm:w-28',
    wide: 'lg',
  },
  {
    id: 'platforms',
    header: 'Platforms',
    value: ({ platforms }) => platforms.length,
    cell: ({ platforms }) => <PlatformIcons platforms={platforms} />,
    width: 'sm:w-36',
    wide: true,
  },
  {
    id: 'volume',
    header: 'Last 7 days',
    value: volumeOf,
    cell: (signal) => (
      <span className="flex items-center justify-end gap-2.5">
        <span className="max-lg:hidden">
          <Sparkline values={signal.recent_counts} />
        </span>
        <MetricValue value={volumeOf(signal)} />
      </span>
    ),
    align: 'right',
    width: 'sm:w-32',
  },
  {
    id: 'score',
    header: 'Quality',
    value: ({ score }) => score ?? -1,
    cell: ({ score }) => <ScoreBadge score={score} />,
    width: 'sm:w-24',
    className: 'max-xl:hidden',
  },
  {
    id: 'state',
    header: 'Status',
    value: ({ state }) => stateTitles[state],
    cell: ({ state }) => (
      <Badge tone={stateTones[state]} dot={state === 'enabled'}>
        {stateTitles[state]}
      </Badge>
    ),
    width: 'sm:w-36',
  },
  {
    id: 'last',
    header: 'Last conversion',
    value: ({ last_conversion_time }) => last_conversion_time ?? '',
    cell: ({ last_conversion_time }) =>
      last_conversion_time === null ? (
        <span className="text-ink-3">Never</span>
      ) : (
        <RelativeTime time={last_conversion_time} className="text-ink-2" />
      ),
    align: 'right',
    wide: true,
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: SignalSummary): string => name
const titleOf = ({ title }: SignalSummary): string => title

const link = 'rounded-sm text-accent-ink underline underline-offset-3'

/**
 * Returns the next step of a user before the first signal exists: creating a source if there is none, then the signal.
 */
const useFirstStep = (workspace: string, mayEdit: boolean) => {
  const sources = useQuery(allSourcesQuery(workspace)).data
  const about =
    'A signal sends conversions from your server to Meta, Google, and TikTok, also those that browsers drop.'
  if (sources !== undefined && sources.length === 0)
    return {
      text: `${about} Add the source that its events come from first.`,
      action: mayEdit && (
        <ButtonLink to={paths.signalSources(workspace)} variant="primary">
          <Plus aria-hidden />
          Add signal source
        </ButtonLink>
      ),
    }
  return {
    text: `${about} Choose the events, and see how well each platform can match them before anything is sent.`,
    action: mayEdit && (
      <ButtonLink to={paths.newSignal(workspace)} variant="primary">
        <Plus aria-hidden />
        New signal
      </ButtonLink>
    ),
  }
}

/** The signals of the workspace. */
export const SignalsPage = () => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const query = useQuery(signalsQuery(workspace))
  const first = useFirstStep(workspace, mayEdit)
  const signals = query.data
  const narrow = useCallback((values: SignalFilters) => signalRows(signals ?? [], values), [signals])
  return (
    <ListPage
      title="Signals"
      description={
        <>
          Conversions that are sent to advertising platforms.{' '}
          <Link to={paths.signalSources(workspace)} className={link}>
            Sources
          </Link>{' '}
          ·{' '}
          <Link to={paths.signalAttribution(workspace)} className={link}>
            Attribution
          </Link>{' '}
          ·{' '}
          <Link to={paths.signalSettings(workspace)} className={link}>
            Consent
          </Link>
        </>
      }
      query={query}
      errorTitle="Failed to load the signals"
      action={first.action}
      empty={{ icon: <Sparkles />, title: 'Create your first signal', text: first.text }}
    >
      {(all) => (
        <ListView
          label="Signals"
          noun="signal"
          total={all.length}
          filters={filters}
          narrow={narrow}
          columns={columns}
          idOf={idOf}
          titleOf={titleOf}
          notice={
            <VersionNotices destinations={all.flatMap(({ platforms }) => platforms.map((each) => each.destination))} />
          }
          note={
            <p className="text-xs text-ink-3">
              Conversions and match quality of the last 7 days in UTC, today included.
            </p>
          }
        />
      )}
    </ListPage>
  )
}
