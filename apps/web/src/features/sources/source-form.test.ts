import { stockMessage } from '@tributary/contract'
import { expect, test } from 'vitest'
import { newSourceForm, sourceForm } from './source-form.ts'

const messages = (rule: ReturnType<typeof newSourceForm>, values: object): string[] =>
  rule.safeParse(values, { error: stockMessage }).error?.issues.map(({ message }) => message) ?? []

test('SRC-14: a title is required, one character is enough', () => {
  expect(sourceForm.safeParse({ title: '' }, { error: stockMessage }).error?.issues[0]?.message).toBe('Required')
  expect(sourceForm.safeParse({ title: ' ' }, { error: stockMessage }).error?.issues[0]?.message).toBe('Required')
  expect(sourceForm.parse({ title: 'a' })).toEqual({ title: 'a' })
})

test('a schema is required unless the app has its own schema (SRC-33)', () => {
  expect(messages(newSourceForm(false), { title: 'a', schema: '' })).toEqual(['Schema template is required'])
  expect(messages(newSourceForm(false), { title: 'a', schema: 'sourceSchemaTemplates/blank' })).toEqual([])
  expect(messages(newSourceForm(true), { title: 'a', schema: '' })).toEqual([])
})
