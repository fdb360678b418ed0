import type { ObjectField } from '@tributary/contract'
import type { MappingRow } from './mapping-rows.ts'

/** Maximum number of values of a field that are listed. */
const shownOptions = 5

/** Describes the field to which a column is mapped. Returns '' if the fields of the object are unknown. */
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

/** Returns the names of fields that a new record must have and to which no column is mapped. */
export const unmappedRequired = (fields: readonly ObjectField[], rows: readonly MappingRow[]): readonly string[] => {
  const mapped = new Set(rows.filter(({ included }) => included).map(({ target }) => target.trim()))
  return fields.filter(({ name, required }) => required && !mapped.has(name)).map(({ name }) => name)
}
