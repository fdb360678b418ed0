import type { QueryType, SelectedAttribute } from '@tributary/contract'
import { shortId } from '../../../lib/format/short-id.ts'
import { type DraftQuery, type DraftTree, idsIn, newAttribute, newQuery, newTree } from './draft.ts'

/** An audience to start from; the user replaces its names by those of their own events. */
export type Template = { id: string; title: string; text: string; tree: () => DraftTree }

type Make = (nextId: () => string) => DraftQuery[]

const query = (type: QueryType, part: Partial<DraftQuery>): ((nextId: () => string) => DraftQuery) => {
  return (nextId) => ({ ...newQuery(type, nextId), ...part })
}

const did =
  (event: string, value: number, days: number, attributes: Partial<SelectedAttribute>[] = []) =>
  (nextId: () => string): DraftQuery => ({
    ...query('event', {
      selectedEvent: event,
      timeframe: { time: { unit: 'day', value: days } },
      count: value === 0 ? { operator: 'exactly', value } : { operator: 'at_least', value },
    })(nextId),
    selectedAttributes: attributes.map((each) => ({ ...newAttribute(nextId()), ...each })),
  })

const ever = (event: string) => query('event', { selectedEvent: event, timeframe: null })

const treeOf = (make: Make) => (): DraftTree => {
  const tree = newTree()
  const taken = new Set(idsIn(tree))
  const nextId = (): string => {
    const id = shortId(taken)
    taken.add(id)
    return id
  }
  const groups = Object.entries(tree.groups).map(([id, group]) => [
    id,
    { ...group, segments: group.segments.map((segment) => ({ ...segment, queries: make(nextId) })) },
  ])
  return { ...tree, groups: Object.fromEntries(groups) }
}

/** Common audiences. Events have the names of Segment's catalog of e-commerce events. */
export const templates: readonly Template[] = [
  {
    id: 'cart-abandoned',
    title: 'Cart abandoned',
    text: 'Added a product in the last 7 days and did not order.',
    tree: treeOf((id) => [did('Product Added', 1, 7)(id), did('Order Completed', 0, 7)(id)]),
  },
  {
    id: 'lapsed',
    title: 'Lapsed',
    text: 'Ordered before, but not in the last 60 days.',
    tree: treeOf((id) => [ever('Order Completed')(id), did('Order Completed', 0, 60)(id)]),
  },
  {
    id: 'high-value',
    title: 'High value',
    text: 'Three orders above 100 in the last 90 days.',
    tree: treeOf((id) => [
      did('Order Completed', 3, 90, [{ name: 'total', valueType: 'number', operator: 'greater_than', value: '100' }])(
        id,
      ),
    ]),
  },
  {
    id: 'new',
    title: 'New',
    text: 'Signed up in the last 14 days.',
    tree: treeOf((id) => [did('Signed Up', 1, 14)(id)]),
  },
  {
    id: 'at-risk',
    title: 'At risk',
    text: 'Viewed pages in the last 90 days, but none in the last 30.',
    tree: treeOf((id) => [did('page', 1, 90)(id), did('page', 0, 30)(id)]),
  },
]
