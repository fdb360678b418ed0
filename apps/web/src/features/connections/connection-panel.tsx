import { type EventConditions, successRate } from '@tributary/contract'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ConditionBuilder } from '../../components/condition-builder.tsx'
import { messageOf, useAttempt } from '../../components/use-attempt.ts'
import { useConnections } from '../../components/use-connections.ts'
import { conditionProblems } from '../../lib/events/condition-words.ts'
import { type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { percent } from '../../lib/format/rates.ts'
import { count } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { Alert } from '../../ui/alert.tsx'
import { AppIcon } from '../../ui/app-icon.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Fact } from '../../ui/code/exchange.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { SlideOver } from '../../ui/overlays/slide-over.tsx'
import type { MapLine } from './map-layout.ts'

const trimmed = ({ match, conditions }: EventConditions): EventConditions => ({
  match,
  conditions: conditions.map((each) => ({ ...each, field: each.field.trim() })),
})

/** The filter of a connection, which has its own button for saving. */
const Filter = ({
  saved,
  mayEdit,
  onSave,
}: {
  saved: EventConditions
  mayEdit: boolean
  onSave: (filter: EventConditions) => Promise<unknown>
}) => {
  const [draft, setDraft] = useState(saved)
  const [checked, setChecked] = useState(false)
  const { pending: saving, failure, setFailure, attempt } = useAttempt(messageOf)
  const problems = checked ? conditionProblems(draft.conditions) : {}
  const changed = JSON.stringify(trimmed(draft)) !== JSON.stringify(saved)
  const save = async (): Promise<void> => {
    setChecked(true)
    setFailure(undefined)
    if (Object.keys(conditionProblems(draft.conditions)).length > 0) return
    await attempt(async () => {
      await onSave(trimmed(draft))
      setChecked(false)
    })
  }
  return (
    <section aria-label="Event filter" className="space-y-3">
      <div>
        <h3 className="text-base font-semibold">Event filter</h3>
        <p className="mt-0.5 text-sm text-ink-2">
          Only matching events go to the destination. The rest are listed as Filtered in its deliveries.
        </p>
      </div>
      <ConditionBuilder
        label="Filter conditions"
        value={draft}
        onChange={setDraft}
        problems={problems}
        disabled={!mayEdit || saving}
        emptyText="No conditions. Every event is sent."
      />
      {failure !== undefined && <Alert className="text-xs">{failure}</Alert>}
      {mayEdit && changed && (
        <div className="flex justify-end gap-2">
          <Button disabled={saving} onClick={() => setDraft(saved)}>
            Discard
          </Button>
          <Button variant="primary" loading={saving} onClick={() => void save()}>
            Save filter
          </Button>
        </div>
      )}
    </section>
  )
}

const End = ({ title, icon, to, what }: { title: string; icon: string; to: string; what: string }) => (
  <div className="flex min-w-0 flex-1 items-center gap-3">
    <AppIcon icon={icon} />
    <span className="min-w-0">
      <span className="block text-xs text-ink-3">{what}</span>
      <Link to={to} className="block truncate rounded-sm font-medium hover:underline">
        {title}
      </Link>
    </span>
  </div>
)

const Counted = ({ value, to }: { value: number; to: string }) =>
  value === 0 ? (
    0
  ) : (
    <Link to={to} className="rounded-sm hover:underline">
      {count(value)}
    </Link>
  )

const Ends = ({ connection: { source, destination, extra } }: Pick<MapLine, 'connection'>) => (
  <div className="flex items-center gap-3 rounded-lg border border-line p-3 max-sm:flex-col max-sm:items-start">
    <End title={extra.source.title} icon={extra.source.app_icon} to={paths.source(source)} what="Source" />
    <ArrowRight aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:ml-3 max-sm:rotate-90" />
    <End
      title={extra.destination.title}
      icon={extra.destination.app_icon}
      to={paths.destination(destination)}
      what="Destination"
    />
  </div>
)

/** Whether the connection delivers, and what becomes of its events. */
const Delivery = ({
  connection,
  mayEdit,
  onEnable,
}: {
  connection: MapLine['connection']
  mayEdit: boolean
  onEnable: (enabled: boolean) => void
}) => {
  const { source, destination } = connection.extra
  return (
    <div className="flex items-center justify-between gap-4">
      <div className="min-w-0">
        <h3 className="text-base font-semibold">Deliver events</h3>
        <p className="mt-0.5 text-sm text-ink-2">
          {!source.enabled
            ? 'The source is disabled and sends no events.'
            : !destination.enabled
              ? 'The destination is paused and its events are held.'
              : connection.enabled
                ? 'Events are delivered as they arrive.'
                : 'Events that arrive while this is off are never delivered.'}
        </p>
      </div>
      <Switch
        checked={connection.enabled}
        disabled={!mayEdit}
        label={`Connection from ${source.title} to ${destination.title}`}
        onChange={onEnable}
      />
    </div>
  )
}

/** The outcomes of a connection over the time range. */
const Figures = ({ line: { connection, outcomes }, range }: { line: MapLine; range: RangePreset }) => {
  const rate = successRate(outcomes)
  const deliveries = (status: string): string =>
    paths.deliveries(connection.destination, status, { range, source: connection.source })
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line p-3">
      <h3 className="w-full text-base font-semibold">{viewOf(range).title}</h3>
      <dl className="flex flex-wrap gap-x-10 gap-y-2">
        <Fact name="Delivered">
          <Counted value={outcomes.delivered} to={deliveries('delivered')} />
        </Fact>
        <Fact name="Failed">
          <Counted value={outcomes.failed} to={deliveries('dead')} />
        </Fact>
        <Fact name="Success">{rate === undefined ? '–' : percent(rate)}</Fact>
      </dl>
      <ButtonLink size="sm" to={deliveries('')}>
        See deliveries
      </ButtonLink>
    </div>
  )
}

/** A panel for one connection: switch, filter, and removal. */
export const ConnectionPanel = ({
  line,
  range,
  workspace,
  mayEdit,
  onClosed,
}: {
  line: MapLine
  /** The time range of the figures. */
  range: RangePreset
  workspace: string
  mayEdit: boolean
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  const [asking, setAsking] = useState(false)
  const { enable, disconnect, setFilter } = useConnections(workspace, 'Destination')
  const { connection } = line
  const { name, extra } = connection
  const { source, destination } = extra
  return (
    <SlideOver
      open={open}
      onClose={() => setOpen(false)}
      onClosed={onClosed}
      size="lg"
      title="Connection"
      description={`${source.title} to ${destination.title}`}
      footer={
        <>
          {mayEdit && (
            <Button className="mr-auto" onClick={() => setAsking(true)}>
              Disconnect
            </Button>
          )}
          <Button onClick={() => setOpen(false)}>Close</Button>
        </>
      }
    >
      <div className="space-y-6">
        <Ends connection={connection} />
        <Delivery connection={connection} mayEdit={mayEdit} onEnable={(enabled) => enable.mutate({ name, enabled })} />
        <Figures line={line} range={range} />
        <Filter
          key={JSON.stringify(connection.filter)}
          saved={connection.filter}
          mayEdit={mayEdit}
          onSave={(filter) => setFilter.mutateAsync({ name, filter })}
        />
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        kind="danger"
        title="Disconnect"
        confirmLabel="Disconnect"
        loading={disconnect.isPending}
        error={disconnect.error?.message}
        onConfirm={() =>
          disconnect.mutate(connection.name, {
            onSuccess: () => {
              setAsking(false)
              setOpen(false)
            },
          })
        }
      >
        Events from {source.title} will no longer be delivered to {destination.title}. Neither is deleted.
      </ConfirmDialog>
    </SlideOver>
  )
}
