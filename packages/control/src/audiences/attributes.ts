import { decimalText, type SelectedAttribute } from '@tributary/contract'
import { type Condition, condition, type EventsParams, joined, type ProfilesParams } from './fragments.ts'

const not = (inside: Condition): Condition => condition`not ${inside}`

/** What a dialect says of a value, each false where there is none or it is of another kind. */
type Dialect = {
  exists: Condition
  text: (operator: 'equals' | 'starts_with' | 'ends_with' | 'contains', value: string) => Condition
  anyText: (values: readonly string[]) => Condition
  number: (operator: '=' | '>' | '>=' | '<' | '<=', value: string) => Condition
  anyNumber: (values: readonly string[]) => Condition
}

const numberSigns = { greater_than: '>', at_least: '>=', less_than: '<', at_most: '<=' } as const

const compare = (dialect: Dialect, { operator, valueType, value, values }: SelectedAttribute): Condition => {
  const equals = (): Condition => (valueType === 'number' ? dialect.number('=', value) : dialect.text('equals', value))
  switch (operator) {
    case 'exists':
      return dialect.exists
    case 'not_exists':
      return not(dialect.exists)
    case 'equals':
      return equals()
    case 'not_equals':
      return not(equals())
    case 'equals_any':
      return valueType === 'number' ? dialect.anyNumber(values) : dialect.anyText(values)
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return dialect.text(operator, value)
    case 'not_contains':
      return not(dialect.text('contains', value))
    case 'greater_than':
    case 'at_least':
    case 'less_than':
    case 'at_most':
      return dialect.number(numberSigns[operator], value)
  }
}

/** A part of a JSON column that is named in the statement is read alone; by `getSubcolumn` the whole column is read. */
const readAlone = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

const pathOf = (column: 'properties' | 'traits', name: string, params: EventsParams): Condition => {
  const steps = name.split('.')
  const holder: Condition = column === 'traits' ? condition`traits` : condition`properties`
  return steps.every((step) => readAlone.test(step))
    ? steps.reduce<Condition>((path, step) => condition`${path}.${params.add('name', 'Identifier', step)}`, holder)
    : condition`getSubcolumn(${holder}, ${params.add('name', 'String', name)})`
}

/**
 * A condition on a property of an event, in the dialect of the event store. Objects are no values, their parts are: a dot
 * in a name and an object inside are the same there. Lists contain their texts.
 */
export const propertyCondition = (
  attribute: SelectedAttribute,
  column: 'properties' | 'traits',
  params: EventsParams,
): Condition => {
  const path = pathOf(column, attribute.name, params)
  const string = condition`dynamicElement(${path}, 'String')`
  const number = (): Condition =>
    condition`coalesce(dynamicElement(${path}, 'Float64'), toFloat64(dynamicElement(${path}, 'Int64')), toFloat64(dynamicElement(${path}, 'UInt64')), if(match(ifNull(${string}, ''), ${params.add('pattern', 'String', decimalText.source)}), toFloat64OrNull(${string}), null))`
  const written = condition`coalesce(${string}, toString(dynamicElement(${path}, 'Bool')))`
  const sure = (inside: Condition): Condition => condition`ifNull(${inside}, false)`
  const text = (value: string): Condition => params.add('value', 'String', value)
  const float = (value: string): Condition => params.add('value', 'Float64', Number(value))
  return compare(
    {
      exists: condition`isNotNull(${path})`,
      text(operator, value) {
        const given = text(value)
        if (operator === 'equals') return sure(condition`${written} = ${given}`)
        if (operator === 'starts_with') return sure(condition`startsWith(${written}, ${given})`)
        if (operator === 'ends_with') return sure(condition`endsWith(${written}, ${given})`)
        return joined(
          [
            sure(condition`position(${written}, ${given}) > 0`),
            condition`has(dynamicElement(${path}, 'Array(Nullable(String))'), ${given})`,
          ],
          'or',
        )
      },
      anyText: (values) => sure(condition`has(${params.add('values', 'Array(String)', values)}, ${written})`),
      number: (sign, value) => sure(`${number()} ${sign} ${float(value)}` as Condition),
      anyNumber: (values) =>
        joined(
          values.map((value) => sure(condition`${number()} = ${float(value)}`)),
          'or',
        ),
    },
    attribute,
  )
}

/** A condition on a trait, whose JSON text is the column `trait`, in the dialect of the relational store. */
export const traitCondition = (attribute: SelectedAttribute, trait: Condition, params: ProfilesParams): Condition => {
  const text = condition`trait_text(${trait})`
  const sure = (inside: Condition): Condition => condition`coalesce(${inside}, false)`
  return compare(
    {
      exists: condition`(${trait} is not null and ${trait} <> 'null')`,
      text(operator, value) {
        const given = params.add('text', value)
        if (operator === 'equals') return sure(condition`${text} = ${given}`)
        if (operator === 'starts_with') return sure(condition`starts_with(${text}, ${given})`)
        if (operator === 'ends_with') return sure(condition`right(${text}, length(${given})) = ${given}`)
        return sure(condition`(strpos(${text}, ${given}) > 0 or ${given} = any(trait_texts(${trait})))`)
      },
      anyText: (values) => sure(condition`${text} = any(${params.add('text[]', values)})`),
      number: (sign, value) =>
        sure(`trait_number(${trait}) ${sign} ${params.add('float8', Number(value))}` as Condition),
      anyNumber: (values) => sure(condition`trait_number(${trait}) = any(${params.add('float8[]', values)})`),
    },
    attribute,
  )
}
