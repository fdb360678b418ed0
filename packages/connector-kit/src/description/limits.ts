import { ownConnectorLimits } from '@tributary/contract'
import { isTemplate } from './render-tree.ts'

/**
 * Limits of a description, so that reading it takes one short turn. They are several times those of the product's own
 * descriptions. The depth also protects every function that visits a value by recursion.
 */
export const descriptionLimits = {
  /** Bytes of the text as UTF-8. */
  bytes: ownConnectorLimits.descriptionBytes,
  /** Lists and objects inside each other. */
  depth: 40,
  /** Values of all kinds, without those of test vectors. */
  values: 4000,
  templates: 300,
  templateCharacters: 10_000,
  /** Mapped fields of all presets, each event name of a preset counted as one preset. */
  presetFields: 2000,
  /** Problems that are named. */
  problems: 100,
} as const

/** Returns the lists and objects inside each other, at most `most` + 1; 0 for any other value. */
export const depthOf = (whole: unknown, most: number): number => {
  let deepest = 0
  const pending: { value: unknown; depth: number }[] = [{ value: whole, depth: 1 }]
  for (let next = pending.pop(); next !== undefined && deepest <= most; next = pending.pop()) {
    const { value, depth } = next
    if (typeof value !== 'object' || value === null) continue
    deepest = Math.max(deepest, depth)
    for (const one of Object.values(value)) pending.push({ value: one, depth: depth + 1 })
  }
  return deepest
}

/** Returns the limits that a parsed description exceeds, as sentences; empty if there are none. */
export const sizeProblems = (whole: unknown): string[] => {
  const { depth: deepest, values: most, templates, templateCharacters } = descriptionLimits
  if (depthOf(whole, deepest) > deepest) return [`The description is too deep: at most ${deepest} levels`]
  let values = 0
  let count = 0
  let characters = 0
  const pending: unknown[] = [whole]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    values++
    if (typeof next === 'string' && isTemplate(next)) {
      count++
      characters += next.length
    }
    if (typeof next !== 'object' || next === null) continue
    for (const [name, value] of Object.entries(next)) if (next !== whole || name !== 'vectors') pending.push(value)
  }
  return [
    ...(values > most ? [`The description has ${values} values, more than ${most}`] : []),
    ...(count > templates ? [`The description has ${count} templates, more than ${templates}`] : []),
    ...(characters > templateCharacters
      ? [`The templates of the description have ${characters} characters, more than ${templateCharacters}`]
      : []),
  ]
}
