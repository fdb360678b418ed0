import type { TriedCall, TriedOwnConnector } from '@tributary/contract'
import { useEffect, useRef } from 'react'
import { formatJson } from '../../../lib/format/json-text.ts'
import { count } from '../../../lib/format/text.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Fact } from '../../../ui/code/exchange.tsx'

const outcomes: Readonly<Record<TriedOwnConnector['outcome'], { label: string; tone: BadgeTone }>> = {
  delivered: { label: 'Delivered', tone: 'success' },
  retry: { label: 'Would be retried', tone: 'warning' },
  rejected: { label: 'Rejected', tone: 'danger' },
  held: { label: 'Would be held', tone: 'warning' },
  none: { label: 'Nothing sent', tone: 'neutral' },
}

const headersText = (headers: readonly { name: string; value: string }[]): string =>
  headers.map(({ name, value }) => `${name}: ${value}`).join('\n')

/** Returns a request or an answer as it is on the wire, with an indented JSON body. */
export const messageText = (first: string, headers: TriedCall['request']['headers'], body: string): string =>
  [first, headersText(headers), ...(body === '' ? [] : ['', formatJson(body)])]
    .filter((part, at) => at > 1 || part !== '')
    .join('\n')

const Call = ({ call, index }: { call: TriedCall; index: number }) => {
  const { request, response, reason } = call
  return (
    <li className="space-y-2">
      <h4 className="text-xs font-medium text-ink-3">
        Request {index + 1} · {count(call.latency_ms)} ms
      </h4>
      <CodeBlock
        label={`Request ${index + 1}`}
        codes={[
          {
            title: 'Request',
            language: 'json',
            text: messageText(`${request.method} ${request.url}`, request.headers, request.body),
          },
          {
            title: 'Answer',
            language: 'json',
            text:
              response === null
                ? `No answer: ${reason}`
                : `${messageText(`HTTP ${response.status}`, response.headers, response.body)}${response.is_cut ? '\n…' : ''}`,
          },
        ]}
        className="max-h-80 break-all whitespace-pre-wrap"
      />
    </li>
  )
}

/** The outcome of a trial. It scrolls into view, since the form above it can be long. */
const Outcome = ({ tried }: { tried: TriedOwnConnector }) => {
  const element = useRef<HTMLDListElement>(null)
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [tried])
  return (
    <dl ref={element} className="grid scroll-mb-80 grid-cols-2 gap-3">
      <Fact name="Outcome">
        <Badge tone={outcomes[tried.outcome].tone}>{outcomes[tried.outcome].label}</Badge>
      </Fact>
      <Fact name="Action">{tried.action === '' ? 'None' : tried.action}</Fact>
    </dl>
  )
}

/** The requests of a trial with their answers. The server hides secrets. */
export const TriedResult = ({ tried }: { tried: TriedOwnConnector }) => (
  <section aria-label="Result" className="space-y-4 border-t border-line pt-4">
    <Outcome tried={tried} />
    {tried.reason !== '' && (
      <p className="rounded-md bg-sunken px-3 py-2 text-sm break-words text-ink-2">{tried.reason}</p>
    )}
    <ol className="space-y-4">
      {tried.calls.map((call, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the order of requests never changes
        <Call key={index} call={call} index={index} />
      ))}
    </ol>
    {tried.event !== '' && (
      <CodeBlock
        label="Event"
        codes={[
          { title: 'Event', language: 'json', text: formatJson(tried.event) },
          ...(tried.payload === '' ? [] : [{ title: 'Mapped', language: 'json', text: formatJson(tried.payload) }]),
        ]}
        className="max-h-64 break-all whitespace-pre-wrap"
      />
    )}
  </section>
)
