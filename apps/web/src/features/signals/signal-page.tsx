import { useQuery } from '@tanstack/react-query'
import { type Signal, type SignalPlatformShown, signalPlatformTitles } from '@tributary/contract'
import { Power, PowerOff, Sparkles } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { DetailPage } from '../../components/detail-page.tsx'
import { useVisited } from '../../lib/browser/recent.ts'
import { sentence } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { signalQuery } from '../../lib/queries/signal-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/page/lazy-part.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useEnableSignal } from './mutations.ts'
import { OverviewTab } from './overview-tab.tsx'
import { conversionOf, stateTitles, stateTones } from './signal-words.ts'
import { VersionNotices } from './version-notices.tsx'

const QualityTab = lazyPart(async () => (await import('./quality-tab.tsx')).QualityTab)
const AttributionTab = lazyPart(async () => (await import('./attribution-view.tsx')).AttributionView)
const ConversionsTab = lazyPart(async () => (await import('./conversions-tab.tsx')).ConversionsTab)
const SettingsTab = lazyPart(async () => (await import('./settings-tab.tsx')).SettingsTab)

/** Problems that prevent conversions from being sent, each with a link to the place of the fix. */
const Problems = ({ signal }: { signal: Signal }) => {
  const gone = signal.trigger_titles.filter(({ missing }) => missing)
  const broken = signal.platforms.filter(({ problem }) => problem !== '')
  const paused = signal.platforms.filter(({ problem, enabled }) => problem === '' && !enabled)
  const testing = signal.platforms.filter(({ test_event_code }) => test_event_code !== '')
  if (gone.length + broken.length + paused.length + testing.length === 0) return null
  const named = (platform: SignalPlatformShown) => (
    <Link
      to={paths.destination(platform.destination, 'settings')}
      className="rounded-sm font-medium underline underline-offset-3"
    >
      {platform.title}
    </Link>
  )
  return (
    <ul
      aria-label="What needs attention"
      className="space-y-1.5 rounded-lg bg-warning-soft px-4 py-3 text-sm text-warning-ink"
    >
      {gone.map(({ name, title }) => (
        <li key={name} className="break-words">
          {title === '' ? 'A source or audience' : title} was deleted and feeds the signal no longer. Choose another in
          the settings.
        </li>
      ))}
      {broken.map((platform) => (
        <li key={platform.destination} className="break-words">
          {named(platform)}: {sentence(platform.problem)}
        </li>
      ))}
      {paused.map((platform) => (
        <li key={platform.destination} className="break-words">
          {named(platform)} is paused. Its conversions are held until it is resumed.
        </li>
      ))}
      {testing.map((platform) => (
        <li key={`test ${platform.destination}`} className="break-words">
          {named(platform)} gets test conversions, which do not count. Remove the test code when you are done.
        </li>
      ))}
    </ul>
  )
}

const SignalView = ({ item: signal }: { item: Signal }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const enable = useEnableSignal(signal)
  useVisited(workspace, 'signal', { ...signal, app: { display_name: 'Signal', extra: { app_icon: '' } } })
  const platforms = signal.platforms.map(({ platform }) => signalPlatformTitles[platform])
  return (
    <>
      <PageHeader
        title={signal.title}
        description={[conversionOf(signal), ...new Set(platforms)].join(' · ')}
        icon={
          <span className="grid size-11 place-items-center rounded-md border border-line bg-surface">
            <Sparkles aria-hidden className="size-5 text-ink-2" />
          </span>
        }
        crumbs={[{ label: 'Signals', to: paths.signals(workspace) }]}
        action={
          <>
            <Badge tone={stateTones[signal.state]} dot={signal.state === 'enabled'}>
              {stateTitles[signal.state]}
            </Badge>
            {mayEdit && (
              <Button
                variant={signal.enabled ? 'secondary' : 'primary'}
                loading={enable.isPending}
                onClick={() => enable.mutate()}
              >
                {signal.enabled ? <PowerOff aria-hidden /> : <Power aria-hidden />}
                {signal.enabled ? 'Disable' : 'Enable'}
              </Button>
            )}
          </>
        }
      />
      <div className="mb-5 space-y-2 empty:hidden">
        <Problems signal={signal} />
        <VersionNotices destinations={signal.platforms.map(({ destination }) => destination)} />
      </div>
      <Tabs
        browsable
        label="Signal"
        tabs={[
          { id: 'overview', name: 'Overview', content: <OverviewTab signal={signal} /> },
          { id: 'quality', name: 'Match quality', hash: 'quality', content: <QualityTab signal={signal} /> },
          {
            id: 'attribution',
            name: 'Attribution',
            hash: 'attribution',
            content: <AttributionTab signal={signal.name} title={signal.title} />,
          },
          { id: 'conversions', name: 'Conversions', hash: 'conversions', content: <ConversionsTab signal={signal} /> },
          { id: 'settings', name: 'Settings', hash: 'settings', content: <SettingsTab signal={signal} /> },
        ]}
      />
    </>
  )
}

/** One signal: its conversions, their quality, their attribution, and its settings. */
export const SignalPage = () => {
  const workspace = useWorkspace()
  const { signalId } = useParams()
  const query = useQuery(signalQuery(`${workspace.name}/signals/${signalId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the signal" View={SignalView} />
}
