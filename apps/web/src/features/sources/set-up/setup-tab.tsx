import { useQuery } from '@tanstack/react-query'
import { fillGuide, type Source } from '@tributary/contract'
import { useMemo } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { slugOf } from '../../../lib/format/names.ts'
import { catalogSourceQuery, writekeysQuery } from '../../../lib/queries/workspace-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Card } from '../../../ui/card.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Markup } from '../../../ui/code/markup.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import type { LiveEvent } from '../live/live-event.ts'
import { FirstEvent } from './first-event.tsx'
import { SecretNotice } from './secret-notice.tsx'
import { WriteKeysCard } from './write-keys-card.tsx'

/**
 * The newest write key of a source: 'unknown' if the keys are not loaded or the user may not read them, 'none' if the
 * source has no key.
 */
type KnownKey = 'unknown' | 'none' | { key: string }

const Guide = ({ app, writeKey }: { app: string; writeKey: KnownKey }) => {
  const workspace = useWorkspace()
  const query = useQuery(catalogSourceQuery(workspace.name, slugOf(app)))
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={6} />} errorTitle="Failed to load the guide">
      {(entry) => <GuideSteps title={entry.title} steps={entry.guide} writeKey={writeKey} />}
    </QueryView>
  )
}

const GuideSteps = ({
  title,
  steps,
  writeKey,
}: {
  title: string
  steps: Parameters<typeof fillGuide>[0]
  writeKey: KnownKey
}) => {
  const key = typeof writeKey === 'string' ? undefined : writeKey.key
  const filled = useMemo(() => fillGuide(steps, { origin: window.location.origin, writeKey: key }), [steps, key])
  return (
    <Card
      title={`Send events with ${title}`}
      description={
        writeKey === 'none'
          ? 'Create a write key first. It is then filled in below.'
          : writeKey === 'unknown'
            ? 'Your server address is filled in. Replace the placeholder with your write key.'
            : 'Your server address and newest write key are filled in.'
      }
    >
      <ol className="space-y-6">
        {filled.map((step, index) => (
          <li key={step.title} className="flex gap-3">
            <span
              aria-hidden
              className="grid size-6 shrink-0 place-items-center rounded-full border border-line-strong bg-canvas text-xs font-semibold tabular"
            >
              {index + 1}
            </span>
            <div className="min-w-0 flex-1 space-y-2">
              <h3 className="pt-0.5 text-sm font-semibold">{step.title}</h3>
              {step.text !== '' && <Markup text={step.text} className="text-sm text-ink-2" />}
              {step.code !== '' && (
                <CodeBlock
                  codes={[{ title: step.language, language: step.language, text: step.code }]}
                  notice="Snippet copied"
                  className="max-h-96"
                />
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** How to send events to this source: its keys, the guide of its app, and whether the first event has arrived. */
export const SetupTab = ({
  source,
  received,
  newest,
}: {
  source: Source
  /** Whether any event has ever arrived. */
  received: boolean
  /** The newest known event. */
  newest: LiveEvent | undefined
}) => {
  const query = useQuery(writekeysQuery(source.name))
  const mayEdit = useMayEdit() === true
  const newestKey = query.data?.[0]?.key
  return (
    <div className="space-y-5">
      <SecretNotice source={source} />
      <FirstEvent source={source} received={received} newest={newest} />
      <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the write keys">
        {(writekeys) => <WriteKeysCard source={source} writekeys={writekeys} mayEdit={mayEdit} />}
      </QueryView>
      <Guide
        app={source.app.catalog_app}
        writeKey={query.data === undefined ? 'unknown' : newestKey === undefined ? 'none' : { key: newestKey }}
      />
    </div>
  )
}
