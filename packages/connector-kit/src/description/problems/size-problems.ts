import { depthOf, descriptionLimits } from '../format/limits.ts'
import { isTemplate } from '../templates/render-tree.ts'

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
