import { useQuery } from '@tanstack/react-query'
import {
  type AttributeOperator,
  attributeOperators,
  attributesWithoutValue,
  type ElementErrors,
  type SelectedAttribute,
  type ValueType,
  valueTypes,
} from '@tributary/contract'
import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { suggestionsQuery } from '../lib/queries/audience-queries.ts'
import { useWorkspace } from '../lib/workspace.ts'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/forms/field.tsx'
import { Select } from '../ui/forms/input.tsx'
import { SuggestInput } from '../ui/forms/suggest-input.tsx'
import { TagInput } from '../ui/forms/tag-input.tsx'

/** How an operator is called; the negative ones also hold where there is no value. */
const operatorTitles: Readonly<Record<AttributeOperator, string>> = {
  equals: 'is',
  not_equals: 'is not, or is missing',
  equals_any: 'is one of',
  contains: 'contains',
  not_contains: 'does not contain, or is missing',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is greater than',
  at_least: 'is at least',
  less_than: 'is less than',
  at_most: 'is at most',
  exists: 'is set',
  not_exists: 'is not set',
}

const typeTitles = { text: 'Text', number: 'Number' } as const

type Noun = 'trait' | 'property'
type Part = {
  noun: Noun
  /** The event that a property is of; '' for traits. */
  event: string
  attribute: SelectedAttribute
  onChange: (part: Partial<SelectedAttribute>) => void
}
/** What marks the control of the field that is wrong. */
type Wrong = (field: string) => { 'aria-invalid'?: true; 'aria-describedby'?: string }

/** The operator, when values of the type have it, else the first of theirs. */
const ofType = (valueType: ValueType, operator: SelectedAttribute['operator']): Partial<SelectedAttribute> => ({
  valueType,
  ...(attributeOperators[valueType].some((each) => each === operator) ? {} : { operator: 'equals' }),
})

const NameInput = ({ noun, event, attribute, onChange, wrong }: Part & { wrong: Wrong }) => {
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

const ValueInput = ({ noun, event, attribute, onChange, wrong }: Part & { wrong: Wrong }) => {
  const workspace = useWorkspace().name
  const [asked, setAsked] = useState(false)
  const id = useId()
  const { name, operator, valueType, value, values } = attribute
  const found = useQuery({
    ...suggestionsQuery(workspace, {
      kind: noun === 'trait' ? 'trait_value' : 'property_value',
      ...(noun === 'trait' ? {} : { event }),
      name,
    }),
    enabled: asked && name !== '' && (noun === 'trait' || event !== ''),
  }).data
  if (attributesWithoutValue.has(operator)) return null
  if (operator === 'equals_any')
    return (
      <div>
        <label htmlFor={id} className="sr-only">
          Values
        </label>
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

/** One trait, or one property of an event: its name, how it is compared, and with what. */
export const AttributeRow = ({
  errors = {},
  onRemove,
  ...part
}: Part & { errors?: ElementErrors | undefined; onRemove: () => void }) => {
  const { noun, attribute, onChange } = part
  const { operator, valueType } = attribute
  const id = useId()
  const operators: readonly SelectedAttribute['operator'][] = attributeOperators[valueType]
  const [[field, message] = ['', undefined]] = Object.entries(errors)
  const wrong: Wrong = (of) => (field === of ? { 'aria-invalid': true, 'aria-describedby': id } : {})
  return (
    <li className="space-y-1">
      <div className="flex items-start gap-2 max-sm:rounded-md max-sm:border max-sm:border-line max-sm:p-2">
        <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-2">
          <NameInput {...part} wrong={wrong} />
          <Select
            aria-label="Type"
            value={valueType}
            onChange={({ target }) => {
              const type = valueTypes.find((each) => each === target.value)
              if (type !== undefined) onChange(ofType(type, operator))
            }}
          >
            {valueTypes.map((type) => (
              <option key={type} value={type}>
                {typeTitles[type]}
              </option>
            ))}
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
            {operators.map((each) => (
              <option key={each} value={each}>
                {operatorTitles[each]}
              </option>
            ))}
          </Select>
          <ValueInput {...part} wrong={wrong} />
        </div>
        <Button variant="none" square aria-label={`Remove ${noun}`} onClick={onRemove}>
          <X aria-hidden />
        </Button>
      </div>
      <FieldError id={id} message={message} />
    </li>
  )
}
