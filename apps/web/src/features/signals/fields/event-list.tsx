import { type EventType, eventTypes, signalLimits } from '@tributary/contract'
import { Plus, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { WarningsAt } from '../../../components/name-warnings.tsx'
import { Button } from '../../../ui/button.tsx'
import { FieldError } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { SuggestInput } from '../../../ui/forms/suggest-input.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { DraftEvent } from '../draft.ts'
import { useEventNames } from './use-event-fields.ts'

/** The types of events that have names. */
const named = new Set<EventType>(['track', 'page', 'screen'])

const TypeSelect = ({
  label,
  value,
  disabled,
  onChange,
}: {
  label: string
  value: EventType
  disabled: boolean
  onChange: (type: EventType) => void
}) => (
  <Select
    aria-label={label}
    value={value}
    disabled={disabled}
    onChange={({ target }) => onChange(eventTypes.find((each) => each === target.value) ?? 'track')}
  >
    <Options of={eventTypes} />
  </Select>
)

type Props = {
  label: string
  /** The name of the field in the request, for warnings. */
  name: string
  value: readonly DraftEvent[]
  /** Names to suggest in addition to received ones. */
  usual: readonly string[]
  error: string | undefined
  disabled: boolean
  onChange: (events: readonly DraftEvent[]) => void
}

/** A list of events by type and name. A signal uses every event that matches one of them. */
export const EventList = ({ label, name, value, usual, error, disabled, onChange }: Props) => {
  const [asked, setAsked] = useState(false)
  const received = useEventNames(asked)
  const suggestions = useMemo(
    () => [...new Set([...received, ...usual])].map((name) => ({ value: name })),
    [received, usual],
  )
  const change = (at: number, part: Partial<DraftEvent>): void =>
    onChange(value.map((each, place) => (place === at ? { ...each, ...part } : each)))
  const noun = label.toLowerCase().replace(/s$/, '')
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <ul className="space-y-2">
        {value.map(({ event_type, event_name }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- an event is its place
          <li
            key={at}
            className="grid grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-2 max-sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            <TypeSelect
              label={`Type of ${noun} ${at + 1}`}
              value={event_type}
              disabled={disabled}
              onChange={(type) => change(at, { event_type: type, ...(named.has(type) ? {} : { event_name: '' }) })}
            />
            <span className="min-w-0 max-sm:order-last max-sm:col-span-2">
              <SuggestInput
                aria-label={`Name of ${noun} ${at + 1}`}
                placeholder="Any name"
                maxLength={200}
                value={event_name}
                disabled={disabled || !named.has(event_type)}
                suggestions={suggestions}
                onFocus={() => setAsked(true)}
                onChange={(given) => change(at, { event_name: given })}
              />
            </span>
            {!disabled && value.length > 1 && (
              <IconButton
                label={`Remove ${noun} ${at + 1}`}
                icon={X}
                onClick={() => onChange(value.filter((_, place) => place !== at))}
              />
            )}
            <span className="col-span-full empty:hidden max-sm:order-last">
              <WarningsAt field={`${name}.${at}.event_name`} />
            </span>
          </li>
        ))}
      </ul>
      <FieldError id={`${noun}-error`} message={error} live />
      {!disabled && (
        <Button
          size="sm"
          disabled={value.length >= signalLimits.events}
          onClick={() => onChange([...value, { event_type: 'track', event_name: '' }])}
        >
          <Plus aria-hidden />
          Add event
        </Button>
      )}
    </fieldset>
  )
}
