import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extendTailwindMerge } from 'tailwind-merge'
import { expect, test } from 'vitest'
import { cn } from './cn.ts'

const merge = extendTailwindMerge({ extend: { classGroups: { 'font-size': [{ text: ['2xs'] }] } } })

/** Returns the utilities that this application uses, without the conditions before them. */
const utilities = (): string[] => {
  const found = new Set<string>()
  for (const file of globSync(join(import.meta.dirname, '../**/*.tsx')))
    for (const [, , text = ''] of readFileSync(file, 'utf8').matchAll(/(['"`])([^'"`\n]*)\1/g))
      for (const name of text.split(' ')) {
        const conditions = name.replace(/\[.*?\]/g, (part) => '_'.repeat(part.length)).lastIndexOf(':')
        const utility = name.slice(conditions + 1)
        // A known utility sets a property, so merging it with itself leaves only one.
        if (!/^!|!$/.test(utility) && merge(`${utility} ${utility}`) === utility) found.add(utility)
      }
  return [...found]
}

/**
 * Returns a utility without its value. Utilities that differ only in the value have the same conflicts: `px-2` and
 * `px-4` with `p-1`.
 */
const kind = (utility: string): string =>
  utility.replace(/^-/, '').replace(/-(\d.*|[[(].*|(?:ink|accent)(?:-.*)?)$/, '')
const family = (utility: string): string => kind(utility).replace(/-.*/, '')

test('if two utilities conflict, the later one replaces the earlier one exactly if it sets all of its properties', () => {
  const known = utilities()
  expect(known.length).toBeGreaterThan(400)
  const ofEachKind = [...new Map(known.map((utility) => [kind(utility), utility])).values()]
  const pairs = known.flatMap((earlier) =>
    known
      .filter(
        (later) => family(later) === family(earlier) || (ofEachKind.includes(earlier) && ofEachKind.includes(later)),
      )
      .map((later) => [earlier, later] as const),
  )
  const different = pairs.filter((pair) => cn(...pair) !== merge(...pair))
  expect(different).toEqual([])
})

test.each([
  ['px-2 sm:px-4 px-3', 'sm:px-4 px-3'],
  ['hover:bg-hover bg-sunken', 'hover:bg-hover bg-sunken'],
  [
    'max-sm:hover:text-ink max-sm:hover:text-ink-2 max-sm:hover:text-sm',
    'max-sm:hover:text-ink-2 max-sm:hover:text-sm',
  ],
  ['[&_svg]:size-4 size-3 [&_svg]:size-3.5', 'size-3 [&_svg]:size-3.5'],
  ['-ml-2 mx-auto', 'mx-auto'],
])('the class names %j become %j: only utilities under the same conditions conflict', (names, kept) => {
  expect(cn(names)).toBe(kept)
  expect(merge(names)).toBe(kept)
})

test('a class name without styles stays unchanged', () => {
  expect(cn('group tabular', false, undefined, 'scroll-thin')).toBe('group tabular scroll-thin')
})
