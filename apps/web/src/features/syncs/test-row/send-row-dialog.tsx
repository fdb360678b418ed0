import { useMutation } from '@tanstack/react-query'
import { type MethodRequest, methods, type SyncRowPreview } from '@tributary/contract'
import { SendOnceDialog } from '../../../components/send-once-dialog.tsx'
import { call } from '../../../lib/api/client.ts'
import { formatJson } from '../../../lib/format/json-text.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { count, sentence } from '../../../lib/format/text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Exchange, Fact } from '../../../ui/code/exchange.tsx'
import { operationSentences, outcomeBadges, type RowTrial, type SentTestRow } from './test-row-words.ts'

/** Writes one row to the destination as a test. */
const useSendTestRow = (workspace: string) =>
  useMutation({
    mutationFn: (body: MethodRequest<typeof methods.syncTestRows.send>) =>
      call(methods.syncTestRows.send, { params: workspaceIds(workspace), body }),
  })

const Sent = ({ sent }: { sent: SentTestRow }) => (
  <>
    <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Fact name="Outcome">
        <Badge tone={outcomeBadges[sent.outcome].tone}>{outcomeBadges[sent.outcome].label}</Badge>
      </Fact>
      <Fact name="Key">{sent.key === '' ? 'None' : sent.key}</Fact>
      <Fact name="HTTP status">{sent.http_status === 0 ? 'None' : sent.http_status}</Fact>
      <Fact name="Latency">{count(sent.latency_ms)} ms</Fact>
    </dl>
    <Exchange reason={sentence(sent.reason)} request={sent.request} response={sent.response}>
      {sent.outcome === 'none'
        ? 'No row was sent.'
        : 'The destination does not speak HTTP, so there is no request to show.'}
    </Exchange>
    {sent.payload !== '' && (
      <div className="mt-4">
        <CodeBlock
          codes={[{ title: 'Row as sent', language: 'json', text: formatJson(sent.payload) }]}
          notice="Payload copied"
          className="max-h-64"
        />
      </div>
    )}
  </>
)

/** Asks for confirmation, writes one row to the destination as a test, and shows the request and the response. */
export const SendRowDialog = ({
  workspace,
  trial,
  preview,
  destination,
  onClosed,
}: {
  /** A resource name. */
  workspace: string
  trial: RowTrial
  preview: SyncRowPreview
  /** The title of the destination. */
  destination: string
  onClosed: () => void
}) => {
  const send = useSendTestRow(workspace)
  const { operation, key } = preview
  return (
    <SendOnceDialog
      title="Send test row"
      description="Writes one row with this mapping, saved or not. It is not retried or counted as a delivery."
      send={send}
      trial={trial}
      question={
        <>
          <p>
            This changes data in <span className="font-medium text-ink">{destination}</span>, with the key{' '}
            <span className="font-mono text-xs text-ink">{key}</span>.{' '}
            {operation !== 'event' && operationSentences[operation]}
          </p>
          <p>The sync does not count the row as sent: its next run compares and sends as if this had not happened.</p>
        </>
      }
      answer={(sent) => <Sent sent={sent} />}
      onClosed={onClosed}
    />
  )
}
