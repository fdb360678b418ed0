import { ownConnectorLimits } from '@tributary/contract'

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
