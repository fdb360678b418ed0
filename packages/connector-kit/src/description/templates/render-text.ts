import { ExactNumber, type JsonObject } from '@tributary/kernel'
import type { Settings } from '../../definition/definition.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Description } from '../format/schema.ts'
import { perSettings } from './per-settings.ts'
import { isTemplate, renderLeaf, type Scope, scopeOf, TreeProblem } from './render-tree.ts'

/**
 * Returns the settings that templates can read: all but secrets. A destination has the same object of settings for all
 * its events.
 */
export const openSettings = perSettings(
  ({ settings }: Pick<Description, 'settings'>, values: Settings): JsonObject =>
    Object.fromEntries(
      Object.entries(settings)
        .filter(([, { type }]) => type !== 'secret')
        .map(([name]) => [name, values[name]]),
    ),
)

/** Renders a template to a text without spaces around it; '' for no value. Throws TreeProblem. */
export const leafText = (template: string, scope: Scope): string => {
  const value = renderLeaf(template, scope)
  if (typeof value === 'string') return value.trim()
  // An exact number is an object whose text has all digits.
  return typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber ? String(value) : ''
}

/** Stands for the secret segment of a path. A value cannot make it, because its colons are encoded. */
export const authSegment = ':auth:'

const valueInPath = (template: string, scope: Scope): string => {
  const text = leafText(template, scope)
  if (text === '') throw new TreeProblem('A part of the address has no value')
  if (!text.isWellFormed()) throw new TreeProblem('A part of the address has half of a character')
  return encodeURIComponent(text)
}

/** Returns the constants and outputs of a text in their order. A text with tags is one template. */
export const partsOf = (text: string): string[] => {
  if (text.includes('{%')) return [text]
  const parts: string[] = []
  let from = 0
  for (;;) {
    const start = text.indexOf('{{', from)
    const end = start < 0 ? -1 : text.indexOf('}}', start + 2)
    if (end < 0) return [...parts, text.slice(from)]
    parts.push(text.slice(from, start), text.slice(start, end + 2))
    from = end + 2
  }
}

/** Renders a path, with encoded values. Throws TreeProblem if a value is empty, or if a segment leads upwards. */
export const pathOf = (path: string, scope: Scope): string =>
  path
    .split('/')
    .map((segment, at) => {
      if (segment === '{auth}') return authSegment
      if (at === 0 || !segment.includes('{')) return segment
      const rendered = partsOf(segment).map((part) => (isTemplate(part) ? valueInPath(part, scope) : part))
      const text = rendered.join('')
      if (text === '.' || text === '..') throw new TreeProblem('A part of the address has no value')
      return text
    })
    .join('/')

/**
 * Returns the renderers of texts and paths that only settings decide. Throws ConfigurationError if a segment of a path
 * has no value.
 */
export const settingRenderers = (described: Pick<Description, 'settings'>, values: Settings) => {
  const scope = scopeOf({ settings: openSettings(described, values) })
  const guarded =
    (render: (template: string, scope: Scope) => string) =>
    (template: string): string => {
      try {
        return render(template, scope)
      } catch (error) {
        throw error instanceof TreeProblem ? new ConfigurationError(`The settings: ${error.message}`) : error
      }
    }
  return { text: guarded(leafText), path: guarded(pathOf) }
}
