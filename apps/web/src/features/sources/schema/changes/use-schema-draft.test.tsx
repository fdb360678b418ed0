// @vitest-environment happy-dom

import { act, cleanup, renderHook } from '@testing-library/react'
import { emptyObject, type SourceSchema, type SourceWithSchema, withOwner } from '@tributary/contract'
import { afterEach, expect, test } from 'vitest'
import { sourceWith } from '../../../../testing/source.ts'
import { useSchemaDraft } from './use-schema-draft.ts'

afterEach(cleanup)

const schemaOf = (...titles: string[]): SourceSchema => ({
  events: new Map(titles.map((title) => [title, emptyObject])),
})
const source = (version: number, ...titles: string[]): SourceWithSchema => sourceWith(schemaOf(...titles), version)
const adding = (title: string) => (schema: SourceSchema) => withOwner(schema, title, emptyObject)

const draftOf = (start: SourceWithSchema) => {
  const { result, rerender } = renderHook((each: SourceWithSchema) => useSchemaDraft(each), { initialProps: start })
  return {
    draft: () => result.current,
    titles: () => [...result.current.schema.events.keys()],
    serverHas: (version: number, ...titles: string[]) => rerender(source(version, ...titles)),
  }
}

test("without changes, the server's schema is always shown", () => {
  const { draft, titles, serverHas } = draftOf(source(1, 'A'))
  serverHas(2, 'A', 'B')
  expect(titles()).toEqual(['A', 'B'])
  act(() => draft().edit(adding('C')))
  act(() => draft().undo())
  expect(draft().dirty).toBe(false)
  serverHas(3, 'X')
  expect(titles()).toEqual(['X'])
  expect(draft().theirs).toBeUndefined()
})

test('changes stay if another user saves a version, which is reported; the user can merge or discard them', () => {
  const { draft, titles, serverHas } = draftOf(source(1, 'A'))
  act(() => {
    draft().edit(adding('Mine'))
    draft().edit(adding('Mine too'))
  })
  serverHas(2, 'A', 'Theirs')
  expect(titles()).toEqual(['A', 'Mine', 'Mine too'])
  expect(draft().theirs?.version).toBe(2)
  expect(draft().base.version).toBe(1)
  act(() => draft().rebase(draft().server, adding('Mine')(draft().server.schema)))
  expect([draft().dirty, draft().theirs, draft().base.version]).toEqual([true, undefined, 2])
  expect(titles()).toEqual(['A', 'Theirs', 'Mine'])
  act(() => draft().discard())
  expect([draft().dirty, titles()]).toEqual([false, ['A', 'Theirs']])
})

test("a saved schema is shown before the page's cache is updated, and is not a conflict", () => {
  const { draft, titles, serverHas } = draftOf(source(1, 'A'))
  act(() => draft().edit(adding('B')))
  act(() => draft().settle({ version: 2, schema: schemaOf('A', 'B') }))
  expect([draft().dirty, draft().theirs, titles()]).toEqual([false, undefined, ['A', 'B']])
  act(() => draft().edit(adding('C')))
  expect([draft().base.version, titles()]).toEqual([2, ['A', 'B', 'C']])
  serverHas(2, 'A', 'B')
  expect([draft().dirty, draft().theirs]).toEqual([true, undefined])
})
