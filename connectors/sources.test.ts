import { readFileSync } from 'node:fs'
import { snippet } from '@tributary/collect'
import { logoProblems } from '@tributary/connector-kit'
import { formatSourceSchema, parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import { listedSources, logoFile } from './index.ts'

const sourceDefinitions = await Promise.all(listedSources.map((entry) => entry.load()))

test('every source has its own slug', () => {
  expect(new Set(sourceDefinitions.map(({ slug }) => slug)).size).toBe(sourceDefinitions.length)
})

test.each(sourceDefinitions)(
  '$slug: logo, texts and guide are fit to be shown',
  ({ slug, title, description, type, docsUrl, guide }) => {
    expect(slug).toMatch(/^[a-z][a-z0-9-]*$/)
    expect(title).not.toBe('')
    expect(description.length).toBeGreaterThan(60)
    expect(type).toBeOneOf([1, 2, 3, 4, 5, 6, 7])
    if (docsUrl !== undefined) expect(new URL(docsUrl).protocol).toBe('https:')
    expect(logoProblems(readFileSync(logoFile('sources', slug), 'utf8'))).toEqual([])
    const codes = guide.map((step) => ('code' in step ? step.code : '')).join('\n')
    expect(codes).toMatch(/\{\{(origin|host)\}\}/)
    expect(codes).toContain('{{writeKey}}')
    const texts = guide.map((step) => step.text).join('\n')
    for (const [, name] of `${codes}\n${texts}`.matchAll(/\{\{(\w+)\}\}/g))
      expect(['origin', 'host', 'insecure', 'writeKey']).toContain(name)
  },
)

test('the snippet of the guide is the one that collection stands for', () => {
  const javascript = sourceDefinitions.find(({ slug }) => slug === 'javascript')
  const codes = javascript?.guide.map((step) => step.code)
  expect(codes).toContain(snippet({ origin: '{{origin}}', writeKey: '{{writeKey}}' }))
})

const withSchema = sourceDefinitions.filter(({ predefinedSchema }) => predefinedSchema !== undefined)
test('the sources with a schema of their own', () => {
  expect(withSchema.map(({ slug }) => slug)).toEqual(['shopify', 'stripe'])
})

test.each(withSchema)(
  '$slug: the schema reads back as it is, and requires only what it has',
  ({ predefinedSchema }) => {
    if (predefinedSchema === undefined) throw new Error('no schema')
    expect(parseSourceSchema(formatSourceSchema(predefinedSchema))).toEqual(predefinedSchema)
  },
)

test.each(
  sourceDefinitions.flatMap(({ slug, settings }) =>
    settings === undefined ? [] : [{ slug, fields: settings.fields }],
  ),
)('$slug: every setting has a name, a label and a help; secrets are secret', ({ fields }) => {
  expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
  for (const field of fields) {
    expect(field.name).toMatch(/^[a-z][a-z_]*$/)
    expect([field.label, field.help]).not.toContain('')
    expect(field.secret).toBe(field.type === 'secret')
  }
})
