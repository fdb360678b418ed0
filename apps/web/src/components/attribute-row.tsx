import { useQuery } from '@tanstack/react-query'
import {
  type AttributeOperator,
  attributeOperators,
  type ElementErrors,
  type SelectedAttribute,
  type ValueType,
  valueTypes,
} from '@tributary/contract'
import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { suggestionsQuery } from '../lib/queries/audience-queries.ts'
import { useWorkspace } from '../lib/workspace.ts'
import { FieldError } from '../ui/forms/field.tsx'
import { Select } from '../ui/forms/input.tsx'
import { Options } from '../ui/forms/options.tsx'
import { SuggestInput } from '../ui/forms/suggest-input.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { type AttributePart, ValueInput, type Wrong } from './attribute-values.tsx'

/** The titles of operators. Negative operators are also true if there is no value. */
const operatorTitles: Readonly<Record<AttributeOperator, string>> = {
  equals: 'is',
  not_equals: 'is not, or is missing',
  equals_any: 'is one of',
  not_equals_any: 'is none of, or is missing',
  contains: 'contains',
  contains_any: 'contains any of',
  not_contains: 'does not contain, or is missing',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is greater than',
  at_least: 'is at least',
  less_than: 'is less than',
  at_most: 'is at most',
  before: 'is before',
  after: 'is after',
  between: 'is between',
  today: 'is today (UTC)',
  within_last: 'is in the last … days',
  before_last: 'is more than … days ago',
  within_next: 'is in the next … days',
  after_next: 'is more than … days away',
  exists: 'is set',
  not_exists: 'is not set',
}

const typeTitles = { text: 'Text', number: 'Number', date: 'Date' } as const

/** Returns the operator if the value type supports it, otherwise the first operator of that type. */
const ofType = (valueType: ValueType, operator: SelectedAttribute['operator']): Partial<SelectedAttribute> => ({
  valueType,
  ...(attributeOperators[valueType].some((each) => each === operator)
    ? {}
    : { operator: attributeOperators[valueType][0] }),
})

const NameInput = ({ noun, event, attribute, onChange, wrong }: AttributePart & { wrong: Wrong }) => {
  const workspace = useWorkspace().name
  const [asked, setAsked] = useState(false)
  const names = useQuery({
    ...suggestionsQuery(workspace, noun === 'trait' ? { kind: 'trait' } : { kind: 'property', event }),
    enabled: asked && (noun === 'trait' || event !== ''),
  }).data
  const what = noun === 'trait' ? 'Trait' : 'Property'
  return (
    <SuggestInput
      mono
      aria-label={what}
      placeholder={what}
      value={attribute.name}
      suggestions={(names ?? []).map(({ text }) => ({ value: text }))}
      onFocus={() => setAsked(true)}
      onChange={(name) => {
        const type = names?.find(({ text }) => text === name)?.type
        onChange({ name, ...(type === undefined ? {} : ofType(type, attribute.operator)) })
      }}
      {...wrong('name')}
    />
  )
}

/** The row of a trait or event property: its name, the operator, and the value. */
export const AttributeRow = ({
  errors = {},
  onRemove,
  ...part
}: AttributePart & { errors?: ElementErrors | undefined; onRemove: () => void }) => {
  const { noun, attribute, onChange } = part
  const { operator, valueType } = attribute
  const id = useId()
  const operators: readonly SelectedAttribute['operator'][] = attributeOperators[valueType]
  const [[field, message] = ['', undefined]] = Object.entries(errors)
  const wrong: Wrong = (of) => (field === of ? { 'aria-invalid': true, 'aria-describedby': id } : {})
  return (
    <li className="space-y-1">
      <div className="flex items-start gap-2 max-sm:rounded-md max-sm:border max-sm:border-line max-sm:p-2">
        <div className="grid min-w-0 flex-1 items-start gap-2 sm:grid-cols-2">
          <NameInput {...part} wrong={wrong} />
          <Select
            aria-label="Type"
            value={valueType}
            onChange={({ target }) => {
              const type = valueTypes.find((each) => each === target.value)
              if (type !== undefined) onChange(ofType(type, operator))
            }}
          >
            <Options of={valueTypes} title={(type) => typeTitles[type]} />
          </Select>
          <Select
            aria-label="Comparison"
            value={operator}
            onChange={({ target }) => {
              const next = operators.find((each) => each === target.value)
              if (next !== undefined) onChange({ operator: next })
            }}
            {...wrong('operator')}
          >
            <Options of={operators} title={(each) => operatorTitles[each]} />
          </Select>
          <ValueInput {...part} wrong={wrong} />
        </div>
        <IconButton label={`Remove ${noun}`} icon={X} onClick={onRemove} />
      </div>
      <FieldError id={id} message={message} />
    </li>
  )
}
