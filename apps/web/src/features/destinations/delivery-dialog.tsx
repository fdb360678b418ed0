import type { Delivery } from '@tributary/contract'
import { useState } from 'react'
import { deliveryStatus } from '../../lib/delivery-status.ts'
import { formatMessage } from '../../lib/json-text.ts'
import { count } from '../../lib/text.ts'
import { localTime, utcTime } from '../../lib/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt className="text-xs text-ink-3">{name}</dt>
    <dd className="text-sm tabular">{children}</dd>
  </div>
)

const Exchange = ({ title, text, notice }: { title: string; text: string; notice: string }) => (
  <CodeBlock
    codes={[{ title, language: 'text', text: formatMessage(text) }]}
    notice={notice}
    className="max-h-64 break-all whitespace-pre-wrap"
  />
)

/** One attempt: its outcome, and for a failure what was sent and answered. */
export const DeliveryDialog = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => {
  const [open, setOpen] = useState(true)
  const { label, tone } = deliveryStatus(delivery.status)
  const close = () => setOpen(false)
  return (
    <Dialog
      open={open}
      onClose={close}
      onClosed={onClose}
      size="lg"
      title={delivery.event_title}
      description={
        <span className="flex flex-wrap items-center gap-x-2">
          {delivery.event_type} event <Badge tone={tone}>{label}</Badge>
        </span>
      }
      footer={<Button onClick={close}>Close</Button>}
    >
      <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Fact name="Time">
          <time dateTime={delivery.time} title={utcTime(delivery.time)}>
            {localTime(delivery.time)}
          </time>
        </Fact>
        <Fact name="Attempt">{delivery.attempt}</Fact>
        <Fact name="HTTP status">{delivery.http_status === 0 ? 'No answer' : delivery.http_status}</Fact>
        <Fact name="Latency">{count(delivery.latency_ms)} ms</Fact>
      </dl>
      <div className="mb-4 flex items-center gap-1 text-xs text-ink-3">
        Message id <code className="truncate font-mono text-ink-2">{delivery.message_id}</code>
        <CopyButton text={delivery.message_id} name="Copy message id" notice="Message id copied" size="xs" />
      </div>
      {delivery.reason !== '' && (
        <p className="mb-4 rounded-md bg-warning-soft px-3 py-2 text-sm break-words text-warning-ink">
          {delivery.reason}
        </p>
      )}
      {delivery.request === '' && delivery.response === '' ? (
        <p className="text-sm text-ink-2">Request and response are kept for failed attempts only.</p>
      ) : (
        <div className="space-y-4">
          <Exchange title="Request" text={delivery.request} notice="Request copied" />
          <Exchange
            title="Response"
            text={delivery.response === '' ? 'No response' : delivery.response}
            notice="Response copied"
          />
        </div>
      )}
    </Dialog>
  )
}
