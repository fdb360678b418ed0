import { useQuery } from '@tanstack/react-query'
import {
  attributesWithDays,
  attributesWithList,
  attributesWithoutValue,
  type SelectedAttribute,
} from '@tributary/contract'
import { useId, useState } from 'react'
import { count } from '../lib/format/text.ts'
import { suggestionsQuery } from '../lib/queries/audience-queries.ts'
import { useWorkspace } from '../lib/workspace.ts'
import { Input, Textarea } from '../ui/forms/input.tsx'
import { SuggestInput } from '../ui/forms/suggest-input.tsx'
import { TagInput } from '../ui/forms/tag-input.tsx'

/** A trait or event property that is compared. */
export type AttributePart = {
  noun: 'trait' | 'property'
  /** The event of the property; '' for traits. */
  event: string
  attribute: SelectedAttribute
  onChange: (part: Partial<SelectedAttribute>) => void
}

/** Returns the ARIA attributes of a control whose field is invalid. */
export type Wrong = (field: string) => { 'aria-invalid'?: true; 'aria-describedby'?: string }

type Part = AttributePart & { wrong: Wrong }

/** A list with more values than this is edited as text, one value per line. */
const manyValues = 30

const linesOf = (text: string): string[] =>
  text
    .split(/[\r\n\t]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '')

/** A list of values as tags, or as lines if there are many. */
const ListInput = ({ attribute: { values }, onChange, wrong }: Part) => {
  const id = useId()
  const [text, setText] = useState(values.length > manyValues ? values.join('\n') : undefined)
  const label = (
    <label htmlFor={id} className="sr-only">
      Values
    </label>
  )
  if (text !== undefined)
    return (
      <div>
        {label}
        <Textarea
          id={id}
          rows={5}
          spellCheck={false}
          // Shows the given values if they were changed outside of this input, such as by undo.
          value={linesOf(text).join('\n') === values.join('\n') ? text : values.join('\n')}
          onChange={({ target }) => {
            setText(target.value)
            onChange({ values: linesOf(target.value) })
          }}
          {...wrong('values')}
        />
        <p className="mt-1 text-xs text-ink-3">One value per line. {count(values.length)} in all</p>
      </div>
    )
  return (
    <div
      onPaste={(event) => {
        const pasted = linesOf(event.clipboardData.getData('text/plain'))
        if (pasted.length < 2) return
        event.preventDefault()
        const next = [...values, ...pasted]
        if (next.length > manyValues) setText(next.join('\n'))
        onChange({ values: next })
      }}
    >
      {label}
      <TagInput
        value={values}
        placeholder="Values, each with Enter"
        control={{
          id,
          'aria-describedby': undefined,
          'aria-invalid': undefined,
          'aria-required': undefined,
          ...wrong('values'),
        }}
        onChange={(next) => onChange({ values: [...next] })}
      />
    </div>
  )
}

const isDay = (text: string): boolean => /^([0-9]{4}-[0-9]{2}-[0-9]{2})?$/.test(text)

/** The input for a date. A time that an API call has set is edited as text. */
const DateInput = ({
  label,
  value,
  onChange,
  ...rest
}: { label: string; value: string; onChange: (value: string) => void } & ReturnType<Wrong>) => (
  <Input
    {...rest}
    aria-label={label}
    type={isDay(value) ? 'date' : 'text'}
    min="0001-01-01"
    max="9999-12-31"
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)

const SpanInput = ({ attribute: { values }, onChange, wrong }: Part) => {
  const [first = '', last = ''] = values
  return (
    <div className="grid gap-2">
      <DateInput
        label="First day"
        value={first}
        onChange={(next) => onChange({ values: [next, last] })}
        {...wrong('values')}
      />
      <DateInput
        label="Last day"
        value={last}
        onChange={(next) => onChange({ values: [first, next] })}
        {...wrong('values')}
      />
    </div>
  )
}

const PlainInput = ({ noun, event, attribute, onChange, wrong }: Part) => {
  const workspace = useWorkspace().name
  const [asked, setAsked] = useState(false)
  const { name, valueType, value } = attribute
  const found = useQuery({
    ...suggestionsQuery(workspace, {
      kind: noun === 'trait' ? 'trait_value' : 'property_value',
      ...(noun === 'trait' ? {} : { event }),
      name,
    }),
    enabled: asked && name !== '' && (noun === 'trait' || event !== ''),
  }).data
  return (
    <SuggestInput
      aria-label="Value"
      placeholder="Value"
      inputMode={valueType === 'number' ? 'decimal' : 'text'}
      value={value}
      suggestions={(found ?? []).map(({ text }) => ({ value: text }))}
      onFocus={() => setAsked(true)}
      onChange={(next) => onChange({ value: next })}
      {...wrong('value')}
    />
  )
}

/**
 * The input for the value of a trait or property, depending on the operator. Shows nothing if the operator takes no
 * value.
 */
export const ValueInput = (part: Part) => {
  const { attribute, onChange, wrong } = part
  const { operator, valueType, value } = attribute
  if (attributesWithoutValue.has(operator)) return null
  if (attributesWithList.has(operator)) return <ListInput {...part} />
  if (operator === 'between') return <SpanInput {...part} />
  if (attributesWithDays.has(operator))
    return (
      <Input
        aria-label="Days"
        placeholder="Days"
        inputMode="numeric"
        value={value}
        onChange={({ target }) => onChange({ value: target.value })}
        {...wrong('value')}
      />
    )
  if (valueType === 'date')
    return <DateInput label="Date" value={value} onChange={(next) => onChange({ value: next })} {...wrong('value')} />
  return <PlainInput {...part} />
}
