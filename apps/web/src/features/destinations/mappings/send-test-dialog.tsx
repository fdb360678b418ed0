import type { Destination, MethodResponse, methods } from '@tributary/contract'
import { useState } from 'react'
import { failureText } from '../../../lib/api/errors.ts'
import { count } from '../../../lib/format/text.ts'
import type { MappingTrial } from '../../../lib/queries/mapping-queries.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Exchange, Fact } from '../../../ui/code/exchange.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useSendTest } from './mapping-mutations.ts'

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

/** Asks, sends one event to the destination for a try, and shows the exact request and the answer. */
export const SendTestDialog = ({
  destination,
  trial,
  onClosed,
}: {
  destination: Destination
  trial: MappingTrial
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const send = useSendTest(destination.name)
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      onClosed={onClosed}
      size="lg"
      title="Send test event"
      description="Sends one event with this mapping, saved or not. It is not retried or counted as a delivery."
      footer={
        <>
          <Button onClick={() => setOpen(false)}>{send.data === undefined ? 'Cancel' : 'Close'}</Button>
          <Button
            variant={send.data === undefined ? 'primary' : 'secondary'}
            loading={send.isPending}
            onClick={() => send.mutate(trial)}
          >
            {send.data === undefined ? 'Send' : 'Send again'}
          </Button>
        </>
      }
    >
      <div aria-live="polite">
        {send.error !== null ? (
          <p role="alert" className="text-sm text-danger-ink">
            {failureText(send.error)}
          </p>
        ) : send.data === undefined ? (
          <p className="text-sm text-ink-2">
            {destination.title} receives a real event and processes it like any other.
          </p>
        ) : (
          <Outcome answer={send.data} />
        )}
      </div>
    </Dialog>
  )
}
