import { readFileSync } from 'node:fs'
import { snippet } from '@tributary/collect'
import { logoProblems, sourceProblems } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { listedSources, logoFile } from './index.ts'

const sourceDefinitions = await Promise.all(listedSources.map((entry) => entry.load()))

test('every source has its own slug', () => {
  expect(new Set(sourceDefinitions.map(({ slug }) => slug)).size).toBe(sourceDefinitions.length)
})

test.each(sourceDefinitions)('$slug: texts, guide, settings, schema and logo are fit to be shown', (definition) => {
  expect(sourceProblems(definition)).toEqual([])
  expect(logoProblems(readFileSync(logoFile('sources', definition.slug), 'utf8'))).toEqual([])
})

test('the snippet of the guide is the one that collection stands for', () => {
  const javascript = sourceDefinitions.find(({ slug }) => slug === 'javascript')
  const codes = javascript?.guide.map((step) => step.code)
  expect(codes).toContain(snippet({ origin: '{{origin}}', writeKey: '{{writeKey}}' }))
})
