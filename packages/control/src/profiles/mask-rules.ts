import {
  type AudienceQuery,
  attributesWithDays,
  attributesWithList,
  attributesWithoutValue,
  type Condition,
  type EventMapping,
  type FieldMapping,
  type ItemField,
  type SelectedAttribute,
} from '@tributary/contract'
import { hidden } from './mask.ts'

/**
 * Values that replace the compared values of each type. A hidden comparison must still compare texts, numbers, or
 * dates.
 */
const placeholders = { text: [hidden, hidden], number: ['0', '0'], date: ['2000-01-01', '2000-01-02'] } as const

/**
 * Hides the compared values in a comparison of a trait or property. A number of days stays, because it is not personal.
 */
export const maskAttribute = <Each extends SelectedAttribute>(attribute: Each): Each => {
  const { operator, valueType } = attribute
  if (attributesWithoutValue.has(operator) || attributesWithDays.has(operator)) return attribute
  const [first, second] = placeholders[valueType]
  if (operator === 'between') return { ...attribute, value: '', values: [first, second] }
  return attributesWithList.has(operator)
    ? { ...attribute, value: '', values: [first] }
    : { ...attribute, value: first, values: [] }
}

/** Hides the values in the conditions of an audience query. */
export const maskQuery = (query: AudienceQuery): AudienceQuery => ({
  ...query,
  groups: Object.fromEntries(
    Object.entries(query.groups).map(([id, group]) => [
      id,
      {
        ...group,
        segments: group.segments.map((segment) => ({
          ...segment,
          queries: segment.queries.map((each) => ({
            ...each,
            selectedAttributes: each.selectedAttributes.map(maskAttribute),
          })),
        })),
      },
    ]),
  ),
})

/** Hides the compared values in conditions on events. */
export const maskConditions = <Each extends Condition>(conditions: readonly Each[]): Each[] =>
  conditions.map((each) => ({ ...each, value: each.value === '' ? '' : hidden }))

/** Hides quoted texts and long numbers in a tag of a template. */
const maskTag = (tag: string): string => {
  let masked = ''
  for (let at = 0; at < tag.length; ) {
    const quote = tag[at] ?? ''
    if (quote !== '"' && quote !== "'") {
      masked += quote
      at++
      continue
    }
    const end = tag.indexOf(quote, at + 1)
    masked += `${quote}${hidden}${quote}`
    at = end < 0 ? tag.length : end + 1
  }
  return masked.replace(/\d{5,}/g, hidden)
}

/** Hides the literal texts of a template. Its tags stay, without quoted texts. */
export const maskTemplate = (template: string): string => {
  let masked = ''
  for (let at = 0; at < template.length; ) {
    const opens = [template.indexOf('{{', at), template.indexOf('{%', at)].filter((place) => place >= 0)
    const from = opens.length === 0 ? template.length : Math.min(...opens)
    const text = template.slice(at, from)
    masked += text.trim() === '' ? text : `${/^\s/.test(text) ? ' ' : ''}${hidden}${/\s$/.test(text) ? ' ' : ''}`
    if (from === template.length) break
    const end = template.indexOf(template[from + 1] === '{' ? '}}' : '%}', from + 2)
    const until = end < 0 ? template.length : end + 2
    masked += maskTag(template.slice(from, until))
    at = until
  }
  return masked
}

const maskListed = <Source extends FieldMapping['source']>(source: Source): Source =>
  source.type === 'CONSTANT' ? { ...source, value: hidden } : source

const maskItemField = (field: ItemField): ItemField => {
  const { source } = field
  const masked = source.type === 'FIRST' ? { ...source, sources: source.sources.map(maskListed) } : maskListed(source)
  return { ...field, source: masked }
}

const maskSource = (source: FieldMapping['source']): FieldMapping['source'] => {
  if (source.type === 'CONSTANT') return maskListed(source)
  if (source.type === 'FIRST') return { ...source, sources: source.sources.map(maskListed) }
  if (source.type === 'LIST') return { ...source, fields: source.fields.map(maskItemField) }
  return source.type === 'TEMPLATE' ? { ...source, value: maskTemplate(source.value) } : source
}

/** Hides values that a member entered in the fields of a mapping. */
export const maskFields = (fields: readonly FieldMapping[]): FieldMapping[] =>
  fields.map((field) => ({
    ...field,
    source: maskSource(field.source),
    ...(field.conditions === undefined ? {} : { conditions: maskConditions(field.conditions) }),
  }))

/** Hides values that a member entered in a mapping. */
export const maskMapping = <Each extends EventMapping>(mapping: Each): Each => ({
  ...mapping,
  filters: maskConditions(mapping.filters),
  field_mappings: maskFields(mapping.field_mappings),
})

/** Hides the texts in single quotes in an SQL statement. */
export const maskSql = (text: string): string => {
  const parts = text.split("'")
  // Splitting at quotes puts every quoted text at an odd index. A doubled quote gives an empty part, which stays.
  return parts.map((part, index) => (index % 2 === 1 && part !== '' ? hidden : part)).join("'")
}
