import { useQuery } from '@tanstack/react-query'
import { eventTypes, timeBases } from '@tributary/contract'
import type { ReactNode } from 'react'
import { ConditionBuilder } from '../../../components/condition-builder.tsx'
import { mappingsQuery } from '../../../lib/queries/mapping-queries.ts'
import { allSourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { Field, FieldError } from '../../../ui/forms/field.tsx'
import { Input, Select } from '../../../ui/forms/input.tsx'
import { MomentField } from '../../../ui/forms/moment-field.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { SearchSelect } from '../../../ui/forms/search-select.tsx'
import { eventTypeOf, type ReplayDraft, replayTimes } from './replay-scope.ts'

type Part = {
  draft: ReplayDraft
  change: (part: Partial<ReplayDraft>) => void
  errors: Readonly<Record<string, string>>
}

const Row = ({ children }: { children: ReactNode }) => <div className="grid gap-4 sm:grid-cols-2">{children}</div>

const Kind = ({ draft, change }: Part) => (
  <fieldset className="space-y-2">
    <legend className="mb-1.5 text-sm font-medium">What to send</legend>
    <div className="grid gap-2 sm:grid-cols-2">
      {(
        [
          ['history', 'History', 'Stored events from any source in the workspace.'],
          ['dead', 'Dead letters', 'Events this destination rejected, or that failed too many times.'],
        ] as const
      ).map(([kind, title, hint]) => (
        <label
          key={kind}
          className="flex cursor-pointer items-start gap-2.5 rounded-md border border-line px-3 py-2.5 text-sm hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name="kind"
            value={kind}
            checked={draft.kind === kind}
            onChange={() => change({ kind, time: kind === 'dead' ? 'month' : 'day' })}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="font-medium">
            {title}
            <span className="block text-xs font-normal text-ink-2">{hint}</span>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
)

const timeHints = {
  receive_time: 'When events were received.',
  event_time: 'When events happened, however late they were received.',
} as const

const TimeBy = ({ draft, change }: Part) => (
  <Field label="Time of">
    {(control) => (
      <Select
        {...control}
        value={draft.timeBy}
        onChange={(event) =>
          change({ timeBy: timeBases.find((each) => each === event.target.value) ?? 'receive_time' })
        }
      >
        <option value="receive_time">Receipt</option>
        <option value="event_time">The event</option>
      </Select>
    )}
  </Field>
)

const When = ({ draft, change, errors }: Part) => (
  <>
    <Field
      label="Time"
      hint={draft.kind === 'dead' ? 'By first attempt.' : timeHints[draft.timeBy]}
      error={draft.time === 'custom' ? undefined : errors['start_time']}
    >
      {(control) => (
        <Select
          {...control}
          value={draft.time}
          onChange={(event) => {
            const found = replayTimes.find(({ id }) => id === event.target.value)
            if (found !== undefined) change({ time: found.id })
          }}
        >
          {replayTimes.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
      )}
    </Field>
    {draft.time === 'custom' && (
      <div className="sm:col-span-2">
        <Row>
          <MomentField
            label="From"
            required
            value={draft.start}
            error={errors['start_time']}
            onPick={(start) => change({ start })}
          />
          <MomentField
            label="Before"
            required
            value={draft.end}
            error={errors['end_time']}
            onPick={(end) => change({ end })}
          />
        </Row>
      </div>
    )}
  </>
)

const Source = ({ workspace, draft, change, errors }: Part & { workspace: string }) => {
  const { data: sources = [] } = useQuery(allSourcesQuery(workspace))
  return (
    <Field
      label="Source"
      {...(draft.kind === 'history' ? { hint: 'Can be a source that is not connected to this destination.' } : {})}
      error={errors['source']}
    >
      {(control) => (
        <SearchSelect
          label="Source"
          control={control}
          placeholder="All sources"
          value={draft.source}
          onChange={(source) => change({ source })}
          options={[
            { value: '', title: 'All sources' },
            ...sources.map(({ name, title, app }) => ({
              value: name,
              title,
              note: app.display_name,
              icon: app.extra.app_icon,
            })),
          ]}
        />
      )}
    </Field>
  )
}

const EventFields = ({ draft, change, errors, problems }: Part & { problems: Readonly<Record<string, string>> }) => (
  <>
    <Row>
      <Field label="Event name" hint="Exact name. Leave empty for all events." error={errors['event']}>
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            placeholder="Order Completed"
            value={draft.event}
            onChange={(event) => change({ event: event.target.value })}
          />
        )}
      </Field>
      <Field label="Type" error={errors['event_type']}>
        {(control) => (
          <Select
            {...control}
            value={draft.eventType}
            onChange={(event) => change({ eventType: eventTypeOf(event.target.value) })}
          >
            <option value="">All types</option>
            <Options of={eventTypes} />
          </Select>
        )}
      </Field>
    </Row>
    <div className="space-y-1.5">
      <p className="text-sm font-medium">Conditions</p>
      <ConditionBuilder
        label="Conditions"
        value={draft.filter}
        problems={problems}
        emptyText={
          draft.kind === 'dead'
            ? 'No conditions. Every dead letter in this period is sent.'
            : 'No conditions. Every event in this period is sent.'
        }
        onChange={(filter) => change({ filter })}
      />
      <FieldError id="replay-filter-error" live message={errors['filter']} />
    </div>
  </>
)

const profileHints = {
  latest: 'Values are those when each event is sent, also with changes since the replay began.',
  none: 'Fields and conditions get no values of the profile.',
} as const

/** The choice of what mappings get of profiles; nothing for a destination whose mappings use no profile. */
const Profile = ({ destination, draft, change, errors }: Part & { destination: string }) => {
  const { data } = useQuery(mappingsQuery(destination))
  if (data?.uses_profile !== true || draft.kind !== 'history') return null
  return (
    <Field label="Profile" hint={profileHints[draft.profile]} error={errors['profile']}>
      {(control) => (
        <Select
          {...control}
          value={draft.profile}
          onChange={(event) => change({ profile: event.target.value === 'none' ? 'none' : 'latest' })}
        >
          <option value="latest">Latest values</option>
          <option value="none">Only the event's own values</option>
        </Select>
      )}
    </Field>
  )
}

/** The fields of a new replay. `problems` are the errors of single conditions, by their IDs. */
export const ReplayFields = ({
  destination,
  workspace,
  problems,
  ...part
}: Part & { destination: string; workspace: string; problems: Readonly<Record<string, string>> }) => {
  const { draft, change, errors } = part
  return (
    <div className="space-y-5">
      <Kind {...part} />
      <Row>
        <When {...part} />
        {draft.kind === 'history' && <TimeBy {...part} />}
        <Source {...part} workspace={workspace} />
      </Row>
      {draft.kind === 'dead' && (
        <Field label="Reason" hint="Exact text of the failure. Leave empty for all reasons." error={errors['reason']}>
          {(control) => (
            <Input
              {...control}
              autoComplete="off"
              value={draft.reason}
              onChange={(event) => change({ reason: event.target.value })}
            />
          )}
        </Field>
      )}
      <EventFields {...part} problems={problems} />
      <Row>
        <Profile {...part} destination={destination} />
        <Field
          label="Events per second"
          hint="Limits the replay so live events are not delayed."
          error={errors['events_per_second']}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={draft.rate}
              onChange={(event) => change({ rate: event.target.value })}
            />
          )}
        </Field>
      </Row>
    </div>
  )
}
