import { useQuery } from '@tanstack/react-query'
import { methods, parseSourceSchema, type SourceSchema } from '@tributary/contract'
import { useMemo, useState } from 'react'
import { QueryView } from '../../../../components/query-view.tsx'
import { useAttempt } from '../../../../components/use-attempt.ts'
import { sourceIds } from '../../../../lib/format/names.ts'
import { count, pluralise } from '../../../../lib/format/text.ts'
import { query } from '../../../../lib/queries/query.ts'
import { Alert } from '../../../../ui/alert.tsx'
import { Badge } from '../../../../ui/badge.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Select } from '../../../../ui/forms/input.tsx'
import { Options } from '../../../../ui/forms/options.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../../ui/overlays/use-opened.ts'
import { EmptyState } from '../../../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../../../ui/page/skeleton.tsx'
import { ownerTitle, propertyTitle } from '../changes/schema-diff.ts'
import { ownerIdOf } from '../schema-owner.tsx'
import { additionsOf, type ProposedEvent, type ProposedProperty, proposalOf, withProposal } from './schema-proposal.ts'

/** Reads a schema that the events of the last `days` days match. */
const inferredSchemaQuery = (source: string, days: number) =>
  query(methods.inferredSchemas.get, { params: sourceIds(source), query: { days } }, { staleTime: 0 })

const ranges = [1, 7, 30, 90] as const
const rangeWords = (days: number): string => (days === 1 ? 'Last 24 hours' : `Last ${days} days`)

const describe = ({ field, before, requirement }: ProposedProperty): string => {
  const items = field.items === undefined ? '' : ` of items with ${[...field.items.properties.keys()].join(', ')}`
  if (before === undefined) return `${field.type}${items}${requirement === 'optional' ? '' : `, ${requirement}`}`
  return before.type === field.type
    ? `describe its items: ${items.slice(15)}`
    : `${before.type} → ${field.type}${items}`
}

/** Describes values that would not match the proposed type, such as 'Also string (33%), sku: number (50%)'. */
const othersText = (others: NonNullable<ProposedProperty['others']>): string =>
  `Also ${others.map(({ name, type, share }) => `${name === undefined ? '' : `${name}: `}${type} (${Math.max(1, Math.round(share * 100))}%)`).join(', ')}`

type Choice = { chosen: ReadonlySet<string>; choose: (ids: readonly string[], on: boolean) => void }

const idsOf = ({ id, isNew, properties }: ProposedEvent): string[] => [
  ...(isNew ? [id] : []),
  ...properties.map((property) => property.id),
]

const ProposedGroup = ({ proposed, chosen, choose }: { proposed: ProposedEvent } & Choice) => {
  const ids = idsOf(proposed)
  const on = ids.filter((id) => chosen.has(id)).length
  const title = ownerTitle(proposed.event)
  return (
    <li aria-label={title} className="px-3 py-2.5">
      <label className="flex items-center gap-2.5 text-sm font-medium">
        <input
          type="checkbox"
          aria-label={`All of ${title}`}
          checked={on === ids.length}
          ref={(box) => {
            if (box !== null) box.indeterminate = on > 0 && on < ids.length
          }}
          onChange={(event) => choose(ids, event.currentTarget.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 break-words">{title}</span>
        {proposed.isNew && <Badge tone="success">New</Badge>}
        <span className="ml-auto shrink-0 text-xs font-normal text-ink-3 tabular">
          {count(proposed.count)} {pluralise(proposed.count, 'event')} seen
        </span>
      </label>
      <ul className="mt-1 space-y-1 pl-6.5">
        {proposed.properties.map((property) => (
          <li key={property.id}>
            <label className="flex items-start gap-2.5 text-xs">
              <input
                type="checkbox"
                aria-label={propertyTitle(property.place)}
                checked={chosen.has(property.id)}
                onChange={(event) =>
                  // Selecting a property of a new event selects that event, too.
                  choose(
                    event.currentTarget.checked && proposed.isNew ? [proposed.id, property.id] : [property.id],
                    event.currentTarget.checked,
                  )
                }
                className="mt-0.5 size-3.5 shrink-0 accent-accent"
              />
              <span className="min-w-0 break-words">
                <code className="font-mono">{propertyTitle(property.place)}</code>{' '}
                <span className="text-ink-2">{describe(property)}</span>{' '}
                {property.before !== undefined && <Badge tone="warning">Change</Badge>}{' '}
                {property.others !== undefined && (
                  <Badge tone="warning" title="Events had values of several types. These would not match.">
                    {othersText(property.others)}
                  </Badge>
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </li>
  )
}

const Proposal = ({
  current,
  proposal,
  onAccept,
}: {
  current: SourceSchema
  proposal: readonly ProposedEvent[]
  onAccept: (schema: SourceSchema) => Promise<unknown>
}) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => additionsOf(proposal))
  const { pending: saving, failure, attempt } = useAttempt()
  const choose = (ids: readonly string[], on: boolean): void => {
    setChosen((before) => {
      const next = new Set(before)
      for (const id of ids) {
        if (on) next.add(id)
        else next.delete(id)
      }
      return next
    })
  }
  const accept = () => attempt(() => onAccept(withProposal(current, proposal, chosen)))
  const all = proposal.flatMap(idsOf)
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <p className="mr-auto text-sm text-ink-2">
          New events and properties are selected. Review changes to existing ones yourself.
        </p>
        <span className="flex gap-2">
          <Button size="sm" onClick={() => choose(all, true)}>
            Select all
          </Button>
          <Button size="sm" onClick={() => setChosen(new Set())}>
            Select none
          </Button>
        </span>
      </div>
      <ul aria-label="Proposed events" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {proposal.map((proposed) => (
          <ProposedGroup key={proposed.id} proposed={proposed} chosen={chosen} choose={choose} />
        ))}
      </ul>
      {failure !== undefined && <Alert className="mt-3 text-sm break-words">{failure}</Alert>}
      <div className="sticky -bottom-4 -mx-5 mt-4 -mb-4 flex items-center justify-end gap-3 border-t border-line bg-raised px-5 py-3">
        <span className="text-sm text-ink-2 tabular">{count(chosen.size)} chosen</span>
        <Button variant="primary" loading={saving} disabled={chosen.size === 0} onClick={() => void accept()}>
          Add to schema
        </Button>
      </div>
    </>
  )
}

/** Proposes a schema that matches received events: the selected parts are added, and nothing is removed. */
export const ProposalDialog = ({
  source,
  current,
  only,
  onSave,
  onClosed,
}: {
  source: string
  current: SourceSchema
  /** JSON Pointer of the only event to propose for, or of the user schema. */
  only?: string | undefined
  onSave: (schema: SourceSchema) => Promise<unknown>
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const [days, setDays] = useState(7)
  const query = useQuery(inferredSchemaQuery(source, days))
  const { data } = query
  const proposal = useMemo(
    () =>
      data === undefined
        ? []
        : proposalOf(current, parseSourceSchema(data.schema), data.events, data.mixed).filter(
            ({ event }) => only === undefined || ownerIdOf(event) === only,
          ),
    [data, current, only],
  )
  const accept = async (schema: SourceSchema): Promise<void> => {
    await onSave(schema)
    close()
  }
  return (
    <Dialog
      {...dialog}
      size="lg"
      title="Suggest from your events"
      description="Based on the events this source received. Nothing is removed from the schema."
    >
      <div className="mb-4 flex items-center gap-3">
        <label htmlFor="proposal-days" className="text-sm font-medium">
          Period
        </label>
        <Select
          id="proposal-days"
          value={days}
          className="w-40"
          onChange={(event) => setDays(Number(event.currentTarget.value))}
        >
          <Options of={ranges} title={rangeWords} />
        </Select>
      </div>
      <QueryView query={query} skeleton={<CardSkeleton lines={6} />} errorTitle="Failed to load the events">
        {(found) =>
          proposal.length === 0 ? (
            <EmptyState
              title={found.events.length === 0 ? 'No events in this period' : 'Nothing to add'}
              className="py-8"
            >
              {found.events.length === 0
                ? 'This source received no track or identify events in this period. Send some, or choose a longer one.'
                : 'Every event and property received in this period is already in the schema.'}
            </EmptyState>
          ) : (
            <Proposal key={days} current={current} proposal={proposal} onAccept={accept} />
          )
        }
      </QueryView>
    </Dialog>
  )
}
