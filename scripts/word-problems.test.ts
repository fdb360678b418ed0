import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { wordProblems } from './word-problems.ts'

it.each([
  ['a string', 'a.ts', "const text = 'Choose a catalogue entry'", ['catalogue']],
  ['a part of a template', 'a.ts', `const text = \`Sent to \${to}, it is tried again\``, ['tried again']],
  ['a text in JSX', 'a.tsx', 'const A = () => <p>\n  Nobody is here\n</p>', ['Nobody']],
  ['a sentence of Markdown', 'a.md', 'It was mailed.', ['mailed']],
  ['nothing in a comment', 'a.ts', '// the catalogue\nconst a = 1', []],
  ['nothing in the code of Markdown', 'a.md', 'Call `catalogue`:\n\n```js\ncatalogue()\n```\n', []],
  ['nothing in names of code', 'a.ts', "const name = 'behaviour-of-x'", []],
])('forbidden words are found in texts for users: %s', (_what, file, source, words) => {
  expect(wordProblems(file, source).map(({ word }) => word)).toEqual(words)
})

it('a forbidden word is reported with its line', () => {
  expect(wordProblems('a.tsx', 'const A = () => (\n  <p>The colour of it</p>\n)')).toEqual([
    { line: 2, word: 'colour', better: 'color' },
  ])
})

it("user-visible texts of screens, connectors, emails, guides, and the server start use the product's words", () => {
  const files = globSync([
    'apps/web/src/**/*.{ts,tsx}',
    'connectors/**/*.ts',
    'packages/api-kit/src/mail/*.ts',
    'packages/control/src/mail/*.ts',
    'apps/server/src/{config/{config,engine-settings,setting-schemas,settings},http/http-server}.ts',
    'apps/server/src/docs/pages.ts',
    'docs/{getting-started,concepts,sources,destinations,events,deliveries,members,mappings,schemas}.md',
    'README.md',
  ]).filter((file) => !/node_modules|\.test\.|\.d\.ts$|\/testing|app\/kit\//.test(file))
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) =>
    wordProblems(file, readFileSync(file, 'utf8')).map(
      ({ line, word, better }) => `${file}:${line}: ${word} → ${better}`,
    ),
  )
  expect(found).toEqual([])
})
