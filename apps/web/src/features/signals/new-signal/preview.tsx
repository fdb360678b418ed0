import { useQuery } from '@tanstack/react-query'
import { methods, type SignalDefinition, type SignalPreview, signalPlatformTitles } from '@tributary/contract'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { formatJson } from '../../../lib/format/json-text.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { count, pluralise, sentence } from '../../../lib/format/text.ts'
import { query } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { scrollable } from '../../../ui/scrollable.ts'
import { Advice, IdentifierShares, Score } from '../score.tsx'
import { identifiersText, money } from '../signal-words.ts'

/**
 * Previews the conversions that a signal would make of stored events. Read only once: the user can request another
 * preview.
 */
const signalPreviewQuery = (workspace: string, definition: SignalDefinition) =>
  query(
    methods.signals.preview,
    { params: workspaceIds(workspace), body: definition },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 60_000 },
  )

type Platform = SignalPreview['platforms'][number]
type Sample = SignalPreview['sample'][number]

const PlatformCard = ({ platform }: { platform: Platform }) => {
  const { title, platform: kind, score, sent_count, not_sent, identifiers, advice } = platform
  return (
    <li aria-label={title} className="space-y-4 rounded-lg border border-line bg-surface px-4 py-4">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h4 className="min-w-0 text-sm font-semibold break-words">
          {title} <span className="font-normal text-ink-3">{signalPlatformTitles[kind]}</span>
        </h4>
        <Score score={score} />
      </div>
      <p className="text-sm">
        {count(sent_count)} {pluralise(sent_count, 'conversion')} would be sent
        {not_sent.length === 0 ? '.' : ':'}
      </p>
      {not_sent.length > 0 && (
        <ul aria-label="Not sent" className="space-y-1 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-ink">
          {not_sent.map(({ reason, text, count: number }) => (
            <li key={reason} className="flex gap-3">
              <span className="min-w-0 flex-1 break-words">{sentence(text)}</span>
              <span className="shrink-0 tabular">{count(number)} not sent</span>
            </li>
          ))}
        </ul>
      )}
      {identifiers.length > 0 && <IdentifierShares identifiers={identifiers} />}
      <Advice advice={advice} />
    </li>
  )
}

const SampleDialog = ({
  sample,
  platforms,
  onClosed,
}: {
  sample: Sample
  platforms: readonly Platform[]
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const titleOf = (destination: string): string =>
    platforms.find((each) => each.destination === destination)?.title ?? 'Platform'
  return (
    <Dialog
      {...dialog}
      size="lg"
      title={sample.event_name === '' ? 'Conversion' : sample.event_name}
      description="What each platform would be sent. Personal data is hashed or hidden."
      footer={<Button onClick={close}>Close</Button>}
    >
      <div className="space-y-5">
        {sample.platforms.map(({ destination, identifiers, reason, reason_text, payload }) => (
          <section key={destination} aria-label={titleOf(destination)} className="space-y-2">
            <h3 className="text-sm font-semibold">{titleOf(destination)}</h3>
            <p className="text-sm break-words text-ink-2">
              {reason !== ''
                ? `Not sent: ${sentence(reason_text)}`
                : identifiers.length === 0
                  ? 'No identifiers.'
                  : `Matched by: ${identifiersText(identifiers)}.`}
            </p>
            {payload !== '' && (
              <CodeBlock
                codes={[{ title: 'Payload', language: 'json', text: formatJson(payload) }]}
                notice="Payload copied"
                className="max-h-72"
              />
            )}
          </section>
        ))}
      </div>
    </Dialog>
  )
}

const Samples = ({ preview }: { preview: SignalPreview }) => {
  const [shown, setShown] = useState<Sample | undefined>()
  return (
    <section aria-label="Latest conversions" className="space-y-2">
      <h4 className="text-sm font-medium">Latest conversions</h4>
      <ul
        {...scrollable}
        aria-label="Latest conversions"
        className="max-h-96 divide-y divide-line overflow-y-auto scroll-thin rounded-lg border border-line bg-surface"
      >
        {preview.sample.map((sample) => {
          const held = sample.platforms.filter(({ reason }) => reason !== '').length
          return (
            <li
              key={`${sample.event_id} ${sample.event_time}`}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm"
            >
              <span className="min-w-0 flex-1 basis-48">
                <span className="block truncate font-medium">{sample.event_name}</span>
                <span className="block truncate font-mono text-xs text-ink-3" title={sample.event_id}>
                  {sample.event_id}
                </span>
              </span>
              {sample.value !== null && (
                <span className="tabular">{money({ amount: sample.value, currency: sample.currency })}</span>
              )}
              <Badge tone={held === 0 ? 'success' : 'warning'}>
                {held === 0 ? 'Sent to all' : `Not sent to ${held}`}
              </Badge>
              <RelativeTime time={sample.event_time} className="text-xs text-ink-3" />
              <Button size="sm" onClick={() => setShown(sample)}>
                Payload
              </Button>
            </li>
          )
        })}
      </ul>
      {shown !== undefined && (
        <SampleDialog sample={shown} platforms={preview.platforms} onClosed={() => setShown(undefined)} />
      )}
    </section>
  )
}

const Found = ({ preview }: { preview: SignalPreview }) => {
  const { looked_at_count, conversion_count, repeated_count, platforms, sample } = preview
  return (
    <div className="space-y-4">
      <p className="text-sm">
        {count(looked_at_count)} stored {pluralise(looked_at_count, 'event')} looked at,{' '}
        <span className="font-medium">
          {count(conversion_count)} {pluralise(conversion_count, 'conversion')}
        </span>
        {repeated_count > 0 && `, ${count(repeated_count)} more with the same event ID that would not be sent twice`}.
      </p>
      {conversion_count === 0 ? (
        <p className="rounded-lg bg-sunken px-4 py-3 text-sm text-ink-2">
          None of the stored events would be a conversion. Check the events and conditions, or create the signal and
          send the first event.
        </p>
      ) : (
        <>
          <ul aria-label="Platforms in the preview" className="space-y-3">
            {platforms.map((platform) => (
              <PlatformCard key={platform.destination} platform={platform} />
            ))}
          </ul>
          {sample.length > 0 && <Samples preview={preview} />}
        </>
      )}
    </div>
  )
}

/**
 * A preview of a signal on the latest stored events: how well each platform could match them, and which would not be
 * sent.
 */
export const Preview = ({ definition }: { definition: SignalDefinition }) => {
  const query = useQuery(signalPreviewQuery(useWorkspace().name, definition))
  return (
    <section aria-label="Preview" aria-busy={query.isFetching} className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <h3 className="text-base font-semibold">Preview</h3>
          <p className="text-sm text-ink-2">How well your latest events would match. Nothing is sent.</p>
        </div>
        <Button size="sm" loading={query.isFetching} onClick={() => void query.refetch()}>
          <RefreshCw aria-hidden />
          Preview again
        </Button>
      </div>
      {query.data !== undefined ? (
        <Found preview={query.data} />
      ) : query.isError ? (
        <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Could not preview the signal" />
      ) : (
        <Skeleton className="h-48 w-full" />
      )}
    </section>
  )
}
