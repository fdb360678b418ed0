import { mappingVariables } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import { z } from 'zod'
import { standardFields } from './standard-fields.ts'

const isVariable = (name: string | undefined): boolean => mappingVariables.some((variable) => variable.name === name)

const listed = {
  name: z.string().optional(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
}

/** A text is a path, or a variable after `$`. A list is the first of its sources that has a value. */
const longSource = (given: unknown): unknown => {
  if (Array.isArray(given)) return { type: 'FIRST', sources: given }
  if (typeof given !== 'string') return given
  return given.startsWith('$') ? { type: 'VARIABLE', name: given.slice(1) } : { type: 'FIELD', name: given }
}

const knownVariable = {
  check: ({ type, name }: { type: string; name?: string | undefined }) => type !== 'VARIABLE' || isVariable(name),
  message: 'There is no such variable',
}

/**
 * The source of a value of a mapping: `traits.plan` is a path, `$user_email` a variable of mappings, and a list the first
 * of several sources. Constants, templates, and values of profiles are objects.
 */
export const describedSource = z.preprocess(
  longSource,
  z
    .strictObject({
      type: z.enum(['FIELD', 'VARIABLE', 'CONSTANT', 'TEMPLATE', 'PROFILE', 'FIRST']),
      ...listed,
      sources: z
        .array(
          z.preprocess(
            longSource,
            z
              .strictObject({ type: z.enum(['FIELD', 'VARIABLE', 'CONSTANT', 'PROFILE']), ...listed })
              .refine(knownVariable.check, knownVariable.message),
          ),
        )
        .optional(),
      since: z.int().optional(),
    })
    .refine(knownVariable.check, knownVariable.message),
)

/**
 * Returns the long form of a field. The name of a standard field stands for its label, help, type, kind, and source. An
 * object with that name in `as` has the rest of it.
 */
export const longField = (given: unknown, { addIssue }: { addIssue: (message: string) => void }): unknown => {
  const { as: name, ...own } = typeof given === 'string' ? { as: given } : isJsonObject(given) ? given : {}
  if (name === undefined) return given
  if (typeof name === 'string' && Object.hasOwn(standardFields, name))
    return { ...standardFields[name as keyof typeof standardFields], ...own }
  addIssue(`There is no standard field ${JSON.stringify(name)}`)
  return z.NEVER
}

type Source = z.output<typeof describedSource>
type Fields = Readonly<Record<string, Source | null>>
type Preset = {
  action: string
  event_name?: string | undefined
  event_names?: Readonly<Record<string, string | number | boolean>> | undefined
  as?: string | undefined
  fields: Fields
}
type Mapped = {
  actions: Readonly<Record<string, { fields: Readonly<Record<string, { from?: Source | undefined }>> }>>
  presets: readonly Preset[]
}

/** Returns how many fields all presets map, each event name of a preset counted as one preset. */
export const presetFieldsOf = ({ actions, presets }: Mapped): number => {
  const counts = new Map(Object.entries(actions).map(([name, { fields }]) => [name, Object.keys(fields).length]))
  return presets.reduce((sum, { action, event_names: names, fields }) => {
    const count = (counts.get(action) ?? 0) + Object.keys(fields).length
    return sum + count * (names === undefined ? 1 : Object.keys(names).length)
  }, 0)
}

/** Returns one preset for each of its event names. `group` is the same for all of them. */
const withSingleNames = <Given extends Preset>(preset: Given, group: number) => {
  const { event_names: names, as = 'event_name', ...own } = preset
  if (names === undefined) return [{ ...own, as: undefined, group }]
  return Object.entries(names).map(([name, value]) => {
    const constant: Source = { type: 'CONSTANT', value }
    return { ...own, as, event_name: name, fields: { [as]: constant, ...own.fields }, group }
  })
}

/**
 * Gives presets one event name each, and the usual sources of the fields of their actions. A preset's own fields win, and
 * null leaves one out.
 */
export const withUsualSources = <Given extends Mapped>(described: Given) => ({
  ...described,
  presets: described.presets.flatMap((preset: Given['presets'][number], group) =>
    withSingleNames(preset, group).map((single) => {
      const usual = Object.entries(described.actions[preset.action]?.fields ?? {}).map(([name, { from }]) => [
        name,
        from,
      ])
      const sources = Object.entries({ ...Object.fromEntries(usual), ...single.fields } as Fields)
      const fields: Record<string, Source> = Object.fromEntries(
        sources.flatMap(([name, source]) => (source === undefined || source === null ? [] : [[name, source]])),
      )
      return { ...single, fields }
    }),
  ),
})
