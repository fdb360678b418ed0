import {
  type Condition,
  conditionOperators,
  type EventConditions,
  maxConditions,
  withoutValue,
} from '@tributary/contract'
import { Plus, Trash2 } from 'lucide-react'
import { useEffect, useId, useMemo, useRef } from 'react'
import { operatorWords } from '../lib/events/condition-words.ts'
import { commonEventFields, type EventField } from '../lib/events/event-fields.ts'
import { shortId } from '../lib/format/short-id.ts'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/forms/field.tsx'
import { Input, Select } from '../ui/forms/input.tsx'
import { Options } from '../ui/forms/options.tsx'
import { SuggestInput, type Suggestion } from '../ui/forms/suggest-input.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { WarningsAt } from './name-warnings.tsx'

/** Fields as suggestions: a path, its title, and recent values. */
export const fieldSuggestions = (fields: readonly EventField[]): readonly Suggestion[] =>
  fields.map(({ name, display_name, example }) => ({
    value: name,
    title: name === display_name || name.endsWith(`.${display_name}`) ? '' : display_name,
    note: example,
  }))

const Row = ({
  row,
  position,
  suggestions,
  problem,
  disabled,
  onChange,
  onRemove,
}: {
  row: Condition
  /** Position in the list, starting with 1. */
  position: number
  suggestions: readonly Suggestion[]
  problem: string | undefined
  disabled: boolean
  onChange: (part: Partial<Condition>) => void
  onRemove: () => void
}) => {
  const id = useId()
  const invalid = problem === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': id } as const)
  const fieldIsWrong = problem !== undefined && row.field.trim() === ''
  return (
    <li data-condition={row.id} className="space-y-1.5">
      <div className="flex gap-2 max-sm:rounded-md max-sm:border max-sm:border-line max-sm:bg-canvas max-sm:p-2">
        <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[minmax(0,5fr)_minmax(10rem,4fr)_minmax(0,5fr)]">
          <SuggestInput
            mono
            aria-label={`Field of condition ${position}`}
            placeholder="Field, such as properties.total"
            value={row.field}
            disabled={disabled}
            suggestions={suggestions}
            onChange={(field) => onChange({ field })}
            {...(fieldIsWrong ? invalid : {})}
          />
          <Select
            aria-label={`Comparison of condition ${position}`}
            value={row.operator}
            disabled={disabled}
            onChange={(event) => {
              const operator = conditionOperators.find((each) => each === event.target.value)
              if (operator !== undefined) onChange({ operator, ...(withoutValue.has(operator) ? { value: '' } : {}) })
            }}
          >
            <Options of={conditionOperators} title={(operator) => operatorWords[operator]} />
          </Select>
          {!withoutValue.has(row.operator) && (
            <Input
              aria-label={`Value of condition ${position}`}
              placeholder="Value"
              autoComplete="off"
              spellCheck={false}
              value={row.value}
              disabled={disabled}
              onChange={(event) => onChange({ value: event.target.value })}
              {...(fieldIsWrong ? {} : invalid)}
            />
          )}
        </div>
        {!disabled && <IconButton label={`Remove condition ${position}`} icon={Trash2} onClick={onRemove} />}
      </div>
      <FieldError id={id} message={problem} />
      <WarningsAt id={row.id} field="field" />
    </li>
  )
}

const MatchChoice = ({
  match,
  disabled,
  onChange,
}: {
  match: EventConditions['match']
  disabled: boolean
  onChange: (match: EventConditions['match']) => void
}) => (
  <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
    Events that match
    <Select
      aria-label="Match all or any conditions"
      className="w-24"
      value={match}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value === 'any' ? 'any' : 'all')}
    >
      <option value="all">all</option>
      <option value="any">any</option>
    </Select>
    of these conditions
  </p>
)

/** Moves the focus to an added row, or from a removed one; '' is the button that adds a row. */
const useRowFocus = (conditions: readonly Condition[]) => {
  const list = useRef<HTMLFieldSetElement>(null)
  const next = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (next.current === undefined) return
    const place = next.current === '' ? '[data-add]' : `[data-condition="${next.current}"] input`
    next.current = undefined
    list.current?.querySelector<HTMLElement>(place)?.focus()
  }, [conditions])
  return { list, focus: (id: string) => void (next.current = id) }
}

/**
 * Conditions on an event, each with a field, an operator and a value; all or any of them must be true. The `problems`
 * are shown at their rows, by the IDs of the conditions (`conditionProblems` finds them).
 */
export const ConditionBuilder = ({
  label,
  value,
  onChange,
  fields = commonEventFields,
  problems = {},
  disabled = false,
  emptyText = 'No conditions. Every event matches.',
}: {
  /** Names the list for screen readers. */
  label: string
  value: EventConditions
  onChange: (value: EventConditions) => void
  /** The suggested fields; any path is accepted. */
  fields?: readonly EventField[]
  problems?: Readonly<Record<string, string>>
  disabled?: boolean
  /** Shown if there is no condition. */
  emptyText?: string
}) => {
  const { match, conditions } = value
  const { list, focus } = useRowFocus(conditions)
  const suggestions = useMemo(() => fieldSuggestions(fields), [fields])
  const add = (): void => {
    const id = shortId(conditions.map((each) => each.id))
    focus(id)
    onChange({ match, conditions: [...conditions, { id, field: '', operator: 'equals', value: '' }] })
  }
  const remove = (index: number): void => {
    const left = conditions.filter((_, other) => other !== index)
    focus((left[index] ?? left.at(-1))?.id ?? '')
    onChange({ match, conditions: left })
  }
  const full = conditions.length >= maxConditions
  return (
    <fieldset ref={list} aria-label={label} className="min-w-0 space-y-2.5">
      {conditions.length > 1 && (
        <MatchChoice match={match} disabled={disabled} onChange={(next) => onChange({ match: next, conditions })} />
      )}
      {conditions.length === 0 ? (
        <p className="text-sm text-ink-2">{emptyText}</p>
      ) : (
        <ul className="space-y-2">
          {conditions.map((row, index) => (
            <Row
              key={row.id}
              row={row}
              position={index + 1}
              suggestions={suggestions}
              problem={problems[row.id]}
              disabled={disabled}
              onChange={(part) =>
                onChange({
                  match,
                  conditions: conditions.map((each) => (each.id === row.id ? { ...each, ...part } : each)),
                })
              }
              onRemove={() => remove(index)}
            />
          ))}
        </ul>
      )}
      {!disabled && (
        <Button
          data-add
          size="sm"
          disabled={full}
          title={full ? `At most ${maxConditions} conditions` : undefined}
          onClick={add}
        >
          <Plus aria-hidden />
          Add condition
        </Button>
      )}
    </fieldset>
  )
}
