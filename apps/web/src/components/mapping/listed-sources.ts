import {
  type ItemField,
  type ListedSource,
  type ListSource,
  type MappingSource,
  mappingLimits,
  mappingVariables,
} from '@tributary/contract'

/** The types of sources that can stand in a list of sources. */
export const listedTypes = ['FIELD', 'PROFILE', 'VARIABLE', 'CONSTANT'] as const

/** The types of sources of a field of an item. */
export const itemSourceTypes = ['FIELD', 'FIRST', 'PROFILE', 'VARIABLE', 'CONSTANT'] as const

const base = { display_name: '', is_event_name_key: false, kind: 'custom' } as const

/** Returns an empty source for a list. */
export const emptyListed = (type: ListedSource['type']): ListedSource =>
  type === 'CONSTANT' ? { type, value: '', ...base } : { type, name: '', ...base }

/** Whether a source can stand in a list of sources. */
export const isListed = (source: MappingSource): source is ListedSource =>
  listedTypes.some((type) => type === source.type)

/** Whether a source can be that of a field of an item. */
export const isItemSource = (source: MappingSource): source is ItemField['source'] =>
  source.type === 'FIRST' || isListed(source)

/** Whether a source of a list has nothing to read. */
export const isEmptyListed = (source: ListedSource): boolean =>
  source.type === 'CONSTANT' ? String(source.value).trim() === '' : source.name.trim() === ''

/** Returns a list with one item at another position. */
export const withItemMoved = <Item>(items: readonly Item[], from: number, to: number): Item[] => {
  const moved = [...items]
  moved.splice(to, 0, ...moved.splice(from, 1))
  return moved
}

const part = '[A-Za-z_]\\w*(?:\\.\\w+)*'
const fallback = new RegExp(`^\\{\\{\\s*${part}(?:\\s*\\|\\s*default:\\s*${part})*\\s*\\}\\}$`)

const namedSource = (name: string): ListedSource => {
  if (name.startsWith('profile.')) return { ...base, type: 'PROFILE', name: name.slice('profile.'.length) }
  const variable = mappingVariables.find((each) => each.name === name)
  return variable === undefined
    ? { ...base, type: 'FIELD', name }
    : { ...base, type: 'VARIABLE', name, display_name: variable.display_name }
}

/**
 * Returns the sources of a template that only names fields and their fallbacks, such as `{{ traits.email | default:
 * properties.email }}`; undefined for any other template, and for one with too many fields.
 */
export const sourcesOfTemplate = (template: string): ListedSource[] | undefined => {
  if (template.length > 10_000 || !fallback.test(template)) return undefined
  const names = template
    .slice(2, -2)
    .split('|')
    .map((each) => each.replace(/^\s*default:/, '').trim())
  return names.length > mappingLimits.firstSources ? undefined : names.map(namedSource)
}

/** Returns a list of sources that begins with a source; a template that names fallbacks becomes its fields. */
export const firstOf = (source: MappingSource): Extract<MappingSource, { type: 'FIRST' }> => {
  const sources = source.type === 'TEMPLATE' ? sourcesOfTemplate(source.value) : undefined
  const own = isListed(source) && !isEmptyListed(source) ? [source, emptyListed('FIELD')] : [emptyListed('FIELD')]
  return { type: 'FIRST', sources: sources ?? own, ...base }
}

/** Returns the source of a field of an item, or of a whole field, without the empty entries of its list. */
const withoutEmptyListed = <Source extends MappingSource>(source: Source): Source =>
  source.type === 'FIRST' ? { ...source, sources: source.sources.filter((each) => !isEmptyListed(each)) } : source

/** Whether a field of an item has nothing to read. */
export const isEmptyItemField = ({ source }: ItemField): boolean =>
  source.type === 'FIRST' ? source.sources.every(isEmptyListed) : isEmptyListed(source)

/** A list of objects without fields. */
export const emptyList: ListSource = { type: 'LIST', list: '', root: '', fields: [], ...base }

/**
 * Returns a list of objects in place of a source. It is made from the field of the source, or else from the products of
 * the event. Its items have the known fields under their own names.
 */
export const listOf = (source: MappingSource, known: readonly Pick<ItemField, 'name' | 'type'>[]): ListSource => ({
  ...emptyList,
  list: source.type === 'FIELD' && source.name !== '' ? source.name : 'properties.products',
  fields: known.map(({ name, type }) => ({ name, type, source: { ...base, type: 'FIELD', name } })),
})

/** Returns a source without the empty entries of its lists. */
export const withoutEmpty = (source: MappingSource): MappingSource => {
  if (source.type !== 'LIST') return withoutEmptyListed(source)
  const fields = source.fields.filter((field) => !isEmptyItemField(field))
  return { ...source, fields: fields.map((field) => ({ ...field, source: withoutEmptyListed(field.source) })) }
}
