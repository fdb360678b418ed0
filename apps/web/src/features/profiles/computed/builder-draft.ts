import {
  attributeName,
  type ComputedTraitDefinition,
  computedTraitDefinition,
  type ElementErrors,
  type SelectedAttribute,
  stockMessage,
} from '@tributary/contract'
import { shortId } from '../../../lib/format/short-id.ts'

/** An empty definition. */
export const newDefinition = (): ComputedTraitDefinition => ({
  event: '',
  operation: 'count',
  property: '',
  window_days: 30,
  conditions: [],
})

/** The errors of a definition by field, and those of conditions by ID. */
export type DefinitionErrors = {
  fields: Readonly<Record<string, string>>
  conditions: ReadonlyMap<string, ElementErrors>
}

/** The valid definition, or its errors. */
export const checkDefinition = (
  draft: ComputedTraitDefinition,
): { definition: ComputedTraitDefinition } | { errors: DefinitionErrors } => {
  const { data, error } = computedTraitDefinition.safeParse(draft, { error: stockMessage })
  if (data !== undefined) return { definition: data }
  const fields: Record<string, string> = {}
  const conditions = new Map<string, Record<string, string>>()
  for (const { path, message } of error.issues) {
    const [field, index, part] = path.map(String)
    const condition = field === 'conditions' ? draft.conditions[Number(index)] : undefined
    if (condition === undefined) fields[field ?? ''] ??= message
    else {
      // Keeps the first error of a field.
      const known = conditions.get(condition.id) ?? {}
      known[part ?? ''] ??= message
      conditions.set(condition.id, known)
    }
  }
  return { errors: { fields, conditions } }
}

/** The error of a trait's name; undefined for a valid one. */
export const traitError = (trait: string): string | undefined =>
  attributeName.safeParse(trait, { error: stockMessage }).error?.issues[0]?.message

/** The definition with one more condition. */
export const withCondition = (draft: ComputedTraitDefinition): ComputedTraitDefinition => {
  const id = shortId(new Set(draft.conditions.map((each) => each.id)))
  const condition: SelectedAttribute = { id, name: '', valueType: 'text', operator: 'equals', value: '', values: [] }
  return { ...draft, conditions: [...draft.conditions, condition] }
}
