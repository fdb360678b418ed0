import { emptyObject, emptySchema, type SourceSchema, withOwner } from '@tributary/contract'
import { expect, test } from 'vitest'
import { freshDraft, withoutStep, withStep } from './schema-draft.ts'

const one = withOwner(emptySchema, 'One', emptyObject)
const two = withOwner(one, 'Two', emptyObject)
const three = withOwner(two, 'Three', emptyObject)
const start = freshDraft({ version: 4, schema: emptySchema })

const titles = ({ schema }: { schema: SourceSchema }): string[] => [...schema.events.keys()]

test('steps of a schema draft are undone one by one, back to the base version', () => {
  const draft = withStep(withStep(start, one), two)
  expect(titles(draft)).toEqual(['One', 'Two'])
  expect(titles(withoutStep(draft))).toEqual(['One'])
  expect(withoutStep(withoutStep(draft))).toEqual(start)
  expect(withoutStep(start)).toBe(start)
})

test('consecutive steps with one key are undone together, and a step without a change does not count', () => {
  const typed = withStep(withStep(withStep(start, one), two, 'text'), three, 'text')
  expect(titles(withoutStep(typed))).toEqual(['One'])
  expect(withStep(typed, typed.schema)).toBe(typed)
})
