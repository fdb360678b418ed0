import { expect, it } from 'vitest'
import { defineSettings, setting } from './setting.ts'
import type { SourceDefinition } from './source-definition.ts'
import { sourceProblems } from './source-problems.ts'

const complete: SourceDefinition = {
  slug: 'some-library',
  title: 'Some Library',
  description: 'Send events from your programs with a library that batches them and retries.',
  type: 3,
  docsUrl: 'https://docs.example',
  guide: [{ title: 'Send', text: 'Do it.', code: 'send {{origin}} {{writeKey}}' }],
  settings: defineSettings({ secret: setting.secret({ label: 'Secret', help: 'h' }) }),
}

it('a complete source definition has no problems', () => {
  expect(sourceProblems(complete)).toEqual([])
  expect(sourceProblems({ ...complete, docsUrl: '/docs/tag' })).toEqual([])
})

it.each<[Partial<SourceDefinition>, string]>([
  [{ slug: 'someLibrary' }, 'The slug "someLibrary" is not in kebab-case'],
  [{ title: ' ' }, 'The title is empty'],
  [{ description: 'Events.' }, 'The description says too little'],
  [{ type: 9 }, 'There is no type 9'],
  ...['', 'http://docs.example', '/elsewhere', '/docs/', 'docs.example'].map(
    (docsUrl): [{ docsUrl: string }, string] => [
      { docsUrl },
      'The address of the documentation is neither an https URL nor a page of the product',
    ],
  ),
  [{ guide: [{ title: 't', text: 'x', code: '{{writeKey}}' }] }, 'No code of the guide names this server'],
  [{ guide: [{ title: 't', text: 'x', code: '{{host}}' }] }, 'No code of the guide has the write key'],
  [{ guide: [...complete.guide, { title: 't', text: '{{key}}' }] }, 'The guide has {{key}}, which stands for nothing'],
  [
    { settings: defineSettings({ appKey: setting.text({ label: 'l', help: 'h' }) }) },
    'The setting appKey is not named in snake_case',
  ],
  [
    { settings: defineSettings({ app_key: setting.text({ label: 'l', help: '' }) }) },
    'The setting app_key lacks a label or a help',
  ],
])('an incomplete source definition has the expected problem: %j', (change, problem) => {
  expect(sourceProblems({ ...complete, ...change })).toEqual([problem])
})
