import type { Delivery } from '@tributary/contract'
import { useState } from 'react'
import { deliveryStatus } from '../../../lib/events/delivery-status.ts'
import { attemptCause } from '../../../lib/events/response-cause.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { count } from '../../../lib/format/text.ts'
import { localTime, utcTime } from '../../../lib/format/time.ts'
import { paths } from '../../../lib/paths.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/code/copy-button.tsx'
import { Exchange, Fact } from '../../../ui/code/exchange.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'

/**
 * Returns the profile that entered or left an audience. Such an event is not stored, so there is no event to link to.
 */
const profileOf = ({ audience, row, destination }: Delivery): string | undefined =>
  audience === undefined || row === undefined
    ? undefined
    : `workspaces/${destinationIds(destination).workspace}/profiles/${row.key}`

/** The notes of a delivered event: what it was sent without, and by whose consent it has values of the profile. */
const Notes = ({ of }: { of: string }) => (
  <section aria-label="Notes" className="mb-4">
    <h3 className="text-xs text-ink-3">Notes</h3>
    <ul className="mt-1 list-disc space-y-1 pl-4 text-sm break-words">
      {of.split('; ').map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notes never change, and two can be the same.
        <li key={index}>{note}</li>
      ))}
    </ul>
  </section>
)

/** One delivery attempt: its outcome, and for a failure the request and response. */
export const DeliveryDialog = ({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) => {
  const [open, setOpen] = useState(true)
  const { label, tone } = deliveryStatus(delivery.status)
  const filtered = delivery.status === 'filtered'
  const delivered = delivery.status === 'delivered'
  const close = () => setOpen(false)
  const profile = profileOf(delivery)
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
      footer={
        <>
          {delivery.signal !== undefined ? (
            <ButtonLink to={paths.signal(delivery.signal)} className="mr-auto">
              See signal
            </ButtonLink>
          ) : profile === undefined ? (
            <ButtonLink to={paths.event(delivery.event)} className="mr-auto">
              See event
            </ButtonLink>
          ) : (
            <ButtonLink to={paths.profile(profile)} className="mr-auto">
              See profile
            </ButtonLink>
          )}
          <Button onClick={close}>Close</Button>
        </>
      }
    >
      <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-[2fr_1fr_1fr_1fr]">
        <Fact name="Time">
          <time dateTime={delivery.time} title={utcTime(delivery.time)}>
            {localTime(delivery.time)}
          </time>
        </Fact>
        {!filtered && (
          <>
            <Fact name="Attempt">{delivery.attempt}</Fact>
            <Fact name="HTTP status">{delivery.http_status === 0 ? 'No response' : delivery.http_status}</Fact>
            <Fact name="Latency">{count(delivery.latency_ms)} ms</Fact>
          </>
        )}
      </dl>
      <div className="mb-4 flex items-center gap-1 text-xs text-ink-3">
        Message ID <code className="truncate font-mono text-ink-2">{delivery.message_id}</code>
        <CopyButton text={delivery.message_id} name="Copy message ID" notice="Message ID copied" size="xs" />
      </div>
      {delivered && delivery.reason !== '' && <Notes of={delivery.reason} />}
      <Exchange
        reason={delivered ? '' : attemptCause(delivery.reason, delivery.http_status, delivery.response)}
        request={delivery.request}
        response={delivery.response}
      >
        {filtered
          ? 'Not sent. This event was filtered for this destination.'
          : 'Request and response are stored for failed attempts only.'}
      </Exchange>
    </Dialog>
  )
}
