import { useQuery } from '@tanstack/react-query'
import { syncIntervals } from '@tributary/contract'
import { syncsQuery } from '../../lib/queries/sync-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Field } from '../../ui/forms/field.tsx'
import { Input, Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { SearchSelect } from '../../ui/forms/search-select.tsx'
import { manual, type Schedule } from './schedule.ts'
import { scheduleTitle } from './sync-words.ts'

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const kindOf = ({ interval_minutes, cron, after }: Schedule): string => {
  if (after !== null) return 'after'
  return cron === null ? String(interval_minutes ?? '') : 'cron'
}

/** The initial values of a kind of schedule. */
const beginOf = (kind: string): Schedule => {
  if (kind === 'after') return { ...manual, after: { name: '', title: '' } }
  if (kind === 'cron') return { ...manual, cron: { expression: '0 6 * * *', time_zone: ownZone() } }
  return { ...manual, interval_minutes: syncIntervals.find((minutes) => String(minutes) === kind) ?? null }
}

const zones = (chosen: string): { value: string; title: string }[] =>
  [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({ value: zone, title: zone }))

const CronFields = ({
  cron,
  disabled,
  problem,
  onChange,
}: {
  cron: NonNullable<Schedule['cron']>
  disabled: boolean
  problem: string | undefined
  onChange: (cron: NonNullable<Schedule['cron']>) => void
}) => (
  <div className="grid gap-4 sm:grid-cols-2">
    <Field
      label="Cron expression"
      required
      hint="Minute, hour, day of the month, month, day of the week"
      error={problem}
    >
      {(control) => (
        <Input
          {...control}
          className="font-mono"
          value={cron.expression}
          maxLength={100}
          disabled={disabled}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ ...cron, expression: target.value })}
        />
      )}
    </Field>
    <Field label="Time zone" required>
      {(control) => (
        <SearchSelect
          label="Time zone"
          control={control}
          placeholder="Choose a time zone"
          disabled={disabled}
          options={zones(cron.time_zone)}
          value={cron.time_zone}
          onChange={(time_zone) => onChange({ ...cron, time_zone })}
        />
      )}
    </Field>
  </div>
)

/** A choice of when a sync runs: by hand, at an interval, by a cron expression, or after another sync. */
export const ScheduleChoice = ({
  value,
  self = '',
  disabled = false,
  problem,
  onChange,
}: {
  value: Schedule
  /** The sync of the schedule, which cannot run after itself; '' for a new sync. */
  self?: string
  disabled?: boolean
  problem?: string | undefined
  onChange: (schedule: Schedule) => void
}) => {
  const { data } = useQuery(syncsQuery(useWorkspace().name))
  const others = data?.filter(({ name }) => name !== self) ?? []
  const { cron, after } = value
  return (
    <div className="space-y-4">
      <Select
        aria-label="Schedule"
        className="w-full sm:w-64"
        disabled={disabled}
        value={kindOf(value)}
        onChange={({ target }) => onChange(beginOf(target.value))}
      >
        <option value="">{scheduleTitle(null)}</option>
        <Options of={syncIntervals} title={scheduleTitle} />
        <option value="cron">Cron expression</option>
        {(others.length > 0 || after !== null) && <option value="after">After another sync</option>}
      </Select>
      {cron !== null && (
        <CronFields
          cron={cron}
          disabled={disabled}
          problem={problem}
          onChange={(changed) => onChange({ ...manual, cron: changed })}
        />
      )}
      {after !== null && (
        <Field label="Sync to follow" required hint="Runs each time that sync has run without failing" error={problem}>
          {(control) => (
            <SearchSelect
              label="Sync to follow"
              control={control}
              placeholder="Choose a sync"
              disabled={disabled}
              options={others.map(({ name, title }) => ({ value: name, title }))}
              value={after.name}
              onChange={(name) =>
                onChange({ ...manual, after: { name, title: others.find((each) => each.name === name)?.title ?? '' } })
              }
            />
          )}
        </Field>
      )}
    </div>
  )
}
