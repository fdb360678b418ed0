import type { ObjectField } from '@tributary/contract'
import type { MappingRow } from './mapping-rows.ts'

/** Maximum number of listed values. */
const shownOptions = 5

/** A short description of the field that a column is mapped to; '' when the object's fields are unknown. */
export const fieldNote = (fields: readonly ObjectField[], target: string): string => {
  if (fields.length === 0 || target.trim() === '') return ''
  const found = fields.find(({ name }) => name === target.trim())
  if (found === undefined) return 'Not a field there yet'
  const { name, label, type, required, unique, options } = found
  const values = options.slice(0, shownOptions).map(({ value }) => value)
  return [
    label === name ? '' : label,
    type,
    required ? 'required' : '',
    unique ? 'unique' : '',
    values.length === 0 ? '' : `one of ${values.join(', ')}${options.length > values.length ? ', …' : ''}`,
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

/** Names of fields that a new record must have but no column is mapped to. */
export const unmappedRequired = (fields: readonly ObjectField[], rows: readonly MappingRow[]): readonly string[] => {
  const mapped = new Set(rows.filter(({ included }) => included).map(({ target }) => target.trim()))
  return fields.filter(({ name, required }) => required && !mapped.has(name)).map(({ name }) => name)
}
