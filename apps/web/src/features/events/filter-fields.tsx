import { compatibilities, eventStatuses, eventTypes, type Source } from '@tributary/contract'
import type { ReactNode } from 'react'
import { useTyped } from '../../lib/browser/use-typed.ts'
import type { EventFilters } from '../../lib/events/event-filters.ts'
import { presetOf, rangePresets, viewOf } from '../../lib/format/date-range.ts'
import { Field, type FieldControl } from '../../ui/forms/field.tsx'
import { Input, SearchInput, Select } from '../../ui/forms/input.tsx'
import { MomentField } from '../../ui/forms/moment-field.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { SearchSelect } from '../../ui/forms/search-select.tsx'
import { choiceWords } from './filter-words.ts'

type Change = (some: Partial<EventFilters>) => void
type FieldsProps = { filters: EventFilters; change: Change }

const TypedInput = ({
  value,
  report,
  control,
  max,
}: {
  value: string
  report: (text: string) => void
  control: FieldControl
  max: number
}) => <Input {...control} {...useTyped(value, report)} autoComplete="off" spellCheck={false} maxLength={max} />

const Choice = ({
  label,
  value,
  any,
  options,
  words,
  onChoose,
}: {
  label: string
  value: string
  any: string
  options: readonly string[]
  words: (option: string) => string
  onChoose: (value: string) => void
}) => (
  <Field label={label}>
    {(control) => (
      <Select {...control} value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{any}</option>
        <Options of={options} title={words} />
      </Select>
    )}
  </Field>
)

const custom = 'custom'

const timeChoice = ({ range, from, to }: EventFilters): string =>
  range !== '' ? range : from !== '' || to !== '' ? custom : ''

const timesOf = (choice: string): Pick<EventFilters, 'range' | 'from' | 'to'> =>
  choice === custom
    ? { range: '', from: new Date(Date.now() - 86_400_000).toISOString(), to: '' }
    : { range: choice === '' ? '' : presetOf(choice), from: '', to: '' }

/** The filters that are always shown: name, source and time. */
export const MainFields = ({ filters, change, sources }: FieldsProps & { sources: readonly Source[] }) => {
  const known = filters.source === '' || sources.some(({ name }) => name === filters.source)
  const typed = useTyped(filters.search, (search) => change({ search }))
  return (
    <>
      <SearchInput label="Search by event name" maxLength={200} {...typed} />
      <SearchSelect
        label="Source"
        className="max-sm:w-full sm:w-52"
        placeholder="All sources"
        value={filters.source}
        onChange={(source) => change({ source })}
        options={[
          { value: '', title: 'All sources' },
          ...(known ? [] : [{ value: filters.source, title: 'Deleted source' }]),
          ...sources.map(({ name, title, app }) => ({
            value: name,
            title,
            note: app.display_name,
            icon: app.extra.app_icon,
          })),
        ]}
      />
      <Select
        aria-label="Time"
        className="max-sm:w-full sm:w-36"
        value={timeChoice(filters)}
        onChange={(event) => change(timesOf(event.target.value))}
      >
        <option value="">Any time</option>
        <Options of={rangePresets} title={(preset) => viewOf(preset).title} />
        <option value={custom}>Custom</option>
      </Select>
    </>
  )
}

const Grid = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">{children}</div>
)

/** Start and end of a custom time range, if that is selected. */
export const TimeFields = ({ filters, change }: FieldsProps) =>
  timeChoice(filters) === custom && (
    <Grid>
      <MomentField label="From" value={filters.from} onPick={(from) => change({ from })} />
      <MomentField label="Before" value={filters.to} onPick={(to) => change({ to })} />
    </Grid>
  )

const choices = [
  { name: 'type', label: 'Type', any: 'All types', options: eventTypes },
  { name: 'status', label: 'Status', any: 'Any status', options: eventStatuses },
  { name: 'compatibility', label: 'Compatibility', any: 'Any', options: compatibilities },
  { name: 'test', label: 'Environment', any: 'Test and production', options: ['true', 'false'] },
  { name: 'profile', label: 'Profile', any: 'Any', options: ['none'] },
  { name: 'by', label: 'Times and order', any: 'When they were received', options: ['event_time'] },
] as const

/** All other filters. */
export const MoreFields = ({ filters, change }: FieldsProps) => {
  const half = (filters.property === '') !== (filters.value === '')
  return (
    <Grid>
      {choices.map(({ name, ...choice }) => (
        <Choice
          key={name}
          {...choice}
          value={filters[name]}
          words={choiceWords[name]}
          onChoose={(value) => change({ [name]: value })}
        />
      ))}
      <Field label="User ID or anonymous ID">
        {(control) => (
          <TypedInput control={control} value={filters.user} report={(user) => change({ user })} max={500} />
        )}
      </Field>
      <Field label="Message ID">
        {(control) => (
          <TypedInput control={control} value={filters.message} report={(message) => change({ message })} max={200} />
        )}
      </Field>
      <Field label="Property or trait">
        {(control) => (
          <TypedInput
            control={control}
            value={filters.property}
            report={(property) => change({ property })}
            max={200}
          />
        )}
      </Field>
      <Field label="Value" {...(half ? { hint: 'Enter both a property and a value.' } : {})}>
        {(control) => (
          <TypedInput control={control} value={filters.value} report={(value) => change({ value })} max={500} />
        )}
      </Field>
    </Grid>
  )
}
