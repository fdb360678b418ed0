/** Names with a special meaning in Liquid: keywords, and properties of lists and texts. */
const special = new Set('size first last length true false nil null empty blank'.split(' '))

const path = '[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)+'
const fallback = new RegExp(`^\\{\\{\\s*${path}(?:\\s*\\|\\s*default:\\s*${path})*\\s*\\}\\}$`)

/** Cost of reading a name of a path, in units of template-work.ts: the same as for Liquid. */
const workOfName = 350

/**
 * Returns the paths of a template that only selects the first field with a value, such as `{{ context.traits.email |
 * default: properties.email }}`; undefined for any other template. Presets have many such templates, which Liquid
 * renders many times more slowly.
 */
export const fallbackPaths = (text: string): readonly (readonly string[])[] | undefined => {
  if (!fallback.test(text)) return undefined
  const words = text.match(/[\w.]+/g) ?? []
  const paths = words.filter((word) => word.includes('.')).map((word) => word.split('.'))
  return paths.some((names) => names.some((name) => special.has(name))) ? undefined : paths
}

const read = (scope: Readonly<Record<string, unknown>>, names: readonly string[]): unknown => {
  let value: unknown = scope
  for (const name of names) {
    if (value === undefined || value === null || !Object.hasOwn(Object(value), name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/**
 * Renders the paths of a `fallbackPaths` template like Liquid in plain text, for values that are texts, numbers, or
 * booleans. Undefined if one of the values is a list or an object, or the text is longer than `longest`; Liquid must
 * then render the template. `spend` receives the cost.
 */
export const renderFallback = (
  paths: readonly (readonly string[])[],
  scope: Readonly<Record<string, unknown>>,
  longest: number,
  spend: (work: number) => void,
): string | undefined => {
  for (const [index, names] of paths.entries()) {
    spend(workOfName * names.length)
    const value = read(scope, names)
    const isLast = index === paths.length - 1
    if (value === undefined || value === null) continue
    if (typeof value === 'object') return undefined
    if (!isLast && (value === '' || value === false)) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text.length > longest) return undefined
    spend(10 * text.length)
    return text
  }
  return ''
}
