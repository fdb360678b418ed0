import { describe, expect, test } from 'vitest'
import {
  addAttribute,
  addGroup,
  addQuery,
  addSegment,
  changeAttribute,
  changeQuery,
  changeTree,
  checkTree,
  type DraftTree,
  draftOf,
  duplicate,
  idsIn,
  newTree,
  redo,
  remove,
  showErrors,
  shownErrors,
  undo,
} from './draft.ts'
import { templates } from './templates.ts'

const first = (tree: DraftTree) => {
  const [group = ''] = Object.keys(tree.groups)
  const segment = tree.groups[group]?.segments[0]
  const query = segment?.queries[0]
  return {
    group,
    segment: segment?.id ?? '',
    query: query?.id ?? '',
    attribute: query?.selectedAttributes[0]?.id ?? '',
  }
}

test('SEG-07: IDs of all elements are 4 characters and unique, also in copies', () => {
  let tree = addGroup(newTree())
  const { group, segment, query } = first(tree)
  tree = addAttribute(addQuery(addSegment(tree, group), segment, 'attribute'), query)
  for (const id of [query, segment, group]) tree = duplicate(tree, id)
  const ids = idsIn(tree)
  expect(ids.length).toBeGreaterThan(15)
  for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{4}$/)
  expect(new Set(ids).size).toBe(ids.length)
})

describe('errors in the audience builder', () => {
  test('SEG-08: errors are stored for each element that was filled in, and disappear with the element', () => {
    let draft = draftOf(newTree())
    const { segment } = first(draft.tree)
    draft = changeTree(draft, addQuery(draft.tree, segment, 'attribute'))
    expect(shownErrors(draft).size).toBe(0)
    const [event, trait] = Object.values(draft.tree.groups)[0]?.segments[0]?.queries ?? []
    const attribute = trait?.selectedAttributes[0]?.id ?? ''
    draft = changeTree(
      draft,
      changeQuery(draft.tree, event?.id ?? '', { count: { operator: 'exactly', value: '1a' } }),
      [event?.id ?? ''],
    )
    draft = changeTree(
      draft,
      changeAttribute(draft.tree, attribute, { name: 'age', valueType: 'number', value: 'x' }),
      [attribute],
    )
    expect(Object.fromEntries(shownErrors(draft))).toEqual({
      [event?.id ?? '']: { 'count.value': 'Only numbers are allowed' },
      [attribute]: { value: 'Only numbers are allowed' },
    })
    const without = changeTree(draft, remove(draft.tree, event?.id ?? ''))
    expect([...shownErrors(without).keys()]).toEqual([attribute])
    expect(without.touched.has(event?.id ?? '')).toBe(false)
  })

  test('errors of a group, query, or attribute are removed with the element, and other errors stay (SEG-09)', () => {
    let tree = addGroup(newTree())
    const [group = '', other = ''] = Object.keys(tree.groups)
    const queryIn = (id: string) => tree.groups[id]?.segments[0]?.queries[0]?.id ?? ''
    for (const id of [group, other]) {
      tree = addAttribute(addAttribute(tree, queryIn(id)), queryIn(id))
      tree = addQuery(tree, tree.groups[id]?.segments[0]?.id ?? '', 'attribute')
    }
    const draft = showErrors(draftOf(tree))
    const idsOf = (id: string): string[] => {
      const groups = { [id]: tree.groups[id] } as DraftTree['groups']
      return idsIn({ ...tree, groups })
    }
    const query = queryIn(group)
    const attributes = tree.groups[group]?.segments[0]?.queries[0]?.selectedAttributes.map(({ id }) => id) ?? []
    const [attribute = ''] = attributes
    for (const [removed, gone] of [
      [attribute, [attribute]],
      [query, [query, ...attributes]],
      [group, idsOf(group)],
    ] as const) {
      const before = [...shownErrors(draft).keys()]
      expect(before.filter((id) => gone.includes(id)).length, removed).toBeGreaterThan(0)
      const without = changeTree(draft, remove(tree, removed))
      expect([...shownErrors(without).keys()]).toEqual(before.filter((id) => !gone.includes(id)))
      for (const id of gone) expect(without.touched.has(id)).toBe(false)
    }
  })

  test('errors of all elements are shown on saving', () => {
    const draft = showErrors(draftOf(newTree()))
    expect([...shownErrors(draft)]).toEqual([[first(draft.tree).query, { selectedEvent: 'Required' }]])
    const { tree } = draft
    expect([...shownErrors(showErrors(draftOf(remove(tree, first(tree).group))))]).toEqual([
      ['', { groups: 'Add a condition' }],
    ])
  })
})

test('typed digits are saved as a number', () => {
  const tree = newTree()
  const { query } = first(tree)
  const checked = checkTree(
    changeQuery(tree, query, {
      selectedEvent: 'Seen',
      count: { operator: 'at_least', value: ' 3 ' },
      timeframe: { time: { unit: 'month', value: '2' } },
    }),
  )
  const saved = 'query' in checked ? Object.values(checked.query.groups)[0]?.segments[0]?.queries[0] : undefined
  expect(saved).toMatchObject({ count: { value: 3 }, timeframe: { time: { unit: 'month', value: 2 } } })
})

test('a segment is removed with its last condition, and a group with its last segment', () => {
  const two = addGroup(newTree())
  const { query, group } = first(two)
  const one = remove(two, query)
  expect(Object.keys(one.groups)).toHaveLength(1)
  expect(one.groups[group]).toBeUndefined()
})

test('each change can be undone and redone, one after the other', () => {
  const start = draftOf(newTree())
  const changed = changeTree(changeTree(start, addGroup(start.tree)), newTree())
  const back = undo(undo(changed))
  expect(back.tree).toBe(start.tree)
  expect(undo(back)).toBe(back)
  expect(redo(redo(back)).tree).toBe(changed.tree)
  expect(redo(changed)).toBe(changed)
  expect(changeTree(back, newTree()).future).toEqual([])
})

test.each(templates)('the template $title is complete', ({ tree }) => {
  expect(checkTree(tree())).toHaveProperty('query')
})
