import { type ClassValue, clsx } from 'clsx'

/** Utilities whose name does not begin with the property that they set. */
const words: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    display: 'block inline-block inline flex inline-flex grid inline-grid table hidden contents',
    position: 'static relative absolute fixed sticky',
    visibility: 'visible invisible',
    'text-overflow': 'truncate text-ellipsis text-clip',
    'font-style': 'italic not-italic',
    'text-transform': 'uppercase lowercase capitalize normal-case',
    'screen-reader': 'sr-only not-sr-only',
  }).flatMap(([property, utilities]) => utilities.split(' ').map((utility) => [utility, property])),
)

/**
 * For prefixes that set several properties, decides the property by the value. For other utilities, the property is the
 * name without its last part.
 */
const values: readonly [utility: RegExp, property: string][] = [
  [/^text-(\d?xs|sm|base|lg|\d?xl|\[.*\])$/, 'font-size'],
  [/^text-(left|center|right)$/, 'text-align'],
  [/^text-(balance|wrap|nowrap|pretty)$/, 'text-wrap'],
  [/^font-(sans|mono)$/, 'font-family'],
  [/^flex-(row|col).*/, 'flex-direction'],
  [/^flex-(no)?wrap.*/, 'flex-wrap'],
  [/^border(-\d)?$/, 'border-width'],
  [/^border-([trblxy])(-\d)?$/, 'border-width-$1'],
  [/^border-(collapse|separate)$/, 'border-collapse'],
  [/^border-(solid|dashed|dotted)$/, 'border-style'],
  [/^border-spacing-.*/, 'border-spacing'],
  [/^border-([trblxy])-.*/, 'border-color-$1'],
  [/^divide-([xy])$/, 'divide-$1'],
  [/^(rounded)(-(?:[trbl]|tl|tr|bl|br))?(-.*)?$/, '$1$2'],
  [/^shadow-\[.*/, 'shadow-of-its-own'],
  [/^outline-none$/, 'outline-style'],
  [/^outline-offset-.*/, 'outline-offset'],
  [/^outline(-\d)?$/, 'outline-width'],
  [/^outline-.*/, 'outline-color'],
  [/^line-clamp-.*/, 'line-clamp'],
  [/^(text|border|bg|whitespace|shadow|transition|cursor|fill|stroke)(-.*)?$/, '$1'],
  [/^(\[[^:]*:).*/, '$1'],
]

/** The further properties that a property for several sides sets, by that property. */
const covered: Readonly<Record<string, readonly string[]>> = {
  p: ['px', 'py', 'pt', 'pr', 'pb', 'pl'],
  px: ['pr', 'pl'],
  py: ['pt', 'pb'],
  m: ['mx', 'my', 'mt', 'mr', 'mb', 'ml'],
  mx: ['mr', 'ml'],
  my: ['mt', 'mb'],
  'scroll-my': ['scroll-mt', 'scroll-mb'],
  size: ['w', 'h'],
  inset: ['inset-x', 'inset-y', 'top', 'right', 'bottom', 'left'],
  'inset-x': ['right', 'left'],
  'inset-y': ['top', 'bottom'],
  gap: ['gap-x', 'gap-y'],
  overflow: ['overflow-x', 'overflow-y'],
  rounded: ['rounded-t', 'rounded-r', 'rounded-b', 'rounded-l'],
  'border-width': [
    'border-width-x',
    'border-width-y',
    'border-width-t',
    'border-width-r',
    'border-width-b',
    'border-width-l',
  ],
  'border-width-x': ['border-width-r', 'border-width-l'],
  'border-width-y': ['border-width-t', 'border-width-b'],
  'font-size': ['leading'],
  translate: ['translate-x', 'translate-y'],
  'line-clamp': ['display', 'overflow'],
  flex: ['grow', 'shrink', 'basis'],
}

const propertyOf = (utility: string): string => {
  const word = words[utility]
  if (word !== undefined) return word
  const found = values.find(([pattern]) => pattern.test(utility))
  if (found !== undefined) return utility.replace(...found)
  const bracket = Math.max(utility.lastIndexOf('-['), utility.lastIndexOf('-('))
  if (bracket >= 0) return utility.slice(0, bracket)
  const end = utility.lastIndexOf('-')
  return end <= 0 ? utility : utility.slice(0, end)
}

/** Parses a class name: its conditions, such as `max-sm:hover:`, and the property that it sets. */
const parsed = (name: string): { when: string; property: string } => {
  let start = 0
  for (let index = 0; index < name.length; index++) {
    if (name[index] === '[') {
      const close = name.indexOf(']', index)
      if (close < 0) break
      index = close
    } else if (name[index] === ':') {
      if (index === start) break
      start = index + 1
    }
  }
  return { when: name.slice(0, start), property: propertyOf(name.slice(start).replace(/^-/, '')) }
}

const merge = (names: string): string => {
  const taken = new Set<string>()
  const kept: string[] = []
  for (const name of names.split(' ').reverse()) {
    const { when, property } = parsed(name)
    if (taken.has(when + property)) continue
    for (const each of [property, ...(covered[property] ?? [])]) taken.add(when + each)
    kept.unshift(name)
  }
  return kept.join(' ')
}

const merged = new Map<string, string>()

/** Joins class names. If two of them set the same property under the same conditions, only the later one stays. */
export const cn = (...given: ClassValue[]): string => {
  const names = clsx(given)
  const known = merged.get(names) ?? merge(names)
  merged.set(names, known)
  return known
}
