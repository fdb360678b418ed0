import { existsSync, readFileSync } from 'node:fs'
import { snippet } from '@tributary/collect'
import { logoProblems, sourceProblems } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { listedSources, logoFile } from './index.ts'

const sourceDefinitions = await Promise.all(listedSources.map((entry) => entry.load()))

test('every source has a unique slug', () => {
  expect(new Set(sourceDefinitions.map(({ slug }) => slug)).size).toBe(sourceDefinitions.length)
})

test.each(sourceDefinitions)('the source $slug has valid texts, guide, settings, schema, and logo', (definition) => {
  expect(sourceProblems(definition)).toEqual([])
  expect(logoProblems(readFileSync(logoFile('sources', definition.slug), 'utf8'))).toEqual([])
})

test('documentation pages of sources in the product exist', () => {
  const pages = listedSources.map(({ docsUrl }) => docsUrl).filter((url) => url.startsWith('/'))
  expect(pages.length).toBeGreaterThan(0)
  for (const page of pages) expect(existsSync(new URL(`..${page}.md`, import.meta.url)), page).toBe(true)
})

test('the snippet in the JavaScript guide equals the snippet that collection serves', () => {
  const javascript = sourceDefinitions.find(({ slug }) => slug === 'javascript')
  const codes = javascript?.guide.map((step) => step.code)
  expect(codes).toContain(snippet({ origin: '{{origin}}', writeKey: '{{writeKey}}' }))
})

test('SIG-02: sources of signals start with a schema of every event that the documentation maps to a conversion', () => {
  const guide = readFileSync(new URL('../docs/conversions.md', import.meta.url), 'utf8')
  const [, table = ''] = /\| event \| Meta, TikTok \|.*\n\|[ -|]*\n((?:\|.*\n)+)/.exec(guide) ?? []
  const mapped = table
    .trim()
    .split('\n')
    .map((row) => row.split('|')[1]?.trim())
  expect(mapped).toContain('Order Completed')
  const signals = sourceDefinitions.filter(({ targetProduct }) => targetProduct === 'SIGNALS')
  expect(signals.map(({ slug }) => slug).toSorted()).toEqual([
    'html-form',
    'server-conversions',
    'shopify-orders',
    'stripe-payments',
    'tag',
    'typeform',
  ])
  for (const { predefinedSchema } of signals)
    expect([...(predefinedSchema?.events.keys() ?? [])]).toEqual(expect.arrayContaining(mapped))
})
