import { useQuery } from '@tanstack/react-query'
import { type PlatformOption, signalPlatformTitles } from '@tributary/contract'
import { signalPlatformsQuery } from '../../../lib/queries/signal-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import type { SignalDraft } from '../draft.ts'
import { pixelCode } from '../pixel-code.ts'
import { EventList } from './event-list.tsx'
import type { FieldsProps } from './fields-props.ts'
import { PathField } from './path-field.tsx'
import { RadioCards } from './radio-cards.tsx'
import { useEventFields } from './use-event-fields.ts'

/** Returns one option for each kind of platform: of the chosen platforms, or of all if none is chosen. */
const shownOf = (options: readonly PlatformOption[], { platforms }: SignalDraft): PlatformOption[] => {
  const chosen = options.filter(({ destination }) => platforms.some((each) => each.destination === destination))
  const shown = chosen.length === 0 ? options : chosen
  return shown.filter((each, at) => shown.findIndex(({ platform }) => platform === each.platform) === at)
}

const PixelCode = ({ draft }: { draft: SignalDraft }) => {
  const { data } = useQuery(signalPlatformsQuery(useWorkspace().name, draft.conversion))
  const shown = shownOf(data ?? [], draft)
  if (shown.length === 0)
    return (
      <p className="text-sm text-ink-2">
        The code for your pixel or tag is shown here once a destination of Meta, Google, or TikTok is there.
      </p>
    )
  return (
    <section aria-label="Code for your pixels and tags" className="space-y-2">
      <h3 className="text-sm font-medium">Code for your pixels and tags</h3>
      <p className="text-sm text-ink-2">
        If a page also loads the pixel or tag of a platform, send it the same ID. The platform then counts the
        conversion once.
      </p>
      <CodeBlock
        label="Platform"
        notice="Code copied"
        codes={shown.map(({ platform, event_name }) => ({
          title: signalPlatformTitles[platform],
          language: 'javascript',
          text: pixelCode(
            { platform, event_name: event_name === '' ? draft.conversion.custom_name : event_name },
            draft,
          ),
        }))}
      />
      <dl className="text-xs text-ink-3">
        {shown.map(({ platform, event_id_target, pixel_parameter }) => (
          <div key={platform} className="flex flex-wrap gap-x-1">
            <dt>{signalPlatformTitles[platform]}:</dt>
            <dd>
              <code className="font-mono">{event_id_target}</code> here,{' '}
              <code className="font-mono">{pixel_parameter}</code> in the browser
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const usualRefunds = ['Order Refunded', 'Order Cancelled']

const Refunds = ({ draft, problems, disabled, onChange }: FieldsProps) => {
  const fields = useEventFields({ events: draft.refunds.events })
  const { refunds } = draft
  const set = (part: Partial<typeof refunds>): void => onChange({ ...draft, refunds: { ...refunds, ...part } })
  return (
    <section aria-label="Refunds" className="space-y-4 border-t border-line pt-4">
      <div className="flex items-start gap-3">
        <Switch label="Send refunds" checked={refunds.on} disabled={disabled} onChange={(on) => set({ on })} />
        <div className="min-w-0">
          <h3 className="text-sm font-medium">Send refunds</h3>
          <p className="text-sm text-ink-2">
            Google Ads and Google Analytics take back the value of refunded orders. Meta and TikTok do not.
          </p>
        </div>
      </div>
      {refunds.on && (
        <>
          <EventList
            label="Refund events"
            name="refunds.events"
            value={refunds.events}
            usual={usualRefunds}
            error={problems['refundEvents']}
            disabled={disabled}
            onChange={(events) => set({ events })}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <PathField
              label="Event ID of the order"
              name="refunds.order_path"
              required
              hint="Where a refund has the event ID of its conversion."
              value={refunds.orderPath}
              placeholder="properties.order_id"
              fields={fields}
              error={problems['orderPath']}
              disabled={disabled}
              onChange={(orderPath) => set({ orderPath })}
            />
            <PathField
              label="Refunded value"
              name="refunds.amount_path"
              hint="Leave empty to take back all of it."
              value={refunds.amountPath}
              placeholder="properties.total"
              fields={fields}
              error={undefined}
              disabled={disabled}
              onChange={(amountPath) => set({ amountPath })}
            />
          </div>
        </>
      )}
    </section>
  )
}

/**
 * The event ID by which platforms deduplicate a conversion that a pixel also sends, the code for the page, and refunds,
 * which refer to the ID.
 */
export const EventIdFields = (props: FieldsProps) => {
  const { draft, problems, disabled, onChange } = props
  const fields = useEventFields(draft)
  const { eventId } = draft
  return (
    <div className="space-y-5">
      <RadioCards
        legend="Event ID"
        value={eventId.type}
        disabled={disabled}
        onChange={(type) => onChange({ ...draft, eventId: { ...eventId, type } })}
        options={[
          {
            value: 'path',
            title: 'Order ID',
            text: 'An ID of the event, the same from browser and server. An event without one gets its message ID.',
            children: (
              <PathField
                label="Where the event has it"
                name="event_id.path"
                required
                value={eventId.path}
                placeholder="properties.order_id"
                fields={fields}
                error={problems['path']}
                disabled={disabled}
                onChange={(path) => onChange({ ...draft, eventId: { type: 'path', path } })}
              />
            ),
          },
          {
            value: 'message_id',
            title: 'Message ID',
            text: 'The ID that each event has. The pixel can send it only in the page that also sends the event.',
          },
        ]}
      />
      <PixelCode draft={draft} />
      {draft.trigger === 'events' && <Refunds {...props} />}
    </div>
  )
}
