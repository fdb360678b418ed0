import { useMutation } from '@tanstack/react-query'
import { type Destination, type MethodResponse, methods } from '@tributary/contract'
import { SendOnceDialog } from '../../../components/send-once-dialog.tsx'
import { call } from '../../../lib/api/client.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { count } from '../../../lib/format/text.ts'
import type { MappingTrial } from '../../../lib/queries/mapping-queries.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Exchange, Fact } from '../../../ui/code/exchange.tsx'

/** Sends one event to a destination with a mapping. */
const useSendTest = (destination: string) =>
  useMutation({
    mutationFn: (trial: MappingTrial) =>
      call(methods.mappings.sendTest, { params: destinationIds(destination), body: trial }),
  })

type Answer = MethodResponse<typeof methods.mappings.sendTest>

const outcomes: Readonly<Record<Answer['outcome'], { label: string; tone: BadgeTone }>> = {
  delivered: { label: 'Delivered', tone: 'success' },
  retry: { label: 'Would be retried', tone: 'warning' },
  rejected: { label: 'Rejected', tone: 'danger' },
  none: { label: 'Nothing sent', tone: 'neutral' },
}

const Outcome = ({ answer }: { answer: Answer }) => (
  <>
    <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Fact name="Outcome">
        <Badge tone={outcomes[answer.outcome].tone}>{outcomes[answer.outcome].label}</Badge>
      </Fact>
      <Fact name="Event">{answer.event?.title ?? 'None'}</Fact>
      <Fact name="HTTP status">{answer.http_status === 0 ? 'No response' : answer.http_status}</Fact>
      <Fact name="Latency">{count(answer.latency_ms)} ms</Fact>
    </dl>
    <Exchange reason={answer.reason} request={answer.request} response={answer.response}>
      No request was sent.
    </Exchange>
  </>
)

/** Asks for confirmation, sends one event to the destination as a test, and shows the exact request and response. */
export const SendTestDialog = ({
  destination,
  trial,
  onClosed,
}: {
  destination: Destination
  trial: MappingTrial
  onClosed: () => void
}) => {
  const send = useSendTest(destination.name)
  return (
    <SendOnceDialog
      title="Send test event"
      description="Sends one event with this mapping, saved or not. It is not retried or counted as a delivery."
      send={send}
      trial={trial}
      question={<p>{destination.title} receives a real event and processes it like any other.</p>}
      answer={(answer) => <Outcome answer={answer} />}
      onClosed={onClosed}
    />
  )
}
